#!/usr/bin/env bash
# docs/methods.md says of every method what `pare methods --json` says.
. "$(dirname "$0")/../cli/harness.sh"
cd "$ROOT" || exit 1

# One line a method, the columns of the page as the program has them. What every method takes (weights,
# missing values, sparse data) it does not list: tests/conform asks each.
rows() {
    "$PARE" methods --json | python3 -c '
import json, sys
for m in json.load(sys.stdin):
    said = lambda yes: "yes" if yes else "no"
    print(m["name"], m["keep"], m["cost"], said(m["budget"]), m["groups"], "yes", said(m["class_weight"]),
          "yes", "yes", said("multiclass" in m["tasks"]), said("regression" in m["tasks"]), m["probability"],
          said(m["sign"]))'
}

# The same from the page; a reason in brackets is left out, and a setting is one word.
cells() {
    awk -F' *[|] *' '/^\| \[`/ {
        gsub(/ \([0-9]+\)/, ""); gsub(/`penalty group`/, "setting"); split($2, q, "`")
        print q[2], $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14 }' docs/methods.md
}

columns=(name keep cost budget groups weights "class weights" missing sparse "several classes" regression
    probability sign)

case_begin "the table of methods is that of the registry"
check "no rows" test "$(rows | wc -l)" -gt 30
check "methods differ: $(diff <(rows | cut -d' ' -f1) <(cells | cut -d' ' -f1) | head -3)" \
    diff -q <(rows | cut -d' ' -f1) <(cells | cut -d' ' -f1)
head=$(sed -n 's/^| method | //p' docs/methods.md | sed 's/ |$//; s/ | /,/g')
check "the columns are $head" test "name,$head" = "$(IFS=,; echo "${columns[*]}")"
while read -ra line; do
    for i in "${!columns[@]}"; do
        want=${line[i]} page=${line[i + ${#columns[@]}]}
        check "${line[0]}: ${columns[i]} is $want, not $page" test "$page" = "$want"
    done
done < <(paste -d' ' <(rows) <(cells))

case_begin "every no has its reason"
for number in $(grep -o 'no ([0-9]*)' docs/methods.md | tr -dc '0-9\n' | sort -u); do
    check "reason $number is missing" grep -q "^$number\. " docs/methods.md
done
