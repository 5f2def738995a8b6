#!/usr/bin/env bash
# Help, manual pages and completion come from one table: what they show is what a command takes.
. "$(dirname "$0")/harness.sh"

names=$("$PARE" help | sed -n 's/^  pare \([a-z]*\) .*/\1/p')

case_begin "help shows exactly the options that a command has"
check "commands: $names" test "$(wc -w <<<"$names")" -ge 8
for name in $names; do
    "$PARE" help "$name" >help.txt
    own=$(sed -n 's/^  \(-., \)\?--\([a-z][a-z-]*\).*/\2/p' help.txt)
    for option in $own; do
        [[ $option == help ]] && continue
        run "$PARE" "$name" "--$option"
        check "$name does not take --$option, which its help shows" test -z "$(grep 'is no option' <<<"$run_err")"
    done
    for option in $("$PARE" help fit | sed -n 's/^  \(-., \)\?--\([a-z][a-z-]*\).*/\2/p'); do
        grep -qx -- "$option" <<<"$own" && continue
        run "$PARE" "$name" "--$option" 1
        check "$name takes --$option, which its help does not show" grep -q 'is no option' <<<"$run_err"
    done
done
run "$PARE" help
check "the generator is listed" test -z "$(grep generate <<<"$run_out")"

case_begin "a manual page has every option of its command, and the settings of methods"
for name in $names; do
    run_ok "man $name" "$PARE" generate man "$name"
    expect_stdout_contains ".TH PARE"
    for option in $("$PARE" help "$name" | sed -n 's/^  \(-., \)\?--\([a-z][a-z-]*\).*/\2/p'); do
        [[ $option == missing ]] && continue
        check "man $name lacks --$option" grep -qF -- "\\-\\-${option//-/\\-}\\fR" <<<"$run_out"
    done
    if command -v groff >/dev/null; then
        check "groff warns of $name" test -z "$(groff -man -Tutf8 -ww <<<"$run_out" 2>&1 >/dev/null)"
    fi
done
run_ok "man fit" "$PARE" generate man fit
expect_stdout_contains '\-\-row\-scale'
expect_stdout_contains '\-\-zero\-slack\fR (l2-arom)'
run_ok "man" "$PARE" generate man
expect_stdout_contains 'pare\-predict'
run "$PARE" generate pdf
expect_error 2 'man' 'bash' '"pdf"'

case_begin "bash completes commands, methods, options, settings and their words"
run_ok "bash" "$PARE" generate bash
cp "$SCRATCH/.stdout" pare.bash
answers() { # EXPECTED WORDS...: completing the last word offers EXPECTED among others
    local expected=$1
    shift
    check "no $expected for: $*" bash -c '. ./pare.bash; e=$1; shift; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _pare
        printf "%s\n" "${COMPREPLY[@]}" | grep -qx -- "$e"' - "$expected" "$@"
}
answers predict pare pre
answers l2-arom pare fit x.csv -m l2
answers --row-scale pare fit x.csv --row
answers tfidf pare fit x.csv --row-scale tf
answers --zero-slack pare path x.csv --zero
answers --score pare predict --sc
answers --fold-groups pare path --fold
touch data.csv
answers data.csv pare fit da

case_begin "zsh and fish get a file that they can read"
for shell in zsh fish; do
    run_ok $shell "$PARE" generate $shell
    expect_stdout_contains 'row-scale'
    cp "$SCRATCH/.stdout" completion.$shell
    if command -v $shell >/dev/null; then check "$shell does not read it" $shell -n completion.$shell; fi
done
