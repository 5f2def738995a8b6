#!/usr/bin/env bash
# What pare path says of its numbers: the headline, one interval for one number, permutation tests, and how many folds.
. "$(dirname "$0")/harness.sh"

# Two classes of which g1 .. g3 know something, an age that does, and 16 more features; class sizes may differ.
data() { # data SAMPLES POSITIVES SIGNAL
    awk -v n="$1" -v few="$2" -v signal="$3" 'BEGIN {
        srand(11)
        for (j = 1; j <= 19; j++) printf "g%d,", j
        print "age,class"
        for (i = 0; i < n; i++) {
            for (j = 1; j <= 19; j++) printf "%.4f,", rand() + (j <= 3 && i < few ? signal : 0)
            printf "%.4f,%s\n", rand() + (i < few ? 0.4 : 0), i < few ? "case" : "control"
        }
    }'
}
data 50 22 0.35 >data.csv
data 30 7 0.6 >small.csv
data 30 2 0.6 >tiny.csv
data 40 18 9 >clear.csv
awk -F, 'NR == 1 {print "y,g1,g2,g3,g4,g5"; next} {print $1 * 2 + $2 "," $1 "," $2 "," $3 "," $4 "," $5}' data.csv >values.csv

# The page holds the JSON: what is in one is in the other.
page_headline() {
    python3 - "$1" "$2" <<'PY'
import json, re, sys
page = json.loads(re.search(r'id="data">(.*?)</script>', open(sys.argv[1]).read(), re.S).group(1))
file = json.load(open(sys.argv[2]))
assert [r["headline"] for r in page["runs"]] == [r["headline"] for r in file["runs"]]
PY
}

case_begin "the headline quotes the nested estimate, then the outer folds, then the final model"
run_ok "path" "$PARE" path data.csv -m corr --folds 5 --sizes 1,2,5,10,20 -o one.json --report one.html
cp "$SCRATCH/.stdout" one.tsv
python3 - <<'PY' || fail "see above"
import json, re, statistics
d = json.load(open("one.json"))
run, tsv = d["runs"][0], open("one.tsv").read().splitlines()
c, said = run["chosen"], run["headline"]
assert [l.split("\t")[2] for l in tsv if l.startswith("# headline\tcorr\t")] == said, said
nested, sizes = c["nested"], c["nested"]["n_features"]
i = nested["interval"]
kind = {"wilson": "Wilson", "bootstrap": "bootstrap"}[i["kind"]]
assert said[0] == "Nested CV estimate of the whole procedure: accuracy %.2f (%s 95%% CI %.2f to %.2f); majority-class baseline %.2f." % (
    nested["mean"], kind, i["low"], i["high"], d["chance"]["accuracy"]), said[0]
assert len(set(sizes)) > 1, sizes
assert said[1].startswith("The outer folds chose %d to %d features (median %.6g)" % (min(sizes), max(sizes), statistics.median(sizes))), said[1]
assert ("do not settle the number" in said[1]) == (max(sizes) > 3 * min(sizes)), said[1]
same = sizes.count(c["n_features"])
assert said[2] == "The final model has k = %d of 20 features, %s; its CV accuracy of %.2f is optimistic on average, because k was chosen on it." % (
    c["n_features"], "as %d of 5 outer folds chose" % same if same else "which no outer fold chose", c["mean"]), said[2]
assert len(said) == 3
line = next(l for l in tsv if l.startswith("# nested\tcorr\t")).split("\t")
assert line[4] == "95%% CI %.4g to %.4g (%s)" % (i["low"], i["high"], i["kind"]), line
assert "median %g" % statistics.median(sizes) in line[5], line
assert any(l.startswith("# majority-class baseline\t") for l in tsv) and "chance" not in "".join(tsv)
assert all(p["interval"]["low"] < p["mean"] < p["interval"]["high"] and p["interval"]["level"] == 0.95 for p in run["points"])
PY
check "the page says something else" page_headline one.html one.json
check "an interval of its own in the page" test -z "$(grep -o 'function student' one.html)"

case_begin "scattering sizes and agreeing ones"
said() { python3 -c 'import json, sys; print(" ".join(json.load(open(sys.argv[1]))["runs"][0]["headline"]))' "$1"; }
run_ok "clear" "$PARE" path clear.csv -m corr --folds 4 --sizes 1,2,20 -o clear.json
check "one size: $(said clear.json)" grep -q 'Every outer fold chose 1 feature\. ' <(said clear.json)
check "no certainty: $(said clear.json)" grep -q 'accuracy 1.00 (Wilson 95% CI 0.8[0-9] to 1.00)' <(said clear.json)

case_begin "without inner folds, and with one given size, nothing else is said"
run_ok "no inner" "$PARE" path data.csv -m corr --folds 5 --inner 0 --sizes 1,2,5 -o flat.json
check "$(said flat.json)" grep -q '^CV estimate at the chosen k, optimistic because k was chosen on it: accuracy 0\.[0-9]* (.* 95% CI .*there is no nested CV estimate' <(said flat.json)
run_ok "one size" "$PARE" path data.csv -m corr --folds 5 --sizes 5 -o given.json
check "$(said given.json)" grep -q '^CV estimate at the given k: accuracy' <(said given.json)
check "$(said given.json)" test -z "$(said given.json | grep -o 'optimistic\|outer fold')"
check "a rule that chose nothing: $(grep '^# chosen' <<<"$run_out")" grep -q '^# chosen	corr	5 features (given)	mean' <<<"$run_out"
run_ok "splits" "$PARE" path data.csv -m corr --splits 4 --train 35 --sizes 1,2,5 -o splits.json
check "$(said splits.json)" grep -qE '(Every outer split|The outer splits) chose .* outer splits? chose; its CV' <(said splits.json)
run_ok "values" "$PARE" path values.csv -m lasso --folds 5 --sizes 1,2,5 -o values.json
check "$(said values.json)" grep -q '^Nested CV estimate of the whole procedure: mean absolute error .*(bootstrap 95% CI .*; mean baseline 0\.' <(said values.json)
awk -F, -v OFS=, 'NR > 1 {$1 = 1000 * $1} {print}' values.csv >thousands.csv # along lambda, in thousands
run_ok "thousands" "$PARE" path thousands.csv -m lasso --folds 5 -o thousands.json
check "$(said thousands.json)" grep -qE 'mean absolute error [0-9]{2,4}(\.[0-9])? \(bootstrap 95% CI [0-9.]+ to [0-9.]+\); mean baseline [0-9]{3,4}\.' <(said thousands.json)
check "$(said thousands.json)" grep -qE 'chose (a point|points) of the path with .* on all samples' <(said thousands.json)
json thousands.json "(lambda c: ('no outer fold' in d['runs'][0]['headline'][2]) == (c['n_features'] not in c['nested']['n_features']))(d['runs'][0]['chosen'])"
run_ok "auc" "$PARE" path data.csv -m corr --folds 5 --metric auc --sizes 1,2,5 -o auc.json --inner 0
json auc.json "[p['interval'] is None for p in d['runs'][0]['points']].count(False) == 1 and '95% CI' in d['runs'][0]['headline'][0]"
run_ok "budgets" "$PARE" path data.csv -m corr --folds 5 --budgets 1,2,5 -o budget.json
check "$(said budget.json)" grep -q 'The final model has a budget of' <(said budget.json)

case_begin "the least possible p is never a verdict"
run_ok "ten" "$PARE" path clear.csv -m corr --folds 4 --sizes 1,5 --null 10 -o ten.json
cp "$SCRATCH/.stdout" ten.tsv
json ten.json "abs(d['runs'][0]['chosen']['null']['least'] - 1 / 11) < 1e-15 and d['runs'][0]['chosen']['null']['p'] == d['runs'][0]['chosen']['null']['least']"
json ten.json "'p_methods' not in d['runs'][0]['chosen']['null'] and all('least' in p['null'] for p in d['runs'][0]['points'])"
check "$(said ten.json)" grep -q 'p = 0.091, the least possible with 10 permutations (p = 0.05 needs at least 19 and p = 0.01 at least 99; 199 are suggested)' <(said ten.json)
check "a verdict" test -z "$(said ten.json | grep -o 'not shown')"
check "two numbers with two names" grep -q '(permutation mean 0\.' <(said ten.json)
check "the table: $(grep '^# perm' ten.tsv)" grep -qE '^# permutations	corr	10	score 1	permutation mean 0\.[0-9]+, 5% 0\.[0-9]+, 95% 0\.[0-9]+	p 0\.09091	least possible p 0\.09091$' ten.tsv
run_ok "one" "$PARE" path clear.csv -m corr --folds 4 --inner 0 --sizes 1,5 --null 1 -o single.json
check "$(said single.json)" grep -q 'p = 0.5, the least possible with 1 permutation (' <(said single.json)
run_ok "19" "$PARE" path clear.csv -m corr --folds 4 --sizes 1,5 --null 19 -o more.json
check "$(said more.json)" grep -q 'p = 0.05, the least possible with 19 permutations (p = 0.01 needs at least 99; 199 are suggested)' <(said more.json)
run_ok "noise" "$PARE" path data.csv -m corr --folds 4 --sizes 1,2 --drop g1,g2,g3,age --null 19 -o noise.json
json noise.json "d['runs'][0]['chosen']['null']['p'] > 0.05"
check "$(said noise.json)" grep -qE 'p = [0-9.]+, where 0.05 is the least possible with 19 permutations' <(said noise.json)

case_begin "several methods have the p-value of the best of them"
run_ok "two" "$PARE" path data.csv -m corr,svm --folds 4 --sizes 1,2,5 --null 19 -o two.json
json two.json "len({r['chosen']['null']['p_methods'] for r in d['runs']}) == 1"
json two.json "d['runs'][0]['chosen']['null']['p_methods'] >= max(d['runs'], key=lambda r: r['chosen']['mean'])['chosen']['null']['p'] >= 0.05"
json two.json "all('That p is of this method alone; for the best CV accuracy among the 2 methods, by the same permutations, p = ' in ' '.join(r['headline']) for r in d['runs'])"
json two.json "d['best'] == max(d['runs'], key=lambda r: r['chosen']['nested']['mean'])['method']"
check "$run_out" grep -qxP "# best\t$(python3 -c 'import json; print(json.load(open("two.json"))["best"])')\tof 2 methods by this estimate, which favours it a little" <<<"$run_out"

case_begin "with forced-in covariates p is of both together, and says so"
run_ok "keep" "$PARE" path data.csv -m corr --keep age --folds 4 --sizes 1,2 --null 9 -o keep.json
check "$(said keep.json)" grep -q 'The final model has k = [12] of 19 features and the 1 forced in' <(said keep.json)
check "$(said keep.json)" grep -q 'The p-value is of the forced-in covariates and the features together\.$' <(said keep.json)

case_begin "a class of fewer than ten samples: as many folds as it has, and one sentence"
run_ok "seven" "$PARE" path small.csv -m corr --sizes 1,2 -o seven.json
check "stderr: $run_err" grep -qx 'pare: 7 folds instead of the default 10: the smallest class has 7 samples' <<<"$run_err"
json seven.json "d['folds']['folds'] == 7 and d['folds']['count'] == 7 and any('7 folds instead' in n for n in d['notes'])"
run_ok "asked for" "$PARE" path small.csv -m corr --sizes 1,2 --folds 7 -o asked.json
json asked.json "not any('instead' in n for n in d['notes'])"
run_ok "shards" "$PARE" path small.csv -m corr --sizes 1,2 --shard 1/1 --checkpoint shard.txt
run_ok "merged" "$PARE" merge shard.txt -o merged.json
check "merged: other bytes" cmp -s merged.json seven.json
subcommand=path
wrong 1 '"case" has 7 samples' '8 folds' -- small.csv -m corr --sizes 1,2 --folds 8
wrong 1 '"case" has 2 samples' '3 folds' -- tiny.csv -m corr --sizes 1,2

case_begin "the stable core is all of it, and where a size has too many features none is counted"
awk 'BEGIN { srand(5); for (j = 0; j < 2100; j++) printf "g%d,", j; print "class"
    for (i = 0; i < 12; i++) { for (j = 0; j < 2100; j++) printf "%.3f,", rand(); print i % 2 ? "a" : "b" } }' >many.csv
run_ok "listed" "$PARE" path many.csv -m corr --folds 3 --inner 0 --sizes 1900 -o many.json
check "the table has another number: $(grep '^# chosen' <<<"$run_out")" python3 - <<'PY'
import json
d = json.load(open("many.json"))
s = d["runs"][0]["stability"]
core = [f["index"] for f in s["frequency"] if f["share"] >= 0.9]
assert s["core"] == core and len(core) > 1000, len(core)
assert min(f["share"] for f in s["frequency"]) < 0.9 or len(s["frequency"]) == len(core)
line = next(l for l in open(".stdout") if l.startswith("# chosen"))
assert line.rstrip().endswith("stable core %d" % len(core)), line
PY
run_ok "not listed" "$PARE" path many.csv -m corr --folds 3 --inner 0 --sizes 2100 -o all.json
check "$(grep '^# chosen' <<<"$run_out")" grep -q 'stability none	stable core none$' <<<"$run_out"
