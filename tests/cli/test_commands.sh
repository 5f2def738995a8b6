#!/usr/bin/env bash
# Every command on small data: what it prints, what it writes, that one leads to the next.
. "$(dirname "$0")/harness.sh"

"$PARE" demo -o toy.csv >demo.txt 2>&1

case_begin "both outcomes are printed, in words"
run_ok "demo" "$PARE" demo -o outcomes.csv
for kind in "svm-rfe greedy greedy search, without a guarantee" "corr computed computed by a formula"; do
    read -r method word text <<<"$kind"
    run_ok "fit" "$PARE" fit outcomes.csv -m "$method" -k 3 -o outcomes.json
    expect_stdout_contains $'# selection outcome\t'"$word"$'\t'"$text"
    expect_stdout_contains $'# outcome\toptimal\toptimal to the tolerance'
    run_ok "check" "$PARE" check outcomes.json outcomes.csv
    expect_stdout_contains $'selection outcome\t'"$word"$'\t'"$text"
    expect_stdout_contains $'outcome\toptimal\toptimal to the tolerance'
    sed "s/\"outcome\": *\"$word\"/\"outcome\": \"optimal\"/" outcomes.json >forged.json
    run "$PARE" check forged.json outcomes.csv
    expect_exit 1
    expect_stderr_contains '"outcome" is not what the data give'
done

case_begin "which class is positive stands on one line"
for positive in -1 +1; do
    run_ok "fit" "$PARE" fit outcomes.csv -m svm -k 2 --positive "$positive"
    check "fit: $positive" grep -qxF $'# positive\t'"$positive" <<<"$run_out"
    run_ok "path" "$PARE" path outcomes.csv -m corr --sizes 2 --inner 0 --folds 3 --positive "$positive"
    check "path: $positive" grep -qxF $'# positive\t'"$positive" <<<"$run_out"
done

case_begin "no count of one has a plural, by any method"
awk -F, -v OFS=, 'NR == 1 { print "c1,c2,c3,c4,y"; next } { for (i = 1; i < 5; i++) printf "%.3f,", $i < 0 ? -$i : $i; print $5 }' outcomes.csv >single.csv
for method in $("$PARE" methods | cut -d' ' -f1); do
    for task in classify regress rank; do
        labels=""
        [[ $task == regress ]] || labels="--labels single.labels"
        cut -d, -f101 outcomes.csv | tail -n +2 >single.labels
        # shellcheck disable=SC2086
        "$PARE" fit single.csv --target y $labels --task $task -m "$method" -k 1 --max-correlation 0.9 >single.out 2>&1 || continue
        check "$method, $task: $(grep -E '(^|[^0-9.])1 (features|samples|groups|classes|columns|linear programs)\b' single.out)" \
            test -z "$(grep -E '(^|[^0-9.])1 (features|samples|groups|classes|columns|linear programs)\b' single.out)"
    done
done

case_begin "a reader that has seen enough is no error"
for command in 'methods --json' 'help fit' methods; do
    "$PARE" $command 2>said | head -c 100 >/dev/null
    check "pare $command: $(cat said)" test ! -s said
done

case_begin "the demonstration finds the truth and leaves its data"
run "$PARE" demo
expect_exit 0
expect_stdout_contains "8 of 8 are true"
expect_stdout_contains "final classifier on these: objective"
expect_file toy.csv
check "the same seed prints the same" cmp demo.txt .stdout

case_begin "help of every command"
for command in fit predict check methods info convert demo; do
    run "$PARE" help $command
    expect_exit 0
    expect_stdout_contains "Usage: pare $command"
    run "$PARE" $command --help
    expect_stdout_contains "Usage: pare $command"
done
run "$PARE" --help
expect_stdout_contains "pare fit DATA"
run "$PARE" --version
expect_stdout_contains "pare "

case_begin "methods lists all, and each with its settings and defaults"
run "$PARE" methods
expect_stdout_contains "svm"
expect_stdout_contains "corr"
run "$PARE" methods svm
expect_stdout_contains "--classifier-C"
expect_stdout_contains "default: 1]"
run "$PARE" methods --json
expect_stdout_contains '"name": "svm"'

case_begin "info tells size, storage and classes"
run "$PARE" info toy.csv
expect_stdout_contains "samples	60"
expect_stdout_contains "features	100"
expect_stdout_contains "2 classes"
run "$PARE" info toy.csv --json
expect_stdout_contains '"n_samples": 60'

case_begin "fit prints a table behind comment lines"
run "$PARE" fit toy.csv -m svm -k 3 --target class
expect_exit 0
expect_stdout_contains "# n	60"
expect_stdout_contains "# d	100"
expect_stdout_contains "# certificate	duality_gap"
expect_stdout_contains "rank	name	index	score	weight"
check "three features" test "$(grep -vc '^#\|^rank' .stdout)" -eq 3
expect_stderr_empty

case_begin "the model file is what --json prints, on any number of threads"
run "$PARE" fit toy.csv -m svm -k 3 --json -o model.json
cp .stdout printed.json
expect_same_bytes printed.json model.json
run "$PARE" fit toy.csv -m svm -k 3 --threads 7 -o model7.json
expect_same_bytes model.json model7.json
check "no time, threads or paths in it" bash -c '! grep -qE "seconds|threads|toy.csv" model.json'
run "$PARE" fit toy.csv -m svm --timing --json
expect_stdout_contains '"seconds": '

case_begin "the ranking file holds all features"
run "$PARE" fit toy.csv -m corr -k 2 --ranking ranking.tsv
check "100 rows and a header" test "$(wc -l <ranking.tsv)" -eq 101

case_begin "predict matches columns by name and needs no others"
run "$PARE" predict model.json toy.csv -o all.tsv
expect_exit 0
expect_stdout_empty
names=$(grep -o '"name":"[^"]*"' model.json | cut -d'"' -f4)
awk -F, -v names="$names" 'NR==1{n=split(names,w,"\n");for(i=1;i<=NF;i++)at[$i]=i}
    {printf "junk"; for(i=n;i>=1;i--) printf ",%s",$(at[w[i]]); print ""}' toy.csv >few.csv
run "$PARE" predict model.json few.csv -o few.tsv
expect_same_bytes all.tsv few.tsv
check "header" grep -qx "sample	prediction	score" <(head -n 1 all.tsv)

case_begin "check holds, and refuses other data"
run "$PARE" check model.json toy.csv
expect_exit 0
expect_stdout_contains "hold"
sed '2s/[0-9]/7/' toy.csv >other.csv
run "$PARE" check model.json other.csv
expect_error 1 "checksum"

case_begin "check finds a model that was tampered with"
sed -E '/"outputs"/s/("intercept":)[^,]*/\19.5/' model.json >forged.json
run "$PARE" check forged.json toy.csv
expect_exit 1
expect_stdout_contains "do not hold"

case_begin "convert goes through every format and back to the same fit"
for to in a.tsv b.svm c.csv.gz d.mtx e.npy; do
    run "$PARE" convert toy.csv $to --quiet
    expect_exit 0
    labels=()
    [[ -e $to.labels ]] && labels=(--labels $to.labels)
    run "$PARE" fit $to "${labels[@]}" -m svm --scale standard --json
    objective=$(sed -n 's/^ "objective": \(.*\),/\1/p' .stdout)
    run "$PARE" fit toy.csv -m svm --scale standard --json
    same=$(sed -n 's/^ "objective": \(.*\),/\1/p' .stdout)
    check "$to: $objective is not $same" awk -v a="$objective" -v b="$same" \
        'BEGIN { exit !(a > 0 && a - b <= 1e-9 * b && b - a <= 1e-9 * b) }'
done

case_begin "standard input and gzip are data too"
run "$PARE" fit - --format csv -m svm -k 3 --json <toy.csv
cp .stdout piped.json
expect_same_bytes piped.json model.json
gzip -k toy.csv
run "$PARE" fit toy.csv.gz -m svm -k 3 --json
cp .stdout zipped.json
expect_same_bytes zipped.json model.json

case_begin "missing values are imputed, dropped or refused"
awk -F, -v OFS=, 'NR==3{$2="NA"} NR==5{$4=""} {print}' toy.csv >holes.csv
run "$PARE" fit holes.csv -m svm
expect_error 1 "holes.csv" "line 3" "column 2"
run "$PARE" fit holes.csv -m svm --missing mean -o imputed.json
expect_exit 0
run "$PARE" predict imputed.json holes.csv
expect_exit 0
run "$PARE" check imputed.json holes.csv
expect_exit 0
run "$PARE" fit toy.csv -m svm -k 3 --missing median -o ready.json
run "$PARE" predict ready.json holes.csv
expect_exit 0
run "$PARE" fit holes.csv -m svm --missing drop
expect_exit 0
expect_stdout_contains "# n	58"
expect_stderr_contains "dropped 2"
run "$PARE" predict model.json holes.csv
expect_error 1 "holes.csv" "line 3" "missing"

case_begin "classes are ordered, the positive one last"
printf 'x,class\n1,b\n2,a\n3,b\n0,a\n' >ab.csv
run "$PARE" fit ab.csv -m svm --json
expect_stdout_contains '"classes": ["a","b"]'
run "$PARE" fit ab.csv -m svm --positive a --json
expect_stdout_contains '"classes": ["b","a"]'

case_begin "hard margins that cannot be are refused with the remedy"
printf 'x,class\n1,b\n1,a\n3,b\n0,a\n' >clash.csv
run "$PARE" fit clash.csv -m svm --C inf -o never.json
expect_error 1 "--ridge" "--C"
expect_no_file never.json

case_begin "limits end with what is there; --strict makes them an error"
run "$PARE" fit toy.csv -m svm --time-limit 1e-9 --json -o stopped.json
expect_exit 0
expect_stdout_contains '"outcome": "time_limit"'
expect_file stopped.json
run "$PARE" check stopped.json toy.csv
expect_exit 0
expect_stdout_contains "the fit was not finished (time_limit)"
expect_stdout_contains "the duality_gap is"
run "$PARE" check stopped.json toy.csv --json
expect_stdout_contains '"finished": false'
run "$PARE" fit toy.csv -m svm --time-limit 1e-9 --strict -o strict.json
expect_error 3 "not converged" "time_limit"
expect_no_file strict.json

case_begin "check says no to a score that is not the method's"
for method in svm corr l2-arom svm-rfe; do
    run_ok "fit $method" "$PARE" fit toy.csv -m "$method" -k 3 -o scored.json
    run_ok "check $method" "$PARE" check scored.json toy.csv
    expect_stdout_contains "the model's own numbers hold"
    /usr/bin/env python3 -c "
import json
m = json.load(open('scored.json'))
m['selected'][1]['score'] *= 1.01
json.dump(m, open('scored.json', 'w'))"
    run "$PARE" check scored.json toy.csv
    expect_exit 1
    expect_stdout_contains 'do not hold: "selected"'
done

case_begin "quiet is silent, verbose tells time and memory"
run "$PARE" fit holes.csv -m svm --missing drop --quiet
expect_exit 0
expect_stderr_empty
run "$PARE" fit toy.csv -m svm --verbose
expect_stderr_contains "seconds"
expect_stderr_contains "MB"

case_begin "Ctrl-C ends with exit 130"
mkfifo pipe
(exec 3>pipe; cat toy.csv >&3; touch opened; exec sleep 60) & # keeps the pipe open: the reader waits for more
writer=$!
bash -c 'trap - INT; exec "$0" fit pipe --format csv -m svm -o never.json' "$PARE" 2>/dev/null &
reader=$!
check "the pipe is not opened" wait_until test -e opened
kill -INT $reader
kill $writer
code=0
wait $reader || code=$?
check "exit $code, not 130" test "$code" -eq 130
expect_no_file never.json

case_begin "a model without features predicts the larger class from any data"
printf 'a,b,class\n1,2,x\n1,2,y\n1,2,x\n' >same.csv
run "$PARE" fit same.csv -m svm -k 1 -o none.json
expect_exit 0
expect_stdout_contains "# note: only 0 of the 2 features are not constant"
printf 'other\nword\n' >word.csv
run "$PARE" predict none.json word.csv
expect_exit 0
expect_stdout_contains "1	x	-1"
run "$PARE" check none.json same.csv
expect_exit 0
