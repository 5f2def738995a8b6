#!/usr/bin/env bash
# Gets what the page is made of beside pare itself: Debian's source packages of Jansson, zlib, expat, CLP, CoinUtils
# and the reference LAPACK, the last translated to C by f2c. sources.sh FOLDER; done once, then kept.
set -euo pipefail
[[ $# == 1 ]] || { echo "sources.sh needs a folder" >&2 && exit 2; }
mkdir -p "$1"
cd "$1"
packages=(jansson zlib expat clp coinutils lapack)
[[ $(cat complete 2>/dev/null) != "${packages[*]}" ]] || exit 0

# What a binary package comes from is asked of the same mirror, whether or not the system lists sources.
fetch() {
    mkdir -p apt/lists/partial apt/cache
    apt-get indextargets 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' --format \
        'deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(REPO_URI) $(RELEASE) $(COMPONENT)' |
        sort -u >apt/sources.list
    local options=(-qq -o "Dir::Etc::SourceList=$PWD/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State::Lists=$PWD/apt/lists" -o "Dir::Cache=$PWD/apt/cache" -o "APT::Sandbox::User=$(id -un)")
    apt-get "${options[@]}" update
    apt-get "${options[@]}" source --only-source --download-only "${packages[@]}"
}

unpack() {
    local name
    for name in "${packages[@]}"; do
        rm -rf "$name"
        dpkg-source --no-check -q -x "$name"_*.dsc "$name"
    done
}

# Fortran 90 that stands among the Fortran 77: recursion, a loop's EXIT, the place of a largest element.
to_fortran_77() {
    sed -E 's/^( *)RECURSIVE SUBROUTINE/\1SUBROUTINE/; s/, MAXLOC *$//; s/MAXLOC\( WORK\( \(N\+J\):\(2\*N\) \), 1 \)/IDMAXL( N-J+1, WORK( N+J ) )/' "$1" |
        awk '/^[^*cC].*\) EXIT *$/ { label = 9000 + ++count; sub(/EXIT *$/, "GO TO " label); open = 1 }
            { print }
            open && /^ +END *DO/ { printf " %4d CONTINUE\n", label; open = 0 }
            /INTEGER +I, ITEMP/ { print "      INTEGER IDMAXL\n      EXTERNAL IDMAXL" }'
}

# translate NAME...: these and all they call, into c/, but for what lapack/blas.c and lapack/shims.c have.
translate() {
    local name from folder shims=" ddot dgemm dgemv dsyrk ssyrk dnrm2 dlassq dlartg dlamch dlamc3 disnan droundup_lwork_ idmaxl xerbla "
    declare -A seen
    rm -rf fortran c && mkdir fortran c
    while (($#)); do
        name=$1 from=
        shift
        [[ -z ${seen[$name]:-} && $shims != *" $name "* ]] || continue
        seen[$name]=1
        for folder in BLAS/SRC SRC INSTALL CBLAS/src; do [[ ! -e lapack/$folder/$name.f ]] || from=lapack/$folder/$name.f; done
        [[ $from ]] || { echo "sources.sh: LAPACK has no $name.f" >&2 && exit 1; }
        to_fortran_77 "$from" >"fortran/$name.f"
        (cd c && f2c -A -a -w "../fortran/$name.f" >../f2c.log 2>&1) || { cat f2c.log >&2 && exit 1; }
        # subroutines return nothing, as CBLAS and LAPACKE declare them
        sed -i -E 's:/\* Subroutine \*/ int:void:; s/^(\s*)return 0;/\1return;/' "c/$name.c"
        set -- "$@" $(tr '\n' ' ' <"c/$name.c" | grep -oE 'extern[^;]*;' | grep -oE '[a-z0-9_]+_\(' | sed 's/_($//' | sort -u)
    done
}

fetch
unpack
translate dgelqf dgesdd dgetrf dgetri dgetrs dpotrf dpotri dpotrs dpstrf dsyev dsyevd dsyevr dtrtrs \
    dasum daxpy dger dscal dsymm dsymv dsyr dsyr2 dtrsm dtrsv \
    dasumsub ddotsub dnrm2sub
mkdir -p include
cp /usr/include/f2c.h include/
echo "${packages[*]}" >complete
