#!/usr/bin/env bash
# --batch: what fit and path reject, unseen batches and cohorts, the model of a path, a model file that was changed.
. "$(dirname "$0")/harness.sh"

awk 'BEGIN {
    srand(11)
    print "class,site,w,g1,g2,g3,g4,g5"
    for (i = 0; i < 72; i++) {
        s = i % 3; c = int(i / 3) % 2
        printf "%s,%s,1", c ? "case" : "control", substr("ABC", s + 1, 1)
        for (j = 1; j <= 5; j++) printf ",%.4f", (rand() + (j < 3 ? 0.5 * c : 0)) * (1 + s) + 2 * s
        print ""
    }
}' >three.csv
options=(--drop w -m corr --sizes 1,3)

case_begin "the model of a path is that of fit, and holds"
run_ok "path" "$PARE" path three.csv --batch site --batch-method combat "${options[@]}" --folds 4 --choice best --model path.json -o p.json
k=$(python3 -c "import json; print(len(json.load(open('path.json'))['selected']))")
run_ok "fit" "$PARE" fit three.csv --batch site --batch-method combat --drop w -m corr -k "$k" -o fit.json
check "all but the path" python3 -c "import json; a, b = (json.load(open(f)) for f in ('path.json', 'fit.json')); a.pop('path'); assert a == b"
run_ok "check" "$PARE" check fit.json three.csv --batch site --drop w

case_begin "the page says how batches were adjusted"
run_ok "page" "$PARE" path three.csv --batch site --batch-method combat "${options[@]}" --report page.html -o page.json
json page.json "d['batch'] == {'method': 'combat', 'batches': 3, 'unseen': 'refuse'}"
check "paragraph" grep -q 'ComBat without covariates' page.html
json p.json "'batch' in d and d['runs'][0]['features'][0]['weight']"

case_begin "the same bytes with any number of threads"
run_ok "one" "$PARE" path three.csv --batch site "${options[@]}" --threads 1 -o one.json
run_ok "four" "$PARE" path three.csv --batch site "${options[@]}" --threads 4 -o four.json
expect_same_bytes one.json four.json

case_begin "without adjustment the batches hide the signal, with it they do not"
run_ok "raw" "$PARE" path three.csv --drop site,w -m corr --sizes 2 --metric auc -o raw.json
run_ok "adjusted" "$PARE" path three.csv --batch site --batch-method combat --drop w -m corr --sizes 2 --metric auc -o adjusted.json
check "better" python3 -c "import json; a, b = (json.load(open(f))['runs'][0]['points'][0]['mean'] for f in ('raw.json', 'adjusted.json')); assert b > a + 0.1, (a, b)"

case_begin "a batch that is left out needs a choice, before work starts"
subcommand=path
wrong 1 'batch "A" has no training samples' '--batch-unseen' -- three.csv --batch site --leave-out site "${options[@]}"
for how in pooled adapt; do
    run_ok "$how" "$PARE" path three.csv --batch site --leave-out site --batch-unseen $how "${options[@]}" -o $how.json
    json $how.json "[c['name'] for c in d['runs'][0]['cohorts']] == ['A', 'B', 'C']"
done
check "adapt helps" python3 -c "import json; a, b = (json.load(open(f + '.json'))['runs'][0]['points'][1]['mean'] for f in ('pooled', 'adapt')); assert b > a, (a, b)"
run_ok "shard 1" "$PARE" path three.csv --batch site --leave-out site --batch-unseen adapt "${options[@]}" --checkpoint c1 --shard 1/2
run_ok "shard 2" "$PARE" path three.csv --batch site --leave-out site --batch-unseen adapt "${options[@]}" --checkpoint c2 --shard 2/2
run_ok "merge" "$PARE" merge c1 c2 -o merged.json
expect_same_bytes merged.json adapt.json
wrong 1 'checkpoint of another run' -- three.csv --batch site --leave-out site --batch-unseen pooled "${options[@]}" --checkpoint c1

case_begin "what cannot be adjusted is rejected"
subcommand=fit
awk -F, 'NR == 1 || $2 != "C" || !seen++' three.csv >lonely.csv
wrong 1 'batch "C" has one training sample' -- lonely.csv --batch site --drop w -m svm
awk -F, '{print $1 "," $2 "," $4}' three.csv >narrow.csv
wrong 1 'two or more must' -- narrow.csv --batch site --batch-method combat -m svm
wrong 1 '--storage dense' -- three.csv --batch site --drop w --storage sparse -m svm
wrong 2 '--batch-method' 'center or combat' -- three.csv --batch site --batch-method mean -m svm
wrong 2 '--missing indicator' -- three.csv --batch site --drop w --missing indicator -m svm
wrong 2 'poly-arom' -- three.csv --batch site --drop w -m poly-arom
wrong 1 'nowhere' -- three.csv --batch nowhere -m svm

case_begin "a model whose adjustment was changed does not hold"
for change in "m['batch']['shift'][0][0] += 0.01" "m['batch']['scale'][1][0] *= 1.001" "m['batch']['names'][0] = 'Z'" "m['batch']['mean'][0] += 0.01" "m['batch']['method'] = 'center'"; do
    python3 -c "import json; m = json.load(open('fit.json')); $change; json.dump(m, open('changed.json', 'w'))"
    run "$PARE" check changed.json three.csv --batch site --drop w
    expect_exit 1
done
python3 -c "import json; m = json.load(open('fit.json')); m['batch']['scale'][0] = [0] * len(m['selected']); json.dump(m, open('changed.json', 'w'))"
subcommand=predict
wrong 1 '"batch" should be' -- changed.json three.csv --batch site
sed 's/,A,/,Z,/' three.csv >other.csv
wrong 1 'batch "Z" has no training samples' -- fit.json other.csv --batch site

case_begin "what is said of batches without any is an error"
run "$PARE" demo -o plain.csv
for words in "--batch-method combat" "--batch-method center"; do
    # shellcheck disable=SC2086
    run "$PARE" fit plain.csv -m corr -k 2 $words
    expect_error 2 '--batch-method adjusts for batches' '--batch'
done
run "$PARE" path plain.csv -m corr --sizes 2 --batch-unseen pooled
expect_error 2 '--batch-unseen adjusts for batches'
