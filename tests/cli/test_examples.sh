#!/bin/bash
# The example on the front page: its data are fetched, or the script says why not.
. "$(dirname "$0")/harness.sh"

export PARE
case_begin "the leukaemia data are fetched and have their classes"
run "$ROOT/examples/data/leukemia" got
if ((run_code == 1)) && [[ $run_err == *'could not be downloaded'* ]]; then
    expect_stderr_contains 'leukemia: r-bioc-multtest could not be downloaded: '
    check "half a file was left" test ! -e got
    exit 0 # the package index is out of reach
fi
expect_exit 0
expect_stdout_contains 'got/leukemia.csv: 38 patients, 3051 genes, 27 ALL and 11 AML'
run_ok "info" "$PARE" info got/leukemia.csv
expect_stdout_contains 'AML	11'
run_ok "path" "$PARE" path got/leukemia.csv --report report.html --model model.json
check "its genes are known markers" grep -q '"M27891_at"' model.json

case_begin "without apt-get or the package a sentence says so"
mkdir bin
for tool in bash basename dirname readlink mktemp chmod rm grep tail; do ln -s "$(command -v "$tool")" bin/; done
run env PATH="$PWD/bin" bash "$ROOT/examples/data/leukemia" got2
expect_exit 1
expect_stderr_contains 'needs Debian or Ubuntu'
printf '#!/bin/sh\necho "E: Unable to locate package r-bioc-multtest" >&2\nexit 100\n' >bin/apt-get
printf '#!/bin/sh\n' >bin/dpkg-deb
chmod +x bin/apt-get bin/dpkg-deb
run env PATH="$PWD/bin" bash "$ROOT/examples/data/leukemia" got2
expect_exit 1
expect_stderr_contains 'leukemia: r-bioc-multtest could not be downloaded: E: Unable to locate package'
check "half a file was left" test ! -e got2
