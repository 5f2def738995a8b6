#!/bin/bash
# Workbooks as openpyxl and pandas write them, read as the same table in text is read.
. "$(dirname "$0")/harness.sh"

/usr/bin/python3 -W ignore - <<'PY'
import datetime, zipfile
import numpy as np, openpyxl, pandas as pd
from openpyxl.chartsheet import Chartsheet
rng = np.random.default_rng(4)
n, d = 30, 12
label = np.array(["ALL", "AML"])[np.arange(n) % 2]
X = rng.normal(size=(n, d))
X[label == "AML", 4] += 3
X = np.round(X, 3)  # openpyxl writes 16 digits
frame = pd.DataFrame(X, columns=["g %d" % (j + 1) for j in range(d)], index=["s%d" % i for i in range(n)])
frame["whole"] = np.arange(n) % 7
frame["type"] = label
frame.to_csv("pandas.csv")
frame.to_excel("pandas.xlsx")
frame.reset_index(names="patient").to_excel("plain.xlsx", index=False)
frame.T.to_csv("rows.csv")
frame.T.to_excel("rows.xlsx", sheet_name="genes")
frame[["type"]].assign(w=np.arange(n) / 4 + 1).iloc[::-1].rename_axis("patient").to_excel("pheno.xlsx")
frame[["type"]].assign(w=np.arange(n) / 4 + 1).iloc[::-1].rename_axis("patient").to_csv("pheno.csv")
frame.drop(columns="type").to_excel("features.xlsx")
text = frame.assign(site=["north", "south", "east"] * 10)
text.to_csv("text.csv")
text.to_excel("text.xlsx")
missing = frame.mask(rng.random(frame.shape) < 0.1)
missing["type"] = label
missing.to_csv("missing.csv")
missing.to_excel("missing.xlsx")

# as people keep them: a title, notes in another sheet, dates, booleans, errors, formats beside the table
book = openpyxl.Workbook()
notes = book.active
notes.title = "Notes"
notes.append(["About this study"])
sheet = book.create_sheet("Results <May>")
sheet.append(["Study 12"])
sheet.append([])
sheet.append(["patient", "born", "smoker", *frame.columns])
for i, row in enumerate(frame.itertuples()):
    sheet.append([row.Index, datetime.date(1950 + i, 3, 1), bool(i % 3 == 0), *row[1:]])
sheet["AZ200"].fill = openpyxl.styles.PatternFill("solid", fgColor="FFFF00")
sheet["D5"] = "#DIV/0!"
sheet["D5"].data_type = "e"
book.create_sheet("2").append(["nothing"])
book.save("people.xlsx")
frame.assign(born=["%d-03-01" % (1950 + i) for i in range(n)], smoker=[int(i % 3 == 0) for i in range(n)]).pipe(
    lambda f: f[["smoker", *frame.columns]]).rename_axis("patient").to_csv("people.csv")
lines = open("people.csv").read().split("\n")
cells = lines[2].split(",")
cells[2] = "NA"
open("people.csv", "w").write("\n".join(lines[:2] + [",".join(cells)] + lines[3:]))

book = openpyxl.Workbook()
book.active.append(["a", "b", "y"])
book.active.append([1, "=A2*2", "u"])
book.save("formula.xlsx")
dates = openpyxl.Workbook()
dates.active.append(["a", "when", "y"])
for i in range(4):
    dates.active.append([i, datetime.datetime(2024, 5, 1 + i, 9, 30), "uv"[i % 2]])
dates.save("dates.xlsx")
with zipfile.ZipFile("bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as new, zipfile.ZipFile("pandas.xlsx") as old:
    for name in old.namelist():
        new.writestr(name, old.read(name).replace(b"g 1<", b"g 1" + b"a" * (1 << 26) + b"<"))
with zipfile.ZipFile("odf.xlsx", "w") as new:
    new.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
open("old.xls", "wb").write(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504))
open("text.xls", "w").write("a\tb\ty\n1\t2\tp\n")
PY

# same NAME ARGUMENTS OF xlsx -- ARGUMENTS OF csv: both give the same model
same() {
    local name=$1 own=() text=()
    shift
    while [[ $1 != -- ]]; do own+=("$1") && shift; done
    shift
    text=("$@")
    run_ok "$name, text" "$PARE" fit "${text[@]}" -m anova -k 3 -o text.json
    run_ok "$name" "$PARE" fit "${own[@]}" -m anova -k 3 -o own.json
    expect_same_bytes own.json text.json
}

case_begin "a workbook gives the bytes that the table in text gives"
same "row names" pandas.xlsx --target type -- pandas.csv --target type
same "an id column" plain.xlsx --target type --id patient -- pandas.csv --target type
expect_stderr_contains ''
same "features in rows" rows.xlsx --features-in-rows --target type -- rows.csv --features-in-rows --target type
same "dropped columns" pandas.xlsx --target type --drop "g 5,whole" -- pandas.csv --target type --drop "g 5,whole"
same "text" text.xlsx --target type --categorical -- text.csv --target type --categorical
same "missing values" missing.xlsx --target type --missing mean -- missing.csv --target type --missing mean
run_ok "predict" "$PARE" predict own.json missing.xlsx -o own.tsv
run_ok "predict text" "$PARE" predict text.json missing.csv -o text.tsv
expect_same_bytes own.tsv text.tsv

case_begin "labels, weights and folds come from a workbook too"
same "labels" features.xlsx --labels pheno.xlsx --target type --id patient --weights pheno.xlsx:w -- \
    pandas.csv --drop type --labels pheno.csv --target type --id patient --weights pheno.csv:w
run "$PARE" fit features.xlsx --labels pheno.xlsx --target nothing --id patient -m anova
expect_error 1 'pheno.xlsx has no column "nothing"'

case_begin "a sheet is chosen by name, else by number"
run_ok "its name" "$PARE" info rows.xlsx --sheet genes --features-in-rows --target type
run_ok "its number" "$PARE" info rows.xlsx --sheet 1 --features-in-rows --target type
run "$PARE" info people.xlsx --sheet May
expect_error 1 'has no sheet "May"' '--sheet' '"Notes", "Results <May>", "2"'
run "$PARE" info people.xlsx --sheet 2
expect_error 1 'people.xlsx has no features' # the name wins over the number
run "$PARE" info people.xlsx --sheet 4
expect_error 1 'has no sheet "4"'
run "$PARE" info pandas.csv --sheet 1
expect_error 2 '--sheet is for xlsx, the format is csv'

case_begin "titles, dates, booleans, errors and formats beside the table"
run "$PARE" info people.xlsx --sheet 'Results <May>'
expect_error 1 'row 1 has 1 of 17 names, row 3 has 17' '--skip 2'
same people people.xlsx --sheet 'Results <May>' --skip 2 --id patient --drop born --target type --missing mean -- \
    people.csv --id patient --target type --missing mean
run "$PARE" fit people.xlsx --sheet 'Results <May>' --skip 2 --id patient --drop born --target type -m anova
expect_error 1 'cell D5 (g 1)' 'missing'
run "$PARE" fit dates.xlsx -m anova
expect_error 1 'dates.xlsx, cell B2 (when): "2024-05-01 09:30:00" is a date or time' '--drop'
run_ok "an id" "$PARE" predict own.json missing.xlsx -o own.tsv
run_ok "a date is described" "$PARE" info dates.xlsx --columns
expect_stdout_contains 'when	date	0	'
run_ok "a date is an id" "$PARE" convert dates.xlsx --id when dates.csv
check "no date among the ids" grep -q '^2024-05-04 09:30:00,3,v$' dates.csv

case_begin "what is not read says what to do"
run "$PARE" info formula.xlsx
expect_error 1 'cell B2 (b)' 'a formula without its value' 'save it there'
run "$PARE" info old.xls
expect_error 1 'old.xls' '.xls' 'save it as .xlsx'
run "$PARE" info text.xls
expect_error 1 'text.xls is no .xlsx workbook' '.csv'
run "$PARE" info odf.xlsx
expect_error 1 'odf.xlsx has no .xlsx workbook inside' 'CSV'
run "$PARE" info - --format xlsx <pandas.xlsx
expect_error 2 'standard input' 'plain file'
head -c 3000 pandas.xlsx >cut.xlsx
run "$PARE" info cut.xlsx
expect_error 1 'cut.xlsx' 'damaged'
run "$PARE" fit bomb.xlsx -m anova --memory 16M
expect_error 1 'bomb.xlsx' 'memory' 'limit'
