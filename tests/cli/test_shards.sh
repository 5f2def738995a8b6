#!/usr/bin/env bash
# Work that is shared out and merged gives the bytes of one run.
. "$(dirname "$0")/harness.sh"

"$PARE" demo -o toy.csv >/dev/null
words=(toy.csv -m svm,corr --folds 4 --null 3 --sizes 2,5 --substitutes 2 --quiet)
"$PARE" path "${words[@]}" -o one.json --report one.html --predictions one.tsv >one.txt
shard() { "$PARE" path "${words[@]}" --shard "$1/7" --checkpoint "s$1.txt"; }
for i in 3 1 7 2 5 4 6; do shard $i; done

case_begin "shards in any order give the bytes of one run"
run "$PARE" merge s2.txt s7.txt s1.txt s3.txt s6.txt s4.txt s5.txt -o two.json --report two.html \
    --predictions two.tsv
expect_exit 0
expect_same_bytes .stdout one.txt
for kind in json html tsv; do expect_same_bytes two.$kind one.$kind; done
run_ok "json" "$PARE" merge s[1-7].txt --json
expect_same_bytes .stdout one.json

case_begin "every shard has its share"
check "a shard has $(grep -c '^[0-9a-f]* [01] ' s1.txt) records" \
    test "$(cat s[1-7].txt | grep -cE '^[0-9a-f]+ [0-9a-f]+ [01] ')" = $((4 * 4 * 2))
for i in 1 2 3 4 5 6 7; do
    lines=$(grep -cE '^[0-9a-f]+ [0-9a-f]+ [01] ' s$i.txt)
    check "shard $i has $lines of 32 jobs" test "$lines" -ge 4 -a "$lines" -le 5
done

case_begin "a lost or damaged shard is named and can be run again alone"
run "$PARE" merge s1.txt s2.txt s4.txt s5.txt s6.txt
expect_error 1 'shard 3, 7 of 7'
sed -i '4s/3f/3e/' s5.txt
run "$PARE" merge s[1-7].txt
expect_error 1 'shard 5 of 7'
shard 5
run_ok "mended" "$PARE" merge s[1-7].txt
expect_same_bytes .stdout one.txt
rm s3.txt && shard 3
run_ok "repeated" "$PARE" merge s[1-7].txt
expect_same_bytes .stdout one.txt

case_begin "shards of other runs are refused"
run "$PARE" merge s1.txt s2.txt s2.txt
expect_error 1 's2.txt and s2.txt are both shard 2 of 7'
"$PARE" path "${words[@]}" --seed 5 --shard 1/7 --checkpoint other.txt
run "$PARE" merge s[2-7].txt other.txt
expect_error 1 'other.txt is the checkpoint of another run'
"$PARE" path "${words[@]}" --shard 1/2 --checkpoint half.txt
run "$PARE" merge s[2-7].txt half.txt
expect_error 1 'half.txt is of 2 shards'
run "$PARE" path "${words[@]}" --shard 2/7 --checkpoint s1.txt
expect_error 1 's1.txt is the checkpoint of shard 1/7'
run "$PARE" merge toy.csv
expect_error 1 'toy.csv is not a checkpoint file'

case_begin "what makes no shard is a usage error"
for wrong in 0/3 4/3 x 1 1/2/3 1/0; do
    run "$PARE" path "${words[@]}" --shard $wrong --checkpoint new.txt
    expect_error 2 "$wrong"
done
run "$PARE" path "${words[@]}" --shard 1/2
expect_error 2 'checkpoint'
run "$PARE" path "${words[@]}" --shard 1/2 --checkpoint new.txt -o x.json
expect_error 2 'merge'
run "$PARE" path - --shard 1/2 --checkpoint new.txt
expect_error 2 'read'
check "something was written" test ! -e new.txt -a ! -e x.json

case_begin "words with blanks, quotes and line breaks come back"
name=$'a "b" \'c\' $x\nd.csv'
cp toy.csv "$name"
"$PARE" path "$name" -m corr --folds 2 --inner 0 --sizes 2 >alone.txt 2>/dev/null
for i in 1 2; do
    "$PARE" path "$name" -m corr --folds 2 --inner 0 --sizes 2 --quiet --shard $i/2 --checkpoint w$i
done
run_ok "merged" "$PARE" merge w1 w2
expect_same_bytes .stdout alone.txt

# The examples, with what runs them: GNU parallel, and for Slurm a loop that sets its variables.
plain=(toy.csv -m corr --folds 3 --null 2 --sizes 2,5)
"$PARE" path "${plain[@]}" -o plain.json >/dev/null 2>&1
export PARE

case_begin "the example with GNU parallel"
mkdir gnu && cd gnu || exit 1
run sh "$ROOT/examples/shards/parallel.sh" 3 ../toy.csv "${plain[@]:1}"
expect_exit 0
expect_same_bytes path.json ../plain.json
cd ..

# sbatch: starts the tasks of an array on this machine, in another order than their numbers.
cat >sbatch <<'END'
#!/bin/bash
[[ $1 =~ ^--array=([0-9]+)(-([0-9]+))?$ ]] || exit 2
first=${BASH_REMATCH[1]} last=${BASH_REMATCH[3]:-${BASH_REMATCH[1]}}
cpus=$(sed -n 's/^#SBATCH --cpus-per-task=//p' "$2")
shift
for task in $(seq "$last" -1 "$first"); do
    SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=$((last - first + 1)) \
        SLURM_CPUS_PER_TASK=$cpus sh "$@" || exit
done
END
chmod +x sbatch

case_begin "the example for a Slurm array"
mkdir slurm && cd slurm || exit 1
run ../sbatch --array=1-3 "$ROOT/examples/shards/slurm.sh" ../toy.csv "${plain[@]:1}"
expect_exit 0
run "$PARE" merge shard-*.txt -o path.json
expect_exit 0
expect_same_bytes path.json ../plain.json
rm shard-2.txt path.json # the node was lost
PARTS=3 run ../sbatch --array=2 "$ROOT/examples/shards/slurm.sh" ../toy.csv "${plain[@]:1}"
run "$PARE" merge shard-*.txt -o path.json
expect_exit 0
expect_same_bytes path.json ../plain.json
cd ..

case_begin "the example with joblib"
mkdir joblib && cd joblib || exit 1
run /usr/bin/python3 "$ROOT/examples/shards/joblib_shards.py" 2 ../toy.csv "${plain[@]:1}"
expect_exit 0
expect_same_bytes path.json ../plain.json
cd ..

case_begin "the example with Dask"
if /usr/bin/python3 -c 'import dask' 2>/dev/null; then
    mkdir dask && cd dask || exit 1
    run /usr/bin/python3 "$ROOT/examples/shards/dask_shards.py" 2 ../toy.csv "${plain[@]:1}"
    expect_exit 0
    expect_same_bytes path.json ../plain.json
    cd ..
else
    echo "python3-dask is not here: the example was not run"
    check "" true
fi
