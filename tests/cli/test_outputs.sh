#!/usr/bin/env bash
# What was there before a run that fails is there after it, and what a run made is not lost.
. "$(dirname "$0")/harness.sh"

"$PARE" demo -o toy.csv >/dev/null
fit=("$PARE" fit toy.csv -m svm)
"${fit[@]}" -k 3 -o good.json >/dev/null

# kept COMMAND...: last week's model is there and as it was, and nothing beside it.
kept() {
    cp good.json m.json
    run "$@"
    check "m.json is not as it was" cmp -s good.json m.json
    check "left behind: $(echo *.tmp*)" test -z "$(compgen -G '*.tmp*')"
}

case_begin "a failed run leaves good files as they were"
kept "${fit[@]}" -o m.json --ranking nofolder/r.tsv
expect_error 1 'nofolder/r.tsv'
kept "${fit[@]}" -o m.json --ranking .
expect_error 1 'Is a directory'
kept "$PARE" path toy.csv -m corr --folds 2 --inner 0 --sizes 1,2 -o m.json --report nofolder/r.html
expect_error 1 'nofolder/r.html'
kept "${fit[@]}" --kernel rbf --time-limit 1e-9 --strict -o m.json
expect_exit 3
mkdir -p shut
if ((EUID)); then
    chmod 500 shut
    kept "${fit[@]}" -o m.json --ranking shut/r.tsv
    expect_error 1 'Permission denied'
fi

case_begin "folders are looked at before the work"
run "$PARE" fit nowhere.csv -m svm -o nofolder/m.json
expect_error 1 'nofolder/m.json'

case_begin "a lost standard output costs no file"
run bash -c "\"$PARE\" fit toy.csv -m svm -o full.json >/dev/full"
expect_exit 1
expect_stderr_contains "standard output"
run_ok "reference" "${fit[@]}" -o whole.json
expect_same_bytes full.json whole.json
run bash -c "\"$PARE\" fit toy.csv --target class -m svm -o head.json | true"
check "a closed pipe was spoken of: $(cat .stderr)" test ! -s .stderr
expect_same_bytes head.json whole.json
run bash -c "set -o pipefail; \"$PARE\" fit toy.csv --target class -m svm | head -n 3"
expect_exit 0
check "a closed pipe was spoken of: $(cat .stderr)" test ! -s .stderr

case_begin "a link stays a link and a file keeps its mode"
cp good.json real.json && chmod 600 real.json && ln -s real.json link.json
mkdir -p folder && ln -s ../later.json folder/dangling.json
run_ok "through the link" "${fit[@]}" -o link.json
check "the link is gone" test -L link.json
expect_same_bytes real.json whole.json
check "the mode is $(stat -c %a real.json)" test "$(stat -c %a real.json)" = 600
run_ok "through a link to nothing" "${fit[@]}" -o folder/dangling.json
check "the link is gone" test -L folder/dangling.json
expect_same_bytes later.json whole.json
ln -s loop.json loop.json
run "${fit[@]}" -o loop.json
expect_error 1 'loop.json'

case_begin "outputs may not meet each other or what is read"
run "$PARE" path toy.csv -m corr --sizes 1,2 --checkpoint x -o x
expect_error 2 'x is read here'

case_begin "SIGTERM saves what is done"
stopped TERM 143 "$PARE" path toy.csv -m corr --sizes 1,2 --null 100000 -o stopped.json
expect_file stopped.json

case_begin "names do not speak to the terminal"
printf 'a\033[31m,b\302\233,class\n1,2,x\n2,3,y\n3,1,x\n5,4,y\n' >escapes.csv
run_ok "fit" "$PARE" fit escapes.csv -m corr
check "a control character came out" bash -c '! LC_ALL=C grep -q "[[:cntrl:]]" <(tr -d "\t\n" <.stdout)'
check "the name is lost" grep -qF 'a\x1b[31m' .stdout
run "$PARE" fit escapes.csv -m corr --target $'q\033'
expect_error 1 'q\x1b'

case_begin "a cell shows ordinary letters as they are"
printf 'tnr,a\\b,class\n1,2,p\n2,1,q\n3,4,p\n0,1,q\n' >letters.csv
run_ok "fit" "$PARE" fit letters.csv -m corr -k 2
check "t, n and r came out as escapes" grep -qF $'\ttnr\t' .stdout
check "a backslash is not doubled" grep -qF $'\ta\\\\b\t' .stdout

case_begin "the library names settings, the command line options"
printf 'a,class\n1,p\n2,q\n,p\n4,q\n' >gap.csv
run "$PARE" fit gap.csv -m svm
expect_error 1 '--missing mean, median, indicator or drop'
printf 'a,class\n1,p\n1,q\n1,p\n2,q\n' >mixed.csv
run "$PARE" fit mixed.csv -m l1-svm --lambda 0
expect_error 1 'with --lambda above 0'

case_begin "too little address space is said, not waited for"
for limit in 100000 150000 200000; do
    run timeout 20 bash -c "ulimit -v $limit; exec \"$PARE\" fit toy.csv -m svm -k 6 --threads 2"
    expect_error 1 'not enough memory'
done

case_begin "one long line is bounded"
run timeout 20 "$PARE" info /dev/zero --format csv --memory 50M
expect_error 1 'not a text file'
head -c 3000000 /dev/zero | gzip >zeros.csv.gz
run "$PARE" info zeros.csv.gz
expect_error 1 'not a text file'
run timeout 20 bash -c "yes | tr -d '\n' | \"$PARE\" info - --format csv --memory 5M"
expect_error 1 'memory limit'
