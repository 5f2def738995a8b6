#!/usr/bin/env bash
# l2-arom, poly-arom, svm-rfe, r2w2 and the forms of svm through the command line: what must hold on
# degenerate data, and the sentences for what cannot be done.
. "$(dirname "$0")/harness.sh"

methods=(l2-arom poly-arom svm-rfe r2w2 'svm-rfe --kernel rbf' 'r2w2 --kernel poly' 'svm --slack zero'
    'svm --kernel rbf' 'l2-arom --zero-slack 1')

printf 'a,b,c,class\n1,2,0,x\n3,1,1,y\n5,7,0,x\n2,2,1,y\n4,3,1,y\n' >ok.csv
printf 'a,b,class\n1,2,x\n3,4,x\n' >one_class.csv
printf 'a,b,class\n1,2,x\n' >one_row.csv
printf 'a,b,class\n1,2,x\n1,2,y\n1,2,x\n' >constant.csv
printf 'a,b,class\n1,2,x\n1,2,y\n3,1,x\n3,1,y\n' >contradiction.csv
printf 'a,b,class\n1,2,x\n1,2,y\n3,1,z\n3,1,y\n' >contradiction3.csv
printf 'a,b,class\n1,1,x\n3,3,y\n5,5,x\n2,2,y\n' >duplicated.csv

case_begin "one class or one sample is refused with a sentence"
for m in "${methods[@]}"; do
    wrong 1 'class' -- fit one_class.csv -m $m
    wrong 1 'class' -- fit one_row.csv -m $m
done

case_begin "constant features, contradictions and duplicates have an outcome"
for m in "${methods[@]}"; do
    for data in constant contradiction duplicated; do
        run timeout 20 "$PARE" fit $data.csv -m $m -o model.json
        expect_exit 0
        run "$PARE" check model.json $data.csv
        expect_exit 0
    done
done
run "$PARE" fit constant.csv -m l2-arom
expect_stdout_contains $'# selected\t0'
run "$PARE" fit contradiction.csv -m l2-arom
expect_stdout_contains 'hard margins are impossible'
run "$PARE" fit duplicated.csv -m svm-rfe -k 1
expect_stdout_contains $'1\ta\t0'

case_begin "more features than there are, and steps that are none, are usage errors"
wrong 2 'k' '4 features cannot be selected from 3' -- fit ok.csv -m l2-arom -k 4
wrong 2 'k' '4 features cannot be selected from 3' -- fit ok.csv -m svm-rfe -k 4
wrong 2 'k' '10 features cannot be selected from 9' -- fit ok.csv -m poly-arom -k 10
wrong 2 'step' '1.5' 'whole number' -- fit ok.csv -m svm-rfe --step 1.5
wrong 2 '--step' '"0"' -- fit ok.csv -m svm-rfe --step 0
wrong 2 '--zero-slack' 'exclude each other' -- fit ok.csv -m l2-arom --zero-slack 1 --ridge 1
wrong 2 'slack' 'finite C' -- fit ok.csv -m svm --slack zero --C inf
wrong 2 '--kernel' 'linear rbf poly' -- fit ok.csv -m svm --kernel cubic
wrong 2 '--degree' '>= 1 and <= 10' -- fit ok.csv -m poly-arom --degree 11
wrong 1 'no hyperplanes separate' -- fit contradiction3.csv -m svm --multiclass ww --C inf

case_begin "a path follows all of them, monomials among others"
run "$PARE" demo -o toy.csv
for m in l2-arom svm-rfe r2w2 'svm --kernel rbf'; do
    run "$PARE" path toy.csv -m $m --folds 2 --inner 0 --sizes 2 --substitutes 0
    expect_exit 0
done
run_ok "with others" "$PARE" path ok.csv -m poly-arom,svm,corr --folds 2 --inner 0 --sizes 1,2 --substitutes 0 -o both.json
check "monomials are named in their run alone" python3 -c "
import json
poly, svm, corr = json.load(open('both.json'))['runs']
assert any('^' in f['name'] or '*' in f['name'] for f in poly['stability']['frequency']), poly
assert not any('^' in f['name'] or '*' in f['name'] for r in (svm, corr) for f in r['stability']['frequency'])"

case_begin "monomials beyond the memory limit are refused with their size"
wrong 1 'monomials of degree 1 to 10 of 3 features' 'GB' -- fit ok.csv -m poly-arom --degree 10 --memory 5K

case_begin "a model on monomials predicts by the names of its columns"
run_ok fit "$PARE" fit ok.csv -m poly-arom -k 2 -o poly.json --ranking ranking.tsv
expect_stdout_contains 'c^2'
check "9 monomials are ranked" test "$(wc -l <ranking.tsv)" -eq 10
printf 'c,class,b,extra,a\n0,x,2,9,1\n1,y,1,9,3\n' >moved.csv
run "$PARE" predict poly.json moved.csv
expect_exit 0
printf 'class,b\nx,2\n' >lacking.csv
run "$PARE" predict poly.json lacking.csv
expect_exit 1

case_begin "a kernel model is written, read, checked and predicts"
run_ok fit "$PARE" fit ok.csv -m svm --kernel poly --degree 2 -k 2 -o kernel.json
check "coef is null" grep -q '"coef":null' kernel.json
check "there is a kernel" grep -q '"kernel": {' kernel.json
run "$PARE" check kernel.json ok.csv
expect_exit 0
run "$PARE" predict kernel.json moved.csv
expect_exit 0
sed 's/"type":"poly"/"type":"cubic"/' kernel.json >bad.json
wrong 1 'bad.json' '"kernel"' -- predict bad.json moved.csv
sed 's/"power"/"x"/; s/"terms":\[\[[0-9]*,/"terms":[[7,/' poly.json >bad.json
wrong 1 'bad.json' '"features"' -- predict bad.json moved.csv
