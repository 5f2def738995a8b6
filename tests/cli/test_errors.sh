#!/usr/bin/env bash
# Wrong input: one sentence, the right exit code, nothing half-written.
. "$(dirname "$0")/harness.sh"

printf 'a,b,class\n1,2,x\n3,4,y\n5,7,x\n' >ok.csv
printf 'a,class\n1,x\n2,y\n3,x\n4,y\n5,x\n6,y\n1,x\n0,y\n' >even.csv
"$PARE" fit ok.csv -m svm -o model.json >/dev/null

case_begin "usage errors name the option, the value and what is allowed"
wrong 2 'no command "fitt"' -- fitt ok.csv
wrong 2 'no method "nonsense"' -- fit ok.csv -m nonsense
wrong 2 '-m needs a value' -- fit ok.csv -m
wrong 2 'no method ""' -- fit ok.csv -m ''
wrong 2 '--C' '"-1"' 'a number > 0 or inf' -- fit ok.csv -m svm --C -1
wrong 2 '--C' '"abc"' -- fit ok.csv -m svm --C=abc
wrong 2 'k' '"0"' 'a whole number >= 1' -- fit ok.csv -m svm -k 0
wrong 2 'k' '3 features cannot be selected from 2' -- fit ok.csv -m svm -k 3
wrong 2 '--bogus' 'no setting of svm' -- fit ok.csv -m svm --bogus 1
wrong 2 '--threads' '"0"' '1 to 1024' -- fit ok.csv -m svm --threads 0
wrong 2 '--seed' '"-4"' -- fit ok.csv -m svm --seed -4
wrong 2 '--memory' '"lots"' -- fit ok.csv -m svm --memory lots
wrong 2 '--time-limit' '"0"' 'seconds > 0' -- fit ok.csv -m svm --time-limit 0
wrong 2 '--scale' 'standard unit minmax robust none' -- fit ok.csv -m svm --scale big
wrong 2 '--missing' 'refuse mean median indicator drop' -- fit ok.csv -m svm --missing maybe
wrong 2 '--missing' 'keep refuse drop' -- convert ok.csv x.tsv --missing maybe
wrong 2 '--no-intercept takes no value' -- fit ok.csv -m svm --no-intercept=true
wrong 2 'one file' -- fit ok.csv -m svm -o same.json --ranking same.json
wrong 2 '--index-base' '0 to 1' -- info ok.csv --index-base 2
wrong 2 'one too many' -- fit ok.csv more.csv -m svm
wrong 2 'needs DATA' -- fit -m svm
wrong 2 'needs MODEL.json DATA' -- predict model.json
wrong 2 '--quiet takes no value' -- fit ok.csv -m svm --quiet=1
wrong 2 'task' 'allowed: classify' -- fit ok.csv -m svm --task regress
wrong 2 'positive' '"z"' -- fit ok.csv -m svm --positive z
wrong 2 '--class-weight' '"z"' 'not among the 2 classes' -- fit ok.csv -m svm --class-weight z=2
wrong 2 '--class-weight' '"even"' 'none, balanced or LABEL=W' -- fit ok.csv -m svm --class-weight even
wrong 2 '--class-weight' 'class "x" is "0"' 'a number > 0' -- fit ok.csv -m corr --class-weight x=0
wrong 2 '--class-weight' 'class "y" is "-1"' -- path ok.csv -m svm --class-weight x=2,y=-1 --folds 2
printf 'a,g\nb,g\n' >one.groups
printf 'a,g\nb,h\na,h\n' >twice.groups
wrong 2 '--max-correlation' '"1.5"' 'a number > 0 and <= 1' -- fit ok.csv -m svm --max-correlation 1.5
wrong 2 '--max-correlation' '1nn' -- fit ok.csv -m 1nn --max-correlation 0.5
wrong 2 '--groups' 'one group' -- fit ok.csv -m corr --groups one.groups
wrong 1 'has a group already' -- fit ok.csv -m corr --groups twice.groups
wrong 2 '--groups' 'poly-arom takes none' -- fit ok.csv -m poly-arom --groups one.groups
wrong 2 '--count' 'groups features' -- fit ok.csv -m svm --count all
wrong 2 '--class-weight' 'named twice' -- fit ok.csv -m svm --class-weight x=2,x=3
wrong 2 '--class-weight' 'ranking' -- fit ok.csv -m inf-push --class-weight balanced
wrong 2 '--class-weight' 'regression' -- fit ok.csv -m lasso --target a --drop class --class-weight balanced
wrong 2 'no method "nonsense"' -- methods nonsense
wrong 2 'extension' -- fit data.xyz -m svm
wrong 2 'no extension' -- fit - -m svm
wrong 2 '"weird"' -- fit ok.csv --format weird -m svm
run "$PARE"
expect_exit 2

case_begin "a slip of the hand is met with the name that was meant"
wrong 2 'did you mean fit?' -- fitt ok.csv
wrong 2 'did you mean l2-arom?' -- fit ok.csv -m l2-arm
wrong 2 'did you mean svm-rfe?' -- path ok.csv -m corr,svm_rfe
wrong 2 'did you mean --time-limit?' -- fit ok.csv -m svm --timelimit 3
wrong 2 'did you mean --multiclass?' -- fit ok.csv -m svm --mutliclass ww
wrong 2 'did you mean --target?' -- info ok.csv --traget a
run "$PARE" fit ok.csv -m zzzz
check "a guess out of nothing: $run_err" test "$run_err" = "${run_err/did you mean/}"
for old in 'dlsr-fs --lambda-min' 'l1-svm-path --path-end'; do
    wrong 2 "${old#* } of ${old% *} is now --lambda-least" -- fit ok.csv -m ${old% *} ${old#* }=0.1
done
wrong 2 '--points of l1-svm-path is now --lambda-count' -- fit ok.csv -m l1-svm-path --points 3
run_ok "-V" "$PARE" -V
expect_stdout_is "$("$PARE" --version)"

case_begin "data errors name the file and the place"
printf 'a,y\n1,0.5\n2,1.25\n3,2\n4,3.5\n' >real.csv
wrong 1 '4 different values in 4 samples' 'regression' -- fit real.csv -m svm
printf '1 1:2 5:1\n0 2:1\n' >wide.svm
wrong 1 '--n-features' '3 is less than the 5 features' -- info wide.svm --n-features 3
wrong 1 'nowhere.csv' -- fit nowhere.csv -m svm
wrong 1 '.' -- fit ./ --format csv -m svm
printf 'a,b,class\n1,2,x\n3,oops,y\n' >text.csv
wrong 1 'text.csv' 'line 3' 'column 2' '(b)' '"oops"' -- fit text.csv -m svm
printf 'a,b,class\n1,2,x\n3,y\n' >ragged.csv
wrong 1 'ragged.csv' 'line 3' -- fit ragged.csv -m svm
printf 'a,b,class\n1,inf,x\n3,4,y\n' >inf.csv
wrong 1 'inf.csv' 'line 2' 'column 2' -- fit inf.csv -m svm
printf 'a,a,class\n1,2,x\n3,4,y\n' >twice.csv
wrong 1 'twice.csv' '"a"' -- fit twice.csv -m svm
printf 'a,class\n1,x\n3,x\n' >one.csv
wrong 1 'one class "x"' -- fit one.csv -m svm
printf 'a,class\n' >norows.csv
wrong 1 'norows.csv' 'no samples' -- fit norows.csv -m svm
printf 'class\nx\ny\n' >nocols.csv
wrong 1 'nocols.csv' 'no features' -- fit nocols.csv -m svm
: >empty.csv
wrong 1 'empty.csv' -- fit empty.csv -m svm
wrong 1 'nothere' -- fit ok.csv --target nothere -m svm
wrong 1 'nothere' -- fit ok.csv --drop nothere -m svm
printf 'a,b\xe9,class\n1,2,x\n3,4,y\n' >latin.csv
wrong 1 'latin.csv' 'number 2 of the feature names' 'UTF-8' -- fit latin.csv -m svm
printf 'a,class\n1e200,x\n3e200,y\n2e200,x\n' >huge.csv
wrong 1 'feature 1' 'change its unit' -- fit huge.csv -m corr --scale unit
printf 'u,class\n1,"a\nb"\n2,c\n' >broken.csv
wrong 1 'sample 1' 'line break' -- convert broken.csv broken.npy
check "no file is left" test ! -e broken.npy
printf 'x\ny\n' >short.labels
wrong 1 'short.labels' -- fit ok.csv --drop class --labels short.labels -m svm
printf '1 2:1 1:3\n' >disorder.svm
wrong 1 'disorder.svm' 'line 1' -- fit disorder.svm -m svm
head -c 40 /dev/urandom >junk.mat
wrong 1 'junk.mat' -- fit junk.mat -m svm
printf '\x1f\x8b\x08\x00broken' >broken.csv.gz
wrong 1 'broken.csv.gz' -- fit broken.csv.gz -m svm

case_begin "model files are checked before they are believed"
wrong 1 'nowhere.json' -- predict nowhere.json ok.csv
printf '{"kind": "model"' >cut.json
wrong 1 'cut.json' 'line 1' -- predict cut.json ok.csv
echo '{"kind": "path"}' >path.json
wrong 1 'path.json' '"kind"' -- predict path.json ok.csv
sed 's/"coef":\[[^]]*\]/"coef":[1]/' model.json >fewer.json
wrong 1 'fewer.json' '"outputs"' -- predict fewer.json ok.csv
sed 's/"index":[0-9]*/"index":-3/' model.json >negative.json
wrong 1 'negative.json' '"selected"' -- predict negative.json ok.csv
sed 's/"method": "svm"/"method": "magic"/' model.json >magic.json
wrong 1 'magic.json' '"magic"' -- predict magic.json ok.csv
check_edit() { # SED TEXT: a model edited so is refused by check, with that text
    sed -E "$1" model.json >edited.json
    check "the edit $1 does nothing" bash -c '! cmp -s model.json edited.json'
    run "$PARE" check edited.json ok.csv
    expect_error 1 "$2"
}
check_edit 's/^ "dual": .*/ "dual": null,/' 'duals'
check_edit 's/^ "n_features": .*/ "n_features": 1000000,/' 'number of features'
check_edit 's/^ "n_features": .*/ "n_features": 4611686018427387904,/' 'number of features'
check_edit 's/^ "n_samples": .*/ "n_samples": 1,/' 'n_samples'
check_edit 's/^ "classes": .*/ "classes": ["y","x"],/' 'order of the classes'
check_edit 's/"name":"a"/"name":"other"/' 'feature names'
check_edit 's/("scale":\[)[^],]*/\19.5/' 'shift and scale'
check_edit 's/^ "task": .*/ "task": "ranking",/' 'outputs'
check_edit 's/"rows":3/"rows":4/' 'n_samples'
printf 'a,class\n1,x\n' >lacks.csv
wrong 1 'lacks.csv' '"b"' -- predict model.json lacks.csv

case_begin "a failed write leaves nothing behind"
mkdir -p full
run "$PARE" fit ok.csv -m svm -o nodir/model.json
expect_error 1 'nodir/model.json'
run bash -c "\"$PARE\" fit ok.csv -m svm >/dev/full"
expect_exit 1
expect_stderr_contains "standard output"
run bash -c "\"$PARE\" fit ok.csv -m svm -o out.json | true; exit \${PIPESTATUS[0]}"
check "exit is 0 or 1" test "$run_code" -le 1
run "$PARE" fit text.csv -m svm -o never.json
expect_no_file never.json
run "$PARE" fit ok.csv -m svm -o never.json --ranking nodir/ranking.tsv
expect_error 1 'nodir/ranking.tsv'
expect_no_file never.json
run bash -c "\"$PARE\" methods >/dev/full"
expect_exit 1
run "$PARE" path even.csv -m svm --folds 2 --inner 0 -o never.json --report nodir/report.html
expect_error 1 'nodir/report.html'
expect_no_file never.json

case_begin "an output overwrites neither another one nor what is read"
cp ok.csv kept.csv
wrong 2 'two outputs' -- fit kept.csv -m svm -o never.json --ranking ./never.json
wrong 2 'two outputs' -- path kept.csv -m svm --folds 2 -o never.json --report "$PWD/never.json"
wrong 2 'kept.csv' 'is read' -- fit kept.csv -m svm -o ./kept.csv
wrong 2 'kept.csv' 'is read' -- path kept.csv -m svm -o kept.csv
wrong 2 'kept.csv' 'is read' -- predict model.json kept.csv -o kept.csv
wrong 2 '--ranking' 'name of a file' -- fit kept.csv -m svm --ranking ''
expect_no_file never.json
check "the data are still there" cmp ok.csv kept.csv

case_begin "a wrong grid is told from a right one"
wrong 2 'grid' 'tune' -- path even.csv -m svm --folds 2 --grid 'C 1'
wrong 2 'grid' 'no values' -- path even.csv -m svm --folds 2 --tune --inner 2 --grid ''
wrong 2 'grid' '"nonsense"' -- path even.csv -m svm --folds 2 --tune --inner 2 --grid 'nonsense 1'
wrong 2 'grid' '"C"' 'twice' -- path even.csv -m svm --folds 2 --tune --inner 2 --grid 'C 1, C 2'
wrong 2 'grid' 'task' -- path even.csv -m svm --folds 2 --tune --inner 2 --grid 'task classify'
wrong 2 'grid' '"-1"' -- path even.csv -m svm --folds 2 --tune --inner 2 --grid 'C -1'
wrong 2 '--classifier-C' '"-1"' -- fit ok.csv -m corr --classifier-C -1
check "no temporary files" test -z "$(find . -name '*tmp*')"

case_begin "a limit on memory is kept with a sentence"
wrong 1 'ok.csv' '48 bytes' 'limit' -- fit ok.csv -m svm --memory 10

case_begin "a limit of time is kept while monomials are made, and 1nn has none"
wrong 1 'time limit' 'monomials of degree 1 to 2' -- fit ok.csv -m poly-arom --time-limit 1e-9
wrong 2 '1nn' 'monomials' 'logistic' -- fit ok.csv -m poly-arom --classifier 1nn

case_begin "a program names its own controls in the sentences that it shows"
printf 'a,b,class\n1,2,p\n3,4,?\n5,6,q\n' >gap.csv
export PARE_NAMES=$'missing drop\t"leave them out"\nmissing\t"Missing values"\nC\t"Cost"\nno tab\n'
wrong 1 'gap.csv' 'choose "leave them out"' -- fit gap.csv -m svm
wrong 2 'pare: "Cost": "-1" is not allowed' -- fit ok.csv -m svm --C -1
wrong 2 'pare: classifier_C: "-1" is not allowed' -- fit ok.csv -m corr --classifier-C -1
unset PARE_NAMES
wrong 2 'pare: --C: "-1" is not allowed' -- fit ok.csv -m svm --C -1
wrong 1 'gap.csv' 'choose --missing drop' -- fit gap.csv -m svm
