#!/usr/bin/env bash
# No method given: the recipe, said on stderr; the file has the method really used.
. "$(dirname "$0")/harness.sh"

"$PARE" demo -o toy.csv >/dev/null 2>&1

case_begin "pare methods auto says which methods it stands for"
run_ok "methods auto" "$PARE" methods auto
shown=$run_out
for shape in "classify 50" "classify 51" "regress 3" "rank 3"; do
    read -r task k <<<"$shape"
    awk -v task="$task" 'BEGIN { srand(5); for (j = 0; j < 60; j++) printf "x%d,", j; print "y"
        for (i = 0; i < 30; i++) { for (j = 0; j < 60; j++) printf "%.4f,", rand(); print task == "regress" ? rand() : i % 2 } }' >shape.csv
    run_ok "fit $shape" "$PARE" fit shape.csv --target y --task "$task" -k "$k"
    method=$(sed -n 's/^# method\t//p' <<<"$run_out")
    check "methods auto lacks $method for $shape" grep -qw -- "$method" <<<"$shown"
done
check "the number at which the method changes" grep -q 'lda-forward up to 50 features, svm-rfe beyond' <<<"$shown"
for word in robust lda 'Settings of every method'; do check "no $word" grep -q "$word" <<<"$shown"; done
run_ok "as JSON" "$PARE" methods auto --json
check "no JSON" python3 -c 'import json, sys; m = json.load(sys.stdin); assert m["name"] == "auto" and m["settings"]' <<<"$run_out"

case_begin "classes: lda-forward for few features, svm-rfe for many"
run "$PARE" fit toy.csv -k 5 -o few.json
expect_exit 0
expect_stderr_contains "method auto: lda-forward, scale robust, classifier lda"
run "$PARE" fit toy.csv -m lda-forward -k 5 --scale robust --classifier lda -o named.json
check "the recipe is another model" cmp few.json named.json
run "$PARE" fit toy.csv -m auto -k 51 -o many.json
expect_exit 0
check "the method is not svm-rfe" grep -q '"method": "svm-rfe"' many.json
run "$PARE" check many.json toy.csv
expect_exit 0

case_begin "what is given stays"
run "$PARE" fit toy.csv --scale standard --classifier svm -k 3 -o given.json
expect_exit 0
run "$PARE" fit toy.csv -m lda-forward -k 3 --scale standard -o named.json
check "a setting was not kept" cmp given.json named.json
run_ok "of a method for another task" "$PARE" fit toy.csv --lambda 3 -o other.json
expect_stderr_contains '--lambda belongs to lasso, which is not used here: it changes nothing'
run "$PARE" fit toy.csv --weight-of 3
expect_error 2 '--weight-of' 'auto'

case_begin "a path has one run, with the method in every point"
run "$PARE" path toy.csv --folds 3 --inner 2 --sizes 2,50,51,80 -o path.json
expect_exit 0
expect_stderr_contains "lda-forward up to 50 features, svm-rfe beyond"
check "the methods are wrong" python3 - <<'PY'
import json
runs = json.load(open("path.json"))["runs"]
assert [r["method"] for r in runs] == ["auto"]
points = runs[0]["points"]
assert [p["settings"]["method"] for p in points] == ["lda-forward"] * 2 + ["svm-rfe"] * 2
assert all(p["settings"]["scale"] == "robust" and p["settings"]["classifier"] == "lda" for p in points)
PY
run "$PARE" path toy.csv -m lda-forward --scale robust --classifier lda --folds 3 --inner 0 --sizes 2,50 -o few.json
run "$PARE" path toy.csv -m svm-rfe --scale robust --classifier lda --folds 3 --inner 0 --sizes 51,80 -o many.json
check "its points are not those of the methods" python3 - <<'PY'
import json
mean = lambda f: [p["mean"] for p in json.load(open(f))["runs"][0]["points"]]
assert mean("path.json") == mean("few.json") + mean("many.json")
PY

case_begin "regression is lasso, ranking inf-push, survival cox, sparse data are not transformed"
awk -F, 'NR == 1 { print "a,b,c,y"; next } { print $2 "," $3 "," $4 "," $2 + 2 * $3 + 0.01 * NR }' toy.csv >values.csv
run "$PARE" fit values.csv --task regress -o values.json
expect_exit 0
expect_stderr_contains "method auto: lasso"
check "the method is not lasso" grep -q '"method": "lasso"' values.json
run "$PARE" path values.csv --task regress --folds 3 --inner 0 --sizes 1,2 -o values.json
expect_exit 0
check "the run is not auto by lasso" python3 -c "
import json
run = json.load(open('values.json'))['runs'][0]
assert run['method'] == 'auto' and run['points'][0]['settings']['method'] == 'lasso'"
run "$PARE" fit toy.csv --task rank -o rank.json
expect_exit 0
check "the method is not inf-push" grep -q '"method": "inf-push"' rank.json
awk -F, -v OFS=, 'NR == 1 { print $2, $3, $4, "time", "event"; next } { print $2, $3, $4, NR % 17 + 1, (NR % 3 > 0) }' toy.csv >times.csv
run "$PARE" fit times.csv --time time --event event -k 2 -o times.json
expect_exit 0
expect_stderr_contains "method auto: cox"
run "$PARE" fit times.csv --time time --event event -k 2 -m cox -o named.json
for m in times named; do grep -vE '^ "(settings|asked)"' $m.json >$m.txt; done # the pipeline's own default classifier is there
check "survival is not cox" cmp times.txt named.txt
run "$PARE" path times.csv --time time --event event --folds 3 --inner 0 --sizes 1,2 -o times.json
expect_exit 0
check "the run is not auto by cox" grep -q '"method":"cox"' times.json
check "methods auto lacks cox" grep -qw cox <<<"$shown"
run "$PARE" convert toy.csv toy.svm
run "$PARE" fit toy.svm -k 3
expect_exit 0
expect_stderr_contains "lda-forward, scale auto, classifier lda"

case_begin "where all features are constant the larger class is predicted, without a complaint"
printf 'p,q,class\n1,2,a\n1,2,a\n1,2,b\n1,2,b\n1,2,b\n' >tied.csv
run "$PARE" fit tied.csv -o tied.json --target class
expect_exit 0
check "more than the remark is said" test "$(wc -l <.stderr)" = 1
run "$PARE" predict tied.json tied.csv
check "the prediction is not b" test "$(tail -n +2 .stdout | cut -f2 | sort -u)" = b

case_begin "large X: bounds from copies in one byte change nothing, and --verbose has a profile"
python3 - <<'PY'
import array, random
rng = random.Random(4)
n, d = 200, 20100 # 32.2 MB: from 32 MB on there are copies
y = [i % 2 for i in range(n)]
drawn = [rng.gauss(0, 1) for _ in range(9973)]
head = "{'descr': '<f8', 'fortran_order': True, 'shape': (%d, %d), }" % (n, d)
with open("wide.npy", "wb") as f:
    f.write(b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + head.ljust(117).encode() + b"\n")
    for j in range(d):
        at = rng.randrange(len(drawn) - n)
        column = drawn[at:at + n]
        if j < 30:
            column = [x + y[i] for i, x in enumerate(column)]
        rng.shuffle(column) if j >= 30 else None
        array.array("d", column).tofile(f)
open("wide.txt", "w").write("".join("%d\n" % v for v in y))
PY
wide=(path wide.npy --labels wide.txt --folds 2 --inner 0 --sizes 5,60)
run_ok "three threads" "$PARE" "${wide[@]}" --threads 3 --verbose -o wide.json
expect_stderr_contains 'processor seconds: statistics'
expect_stderr_contains 'training folds beside each other'
run_ok "one thread" "$PARE" "${wide[@]}" --threads 1 -o one.json
expect_same_bytes wide.json one.json
run_ok "no room for copies" "$PARE" "${wide[@]}" --memory 6M -o none.json
expect_same_bytes wide.json none.json

case_begin "settings of a part are taken, and which part took them is said"
"$PARE" demo -o toy.csv >/dev/null 2>&1
run_ok "unused" "$PARE" fit toy.csv -k 5 --C 0.1
expect_stderr_contains '--C belongs to svm-rfe, which is not used here'
run_ok "used" "$PARE" fit toy.csv -k 60 --C 0.1 -o auto.json
expect_stderr_contains 'method auto: svm-rfe' '--C goes to svm-rfe'
check "it is said not to be used" test -z "$(grep 'not used' <<<"$run_err")"
run_ok "by its name" "$PARE" fit toy.csv -m svm-rfe -k 60 --C 0.1 --scale robust --classifier lda -o own.json
expect_same_bytes auto.json own.json
run_ok "a path" "$PARE" path toy.csv --C 0.1 --sizes 2,60 --folds 3 --inner 0
expect_stderr_contains 'svm-rfe beyond' '--C goes to svm-rfe'
run "$PARE" fit toy.csv -k 5 --nonsense 1
expect_error 2 '--nonsense is no option of pare fit and no setting of auto'
