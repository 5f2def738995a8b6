#!/usr/bin/env bash
# The worked examples of docs/methods: every ```sh block runs as it stands, in a folder of its own.
. "$(dirname "$0")/harness.sh"

export PATH="$(dirname "$PARE"):$PATH"
"$PARE" demo -o toy.csv >/dev/null 2>&1
cat >pare.sh <<'SH'
pare() { # the first line of most makes the same table each time
    if [[ $* == "demo -o toy.csv" ]]; then cp ../toy.csv .; else command pare "$@"; fi
}
SH
for page in "$ROOT"/docs/methods/*.md; do
    name=$(basename "$page" .md)
    case_begin "the example of $name runs"
    awk '/^```sh$/{on=1; next} /^```$/{on=0} on' "$page" >"$name.sh"
    check "no example" test -s "$name.sh"
    mkdir "$name"
    run bash -euo pipefail -c "cd $name && . ../pare.sh && . ../$name.sh"
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

case_begin "CITATION.cff has every paper that a method or a final classifier cites"
run_ok "methods" "$PARE" methods --json
cp "$SCRATCH/.stdout" cited.json
lost=$(python3 - "$ROOT" 2>&1 <<'PY'
import json, re, sys
titles = {t.lower() for t in re.findall(r'title: "(.*)"', open(sys.argv[1] + "/CITATION.cff").read())}
texts = {m["name"]: m["citation"] for m in json.load(open("cited.json"))}
# those of final classifiers and refits, and of the registry as it is written
registry = open(sys.argv[1] + "/src/registry.c").read()
for name, text in re.findall(r"#define (\w+) *\\\n((?: +\".*\" *\\?\n)+)", registry):
    texts[name] = "".join(re.findall(r'"(.*)"', text))
papers = lost = 0
for name, text in texts.items():
    for paper in text.split("; "):
        if not re.search(r"\b(1[89]|20)\d\d$", paper):
            continue
        papers += 1
        if not any(t in paper.lower() for t in titles):
            lost += 1
            print(name, "cites", paper)
assert papers > 60 and not lost, (papers, lost)
PY
) && found=0 || found=$?
check "$lost" test $found -eq 0
