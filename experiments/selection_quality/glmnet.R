# Features by the order in which they enter glmnet's path (several classes: grouped): one line per
# training part, tab-separated 1-based columns. Arguments: table of features, labels, folds, how many.
suppressMessages(library(glmnet))
a <- commandArgs(TRUE)
x <- as.matrix(read.csv(a[1], check.names = FALSE))
y <- factor(readLines(a[2]))
fold <- as.integer(readLines(a[3]))
for (f in sort(unique(fold))) {
  on <- fold != f
  several <- nlevels(y) > 2
  m <- glmnet(x[on, ], y[on], family = if (several) "multinomial" else "binomial",
              type.multinomial = "grouped", nlambda = 200, lambda.min.ratio = 1e-3)
  b <- if (several) m$beta[[1]] else m$beta
  live <- as.matrix(b != 0)
  entered <- apply(live, 1, function(r) if (any(r)) which(r)[1] else Inf)
  size <- apply(abs(as.matrix(b)), 1, max)
  cat(head(order(entered, -size), as.integer(a[4])), sep = "\t")
  cat("\n")
}
