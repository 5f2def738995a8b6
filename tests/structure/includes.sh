#!/usr/bin/env bash
# The layers depend downward only: every #include in src/ and cli/ is read and judged.
. "$(dirname "$0")/../cli/harness.sh"
cd "$ROOT" || exit 1

# edges FILE...: one line `FILE:LINE FROM TO HEADER` for each #include. FROM and TO are the folder
# under src/, `top` for the files beside those folders, or - for a header that is not ours. A .def
# file is a table: anything may include it, so it is below all layers and may include none of them.
edges() {
    awk 'match($0, /^[ \t]*#[ \t]*include[ \t]*[<"][^>"]+/) {
        header = substr($0, RSTART, RLENGTH)
        quoted = header ~ /"/
        sub(/^.*[<"]/, "", header)
        from = FILENAME
        if (!sub(/^src\//, "", from) || !sub(/\/.*/, "", from)) from = "top"
        if (FILENAME ~ /\.def$/) from = "table"
        to = header
        if (!sub(/\/.*/, "", to)) to = quoted ? "top" : "-"
        if (header ~ /\.def$/) to = "-"
        print FILENAME ":" FNR, from, to, header
    }' "$@" /dev/null
}

mapfile -t sources < <(find src -name '*.[ch]' -o -name '*.def' -o -name '*.inc' | sort)
mapfile -t cli < <(find cli -name '*.[ch]' 2>/dev/null | sort)

case_begin "src includes downward only"
check "no sources found" test "${#sources[@]}" -gt 0
while read -r where from to header; do
    fail "$where includes $header: $from is below $to"
done < <(edges "${sources[@]}" | awk '
    BEGIN {
        rank["table"] = 0
        n = split("base la data solve certify method model select report top", layer, " ")
        for (i = 1; i <= n; i++) rank[layer[i]] = i
    }
    !($2 in rank) || (rank[$3] > rank[$2])')

case_begin "src has only the known layers"
check "no sources found" test "${#sources[@]}" -gt 0
while read -r folder; do
    fail "src/$folder is not a layer"
done < <(find src -mindepth 1 -type d -printf '%P\n' |
    grep -vxE 'base|la|data|solve|solve/(interior|lp|l1|svm|rank|hinge|kernel|glm)|certify|method|model|select|report|report/page')

case_begin "a room of solve is entered by what its door names"
check "no doors found" test -e src/solve/svm.h
while read -r where _ _ header; do
    room=${header#solve/}
    room=${room%%/*}
    [[ $where == src/solve/$room/* ]] || grep -qF "\"$header\"" "src/solve/$room.h" ||
        fail "$where includes $header, which src/solve/$room.h does not name"
done < <(edges "${sources[@]}" | grep -E ' solve/[a-z0-9]+/[a-z0-9_]+\.h$')

case_begin "src names every header from src/"
while read -r where _ _ header; do
    fail "$where includes $header by a relative path"
done < <(edges "${sources[@]}" | grep -F ' ..')
check "no sources found" test "${#sources[@]}" -gt 0

case_begin "certify shares nothing with what it certifies, and solve knows no data set"
check "no sources found" test "${#sources[@]}" -gt 0
while read -r where _ _ header; do
    fail "$where includes $header"
done < <(edges "${sources[@]}" | grep -E ' (certify (solve|method)|solve data) ')

case_begin "cli includes only public headers and its own"
check "no includes found" test "${#sources[@]}" -gt 0
while read -r where _ to header; do
    [[ $to == top && -e cli/$header ]] || fail "$where includes $header"
done < <(edges "${cli[@]}" | awk '$3 == "top" || system("test -d src/" $3) == 0')
