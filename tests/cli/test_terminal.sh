#!/usr/bin/env bash
# What a person reads at a terminal: --as text, and what is printed where stdout is one.
. "$(dirname "$0")/harness.sh"

"$PARE" demo -o toy.csv >/dev/null
awk -F, -v OFS=, 'NR == 1 {$1 = "a_name_that_is_longer_than_any_window_of_forty_columns_would_hold_on_a_line"} {print}' toy.csv >long.csv
"$PARE" path toy.csv -m svm --folds 3 --sizes 2,6 --model model.json --quiet >/dev/null
commands=(
    "fit long.csv -m svm-rfe -k 30" "fit toy.csv -m lda -k 3" "path long.csv -m svm,corr --folds 3 --null 3"
    "check model.json toy.csv" "predict model.json toy.csv --score" "info long.csv" "info long.csv --columns"
    "methods" "methods poly-arom"
)

case_begin "no line is wider than the window, and the answer comes first"
for command in "${commands[@]}"; do
    for width in 40 80 120; do
        # shellcheck disable=SC2086
        COLUMNS=$width run_ok "$command" "$PARE" $command --as text --quiet
        check "pare $command at $width columns: $(awk -v w=$width 'length($0) > w' .stdout | head -n 1)" \
            test -z "$(LC_ALL=C.UTF-8 awk -v w=$width 'length($0) > w' .stdout)"
    done
done
run_ok "fit" "$PARE" fit toy.csv -m svm-rfe -k 6 --as text --quiet
check "the answer" test "$(head -n 1 .stdout)" = "svm-rfe selected 6 of 100 features, from 60 samples."

case_begin "tsv and json are those of a pipe"
for command in "fit toy.csv -m svm -k 6" "path toy.csv -m svm --folds 3 --sizes 2,6" "check model.json toy.csv" \
    "predict model.json toy.csv --score" "info toy.csv"; do
    # shellcheck disable=SC2086
    "$PARE" $command --quiet >piped && "$PARE" $command --quiet --as tsv >tsv
    expect_same_bytes tsv piped
    # shellcheck disable=SC2086
    "$PARE" $command --quiet --json >piped && "$PARE" $command --quiet --as json >json
    expect_same_bytes json piped
done

case_begin "labels and names of the data cannot steer the terminal"
awk -F, -v OFS=, 'NR == 1 {$1 = "g\x1b[2J"} {sub(/\+1$/, "up\x1b[31m")} {print}' toy.csv >steer.csv
for command in "fit steer.csv -m svm -k 100" "path steer.csv -m svm --folds 3 --sizes 100" "info steer.csv --columns" "info steer.csv"; do
    # shellcheck disable=SC2086
    run_ok "$command" "$PARE" $command --as text --quiet
    check "pare $command prints an escape" test "$(grep -c $'\x1b' .stdout)" = 0
done

case_begin "unknown and contradicting forms are rejected"
wrong 2 '--as' 'text, tsv or json' -- fit toy.csv -m svm --as table
wrong 2 '--json' '--as tsv' -- fit toy.csv -m svm --as tsv --json

# terminal COMMAND...: what it prints where stdout and stderr are a terminal of 60 columns
terminal() {
    python3 - "$@" <<'END'
import fcntl, os, pty, struct, sys, termios
child, screen = pty.fork()
if child == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    os.environ["TERM"] = "xterm"
    os.execvp(sys.argv[1], sys.argv[1:])
text = b""
try:
    while part := os.read(screen, 4096):
        text += part
except OSError:
    pass
os.waitpid(child, 0)
sys.stdout.write(text.decode().replace("\r\n", "\n"))
END
}

case_begin "a terminal gets text, the next command, and marks unless NO_COLOR or --quiet forbid them"
terminal "$PARE" fit toy.csv -m svm -k 6 -o 'a model.json' >shown
check "no answer" grep -q 'svm selected 6 of 100 features' shown
check "no mark" grep -q $'\x1b\\[1m' shown
check "no next command" grep -qx "next: pare predict 'a model.json' new.csv" shown
check "a line is too wide" test -z "$(grep -v '^pare: ' shown | awk 'length($0) > 68')"
NO_COLOR=1 terminal "$PARE" fit toy.csv -m svm -k 6 --quiet >shown
check "a mark" test "$(grep -c $'\x1b' shown)" = 0
check "a next command" test "$(grep -c '^next' shown)" = 0
terminal env OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0 "$PARE" fit toy.csv -m svm -k 6 --quiet >shown
check "a rank of a launcher prints text" grep -q '^# method	svm' shown
terminal "$PARE" path toy.csv -m svm --folds 3 --sizes 2,6 --model m.json --as tsv >shown
check "no table" grep -q $'^svm\t2\t' shown
check "no next command of a path" grep -qx "next: pare predict m.json new.csv" shown
