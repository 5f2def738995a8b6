#!/usr/bin/env bash
# Coefficients of a given sign: --sign in fit, path, shards and check, its file and its errors.
. "$(dirname "$0")/harness.sh"

awk 'BEGIN {
    srand(12)
    for (j = 0; j < 30; j++) printf "g%d,", j
    print "status,y"
    for (i = 0; i < 60; i++) {
        f = 0
        for (j = 0; j < 30; j++) { v = rand() + rand() - 1; printf "%.6f,", v; if (j < 4) f += (j % 2 ? -1 : 1) * v }
        printf "%s,%.6f\n", (f > 0 ? "up" : "down"), f + 0.4 * rand()
    }
}' >d.csv
awk -F, 'NR == 1 { print; next } { $31 = (rand() < 0.5 ? "up" : "down"); $32 = rand(); print }' OFS=, d.csv >noise.csv
printf 'feature\tsign\ng0\t-\ng1,+\ng2 +\n' >signs.txt
classes=(--target status --drop y) values=(--target y --drop status)

above="all(c >= 0 for c in d['outputs'][0]['coef'])"
names="[s['name'] for s in d['selected']]"

case_begin "every coefficient has the sign"
for way in "lasso ${values[*]}" "llna ${values[*]}" "logistic ${classes[*]}" "l1-svm ${classes[*]}" \
    "lasso ${values[*]} -k 4 --refit relaxed" "l1-svm ${classes[*]} -k 4" "logistic ${classes[*]} -k 4 --scale robust"; do
    way_words=("${classes[@]}")
    [[ $way == *"--target y"* ]] && way_words=("${values[@]}")
    # shellcheck disable=SC2086
    run "$PARE" fit d.csv -m $way --sign + -o m.json
    expect_exit 0
    json m.json "$above and d['signs'] == '+'"
    run "$PARE" check m.json d.csv "${way_words[@]}"
    expect_exit 0
done
run "$PARE" fit d.csv -m logistic "${classes[@]}" --positive down --sign + --lambda 0.02 -o m.json
json m.json "$above and not {'g0', 'g2'} & set($names) and {'g1', 'g3'} <= set($names)"

case_begin "a file says it of some features"
run "$PARE" fit d.csv -m lasso "${values[@]}" --sign signs.txt --lambda 0.001 -o m.json
expect_exit 0
json m.json "d['signs'] == [[0, '-'], [1, '+'], [2, '+']]"
json m.json "not {'g0', 'g1'} & set($names) and {'g2', 'g3'} <= set($names)"
run "$PARE" check m.json d.csv "${values[@]}" --sign signs.txt
expect_exit 0
run "$PARE" check m.json d.csv "${values[@]}" --sign +
expect_error 1 "the model's signs of features are not those given"
sed 's/"signs": *\[.*\]\]/"signs": "-"/' m.json >turned.json
run "$PARE" check turned.json d.csv "${values[@]}"
expect_exit 1

case_begin "errors say what is wrong and where"
wrong_file() {
    printf "$1" >wrong.txt
    run "$PARE" fit d.csv -m lasso "${values[@]}" --sign wrong.txt
    expect_error 1 "wrong.txt, line $2"
}
wrong_file 'g0,+\ng11x,-\n' '2: d.csv has no feature "g11x"; did you mean "g11"?'
wrong_file 'g0,+\ng1,up\n' '2: expected a sign, + or -, found "up"'
wrong_file 'g0,+\ng0,-\n' '2: feature "g0" has a sign already'
wrong_file '+\n' '1: expected a feature name, one tab or comma and its sign'
run "$PARE" fit d.csv -m lasso "${values[@]}" --sign positive
expect_error 2 '--sign: "positive" is neither + nor - nor a file'
run "$PARE" fit d.csv -m svm "${classes[@]}" --sign +
expect_error 2 '--sign: svm cannot limit coefficients to a sign; allowed with'
run "$PARE" path d.csv -m logistic,corr "${classes[@]}" --sign +
expect_error 2 '--sign: corr cannot limit'
awk -F, 'NR == 1 { print; next } { $31 = substr("abc", NR % 3 + 1, 1); print }' OFS=, d.csv >three.csv
run "$PARE" fit three.csv -m logistic "${classes[@]}" --sign +
expect_error 2 '--sign is for two classes at most'

case_begin "a path obeys, and its shards belong to one choice of signs"
words=(d.csv -m lasso "${values[@]}" --folds 4 --sizes 2,4 --quiet)
run "$PARE" path "${words[@]}" --sign + -o one.json --model m.json
expect_exit 0
json m.json "$above"
cp .stdout one.txt
"$PARE" path "${words[@]}" --sign + --shard 1/2 --checkpoint s1.txt
"$PARE" path "${words[@]}" --sign + --shard 2/2 --checkpoint s2.txt
"$PARE" path "${words[@]}" --sign - --shard 2/2 --checkpoint other.txt
run "$PARE" merge s1.txt s2.txt
expect_same_bytes .stdout one.txt
run "$PARE" merge s1.txt other.txt
expect_error 1 'other.txt is the checkpoint of another run'

case_begin "noise stays at the baseline"
run "$PARE" path noise.csv -m logistic,l1-svm "${classes[@]}" --folds 5 --sign + -o n.json --quiet
expect_exit 0
json n.json "all(0.3 < r['chosen']['nested']['mean'] < 0.7 for r in d['runs'])"
run "$PARE" path noise.csv -m lasso,llna "${values[@]}" --folds 5 --sign + -o n.json --quiet
json n.json "all(p['metrics']['r2']['mean'] < 0.15 for r in d['runs'] for p in r['points'])"

