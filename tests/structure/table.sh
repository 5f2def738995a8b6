#!/usr/bin/env bash
# docs/methods.md says of every method what its row in src/methods.def says.
. "$(dirname "$0")/../cli/harness.sh"
cd "$ROOT" || exit 1

# One line a method: name, keep, cost, several classes, regression, probability, as the rows have them.
rows() {
    awk 'function say() {
            if (name == "") return
            keep = cannot ? "no" : keeps ? "own" : "partial"
            print name, keep, none ? "no" : cost, several ? "yes" : "no", real ? "yes" : "no",
                odds ? "own" : classes ? "calibrated" : "no"
        }
        /^    \{\.name = / { say(); split($0, q, "\""); name = q[2]
            keeps = cannot = none = several = real = odds = classes = 0; cost = "SCORES" }
        /\.keeps = true/ { keeps = 1 } /\.cannot_keep/ { cannot = 1 } /\.ranks_none = true/ { none = 1 }
        /\.log_odds = true/ { odds = 1 } /TASK_MULTICLASS/ { several = 1 } /TASK_BINARY/ { classes = 1 }
        /TASK_REGRESSION/ && /\.tasks/ { real = 1 }
        match($0, /COST_[A-Z]+/) { cost = substr($0, RSTART + 5, RLENGTH - 5) }
        END { say() }' src/methods.def
}

# The same from the page; a reason in brackets is left out.
cells() {
    awk -F' *[|] *' '/^\| \[`/ {
        gsub(/ \([0-9]+\)/, ""); split($2, q, "`")
        print q[2], $3, $4, $11, $12, $13 }' docs/methods.md
}

case_begin "the table of methods is that of the registry"
check "no rows" test "$(rows | wc -l)" -gt 30
check "methods differ: $(diff <(rows | cut -d' ' -f1) <(cells | cut -d' ' -f1) | head -3)" \
    diff -q <(rows | cut -d' ' -f1) <(cells | cut -d' ' -f1)
while read -r name keep cost several real odds page_keep page_cost page_several page_real page_odds; do
    check "$name: keep is $keep, not $page_keep" test "$keep" = "$page_keep"
    check "$name: several classes is $several, not $page_several" test "$several" = "$page_several"
    check "$name: regression is $real, not $page_real" test "$real" = "$page_real"
    check "$name: probability is $odds, not $page_odds" test "$odds" = "$page_odds"
    case $cost in
    SCORES) want=score ;;
    DIVIDES) want=penalty ;;
    WEIGHS) want='penalty choice' ;;
    *) want=no ;;
    esac
    check "$name: cost is $want, not $page_cost" grep -qw "$page_cost" <<<"$want"
done < <(paste -d' ' <(rows) <(cells | cut -d' ' -f2-))

case_begin "every no has its reason"
for number in $(grep -o 'no ([0-9]*)' docs/methods.md | tr -dc '0-9\n' | sort -u); do
    check "reason $number is missing" grep -q "^$number\. " docs/methods.md
done
