#!/usr/bin/env bash
# llna, plna, lstsq and best-subset through the command line.
. "$(dirname "$0")/harness.sh"

# A sum of two decays among ten, with a little noise that does not change from run to run.
awk 'BEGIN {
    split("0.2 4 7 0.1 2 3 3.9 4.1 6.9 7.1", rate, " ")
    for (j = 1; j <= 10; j++) printf "r%d,", j
    print "y"
    for (i = 0; i < 26; i++) {
        t = 0.04 * i
        for (j = 1; j <= 10; j++) printf "%.12g,", exp(-rate[j] * t)
        printf "%.12g\n", 0.5 + 2 * exp(-4 * t) - 1.5 * exp(-7 * t) + 0.1 * sin(37 * i)
    }
}' >decay.csv

case_begin "each method fits, predicts and is checked"
for method in "llna" "llna --lambda 0.5 --no-intercept" "plna" "plna -k 2 --alpha-growth 2" "lstsq" \
    "best-subset -k 2"; do
    # shellcheck disable=SC2086
    run_ok "fit $method" "$PARE" fit decay.csv -m $method -o model.json --json
    expect_stdout_contains '"task": "regression"'
    expect_stdout_contains '"classes": []'
    expect_stdout_contains '"class":null'
    run_ok "predict $method" "$PARE" predict model.json decay.csv
    check "no header" grep -qx $'sample\tprediction' <<<"${run_out%%$'\n'*}"
    check "not 27 lines" test "$(wc -l <<<"$run_out")" -eq 27
    run_ok "check $method" "$PARE" check model.json decay.csv
    expect_stdout_contains "hold"
done

case_begin "k coefficients remain, or a note says that no lambda leaves them"
for method in llna plna best-subset; do
    run_ok "fit $method" "$PARE" fit decay.csv -m "$method" -k 2
    expect_stdout_contains $'# selected\t2'
    check "a note" test "$(grep -c 'no lambda' <<<"$run_out")" -eq 0
done
printf 'a,b,y\n1,1,2\n2,2,4\n3,3,6\n4,4,9\n' >twins.csv
run_ok "twins" "$PARE" fit twins.csv -m llna -k 2
expect_stdout_contains 'no lambda leaves exactly 2 coefficients'

case_begin "the points of the path fall in lambda, and the error with them"
run_ok "sweep" "$PARE" fit decay.csv -m llna --lambda-path path.tsv
check "header" grep -qx $'lambda\tobjective\tloss\tpenalty\tgap\tn_features' <(head -n 1 path.tsv)
check "order" awk 'NR > 2 && ($1 >= lambda || $3 > error * (1 + 1e-9) || $4 < norm) { exit 1 }
    { lambda = $1; error = $3; norm = $4 } END { exit NR < 4 }' path.tsv
run "$PARE" fit decay.csv -m plna --lambda-path path2.tsv
expect_error 2 '--lambda-path' 'llna'
expect_no_file path2.tsv

case_begin "lambda 0 is the least error alone, and errors name the setting"
run_ok "lambda 0" "$PARE" fit decay.csv -m llna --lambda 0 --json
expect_stdout_contains '"lambda":0.0'
run "$PARE" fit decay.csv -m llna --lambda 1
expect_error 2 '--lambda' '"1"'
run "$PARE" fit decay.csv -m plna --alpha 0
expect_error 2 '--alpha' '"0"'
run "$PARE" fit decay.csv -m plna --alpha-growth 0.5
expect_error 2 '--alpha' '"0.5"'
run "$PARE" fit decay.csv -m best-subset
expect_error 2 'best-subset' '-k'
run "$PARE" fit decay.csv -m llna --task classify
expect_error 2 'task' 'regress'
printf 'a,b,y\n1,2,3\n2,3,many\n' >words.csv
run "$PARE" fit words.csv -m llna
expect_error 1 'sample 2' '"many"'
printf '1\n2\n' >short.txt
printf 'a,b\n1,2\n2,3\n3,5\n' >x.csv
run "$PARE" fit x.csv -m llna --labels short.txt
expect_error 1 'short.txt'

case_begin "a hopeless search is refused with its size, or ends in time"
awk 'BEGIN { srand(1); for (j = 0; j < 60; j++) printf "f%d,", j; print "y"
    for (i = 0; i < 90; i++) { for (j = 0; j < 60; j++) printf "%.6f,", rand() - 0.5; print rand() } }' >noise.csv
run "$PARE" fit noise.csv -m best-subset -k 12
expect_error 1 '12 of 60' 'sets' '--time-limit'
run_ok "in time" "$PARE" fit noise.csv -m best-subset -k 12 --time-limit 0.3
expect_stdout_contains 'time_limit'
expect_stdout_contains 'no set of 12 features is below'
run "$PARE" fit noise.csv -m best-subset -k 12 --time-limit 0.3 --strict
expect_exit 3

run_ok "kept" "$PARE" fit noise.csv -m best-subset -k 12 --time-limit 0.3 -o cut.json
run_ok "check of a cut search" "$PARE" check cut.json noise.csv
expect_stdout_contains "hold"
run_ok "all features" "$PARE" fit noise.csv -m llna --lambda 0 -o whole.json
check "the certificate is not the gap to the fit on all features" /usr/bin/env python3 -c "
import json
cut, whole = json.load(open('cut.json')), json.load(open('whole.json'))
gap = cut['objective'] - whole['objective']
assert cut['outcome'] == 'time_limit' and gap > 0, cut['outcome']
assert abs(cut['certificate']['value'] - gap) <= 1e-7 * cut['objective'], (cut['certificate'], gap)"

case_begin "zeros, twins, one sample, more features than samples: defined and certified"
printf 'a,b,y\n0,0,1\n0,0,2\n0,0,4\n' >zeros.csv
printf 'a,b,y\n1,2,0\n2,4,0\n3,7,0\n' >nothing.csv
printf 'a,b,c,d,y\n1,2,3,4,5\n2,1,0,1,2\n' >wide.csv
printf 'a,y\n1,2\n' >one.csv
for data in zeros wide one twins; do
    for method in llna plna lstsq "best-subset -k 1"; do
        for intercept in --intercept --no-intercept; do
            # shellcheck disable=SC2086
            run_ok "$data $method" "$PARE" fit $data.csv -m $method $intercept --task regress -o model.json
            run_ok "check $data $method" "$PARE" check model.json $data.csv
            expect_stdout_contains "hold"
        done
        [[ $data != zeros ]] || check "a column of zeros was selected" grep -q '"selected": \[\]' model.json
    done
done
run "$PARE" fit nothing.csv -m llna --task regress
expect_error 1 'the target is 0 in all 3 samples'

case_begin "a path point is what fit -k gives on the training part"
awk 'BEGIN { for (i = 0; i < 26; i++) print "f" i % 3 }' >folds.txt
run_ok "path" "$PARE" path decay.csv -m llna,plna,lstsq,best-subset --fold-file folds.txt --sizes 1,3 -o path.json
check "rows" test "$(grep -cE '^(llna|plna|lstsq|best-subset)' <<<"$run_out")" -eq 8
check "not the metrics of a regression" /usr/bin/env python3 -c "
import json
d = json.load(open('path.json'))
assert d['metric'] == 'mean_absolute_error'
for r in d['runs']:
    for p in r['points']:
        assert {'mean_absolute_error', 'mean_squared_error', 'r2'} <= set(p['metrics'])"
for method in llna plna lstsq best-subset; do
    for fold in 0 1 2; do
        awk -v f=$fold 'NR == 1 || (NR - 2) % 3 != f' decay.csv >train.csv
        awk -v f=$fold 'NR == 1 || (NR - 2) % 3 == f' decay.csv >test.csv
        run_ok "fit" "$PARE" fit train.csv -m $method -k 3 -o model.json
        run_ok "predict" "$PARE" predict model.json test.csv -o predicted.tsv
        check "fold $fold of $method" /usr/bin/env python3 -c "
import csv, json
y = [float(r['y']) for r in csv.DictReader(open('test.csv'))]
f = [float(r['prediction']) for r in csv.DictReader(open('predicted.tsv'), delimiter='\t')]
mae = sum(abs(a - b) for a, b in zip(f, y)) / len(y)
run = next(r for r in json.load(open('path.json'))['runs'] if r['method'] == '$method')
said = run['points'][1]['metrics']['mean_absolute_error']['folds'][$fold]
assert abs(said - mae) <= 1e-9 * mae, (said, mae)"
    done
done
printf 'a,b,c,y\n1,2,3,5\n2,1,0,2\n0,1,1,3\n' >wide3.csv
run_ok "three samples" "$PARE" path wide3.csv -m llna,plna,lstsq,best-subset --folds 3 --sizes 1,2 --task regress
run "$PARE" path decay.csv -m llna --metric accuracy
expect_error 2 'metric' '"accuracy"' 'mean_absolute_error'
run "$PARE" path noise.csv -m best-subset --sizes 12 --folds 2
expect_error 1 'best-subset' 'sets'

case_begin "alpha grows until the solution repeats, and settings say where"
run_ok "growth" "$PARE" fit decay.csv -m plna --lambda 0.3 --alpha-growth 2 --json
check "alpha" /usr/bin/env python3 -c "
import json
d = json.load(open('$SCRATCH/.stdout'))
assert d['settings']['alpha'] >= 10 and d['outcome'] == 'stationary', d['settings']"
run_ok "growth" "$PARE" fit decay.csv -m plna --lambda 0.3 --alpha-growth 2
expect_stdout_contains 'alpha grew from 5 to'

case_begin "without an intercept a constant column carries the level"
printf 'one,a,y\n1,1,5\n1,2,5\n1,3,5\n1,4,5.5\n' >level.csv
run_ok "level" "$PARE" fit level.csv -m llna --no-intercept --lambda 0.1
expect_stdout_contains $'1\tone\t0\t4.5\t4.5'
run_ok "with an intercept" "$PARE" fit level.csv -m lstsq
check "a constant column was selected" test "$(grep -c $'\tone\t' <<<"$run_out")" -eq 0
