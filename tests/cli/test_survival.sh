#!/usr/bin/env bash
# Times to an event: how they are read, from every place, and what is said of wrong ones.
. "$(dirname "$0")/harness.sh"

cat >a.csv <<'X'
id,a,b,t,status,site
s1,1,2,3.5,1,x
s2,2,1,4,0,x
s3,3,5,1,1,y
s4,0,1,9,0,y
s5,7,2,2,1,x
X
cut_columns() { cut -d, -f"$1" a.csv; }
cut_columns 1-3 >x.csv
cut_columns 4 >t.txt
cut_columns 5 >status.txt
awk -F, -v OFS="\t" "{ print \$1, \$4, \$5, \$6 }" a.csv | (read -r head && echo "$head" && sort -r) >table.tsv

# reads TARGET OPTION...: info says so much of the target, and the features are a and b
reads() {
    local target=$1
    shift
    run "$PARE" info "$@"
    expect_exit 0
    expect_stdout_contains "target	$target"
    expect_stdout_contains "first features	a	b
weights"
}
three='times from 1 to 9, 3 events, 2 censored'

case_begin "columns of the data"
reads "$three" a.csv --time t --event status --strata site

case_begin "a value of the event behind ="
sed 's/,1,\([xy]\)$/,dead,\1/; s/,0,\([xy]\)$/,alive,\1/' a.csv >words.csv
reads "$three" words.csv --time t --event status=dead --drop site
reads 'times from 1 to 9, 2 events, 3 censored' words.csv --time t --event status=alive --drop site
run "$PARE" info words.csv --time t --event status --drop site
expect_exit 1
expect_stderr_contains 'words.csv: the events are "dead", "alive", none of which is 1 or true; name the value of the event, as in --event COLUMN=alive'
run "$PARE" info words.csv --time t --event status=gone --drop site
expect_exit 1
expect_stderr_contains 'no sample has the event "gone"; the values are "dead", "alive"'

case_begin "true in any letter case, and numbers by value"
sed 's/,1,\([xy]\)$/,True,\1/; s/,0,\([xy]\)$/,FALSE,\1/' a.csv >true.csv
reads "$three" true.csv --time t --event status --drop site
reads "$three" a.csv --time t --event status=1.0 --drop site

case_begin "1 and 2 need a value"
awk -F, -v OFS=, 'NR > 1 { $5++ } { print }' a.csv >two.csv
run "$PARE" info two.csv --time t --event status --drop site
expect_exit 1
expect_stderr_contains 'the events are "2", "1", either of which may be the event; name its value, as in --event COLUMN=2'
reads "$three" two.csv --time t --event status=2 --drop site

case_begin "three values are a note"
sed 's/^s4.*/s4,0,1,9,2,y/' a.csv >three.csv
reads "$three" three.csv --time t --event status --drop site
expect_stderr_contains 'the events have the values "1", "0", "2"; 1 or true is the event, samples with the others count as censored'

case_begin "a column of the whole name wins, wherever it is"
sed '1s/b,t/status=1,t/' a.csv | awk -F, -v OFS=, 'NR > 1 { $3 = NR % 2 } { print }' >whole.csv
run "$PARE" info whole.csv --time t --event status=1 --drop site
expect_stdout_contains 'times from 1 to 9, 2 events, 3 censored'
expect_stdout_contains 'first features	a	status'
awk -F, -v OFS=, '{ x = $3; $3 = $5; $5 = x; print }' whole.csv >other.csv
run "$PARE" info other.csv --time t --event status=1 --drop site
expect_stdout_contains 'times from 1 to 9, 2 events, 3 censored'
expect_stdout_contains 'first features	a	status'

case_begin "files of one value a line, tables by id, with a value behind ="
reads "$three" x.csv --time t.txt --event status.txt
reads 'times from 1 to 9, 2 events, 3 censored' x.csv --time t.txt --event status.txt=0
reads "$three" x.csv --time table.tsv:t --event table.tsv:status --strata table.tsv:site
reads 'times from 1 to 9, 2 events, 3 censored' x.csv --time table.tsv:t --event table.tsv:status=0
sed '1s/status/status=0/' table.tsv >named.tsv
reads "$three" x.csv --time table.tsv:t --event named.tsv:status=0
run "$PARE" info x.csv --time t.txt --event nothing=1
expect_exit 1
expect_stderr_contains 'events "nothing=1" are neither one of its columns nor a file'

case_begin "features in rows"
awk -F, '{ for (j = 1; j <= NF; j++) c[j] = c[j] (NR > 1 ? "," : "") $j }
         END { for (j = 1; j < 6; j++) print c[j] }' a.csv >rows.csv
reads "$three" rows.csv --features-in-rows --time t --event status
reads 'times from 1 to 9, 2 events, 3 censored' rows.csv --features-in-rows --time t --event status=0

case_begin ".arff with a nominal event"
{
    printf '@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute t numeric\n'
    printf '@attribute status {alive,dead}\n@data\n'
    sed 1d words.csv | cut -d, -f2-5
} >a.arff
reads "$three" a.arff --time t --event status=dead

case_begin "missing times, events and strata"
sed 's/^s2.*/s2,2,1,NA,0,x/' a.csv >no_time.csv
sed 's/^s2.*/s2,2,1,4,,x/' a.csv >no_event.csv
sed 's/^s2.*/s2,2,1,4,0,/' a.csv >no_site.csv
for one in time event stratum; do
    file=no_${one/stratum/site}.csv
    run "$PARE" convert "$file" out.csv --time t --event status --strata site
    expect_exit 1
    expect_stderr_contains "$file, line 3, column"
    expect_stderr_contains "the $one is missing ("
    expect_stderr_contains "choose --missing drop"
    run "$PARE" convert "$file" out.csv --time t --event status --strata site --missing drop
    expect_exit 0
    expect_stderr_contains "1 of 5 samples have no target and are left out"
    check "$one: another sample is gone" test "$(cut -d, -f1 out.csv | tr '\n' ' ')" = "id s1 s3 s4 s5 "
done
sed 's/,0,\([xy]\)$/,.,\1/' a.csv >dots.csv
run "$PARE" convert dots.csv out.csv --time t --event status --strata site
expect_stderr_contains 'the event of sample s2 is missing ("."); choose --missing drop'

case_begin "times that are none"
for wrong in -1 inf never; do
    sed "s/^s2.*/s2,2,1,$wrong,0,x/" a.csv >wrong.csv
    run "$PARE" convert wrong.csv out.csv --time t --event status --strata site
    expect_exit 1
    expect_stderr_contains 'wrong.csv, line 3, column 4 (t): expected a'
done

case_begin "options that do not go together"
printf 'x1,x2,class\n1,2,a\n3,1,b\n2,2,a\n5,4,b\n' >classes.csv
run "$PARE" fit classes.csv -m cox
expect_exit 1
expect_stderr_contains 'survival needs the time of each sample and whether it had an event: give --time and --event'
run "$PARE" info a.csv --time t
expect_exit 2
expect_stderr_contains '--time needs --event, which tells events from censored samples'
run "$PARE" info a.csv --event status
expect_exit 2
expect_stderr_contains '--event needs --time'
run "$PARE" info a.csv --time t --event status --target b
expect_exit 2
expect_stderr_contains '--target does not go with --time and --event, which are the target'
run "$PARE" info a.csv --time t --event t
expect_exit 2
expect_stderr_contains 'column "t" is asked for both as times and as events'
sed '1s/,b,/,class,/' a.csv >class.csv
run "$PARE" info class.csv --time t --event status --drop site
expect_exit 1
expect_stderr_contains 'the column "class" would be a feature, since the target comes from --time and --event; leave it out with --drop'
run "$PARE" fit a.csv -m svm --strata site --target status --drop t,id
expect_exit 2
expect_stderr_contains '--strata are for survival: give --time and --event too, or leave them out'
run "$PARE" fit a.csv -m svm --time t --event status --drop site
expect_exit 2
expect_stderr_contains 'the data have times and events: choose a method for survival'

case_begin "convert keeps them"
run "$PARE" convert a.csv a.pare --time t --event status --strata site
expect_exit 0
run "$PARE" convert a.pare back.csv
expect_exit 0
check "another header" test "$(head -1 back.csv)" = "id,a,b,stratum,time,event"
check "another sample" test "$(sed -n 2p back.csv)" = "s1,1,2,x,3.5,1"
reads "$three" a.pare
reads "$three" back.csv --time time --event event --strata stratum
reads 'times from 1 to 9, 2 events, 3 censored' a.pare --time table.tsv:t --event table.tsv:status=0
run "$PARE" convert a.pare a.svm
expect_exit 1
expect_stderr_contains 'svmlight has no place for times and events: write .csv or .pare'
run "$PARE" convert a.pare a.npy --labels-out y.txt
expect_exit 1
expect_stderr_contains 'a file of labels has no place for times and events'
check "a file was left" test ! -e a.svm -a ! -e a.npy -a ! -e y.txt
head -c 260 a.pare >cut.pare
run "$PARE" info cut.pare
expect_exit 1

case_begin "the columns of info"
run "$PARE" info a.csv --time t --event status --strata site --columns
expect_stdout_contains "	times	0	5	1	9	
	events	0	2	0	1	
	strata	0	2			"
run "$PARE" info a.csv --time t --event status --drop site --json
expect_stdout_contains '"target": {"kind":"times","min":1.0,"max":9.0,"events":3}'

case_begin "options of weights win over those that a .pare has"
awk -F, 'NR > 1 { print NR }' a.csv >w.txt
run "$PARE" convert a.csv w.pare --time t --event status --drop site --weights w.txt
run "$PARE" convert w.pare w.csv --weights t.txt
check "the weights of the file" test "$(sed -n 2p w.csv)" = "s1,1,2,3.5,3.5,1"

# survivors N: times of an exponential law whose rate grows with g1, a half of them censored; each sample
# twice, in folds a and b
survivors() {
    awk -v n="$1" 'BEGIN {
        srand(5); print "time,event,fold,site,g1,g2,g3"
        for (i = 0; i < n; i++) {
            g = rand(); h = rand(); u = rand(); time = 1 + int(-20 * log(u) * exp(-2 * g)); event = rand() < 0.6
            for (k = 0; k < 2; k++)
                printf "%d,%d,%s,%s,%.6f,%.6f,%.6f\n", time, event, k ? "b" : "a", i % 2 ? "x" : "y", g, h, u / 9 + rand()
        }
    }'
}
survivors 60 >alive.csv
times="--time time --event event --drop fold,site"

case_begin "risks, and what they mean at times"
run "$PARE" fit alive.csv -m cox -k 2 $times -o model.json
expect_exit 0
run "$PARE" predict model.json alive.csv -o risk.tsv
check "the header of risks" test "$(head -1 risk.tsv)" = "sample	risk"
run "$PARE" predict model.json alive.csv --times 2.50,1e9 -o curve.tsv
expect_stderr_contains "time 1000000000 is after the last event of the training samples"
check "the header of curves" test "$(head -1 curve.tsv)" = "sample	risk	S(2.50)	S(1e9)	median"
check "curves do not fall with time and risk" awk -F'\t' 'NR > 1 { bad += !($3 > $4 && $3 <= 1 && $4 >= 0) }
    NR > 1 && $2 > most { most = $2; least = $3 } END { exit bad || NR < 100 }' curve.tsv
check "the mean risk is not 0" awk -F'\t' 'NR > 1 { sum += $2 } END { exit !(sum < 1e-9 && sum > -1e-9) }' risk.tsv
for wrong in x -1 1,,2 inf; do
    run "$PARE" predict model.json alive.csv --times "$wrong"
    expect_exit 2
    expect_stderr_contains "--times: \"$wrong\" is not allowed; expected times >= 0"
done
run "$PARE" predict model.json alive.csv --times 1 --score $times
expect_exit 2
expect_stderr_contains "--times and --score are two outputs"
run "$PARE" predict model.json alive.csv --score $times
expect_stdout_contains "c_index	0."
run "$PARE" predict model.json alive.csv --score $times --json
expect_stdout_contains '"c_index"'
run "$PARE" predict model.json alive.csv --score
expect_stderr_contains "give --time and --event"

case_begin "a model with strata needs them for curves alone"
run "$PARE" fit alive.csv -m cox -k 2 --time time --event event --strata site --drop fold -o strata.json
expect_exit 0
run "$PARE" predict strata.json alive.csv
expect_exit 0
run "$PARE" predict strata.json alive.csv --times 5
expect_exit 2
expect_stderr_contains "give those of these samples with --strata"
run "$PARE" predict strata.json alive.csv --times 5 --strata site
expect_exit 0
sed 's/,y,/,z,/' alive.csv >other.csv
run "$PARE" predict strata.json other.csv --times 5 --strata site
expect_exit 1
expect_stderr_contains 'the stratum "z" of sample 1 is not one of the 2 that the model was fitted to'

case_begin "a path in the words of survival"
run "$PARE" path alive.csv -m cox $times --sizes 1,2,3 --inner 3 --folds 4 --predictions p.tsv -o p.json
expect_exit 0
expect_stdout_contains "# metric	c_index"
expect_stdout_contains "Nested CV estimate of the whole procedure: c-index 0."
expect_stdout_contains "n_features	used_mean	mean	se	c_index	uno_c	integrated_brier"
check "the header of predictions" test "$(head -1 p.tsv)" = "method	n_features	part	sample	time	event	risk"
run "$PARE" path alive.csv -m cox $times --sizes 1,2 --folds 4 --metric integrated_brier --inner 2
expect_exit 0
expect_stdout_contains "integrated Brier score 0."

case_begin "a training fold without events is named"
awk -F, -v OFS=, 'NR > 1 && $3 == "a" { $2 = 0 } { print }' alive.csv >half.csv
run "$PARE" path half.csv -m cox --time time --event event --fold-file fold --drop site --inner 0
expect_exit 1
expect_stderr_contains 'part 2 of the cross-validation has no sample of outcome "event" to train on'

case_begin "notes on equal times and a stratum of one sample"
awk -F, -v OFS=, 'NR > 1 { $1 = 7 } NR == 3 { $4 = "z" } { print }' alive.csv >equal.csv
run "$PARE" fit equal.csv -m cox -k 1 --time time --event event --strata site --drop fold
expect_stderr_contains "all 120 times are equal"
expect_stderr_contains 'the stratum "z" has one sample'

case_begin "a feature that equals the times is a leak"
awk -F, -v OFS=, '{ $7 = $1 } NR == 1 { $7 = "copy" } { print }' alive.csv >leak.csv
run "$PARE" fit leak.csv -m cox -k 1 $times
expect_stderr_contains 'possible leak: feature "copy" is equal to the target'

# Both folds hold the same samples, so that the training fold's curve of censoring is that of the test fold,
# which is the one that R takes; its ymax leaves out events at the last time.
case_begin "c_index and uno_c are those of R's survival::concordance"
if Rscript -e 'library(survival); library(jsonlite)' >/dev/null 2>&1; then
    run "$PARE" path alive.csv -m cox --time time --event event --fold-file fold --drop site --sizes 1,2,3 \
        --inner 0 --predictions p.tsv -o p.json
    expect_exit 0
    check "the numbers differ" Rscript -e '
        suppressMessages(library(survival))
        p <- read.delim("p.tsv")
        for (point in jsonlite::read_json("p.json")$runs[[1]]$points) for (fold in 1:2) {
            d <- p[p$n_features == point$n_features & p$part == fold, ]
            of <- function(...) concordance(Surv(time, event) ~ risk, d, reverse = TRUE, ...)$concordance
            stopifnot(nrow(d) == 60, abs(point$metrics$c_index$folds[[fold]] - of()) < 1e-12,
                      abs(point$metrics$uno_c$folds[[fold]] - of(timewt = "n/G2", ymax = max(d$time[d$event == 1]) - 0.5)) < 1e-12)
        }'
else
    echo "left out: R has no package survival or jsonlite" >&2
    check "nothing to compare with" true
fi

case_begin "strata that a model knows nothing of are named"
run "$PARE" fit a.csv -m cox -k 1 --time t --event status --drop site -o plain.json
expect_exit 0
run "$PARE" predict plain.json a.csv --time t --event status --strata site --times 2
expect_exit 0
expect_stderr_contains 'the model was fitted without strata'
