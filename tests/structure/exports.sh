#!/usr/bin/env bash
# The shared library exports what the public headers declare and nothing else, and every public
# header stands alone in C and in C++.
. "$(dirname "$0")/../cli/harness.sh"

case_begin "the headers and the shared library name the same functions"
sed '/^#/d' "$ROOT"/include/pare/*.h | tr '\n' ' ' | sed 's:/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/: :g' |
    grep -oP '\bpare_\w+(?=\s*\()' | sort -u >declared
run_ok "nm" nm --dynamic --defined-only --extern-only "$BUILD/libpare.so"
awk '{ print $NF }' "$SCRATCH/.stdout" | sort -u >exported
check "no prototypes found in include/pare" test -s declared
for name in $(comm -23 declared exported); do fail "$name is declared but not exported"; done
for name in $(comm -13 declared exported); do fail "$name is exported but not declared"; done

for header in "$ROOT"/include/pare/*.h; do
    name=$(basename "$header")
    case_begin "$name compiles alone"
    printf "#include <pare/%s>\nextern int not_empty;\n" "$name" >alone.c
    cp alone.c alone.cc
    flags=(-Wall -Wextra -Wpedantic -Werror "-I$ROOT/include" -c)
    run_ok "C11" cc -std=c11 -Wstrict-prototypes "${flags[@]}" alone.c
    run_ok "C++" c++ -std=c++11 "${flags[@]}" alone.cc
done
