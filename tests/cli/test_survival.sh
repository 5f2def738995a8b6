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
