#!/bin/bash
# One small table as the programs that people use write it: each file is read as that table, or rejected
# in one sentence that names what helps. Bytes alone are in tests/unit/test_foreign_text.c.
. "$(dirname "$0")/harness.sh"

printf 'id,a,b,class\ns1,1.5,20,p\ns2,2,NA,q\ns3,-0.25,40,p\ns4,4,50,q\ns5,1000,60,p\ns6,6.5,70,q\n' >table.csv
sed 's/^[^,]*,//' table.csv >plain.csv # without ids
number() { awk -F, -v OFS=, -v name="$1" -v from="${2:-1}" '{$1 = NR == 1 ? name : NR - 2 + from} 1' table.csv; }
number id >numbered.csv
number id 0 >from0.csv

# reads FILE TABLE OPTIONS...: the file with the options holds that table.
reads() {
    local file=$1 table=$2
    shift 2
    run_ok "$file" "$PARE" convert "$file" out.csv --missing keep "$@"
    check "$file is another table: $(head -n 3 out.csv | paste -sd'|')" cmp out.csv "$table"
    rm -f out.csv
}

# rejected FILE TEXT... -- OPTIONS...: one sentence with the texts, and no file left.
rejected() {
    local file=$1 texts=()
    shift
    while [[ $1 != -- ]]; do texts+=("$1") && shift; done
    shift
    run "$PARE" convert "$file" out.csv --missing keep "$@"
    expect_error 1 "$file" "${texts[@]}"
    expect_no_file out.csv
}

/usr/bin/python3 -W ignore - <<'PY' || fail "Python: the files could not be made"
import datetime, gzip, struct
import h5py, numpy as np, openpyxl, pandas as pd, scipy.io, scipy.sparse
frame = pd.DataFrame({"a": [1.5, 2, -0.25, 4, 1000, 6.5], "b": [20, np.nan, 40, 50, 60, 70], "class": list("pqpqpq")},
                     index=["s%d" % i for i in range(1, 7)])
named = frame.rename_axis("id")
named.to_csv("named.csv")
frame.to_csv("unnamed.csv")
frame.reset_index(drop=True).to_csv("counted.csv")
frame.to_csv("bare.csv", index=False)
named.to_csv("comma.csv", sep=";", decimal=",")
named.to_csv("wide.csv", encoding="utf-16")
named.to_csv("mark.csv", encoding="utf-8-sig")
named.to_csv("tabs.tsv", sep="\t", na_rep="NULL")
named.to_csv("packed.csv.gz")
named.to_csv("bars.txt", sep="|")
named.to_csv("quoted.csv", quoting=1)
named.to_csv("windows.csv", lineterminator="\r\n") if pd.__version__ >= "1.5" else named.to_csv("windows.csv", line_terminator="\r\n")
named.to_csv("code.csv", na_rep="n.d.")
named.fillna(-999).to_csv("number.csv")
named.assign(a=[1.5, 2, -0.25, 4, np.inf, 6.5]).to_csv("infinite.csv")
named.assign(born=pd.date_range("1950-03-01", periods=6)).to_csv("born.csv")
named.rename(columns={"b": "größe"}).to_csv("latin.csv", encoding="cp1252")
named.T.to_csv("turned.csv")
pd.concat([named[["a"]], named], axis=1).to_csv("twice.csv")
frame.to_csv("header.csv", header=False)
named.to_csv("squeezed.csv.xz")
open("squeezed.csv", "wb").write(open("squeezed.csv.xz", "rb").read())

# spreadsheets
named.to_excel("book.xlsx", sheet_name="May 2")
frame.to_excel("unnamed.xlsx")
frame.to_excel("bare.xlsx", index=False)
named.T.to_excel("turned.xlsx")
named.to_excel("code.xlsx", na_rep="n.d.")
named.assign(born=pd.date_range("1950-03-01", periods=6)).to_excel("born.xlsx")
book = openpyxl.load_workbook("book.xlsx")
book.create_sheet("Notes", 0).append(["see the other sheet"])
book.save("sheets.xlsx")
sheet = book["May 2"]
sheet["C2"] = "#DIV/0!"
sheet["C2"].data_type = "e"
sheet.insert_rows(1, 2)
sheet["A1"] = "Study of May"
sheet.insert_cols(1)
sheet["Z99"].font = openpyxl.styles.Font(bold=True)
book.save("titled.xlsx")
book = openpyxl.load_workbook("book.xlsx")
book.active["B4"] = "=B3/2"
book.save("formula.xlsx")
book.active["B4"] = "-0,25"
book.save("text.xlsx")
book.active["B4"] = "<0,5"
book.save("limit.xlsx")
book.active["B4"] = None
book.active.merge_cells("B1:C1")
book.save("merged.xlsx")
open("workbook.csv", "wb").write(open("book.xlsx", "rb").read())

# arrays
X, label = frame[["a", "b"]].to_numpy(), list("pqpqpq")
np.save("x.npy", X)
np.save("fortran.npy", np.asfortranarray(X.astype("f4")))
np.save("y.npy", np.array(label))
np.savez("both.npz", X=X, y=np.array(label))
np.savez_compressed("small.npz", X=np.nan_to_num(X, nan=30).astype("i2"), y=np.array([0, 1] * 3))
whole = scipy.sparse.csr_matrix(np.nan_to_num(X * (X > 3)))
scipy.sparse.save_npz("csr.npz", whole)
scipy.sparse.save_npz("csc.npz", whole.tocsc())
scipy.sparse.save_npz("coo.npz", whole.tocoo())
scipy.io.mmwrite("x.mtx", whole)
scipy.io.savemat("x.mat", {"X": X, "Y": np.array([[1.0, -1] * 3]).T})
open("labels.txt", "w").write("\n".join(label) + "\n")
text = h5py.string_dtype()
with h5py.File("cells.h5ad", "w") as f:
    f.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
    f.create_dataset("X", data=X).attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
    for name, index, columns in ("obs", frame.index, {"class": label}), ("var", ["a", "b"], {}):
        g = f.create_group(name)
        g.attrs.update({"_index": "_index", "column-order": np.array(list(columns), dtype=text) if columns else np.zeros(0),
                        "encoding-type": "dataframe", "encoding-version": "0.2.0"})
        for column, values in {"_index": list(index), **columns}.items():
            g.create_dataset(column, data=np.array(values, dtype=object), dtype=text).attrs.update(
                {"encoding-type": "string-array", "encoding-version": "0.2.0"})
# PLINK: 4 people, 2 variants of values 0 1 2 NA and 2 2 1 0
open("g.bed", "wb").write(bytes([0x6c, 0x1b, 1, 0b01001011, 0b11100000]))
open("g.bim", "w").write("1 v1 0 100 A G\n1 v2 0 200 C T\n")
open("g.fam", "w").write("".join("f i%d 0 0 1 %d\n" % (i, 1 + i % 2) for i in range(4)))
PY
if command -v Rscript >/dev/null; then
    Rscript --vanilla - >r.log 2>&1 <<'R' || fail "Rscript: $(tail -n 3 r.log)"
library(Matrix)
d <- data.frame(a = c(1.5, 2, -0.25, 4, 1000, 6.5), b = c(20, NA, 40, 50, 60, 70), class = rep(c("p", "q"), 3), row.names = paste0("s", 1:6))
write.csv(d, "r.csv"); write.csv2(d, "r2.csv"); write.table(d, "r.txt"); write.table(d, "r.tsv", sep = "\t", quote = FALSE)
write.csv(d, "r_bare.csv", row.names = FALSE); write.table(d, "r_header.csv", sep = ",", col.names = FALSE)
for (compress in c("gzip", "bzip2", "xz")) for (version in 2:3)
    saveRDS(d, paste0("r_", compress, version, ".rds"), compress = compress, version = version)
saveRDS(d, "r_plain.rds", compress = FALSE)
save(d, file = "r.RData"); other <- 1; save(d, other, file = "two.rda"); saveRDS(d, "ascii.rds", ascii = TRUE)
d$class <- factor(d$class); saveRDS(d, "factor.rds"); saveRDS(structure(d, class = c("tbl_df", "tbl", "data.frame")), "tibble.rds")
saveRDS(as.matrix(d[, 1:2]), "matrix.rds"); saveRDS(d$class, "class.rds"); saveRDS(t(as.matrix(d[, 1:2])), "turned.rds")
saveRDS(data.frame(id = 1:6, d), "ids.rds"); saveRDS(data.frame(id = as.character(1:6), d, row.names = NULL), "texts.rds")
m <- as.matrix(d[, 1:2]); m[is.na(m)] <- 0; saveRDS(Matrix(m, sparse = TRUE), "sparse.rds")
i <- d; i$a[5] <- Inf; saveRDS(i, "infinite.rds"); i$a <- as.character(d$a); i$a[3] <- "n.d."; saveRDS(i, "code.rds")
setClass("ExpressionSet", representation(exprs = "matrix")); saveRDS(new("ExpressionSet", exprs = m), "eset.rds")
saveRDS(list(d, m), "list.rds"); u <- d; u$class <- rep(c("gr\xfcn", "rot"), 3); saveRDS(u, "bytes.rds", version = 2)
b <- d; b$a <- complex(real = 1:6); b$site <- rep(c("u", "v"), 3); saveRDS(b, "complex.rds")
R
fi
sed 's/,/;/g' table.csv >half.csv


case_begin "pandas and R write text"
for file in named.csv wide.csv mark.csv tabs.tsv packed.csv.gz bars.txt quoted.csv windows.csv comma.csv unnamed.csv; do reads $file table.csv; done
reads counted.csv from0.csv
reads bare.csv plain.csv
reads code.csv table.csv --na n.d.
rejected code.csv 'line 3, column 3 (b)' 'found "n.d."' '--na "n.d." takes it for missing' --
reads number.csv table.csv --na -999
reads turned.csv table.csv --features-in-rows --target class
reads twice.csv table.csv --drop a#2 --duplicate-names number
rejected twice.csv 'line 1, column 3' '"a"' '--duplicate-names number' '--drop' --
rejected infinite.csv 'line 6, column 2 (a)' 'found "inf"' '--na "inf" takes it for missing' --
sed 's/,1000,/,NA,/' table.csv >gap.csv
reads infinite.csv gap.csv --na inf
rejected born.csv 'line 2, column 5 (born)' '"1950-03-01"' '--drop' -- --target class
reads born.csv table.csv --drop born --target class
rejected latin.csv '--encoding cp1252' --
sed '1s/b/größe/' table.csv >names.csv
reads latin.csv names.csv --encoding cp1252
rejected header.csv 'looks like a sample' '--no-header' --
printf 'a   b   class\n1   2   p\n3   4   q\n' >spaces.txt
rejected spaces.txt 'column 2' 'a single space separates two columns; write one, or tabs' --
rejected squeezed.csv 'compressed by xz' 'gzip' --
if [[ -e r.csv ]]; then
    for file in r.csv r2.csv r.txt r.tsv; do reads $file table.csv; done
    reads r_bare.csv plain.csv
    rejected r_header.csv 'looks like a sample' '--no-header' --
fi

case_begin "workbooks"
for file in book unnamed; do reads $file.xlsx table.csv; done
reads bare.xlsx plain.csv
reads turned.xlsx table.csv --features-in-rows --target class
reads sheets.xlsx table.csv --sheet 'May 2'
rejected sheets.xlsx 'no features' --
sed 's/,20,/,NA,/' table.csv >gap.csv
rejected titled.xlsx 'row 1 has 1 of' '--skip 2' -- --sheet 2
reads titled.xlsx gap.csv --sheet 2 --skip 2
reads code.xlsx table.csv --na n.d.
rejected code.xlsx 'cell C3 (b)' '--na "n.d." takes it for missing' --
rejected born.xlsx 'cell E2 (born)' 'a date or time' '--drop' -- --target class
reads born.xlsx table.csv --drop born --target class
rejected formula.xlsx 'cell B4 (a)' 'a formula without its value' 'save it there' --
rejected text.xlsx 'cell B4 (a)' 'found "-0,25"' 'make numbers of its column' --
rejected limit.xlsx 'cell B4 (a)' 'a number in place of the limit' '--na "<0\,5" takes it for missing' --
sed 's/,-0.25,/,NA,/' table.csv >gap.csv
reads limit.xlsx gap.csv --na '<0\,5'
rejected merged.xlsx 'cell C1' 'the name of the column is empty: write one, or delete the column' --
rejected workbook.csv 'a workbook' '.xlsx' --

case_begin "LibreOffice"
if command -v soffice >/dev/null; then
    export HOME=$SCRATCH
    printf 'id,a,b,class,double,none\n' >office.csv
    sed 1d table.csv | awk -F, -v OFS=, '{print $0, "=B" NR + 1 "*2", "=1/0"}' >>office.csv
    for form in xlsx ods csv; do
        soffice --headless "-env:UserInstallation=file://$SCRATCH/office" --convert-to $form --outdir made office.csv >office.log 2>&1 ||
            fail "soffice: $(tail -n 1 office.log)"
    done
    rm -f office.csv
    printf 'id,a,b,double,none,class\n' >formulas.csv
    sed 1d table.csv | awk -F, -v OFS=, '{print $1, $2, $3, 2 * $2, "NA", $4}' >>formulas.csv
    reads made/office.xlsx formulas.csv --target class
    wrong 2 'office.ods' 'save the table as .csv or .xlsx' -- convert made/office.ods out.csv
else
    check "there is no LibreOffice: its files are not made" true
fi

case_begin "R's own files"
if [[ -e r.RData ]]; then
    for file in r_{gzip,bzip2,xz}{2,3}.rds r_plain.rds r.RData factor.rds tibble.rds; do reads $file table.csv; done
    reads two.rda table.csv --object d
    reads matrix.rds table.csv --labels class.rds
    reads turned.rds table.csv --features-in-rows --labels class.rds
    reads texts.rds numbered.csv
    sed 's/,NA,/,0,/' table.csv >zeros.csv
    reads sparse.rds zeros.csv --labels class.rds
    rejected infinite.rds 'row 5 (a): the value is infinite' '--na Inf takes it for missing' --
    sed 's/,1000,/,NA,/' table.csv >gap.csv
    reads infinite.rds gap.csv --na Inf
    rejected code.rds 'row 3 (a)' '--na "n.d." takes it for missing' --
    rejected ascii.rds 'written as text' --
    rejected eset.rds 'class ExpressionSet' 'exprs(x)' --
    rejected list.rds 'a list' 'by itself' --
    rejected complex.rds '(a)' 'complex numbers' '--drop' -- --drop site --target class
    rejected bytes.rds 'not UTF-8' 'iconv(x, "latin1", "UTF-8")' --
    run_ok "complex numbers" "$PARE" info complex.rds --columns --target class
    expect_stdout_contains 'neither number nor text'
    run "$PARE" info matrix.rds --labels two.rda:d
    expect_error 1 'data frame, 3 columns' 'FILE:COLUMN'
else
    check "there is no R: its files are not made" true
fi

case_begin "arrays, matrices, cells, genotypes"
awk -F, -v OFS=, '{print $1 == "a" ? "x1,x2,class" : $0}' plain.csv >arrays.csv
for file in x.npy fortran.npy; do for labels in y.npy labels.txt; do reads $file arrays.csv --labels $labels; done; done
reads both.npz arrays.csv
printf 'x1,x2,class\n1,20,0\n2,30,1\n0,40,0\n4,50,1\n1000,60,0\n6,70,1\n' >small.csv
reads small.npz small.csv
printf 'x1,x2,class\n0,20,p\n0,0,q\n0,40,p\n4,50,q\n1000,60,p\n6.5,70,q\n' >sparse.csv
for file in csr.npz csc.npz x.mtx; do reads $file sparse.csv --labels labels.txt; done
rejected coo.npz 'tocsr()' -- --labels labels.txt
awk -F, -v OFS=, 'NR > 1 {$3 = $3 == "p" ? 1 : -1} 1' arrays.csv >signs.csv
if ! grep -q 'built without matio' <("$PARE" info x.mat 2>&1); then reads x.mat signs.csv; fi
if ! grep -q 'built without HDF5' <("$PARE" info cells.h5ad 2>&1); then reads cells.h5ad table.csv --target class; fi
printf 'id,v1,v2,class\ni0,0,2,1\ni1,1,2,2\ni2,2,1,1\ni3,NA,0,2\n' >people.csv
reads g.bed people.csv
if command -v plink1.9 >/dev/null; then
    plink1.9 --bfile g --make-bed --keep-allele-order --allow-no-sex --out made >plink.log ||
        fail "plink: $(tail -n 1 plink.log)"
    reads made.bed people.csv
fi
