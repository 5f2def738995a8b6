#!/usr/bin/env bash
# Formulas and sections in block comments are as they were set: no formatter and no wrapped line has
# broken them. formulas.py has the rules.
. "$(dirname "$0")/../cli/harness.sh"

judge() { python3 "$ROOT/tests/structure/formulas.py" "$@"; }

case_begin "no formula in a comment is broken"
mapfile -t sources < <(cd "$ROOT" && find bench cli examples experiments include r src tests web -name '*.[ch]' | sort)
check "no sources found" test "${#sources[@]}" -gt 500
cd "$ROOT" || exit 1
run_ok "formulas.py" judge "${sources[@]}"
while read -r line; do fail "$line"; done <"$SCRATCH/.stdout"
cd "$SCRATCH" || exit 1

case_begin "a formula that a formatter has run together is found"
cat >broken.h <<'END'
/* DUAL      margin: maximise sum u_i, 0 <= u_i <= s_i, |sum_i u_i y_i x_ij| <= c_j, sum u y =
 * 0 fit:    maximise sum u_i y_i, |u_i| <= s_i, |sum_i u_i x_ij| <= c_j, sum u = 0 (the
 * last only with an intercept) GUARANTEE objective is that of (w, b)
 * + b, recomputed. */
END
run_ok "formulas.py" judge broken.h
expect_stdout_contains "broken.h:1: the line ends in an operator"
expect_stdout_contains "broken.h:2: a section goes on left of its text"
expect_stdout_contains "broken.h:3: a label inside a line"
expect_stdout_contains "broken.h:4: the line begins with an operator"

case_begin "a formula over two lines, sections and what follows them are not"
cat >fine.h <<'END'
/* PROBLEM   minimise over w, b   sum_j c_j |w_j|
 *                                + sum_i s_i max(0, 1 - y_i f_i)
 *           f_i = w'x_i + b
 * GUARANTEE none
 * All of it is dense - which it need not be. */
END
run_ok "formulas.py" judge fine.h
expect_stdout_empty
