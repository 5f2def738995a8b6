#!/usr/bin/env bash
# Data as other programs write them: what R, pandas and spreadsheets make by default is read, and what
# is guessed is said.
. "$(dirname "$0")/harness.sh"

holds() { # FEATURES FILE OPTIONS...: info gives these features, the two classes p and q, 3 samples each
    local features=$1
    shift
    run_ok "info $*" "$PARE" info "$@"
    expect_stdout_contains "samples	6"
    expect_stdout_contains "first features	$features"
    expect_stdout_contains "p	3"
    expect_stdout_contains "q	3"
}

case_begin "R writes it, we read it"
if command -v Rscript >/dev/null; then
    Rscript -e 'd <- data.frame(a=c(1.5,2,3,4,5,6), b=c(2,1,4,3,6,5), kind=rep(c("p","q"),3))
        write.csv(d, "r.csv"); write.csv2(d, "r2.csv"); write.table(d, "rt.tsv", sep="\t")
        write.table(d, "bare.csv", sep=",", col.names=FALSE, row.names=FALSE)'
else # the same bytes
    printf '"","a","b","kind"\n"1",1.5,2,"p"\n"2",2,1,"q"\n"3",3,4,"p"\n"4",4,3,"q"\n"5",5,6,"p"\n"6",6,5,"q"\n' >r.csv
    sed 's/,/;/g; s/1\.5/1,5/' r.csv >r2.csv
    sed '1s/"",//; s/,/\t/g' r.csv >rt.tsv
    sed '1d; s/^"[0-9]",//' r.csv >bare.csv
fi
for file in r.csv r2.csv rt.tsv; do holds 'a	b' "$file"; done
holds 'x1	x2' bare.csv --no-header
run "$PARE" info bare.csv
expect_error 1 'bare.csv' 'looks like a sample' '--no-header' '--header'
printf '21652,25725,24184,class\n1.5,2,3,p\n2,1.5,4,q\n1,2.5,3,p\n3,1,5,q\n' >numbered.csv
run_ok "numbers for names beside a target's" "$PARE" fit numbered.csv -m corr -k 2 -o numbered.json
cut -d, -f1-3 numbered.csv >unlabelled.csv
run_ok "and without it, by name" "$PARE" predict numbered.json unlabelled.csv

case_begin "what is guessed is said, and only with a result"
run "$PARE" info r2.csv
expect_stderr_contains 'semicolons'
expect_stderr_contains 'the target is the last column, "kind"; --target chooses another'
run "$PARE" info numbered.csv
expect_stderr_contains 'numbered.csv: the target is the column "class"; --target chooses another'
run "$PARE" info r2.csv --quiet
expect_stderr_empty
run "$PARE" info numbered.csv --target class
expect_stderr_empty
printf 'gene,s1,s2,s3,s4\ng1,1,2,3,4\ny,p,q,p,q\ng2,1,0,1,0\n' >turned.csv
run "$PARE" info turned.csv --features-in-rows
expect_stderr_contains 'the target is the row "y"; --target chooses another'
run "$PARE" fit r.csv -m svm -k 9
expect_error 2 'cannot be selected'
run "$PARE" fit r.csv -m svm --target kind
expect_exit 0
check "one remark" test "$run_err" = "pare: r.csv: the sample ids are the first column, which has no name"
run "$PARE" fit r.csv -m svm -o model.json
expect_exit 0
run_ok "ids are the sample names" "$PARE" predict model.json r.csv
check "not the ids of the file" test "$(cut -f1 <<<"$run_out" | paste -sd' ')" = 'sample 1 2 3 4 5 6'

case_begin "features in rows: the target is named"
printf 's1,s2,s3,s4\ng1,1,2,3,4\ng2,1,0,1,0\n' >genes.csv
run "$PARE" fit genes.csv --features-in-rows -m svm
expect_error 1 'no target' '--target' '--labels'
run "$PARE" fit genes.csv --features-in-rows -m svm --target g2
expect_exit 0

case_begin "encodings have their names"
if command -v iconv >/dev/null; then
    iconv -f utf-8 -t utf-16 r.csv >wide.csv
else
    printf '\xff\xfea\0,\0' >wide.csv
fi
run "$PARE" info wide.csv
expect_exit 0
printf 'gr\xf6\xdfe,y\n1,p\n2,q\n' >latin.csv
run "$PARE" info latin.csv
expect_error 1 '--encoding cp1252 or latin1'
run_ok latin1 "$PARE" info latin.csv --encoding latin1
expect_stdout_contains 'größe'
printf 'id;diagnose\ns1;gro\xdf\ns2;klein\n' >latin.labels.csv
printf 'a\ts1\ts2\nx\t1\t2\n' >data.tsv
run "$PARE" info data.tsv --features-in-rows --labels latin.labels.csv --target diagnose
expect_error 1 'target values' '--encoding'
run_ok "a table of labels too" "$PARE" info data.tsv --features-in-rows --labels latin.labels.csv --target diagnose --encoding latin1
expect_stdout_contains 'groß	1'
run "$PARE" info latin.csv --encoding ascii
expect_error 2 '--encoding' 'utf-8, latin1, cp1252, utf-16'

case_begin "labels as .npy, names for a matrix without them"
python3 - <<'PY'
import struct
def npy(path, descr, shape, body):
    head = ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)).encode()
    head += b" " * (117 - len(head)) + b"\n"
    open(path, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + body)
npy("x.npy", "<i2", "(4, 2)", struct.pack("<8h", 1, 2, 3, 4, 5, 7, 7, 9))
npy("ints.npy", "<i8", "(4,)", struct.pack("<4q", 1, 2, 1, 2))
npy("bools.npy", "|b1", "(4,)", bytes([0, 1, 0, 1]))
npy("words.npy", "<U3", "(4,)", "".join(w.ljust(3, "\0") for w in ("gr\u00fc", "rot", "gr\u00fc", "rot")).encode("utf-32-le"))
npy("bytes.npy", "|S3", "(4,)", b"ab\0abcab\0abc")
PY
for labels in 'ints 1 2' 'bools 0 1' "words gr$(printf '\xc3\xbc') rot" 'bytes ab abc'; do
    set -- $labels
    run_ok "$1" "$PARE" info x.npy --labels "$1.npy"
    expect_stdout_contains "  $2	2"
    expect_stdout_contains "  $3	2"
done
printf 'g1\ng2\n' >names.txt
run_ok names "$PARE" info x.npy --labels ints.npy --names names.txt
expect_stdout_contains 'first features	g1	g2'
run "$PARE" info x.npy --names ids.txt
expect_error 1 'ids.txt'
run "$PARE" info r.csv --names names.txt
expect_error 2 '--names' 'r.csv'
run "$PARE" info x.npy --labels x.npy
expect_error 1 'a list has 1'

case_begin "a table of labels in another order"
printf 'sample,age,diagnosis\ns3,1,q\ns1,2,p\ns4,3,q\ns2,4,p\n' >pheno.csv
run_ok join "$PARE" predict --score --labels pheno.csv --target diagnosis --id sample \
    <("$PARE" fit genes.csv --features-in-rows --labels pheno.csv --target diagnosis --id sample -m svm --json) genes.csv \
    --features-in-rows
expect_stdout_contains 'accuracy	1'
run_ok "by the first column" "$PARE" fit genes.csv --features-in-rows --labels pheno.csv --target diagnosis -m svm
run_ok "TABLE:COLUMN too" "$PARE" fit genes.csv --features-in-rows --labels pheno.csv --target diagnosis \
    --weights pheno.csv:age -m svm
run "$PARE" fit genes.csv --features-in-rows --labels pheno.csv --target sample -m svm
expect_error 1 'pheno.csv' '--id'

case_begin ".npz: X or the only matrix, y if it is there, stored and deflated"
python3 - <<'PY'
import struct, zipfile
def npy(descr, shape, body):
    head = ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)).encode()
    head += b" " * (117 - len(head)) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + body
def npz(path, packed=zipfile.ZIP_STORED, **arrays): # as numpy.savez does
    with zipfile.ZipFile(path, "w", packed, allowZip64=True) as z:
        for name, bytes_ in arrays.items():
            with z.open(name + ".npy", "w", force_zip64=True) as f:
                f.write(bytes_)
x = npy("|i1", "(4, 2)", struct.pack("8b", 1, -2, 3, 4, 5, 7, 7, 9))
y = npy("<U1", "(4,)", "pqpq".encode("utf-32-le"))
other = npy("<f8", "(2, 2)", bytes(32))
npz("stored.npz", X=x, y=y, more=other)
npz("packed.npz", zipfile.ZIP_DEFLATED, y=y, X=x)
npz("only.npz", zipfile.ZIP_DEFLATED, counts=x, list=npy("<i8", "(4,)", bytes(32)))
npz("two.npz", a=x, b=other)
npz("none.npz", a=y)
def csr(path, form, indptr, indices, **more):
    npz(path, zipfile.ZIP_DEFLATED, **{**dict(format=npy("|S3", "()", form), shape=npy("<i8", "(2,)", struct.pack("<2q", 4, 3)),
        indptr=npy("<i4", "(%d,)" % len(indptr), struct.pack("<%di" % len(indptr), *indptr)),
        indices=npy("<i4", "(%d,)" % len(indices), struct.pack("<%di" % len(indices), *indices)),
        data=npy("<f4", "(5,)", struct.pack("<5f", 1.5, 2, 3, 4, 5))), **more})
csr("csr.npz", b"csr", [0, 2, 2, 4, 5], [2, 0, 1, 2, 0])
csr("csc.npz", b"csc", [0, 2, 3, 5], [3, 0, 2, 0, 2], data=npy("<f8", "(5,)", struct.pack("<5d", 5, 2, 3, 1.5, 4)), y=y)
csr("coo.npz", b"coo", [0, 2, 3, 5], [3, 0, 2, 0, 2])
csr("wide.npz", b"csc", [0, 2, 3, 5], [4, 0, 2, 0, 2])
csr("twice.npz", b"csr", [0, 2, 2, 4, 5], [2, 2, 1, 2, 0])
csr("falls.npz", b"csr", [0, 2, 1, 4, 5], [2, 0, 1, 2, 0])
csr("short.npz", b"csr", [0, 2, 2, 4], [2, 0, 1, 2])
csr("text.npz", b"csr", [0, 2, 2, 4, 5], [2, 0, 1, 2, 0], data=npy("<U1", "(5,)", "abcde".encode("utf-32-le")))
npz("bare.npz", indptr=npy("<i4", "(3,)", bytes(12)))
whole = open("packed.npz", "rb").read()
open("cut.npz", "wb").write(whole[:200])
at = whole.index(b"X.npy") + 120
open("hurt.npz", "wb").write(whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1:])
PY
for file in stored packed; do
    run_ok "$file" "$PARE" info $file.npz
    expect_stdout_contains 'storage	int8'
    expect_stdout_contains '  p	2'
    run_ok "$file as table" "$PARE" convert $file.npz $file.csv
    check "the numbers of $file" test "$(paste -sd' ' $file.csv)" = 'x1,x2,class 1,-2,p 3,4,q 5,7,p 7,9,q'
done
run_ok "the only matrix" "$PARE" info only.npz --labels words.npy
expect_stdout_contains 'features	2'
run "$PARE" info two.npz
expect_error 1 'a.npy and b.npy' 'call the features X'
run "$PARE" info none.npz
expect_error 1 'none.npz' 'two dimensions'
run_ok "rows of scipy" "$PARE" convert csr.npz csr.csv --labels words.npy
run_ok "columns of scipy" "$PARE" convert csc.npz csc.csv
for file in csr csc; do
    check "the numbers of $file" test "$(cut -d, -f1-3 $file.csv | paste -sd' ')" = 'x1,x2,x3 2,0,1.5 0,0,0 0,3,4 5,0,0'
done
run_ok "they stay sparse" "$PARE" info csr.npz --labels words.npy
expect_stdout_contains 'storage	sparse'
run "$PARE" info coo.npz
expect_error 1 'coo.npz' 'format coo' 'tocsr()'
for file in wide falls short; do
    run "$PARE" info $file.npz
    expect_error 1 "$file.npz" 'no sparse matrix as scipy writes it'
done
run "$PARE" info twice.npz
expect_error 1 'row 1, column 3 appears twice'
run "$PARE" info text.npz
expect_error 1 'text.npz: data.npy' 'numbers are needed'
run "$PARE" info bare.npz
expect_error 1 'bare.npz' 'format.npy'
for file in cut hurt; do
    run "$PARE" info $file.npz
    expect_error 1 "$file.npz" 'damaged'
done
run "$PARE" info - --format npz <stored.npz
expect_error 2 'plain file'

case_begin "columns of text become codes, one group each"
printf 'stage,age,sex,grade,class\nII,50,f,1,p\nI,41,m,2,q\nII,62,f,x,p\nIII,33,m,2,q\nI,45,f,1,p\nIII,39,m,x,q\n' >clinic.csv
run "$PARE" fit clinic.csv -m corr
expect_error 1 'clinic.csv' 'line 2' '(stage)' '"II"' '--categorical' '--drop'
run_ok code "$PARE" convert clinic.csv coded.csv --categorical
expect_stderr_contains '3 columns of text became 8 features'
check "the codes" test "$(head -n 4 coded.csv | paste -sd' ')" = \
    'stage=I,stage=II,stage=III,age,sex=f,sex=m,grade=1,grade=2,grade=x,class 0,1,0,50,1,0,1,0,0,p 1,0,0,41,0,1,0,1,0,q 0,1,0,62,1,0,0,0,1,p'
run_ok fit "$PARE" fit clinic.csv --categorical -m svm -o clinic.json
run_ok predict "$PARE" predict clinic.json clinic.csv -o coded.tsv
run_ok "fit on the codes" "$PARE" fit coded.csv -m svm -o codes.json
run_ok "predict from the codes" "$PARE" predict codes.json coded.csv -o codes.tsv
for file in coded codes; do awk '{printf "%s %s %.9s\n", $1, $2, NR > 1 ? sprintf("%.9f", $3) : $3}' $file.tsv >$file.txt; done
check "another prediction" cmp -s coded.txt codes.txt # the groups rank the features in another order, of which sums have their last digit
run_ok check "$PARE" check clinic.json clinic.csv --categorical
printf 'sex,stage,age,grade\nm,IV,50,7\n' >new.csv
run_ok "values that were never seen" "$PARE" predict clinic.json new.csv
printf 'sex,age,grade\nm,50,1\n' >lacking.csv
run "$PARE" predict clinic.json lacking.csv
expect_error 1 'stage=I'
sed 's/^[^,]*/id&/; 1s/^id//' clinic.csv | awk -F, -v OFS=, 'NR > 1 {$1 = $1 NR} 1' >ids.csv
run "$PARE" fit ids.csv --categorical -m svm
expect_error 1 '"stage"' 'another text for every sample' '--id'
sed '3s/,m,/,,/' clinic.csv >gap.csv
run_ok "missing values stay so" "$PARE" convert gap.csv gap2.csv --categorical --missing keep
check "the gap" grep -q '^1,0,0,41,NA,NA,\|^1,0,0,41,,,' gap2.csv
run_ok "a group is in or out" "$PARE" fit clinic.csv --categorical -m logistic --lambda 0.05 --json
check "stage apart" python3 - "$SCRATCH/.stdout" <<'PY'
import json, sys
names = {f["name"] for f in json.load(open(sys.argv[1]))["selected"]}
for column, values in {"stage": 3, "sex": 2, "grade": 3}.items():
    assert sum(n.startswith(column + "=") for n in names) in (0, values), names
PY

case_begin "a folder as 10x writes it, plain and compressed"
mkdir -p cells packed
printf '%%%%MatrixMarket matrix coordinate integer general\n3 4 5\n1 1 7\n3 1 1\n2 2 5\n1 4 2\n3 3 9\n' >cells/matrix.mtx
printf 'ENSG1\tTP53\tGene Expression\nENSG2\tMYC\tGene Expression\nENSG3\tTP53\tGene Expression\n' >cells/features.tsv
printf 'AAAC-1\nAAAG-1\nAACT-1\nAAGT-1\n' >cells/barcodes.tsv
for file in matrix.mtx barcodes.tsv; do gzip -c cells/$file >packed/$file.gz; done
gzip -c cells/features.tsv >packed/genes.tsv.gz
printf 'cell,type\nAAGT-1,b\nAAAC-1,a\nAACT-1,b\nAAAG-1,a\n' >types.csv
for folder in cells packed/; do
    run_ok "$folder" "$PARE" info $folder --labels types.csv --target type --id cell
    expect_stdout_contains 'first features	ENSG1	ENSG2	ENSG3'
    expect_stdout_contains '  a	2'
    run_ok "table of $folder" "$PARE" convert $folder cells.csv --labels types.csv --target type --id cell
    check "the numbers of $folder" test "$(paste -sd' ' cells.csv)" = \
        'id,ENSG1,ENSG2,ENSG3,type AAAC-1,7,0,1,a AAAG-1,0,5,0,a AACT-1,0,0,9,b AAGT-1,2,0,0,b'
done
sed -i '$d' cells/barcodes.tsv
run "$PARE" info cells
expect_error 1 'barcodes.tsv has 3 lines' '4 columns'
rm cells/features.tsv
run "$PARE" info cells
expect_error 1 'features.tsv or genes.tsv'
mkdir empty
run "$PARE" info empty
expect_error 1 'empty' 'matrix.mtx'

case_begin "missing values at prediction: dropped, refused, or filled in by the model"
printf 'a,b,class\n1,2,p\n2,1,q\n1,3,p\n3,1,q\n' >whole.csv
printf 'a,b\n1,2\n,1\n3,1\n' >holes.csv
run_ok fit "$PARE" fit whole.csv -m svm -o plain.json
run "$PARE" predict plain.json holes.csv
expect_error 1 'line 3' '--missing'
run_ok drop "$PARE" predict plain.json holes.csv --missing drop
check "the rows that are left" test "$(cut -f1 <<<"$run_out" | paste -sd' ')" = 'sample 1 3'
run "$PARE" predict plain.json holes.csv --missing mean
expect_error 2 '--missing' 'refuse or drop'
run_ok "fit with means" "$PARE" fit whole.csv -m svm --missing mean -o means.json
run_ok "filled in" "$PARE" predict means.json holes.csv
run "$PARE" predict means.json holes.csv --missing refuse
expect_error 1 'line 3'
