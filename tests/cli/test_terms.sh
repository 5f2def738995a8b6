#!/usr/bin/env bash
# Features that are left out, kept, or cost something: lists of names, costs, budgets, paths, glmnet.
. "$(dirname "$0")/harness.sh"

awk 'BEGIN {
    srand(11); print "age,sex,g1,g2,g3,g4,g5,g6,one,class"
    for (i = 0; i < 40; i++) {
        y = i % 2; age = 50 + 10 * (rand() - 0.5) + 2 * y; sex = rand() < 0.5
        printf "%.4f,%d,%.6f,%.6f", age, sex, rand() + 0.6 * y, rand() - 0.4 * y
        for (j = 0; j < 4; j++) printf ",%.6f", rand()
        printf ",1,%s\n", y ? "b" : "a"
    }
}' >d.csv
printf 'feature\tcost\ng1\t4\ng2\t2\ng3\t0.5\n' >cost.tsv

check_equal() { check "'$1' is not '$2'" test "$1" = "$2"; }

case_begin "features are left out by name, pattern and file"
run "$PARE" fit d.csv -m corr -k 2 --exclude g1,one --ranking r.tsv
expect_exit 0
check "g1 is ranked" sh -c '! cut -f2 r.tsv | grep -qx g1'
run "$PARE" fit d.csv -m corr -k 2 --only 're:^g[1-3]$' --ranking r.tsv
check_equal "$(cut -f2 r.tsv | tail -n +2 | sort | tr '\n' ' ')" "g1 g2 g3 "
printf 'g1\r\nre:^g[56]$\n\n' >some.txt
run "$PARE" fit d.csv -m corr -k 2 --only some.txt --ranking r.tsv
check_equal "$(cut -f2 r.tsv | tail -n +2 | sort | tr '\n' ' ')" "g1 g5 g6 "

case_begin "check finds the same features by itself, predict by name"
run "$PARE" fit d.csv -m svm -k 2 --exclude g1 -o m.json
run "$PARE" check m.json d.csv --exclude g1
expect_exit 0
run "$PARE" check m.json d.csv
expect_exit 0
run "$PARE" check m.json d.csv --exclude g2
expect_exit 1
run "$PARE" fit d.csv -m svm -k 1 --only g1,g2 -o o.json
check "the names that stayed are not there" grep -q '"only": *\["g1", *"g2"\]' o.json
run "$PARE" check o.json d.csv
expect_exit 0
cut -d, -f3- d.csv >less.csv
run "$PARE" check m.json less.csv
expect_exit 1
expect_stderr_contains 'without the features that the model was not fitted to'
run "$PARE" predict m.json d.csv
expect_exit 0

case_begin "names that are not there are refused with one that is near"
run "$PARE" fit d.csv -m corr --exclude aeg
expect_exit 2
expect_stderr_contains '--exclude: d.csv has no feature "aeg"; did you mean "age"?'
run "$PARE" fit d.csv -m corr --keep g1,gg2
expect_stderr_contains '--keep: d.csv has no feature "gg2"; did you mean "g2"?'
run "$PARE" fit d.csv -m corr --only 're:^zz'
expect_stderr_contains '--only: no feature of d.csv matches "^zz"'
run "$PARE" fit d.csv -m corr --only 're:g['
expect_stderr_contains 'is no pattern'
run "$PARE" fit d.csv -m corr --exclude 're:.'
expect_stderr_contains '--exclude leaves none of the features of d.csv'
run "$PARE" fit d.csv -m corr --exclude g1 --keep g1
expect_stderr_contains 'feature "g1" is kept: it cannot be left out'
run "$PARE" fit d.csv -m corr --exclude g1,,g2
expect_stderr_contains 'a name is empty'

case_begin "kept features come first, marked, and k does not count them"
run "$PARE" fit d.csv -m corr -k 2 --keep age,sex -o m.json
expect_exit 0
check_equal "$(grep -o '"kept": *true' m.json | wc -l)" 2
expect_stdout_contains $'# kept\tage\tsex'
expect_stdout_contains $'# selected\t4'
run "$PARE" check m.json d.csv
expect_exit 0
run "$PARE" check m.json d.csv --keep age
expect_stderr_contains "kept features are not those given"
run "$PARE" path d.csv -m corr,lda-forward --sizes 1,3 --folds 4 --keep age,sex --json
expect_exit 0
check_equal "$(grep -o '"kept":true' <<<"$run_out" | wc -l)" 4

case_begin "what cannot be kept is refused"
run "$PARE" fit d.csv -m corr --keep one
expect_exit 1
expect_stderr_contains '--keep: feature "one" is constant'
run "$PARE" path d.csv -m corr --keep one
expect_stderr_contains '--keep: feature "one" is constant'
head -6 d.csv >few.csv
run "$PARE" fit few.csv -m corr --keep 're:g'
expect_stderr_contains '7 features cannot be kept with 5 samples'
run "$PARE" fit d.csv -m corr --keep 're:.'
expect_stderr_contains 'all 9 features are kept'
run "$PARE" fit d.csv -m corr -k 9 --keep age
expect_stderr_contains '9 features cannot be selected from 9, of which 1 are kept'
run "$PARE" fit d.csv -m chi2 --exclude g2 --keep age
expect_stderr_contains 'chi2 cannot keep features: what they leave of a count is no count'

case_begin "costs are numbers above 0 of features that are there"
for bad in 'g1\t0' 'g1\t-2' 'g1\tinf' 'g1\tx' 'h1\t2' 'g1' 'g1\t1\ng1\t2'; do
    printf "g2\t1\n$bad\n" >bad.tsv
    run "$PARE" fit d.csv -m corr --cost bad.tsv
    expect_exit 1
    expect_stderr_contains "bad.tsv, line"
done
printf 'g2\tNaN\n' >bad.tsv
run "$PARE" fit d.csv -m corr --cost bad.tsv
expect_stderr_contains 'expected a cost, a number above 0, found "NaN"'
printf 'g2\t0\n' >bad.tsv
run "$PARE" fit d.csv -m corr --cost bad.tsv
expect_stderr_contains 'expected a cost, a number above 0, found "0"'

case_begin "scores are per cost, and a budget takes what still fits"
run "$PARE" fit d.csv -m corr -k 1 --ranking plain.tsv
run "$PARE" fit d.csv -m corr --budget 3 --cost cost.tsv --ranking costly.tsv -o m.json
expect_exit 0
check "g1 is not at a quarter" awk -F'\t' '$2 == "g1" { s[FILENAME] = $4 }
    END { exit !(s["plain.tsv"] > 0 && s["costly.tsv"] == s["plain.tsv"] / 4) }' plain.tsv costly.tsv
check_equal "$(awk -F'\t' 'NR > 1 { c = $2 == "g1" ? 4 : $2 == "g2" ? 2 : $2 == "g3" ? 0.5 : 1
    if ($2 != "one" && c <= left) { left -= c; printf "%s ", $2 } }' left=3 costly.tsv)" \
    "$(grep -o '"name": *"[^"]*"' m.json | cut -d'"' -f4 | tr '\n' ' ')"
run "$PARE" check m.json d.csv
expect_exit 0
run "$PARE" fit d.csv -m corr --budget 0.3 --cost cost.tsv
expect_exit 2
expect_stderr_contains '--budget: 0.3 is below the cost of the cheapest feature, 0.5'
run "$PARE" fit d.csv -m corr --budget 3 -k 2
expect_stderr_contains '--budget stands instead of --k'
run "$PARE" path d.csv -m corr --budgets 2,1,4 --cost cost.tsv --folds 4
expect_exit 0
check_equal "$(awk -F'\t' '$1 == "corr" { printf "%s ", $2 }' <<<"$run_out")" "1 2 4 "
run "$PARE" path d.csv -m corr --budgets 0.1 --cost cost.tsv --folds 4
expect_stderr_contains '--budgets: "0.1" is not enough for the cheapest feature'
run "$PARE" path d.csv -m corr --budget 2 --cost cost.tsv
expect_stderr_contains 'did you mean --budgets?'

case_begin "a path of other terms does not take up a checkpoint"
run "$PARE" path d.csv -m corr --sizes 2 --folds 4 --keep age --checkpoint c.txt
expect_exit 0
run "$PARE" path d.csv -m corr --sizes 2 --folds 4 --keep sex --checkpoint c.txt
expect_exit 1

case_begin "a coded column is kept as a whole"
awk -F, -v OFS=, 'NR == 1 { $2 = "site" } NR > 1 { $2 = "abc"; $2 = substr("xyz", NR % 3 + 1, 1) } 1' d.csv >text.csv
run "$PARE" fit text.csv -m corr -k 1 --categorical --keep site
expect_exit 0
expect_stdout_contains $'# kept\tsite=x\tsite=y\tsite=z'

case_begin "the model knows the groups: check needs none again"
printf '%s\n' age,a sex,a g1,b g2,b g3,c g4,c g5,d g6,d one,d >groups.csv
for method in l1-svm dlsr-fs fsv l1-arom corr; do
    run "$PARE" fit d.csv -m $method -k 2 --groups groups.csv -o m.json
    expect_exit 0
    run "$PARE" check m.json d.csv
    expect_exit 0
    run "$PARE" check m.json d.csv --groups groups.csv
    expect_exit 0
done
sed 's/g4,c/g4,d/' groups.csv >others.csv
run "$PARE" check m.json d.csv --groups others.csv
expect_exit 1
expect_stderr_contains "the model's groups of features are not those given"
sed 's/"groups": *\[0, *0/"groups": [0, 7/' m.json >torn.json
run "$PARE" check torn.json d.csv
expect_stderr_contains '"groups" should be'

case_begin "groups and what is kept, budgets and error control go by whole groups"
run "$PARE" fit d.csv -m corr -k 1 --groups groups.csv --keep g1
expect_exit 1
expect_stderr_contains '--keep: feature "g1" is kept, others of its group "b" are not'
run "$PARE" fit d.csv -m corr --budget 1.5 --groups groups.csv
expect_exit 2
expect_stderr_contains '--budget: 1.5 is below the cost of the cheapest group, 2'
run "$PARE" path d.csv -m corr --budgets 1.5 --groups groups.csv
expect_stderr_contains '--budgets: "1.5" is not enough for the cheapest group'
run "$PARE" path d.csv -m corr --groups groups.csv --error-control pfer=4
expect_stderr_contains 'the data have 4 groups'
run "$PARE" path d.csv -m corr,l1-svm --groups groups.csv --folds 3 --inner 0 --sizes 2 --error-control pfer=1 --json
expect_exit 0
check "a group is cut" /usr/bin/env python3 - <<PY
import json
group = dict(line.strip().split(",") for line in open("groups.csv"))
for run in json.loads('''$run_out''')["runs"]:
    names = {f["name"] for f in run["control"]["selected"]}
    for name, own in group.items():
        same = [n for n in group if group[n] == own and n != "one"]
        assert name == "one" or len(names & set(same)) in (0, len(same)), names
PY
run "$PARE" fit d.csv -m svm --class-weight a=1e308
expect_exit 2
expect_stderr_contains '--class-weight: the weight of class "a" is "1e308"'
run "$PARE" path d.csv -m corr --metric nothing
expect_stderr_contains '--metric: "nothing" is not one'

# Costs of glmnet are scaled to a mean of 1; with lambda times that mean the problems are the same.
case_begin "coefficients are those of glmnet with penalty.factor and exclude"
if Rscript -e 'quit(status = !requireNamespace("glmnet", quietly = TRUE))' >/dev/null 2>&1; then
    cat >g.R <<'R'
d <- read.csv("d.csv"); x <- as.matrix(d[, c("age", "sex", paste0("g", 1:6))])
factor <- c(0, 1, 4, 2, 0.5, 1, 1, 1)
for (family in c("gaussian", "binomial")) {
  y <- if (family == "gaussian") d$g6 * 2 + d$age / 10 + d$g1 else as.numeric(d$class == "b")
  f <- factor
  m <- glmnet::glmnet(x, y, family, penalty.factor = f, exclude = 7, thresh = 1e-14, maxit = 1e7,
                      lambda = c(0.2, 0.1, 0.03) * mean(f))
  write.table(as.matrix(coef(m))[, 3], paste0(family, ".txt"), col.names = FALSE, quote = FALSE)
}
R
    run Rscript g.R
    expect_exit 0
    awk -F, -v OFS=, 'NR == 1 { print $1, $2, $3, $4, $5, $6, $7, $8, "y" }
        NR > 1 { printf "%s,%s,%s,%s,%s,%s,%s,%s,%.17g\n", $1, $2, $3, $4, $5, $6, $7, $8, $8 * 2 + $1 / 10 + $3 }' d.csv >v.csv
    agree() { # MODEL TABLE
        awk 'FNR == NR { want[$1] = $2; next }
            /^# intercept/ { got["(Intercept)"] = $3 }
            !/^#/ && $1 != "rank" { got[$2] = $5 }
            END { for (n in want) { e = want[n] - got[n]; if (e * e > 1e-10 * (1 + want[n] * want[n])) exit 1 } }' "$2" "$1"
    }
    "$PARE" fit v.csv --target y -m lasso --lambda 0.03 --cost cost.tsv --keep age --exclude g5 --tol 1e-12 >l.txt
    check "lasso differs" agree l.txt gaussian.txt
    "$PARE" fit d.csv -m logistic --lambda 0.03 --cost cost.tsv --keep age --exclude g5,one --tol 1e-12 >b.txt
    check "logistic differs" agree b.txt binomial.txt
else
    check "R has no glmnet: not compared" true
fi
