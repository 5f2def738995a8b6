#!/usr/bin/env bash
# docs/methods.md says of every method what its row in src/methods.def says.
. "$(dirname "$0")/../cli/harness.sh"
cd "$ROOT" || exit 1

# One line a method, the columns of the page as the rows have them. What no row can refuse (weights,
# missing values, sparse data) every method takes: tests/conform asks each.
rows() {
    awk 'function say() {
            if (name == "") return
            print name, cannot_keep ? "no" : keeps ? "own" : "partial", none ? "no" : cost,
                none ? "no" : "yes", none || cannot_group ? "no" : own groups, "yes",
                classes ? "yes" : "no", "yes", "yes", several ? "yes" : "no", real ? "yes" : "no",
                odds ? "own" : classes ? "calibrated" : "no"
        }
        /^    \{\.name = / { say(); split($0, q, "\""); name = q[2]
            keeps = cannot_keep = cannot_group = none = several = real = odds = classes = 0
            cost = "SCORES"; groups = "NORM"; own = "" }
        /\.keeps = true/ { keeps = 1 } /\.cannot_keep/ { cannot_keep = 1 }
        /\.cannot_group/ { cannot_group = 1 } /\.ranks_none = true/ { none = 1 }
        /\.log_odds = true/ { odds = 1 } /TASK_MULTICLASS/ { several = 1 } /TASK_BINARY/ { classes = 1 }
        /TASK_REGRESSION/ && /\.tasks/ { real = 1 } /\.groups_own = true/ { own = "own" }
        match($0, /COST_[A-Z]+/) { cost = substr($0, RSTART + 5, RLENGTH - 5) }
        match($0, /GROUPS_[A-Z]+/) { groups = substr($0, RSTART + 7, RLENGTH - 7) }
        END { say() }' src/methods.def
}

# The same from the page; a reason in brackets is left out, and a setting is one word.
cells() {
    awk -F' *[|] *' '/^\| \[`/ {
        gsub(/ \([0-9]+\)/, ""); gsub(/`penalty group`/, "setting"); split($2, q, "`")
        print q[2], $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13 }' docs/methods.md
}

# What the page may say where a row says so.
words_for() {
    case $1 in
    SCORES) echo score ;;
    DIVIDES) echo penalty ;;
    WEIGHS) echo penalty choice ;;
    MEAN) echo mean ;;
    BEST) echo best ;;
    NORM) echo norm setting ;;
    ownNORM) echo problem ;;
    ownBEST) echo problem elimination ;;
    *) echo "$1" ;;
    esac
}

columns=(name keep cost budget groups weights "class weights" missing sparse "several classes" regression
    probability)

case_begin "the table of methods is that of the registry"
check "no rows" test "$(rows | wc -l)" -gt 30
check "methods differ: $(diff <(rows | cut -d' ' -f1) <(cells | cut -d' ' -f1) | head -3)" \
    diff -q <(rows | cut -d' ' -f1) <(cells | cut -d' ' -f1)
head=$(sed -n 's/^| method | //p' docs/methods.md | sed 's/ |$//; s/ | /,/g')
check "the columns are $head" test "name,$head" = "$(IFS=,; echo "${columns[*]}")"
while read -ra line; do
    for i in "${!columns[@]}"; do
        want=$(words_for "${line[i]}") page=${line[i + ${#columns[@]}]}
        check "${line[0]}: ${columns[i]} is $want, not $page" grep -qw -- "$page" <<<"$want"
    done
done < <(paste -d' ' <(rows) <(cells))

case_begin "every no has its reason"
for number in $(grep -o 'no ([0-9]*)' docs/methods.md | tr -dc '0-9\n' | sort -u); do
    check "reason $number is missing" grep -q "^$number\. " docs/methods.md
done
