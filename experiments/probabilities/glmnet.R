# cv.glmnet's probabilities (10 folds, deviance): x.bin and other.bin (doubles, row by row) and y.txt in
# the folder of the first argument, the second is the number of features. Prints RULE and a row of
# probabilities for each sample of other.bin.
suppressMessages(library(glmnet))
a <- commandArgs(TRUE)
d <- as.integer(a[2])
rows <- function(name) {
  file <- file.path(a[1], name)
  matrix(readBin(file, "double", file.size(file) / 8), ncol = d, byrow = TRUE)
}
x <- rows("x.bin")
other <- rows("other.bin")
text <- readLines(file.path(a[1], "y.txt"))
number <- suppressWarnings(as.numeric(text))
y <- factor(text, levels = if (anyNA(number)) sort(unique(text), method = "radix") else unique(text[order(number)]))
set.seed(1)
several <- nlevels(y) > 2
m <- suppressWarnings(cv.glmnet(x, y, family = if (several) "multinomial" else "binomial"))
for (rule in c("lambda.min", "lambda.1se")) {
  p <- predict(m, other, s = rule, type = "response")
  p <- if (several) p[, , 1] else cbind(1 - p, p)
  cat(paste(rule, apply(format(p, digits = 9), 1, paste, collapse = "\t"), sep = "\t"), sep = "\n")
}
