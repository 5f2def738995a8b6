#!/usr/bin/env bash
# Outside the library tasks are known by name in one file of each folder; all others ask it.
. "$(dirname "$0")/../cli/harness.sh"

own='cli/tasks\.[ch]|python/pare/_tasks\.py|r/R/tasks\.R|web/page/tasks\.js|src/report/page/1_tasks\.js'

# The table's names and words; some are words of other things too, which have to be compared to be found.
tasks=$(grep -hoE '\.(name|word) = "[a-z]+"' "$ROOT"/src/task/*.c | cut -d'"' -f2 | sort -u)
shared='ranking|rank|none'
own_words=$(grep -vxE "$shared" <<<"$tasks" | paste -sd'|')

# named FILE...: one line `FILE:LINE: TEXT` for each line of code that has a task's name as a string,
# of names with another use (an option, a column, a value) one that compares it. Docstrings are left
# out.
named() {
    awk -v q="[\"']" -v words="$own_words" -v shared="$shared" '
        BEGIN {
            own = q "(" words ")" q
            other = q "(" shared ")" q
            compared = "strcmp *\\([^;]*" other "|[=!]=+ *" other "|" other " *[=!]=|" other " (not )?in |" \
                       "[ (](in|%in%) .*" other "|case +" other "|(grepl|startsWith|switch|includes|indexOf)\\(.*" other
        }
        FNR == 1 { quoted = 0 }
        {
            marks = gsub(/"""/, "&")
            if (quoted || marks) { quoted = (quoted + marks) % 2; next }
            none = !($0 ~ q "(ranking|rank)" q) && !/task|strcmp/ # that something has none
        }
        $0 ~ own || ($0 ~ compared && !none) { print FILENAME ":" FNR ": " $0 }' "$@"
}

case_begin "one file of each folder knows tasks by name"
cd "$ROOT" || exit 1
mapfile -t sources < <(find cli python/pare r/R web/page src/report/page \
    -name '*.[ch]' -o -name '*.py' -o -name '*.R' -o -name '*.js' | sort)
check "no sources found" test "${#sources[@]}" -gt 50
check "no tasks found in src/task" test "$(grep -cxE 'binary|multiclass|regression|classify|regress' <<<"$tasks")" = 5
mapfile -t others < <(printf '%s\n' "${sources[@]}" | grep -vxE "$own")
check "a file that knows tasks is missing" test "$((${#sources[@]} - ${#others[@]}))" = 6
while read -r line; do fail "$line"; done < <(named "${others[@]}")
cd "$SCRATCH" || exit 1

case_begin "a comparison is found in every language"
cat >wrong.txt <<'END'
if (strcmp(task, "ranking") == 0) return;
o->no_target |= strcmp(others, "none") == 0;
_tasks = ("regression",)
return "none" in tasks_of(self.method)
if self.task in ("auto", "none"):
return self._fit_labels(X, y, "classify")
settings$task <- 'regress'
if (object$task %in% c("rank", "auto")) 1
kind = state.task === "regress" ? "numbers" : "classes"
if (data.task === "ranking") return 1;
  case 'rank':
END
while read -r line; do
    printf '%s\n' "$line" >one.txt
    check "not found: $line" test -n "$(named one.txt)"
done <wrong.txt

case_begin "an option, a column and a value of that name are none"
cat >fine.txt <<'END'
{"ranking", 0, TAKES_RANKING, K_TEXT, OPT(ranking), 0, 0, "FILE",
var columns = [{name: "rank", get: function (r) { return r.rank; }},
fill: "none",
return self.setting("row_scale") != "none"
head.getAttribute("aria-sort") === "none"
isfinite(r->objective) ? number_text(r->objective, number) : "none");
"""Tasks, such as "binary" or "classify".
>>> [m.name for m in pare.methods() if "ranking" in m.tasks]
"""
END
check "found: $(named fine.txt)" test -z "$(named fine.txt)"
