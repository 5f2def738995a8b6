#!/bin/bash
# Tables as other programs write them, from the first look to predictions.
source "$(dirname "$0")/harness.sh"

said() { for text; do expect_stderr_contains "$text"; done; }
printed() { for text; do expect_stdout_contains "$text"; done; }

case_begin "info --columns: what every column was taken for"
printf 'id,sex,age,bmi,dose,class\n' >clinic.csv
for i in 1 2 3 4 5 6 7 8; do
    printf 'P%d,%s,%s,%s,%s,%s\n' $i "$( ((i % 2)) && echo f || echo m)" "$( ((i == 3)) && echo -999 || echo $((40 + i)))" \
        "$( ((i == 5)) && echo -999 || echo "2$i.5")" "$( ((i == 2)) && echo n/a || echo $i)" "$( ((i % 2)) && echo p || echo q)"
done >>clinic.csv
run_ok table "$PARE" info clinic.csv --columns
expect_stdout_is 'name	kind	missing	distinct	least	largest	suspect
id	id	0	8			
class	target	0	2			
sex	text	0	2			
age	number	0	8	-999	48	-999
bmi	number	0	8	-999	28.5	-999
dose	number	1	7	1	8	'
said '2 columns ("age", "bmi") have the value -999 far from all others' '--na -999'
run_ok json "$PARE" info clinic.csv --columns --json --na -999
check "members" python3 - "$run_out" <<'PY'
import json, sys
all = json.loads(sys.argv[1])
assert all["kind"] == "info" and all["n_samples"] == 8
age = all["columns"][3]
assert list(age) == ["name", "kind", "missing", "distinct", "least", "largest", "suspect"]
assert age == {"name": "age", "kind": "number", "missing": 1, "distinct": 7, "least": 41, "largest": 48, "suspect": []}
assert all["columns"][0] == {"name": "id", "kind": "id", "missing": 0, "distinct": 8, "least": None, "largest": None, "suspect": []}
PY
run_ok "other formats" "$PARE" convert clinic.csv clinic.npy --drop sex --labels-out clinic.labels
run_ok "without names" "$PARE" info clinic.npy --labels clinic.labels --columns
printed '	target	0	2' 'x3	number	1	7	1	8'

case_begin "codes of missing values, named"
run "$PARE" fit clinic.csv -m corr -k 1 --drop sex
expect_error 1 'line 3, column 5 (dose)' '"n/a"' '--missing'
run_ok mean "$PARE" fit clinic.csv -m corr -k 1 --drop sex --na -999 --missing mean -o model.json
said 'the sample ids are the column "id"; --id none makes it a feature'
check "no warning" test "${run_err/far from/}" = "$run_err"
run_ok predict "$PARE" predict model.json clinic.csv --na -999
printed 'P1	'
run_ok "no ids" "$PARE" fit clinic.csv -m corr --drop sex,id --na -999 --missing mean --json
sed 's/,1,p/,n.d.,p/' clinic.csv >lab.csv
run "$PARE" fit lab.csv -m corr --drop sex --missing mean
expect_error 1 'lab.csv, line 2, column 5 (dose)' 'found "n.d."' '--na "n.d." takes it for missing'
run_ok "as it says" "$PARE" fit lab.csv -m corr --drop sex --missing mean --na "n.d."
run "$PARE" fit clinic.csv -m corr --id none --drop sex --missing mean
expect_error 1 'line 2, column 1 (id)' 'found "P1"'

case_begin "samples without a target"
printf 'a,b,class\n1,2,p\n2,1,\n1,3,p\n3,1,q\n4,1,NA\n3,2,q\n' >holes.csv
run "$PARE" fit holes.csv -m svm
expect_error 1 'holes.csv, line 3, column 3 (class)' 'the target is missing' '--missing drop'
run_ok info "$PARE" info holes.csv
said '2 of 6 samples have no target and are left out'
run_ok drop "$PARE" fit holes.csv -m svm --missing drop -o model.json
said 'holes.csv: 2 of 6 samples have no target and are left out'
run_ok check "$PARE" check model.json holes.csv
run_ok score "$PARE" predict --score model.json holes.csv --missing drop
run_ok path "$PARE" path holes.csv -m corr --missing drop --folds 2 --inner 0 --sizes 1 --predictions p.tsv
check "samples keep their rows" test "$(cut -f4 p.tsv | sort -u | paste -sd' ')" = '1 3 4 6 sample'

case_begin "labels that differ in letter case only"
printf 'a,b,class\n1,2,Ja\n2,1,nein\n1,3,JA\n3,1,nein\n2,2, Ja \n3,2,nein\n' >case.csv
run_ok warn "$PARE" fit case.csv -m svm
said '"Ja" (2 samples) and "JA" (1) differ in letter case only' '--merge-case' '--labels'
run_ok merge "$PARE" fit case.csv -m svm --merge-case
printed '# classes	Ja	nein'

run_ok "positive, as written" "$PARE" fit case.csv -m svm --merge-case --positive JA
printed '# positive	Ja'
run "$PARE" fit case.csv -m svm --merge-case --positive jaja
expect_error 2 '"jaja" is not among the 2 classes'

printf 'a,b,class\n1,2,JA\n2,1,nein\n' >loud.csv
run_ok fit "$PARE" fit case.csv -m svm --merge-case -o case.json
run "$PARE" predict --score case.json loud.csv
expect_error 1 '"JA"' 'no class of the model: write it as the model does, "Ja", or give --merge-case'
run_ok "the classes of the model" "$PARE" predict --score case.json loud.csv --merge-case --json
printed '"n": 2' '"confusion": [[1,0],[0,1]]'
printf 'a,b,class\n1,2,JA\n2,1,no\n' >other.csv
run "$PARE" predict --score case.json other.csv --merge-case
expect_error 1 '"no", which is no class of the model'

printf 'a,b,class\n1,2,Ja\n2,1,JA\n1,3,Ja\n3,1,JA\n' >two.csv
run_ok fit "$PARE" fit two.csv -m svm -o two.json
run "$PARE" predict --score two.json two.csv --merge-case
expect_error 2 '--merge-case is not allowed here: classes of the model differ from "JA" in letter case only'
printf 'a,b,class\n1,2,ja\n2,1,JA\n' >between.csv
run "$PARE" predict --score two.json between.csv
expect_error 1 '"ja", which is no class of the model'

case_begin "a target that is no number"
printf 'a,b,y\n1,2,"0,5"\n2,1,"1,5"\n3,3,"2,5"\n' >comma.csv
run "$PARE" fit comma.csv -m lasso
expect_error 1 'sample 1: regression needs a number as its target, found "0,5": write numbers with a decimal point'
sed 's/"0,5"/n.d./; s/"1,5"/1.5/; s/"2,5"/2.5/' comma.csv >lab.csv
run "$PARE" fit lab.csv -m lasso
expect_error 1 'found "n.d.": write a number, or leave the sample out'

case_begin "info --columns: free text, dates and what is no number"
printf 'sex,note,day,a,b,c,class\nf,"u, v",2020-01-31,1,1,2,p\nm,w x,1.2.2020,2,inf,,q\nf,y,10:30,3,3,n.d.,p\nm,,2020-02-05,4,7,5,q\n' >notes.csv
run_ok table "$PARE" info notes.csv --columns
table='name	kind	missing	distinct	least	largest	suspect
class	target	0	2			
sex	text	0	2			
note	text	1	3			
day	date	0	4			
a	number	0	4	1	4	
b	number	0	3	1	7	infinite values
c	text	1	3			'
expect_stdout_is "$table"
said 'column "day" has another text for every sample' '--drop'
run_ok "from a pipe" "$PARE" info - --format csv --columns <notes.csv
expect_stdout_is "$table"
run_ok json "$PARE" info notes.csv --columns --json
printed '"kind":"date"' '"n_features": 6'
run "$PARE" fit notes.csv -m corr --categorical --drop note,b,c
expect_error 1 'column "day" has another text for every sample' '--drop'
awk 'BEGIN { print "note,a,class"; for (i = 1; i <= 60000; i++) printf "text %d,%d,%s\n", i % 50000, i, i % 2 ? "p" : "q" }' >long.csv
run_ok "many texts" "$PARE" info long.csv --columns
printed 'note	text	0	50000' 'a	number	0	60000	1	60000'

case_begin "info --columns describes what a fit stops at, and marks it"
described() { # FILE TABLE OPTION...: what is printed of its columns; pare fit stops at the same file
    local file=$1 table=$2
    shift 2
    run_ok "$file" "$PARE" info "$file" --columns "$@"
    expect_stdout_is "name	kind	missing	distinct	least	largest	suspect
$table"
    run "$PARE" fit "$file" -m corr -k 1 "$@"
    check "$file is no longer rejected" test "$run_code" = 1
}
printf 'id,g1,g1,class\n1,2,x,a\n2,3,4,b\nInf,4,5,a\n4,1,9,b\n' >again.csv
described again.csv 'class	target	0	2			
id	number	0	3	1	4	infinite values
g1	number	0	4	1	4	
g1#2	text	0	4			repeated name,text among numbers'
run_ok json "$PARE" info again.csv --columns --json
printed '"suspect":["repeated name","text among numbers"]' '"suspect":["infinite values"]'
printf 'gene,s1,s2,s3,s4\nclass,a,b,a,b\nlabel,u,v,u,v\ng1,1,2,x,4\ng1,1,2,3,inf\nday,1.2.2020,2.2.2020,3.2.2020,3.2.2020\ng6,0,1,,2\n' >rows.csv
described rows.csv '	id	0	4			
class	target	0	2			
label	text	0	2			
g1	text	0	4			text among numbers
g1#2	number	0	3	1	3	repeated name,infinite values
day	date	0	3			
g6	number	1	3	0	2	' --features-in-rows
printf '@relation x\n@attribute id numeric\n@attribute a numeric\n@attribute a string\n@attribute n {u,v}\n@attribute d date yyyy-MM-dd\n@attribute c {u,v}\n@data\n1,1,foo,u,2020-01-02,u\n2,inf,bar,v,2020-01-04,v\n3,?,baz,u,?,u\n' >kinds.arff
described kinds.arff 'id	id	0	3			
c	target	0	2			
a	number	1	1	1	1	infinite values
a#2	text	0	3			repeated name
n	text	0	2			
d	date	1	2			'

case_begin "convert keeps the name of the target"
printf 's,b,diagnosis\n1,2,p\n2,1,q\n' >named.csv
for way in named.pare again.tsv; do
    run_ok "$way" "$PARE" convert named.csv $way --target diagnosis
    run_ok "back from $way" "$PARE" convert $way back.csv --quiet
    expect_same_bytes back.csv named.csv
done
printf 'id,class,diagnosis\ni,2,p\nj,1,q\n' >taken.csv
run_ok "a feature called class" "$PARE" convert taken.csv back.csv --target diagnosis
expect_same_bytes back.csv taken.csv

case_begin "convert keeps the name of the ids"
printf 'sample_id,a,b,class\ns1,2,1,p\ns2,1,3,q\n' >own.csv
run_ok "a usual one" "$PARE" convert own.csv back.csv
expect_same_bytes back.csv own.csv
printf 'subject,a,id,class\ns1,2,1,p\ns2,1,3,q\n' >own.csv
run_ok "another, and a feature called id" "$PARE" convert own.csv back.csv --id subject
expect_same_bytes back.csv own.csv

case_begin "a first column that holds no ids"
printf ',a,b,class\n0,2,1,p\n1,1,3,q\n0,3,1,p\n1,1,2,q\n' >again.csv
run_ok "pandas, two tables one below the other" "$PARE" info again.csv
said 'the values of the first column, which has no name, are no sample ids and left out, since "0" stands in lines 2 and 4'
printed 'features	2'
run_ok "the rows are numbered" "$PARE" fit again.csv -m corr -k 1 -o model.json
run_ok predict "$PARE" predict model.json again.csv
printed $'\n4\t'
printf 'patient,a,b,class\n7,2,1,p\n8,1,3,q\n7,3,1,p\n8,1,2,q\n' >again.csv
run_ok "numbers that repeat" "$PARE" info again.csv
said 'the column "patient" is a feature and not the sample ids, since "7" stands in lines 2 and 4: --id "patient"' '--drop "patient" leaves it out'

case_begin "names that repeat"
printf 'g,g,h,h,class\n1,5,2,7,p\n2,4,1,7,q\n1,6,3,8,p\n3,5,1,8,q\n' >twice.csv
run "$PARE" fit twice.csv -m corr -k 1
expect_error 1 'column 2' '"g"' '--duplicate-names number' '--drop'
run "$PARE" fit twice.csv -m corr -k 1 --duplicate-names some
expect_error 2 '--duplicate-names' 'refuse, number'
run_ok number "$PARE" fit twice.csv -m corr -k 4 --duplicate-names number -o model.json
check "the model has the numbers" grep -q '"g#2"' model.json
run_ok predict "$PARE" predict model.json twice.csv --duplicate-names number
numbered=$run_out
run_ok "by the model alone" "$PARE" predict model.json twice.csv
check "the same" test "$run_out" = "$numbered"
run_ok "all of a name" "$PARE" fit twice.csv -m corr --drop g,h#2 --duplicate-names number
printed '# d	1'

case_begin "names with tabs, line breaks, quotes and signs"
printf '"a\tb","c\nd","<b>""x""</b>",=1+1,@sum,class\n1,2,0,5,1,p\n2,1,1,4,2,q\n1,3,0,6,3,p\n3,1,1,5,9,q\n' >odd.csv
run_ok fit "$PARE" fit odd.csv -m corr -k 5 -o model.json
printed 'a\tb' 'c\nd' '=1+1'
check "five columns a line" test "$(grep -v '^#' <<<"$run_out" | awk -F'\t' 'NF != 5' | wc -l)" = 0
run_ok path "$PARE" path odd.csv -m corr --folds 2 --inner 0 --sizes 1,5 --report odd.html
check "no markup" test "$(grep -c '<b>"x' odd.html)" = 0
run_ok convert "$PARE" convert odd.csv same.csv
check "the same names" python3 - <<'PY'
import csv
a, b = (list(csv.reader(open(f, newline=""))) for f in ("odd.csv", "same.csv"))
assert a == b and a[0][:2] == ["a\tb", "c\nd"]
PY
run_ok predict "$PARE" predict model.json same.csv

case_begin "no table of results has control characters from names"
printf 'id,"a\tb","c\nd","e\x1b[31mf",class\n' >odd.csv
for i in 1 2 3 4 5 6 7 8; do printf '"i\t%d",%d,%d.5,%d,"%s"\n' $i $i $((i * 7 % 5)) $((i % 2 * 3 + i)) "$( ((i % 2)) && printf 'p\tq' || echo r)"; done >>odd.csv
run_ok fit "$PARE" fit odd.csv -m logistic --ranking 1.tsv --lambda-path 2.tsv --lambda-coef 3.tsv -o model.json
cp "$SCRATCH/.stdout" 4.tsv
run_ok path "$PARE" path odd.csv -m corr --folds 2 --inner 0 --sizes 1,3 --predictions 5.tsv
cp "$SCRATCH/.stdout" 6.tsv
i=6
for command in 'predict model.json odd.csv' 'predict --score model.json odd.csv' 'info odd.csv' 'info odd.csv --columns'; do
    run_ok "$command" "$PARE" $command
    cp "$SCRATCH/.stdout" $((i += 1)).tsv
done
for file in {1..10}.tsv; do
    check "$file" test "$(tr -d '[:print:]\n\t' <$file | wc -c)" = 0
    check "raw names in $file" test "$(grep -cP 'a\tb|e\x1b|p\tq|i\t\d' $file)" = 0
done

case_begin "lines above the header, encodings, .txt"
printf 'Export of 2020;;\n;;\nGr\xf6\xdfe;b;class\n1,5;2;p\n3;4;q\n2;2;p\n4;4;q\n;;\n' >export.txt
run "$PARE" info export.txt --encoding cp1252
expect_error 1 'export.txt, line 1' '--skip 2'
run_ok skip "$PARE" info export.txt --encoding cp1252 --skip 2
printed 'Größe'
said 'empty and left out at the end: 0 columns, 1 rows' 'semicolons'
run "$PARE" info export.txt --skip -1
expect_error 2 '--skip'
run "$PARE" info clinic.npy --skip 1
expect_error 2 '--skip' 'npy'

case_begin "extensions in capitals, and names of the target and of the ids in another encoding"
printf 'a,b,class\n1,2,p\n2,4,q\n3,1,p\n' >SCAN.CSV
cp SCAN.CSV scan.Txt && gzip -k scan.Txt && mv scan.Txt.gz scan.TXT.GZ
for file in SCAN.CSV scan.Txt scan.TXT.GZ; do run_ok "info $file" "$PARE" info $file && printed 3; done
printf 'a,b,cl\xe9\n1,2,p\n2,4,q\n3,1,p\n' >name.csv
run "$PARE" info name.csv
expect_error 1 'name.csv' '--encoding cp1252'
printf 'cl\xe9,a,b,class\nr,1,2,p\ns,2,4,q\nt,3,1,p\n' >id.csv
run "$PARE" info id.csv --id "$(printf 'cl\xe9')" --json
expect_error 1 'id.csv' '--encoding cp1252'
