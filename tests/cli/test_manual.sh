#!/usr/bin/env bash
# Help, manual pages and completion come from one table: what they show is what a command takes.
. "$(dirname "$0")/harness.sh"

is_line_of() { [[ $'\n'$2$'\n' == *$'\n'"$1"$'\n'* ]]; }
lacks() { ! contains "$@"; }
names=$("$PARE" help | sed -n 's/^  pare \([a-z]*\) .*/\1/p')

case_begin "help shows exactly the options that a command has"
check "commands: $names" test "$(wc -w <<<"$names")" -ge 8
for name in $names; do
    "$PARE" help "$name" >help.txt
    own=$(sed -n 's/^  \(-., \)\?--\([a-z][a-z-]*\).*/\2/p' help.txt)
    for option in $own; do
        [[ $option == help ]] && continue
        run "$PARE" "$name" "--$option"
        check "$name does not take --$option, which its help shows" lacks "$run_err" 'is no option'
    done
    for option in $("$PARE" help fit | sed -n 's/^  \(-., \)\?--\([a-z][a-z-]*\).*/\2/p'); do
        is_line_of "$option" "$own" && continue
        run "$PARE" "$name" "--$option" 1
        check "$name takes --$option, which its help does not show" contains "$run_err" 'is no option'
    done
done
run "$PARE" help
check "the generator is listed" test -z "$(grep generate <<<"$run_out")"

case_begin "every option of the table is in a command's help"
shown=$(for name in $names; do "$PARE" help "$name"; done)
for option in $(sed -n 's/^    {"\([a-z-]*\)", .*TAKES_.*/\1/p' "$ROOT/cli/option_table.c"); do
    check "--$option is in no help" contains "$shown" "--$option "
done

case_begin "an option of a run is listed exactly where it changes something"
# plna draws its starts: with more features than its support, check repeats the fit from them.
awk 'BEGIN { srand(3); for (j = 1; j <= 40; j++) printf "x%d,", j; print "off,y"
             for (i = 0; i < 30; i++) { s = rand(); for (j = 1; j <= 40; j++) { x = rand() - 0.5; printf "%.4f,", x
                 if (j < 6) s += x * (6 - j) / 5 } printf "%.3f,%.4f\n", rand(), s } }' >drawn.csv
for j in {1..40}; do echo "x$j,$((j % 7))"; done >sevenths.csv
sed 's/[0-6]$/0/; 1~3s/0$/1/' sevenths.csv >thirds.csv
"$PARE" demo -o clean.csv >/dev/null 2>&1 # and columns of scales for which no double suffices
awk -F, 'BEGIN { OFS = "," } NR > 1 { for (i = 1; i < NF; i++) $i = $i * (i % 7 ? (i % 3 ? 1 : 1e-4) : 1e5) + 1e6 } 1' clean.csv >hard.csv
random="-m plna -k 36 --refit none --lambda 0.15"
# shellcheck disable=SC2086
run_ok "fit" "$PARE" fit drawn.csv --target y --drop off $random --seed 1 -o drawn.json
run_ok "fit" "$PARE" fit drawn.csv --target y --offset off -m lasso -k 3 -o offset.json
run_ok "fit" "$PARE" fit drawn.csv --target y --drop off -m lasso -k 6 --groups sevenths.csv -o groups.json
# what_it_does COMMAND OPTION...: exit code, output and files
what_it_does() {
    local name=$1 data="drawn.csv --target y" off="--drop off" words
    shift
    case $* in *--offset*) off="" ;; esac
    case $name in
    fit) words="fit $data $off $method" ;;
    path)
        words="path $data $off -m lasso --sizes 2,4 --inner 0 --folds 4 --lambda-count 4"
        [[ $option != strict ]] || words="path hard.csv -m svm --tol 1e-12 --C 1e8 --scale none --sizes 5 --inner 0 --folds 4"
        ;;
    predict) words="predict $model $data $off" ;;
    check) words="check $model $data $off" ;;
    info) words="info $data $off --json" ;;
    convert) words="convert drawn.csv effect.pare --target y $off" ;;
    demo) words=demo ;;
    *) return ;;
    esac
    rm -f effect.pare
    # shellcheck disable=SC2086
    "$PARE" $words "$@" --quiet >effect.out 2>effect.err && echo 0 >>effect.out || echo $? >>effect.out
    grep -q 'is no option' effect.err && echo "no option" && return
    cat effect.out effect.pare 2>/dev/null | sha256sum
}
for name in fit path predict check info convert demo; do
    listed=$("$PARE" help "$name" | sed -n 's/^  \(-., \)\?--\([a-z][a-z-]*\).*/\2/p')
    for trial in "seed 2" "memory 1k" "time-limit 1e-9" timing strict "offset off" "groups thirds.csv"; do
        read -r option value <<<"$trial"
        before=() method=$random model=drawn.json
        [[ $option == offset || $option == groups ]] && method="-m lasso -k 6" model=$option.json
        [[ $option == strict && $name == fit ]] && before=(--time-limit 1e-9)
        # without an offset the same column is left out
        plain=$(what_it_does "$name" "${before[@]}")
        # shellcheck disable=SC2086
        tried=$(what_it_does "$name" "${before[@]}" --$option $value)
        if grep -qx -- "$option" <<<"$listed"; then
            check "pare $name --$option changes nothing, and help shows it" test "$plain" != "$tried"
        else
            check "help of $name lacks --$option" test "$tried" = "no option"
        fi
    done
done

case_begin "a manual page has every option of its command, and the settings of methods"
for name in $names; do
    run_ok "man $name" "$PARE" generate man "$name"
    expect_stdout_contains ".TH PARE"
    for option in $("$PARE" help "$name" | sed -n 's/^  \(-., \)\?--\([a-z][a-z-]*\).*/\2/p'); do
        [[ $option == missing ]] && continue
        check "man $name lacks --$option" contains "$run_out" "\\-\\-${option//-/\\-}\\fR"
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
cat >all.bash <<'B'
. ./pare.bash
COMP_WORDS=(pare "$1" x --) COMP_CWORD=3
_pare
printf '%s\n' "${COMPREPLY[@]}"
B
"$PARE" generate zsh >pare.zsh
"$PARE" generate fish >pare.fish
for name in $names; do
    bash all.bash "$name" >offered
    sed -n "/^  $name) options=/p" pare.zsh | tr -s ' ()' '\n' >zsh.offered
    for option in $("$PARE" help "$name" | sed -n 's/^  \(-., \)\?--\([a-z][a-z-]*\).*/\2/p'); do
        [[ $option == missing ]] && continue # of predict and convert not in the table
        check "bash does not offer pare $name --$option" grep -qx -- "--$option" offered
        check "zsh does not offer pare $name --$option" grep -qx -- "--$option" zsh.offered
        check "fish does not offer pare $name --$option" \
            grep -q "from.* $name.*' -l $option\b" pare.fish
    done
done
touch data.csv
answers data.csv pare fit da

case_begin "zsh and fish get a file that they can read"
for shell in zsh fish; do
    run_ok $shell "$PARE" generate $shell
    expect_stdout_contains 'row-scale'
    cp "$SCRATCH/.stdout" completion.$shell
    if command -v $shell >/dev/null; then check "$shell does not read it" $shell -n completion.$shell; fi
done
