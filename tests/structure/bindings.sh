#!/usr/bin/env bash
# What Python and R repeat of C declarations is what tools/bindings.py makes of them.
. "$(dirname "$0")/../cli/harness.sh"

tree() { # a copy of what the tool reads and writes
    mkdir -p "$1/tools" "$1/python/pare" "$1/r" "$1/include"
    cp "$ROOT/tools/bindings.py" "$1/tools/"
    cp -r "$ROOT/include/pare" "$1/include/"
    cp -r "$ROOT/r/src" "$1/r/"
    cp "$ROOT/python/pare/_declared.py" "$1/python/pare/"
}

case_begin "declarations in Python and R are those of the headers"
run_ok "bindings.py" python3 "$ROOT/tools/bindings.py" --check

case_begin "a field, a function and a routine that were added are missed"
tree one
sed -i 's/^    int64_t folds; .*/    int64_t added;\n&/' one/include/pare/path.h
run python3 one/tools/bindings.py --check
expect_exit 1
expect_stdout_contains "python/pare/_declared.py is not what tools/bindings.py makes: run it"
tree two
printf 'SEXP rpare_added(SEXP x) {\n    return x;\n}\n' >>two/r/src/data.c
run python3 two/tools/bindings.py --check
expect_exit 1
expect_stdout_contains "r/src/routines.h is not what tools/bindings.py makes: run it"
