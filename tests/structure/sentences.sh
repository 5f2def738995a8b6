#!/usr/bin/env bash
# The library's sentences name a setting (`missing`), never an option of the command line, which has
# its own way of writing them; see print_sentence in cli/output.c.
. "$(dirname "$0")/../cli/harness.sh"
cd "$ROOT" || exit 1

case_begin "no string of src/ names an option of the command line"
mapfile -t sources < <(find src -name '*.[ch]' -o -name '*.def')
check "no sources found" test "${#sources[@]}" -gt 100
while read -r line; do
    fail "$line"
done < <(grep -nE '^[^/*]*"([^"\\]|\\.)*--[a-zA-Z]' "${sources[@]}")
