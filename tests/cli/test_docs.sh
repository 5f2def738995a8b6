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
