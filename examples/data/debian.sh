# Sourced by the scripts beside it: data that Debian's packages carry, taken out of them without installing them.
set -euo pipefail
self=$(basename "$0") here=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd) folder=${1:-.}

fail() { echo "$self: $*" >&2 && exit 1; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch" # apt's own user looks into it

# of_package PACKAGE FILE: $scratch/FILE is that file of the package.
of_package() {
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || fail "needs Debian or Ubuntu (apt-get, dpkg-deb)"
    (cd "$scratch" && apt-get -qq download "$1") >"$scratch/log" 2>&1 ||
        fail "$1 could not be downloaded: $(grep -m 1 '^E:' "$scratch/log" || tail -n 1 "$scratch/log")"
    dpkg-deb -x "$scratch/$1"_*.deb "$scratch/unpacked"
    cp "$scratch"/unpacked/"$2"* "$scratch" 2>/dev/null || fail "this $1 has no $2"
    rm -rf "$scratch/unpacked" "$scratch/$1"_*.deb
}

# in_r <<R: base R, in the scratch folder, with nothing of the user's.
in_r() {
    command -v Rscript >/dev/null || fail "needs R (r-base-core)"
    (cd "$scratch" && R_DEFAULT_PACKAGES=base,methods,utils,stats Rscript --vanilla -) >"$scratch/log" 2>&1 || fail "R: $(tail -n 1 "$scratch/log")"
}

# take SUM FILE...: the files are as expected by the checksum of them all; they go to the folder.
take() {
    local sum wanted=$1
    shift
    sum=$(cd "$scratch" && cat "$@" | sha256sum)
    [[ ${sum%% *} == "$wanted" ]] || fail "the data are not those that were expected (sha256 ${sum%% *})"
    mkdir -p "$folder"
    (cd "$scratch" && tar cf - "$@") | tar xf - -C "$folder"
}
