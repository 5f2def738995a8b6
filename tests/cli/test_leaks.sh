#!/usr/bin/env bash
# Data that give the answer away: a warning with the name, wherever the result is read.
. "$(dirname "$0")/harness.sh"

# table N COLUMN LABEL: six columns of noise, one made of i (the sample, from 0), y (its class) and u
# (uniform), and the class.
table() {
    awk -v n="$1" 'BEGIN {
        srand(7); print "g1,g2,g3,g4,g5,g6,odd,class"
        for (i = 0; i < n; i++) {
            y = '"$3"'; u = rand()
            for (j = 0; j < 6; j++) printf "%.6f,", rand()
            printf "%.6f,%s\n", '"$2"', y ? "b" : "a"
        }
    }'
}
table 40 'u' 'i % 2' >plain.csv
table 40 '5 + 2 * y' 'i % 2' >equal.csv
table 40 'y + 0.9 * u' 'i % 2' >cut.csv
table 40 'i + 1' 'i >= 20' >index.csv
table 8 'y + 0.9 * u' 'i % 2' >chance.csv

says() { # FILE TEXT: fit and path warn in stderr, text, JSON and report
    local word=${2%% \"*}
    run "$PARE" fit "$1" -m svm -k 2 -o model.json
    expect_stderr_contains "warning: $2"
    expect_stdout_contains "# note: $2"
    check "the model lacks it" grep -q "$word" model.json
    run "$PARE" path "$1" -m corr --sizes 2 --folds 4 --repeats 2 --report page.html -o path.json
    expect_stderr_contains "warning: $2"
    expect_stdout_contains "# note: $2"
    check "the path lacks it" grep -q "$word" path.json
    check "the report lacks it" grep -q "$word" page.html
}

case_begin "a feature that equals the target"
says equal.csv 'possible leak: feature "odd" is equal to the target'

case_begin "a feature with a perfect cut is no leak yet"
says cut.csv 'feature "odd" separates the classes by itself, without an error: a strong marker'
check "called a leak" test -z "$(grep -i leak <<<"$run_err$run_out" || grep -i 'possible leak' path.json)"
table 40 'y + 0.9 * u' 'i % 2' | awk -F, -v OFS=, 'NR == 1 {print "even", $0; next} {print $7 * 2, $0}' >cuts.csv
run "$PARE" fit cuts.csv -m svm -k 2
expect_stderr_contains 'features "even", "odd" separate the classes by themselves, each alone'

case_begin "an index of samples that are sorted by class"
says index.csv 'possible leak: feature "odd" is a number of the samples'

case_begin "a regression target among the features"
awk -F, 'NR == 1 {print "a,b,same,y"; next} {print $1 "," $2 "," $3 "," $3}' plain.csv >value.csv
run "$PARE" fit value.csv -m lstsq --task regress
expect_stderr_contains 'feature "same" is equal to the target'

case_begin "a sparse table says the same as a dense one"
"$PARE" convert cut.csv cut.svm
run "$PARE" fit cut.svm -m svm -k 2
expect_stderr_contains 'feature "x7" separates the classes by itself'

case_begin "equal samples on both sides of a fold"
awk 'NR == 9 {kept = $0} NR == 22 {print kept; next} {print}' plain.csv >twin.csv
run "$PARE" path twin.csv -m corr --sizes 2 --folds 4 --repeats 3
expect_stderr_contains 'warning: possible leak: 2 samples have an equal one'
expect_stderr_contains 'such as 8 and 21'
awk -F, -v OFS=, 'NR == 1 {print "who", $0; next} {print (NR == 22 ? 9 : NR), $0}' twin.csv >who.csv
run "$PARE" path who.csv -m corr --sizes 2 --folds 4 --repeats 3 --fold-groups who --target class
expect_stderr_empty

case_begin "chance and noise are no leaks, and quiet is quiet"
for file in plain.csv chance.csv; do
    run "$PARE" fit "$file" -m svm -k 2 --target class
    expect_stderr_empty
    run "$PARE" path "$file" -m corr --sizes 2 --folds 4 --repeats 2 --target class
    expect_stderr_empty
done
run "$PARE" fit cut.csv -m svm -k 2 --quiet
expect_stderr_empty
run "$PARE" demo
check "the demonstration is accused: $run_out$run_err" test -z "$(grep leak <<<"$run_out$run_err")"
