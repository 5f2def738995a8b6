#!/usr/bin/env bash
# The page can be built from the core as it is, as far as can be seen without emscripten: what the core asks of BLAS,
# LAPACK and OpenMP is in web/lapack/, in the lists of web/CMakeLists.txt or in what web/sources.sh translates.
. "$(dirname "$0")/../cli/harness.sh"
web=$ROOT/web

# listed NAME: the words of `set(NAME word ...)` in web/CMakeLists.txt.
listed() { tr '\n' ' ' <"$web/CMakeLists.txt" | grep -oP "set\($1 \K[^)]*" | tr -s ' ' '\n'; }

# The routines of Fortran that sources.sh translates, and those that web/lapack/ defines (a definition, or its
# prototype, starts a line with its type).
fortran() {
    sed -n '/^translate /,/[^\\]$/p' "$web/sources.sh" | tr -s '\\ \n' '\n'
    grep -ohP '^\w+ \K\w+(?=_\()' "$web"/lapack/*.c
}

# taken: the lines that name no source that the page leaves out.
left_out=$(grep -oP 'EXCLUDE REGEX "\K[^"]*(?=\$")' "$web/CMakeLists.txt" | sed 's/\\\\/\\/g' | paste -sd'|')
taken() { grep -vE "($left_out)(\.o)?$"; }

# called PREFIX: what the core and the command line call by such a name and do not define.
mapfile -t objects < <(find "$BUILD/CMakeFiles" -path '*/pare*.dir/*' -name '*.c.o' | taken)
called() {
    nm -g --undefined-only "${objects[@]}" | awk -v prefix="^$1" 'NF == 2 && $2 ~ prefix { print $2 }' | sort -u
}

# missing LIST LIST: what is in the first and not in the second.
missing() { comm -23 <(sort -u "$1") <(sort -u "$2"); }

for library in cblas_ LAPACKE_; do
    list=${library%_} && list=${list,,}
    case_begin "every $library function that the core calls is compiled into the page"
    called "$library" | sed "s/^$library//" >called
    listed "$list" >listed
    check "none is called" test -s called
    for name in $(missing called listed); do fail "the list $list of web/CMakeLists.txt lacks $name"; done
done

case_begin "every routine behind them is translated or written by hand"
{ listed cblas | grep -vxE 'xerbla|globals'; listed lapacke | sed 's/_work$//'; } >wanted
fortran >there
check "the lists are empty" test -s wanted
for name in $(missing wanted there); do fail "neither web/sources.sh nor web/lapack/ has $name"; done

case_begin "every function of OpenBLAS itself is in web/lapack"
called openblas_ >called
grep -ohP '^\w+ \*?\Kopenblas_\w+(?=\()' "$web/lapack/runtime.c" >there
check "none is called" test -s called
for name in $(missing called there); do fail "web/lapack/runtime.c has no $name"; done

# gcc calls some of OpenMP by itself, so that the objects do not tell
case_begin "what includes omp.h compiles with the page's own"
read -ra flags < <(pkg-config --cflags openblas clp jansson)
flags+=("-I$web/lapack" "-I$ROOT/include" "-I$ROOT/src" "-I$ROOT/cli" "-I$BUILD/generated")
grep -rl '#include <omp\.h>' "$ROOT/src" "$ROOT/cli" --include='*.c' | taken >users
check "no file includes it" test -s users
while read -r file; do
    run_ok "$file" cc -std=gnu11 -fsyntax-only -Werror=implicit-function-declaration "${flags[@]}" "$file"
done <users

case_begin "the page leaves out the sources that need HDF5, matio or MPI"
needs='<(hdf5|matio|mpi)\.h>'
while read -r header; do needs+="|\"${header#"$ROOT"/*/}\""; done < <(grep -rlE "#include $needs" "$ROOT/src" "$ROOT/cli" --include='*.h')
grep -rlE "#include ($needs)" "$ROOT/src" "$ROOT/cli" --include='*.c' >needing
check "no source needs them" test -s needing
for file in $(taken <needing); do fail "web/CMakeLists.txt takes ${file#"$ROOT"/}"; done
