#!/usr/bin/env bash
# The worked examples of docs/methods: every ```sh block runs as it stands, in a folder of its own.
. "$(dirname "$0")/harness.sh"

export PATH="$(dirname "$PARE"):$PATH"
for page in "$ROOT"/docs/methods/*.md; do
    name=$(basename "$page" .md)
    case_begin "the example of $name runs"
    awk '/^```sh$/{on=1; next} /^```$/{on=0} on' "$page" >"$name.sh"
    check "no example" test -s "$name.sh"
    mkdir "$name"
    run bash -euo pipefail -c "cd $name && . ../$name.sh"
    expect_exit 0
    check "$name is not a method" "$PARE" methods "$name"
done

case_begin "every method has a page"
for name in $("$PARE" methods | cut -d' ' -f1); do
    check "docs/methods/$name.md is missing" test -s "$ROOT/docs/methods/$name.md"
done

case_begin "every method and final classifier cites dated work"
run_ok "methods" "$PARE" methods --json
python3 - >undated <<'PY'
import json, re
for m in json.load(open(".stdout")):
    if not re.search(r"\b(19|20)\d\d\b", m["citation"]):
        print(m["name"])
PY
check "no year: $(tr '\n' ' ' <undated)" test ! -s undated
run_ok "demo" "$PARE" demo -o cited.csv
for classifier in svm lda dlsr logistic 1nn; do
    run_ok "path" "$PARE" path cited.csv -m corr --classifier "$classifier" --sizes 2 --inner 0 --report cited.html
    grep '<script type="application/json" id="about">' cited.html >about
    check "$classifier is not cited" grep -qE "\"then\":\"$classifier\",\"then_citation\":\"[^\"]*(19|20)[0-9][0-9]" about
done
