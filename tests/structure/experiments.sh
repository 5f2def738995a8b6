#!/usr/bin/env bash
# experiments/README.md has a verdict for each table and figure of the five papers; each paper's page says
# first, in a box, what does not reproduce, and the figures it shows are there.
. "$(dirname "$0")/../cli/harness.sh"

case_begin "each table and figure has a verdict"
rows=$(grep -E '^\| (Table|Figure) [0-9IVX]+,' "$ROOT/experiments/README.md")
# 7 of the parsimonious paper, 5 zero-norm, 5 infinite push (Table 1 twice), 14 DLSR, 6 lp-KTA
check "$(wc -l <<<"$rows") rows, not 37" test "$(wc -l <<<"$rows")" -eq 37
while read -r odd; do
    fail "no verdict: $odd"
done < <(grep -vE '^\|[^|]*\| (reproduced|not reproduced|no data)\b' <<<"$rows")

for page in parsimonious zero_norm infinite_push dlsr kta; do
    case_begin "the page of $page"
    file=$ROOT/experiments/$page/README.md
    check "no box before the first heading" test -n "$(sed -n '/^## /q; /^> /p' "$file")"
    while read -r figure; do
        check "$figure is missing" test -s "$ROOT/experiments/$page/$figure"
    done < <(sed -n 's/.*](\([a-z0-9-]*\.svg\)).*/\1/p' "$file")
done
