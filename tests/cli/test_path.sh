#!/usr/bin/env bash
# pare path: its files, its choices, what it refuses, interruption and checkpoint.
. "$(dirname "$0")/harness.sh"

# Six samples of a class are few, six features are many: everything runs in no time.
awk 'BEGIN {
    srand(7)
    print "g1,<script>,a\"b,g4,g5,patient,class"
    for (i = 0; i < 48; i++) {
        c = i % 2
        printf "%.4f,%.4f,%.4f,%.4f,%.4f,p%d,%s\n", rand() + 0.9 * c, rand() + 0.5 * c, rand(), rand(),
            rand(), i % 16, c ? "case" : "control"
    }
}' | sed '1s/a"b/"a""b"/' >data.csv
options=(data.csv -m corr,svm --folds 4 --drop patient)

subcommand=path # of wrong

case_begin "the table has a row for each method and size"
run "$PARE" path "${options[@]}" --sizes 1,2,5 --target class
expect_exit 0
expect_stderr_empty
check "rows" test "$(grep -cE '^(corr|svm)' <<<"$run_out")" -eq 6
check "one choice each" test "$(grep -c '\*$' <<<"$run_out")" -eq 2
expect_stdout_contains "Wilcoxon p"

case_begin "the same bytes with any number of threads, in every file"
run_ok "one" "$PARE" path "${options[@]}" --null 3 --threads 1 -o one.json --report one.html
cp "$SCRATCH/.stdout" one.tsv
run_ok "three" "$PARE" path "${options[@]}" --null 3 --threads 3 -o one3.json --report one3.html
cp "$SCRATCH/.stdout" one3.tsv
sed 's/one3/one/g' one3.html >again.html # the page names its own command
expect_same_bytes one.tsv one3.tsv
expect_same_bytes one.json one3.json
expect_same_bytes one.html again.html
run_ok "json" "$PARE" path "${options[@]}" --null 3 --json
expect_same_bytes one.json "$SCRATCH/.stdout"

case_begin "the file keeps its contract"
json one.json "d['kind'] == 'path' and d['metric'] == 'accuracy' and [r['method'] for r in d['runs']] == ['corr', 'svm']"
json one.json "all(len(p['metrics'][m]['folds']) == 4 for r in d['runs'] for p in r['points'] for m in ('accuracy', 'balanced_accuracy', 'auc'))"
json one.json "all(abs(p['mean'] - sum(p['metrics']['accuracy']['folds']) / 4) < 1e-12 for r in d['runs'] for p in r['points'])"
json one.json "all(p['null']['p'] in (0.25, 0.5, 0.75, 1) for r in d['runs'] for p in r['points'])"
json one.json "all(r['chosen']['rule'] == '1se' and 0 <= r['chosen']['nested']['mean'] <= 1 for r in d['runs'])"
json one.json "all(0 < f['share'] <= 1 for r in d['runs'] for f in r['stability']['frequency'])"
json one.json "[p['n_features'] for p in d['runs'][0]['points']] == [1, 2, 5]"
json one.json "len(d['comparison']['pairs']) == 1 and d['complete']"

case_begin "the page is whole, and a name is never markup"
check "ends" grep -q '</html>' one.html
check "no address" test -z "$(grep -oE '(src|href)="' one.html)"
check "the name is escaped" test "$(grep -c '<script>' one.html)" -eq 1
check "the name is there" grep -qF '\u003cscript>' one.html

case_begin "folds, groups, given folds, splits and tuning run"
run_ok "repeats" "$PARE" path "${options[@]}" --repeats 3 --choice best -o repeats.json
json repeats.json "d['folds']['count'] == 12"
run_ok "groups" "$PARE" path data.csv -m corr --fold-groups patient --folds 4 -o groups.json
json groups.json "d['folds']['kind'] == 'grouped folds' and d['n_features'] == 5"
awk -F, 'NR == 1 {for (j = 1; j <= NF; j++) if ($j == "patient") at = j} NR > 1 {print $at}' data.csv >patients.txt
awk -F, -v OFS=, 'NR == 1 {print "id", $0; next} {print "s" NR, $0}' data.csv >with_ids.csv
awk 'BEGIN {print "id,who"} {print "s" NR + 1 "," $1}' patients.txt | sed '1!G;h;$!d' >reversed.csv
{ tail -n 1 reversed.csv && sed '$d' reversed.csv; } >table.csv
python3 - <<'PY'
import struct
who = open("patients.txt").read().split()
head = ("{'descr': '|S8', 'fortran_order': False, 'shape': (%d,), }" % len(who)).encode().ljust(117) + b"\n"
open("patients.npy", "wb").write(b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head
                                 + b"".join(w.encode().ljust(8, b"\0") for w in who))
PY
for groups in patients.txt patients.npy; do
    run_ok "groups from $groups" "$PARE" path data.csv -m corr --drop patient --fold-groups $groups --folds 4 -o same.json
    check "groups from $groups: other bytes" cmp -s groups.json same.json
done
run_ok "a table" "$PARE" path with_ids.csv -m corr --id id --drop patient --fold-groups table.csv:who --folds 4 -o same.json
check "a table: other bytes" cmp -s groups.json same.json
run_ok "its ids too" "$PARE" path data.csv -m corr --id patient --fold-groups patient --folds 4 -o same.json
check "its ids too: other bytes" cmp -s groups.json same.json
run_ok "a column of folds" "$PARE" path data.csv -m corr --fold-file patient -o column.json
run_ok "the same lines" "$PARE" path data.csv -m corr --drop patient --fold-file patients.txt -o lines.json
check "folds: other bytes" cmp -s column.json lines.json
run_ok "a table of folds" "$PARE" path with_ids.csv -m corr --id id --drop patient --fold-file table.csv:who -o same.json
check "a table of folds: other bytes" cmp -s column.json same.json
run_ok "splits" "$PARE" path "${options[@]}" --splits 5 --train 30 -o splits.json
json splits.json "d['folds']['count'] == 5 and d['folds']['n_train'] == 30"
for i in {1..48}; do echo "site$((i % 3))"; done >folds.txt
run_ok "given" "$PARE" path "${options[@]}" --fold-file folds.txt -o given.json
json given.json "d['folds']['count'] == 3 and d['folds']['kind'] == 'given'"
run_ok "tune" "$PARE" path "${options[@]}" --tune --metric auc --choice tolerance -o tune.json
json tune.json "d['runs'][1]['tuned'] == 'C' and d['metric'] == 'auc'"

case_begin "every method with something to tune has a grid"
awk 'BEGIN {
    srand(9)
    print "g1,g2,g3,g4,g5,y"
    for (i = 0; i < 36; i++) {
        a = rand(); b = rand()
        printf "%.4f,%.4f,%.4f,%.4f,%.4f,%.4f\n", a, b, rand(), rand(), rand(), a - b + 0.2 * rand()
    }
}' >values.csv
small=(--tune --folds 2 --inner 2 --substitutes 0 --sizes 2,5 -o tuned.json)
while read -r method tasks; do
    [[ $tasks != survival ]] || continue
    of=(data.csv --drop patient)
    [[ $tasks == *binary* ]] || of+=(--task rank)
    [[ $tasks == *binary* || $tasks == *ranking* ]] || of=(values.csv)
    run_ok "$method" "$PARE" path "${of[@]}" -m "$method" "${small[@]}"
    nothing="1nn best-subset sbmlr"
    if [[ " $nothing " == *" $method "* ]]; then
        json tuned.json "d['runs'][0]['tuned'] is None and 'no setting' in d['notes'][0]"
    else
        json tuned.json "set(d['runs'][0]['tuned'].split()) <= set(d['runs'][0]['points'][0]['settings'])"
    fi
done < <("$PARE" methods | sed 's/ .*(/ /; s/)$//')
run_ok "dlsr at the end" "$PARE" path data.csv --drop patient -m corr --classifier dlsr "${small[@]}"
json tuned.json "d['runs'][0]['points'][0]['settings']['classifier_lambda_ratio'] in (1e-4, 1e-3, 0.01, 0.1, 1)"
run_ok "given" "$PARE" path data.csv --drop patient -m svm-rfe --C 5 "${small[@]}"
json tuned.json "d['runs'][0]['tuned'] == 'classifier_C' and d['runs'][0]['points'][0]['settings']['C'] == 5 and 'C is not tuned' in d['notes'][0]"

case_begin "a method that ranks nothing has the point of all features"
run_ok "alone" "$PARE" path data.csv --drop patient -m 1nn --folds 4 -o all.json
json all.json "[p['n_features'] for p in d['runs'][0]['points']] == [5]"
run_ok "beside others" "$PARE" path data.csv --drop patient -m svm,1nn --folds 4 --null 3 -o all.json --report all.html
json all.json "[p['mean'] is None for p in d['runs'][1]['points']] == [True, True, False] and d['runs'][1]['chosen']['n_features'] == 5"
wrong 2 'sizes' '1nn does not rank' '5' -- data.csv --drop patient -m 1nn --sizes 2,3

case_begin "what cannot be is refused before any work"
wrong 1 '"case" has 24 samples' '25 folds' -- data.csv -m svm --drop patient --folds 25
wrong 2 'sizes' '"6"' '1 to 5' -- "${options[@]}" --sizes 2,6
wrong 2 'sizes' '"x"' -- "${options[@]}" --sizes x
wrong 2 'task' 'classify' -- "${options[@]}" --task regress
wrong 2 'metric' '"speed"' 'auc' -- "${options[@]}" --metric speed
wrong 2 'choice' '"none"' 'best 1se tolerance' -- "${options[@]}" --choice none
wrong 2 'svm is named twice' -- data.csv -m svm,svm --drop patient
wrong 2 'no method "nonsense"' -- data.csv -m svm,nonsense
wrong 2 'no setting of corr,svm' -- "${options[@]}" --bogus 1
wrong 2 '-k' -- "${options[@]}" -k 3
wrong 2 '--folds' '"1"' -- "${options[@]}" --folds 1
wrong 2 'inner' -- "${options[@]}" --inner 1
wrong 2 'splits' -- data.csv -m corr --fold-groups patient --splits 3
wrong 1 '"ward"' -- data.csv -m corr --fold-groups ward
wrong 2 'training part of 48' -- "${options[@]}" --splits 2 --train 48
head -n 47 folds.txt >short.txt
wrong 1 'short.txt' '47' '48' -- "${options[@]}" --fold-file short.txt
wrong 1 'nowhere.txt' -- "${options[@]}" --fold-file nowhere.txt
awk -F, 'NR > 1 {print $NF}' data.csv >classes.txt # each fold one class: nothing to train on
wrong 1 'has no sample of class' -- "${options[@]}" --fold-file classes.txt
wrong 1 'time limit ended the path before its first fold' -- data.csv -m l1-svm-path --drop patient --time-limit 1e-9
wrong 1 'not a checkpoint' -- "${options[@]}" --checkpoint data.csv

case_begin "a checkpoint is taken up again, and only by the same run"
run_ok "first" "$PARE" path "${options[@]}" --null 3 --checkpoint kept -o first.json
head -n 6 kept >cut && printf '0 3 1 3fe' >>cut
run_ok "second" "$PARE" path "${options[@]}" --null 3 --checkpoint cut -o second.json
expect_same_bytes first.json one.json
expect_same_bytes second.json one.json
awk 'NR == 4 {gsub(/ 3f/, " 3e")} {print}' kept >changed
check "nothing was changed" test "$(cmp -s kept changed; echo $?)" -eq 1
run_ok "third" "$PARE" path "${options[@]}" --null 3 --checkpoint changed -o third.json
expect_same_bytes third.json one.json
wrong 1 'another run' -- "${options[@]}" --null 3 --checkpoint kept --seed 2

case_begin "the example of docs/path.md runs"
awk '/^```sh$/{on=1; next} /^```$/{on=0} on' "$ROOT/docs/path.md" >example.sh
check "no example" test -s example.sh
mkdir example
PATH="$(dirname "$PARE"):$PATH" run bash -euo pipefail -c "cd example && . ../example.sh"
expect_exit 0
expect_file example/path.html

case_begin "Ctrl-C writes what is finished and says so"
stopped INT 130 "$PARE" path "${options[@]}" --null 100000 -o stopped.json
json stopped.json "not d['complete'] and d['null_runs'] < 100000 and d['runs'][0]['folds_done'] == 4"
