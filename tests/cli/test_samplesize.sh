#!/usr/bin/env bash
# pare samplesize: the curve, what it says and rejects, the same bytes.
. "$(dirname "$0")/harness.sh"

awk 'BEGIN {
    srand(3)
    print "class,site,g1,g2,g3,g4,g5,g6,g7,g8"
    for (i = 0; i < 120; i++) {
        c = i % 2
        printf "%s,p%d", c ? "case" : "control", int(i / 4)
        for (j = 1; j <= 8; j++) printf ",%.4f", rand() + (j < 4 ? 0.25 * c : 0)
        print ""
    }
}' >data.csv
options=(data.csv --drop site -m corr --sizes 1,3 --folds 4 --points 4 --draws 4)

case_begin "a row for each number of samples, a curve and what it assumes"
run_ok "table" "$PARE" samplesize "${options[@]}" --target-score 0.7
cp "$SCRATCH/.stdout" one.tsv
check "rows" test "$(grep -vc '^#' one.tsv)" -eq 5
check "header" test "$(grep -v '^#' one.tsv | head -n 1)" = $'n\tmean\tlow\thigh'
check "all samples last" test "$(tail -n 1 one.tsv | cut -f 1)" = 120
check "curve" grep -qE '^# score\(n\) = [0-9.]+ - [0-9.]+ n\^-[0-9.]+' one.tsv
check "target" grep -qE '^# (n for 0.7: [0-9]+|no n reaches 0.7)' one.tsv
check "assumes" test "$(grep -c '^# assumes' one.tsv)" -eq 2

case_begin "the same bytes again, with any number of threads"
run_ok "four" "$PARE" samplesize "${options[@]}" --target-score 0.7 --threads 4
expect_same_bytes one.tsv "$SCRATCH/.stdout"

case_begin "the last point is the nested estimate of all samples, and the curve is through the points"
run_ok "json" "$PARE" samplesize "${options[@]}" --target-score 0.999 --json
cp "$SCRATCH/.stdout" s.json
json s.json "all(abs(p['mean'] - sum(p['scores']) / 4) < 1e-12 and p['low'] <= p['mean'] <= p['high'] for p in d['points'])"
json s.json "0 < d['curve']['c'] <= 1 and d['curve']['b'] >= 0 and d['curve']['a'] <= 1 and d['curve']['low'] <= d['curve']['high']"
json s.json "[p['n'] for p in d['points']] == sorted(p['n'] for p in d['points']) and d['kind'] == 'samplesize'"
json s.json "sum((d['curve']['a'] - d['curve']['b'] * p['n'] ** -d['curve']['c'] - q) ** 2 for p in d['points'] for q in p['scores']) <= sum((sum(r for t in d['points'] for r in t['scores']) / 16 - q) ** 2 for p in d['points'] for q in p['scores']) + 1e-12"
json s.json "d['target']['n'] is None or d['target']['n'] > 120"

case_begin "whole groups are drawn, and errors are better where they are less"
run_ok "groups" "$PARE" samplesize data.csv --fold-groups site -m corr --sizes 3 --folds 3 --points 3 --draws 3 --json
cp "$SCRATCH/.stdout" g.json
json g.json "all(p['n'] % 4 == 0 for p in d['points'])"
run_ok "loss" "$PARE" samplesize "${options[@]}" --metric log_loss --json
cp "$SCRATCH/.stdout" l.json
json l.json "not d['higher_is_better'] and d['curve']['b'] <= 0"

case_begin "what is no learning curve is rejected"
subcommand=samplesize
wrong 2 'at least 2' '--inner' -- "${options[@]}" --inner 0
wrong 2 'one method' -- data.csv --drop site -m corr,svm
wrong 2 '--null' -- "${options[@]}" --null 3
wrong 2 'have no place' -- data.csv -m corr --leave-out site
wrong 2 '--points' -- data.csv --drop site -m corr --points 2
head -n 13 data.csv >few.csv
wrong 1 'too few for a learning curve' -- few.csv --drop site -m corr
