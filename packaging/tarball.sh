#!/usr/bin/env bash
# The command line in one folder with every library that not each Linux has, and the demonstration in a clean root that
# has none of them. Run by ./dev tarball, which installs what this needs.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/root.sh

version=$(sed -n 's/.*PARE_VERSION "\(.*\)"/\1/p' include/pare/version.h)
name=pare-$version-linux-$(uname -m)
folder=$PWD/build/tarball/$name
mkdir -p build/tarball
rm -rf "$folder"

# An rpath of the old kind, which is searched for what the libraries need in turn. matio and HDF5 would bring fifty
# libraries more, Kerberos and LDAP among them.
echo "building release" >&2
{ cmake -G Ninja -S . -B build/tarball/build -DCMAKE_BUILD_TYPE=Release -DPARE_TESTS=OFF -DPARE_MATIO=OFF -DPARE_HDF5=OFF -DPARE_MPI=OFF \
    -DCMAKE_INSTALL_RPATH='$ORIGIN/../lib' -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags &&
    cmake --build build/tarball/build --parallel "${JOBS:-$(nproc)}" --target pare manual pare_shared &&
    cmake --install build/tarball/build --strip --prefix "$folder"; } >build/tarball/build.log 2>&1 || {
    tail -n 30 build/tarball/build.log >&2
    exit 1
}
rm -rf "$folder/include" "$folder"/lib*
mkdir "$folder/lib" "$folder/licences"
cp LICENSE "$folder/licences/pare"
cp README.md CHANGELOG.md "$folder"

# package_of FILE: the Debian package that it is of; /lib may be a link to /usr/lib.
package_of() {
    { dpkg -S "$1" 2>/dev/null || dpkg -S "${1#/usr}"; } | cut -d: -f1 | head -n 1
}

# The C library alone is the system's.
system='^(lib(c|m|dl|rt|pthread|util|resolv)\.so|ld-linux|linux-vdso)'
printf 'library\tpackage\tversion\tsource package\n' >"$folder/licences/LIBRARIES.tsv"
ldd "$(find build/tarball/build -maxdepth 1 -name pare -type f)" | awk '$2 == "=>" { print $1, $3 }' | sort | while read -r library path; do
    [[ $library =~ $system ]] && continue
    [[ $path == /* ]] || { echo "$library was not found" >&2 && exit 1; }
    path=$(realpath "$path")
    package=$(package_of "$path")
    install -m 644 "$path" "$folder/lib/$library"
    strip --strip-unneeded "$folder/lib/$library"
    cp -L "/usr/share/doc/$package/copyright" "$folder/licences/$package"
    dpkg-query -W -f "$library\t$package\t\${Version}\t\${source:Package} \${source:Version}\n" "$package" | head -n 1 >>"$folder/licences/LIBRARIES.tsv"
done
# The texts that those refer to.
cat "$folder"/licences/* | grep -o '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' | sort -u | while read -r text; do
    [[ ! -f $text ]] || cp -L "$text" "$folder/licences/"
done

# The least glibc: the newest of its symbol versions that anything here asks for.
glibc=$(find "$folder/bin" "$folder/lib" -type f -exec objdump -T {} + | grep -o 'GLIBC_2\.[0-9.]*' | sort -Vu | tail -n 1)
glibc=${glibc#GLIBC_}
cat >"$folder/INSTALL" <<END
pare $version for Linux on $(uname -m), glibc $glibc or newer.

Put this folder anywhere and run bin/pare; it can be moved, and a link to bin/pare works. Manual pages and completions
are in share/. lib/ has its libraries, licences/ their licences and what they were built from (LIBRARIES.tsv: Debian
source packages). .mat, .h5ad and .h5 are not read by this build: the Debian packages and a build from source do.
END

tar -C build/tarball --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-$(stat -c %Y CHANGELOG.md)}" \
    -cJf "build/tarball/$name.tar.xz" "$name"

root=$PWD/build/root/tarball
clean_root "$root"
as_root mkdir -p "$root/srv/some where/else"
as_root tar -C "$root/srv/some where/else" -xf "build/tarball/$name.tar.xz"
as_root cp packaging/demonstration.sh "$root/srv"
in_root "$root" env PARE="/srv/some where/else/$name/bin/pare" sh /srv/demonstration.sh
in_root "$root" ln -s "/srv/some where/else/$name/bin/pare" /usr/local/bin/pare
in_root "$root" pare --version
used=$(in_root "$root" sh -c "ldd '/srv/some where/else/$name/bin/pare'")
if grep -E 'not found' <<<"$used" || grep '=> /' <<<"$used" | grep -v "$name" | grep -Ev "^[[:space:]]*${system#^}"; then
    echo "the command line takes these from the system" >&2
    exit 1
fi
as_root rm -rf "$root"
echo "glibc $glibc or newer, $(du -sh "$folder" | cut -f1) unpacked"
ls -sh "build/tarball/$name.tar.xz"
