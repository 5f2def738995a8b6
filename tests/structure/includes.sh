#!/usr/bin/env bash
# The layers depend downward only: every #include in src/ and cli/ is read and judged.
. "$(dirname "$0")/../cli/harness.sh"
cd "$ROOT" || exit 1

# edges FILE...: one line `FILE:LINE FROM TO HEADER` for each #include. FROM and TO are the layer,
# `registry` for the files next to the layers' folders, or - for a header that is not ours. A .def file
# is a table: anything may include it, so it is below all layers and may include none of them.
edges() {
    awk 'match($0, /^[ \t]*#[ \t]*include[ \t]*[<"][^>"]+/) {
        header = substr($0, RSTART, RLENGTH)
        quoted = header ~ /"/
        sub(/^.*[<"]/, "", header)
        from = FILENAME
        if (!sub(/^src\//, "", from) || !sub(/\/.*/, "", from)) from = "registry"
        if (FILENAME ~ /\.def$/) from = "table"
        to = header
        if (!sub(/\/.*/, "", to)) to = quoted ? "registry" : "-"
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
        n = split("base la data task solve certify method model select registry problem fit path validate report", layer, " ")
        for (i = 1; i <= n; i++) rank[layer[i]] = i
    }
    !($2 in rank) || (rank[$3] > rank[$2])')

case_begin "src has the layers, the tables, the registry and the version, nothing else"
check "no sources found" test "${#sources[@]}" -gt 0
while read -r name; do
    fail "src/$name is no layer"
done < <(find src -mindepth 1 -maxdepth 1 -printf '%f\n' |
    grep -vxE 'base|la|data|task|solve|certify|method|model|select|problem|fit|path|validate|report|(methods|settings)\.def|registry\.[ch]|version\.c')

case_begin "every folder says what lives there and what others may include"
while read -r folder; do
    door=$folder/README.md
    [[ -e $door ]] || { fail "$folder has no README.md" && continue; }
    while read -r header; do
        check "$door names $header, which is not there" test -e "$folder/$header"
        grep -rqF "\"${folder#src/}/$header\"" --include='*.[ch]' src tests bench ||
            fail "$door names $header, which nobody includes"
    done < <(sed -n 's/^- `\([a-z0-9_]*\.h\)`:.*/\1/p' "$door")
done < <(find src -mindepth 1 -type d)
while read -r where _ _ header; do
    folder=${header%/*}
    [[ -e src/$header && ${where%/*} != "src/$folder" ]] || continue
    grep -qF "\`${header##*/}\`" "src/$folder/README.md" ||
        fail "$where includes $header, which src/$folder/README.md does not name"
done < <(edges "${sources[@]}" | grep -E ' [a-z0-9_/]+/[a-z0-9_]+\.h$')

case_begin "no two source files have one name"
check "no sources found" test "${#cli[@]}" -gt 0
while read -r name; do
    fail "there are several $name"
done < <(find src cli -name '*.c' -printf '%f\n' | sort | uniq -d)

case_begin "src names every header from src/"
while read -r where _ _ header; do
    fail "$where includes $header by a relative path"
done < <(edges "${sources[@]}" | grep -F ' ..')
check "no sources found" test "${#sources[@]}" -gt 0

case_begin "certify shares nothing with what it certifies, solve knows no data set, task only data"
check "no sources found" test "${#sources[@]}" -gt 0
while read -r where _ _ header; do
    fail "$where includes $header"
done < <(edges "${sources[@]}" | grep -E ' (certify (solve|method)|solve (data|task)|task la) ')

case_begin "cli includes only public headers and its own"
check "no includes found" test "${#sources[@]}" -gt 0
while read -r where _ to header; do
    [[ $to == registry && -e cli/$header ]] || fail "$where includes $header"
done < <(edges "${cli[@]}" | awk '$3 == "registry" || system("test -d src/" $3) == 0')

case_begin "nobody but src/task compares tasks"
check "no tasks found" test -e src/task/task.h
while read -r line; do
    fail "$line: ask a fact of the task (src/task/task.h)"
done < <(grep -nE '(==|!=|case) *&?TASK_|&task_[a-z]|\btask->(kind|name|word) *[!=]=|& *TASK_' \
    -r src cli --include='*.[ch]' | grep -v '^src/task/')
