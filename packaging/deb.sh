#!/usr/bin/env bash
# Debian packages from packaging/debian (build), lintian on them (judge), and the demonstration in a clean root that they
# were installed in (use). Run by ./dev deb, which installs what this needs; arguments name some of the three.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/root.sh

# logged FILE COMMAND...: shows the end of what it said only if it failed.
logged() {
    local file=$1
    shift
    "$@" >"$file" 2>&1 || {
        tail -n 60 "$file" >&2
        return 1
    }
}

build() {
    local version tree
    version=$(sed -n 's/.*PARE_VERSION "\(.*\)"/\1/p' include/pare/version.h)
    tree=build/deb/pare-$version
    echo "building packages" >&2
    rm -rf build/deb
    mkdir -p "$tree"
    cp -r CMakeLists.txt CHANGELOG.md LICENSE README.md cli cmake docs examples include src "$tree"
    mkdir "$tree/python" && cp -r python/README.md python/pyproject.toml python/build_backend python/pare "$tree/python"
    cp -r r "$tree" && rm -rf "$tree"/r/src/*.o "$tree"/r/src/*.so "$tree"/r/src/{Makevars,core,core-build}
    rm -rf "$tree/python/pare/lib" && find "$tree" -name __pycache__ -exec rm -r {} +
    cp -r packaging/debian "$tree/debian"
    DEB_BUILD_OPTIONS="parallel=${JOBS:-$(nproc)} noautodbgsym" logged build/deb/build.log \
        env -C "$tree" dpkg-buildpackage -b -us -uc
}

judge() {
    echo "lintian" >&2
    lintian --fail-on error --allow-root --no-cfg build/deb/*.changes | tee build/deb/lintian.txt
}

install_in() {
    in_root "$1" apt-get -qq update &&
        in_root "$1" apt-get -qq install -y --no-install-recommends -o APT::Keep-Downloaded-Packages=true \
            -o APT::Sandbox::User=root $(cd "$1" && printf '/%s ' packages/*.deb)
}

use() {
    local root=$PWD/build/root/deb
    echo "installing in a clean root" >&2
    clean_root "$root"
    as_root mkdir "$root/packages"
    as_root cp build/deb/*.deb packaging/demonstration.sh "$root/packages"
    as_root rm -f "$root"/packages/*-dbgsym_*
    as_root cp -ln build/root/archives/*.deb "$root/var/cache/apt/archives" 2>/dev/null || true
    logged build/deb/install.log install_in "$root"
    as_root cp -ln "$root"/var/cache/apt/archives/*.deb build/root/archives
    in_root "$root" sh /packages/demonstration.sh python r
    in_root "$root" test -s /usr/share/man/man1/pare-fit.1.gz -a -s /usr/share/bash-completion/completions/pare
    as_root rm -rf "$root"
}

(($#)) || set -- build judge use
for stage; do
    case $stage in
    build | judge | use) $stage ;;
    *) echo "./dev deb has no stage '$stage'; there are build, judge and use" >&2 && exit 2 ;;
    esac
done
for file in build/deb/*.deb; do
    [[ $file == *-dbgsym_* ]] || echo "$file"
done
