#!/bin/bash
# AnnData's .h5ad and the .h5 of 10x, as anndata and Cell Ranger lay them out.
. "$(dirname "$0")/harness.sh"

/usr/bin/python3 - <<'PY'
import h5py, numpy as np
rng = np.random.default_rng(2)
n, d = 31, 40
X = rng.poisson(0.7, (n, d)).astype("f4")
label = np.array(["B", "NK", "T"])[rng.integers(0, 3, n)]
X[label == "T", 3] += 5
X[label == "B", 7] += 6
code = np.searchsorted(["B", "NK", "T"], label).astype("i1")
code[4] = -1
text = h5py.string_dtype()
def compressed(M):
    keep = [np.flatnonzero(row) for row in M]
    return (np.concatenate([r[k] for r, k in zip(M, keep)]), np.concatenate(keep).astype("i4"),
            np.cumsum([0] + [len(k) for k in keep]).astype("i4"))
def h5ad(path, X, kind="array", old=False, drop=(), index="_index"):
    with h5py.File(path, "w") as f:
        f.attrs["encoding-type"] = "anndata"
        if kind == "array":
            f["X"] = X
        else:
            g = f.create_group("X")
            g.attrs["encoding-type"] = kind + "_matrix"
            g.attrs["shape"] = X.shape
            g["data"], g["indices"], g["indptr"] = compressed(X if kind == "csr" else X.T)
        obs, var = f.create_group("obs"), f.create_group("var")
        obs.attrs["_index"] = index
        var.attrs["_index"] = "_index"
        obs[index] = np.array(["c%d" % i for i in range(n)], dtype=text)
        var["_index"] = np.array(["ENSG%d" % j for j in range(d)], dtype=text)
        if old:  # before anndata 0.8
            obs["type"] = code
            obs.create_group("__categories")["type"] = np.array(["B", "NK", "T"], dtype=text)
        else:
            t = obs.create_group("type")
            t.attrs["encoding-type"] = "categorical"
            t["codes"], t["categories"] = code, np.array(["B", "NK", "T"], dtype=text)
        obs["w"] = np.arange(1, n + 1) / 4
        obs["plain"] = np.array(label, dtype=text)
        obs["good"] = label == "T"
        for name in drop:
            del f[name]
h5ad("dense.h5ad", X)
h5ad("double.h5ad", X.astype("f8"), index="cell")
h5ad("whole.h5ad", X.astype("i8"), old=True)
h5ad("csr.h5ad", X, "csr")
h5ad("csc.h5ad", X, "csc")
h5ad("odd.h5ad", X, "coo")
h5ad("lines.h5ad", X, "c\no\no")
h5ad("index.h5ad", X)
with h5py.File("index.h5ad", "r+") as f: f["obs"].attrs["_index"] = "c\nell"
h5ad("column.h5ad", X)
with h5py.File("column.h5ad", "r+") as f: f["obs/a\nb"] = f["obs/w"][:]
h5ad("lacks.h5ad", X, drop=["var"])
h5ad("nan.h5ad", np.where(X == 3, np.nan, X))
h5ad("bad.h5ad", X, "csr")
with h5py.File("bad.h5ad", "r+") as f: f["X/indices"][5] = d
h5ad("short.h5ad", X, "csr", drop=["X/indptr"])
h5ad("twice.h5ad", X)
with h5py.File("twice.h5ad", "r+") as f: f["var/_index"][5] = "ENSG4"
def promise(path, place, **of):
    h5ad(path, X, drop=[place])
    with h5py.File(path, "r+") as f: f.create_dataset(place, **of)
promise("many.h5ad", "obs/_index", shape=(1 << 33,), dtype="S4", chunks=(1 << 16,))
promise("long.h5ad", "obs/_index", shape=(n,), dtype="S100000000")
promise("codes.h5ad", "obs/type/codes", shape=(1 << 33,), dtype="i1", chunks=(1 << 16,))
with h5py.File("entries.h5ad", "w") as f:
    x, most = f.create_group("X"), 1 << 40
    x.attrs["encoding-type"], x.attrs["shape"] = "csr_matrix", [2, 3]
    x["indptr"] = np.array([0, most, most], dtype=np.int64)
    for name, kind in ("indices", "i4"), ("data", "f8"):
        x.create_dataset(name, shape=(most,), dtype=kind, chunks=(1 << 20,))
    for name, ids in ("obs", [b"a", b"b"]), ("var", [b"x", b"y", b"z"]):
        table = f.create_group(name)
        table.attrs["_index"], table["i"] = "i", np.array(ids)
    f["obs"]["type"] = np.array([1, 2])
def tenx(path, group, ids):
    with h5py.File(path, "w") as f:
        g = f.create_group(group)
        g["barcodes"] = np.array([b"c%d" % i for i in range(n)])
        g["data"], g["indices"], g["indptr"] = compressed(X.astype("i4"))
        g["shape"] = np.array([d, n], "i4")
        g.create_dataset(ids, data=np.array([b"ENSG%d" % j for j in range(d)]))
tenx("three.h5", "matrix", "features/id")
tenx("two.h5", "GRCh38", "genes")
def table(path, rows, target, extra=""):
    with open(path, "w") as f:
        f.write("," + ",".join("ENSG%d" % j for j in range(d)) + ",t\n")
        for i in rows:
            f.write("c%d," % i + ",".join("%g" % v for v in X[i]) + ",%s\n" % target[i])
table("type.csv", [i for i in range(n) if i != 4], label)
table("plain.csv", range(n), label)
with open("weights.csv", "w") as f:
    f.write("cell,w,label\n" + "".join("c%d,%g,%s\n" % (i, (i + 1) / 4, label[i]) for i in reversed(range(n))))
PY

case_begin "AnnData gives the bytes that its table gives"
run_ok table "$PARE" fit type.csv --target t -m anova -k 3 --storage dense -o table.json
for file in dense double whole csr csc; do
    run_ok "$file" "$PARE" fit $file.h5ad --target type -m anova -k 3 --storage dense -o own.json
    expect_stderr_contains '1 of 31 samples have no target'
    expect_same_bytes own.json table.json
done
run_ok "plain texts" "$PARE" fit csr.h5ad --target plain -m anova -k 3 --storage dense -o own.json
run_ok "their table" "$PARE" fit plain.csv --target t -m anova -k 3 -o table.json
expect_same_bytes own.json table.json
run_ok predict "$PARE" predict own.json dense.h5ad -o own.tsv
run_ok "predict the table" "$PARE" predict own.json plain.csv -o table.tsv
expect_same_bytes own.tsv table.tsv
run_ok "truth values" "$PARE" info dense.h5ad --target good
expect_stdout_contains '  True	'
run_ok "no target is guessed" "$PARE" info dense.h5ad
expect_stdout_contains 'target	none'
run_ok "a column of weights" "$PARE" fit dense.h5ad --target plain --weights w -m anova -k 3 -o own.json
run_ok "the same from a table" "$PARE" fit dense.h5ad --labels weights.csv --target label --id cell --weights weights.csv:w -m anova -k 3 -o table.json
expect_same_bytes own.json table.json
run_ok "floats stay floats" "$PARE" info dense.h5ad --target type
expect_stdout_contains 'storage	float32'
run_ok "sparse stays sparse" "$PARE" info csr.h5ad --target type
expect_stdout_contains 'storage	sparse'

case_begin "10x as HDF5, versions 2 and 3"
run_ok table "$PARE" fit plain.csv --target t -m chi2 -k 3 --storage sparse -o table.json
for file in two three; do
    run_ok $file "$PARE" fit $file.h5 --labels weights.csv --target label --id cell -m chi2 -k 3 -o own.json
    expect_same_bytes own.json table.json
done

case_begin "HDF5 that is not as it should be"
run "$PARE" fit dense.h5ad --target nothing -m anova
expect_error 1 'dense.h5ad' '"nothing"' 'type' 'plain'
run "$PARE" info odd.h5ad
expect_error 1 'odd.h5ad' '"coo_matrix"' 'csr or csc'
run "$PARE" info lines.h5ad
expect_error 1 'lines.h5ad: X is "c\no\no_matrix", it must be'
run "$PARE" info index.h5ad
expect_error 1 'index.h5ad: /obs/c\nell is not as it should be'
run "$PARE" info column.h5ad --target nothing
expect_error 1 'it has: a\nb good'
for file in many long codes entries; do
    run timeout 20 "$PARE" info $file.h5ad --target type --memory 50M
    expect_error 1 "$file.h5ad needs" 'bytes of memory, the limit is'
done
run "$PARE" info lacks.h5ad
expect_error 1 'lacks.h5ad' 'var'
run "$PARE" fit nan.h5ad --target type -m anova
expect_error 1 'nan.h5ad' 'missing'
for file in bad short; do
    run "$PARE" info $file.h5ad
    expect_error 1 "$file.h5ad" 'X'
done
run "$PARE" info twice.h5ad
expect_error 1 'twice.h5ad' 'ENSG4' 'same name'
head -c 3000 csr.h5ad >cut.h5ad
run "$PARE" info cut.h5ad
expect_error 1 'cut.h5ad' 'no HDF5 file'
run "$PARE" info plain.csv --format h5
expect_error 1 'plain.csv' 'no HDF5 file'
run "$PARE" info - --format h5ad <csr.h5ad
expect_error 2 'plain file'
run "$PARE" fit csr.h5ad --target type --drop ENSG1 -m anova
expect_error 2 'csr.h5ad' 'drop'
