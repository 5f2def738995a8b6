#!/usr/bin/env bash
# pare path --leave-out: a fold for each cohort, its score, inner folds of the other cohorts, what it rejects.
. "$(dirname "$0")/harness.sh"

# Four studies of different levels; five features tell the classes. Study D of the last has one class.
awk -v which=all 'BEGIN {
    srand(5)
    print "class,study,g1,g2,g3,g4,g5,g6"
    for (i = 0; i < 96; i++) {
        s = i % 4; c = int(i / 4) % 2
        printf "%s,%s", c ? "case" : "control", substr("ABCD", s + 1, 1)
        for (j = 1; j <= 6; j++) printf ",%.4f", rand() + s + (j < 3 ? 0.6 * c : 0)
        print ""
    }
}' >four.csv
subcommand=path # of wrong

case_begin "each cohort is a fold with a score and an interval"
run_ok "path" "$PARE" path four.csv --leave-out study -m corr --sizes 1,2,4 -o four.json --predictions four.tsv
json four.json "[c['name'] for c in d['runs'][0]['cohorts']] == ['A', 'B', 'C', 'D']"
json four.json "d['folds']['kind'] == 'cohorts' and d['folds']['count'] == 4 and d['folds']['inner'] == 3"
json four.json "all(c['n'] == 24 and c['low'] <= c['value'] <= c['high'] and c['low'] < c['high'] for c in d['runs'][0]['cohorts'])"
json four.json "[c['value'] for c in d['runs'][0]['cohorts']] == d['runs'][0]['chosen']['nested']['metrics']['accuracy']['folds']"
json four.json "[c['n_features'] for c in d['runs'][0]['cohorts']] == d['runs'][0]['chosen']['nested']['n_features']"
check "lines" test "$(grep -c '^# cohort	corr	' "$SCRATCH/.stdout")" -eq 4
# part j of the predictions tests cohort j
check "its samples" test "$(awk -F'\t' 'NR > 1 && $3 == 2 {print ($4 - 1) % 4}' four.tsv | sort -u)" = 1

case_begin "no other option changes: the outer folds are those of a fold file"
run_ok "file" "$PARE" path four.csv --fold-file study -m corr --sizes 1,2,4 -o file.json
json four.json "[p['mean'] for p in d['runs'][0]['points']] == [p['mean'] for p in __import__('json').load(open('file.json'))['runs'][0]['points']]"
json file.json "'cohorts' not in d['runs'][0] and d['folds']['kind'] == 'given'"

case_begin "three cohorts: the inner folds are stratified, of two remaining cohorts"
grep -v ',D,' four.csv >three.csv
run_ok "three" "$PARE" path three.csv --leave-out study -m corr --sizes 1,2 --inner 5 -o three.json
json three.json "d['folds']['inner'] == 5 and len(d['runs'][0]['cohorts']) == 3"

case_begin "the page has the forest plot, a terminal the table"
run_ok "page" "$PARE" path four.csv --leave-out study -m corr,svm --sizes 1,2 --report four.html --as text
expect_stdout_contains "Each cohort, predicted from the others alone"
check "plot" grep -q 'forest plot of the cohorts' four.html

case_begin "a cohort without a class is noted, and has a score"
awk -F, '$2 != "D" || $1 == "case" || NR == 1' four.csv >oneclass.csv
run_ok "one class" "$PARE" path oneclass.csv --leave-out study -m corr --sizes 2 --metric auc -o oneclass.json
json oneclass.json "d['runs'][0]['cohorts'][3]['value'] is None and d['runs'][0]['cohorts'][0]['value'] > 0.5"
json oneclass.json "any('cohort \"D\" has no sample of class \"control\"' in n for n in d['notes'])"
run_ok "accuracy" "$PARE" path oneclass.csv --leave-out study -m corr --sizes 2 -o accuracy.json
json accuracy.json "0 <= d['runs'][0]['cohorts'][3]['value'] <= 1"

case_begin "inner folds fall back to stratified ones where a cohort has a class nearly alone"
awk -F, 'NR == 1 || $1 == "control" || $2 == "A" || $2 == "B"' four.csv >held.csv
run_ok "held" "$PARE" path held.csv --leave-out study -m corr --sizes 2 -o held.json
json held.json "any('inner folds are stratified' in n for n in d['notes']) and d['runs'][0]['chosen']['nested']"

case_begin "shards and checkpoints give the same bytes"
run_ok "first" "$PARE" path four.csv --leave-out study -m corr --sizes 1,2,4 --checkpoint c1 --shard 1/2
run_ok "second" "$PARE" path four.csv --leave-out study -m corr --sizes 1,2,4 --checkpoint c2 --shard 2/2
run_ok "merge" "$PARE" merge c1 c2 -o merged.json
expect_same_bytes merged.json four.json
wrong 1 'checkpoint of another run' -- four.csv --fold-file study -m corr --sizes 1,2,4 --checkpoint c1

case_begin "what cannot be left out is rejected"
awk -F, 'NR == 1 || $2 != "D" || !seen++' four.csv >lonely.csv
wrong 1 'cohort "D" has 1 sample' -- lonely.csv --leave-out study -m corr
grep -E '^class|,A,' four.csv >single.csv
wrong 1 'all samples are of cohort "A"' -- single.csv --leave-out study -m corr
awk -F, 'NR == 1 || $1 == "control" || $2 == "A"' four.csv >alone.csv
wrong 1 'all samples of class "case" are in cohort "A"' -- alone.csv --leave-out study -m corr
wrong 2 '--fold-file' -- four.csv --leave-out study --fold-file study -m corr
wrong 2 'leave --folds out' -- four.csv --leave-out study --folds 3 -m corr
wrong 2 '--leave-out' 'splits' -- four.csv --leave-out study --splits 3 -m corr
wrong 1 'nope' -- four.csv --leave-out nope -m corr
