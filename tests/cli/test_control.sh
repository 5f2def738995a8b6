#!/usr/bin/env bash
# pare path --error-control: its files, what it refuses and with which words, what must not change it.
. "$(dirname "$0")/harness.sh"

# The first three of thirty features differ between the classes.
awk 'BEGIN {
    srand(11)
    for (j = 1; j <= 30; j++) printf "g%d,", j
    print "w,patient,class"
    for (i = 0; i < 60; i++) {
        c = i % 2
        for (j = 1; j <= 30; j++) printf "%.4f,", (rand() + rand() + (j <= 3 ? 0.8 * c : 0))
        printf "%d,p%d,%s\n", (i >= 54 ? 0 : 1), i % 20, c ? "case" : "control"
    }
}' >data.csv
options=(data.csv --drop patient,w --folds 3 --inner 0 --sizes 1,3 --substitutes 0)

json() { # FILE EXPRESSION: a Python expression of the object d, and c of its first control, is true
    check "not so: $2" /usr/bin/env python3 -c "
import json
d = json.load(open('$1'))
c = d['runs'][0]['control']
assert $2"
}
subcommand=path # of wrong

case_begin "the true features are found, with the fields of the contract"
run_ok "path" "$PARE" path "${options[@]}" -m svm-rfe,corr --error-control pfer=1 --error-pairs 20 -o one.json --report one.html
cp "$SCRATCH/.stdout" one.tsv
json one.json "c['kind'] == 'stability' and c['level'] == 1 and c['bound'] == 'unimodal' and c['pairs'] == 20"
json one.json "c['q'] == 4 and c['expected'] <= 1 and 'one peak' in c['assumes']"
json one.json "{f['name'] for f in c['selected']} >= {'g1', 'g2', 'g3'} and len(c['selected']) <= 5"
json one.json "all(f['share'] >= c['threshold'] and f['name'] == 'g%d' % (f['index'] + 1) for f in c['selected'])"
json one.json "[f['share'] for f in c['listed']] == sorted((f['share'] for f in c['listed']), reverse=True)"
json one.json "all(f['share'] < c['threshold'] for f in c['listed'][len(c['selected']):])"
json one.json "abs(sum(f['share'] for f in c['listed']) - c['q']) < 1e-9"
json one.json "abs(2 * 20 * c['threshold'] - round(2 * 20 * c['threshold'])) < 1e-9"
json one.json "len(d['runs'][1]['control']['selected']) >= 3"
check "no line of the table" grep -q '^# controlled	svm-rfe	g1	0	' one.tsv
check "no sentence" grep -q 'on average at most 1 feature that is hardly better than chance (unimodal bound)' one.tsv
check "not on the page" grep -q 'How many of them may be false' one.html

case_begin "the same bytes on any number of threads"
run_ok "three" "$PARE" path "${options[@]}" -m svm-rfe,corr --error-control pfer=1 --error-pairs 20 --threads 3 -o three.json
expect_same_bytes one.json three.json
run_ok "one" "$PARE" path "${options[@]}" -m t-test --error-control fdr=0.1 --threads 1 --json
cp "$SCRATCH/.stdout" four.json
run_ok "three" "$PARE" path "${options[@]}" -m t-test --error-control fdr=0.1 --threads 3 --json
expect_same_bytes four.json "$SCRATCH/.stdout"

case_begin "sharper bounds ask for less agreement"
for bound in plain unimodal r-concave; do
    run_ok "$bound" "$PARE" path "${options[@]}" -m corr --error-control pfer=1 --error-bound $bound -o $bound.json
    json $bound.json "c['bound'] == '$bound' and c['expected'] <= 1 + 1e-12 and c['q'] == 4"
done
check "thresholds" /usr/bin/env python3 -c "
import json
t = [json.load(open(b + '.json'))['runs'][0]['control'] for b in ('plain', 'unimodal', 'r-concave')]
assert t[0]['threshold'] > t[1]['threshold'] > t[2]['threshold'] > 0.5
names = [{f['name'] for f in c['selected']} for c in t]
assert names[0] <= names[1] <= names[2]"

case_begin "q and threshold do not look at the labels"
awk -F, -v OFS=, 'NR > 1 { $NF = NR % 4 < 2 ? "case" : "control" } 1' data.csv >other.csv
run_ok "other labels" "$PARE" path other.csv "${options[@]:1}" -m corr --error-control pfer=1 -o other.json
json other.json "(c['q'], c['threshold']) == (4, json.load(open('unimodal.json'))['runs'][0]['control']['threshold'])"

case_begin "a sample of weight 0 is not there"
head -n 55 data.csv >present.csv
run_ok "all" "$PARE" path data.csv --drop patient --weights w "${options[@]:3}" -m corr --error-control pfer=1 -o weighted.json
run_ok "present" "$PARE" path present.csv --drop patient --weights w "${options[@]:3}" -m corr --error-control pfer=1 -o present.json
check "differs" /usr/bin/env python3 -c "
import json
a, b = (json.load(open(f))['runs'][0]['control'] for f in ('weighted.json', 'present.json'))
assert a == b"

case_begin "groups are not parted, and few of them are said"
run_ok "groups" "$PARE" path data.csv --drop w --fold-groups patient "${options[@]:3}" -m corr --error-control pfer=1 -o groups.json
json groups.json "len(c['selected']) >= 3 and not d['notes']"
awk -F, -v OFS=, 'NR > 1 { $(NF - 1) = "p" (NR % 8) } 1' data.csv >few.csv
run_ok "few" "$PARE" path few.csv --drop w --fold-groups patient "${options[@]:3}" -m corr --error-control pfer=1 -o few.json
json few.json "any('few different half-samples' in n for n in d['notes'])"

case_begin "shards that are merged have the control of one run"
run_ok "whole" "$PARE" path "${options[@]}" -m corr --error-control pfer=1 -o whole.json
for i in 1 2; do
    run_ok "shard $i" "$PARE" path "${options[@]}" -m corr --error-control pfer=1 --shard $i/2 --checkpoint part-$i.txt
done
run_ok "merge" "$PARE" merge part-1.txt part-2.txt -o merged.json
expect_same_bytes whole.json merged.json

case_begin "without it there is no control"
run_ok "path" "$PARE" path "${options[@]}" -m corr -o without.json
json without.json "c is None"
check "on the page" test "$(grep -c '^# control' "$SCRATCH/.stdout")" -eq 0

case_begin "permuted labels give q-values"
json four.json "c['kind'] == 'permutation' and c['level'] == 0.1 == c['threshold'] and c['q'] is None and c['bound'] is None"
json four.json "c['pooled'] and c['permutations'] == 100 and 0 < c['true_nulls'] <= 1 and 'permuted' in c['assumes']"
json four.json "[f['name'] for f in c['selected'][:3]] and {f['name'] for f in c['selected']} >= {'g1', 'g2', 'g3'}"
json four.json "all(0 < f['q'] <= 0.1 for f in c['selected']) and len(c['selected']) <= 6"
run_ok "own nulls" "$PARE" path "${options[@]}" -m gini --error-control fdr=0.1 --error-permutations 300 -o gini.json
json gini.json "not c['pooled'] and c['permutations'] == 300 and {f['name'] for f in c['selected']} >= {'g1', 'g2', 'g3'}"

case_begin "what cannot be had is refused with what can"
wrong 2 "--error-control" "pfer=0.001" "least that can is pfer=0.00131" "30 features" -- "${options[@]}" -m corr --error-control pfer=0.001
run_ok "the level it names" "$PARE" path "${options[@]}" -m corr --error-control pfer=0.00131
wrong 2 "pfer=0.01" "plain bound" "pfer=0.0334" -- "${options[@]}" -m corr --error-control pfer=0.01 --error-bound plain
wrong 2 "pfer=30" "30 features" -- "${options[@]}" -m corr --error-control pfer=30
wrong 2 "fdr=0.01" "99" "can is fdr=0.01," "--error-permutations" -- "${options[@]}" -m gini --error-control fdr=0.0099 --error-permutations 99
wrong 2 "fdr=1" "below 1" -- "${options[@]}" -m corr --error-control fdr=1
head -n 7 data.csv >six.csv
wrong 1 "fdr=0.01" "20 different orders" "fdr=0.05" -- six.csv --drop patient,w --folds 3 --inner 0 --sizes 1 -m corr --error-control fdr=0.01

case_begin "classes too small for halves are named"
wrong 1 "halves the samples" "class \"case\" with its 3" "at least 4" -- six.csv --drop patient,w --folds 3 --inner 0 --sizes 1 -m corr --error-control pfer=1

case_begin "joint methods have no q-values"
wrong 2 "permuting labels tests the global null" "svm-rfe" "pfer" "t-test" -- "${options[@]}" -m svm-rfe --error-control fdr=0.1
wrong 2 "laplacian does not look at the target" -- "${options[@]}" -m laplacian --error-control fdr=0.1
wrong 2 "1nn does not rank" -- "${options[@]:0:5}" --inner 0 -m 1nn --error-control pfer=1

case_begin "words that are none"
wrong 2 "--error-control: \"often\"" "pfer=V" "fdr=Q" -- "${options[@]}" -m corr --error-control often
wrong 2 "--error-control: \"pfer=-1\"" -- "${options[@]}" -m corr --error-control pfer=-1
wrong 2 "--error-bound: \"tight\"" "plain unimodal r-concave" -- "${options[@]}" -m corr --error-control pfer=1 --error-bound tight
wrong 2 "--error-pairs" -- "${options[@]}" -m corr --error-control pfer=1 --error-pairs 1
wrong 2 "--error-control" "--tune" -- "${options[@]:0:5}" --sizes 1,3 -m svm --error-control pfer=1 --tune
