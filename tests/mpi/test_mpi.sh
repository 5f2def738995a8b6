#!/usr/bin/env bash
# Several ranks through MPI: the bytes of one process, from every kind of file, and what goes wrong.
. "$(dirname "$0")/../cli/harness.sh"

if ! command -v mpirun >/dev/null || ! ldd "$PARE" | grep -q libmpi; then
    case_begin "MPI is not here: nothing of it was tested"
    check "" true
    exit 0
fi
export OMP_WAIT_POLICY=passive OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
# ranks N WORD...: pare as N ranks.
ranks() { mpirun --allow-run-as-root --oversubscribe -np "$1" "$PARE" "${@:2}"; }

/usr/bin/python3 - <<'END'
import numpy, struct
r = numpy.random.default_rng(1)
n, d = 40, 5000
x = r.normal(size=(n, d)); y = numpy.arange(n) % 2
x[:, :4] += 1.5 * y[:, None]
x = numpy.round(x, 3)
numpy.save("wide.npy", numpy.asfortranarray(x))
numpy.save("rows.npy", numpy.ascontiguousarray(x))
open("labels.txt", "w").write("\n".join("ab"[k] for k in y) + "\n")
g = r.integers(0, 3, size=(n, 300)); g[:, 7] = 2 * y
codes = numpy.array([3, 2, 0])[g]
bed = bytearray([0x6c, 0x1b, 1])
for j in range(300):
    for i in range(0, n, 4):
        bed.append(sum(int(codes[i + q, j]) << 2 * q for q in range(4) if i + q < n))
open("snp.bed", "wb").write(bytes(bed))
open("snp.bim", "w").write("".join(f"1 rs{j} 0 {j + 1} A C\n" for j in range(300)))
open("snp.fam", "w").write("".join(f"f{i} i{i} 0 0 1 {y[i] + 1}\n" for i in range(n)))
END
"$PARE" convert wide.npy wide.pare --labels labels.txt --quiet
"$PARE" convert wide.pare wide.csv --quiet

case_begin "linear fits have the bytes of one process, from every kind of file"
np=2
for words in "l2-arom wide.pare" "l1-svm wide.npy --labels labels.txt" "svm-rfe snp.bed" \
    "dlsr-fs wide.csv" "corr rows.npy --labels labels.txt" "logistic wide.pare --scale robust"; do
    read -r method words <<<"$words"
    # shellcheck disable=SC2086
    "$PARE" fit $words -m "$method" -k 5 --quiet -o one.json >one.txt
    # shellcheck disable=SC2086
    run ranks $np fit $words -m "$method" -k 5 --quiet -o two.json
    expect_exit 0
    expect_same_bytes .stdout one.txt
    expect_same_bytes two.json one.json
    np=$((np % 4 + 1))
    ((np > 1)) || np=2
done

case_begin "a path has the bytes of one process, with folds at once"
words=(wide.pare -m l2-arom,l1-svm,corr,svm-rfe --folds 3 --inner 2 --sizes 2,5 --null 1 --substitutes 2)
"$PARE" path "${words[@]}" -o path.json --report one.html >one.txt 2>/dev/null
run ranks 3 path "${words[@]}" --threads 2 -o two.json --report two.html
expect_exit 0
expect_same_bytes .stdout one.txt
expect_same_bytes two.json path.json
expect_same_bytes two.html one.html

case_begin "a checkpoint goes on with another number of ranks"
run ranks 2 path "${words[@]}" --checkpoint kept.txt -o two.json
expect_exit 0
expect_same_bytes two.json path.json
head -n 7 kept.txt >half.txt
run ranks 3 path "${words[@]}" --checkpoint half.txt -o two.json
expect_exit 0
expect_same_bytes two.json path.json
check "the checkpoint has other results" diff <(sort -u kept.txt | grep .) <(sort -u half.txt | grep .)
for i in 1 2; do "$PARE" path "${words[@]}" --quiet --shard $i/2 --checkpoint s$i.txt; done
run ranks 2 merge s1.txt s2.txt -o two.json
expect_exit 0
expect_same_bytes two.json path.json

case_begin "a model is checked by ranks"
"$PARE" fit wide.pare -m l2-arom -k 5 --quiet -o model.json >/dev/null
"$PARE" check model.json wide.pare >one.txt
run ranks 2 check model.json wide.pare
expect_exit 0
expect_same_bytes .stdout one.txt

# pare's own lines, without what mpirun says about the end of a job
own_lines() { grep -c '^pare: ' <<<"$run_err"; }
case_begin "an error is said once"
run ranks 3 fit nowhere.csv -m svm
check "exit 0" test "$run_code" -ne 0
expect_stderr_contains 'nowhere.csv'
check "said $(own_lines) times: $run_err" test "$(own_lines)" -eq 1
run ranks 2 fit wide.pare -m svmm
check "said $(own_lines) times: $run_err" test "$(own_lines)" -eq 1

case_begin "more ranks than features"
printf 'a,b,class\n1,2,x\n2,1,y\n3,1,x\n1,0,y\n' >two.csv
run ranks 3 fit two.csv -m svm
expect_stderr_contains '3 ranks are more than the 2 features of two.csv'
check "said $(own_lines) times" test "$(own_lines)" -eq 1

case_begin "ranks that see different files"
for i in 0 1; do mkdir -p see$i && cp wide.pare labels.txt wide.npy see$i; done
/usr/bin/python3 - <<'END'
import numpy
x = numpy.load("see1/wide.npy"); x[3, 4000] += 1; numpy.save("see1/wide.npy", x)
END
# see WORD...: two ranks, each in a folder of its own.
see() {
    mpirun --allow-run-as-root --oversubscribe -np 2 bash -c 'cd see$OMPI_COMM_WORLD_RANK && exec "$@"' \
        pare "$PARE" "$@"
}
run see fit wide.npy --labels labels.txt -m corr
check "exit 0" test "$run_code" -ne 0
expect_stderr_contains 'see different files: wide.npy differs in features'
check "said $(own_lines) times" test "$(own_lines)" -eq 1
cp wide.npy see1
sed -i 1s/a/b/ see1/labels.txt
run see fit wide.npy --labels labels.txt -m corr
expect_stderr_contains 'rank 1 sees another wide.npy than rank 0'
rm see1/wide.npy
run see fit wide.npy --labels labels.txt -m corr
expect_stderr_contains 'rank 1: '
check "said $(own_lines) times: $run_err" test "$(own_lines)" -eq 1

case_begin "what ranks do not do is refused by name"
run ranks 2 predict model.json wide.csv
expect_stderr_contains 'pare predict runs as one process'
run ranks 2 fit wide.pare -m svm --time-limit 5
expect_stderr_contains 'time-limit'
"$PARE" convert two.csv two.svm --quiet
run ranks 2 fit two.svm -m svm
expect_stderr_contains 'sparse'
check "said $(own_lines) times: $run_err" test "$(own_lines)" -eq 1

case_begin "a rank that dies ends the job within seconds"
ranks 3 path "${words[@]}" --null 5000 --checkpoint dead.txt -o dead.json >/dev/null 2>dead.err &
job=$!
check "no fit in the checkpoint" wait_until has_lines dead.txt 7
victim=$(pgrep -P "$job" | while read -r a; do
    grep -qz '^OMPI_COMM_WORLD_RANK=2$' "/proc/$a/environ" && echo "$a"
    pgrep -P "$a" | while read -r b; do grep -qz '^OMPI_COMM_WORLD_RANK=2$' "/proc/$b/environ" && echo "$b"; done
done | head -n 1)
kill -KILL "$victim"
start=$SECONDS
code=0
wait "$job" || code=$?
check "the job went on for $((SECONDS - start)) s" test $((SECONDS - start)) -le 10
check "exit 0" test "$code" -ne 0
check "no sentence: $(cat dead.err)" grep -qi 'rank 2' dead.err
check "a result was left" test ! -e dead.json
run "$PARE" path "${words[@]}" --checkpoint dead.txt -o two.json
expect_exit 0
expect_same_bytes two.json path.json

case_begin "a rank holds its part of X"
/usr/bin/python3 - <<'END'
import numpy
x = numpy.random.default_rng(2).normal(size=(100, 200000))
x[::2, :3] += 2
numpy.save("big.npy", numpy.ascontiguousarray(x))
open("big.txt", "w").write("\n".join("ab"[k % 2] for k in range(100)) + "\n")
END
# most N: the most megabytes that a rank but the first one, which reads the file, took
most() { sed -n 's/^pare: .* ranks: .*, others at most \([0-9.e+]*\) MB.*/\1/p' <<<"$run_err"; }
run ranks 4 fit big.npy --labels big.txt -m l2-arom -k 3 --scale none --verbose
expect_exit 0
check "a rank took '$(most)' MB: X has 160, a rank of four 40" awk -v m="$(most)" 'BEGIN { exit !(m > 40 && m < 130) }'
