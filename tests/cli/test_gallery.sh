#!/bin/bash
# Two of the gallery's examples, and that a figure that does not hold is seen; `./dev gallery` and `./dev ci` run all.
. "$(dirname "$0")/harness.sh"

for name in kernel packages; do
    case_begin "the example $name prints what its page says"
    run bash "$ROOT/tools/gallery.sh" "$ROOT" "$BUILD" "$name"
    expect_exit 0
    expect_stdout_contains "ok gallery: $name ("
done

case_begin "a figure that does not hold is seen"
export PATH=$(dirname "$PARE"):$PATH PARE_LIBRARY=$BUILD/libpare.so PYTHONPATH=$ROOT/python MPLBACKEND=agg OPENBLAS_CORETYPE=Haswell
sed 's/0\.9/0.8/' "$ROOT/docs/gallery/kernel.md" >wrong.md
run python3 "$ROOT/tools/run_page.py" wrong.md wrong
expect_exit 1
expect_stderr_contains 'wrong.md: not printed: '
