#!/usr/bin/env bash
# The ranking methods through the command line: results, ranks, groups, bad input.
. "$(dirname "$0")/harness.sh"

cat >rank.csv <<'END'
a,b,c,class
3,1,7,yes
2,5,7,yes
4,2,7,yes
1,4,7,no
0,1,7,no
1,0,7,no
END
printf 'a\tfirst\nb\tfirst\nc\tsecond\n' >groups.tsv

case_begin "a ranking model has no intercept, and predicts scores and ranks"
run "$PARE" fit rank.csv -m inf-push -o m.json
expect_exit 0
expect_stdout_contains "# task	ranking"
expect_stdout_contains "# intercept	0"
expect_stdout_contains "lambda_max is"
run "$PARE" predict m.json rank.csv
expect_exit 0
check "header" grep -q '^sample	score	rank$' .stdout
check "the three positives come first" \
    test "$(awk -F'\t' 'NR > 1 && NR < 5 && $3 <= 3' .stdout | wc -l)" -eq 3
run "$PARE" check m.json rank.csv
expect_exit 0
sed 's/"intercept": *0.0/"intercept": 1.5/' m.json >shifted.json
run "$PARE" check shifted.json rank.csv
expect_exit 1
expect_stderr_contains "intercept"

case_begin "the positive label can be chosen"
run "$PARE" fit rank.csv -m rank-svm --positive no -o no.json
expect_exit 0
run "$PARE" predict no.json rank.csv
check "the three negatives come first" \
    test "$(awk -F'\t' 'NR > 4 && $3 <= 3' .stdout | wc -l)" -eq 3

case_begin "every method, penalty and algorithm certifies"
for options in "inf-push --penalty l2" "inf-push --penalty l1l2 --alpha 0.2" \
    "inf-push --penalty group --groups groups.tsv" "inf-push --algorithm admm" \
    "inf-push --algorithm cutting" "inf-push --algorithm pairwise" "inf-push --lambda 0.3" \
    "rank-svm --loss hinge" "rank-svm --penalty group --groups groups.tsv" \
    "rank-svm --loss hinge --penalty group --groups groups.tsv" "push-rfe -k 1"; do
    run "$PARE" fit rank.csv --strict -o m.json -m $options
    expect_exit 0
    groups=$([[ $options == *groups* ]] && echo "--groups groups.tsv")
    run "$PARE" check m.json rank.csv $groups
    expect_exit 0
done

case_begin "lambda_max of 0 is explained"
printf 'a,class\n1,1\n0,0\n2,0\n' >inside.csv
run "$PARE" fit inside.csv -m inf-push
expect_exit 0
expect_stdout_contains "lambda_max is 0: the mean of the positive samples lies in the convex hull"
expect_stdout_contains "# selected	0"
run "$PARE" fit inside.csv -m inf-push --lambda 0.001
expect_stdout_contains "lambda_max is 0"

case_begin "a lambda above lambda_max is explained"
run "$PARE" fit rank.csv -m inf-push --lambda 100
expect_exit 0
expect_stdout_contains "the empty model is optimal: lambda 100 is not below lambda_max"

case_begin "duplicated rows with both labels, and constant features, are defined"
printf 'a,b,class\n1,5,1\n1,5,0\n2,5,1\n2,5,0\n' >both.csv
for method in inf-push rank-svm push-rfe; do
    run "$PARE" fit both.csv -m $method --strict
    expect_exit 0
done

case_begin "the path over lambda falls, starts empty and agrees with single fits"
for options in "inf-push" "inf-push --penalty l1l2" "inf-push --penalty group --groups groups.tsv" \
    "rank-svm" "rank-svm --loss hinge"; do
    run_ok "path $options" "$PARE" fit rank.csv -m $options --lambda-path path.tsv \
        --lambda-count 6 --lambda-least 0.05
    check "rows $options" awk -F'\t' 'NR == 2 && $6 != 0 { exit 1 } NR > 2 && ($1 >= last || $2 > value) { exit 1 }
        NR > 1 && !($5 <= 1e-4) { exit 1 } { last = $1; value = $2 } END { exit NR != 7 }' path.tsv
    read -r lambda objective _ < <(sed -n 5p path.tsv)
    run_ok "fit $options" "$PARE" fit rank.csv -m $options --lambda "$lambda"
    check "value $options" awk -F'\t' -v a="$objective" '$1 == "# objective" { b = $2 }
        END { exit !(b != "" && a - b < 2e-4 && b - a < 2e-4) }' .stdout
done

case_begin "bad input is one sentence"
printf 'a,class\n1,1\n2,1\n' >one.csv
run "$PARE" fit one.csv -m inf-push
expect_error 1 'one class "1"'
printf 'a,class\n1,1\n2,2\n3,3\n' >three.csv
run "$PARE" fit three.csv -m rank-svm
expect_error 1 "ranking needs two labels, the data have 3"
printf 'a,w,class\n1,0,1\n2,1,0\n' >unweighted.csv
run "$PARE" fit unweighted.csv -m inf-push --weights w
expect_error 1 'have the one class "0"'
run "$PARE" fit rank.csv -m inf-push --penalty group
expect_error 2 "--groups"
run "$PARE" fit rank.csv -m inf-push --lambda 0
expect_error 2 "lambda" "> 0"
run "$PARE" fit rank.csv -m inf-push --penalty l3
expect_error 2 "penalty" "l1 l2 group l1l2"
run "$PARE" fit rank.csv -m push-rfe --step 1.5
expect_error 2 "step" "whole number"
run "$PARE" fit rank.csv -m inf-push --penalty group --groups groups.tsv --algorithm pairwise
expect_error 2 "pairwise" "cutting"
