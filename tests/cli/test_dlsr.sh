#!/usr/bin/env bash
# The least squares family through the command line.
. "$(dirname "$0")/harness.sh"

awk 'BEGIN { srand(3); print "a,b,c,d,e,flat,class"
    for (i = 0; i < 45; i++) { k = i % 3
        for (j = 0; j < 5; j++) printf "%.6f,", rand() + (j == k ? 1.2 : 0)
        printf "7,%s\n", substr("xyz", k + 1, 1) } }' >three.csv
awk -F, 'NR == 1 || $NF != "z"' three.csv >two.csv

for method in dlsr dlsr-fs lsr; do
    for data in two three; do
        case_begin "$method on $data classes: fit, check, predict"
        run "$PARE" fit $data.csv -m $method -o $method.json
        expect_exit 0
        expect_stdout_contains "duality_gap"
        run "$PARE" check $method.json $data.csv
        expect_exit 0
        expect_stdout_contains "hold"
        run "$PARE" predict $method.json $data.csv
        expect_exit 0
        check "more than a fifth is wrong" awk -F'\t' -v data=$data.csv '
            BEGIN { getline line < data; while ((getline line < data) > 0) { n++; split(line, f, ","); y[n] = f[7] } }
            NR > 1 && $2 != y[NR - 1] { wrong++ } END { exit wrong > n / 5 }' .stdout
    done
done

case_begin "two classes have one output, several one each"
run "$PARE" fit two.csv -m dlsr-fs --json
check "not one output" python3 -c 'import json; m = json.load(open(".stdout")); assert len(m["outputs"]) == 1 and m["outputs"][0]["class"] == "y"'
run "$PARE" fit three.csv -m dlsr-fs --json
check "not three outputs" python3 -c 'import json; m = json.load(open(".stdout")); assert len(m["outputs"]) == 3 and len(m["dual"]) == 3'

case_begin "lambda must be positive"
for method in dlsr dlsr-fs lsr; do
    run "$PARE" fit three.csv -m $method --lambda 0
    expect_error 2 '--lambda' '"0"' '> 0'
done

case_begin "a lambda above lambda_max selects nothing and says so"
run "$PARE" fit three.csv -m dlsr-fs --lambda 1e6 -o empty.json
expect_exit 0
expect_stdout_contains "no feature is selected"
run "$PARE" predict empty.json three.csv
expect_exit 0

case_begin "the lambda path runs from lambda_max down, certified"
run "$PARE" fit three.csv -m dlsr-fs -k 2 --lambda-path path.tsv --lambda-count 20 --lambda-least 0.05
expect_exit 0
check "the path is told once" test "$(grep -c 'the path ends at' .stdout)" = 1
check "a line is wrong" awk -F'\t' '
    NR == 1 { if ($0 != "lambda\tobjective\tloss\tpenalty\tgap\tn_features") exit bad = 1; next }
    NR == 2 && $6 != 0 { bad = 1 }
    NR > 2 && !($1 < before) { bad = 1 }
    !($5 <= 1e-5) || !($2 - $3 - $1 * $4 < 1e-9 * $2 && $3 + $1 * $4 - $2 < 1e-9 * $2) { bad = 1 }
    { before = $1; last = $6 } END { exit bad || !(last > 0) || NR < 3 }' path.tsv
run "$PARE" fit three.csv -m dlsr-fs --lambda-path path.tsv --algorithm irls
expect_error 2 'sweep' 'irls'

case_begin "a class with one sample, and a constant feature"
sed '$d' three.csv | awk -F, 'NR == 1 || $NF != "z"' >one.csv
tail -n 1 three.csv | sed 's/.$/w/' >>one.csv
for method in dlsr dlsr-fs lsr lda 1nn; do
    run "$PARE" fit one.csv -m $method
    expect_exit 0
    check "the constant feature is selected" test -z "$(grep flat .stdout)"
done

case_begin "the nearest neighbour decides where it was asked to"
for method in dlsr dlsr-fs lsr lda; do
    run "$PARE" fit three.csv -m $method --predict 1nn -o near.json
    expect_exit 0
    check "no neighbours" grep -q '"neighbours"' near.json
    run "$PARE" predict near.json three.csv
    check "a training sample is not its own neighbour" awk -F'\t' '
        BEGIN { getline line < "three.csv"; while ((getline line < "three.csv") > 0) { split(line, f, ","); y[++n] = f[7] } }
        NR > 1 && $2 != y[NR - 1] { wrong = 1 } END { exit wrong }' .stdout
done

case_begin "1nn keeps the training data and refuses -k"
run "$PARE" fit three.csv -m 1nn -o nn.json
expect_exit 0
run "$PARE" predict nn.json three.csv
expect_exit 0
run "$PARE" fit three.csv -m 1nn -k 2
expect_error 2 'k' '1nn does not rank'

case_begin "two classes without an intercept are refused"
run "$PARE" fit two.csv -m dlsr --no-intercept
expect_error 2 'intercept' 'two classes'
run "$PARE" fit three.csv -m dlsr --no-intercept
expect_exit 0

case_begin "a spoiled model of neighbours is refused"
sed 's/"y": *\["[xyz]"/"y":["nobody"/; s/"y":\["[xyz]"/"y":["nobody"/' nn.json >bad.json
run "$PARE" predict bad.json three.csv
expect_error 1 'neighbours'
