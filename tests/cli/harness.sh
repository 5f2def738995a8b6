# What the shell tests share; sourced, never run. A test file is a list of cases:
#
#     . "$(dirname "$0")/harness.sh"
#     case_begin "an unknown method is a usage error"
#     run "$PARE" fit data.csv -m nonsense
#     expect_exit 2
#     expect_stderr_contains "nonsense"
#
# Each case prints `ok NAME` or `not ok NAME: the first thing that was wrong`; one that checks
# nothing fails. The file runs in $SCRATCH, an empty folder of its own. $ROOT is the source tree,
# $BUILD the build folder, $PARE the command line in it; without ./dev they take its defaults.
set -u
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUILD=${BUILD:-$ROOT/build/dev}
PARE=${PARE:-$BUILD/pare}
# Debian's Python has what the tests import, and starts ten times as fast as a shim of pyenv.
PATH=/usr/bin:$PATH
[[ ${SCRATCH:-} ]] || { SCRATCH=$(mktemp -d) && own_scratch=1; }
cd "$SCRATCH" || exit 1

case_name='' case_checks=0 case_wrong='' any_wrong=0
run_code=0 run_out='' run_err=''

case_end() {
    [[ $case_name ]] || return 0
    ((case_checks)) || : "${case_wrong:=checks nothing}"
    if [[ $case_wrong ]]; then
        echo "not ok $case_name: $case_wrong"
        any_wrong=1
    else
        echo "ok $case_name"
    fi
}

case_begin() {
    case_end
    case_name=$1 case_checks=0 case_wrong=''
}

finish() {
    local code=$?
    ((code == 0)) || : "${case_wrong:=the test file stopped here with exit $code}"
    case_end
    [[ ${own_scratch:-} ]] && rm -rf "$SCRATCH"
    ((code == 0 && any_wrong == 0)) || exit 1
}
trap finish EXIT

# fail WHY: the case is wrong; only the first reason is kept, on one line.
fail() {
    ((case_checks += 1))
    : "${case_wrong:=$(tr '\n' ' ' <<<"$1")}"
}

# check WHY COMMAND...: the case is wrong unless COMMAND succeeds.
check() {
    local why=$1
    shift
    ((case_checks += 1))
    "$@" >/dev/null 2>&1 || fail "$why"
}

# run COMMAND...: keeps its exit code, standard output and standard error for the expectations.
# Its standard input is that of run; bytes that shell variables cannot hold are in the two files.
run() {
    run_code=0
    "$@" >"$SCRATCH/.stdout" 2>"$SCRATCH/.stderr" || run_code=$?
    { run_out=$(<"$SCRATCH/.stdout") run_err=$(<"$SCRATCH/.stderr"); } 2>/dev/null # a byte 0 is left out with a warning
}

# run_ok WHAT COMMAND...: run that must succeed; says how it failed by the end of what it printed.
run_ok() {
    local what=$1
    shift
    run "$@"
    ((case_checks += 1))
    ((run_code == 0)) || fail "$what: $(tail -n 3 <<<"$run_out$run_err")"
}

expect_exit() { check "exit $run_code, not $1: $run_err" test "$run_code" -eq "$1"; }
expect_stdout_is() { check "stdout is '$run_out', not '$1'" test "$run_out" = "$1"; }
contains() { [[ $1 == *"$2"* ]]; }
one_line() { local lines; mapfile lines <"$1"; ((${#lines[@]} == 1)) && [[ ${lines[0]} == *$'\n' ]]; }
expect_stdout_contains() { check "stdout lacks '$1': $run_out" contains "$run_out" "$1"; }
expect_stderr_contains() { check "stderr lacks '$1': $run_err" contains "$run_err" "$1"; }
expect_stdout_empty() { check "stdout is not empty: $run_out" test ! -s "$SCRATCH/.stdout"; }
expect_stderr_empty() { check "stderr is not empty: $run_err" test ! -s "$SCRATCH/.stderr"; }
expect_file() { check "no file $1" test -s "$1"; }
expect_no_file() { check "file $1 is left behind" test ! -e "$1"; }
expect_same_bytes() { check "$1 and $2 differ" cmp "$1" "$2"; }

# expect_error CODE TEXT...: that exit code, nothing on stdout, one line on stderr with every TEXT.
expect_error() {
    local text
    expect_exit "$1"
    shift
    expect_stdout_empty
    check "stderr is not one line: $run_err" one_line "$SCRATCH/.stderr"
    for text; do expect_stderr_contains "$text"; done
}

# wrong CODE TEXT... -- ARGUMENTS: `pare ARGUMENTS` is such an error; with $subcommand set, `pare $subcommand ARGUMENTS`.
wrong() {
    local code=$1 texts=()
    shift
    while [[ $1 != -- ]]; do texts+=("$1") && shift; done
    shift
    run "$PARE" ${subcommand:+"$subcommand"} "$@"
    expect_error "$code" "${texts[@]}"
}

# json FILE EXPRESSION: the Python expression of the object d in the file is true.
json() {
    check "not so: $2" python3 -c "import json; d = json.load(open('$1')); assert $2"
}

# wait_until COMMAND...: returns once the command succeeds; fails after a minute, which no working program takes.
wait_until() {
    local i
    for ((i = 0; i < 1200; i++)); do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.05
    done
    return 1
}

# has_lines FILE NUMBER: whether the file has that many lines.
has_lines() { [[ -f $1 ]] && (($(wc -l <"$1") >= $2)); }

# ended PID: whether the background command has ended.
ended() { ! kill -0 "$1"; }

# has_lines_or_ended FILE NUMBER PID
has_lines_or_ended() { has_lines "$1" "$2" || ended "$3"; }

# stopped SIGNAL CODE COMMAND...: the `pare path` with permutations, sent the signal once its checkpoint stopped.part
# holds 100 fits, ends with that code and says that it was stopped; what it printed is in stopped.tsv.
stopped() {
    local signal=$1 expected=$2 pid code=0
    shift 2
    "$@" --checkpoint stopped.part >stopped.tsv 2>stopped.err &
    pid=$!
    check "no fit in the checkpoint" wait_until has_lines_or_ended stopped.part 102 $pid
    check "it ended before the signal" kill "-$signal" $pid
    wait $pid || code=$?
    check "exit $code, not $expected" test "$code" -eq "$expected"
    check "it does not say that it was stopped" grep -q 'stopped early' stopped.err
}
