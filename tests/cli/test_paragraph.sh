#!/usr/bin/env bash
# The report's methods paragraph, by every method: what was in effect is said and cited, and nothing else.
. "$(dirname "$0")/harness.sh"

command -v node >/dev/null || { case_begin "no node"; check "skipped" true; exit; }
awk 'BEGIN { srand(4); for (j = 0; j < 12; j++) printf "x%d,", j; print "class,value"
    for (i = 0; i < 40; i++) { s = 0; for (j = 0; j < 12; j++) { x = rand() + (j < 3) * (i % 2) / 2; s += (j < 3) * x; printf "%.4f,", x }
        printf "%s,%.4f\n", i % 2 ? "b" : "a", s + rand() / 5 } }' >both.csv
paragraph() { node "$ROOT/tests/cli/paragraph.mjs" page.html >paragraph.json; }

for method in $("$PARE" methods | grep -v '(survival)$' | cut -d' ' -f1); do
    case_begin "$method: its paragraph names its papers, its scaling and its predictor"
    run_ok "method" "$PARE" methods "$method" --json
    cp .stdout method.json
    done=""
    for task in classify regress rank; do
        words="--target class --drop value"
        [[ $task == regress ]] && words="--target value --drop class"
        sizes="--sizes 2,3"
        [[ $method == 1nn ]] && sizes="--sizes 12"
        # shellcheck disable=SC2086
        "$PARE" path both.csv $words --task $task -m "$method" $sizes --folds 2 --inner 2 --report page.html -o path.json --quiet \
            >said 2>&1 || continue
        done="$done $task"
        run_ok "paragraph" paragraph
        wrong=$(python3 - "$method" 2>&1 <<'PY'
import json, re, sys
p, m = json.load(open("paragraph.json")), json.load(open("method.json"))
about, text, refs = p["about"][0], p["text"], p["refs"]
assert m["citation"] in refs, "the method's papers are not cited"
assert re.search(r"selected with %s \[1\]" % re.escape(sys.argv[1]), text), text
if about["then"]:
    assert "prediction by %s [" % about["then"] in text and about["then_citation"] in refs, text
said = {"standard": "standard deviation", "unit": "root mean square", "minmax": "range from 0 to 1", "robust": "asinh", "none": "unscaled"}
assert about["scale"] in said, about
for scale, words in said.items():
    assert (words in text) == (scale == about["scale"]), (about["scale"], text)
assert "other than the defaults" not in text, text
assert "Missing values were" not in text and "Classes were weighted" not in text and "passed over" not in text
assert about["predictor"], about
assert all(re.search(r"\b(18|19|20)\d\d\b", r) for r in refs), refs
numbers = {int(n) for n in re.findall(r"\[(\d+)\]", text)}
assert numbers == set(range(1, len(refs) + 1)), (numbers, len(refs))
PY
        ) && found=0 || found=$?
        check "$task: $wrong" test $found -eq 0
    done
    check "no task ran: $(cat said)" test -n "$done"
done

case_begin "the default pipeline: robust scaling, and the switch to svm-rfe above 50 features"
awk 'BEGIN { srand(4); for (j = 0; j < 80; j++) printf "x%d,", j; print "class"
    for (i = 0; i < 40; i++) { for (j = 0; j < 80; j++) printf "%.4f,", rand() + (j < 3) * (i % 2) / 2; print i % 2 ? "b" : "a" } }' >wide.csv
run_ok "path" "$PARE" path wide.csv --sizes 5,20,60 --folds 2 --inner 2 --report page.html
run_ok "paragraph" paragraph
check "the switch" grep -qE 'the default pipeline, which is lda-forward \[1\] at 5 to 20 features and svm-rfe \[2\] at 60 features' paragraph.json
check "the scaling" grep -q 'asinh((x - median) / spread)' paragraph.json
check "the classifier" grep -q 'prediction by lda \[3\]' paragraph.json

case_begin "what is asked for besides is said"
awk -F, 'NR == 5 { $2 = "" } 1' OFS=, wide.csv >holes.csv
run_ok "path" "$PARE" path holes.csv -m svm,corr --scale minmax --missing median --class-weight balanced --max-correlation 0.9 \
    --sizes 5 --folds 2 --inner 2 --probability --report page.html
run_ok "paragraph" paragraph
for words in "replaced by the feature's median in the training samples." "range from 0 to 1" "Classes were weighted (balanced)." \
    "Features correlated above 0.9 with a selected one were passed over." "Probabilities were calibrated by sigmoids"; do
    check "no $words" grep -qF -- "$words" paragraph.json
done
run_ok "path" "$PARE" path wide.csv -m svm,corr --row-scale l2 --sizes 5 --folds 2 --inner 2 --report page.html
run_ok "paragraph" paragraph
check "no row scaling" grep -qF 'Each sample was divided by its Euclidean norm.' paragraph.json

case_begin "a given size was not chosen, and every interval is explained, also without inner folds"
run_ok "path" "$PARE" path wide.csv -m corr --sizes 5 --folds 3 --null 1 --report page.html
run_ok "paragraph" paragraph
check "a choice of one size" test -z "$(grep -o 'number of features was chosen\|chosen anew' paragraph.json)"
check "1 permutations" grep -qF 'P-values come from 1 permutation, with everything' paragraph.json
run_ok "path" "$PARE" path wide.csv -m corr --sizes 2,5 --folds 3 --inner 0 --report page.html
run_ok "paragraph" paragraph
check "an interval without a source" grep -qF 'bootstrap over held-out samples, widened' paragraph.json
check "Wilson is not cited" grep -qF 'E. B. Wilson' paragraph.json
awk -F, -v OFS=, 'NR == 1 { print $0, "site" } NR > 1 { print $0, "s" int(NR / 4) }' wide.csv >sites.csv
run_ok "path" "$PARE" path sites.csv -m corr --target class --fold-groups site --sizes 2,5 --folds 3 --inner 2 --report page.html
run_ok "paragraph" paragraph
check "samples, where groups were drawn" grep -qF 'bootstrap over held-out fold groups, widened' paragraph.json

case_begin "settings that were given are said, tuned ones as tuned, and none with the default pipeline"
run_ok "path" "$PARE" path wide.csv -m svm-rfe --kernel rbf --C 10 --classifier-C 2 --no-intercept --sizes 5 --folds 2 --inner 2 --report page.html
run_ok "paragraph" paragraph
check "$(cat paragraph.json)" grep -qF 'Settings other than the defaults: svm-rfe (C 10, kernel rbf, intercept false, classifier_C 2).' paragraph.json
run_ok "path" "$PARE" path wide.csv -m svm --tune --grid "C 0.1 1" --sizes 5 --folds 2 --inner 2 --report page.html
run_ok "paragraph" paragraph
check "a tuned setting" test -z "$(grep -o 'other than the defaults' paragraph.json)"
run_ok "path" "$PARE" path wide.csv --sizes 5,60 --folds 2 --inner 2 --report page.html
run_ok "paragraph" paragraph
check "the default pipeline" test -z "$(grep -o 'other than the defaults' paragraph.json)"
