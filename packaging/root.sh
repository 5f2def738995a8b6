# A clean root to install and run packages in; sourced, never run. The system's own release, from the mirrors that
# apt is set up with here.

as_root() {
    if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

# What apt is set up with, one `URI SUITE COMPONENT` a line, of this release alone.
apt_sources() {
    local codename
    codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
        awk -v c="$codename" '$3 == c || index($3, c "-") == 1 { print $1, $2, $4 }' | sort -u
}

# base_root: build/root/base, made once: the smallest system that has apt.
base_root() {
    local base=$PWD/build/root/base sources mirror suite proxy=
    [[ -e $base/made ]] && return
    sources=$(apt_sources)
    [[ $sources ]] || { as_root apt-get -qq update && sources=$(apt_sources); }
    [[ $sources ]] || { echo "apt has no source for this release" >&2 && return 1; }
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
    mirror=$(awk -v s="$suite" '$2 == s && $3 == "main" { print $1; exit }' <<<"$sources")
    eval "$(apt-config shell proxy Acquire::http::Proxy)"
    as_root rm -rf "$base"
    mkdir -p build/root/archives
    echo "making a clean root of $suite" >&2
    as_root env ${proxy:+http_proxy="$proxy"} debootstrap --variant=minbase --cache-dir="$PWD/build/root/archives" \
        "$suite" "$base" "$mirror" >build/root/debootstrap.log 2>&1 || {
        tail -n 20 build/root/debootstrap.log >&2
        return 1
    }
    awk '{ print "deb", $1, $2, $3 }' <<<"$sources" | as_root tee "$base/etc/apt/sources.list" >/dev/null
    [[ ! $proxy ]] || echo "Acquire::http::Proxy \"$proxy\";" | as_root tee "$base/etc/apt/apt.conf.d/proxy" >/dev/null
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$base/usr/sbin/policy-rc.d" >/dev/null
    as_root chmod +x "$base/usr/sbin/policy-rc.d"
    as_root touch "$base/made"
}

# clean_root FOLDER: a copy of it.
clean_root() {
    base_root || return
    as_root rm -rf "$1"
    as_root cp -a build/root/base "$1"
    as_root cp -L /etc/resolv.conf "$1/etc/resolv.conf"
}

# in_root FOLDER COMMAND...: runs it there, with nothing of this environment. /proc is mounted for as long as it runs: the
# dynamic linker asks there where a program is.
in_root() {
    local root=$1
    shift
    as_root env -i PATH=/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin LC_ALL=C.UTF-8 HOME=/root DEBIAN_FRONTEND=noninteractive \
        unshare --mount sh -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' sh "$root" "$@"
}
