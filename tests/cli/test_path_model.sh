#!/usr/bin/env bash
# pare path --model: the model of fit -k, in one step, with the estimate of the path that chose it.
. "$(dirname "$0")/harness.sh"

"$PARE" demo -o toy.csv >/dev/null
awk -F, -v OFS=, 'NR == 1 {print $0, "w"; next} {print $0, NR % 5}' toy.csv >weighed.csv

# chosen RUN [JSON]: the number of features that a run chose
chosen() { python3 -c "import json, sys; print(json.load(open('${2:-path.json}'))['runs'][$1]['chosen']['n_features'])"; }
# same FILE FITTED: the model is that of fit but for its path
same() {
    check "$1 has no path" grep -q '^ "path": {"metric":' "$1"
    sed 's/,$//; s/}$//; /^ "path": /d' "$1" >own
    sed 's/,$//; s/}$//' "$2" >fitted
    expect_same_bytes own fitted
}

case_begin "the model is that of fit with the chosen number of features"
options=(toy.csv -m svm-rfe --C 2 --scale unit --quiet)
run_ok "path" "$PARE" path "${options[@]}" --folds 4 --sizes 2,4,6 -o path.json --model model.json
run_ok "fit" "$PARE" fit "${options[@]}" -k "$(chosen 0)" -o fit.json
same model.json fit.json

case_begin "so is that of the default pipeline, with probabilities, weights and notes"
options=(weighed.csv --weights w --target class --probability --quiet)
run_ok "path" "$PARE" path "${options[@]}" --folds 3 --sizes 2,70 --inner 2 -o path.json --model model.json
run_ok "fit" "$PARE" fit "${options[@]}" -k "$(chosen 0)" -o fit.json
same model.json fit.json

case_begin "it is of the best method, or of the one that is named"
run_ok "best" "$PARE" path toy.csv -m corr,svm --folds 3 --sizes 1,6 -o path.json --model model.json
best=$(python3 -c "import json; print(json.load(open('path.json'))['best'])")
check "the method" grep -q "\"method\": \"$best\"" model.json
check "it is said" grep -q "the model is of $best, which has the best estimate" .stderr
for m in corr svm; do
    run_ok "$m" "$PARE" path toy.csv -m corr,svm --folds 3 --sizes 1,6 --model model.json --best $m
    check "the method $m" grep -q "\"method\": \"$m\"" model.json
done

case_begin "predict --score and check show the estimate of the path"
nested=$(python3 -c "import json; print(json.load(open('model.json'))['path']['nested']['mean'])")
run_ok "score" "$PARE" predict model.json toy.csv --score
check "the line" grep -q '^# nested CV estimate of the path that chose this model: accuracy 0\.' .stdout
run_ok "score as JSON" "$PARE" predict model.json toy.csv --score --json
json .stdout "d['path']['nested']['mean'] == $nested"
run_ok "check" "$PARE" check model.json toy.csv
check "the line of check" grep -q '^nested CV estimate of the path	accuracy 0\.' .stdout
run_ok "check as JSON" "$PARE" check model.json toy.csv --json
json .stdout "d['path']['nested']['mean'] == $nested"

case_begin "shards are merged into the same model"
words=(toy.csv -m corr,svm --folds 3 --sizes 1,6 --quiet)
"$PARE" path "${words[@]}" --best svm --model model.json >/dev/null
for i in 1 2; do "$PARE" path "${words[@]}" --shard $i/2 --checkpoint s$i.txt; done
run_ok "merge" "$PARE" merge s1.txt s2.txt --best svm --model merged.json
expect_same_bytes merged.json model.json

case_begin "two given folds have a nested estimate: inner folds are drawn"
awk 'NR > 1 {print NR % 2}' toy.csv >two.txt
run_ok "path" "$PARE" path toy.csv -m svm --fold-file two.txt --sizes 2,6 -o path.json
json path.json "d['folds']['inner'] == 3 and d['runs'][0]['chosen']['nested']['mean'] > 0.5"

case_begin "wrong requests are rejected before any work"
wrong 2 '--model' 'pare merge' -- path toy.csv -m svm --shard 1/2 --checkpoint c.txt --model m.json
wrong 2 '--best' '--model' -- path toy.csv -m svm --best svm
wrong 2 '--best lda' "none of the path's methods" -- path toy.csv -m svm,corr --best lda --model m.json
wrong 1 'no/m.json' -- path toy.csv -m svm --model no/m.json
check "a file is left behind" test ! -e m.json -a ! -e c.txt
