#!/bin/bash
# Files of R's saveRDS and save, as R writes them, read as the same table in text is read.
. "$(dirname "$0")/harness.sh"

Rscript --vanilla - >make.log 2>&1 <<'R' || fail "Rscript: $(tail -n 3 make.log)"
library(Matrix)
set.seed(3)
n <- 40; d <- 60
type <- factor(rep(c("ALL", "AML"), n / 2))
m <- matrix(rnorm(n * d), n, dimnames = list(paste0("s", 1:n), paste0("g", 1:d)))
m[type == "AML", 5] <- m[type == "AML", 5] + 3
m <- round(m, 3) + 0 # no -0, which write.csv writes as 0
frame <- data.frame(m, type = type)
write.csv(frame, "frame.csv")
for (compress in c("gzip", "bzip2", "xz")) for (version in 2:3)
    saveRDS(frame, paste0(compress, version, ".rds"), compress = compress, version = version)
saveRDS(frame, "plain.rds", compress = FALSE)
save(frame, file = "one.RData")
save(frame, file = "one.rda", version = 2, compress = "xz")
saveRDS(m, "m.rds")
saveRDS(t(m), "genes.rds")
write.csv(m, "m.csv")
write.csv(t(m), "genes.csv")
counts <- matrix(as.integer(round(exp(m))), n, dimnames = dimnames(m))
saveRDS(counts, "counts.rds"); write.csv(counts, "counts.csv")
saveRDS(m > 0, "logical.rds"); write.csv((m > 0) + 0, "logical.csv")
saveRDS(unname(m), "unnamed.rds")

# text, levels, booleans, missing values, a row of text names, all in one
mixed <- data.frame(site = rep(c("north", "south", NA, "east"), n / 4), grade = factor(rep(1:4, n / 4)), smoker = rep(c(TRUE, FALSE, NA, TRUE), n / 4),
    age = c(NA, 20 + 1:(n - 1)), count = 1:n, day = as.Date("2024-03-01") + 1:n, when = as.POSIXct("2024-03-01 10:00", tz = "UTC") + 60 * (1:n), m[, 1:8], type = type)
mixed$type <- as.character(mixed$type)
saveRDS(mixed, "mixed.rds")
text <- mixed
text$smoker <- as.numeric(text$smoker)
text$grade <- as.character(text$grade)
write.csv(text, "mixed.csv", na = "")
saveRDS(mixed[, setdiff(names(mixed), c("day", "when"))][seq(2, n, 2), ], "subset.rds") # rows 2, 4, ... keep their names
ids <- frame; rownames(ids) <- as.character(1:n); ids <- ids[order(ids$g1), ]; saveRDS(ids, "deferred.rds"); write.csv(ids, "deferred.csv")
forms <- list(x = 1:n, y = as.character(1:n))
saveRDS(structure(list(a = 1:n, b = sort(m[, 2]), c = rep(c(0, 1), n / 2), id = as.character(1:n), type = type), class = "data.frame", row.names = 1:n), "altrep.rds")
write.csv(data.frame(a = 1:n, b = sort(m[, 2]), c = rep(c(0, 1), n / 2), id = 1:n, type = type), "altrep.csv", row.names = FALSE)

objects <- data.frame(g1 = c(1, Inf, 3), z = complex(real = 1:3), day = as.Date("2024-03-01") + 1:3, class = c("a", "b", "a"))
objects$l <- list(1, "a", 1:3); saveRDS(objects[c("g1", "l", "z", "day", "class")], "objects.rds"); saveRDS(objects[c("g1", "l")], "last.rds")
rows <- as.data.frame(matrix(c(1, 2, Inf, 4), 2, dimnames = list(c("g1", "g2"), c("s1", "s2")))); rows$s3 <- c("a", "b"); saveRDS(rows, "rows.rds")

twins <- m; colnames(twins)[7] <- "g5"; twins[3, 2] <- -999; twins[8, 4] <- -999
saveRDS(twins, "twins.rds"); write.csv(twins, "twins.csv"); saveRDS(t(twins), "twins_t.rds"); write.csv(t(twins), "twins_t.csv")
guessed <- data.frame(sample = paste0("p", 1:n), m, type = type); guessed$type[c(2, 9)] <- NA; rownames(guessed) <- NULL
saveRDS(guessed, "guessed.rds"); write.csv(guessed, "guessed.csv", row.names = FALSE)
saveRDS(type, "type.rds"); twice <- m; rownames(twice)[2] <- "s1"; saveRDS(twice, "twice.rds")
odd <- frame; odd$g7 <- as.character(odd$g7); odd$g7[3] <- "n.d."; saveRDS(odd, "odd.rds"); odd$g7 <- factor(odd$g7); saveRDS(odd, "odd_factor.rds")
odd$g7 <- sub(".", ",", m[, 7], fixed = TRUE); saveRDS(odd, "comma.rds")
named <- setNames(as.character(type), rownames(m))[n:1]; saveRDS(named, "named.rds")
typo <- named; names(typo)[3] <- "typo"; saveRDS(typo, "typo.rds"); other <- type; names(other) <- paste("patient", 1:n); saveRDS(other, "other.rds")
golub <- t(m); golub.cl <- as.numeric(type == "AML"); golub.gnames <- cbind(rownames(golub), "a name")
twice <- function(x) { y <- x; for (i in 1:3) y <- y + i * x; y }; for (i in 1:5) twice(i) # compiled by now
fit <- lm(y ~ x, data.frame(x = 1:5, y = c(2, 1, 4, 3, 5)))
place <- new.env(); assign("inside", place, place)
assign("two\nlines", 1)
save(list = c("golub", "two\nlines"), file = "newline.RData")
save(golub, golub.cl, golub.gnames, twice, fit, place, file = "golub.RData")
pheno <- data.frame(diagnosis = type, w = 1 + (1:n) / 4, row.names = rownames(m))[n:1, ]; saveRDS(pheno, "pheno.rds")
write.csv(pheno, "pheno.csv")
sparse <- Matrix(abs(m) * (abs(m) > 1.5), sparse = TRUE)
stopifnot(is(sparse, "dgCMatrix"))
saveRDS(sparse, "sparse.rds"); saveRDS(t(sparse), "turned.rds")
f <- file("labels.txt", "w"); writeLines(as.character(type), f); close(f)

saveRDS(frame, "ascii.rds", ascii = TRUE); save(frame, file = "ascii.RData", ascii = TRUE)
con <- file("native.rds", "wb"); serialize(frame, con, xdr = FALSE); close(con)
setClass("ExpressionSet", representation(assayData = "environment", exprs = "matrix"))
saveRDS(new("ExpressionSet", assayData = place, exprs = m), "eset.rds")
saveRDS(as(sparse, "TsparseMatrix"), "triplet.rds")
setClass("SnpMatrix", contains = "matrix"); saveRDS(new("SnpMatrix", matrix(as.raw(1:6), 3)), "snp.rds")
saveRDS(list(x = m, y = type), "list.rds")
saveRDS(twice, "function.rds")
saveRDS(golub.gnames, "texts.rds")
bare <- unname(golub); genes <- rownames(golub); annotation <- data.frame(number = seq_along(genes), symbol = genes, probe = I(as.list(genes)))
save(bare, golub.cl, golub.gnames, genes, annotation, file = "bare.RData")
wide <- data.frame(type = type); wide$NIR <- I(m); saveRDS(wide, "wide.rds")
bare <- frame; names(bare)[2] <- ""; saveRDS(bare, "bare.rds")
latin <- frame; names(latin)[1] <- iconv("Größe", "UTF-8", "latin1"); saveRDS(latin, "latin.rds")
deep <- 1; for (i in 1:5000) deep <- list(deep); saveRDS(deep, "deep.rds")
R

same() { # NAME ARGUMENTS OF R's file -- ARGUMENTS OF text: both give the same model
    local name=$1 own=() text=()
    shift
    while [[ $1 != -- ]]; do own+=("$1") && shift; done
    shift
    text=("$@")
    run_ok "$name, text" "$PARE" fit "${text[@]}" -m anova -k 3 --storage dense -o text.json
    run_ok "$name" "$PARE" fit "${own[@]}" -m anova -k 3 --storage dense -o own.json
    expect_same_bytes own.json text.json
}

case_begin "every compression and version gives the bytes that the table in text gives"
for file in gzip2 gzip3 bzip22 bzip23 xz2 xz3 plain; do same $file $file.rds --target type -- frame.csv --target type; done
for file in one.RData one.rda; do same $file $file -- frame.csv; done
expect_stderr_contains 'the target is the last column, "type"'
same "by name" one.rda --object frame --target type --drop g5,g7 -- frame.csv --target type --drop g5,g7

case_begin "matrices of numbers, integers and booleans, either way round"
for file in m counts logical; do same $file $file.rds --labels type.rds -- $file.csv --labels labels.txt; done
same "features in rows" genes.rds --features-in-rows --labels type.rds -- genes.csv --features-in-rows --labels labels.txt
run_ok "a matrix has no last column for a target" "$PARE" info m.rds
expect_stdout_contains 'target	none'
run_ok "a row is the target" "$PARE" fit genes.rds --features-in-rows --target g7 -m lasso -k 2 -o own.json
run_ok "the same in text" "$PARE" fit genes.csv --features-in-rows --target g7 -m lasso -k 2 -o text.json
expect_same_bytes own.json text.json
run_ok "without names" "$PARE" fit unnamed.rds --labels type.rds -m anova -k 1
expect_stdout_contains '1	x5	4'

case_begin "text, factors, booleans, missing values, ids"
same mixed mixed.rds --target type --categorical --missing mean --drop day,when,grade -- mixed.csv --target type --categorical --missing mean --drop day,when,grade
run_ok predict "$PARE" predict own.json subset.rds -o own.tsv
run_ok "predict the text" "$PARE" predict text.json mixed.csv -o text.tsv
check "the subset keeps its names and predictions" cmp <(sed 1d own.tsv) <(awk 'NR > 1 && NR % 2' text.tsv)
run_ok "levels are codes" "$PARE" fit mixed.rds --target type --categorical --missing mean --drop day,when,site -m anova -k 12 --json -o levels.json
json levels.json '"grade=3" in str(d["selected"])'
run "$PARE" fit mixed.rds --target type --missing mean --drop day,when -m anova
expect_error 1 'mixed.rds, row 1 (site): expected a number, found "north"' '--categorical'
run "$PARE" fit mixed.rds --target type --drop day,when,site -m anova
expect_error 1 'mixed.rds, row 3 (smoker): the value is missing' '--missing'
run "$PARE" fit mixed.rds --target type --missing mean --drop when,site -m anova
expect_error 1 'mixed.rds (day): a column of dates' 'dates' '--id' '--drop'
run_ok "a date is described" "$PARE" info mixed.rds --columns --target type
expect_stdout_contains 'day	date	0	'
run_ok "a date is an id" "$PARE" convert mixed.rds --target type --drop when,site,age,smoker --id day ids.csv
check "no date among the ids" grep -q '^2024-03-02,1,' ids.csv
run_ok "a time is an id" "$PARE" convert mixed.rds --target type --drop day,site,age,smoker --id when ids.csv
check "no time among the ids" grep -q '^2024-03-01 10:01:00,1,' ids.csv
same "rows in another order" deferred.rds --target type -- deferred.csv --target type
run_ok "their ids" "$PARE" convert deferred.rds own.csv
run_ok "their ids in text" "$PARE" convert deferred.csv text.csv
expect_same_bytes own.csv text.csv
same "vectors in compact forms" altrep.rds --target type --id id -- altrep.csv --target type --id id
run_ok "a name that is not in UTF-8" "$PARE" info latin.rds
expect_stdout_contains 'Größe'

case_begin "codes of missing values, names that repeat, ids that nobody named, samples without a target"
same twins twins.rds --labels type.rds --na -999 --missing mean --duplicate-names number -- \
    twins.csv --labels labels.txt --na -999 --missing mean --duplicate-names number
run_ok "they count" "$PARE" info twins.rds --na -999 --duplicate-names number
expect_stdout_contains 'missing	2 (in 2 features)'
same "in rows" twins_t.rds --features-in-rows --labels type.rds --na -999 --missing mean --duplicate-names number -- \
    twins_t.csv --features-in-rows --labels labels.txt --na -999 --missing mean --duplicate-names number
same "both dropped" twins.rds --labels type.rds --drop g5 --na -999 --missing mean -- twins.csv --labels labels.txt --drop g5 --na -999 --missing mean
run "$PARE" info twins.rds
expect_error 1 'twins.rds: two columns are named "g5"' '--duplicate-names number' '--drop'
run "$PARE" info twins_t.rds --features-in-rows
expect_error 1 'features 5 and 7 have the same name "g5"'
same "an id" guessed.rds --missing drop -- guessed.csv --missing drop
expect_stderr_contains 'the sample ids are the column "sample"'
run "$PARE" fit guessed.rds -m anova
expect_error 1 'guessed.rds, row 2 (type): the target is missing ("NA")'

for file in odd odd_factor; do
    run "$PARE" info $file.rds
    expect_error 1 "$file.rds, row 3 (g7)" 'as in the rest of the column, found "n.d.": --na "n.d." takes it for missing'
done
run "$PARE" info comma.rds
expect_error 1 'comma.rds, row 1 (g7)' 'as.numeric(sub(",", ".", x))'

run_ok "row names that repeat" "$PARE" info twice.rds
expect_stderr_contains 'the row names are no sample ids and left out, since "s1" stands in rows 1 and 2'

case_begin "one of several objects"
run "$PARE" info golub.RData
expect_error 2 'golub.RData holds several objects' '--object' 'golub (matrix of 60 x 40)' 'golub.cl (numbers, 40)' 'golub.gnames (matrix of texts, 60 x 2)' \
    'twice (a function)' 'fit (class lm)' 'place (an environment)'
run "$PARE" info newline.RData
expect_error 2 'two\nlines (numbers, 1)'
run "$PARE" info golub.RData --object gol
expect_error 1 'no object "gol"' 'golub.cl'
run "$PARE" info m.rds --object m
expect_error 2 'saveRDS writes one without a name'
run "$PARE" info frame.csv --object m
expect_error 2 '--object is for rds and rdata'
run_ok "labels" "$PARE" fit golub.RData --object golub --features-in-rows --labels golub.RData:golub.cl -m anova -k 1
expect_stdout_contains '1	g5	4'
run "$PARE" fit golub.RData --object golub --features-in-rows --labels golub.RData:golub -m anova
expect_error 1 'golub.RData: the object is no vector of numbers or texts and no factor (matrix of 60 x 40)'
run "$PARE" fit golub.RData --object golub --features-in-rows --labels golub.RData:golub.gnames -m anova
expect_error 1 'no vector'

case_begin "names of features from R's files"
saved="fit bare.RData --object bare --features-in-rows --labels bare.RData:golub.cl -m anova -k 1 --names"
for names in genes 'golub.gnames[,1]' 'annotation[,2]'; do
    run_ok "$names" "$PARE" $saved "bare.RData:$names"
    expect_stdout_contains '1	g5	4'
done
run "$PARE" $saved 'bare.RData:golub.gnames[,2]'
expect_error 1 'a name'
run "$PARE" $saved 'bare.RData:golub.gnames[,3]'
expect_error 1 'bare.RData: column 3 of names is asked for, the object has 2'
run "$PARE" $saved 'bare.RData:annotation[,4]'
expect_error 1 'the object has 3'
for names in golub.gnames bare 'annotation[,3]' 'bare[,1]' 'genes[,1]'; do
    run "$PARE" $saved "bare.RData:$names"
    expect_error 1 'bare.RData: the object is no vector'
done
for column in 0 x 1, '1]x'; do
    run "$PARE" $saved "bare.RData:genes[,$column"
    expect_error 2 'the number of a column from 1'
done
run "$PARE" $saved type.rds
expect_error 1 'has 40 names'

case_begin "labels and weights from R's files"
same "names are ids" m.rds --labels named.rds -- m.csv --labels labels.txt
run "$PARE" fit m.rds --labels typo.rds -m anova
expect_error 1 'typo.rds has no value for sample "s38"' 'its names are sample ids' 'unname(x)'
same "names that are no ids" m.rds --labels other.rds -- m.csv --labels labels.txt
expect_stderr_contains 'other.rds: its names are no sample ids: it is taken in the order of the samples'
same "a data frame is joined" m.rds --labels pheno.rds --target diagnosis --weights pheno.rds:w -- m.csv --labels pheno.csv --target diagnosis --weights pheno.csv:w
same "also to text" frame.csv --drop type --labels pheno.rds:diagnosis -- m.csv --labels labels.txt
run "$PARE" fit m.rds --labels pheno.rds --target nothing -m anova
expect_error 1 'pheno.rds has no column "nothing"'
run "$PARE" fit m.rds --labels altrep.rds --target type -m anova
expect_error 1 'altrep.rds has no line for sample "s1"' # its first column has no such ids
run "$PARE" fit altrep.rds --target type --id id --weights pheno.rds:w -m anova
expect_error 1 'pheno.rds has no column "id" (asked for as id)'

case_begin "a sparse matrix stays sparse"
run_ok info "$PARE" info sparse.rds
expect_stdout_contains 'storage	sparse'
run_ok straight "$PARE" fit sparse.rds --labels type.rds -m chi2 -k 3 --scale none --storage dense -o own.json
run_ok turned "$PARE" fit turned.rds --features-in-rows --labels named.rds -m chi2 -k 3 --scale none --storage dense -o turned.json
expect_same_bytes own.json turned.json
run "$PARE" fit sparse.rds --target g1 -m anova
expect_error 2 'sparse.rds: target names a column, but a sparse matrix holds features alone' '--labels'

case_begin "what is not read says what to save"
run "$PARE" info eset.rds
expect_error 1 'class ExpressionSet' 'exprs(x)' 'pData(x)'
run "$PARE" info triplet.rds
expect_error 1 'class dgTMatrix' 'CsparseMatrix'
run "$PARE" info snp.rds
expect_error 1 'class SnpMatrix' 'as(x, "numeric")'
run "$PARE" info bare.rds
expect_error 1 'bare.rds: the name of column 2 is empty' 'colnames(x)[2]'
run "$PARE" info list.rds
expect_error 1 'a list' 'by itself'
run "$PARE" info function.rds
expect_error 1 'a function'
run "$PARE" info type.rds
expect_error 1 'factor, 40' '--labels takes a vector'
run "$PARE" info texts.rds
expect_error 1 'matrix of texts, 60 x 2' 'make numbers of its texts'
run "$PARE" fit wide.rds --target type -m anova
expect_error 1 'wide.rds (NIR)' 'matrix of 40 x 60' '--drop'
for file in ascii.rds ascii.RData; do
    run "$PARE" info $file
    expect_error 1 "$file is written as text; save it again"
done
run "$PARE" info native.rds
expect_error 1 "machine's byte order"
run "$PARE" info deep.rds
expect_error 1 'nested too deeply'
run "$PARE" info frame.csv --format rds
expect_error 1 "no file of R's saveRDS or save"
run "$PARE" info - --format rds <m.rds
expect_error 2 'not from a pipe'
run "$PARE" fit m.rds --labels type.rds -m anova --memory 10K
expect_error 1 'memory'

case_begin "every cut of a file is refused"
for file in plain.rds gzip3.rds bzip23.rds xz3.rds; do
    size=$(stat -c %s $file)
    for part in 3 20 200 $((size / 2)) $((size - 9)); do
        head -c $part $file >cut.rds
        run "$PARE" info cut.rds
        expect_error 1 'cut.rds'
    done
done

case_begin "info --columns describes what is neither number nor text"
run_ok objects "$PARE" info objects.rds --columns
expect_stdout_is 'name	kind	missing	distinct	least	largest	suspect
class	target	0	2			
g1	number	0	2	1	3	infinite values
l	object	3	0			neither number nor text
z	object	3	0			neither number nor text
day	date	0	3			'
run "$PARE" fit objects.rds -m corr -k 1 --drop g1
expect_error 1 'a column is a vector or a factor' 'drop'
run_ok "a list as the last column" "$PARE" info last.rds --columns
expect_stdout_is 'name	kind	missing	distinct	least	largest	suspect
g1	number	0	2	1	3	infinite values
l	object	3	0			neither number nor text'
run_ok "features in rows" "$PARE" info rows.rds --features-in-rows --columns
expect_stdout_is 'name	kind	missing	distinct	least	largest	suspect
	id	0	3			
g1	number	1	1	1	1	infinite values
g2	number	1	2	2	4	'
expect_stderr_contains 'column 3 is no vector of numbers'
