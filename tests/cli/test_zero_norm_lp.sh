#!/usr/bin/env bash
# The zero-norm methods on linear programs through the command line: what they print and refuse.
. "$(dirname "$0")/harness.sh"

printf 'a,b,c,class\n1,0,1,x\n2,1,0,x\n-1,0,1,y\n-2,1,1,y\n' >apart.csv
printf 'a,b,class\n1,2,x\n1,2,y\n3,1,x\n3,1,y\n' >same.csv
printf 'a,b,class\n1,1,x\n1,1,y\n1,1,x\n' >constant.csv
printf 'a,b,class\n1,2,x\n2,2,x\n' >one.csv
printf 'a,b,class\n0,1,x\n0,2,x\n5,1,y\n5,2,y\n9,1,z\n9,2,z\n' >three.csv
printf 'a,b,class\n1,1,x\n' >single.csv

case_begin "l1-svm with hard margins needs one feature and checks"
run "$PARE" fit apart.csv -m l1-svm --lambda 0 -o model.json
expect_exit 0
expect_stdout_contains "# selected	1"
run "$PARE" check model.json apart.csv
expect_exit 0
run "$PARE" predict model.json apart.csv
expect_stdout_contains "x"

for method in l1-svm:--lambda:0 fsv; do
    case_begin "${method%%:*} with hard margins refuses labels that are no function of the features"
    # shellcheck disable=SC2046
    run "$PARE" fit same.csv -m $(tr : ' ' <<<"$method")
    expect_error 1 "no hyperplane separates" "--lambda"
done

case_begin "l1-arom allows slack instead, and says so"
run "$PARE" fit same.csv -m l1-arom
expect_exit 0
expect_stdout_contains "# note: hard margins are impossible"

case_begin "two kinds of slack are one too many"
run "$PARE" fit apart.csv -m l1-arom --C 1 --zero-slack 1
expect_error 2 "C and zero_slack"

case_begin "fsv has two classes only"
run "$PARE" fit three.csv -m fsv
expect_error 1 "class"

case_begin "l1-arom takes several classes, both ways"
for way in ovr ww; do
    run "$PARE" fit three.csv -m l1-arom --multiclass $way -o three.json
    expect_exit 0
    run "$PARE" check three.json three.csv
    expect_exit 0
done

for method in l1-svm "fsv --lambda 0.1" l1-arom; do
    case_begin "$method: constant features are never selected"
    # shellcheck disable=SC2086
    run "$PARE" fit constant.csv -m $method -k 2 -o constant.json
    expect_exit 0
    expect_stdout_contains "# selected	0"
    run "$PARE" check constant.json constant.csv
    expect_exit 0

    case_begin "$method: one class is an error"
    # shellcheck disable=SC2086
    run "$PARE" fit one.csv -m $method
    expect_error 1 "class"
    # shellcheck disable=SC2086
    run "$PARE" fit single.csv -m $method
    expect_error 1 "class"

    case_begin "$method: more features than there are is an error"
    # shellcheck disable=SC2086
    run "$PARE" fit apart.csv -m $method -k 4
    expect_error 2 "4" "3"
done

case_begin "settings out of range are usage errors"
run "$PARE" fit apart.csv -m l1-svm --lambda -1
expect_error 2 "lambda" "-1"
run "$PARE" fit apart.csv -m fsv --lambda 1
expect_error 2 "lambda" "1"
run "$PARE" fit apart.csv -m fsv --alpha 0
expect_error 2 "alpha" "0"
run "$PARE" fit apart.csv -m l1-arom --multiclass both
expect_error 2 "multiclass" "both"
