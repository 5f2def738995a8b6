#!/bin/bash
# Data that stay in their file: PLINK genotypes, the native format, .npy larger than memory may take.
. "$(dirname "$0")/harness.sh"

python3 - <<'PY'
import random, struct
rng = random.Random(3)
n, d = 37, 90
geno = [[rng.randrange(3) for _ in range(d)] for _ in range(n)]
lost = [[rng.random() < 0.02 for _ in range(d)] for _ in range(n)]
case = [2 if g[3] + g[7] - g[11] + rng.gauss(0, 0.3) > 1 else 1 for g in geno]
def bed(path, lost):
    out = bytearray(b"\x6c\x1b\x01")
    for j in range(d):
        for i in range(0, n, 4):
            out.append(sum((1 if lost and lost[k][j] else (3, 2, 0)[geno[k][j]]) << 2 * (k - i)
                           for k in range(i, min(n, i + 4))))
    open(path + ".bed", "wb").write(out)
    with open(path + ".bim", "w") as f:
        for j in range(d):
            f.write("1\t%s\t0\t%d\tA\tG\n" % ("." if j == 5 else "rs%d" % j, 1000 + j))
def fam(path, phenotype):
    with open(path, "w") as f:
        for i in range(n):
            f.write("F%d I%d 0 0 1 %s\n" % (i, i, phenotype[i]))
names = ["rs%d" % j if j != 5 else "1:1005:A:G" for j in range(d)]
def table(path, keep, lost, target):
    with open(path, "w") as f:
        f.write("id," + ",".join(names) + ",y\n")
        for i in keep:
            f.write("I%d," % i + ",".join("" if lost and lost[i][j] else str(geno[i][j]) for j in range(d)) + ",%s\n" % target[i])
bed("g", lost); bed("whole", None); bed("number", None); bed("none", None)
fam("g.fam", [-9 if i == 4 else 0 if i == 9 else case[i] for i in range(n)])
fam("whole.fam", case)
value = [round(sum(g[:4]) + rng.gauss(0, 0.1), 3) for g in geno]; value[2] = 0
fam("number.fam", [-9 if i == 4 else value[i] for i in range(n)])
fam("none.fam", [-9] * n)
table("g.csv", [i for i in range(n) if i not in (4, 9)], lost, case)
table("whole.csv", range(n), None, case)
table("number.csv", [i for i in range(n) if i != 4], None, value)
# 80 MB in columns
n, d = 400, 100000
head = ("{'descr': '<i2', 'fortran_order': True, 'shape': (%d, %d), }" % (n, d)).encode()
with open("big.npy", "wb") as f:
    f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + head + b" " * (117 - len(head)) + b"\n")
    for _ in range(100):
        f.write(rng.randbytes(2 * n * d // 100))
with open("big.labels", "w") as f:
    f.writelines("%d\n" % (i % 2) for i in range(n))
with open("rows.npy", "wb") as f:
    head = head.replace(b"True", b"False")
    f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + head + b" " * (117 - len(head)) + b"\n" + bytes(2 * n * d))
PY

# Sums over packed genotypes are rounded otherwise than those over numbers.
cat >close.py <<'PY'
import json, sys
def load(path):
    text = open(path).read()
    if path.endswith("json"):
        return json.loads(text)
    return [[float(c) if c.lstrip("-")[:1].isdigit() else c for c in line.split("\t")] for line in text.splitlines()]
def close(a, b, at):
    if isinstance(a, dict):
        assert a.keys() == b.keys(), at
        for k in a: close(a[k], b[k], at + "." + k)
    elif isinstance(a, list):
        assert len(a) == len(b), at
        for i, (p, q) in enumerate(zip(a, b)): close(p, q, "%s[%d]" % (at, i))
    elif isinstance(a, float) and isinstance(b, (int, float)):
        small = "certificate" in at or "dual" in at # a gap is rounding, a multiplier may be 0
        assert abs(a - b) <= (1e-6 if small else 1e-9 * max(abs(a), abs(b))) + 1e-12, (at, a, b)
    else:
        assert a == b, (at, a, b)
a, b = (load(p) for p in sys.argv[1:3])
for x in (a, b):
    if isinstance(x, dict): x.pop("iterations", 0)
if len(sys.argv) > 3: a, b = a[sys.argv[3]], b[sys.argv[3]]
close(a, b, "")
PY
expect_close() {
    check "$1 and $2 differ" python3 close.py "$@"
}

case_begin "genotypes give what their table gives"
for file in whole g number; do
    method=svm-rfe
    [[ $file == number ]] && method=lasso
    run_ok "$file.bed" "$PARE" fit $file.bed -m $method -k 4 --missing mean -o bed.json
    [[ $file == whole ]] || expect_stderr_contains 'samples have no target and are left out'
    run_ok "$file.csv" "$PARE" fit $file.csv --id id --target y -m $method -k 4 --missing mean -o csv.json
    expect_close bed.json csv.json
    run_ok "predict $file" "$PARE" predict bed.json $file.bed -o bed.tsv
    run_ok "predict $file by name" "$PARE" predict bed.json whole.csv --id id -o csv.tsv
    [[ $file == g ]] || expect_close bed.tsv csv.tsv
    run_ok "check $file" "$PARE" check bed.json $file.csv --id id --target y
done
run_ok "all phenotypes missing" "$PARE" info none.bed
expect_stdout_contains 'target	none'
run_ok "path" "$PARE" path g.bed -m corr,anova --sizes 3,4 --folds 3 --missing mean -o bed.json
run_ok "path of the table" "$PARE" path g.csv --id id --target y -m corr,anova --sizes 3,4 --folds 3 --missing mean -o csv.json
check "another curve" python3 - <<'PY'
import json
a, b = (json.load(open(f))["runs"] for f in ("bed.json", "csv.json"))
for p, q in zip(a, b):
    for x, y in zip(p["points"], q["points"]):
        assert x["n_features"] == y["n_features"] and abs(x["mean"] - y["mean"]) < 1e-9, (x["mean"], y["mean"])
PY

case_begin "genotypes that are not as they should be"
run "$PARE" fit g.bed -m corr -k 2
expect_error 1 'g.bed' 'missing'
head -c 600 g.bed >cut.bed && cp g.bim cut.bim
run "$PARE" info cut.bed
expect_error 1 'cut.fam'
cp g.fam cut.fam
run "$PARE" info cut.bed
expect_error 1 'cut.bed has 600 bytes' '37 samples' '90 variants' 'take 903'
{ printf '\x6c\x1b\x00' && tail -c +4 g.bed; } >cut.bed
run "$PARE" info cut.bed
expect_error 1 'sample-major' 'make-bed'
printf 'no genotypes' >cut.bed
run "$PARE" info cut.bed
expect_error 1 'does not begin as a PLINK'
echo '1 rs1 0 5 A' >cut.bim
run "$PARE" info cut.bed
expect_error 1 'cut.bim' 'line 1' 'six fields'
gzip -kf g.bed
run "$PARE" info g.bed.gz
expect_error 2 'not compressed'

case_begin "the native format holds all and changes nothing"
run_ok convert "$PARE" convert g.bed g.pare
run_ok "fit in place" "$PARE" fit g.pare -m svm-rfe -k 4 --missing mean -o pare.json
run_ok "fit the table" "$PARE" fit g.csv --id id --target y -m svm-rfe -k 4 --missing mean -o csv.json
expect_close pare.json csv.json
run_ok "genotypes stay two bits" "$PARE" convert whole.csv two.pare --id id --target y
check "two bits each" test "$(stat -c %s two.pare)" -lt 6000
run_ok "back" "$PARE" convert two.pare back.csv
run_ok "from the table" "$PARE" convert whole.csv again.csv --id id --target y
expect_same_bytes back.csv again.csv
for value in '-3 77' '1e5 3' '0.5 1.25' '0.1 1e30' '-0.123 0.7' '0.1 6553.5' '0.12345 2'; do
    set -- $value
    printf 'a,b,class,w\n%s,1,p,1\n%s,4,q,2.5\n7,0,p,0\n1,1,q,1\n' "$1" "$2" >some.csv
    run_ok "$value" "$PARE" convert some.csv some.pare --target class --weights w
    run_ok "$value fit" "$PARE" fit some.pare -m svm -o some.json
    run_ok "$value table" "$PARE" fit some.csv --target class --weights w -m svm -o table.json
    expect_same_bytes some.json table.json
done
python3 - <<'PY'
with open("beta.csv", "w") as f:
    f.write(",".join("s%d" % j for j in range(40)) + ",y\n")
    for i in range(100):
        f.write(",".join("%.3f" % (((i * 40 + j) * 7919 % 1000) / 1000) for j in range(40)) + ",%d\n" % (i % 2))
PY
run_ok decimals "$PARE" convert beta.csv beta.pare
check "two bytes each" test "$(stat -c %s beta.pare)" -lt 13000
run_ok "decimals back" "$PARE" convert beta.pare back.csv
run_ok "decimals themselves" "$PARE" convert beta.csv again.csv
expect_same_bytes back.csv again.csv
run_ok "fit decimals in place" "$PARE" fit beta.pare -m l2-arom -k 3 -o pare.json
run_ok "fit decimals" "$PARE" fit beta.csv -m l2-arom -k 3 -o csv.json
expect_same_bytes pare.json csv.json
printf '1 2:1 5:3\n0 1:2\n1 5:1 7:0.1\n0 3:4\n' >sparse.svm
run_ok sparse "$PARE" convert sparse.svm sparse.pare
run_ok "sparse stays sparse" "$PARE" info sparse.pare
expect_stdout_contains 'storage	sparse'
run_ok "sparse back" "$PARE" convert sparse.pare back.svm
run_ok "sparse itself" "$PARE" convert sparse.svm same.svm
expect_same_bytes back.svm same.svm

case_begin "what is in a file is described without reading it"
run_ok "info" "$PARE" info g.pare
expect_stdout_contains 'missing	some'
expect_stdout_contains 'not counted	nonzeros, missing, constant features'
run_ok "info, json" "$PARE" info g.pare --json
expect_stdout_contains '"nonzeros": null'
run_ok "info --whole" "$PARE" info g.pare --whole
grep -v storage <<<"$run_out" >whole.txt
run_ok "info of the table" "$PARE" info g.csv --id id --target y --whole
grep -v storage <<<"$run_out" >table.txt
expect_same_bytes whole.txt table.txt
run "$PARE" fit g.pare -m corr --whole
expect_error 2 'whole'
run_ok "passes" "$PARE" fit g.pare -m corr -k 2 --missing mean --verbose
expect_stderr_contains 'X was read'

case_begin "a native file that was changed is never believed"
size=$(stat -c %s g.pare)
for at in 20 300 $((size - 300)) $((size - 5)); do
    cp g.pare hurt.pare
    python3 - "$at" <<'PY'
import sys
with open("hurt.pare", "r+b") as f:
    f.seek(int(sys.argv[1])); b = f.read(1)[0]
    f.seek(int(sys.argv[1])); f.write(bytes([b ^ 2]))
PY
    run "$PARE" fit hurt.pare -m corr -k 3 --missing mean -o hurt.json
    check "byte $at: exit $run_code: $run_err" test "$run_code" -eq 1
    expect_stderr_contains 'changed'
    expect_no_file hurt.json
done
head -c $((size - 1)) g.pare >cut.pare
run "$PARE" info cut.pare
expect_error 1 'cut.pare has' 'its header says'
head -c 100 g.pare >cut.pare
run "$PARE" info cut.pare
expect_error 1 'cut.pare' 'ends too early'
run "$PARE" info whole.csv --format pare
expect_error 1 'does not begin as a .pare'
run "$PARE" info - --format pare <g.pare
expect_error 2 'read in place'

case_begin "an array four times as large as memory may take"
cat >peak.py <<'PY'
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
PY
base=$(python3 peak.py "$PARE" fit two.pare -m l2-arom -k 3)
for method in corr l2-arom; do
    run_ok "$method in memory" "$PARE" fit big.npy --labels big.labels -m $method -k 5 -o memory.json
    run_ok "$method" python3 peak.py "$PARE" fit big.npy --labels big.labels -m $method -k 5 --memory 20M -o disk.json
    expect_stderr_contains 'big.npy is larger than memory may take'
    expect_same_bytes memory.json disk.json
    # what does not grow with the data takes up to 32 MB; instrumented builds have memory of their own
    [[ $BUILD == *san* ]] || check "$method takes $((run_out - base)) kB more than a small fit" test "$((run_out - base))" -lt $(((20 + 32) * 1024))
done
run "$PARE" fit rows.npy --labels big.labels -m corr -k 5 --memory 20M
expect_error 1 'rows.npy' 'memory'
