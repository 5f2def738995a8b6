# A path of glmnet on the data of glm.py, at given lambdas.
#     glmnet.R FILE N D C LOSS STORED POINTS OUT [cv FOLDS]
# POINTS: what bench_glm wrote, whose first column are the lambdas. Prints `key value` lines; OUT: the objective at
# each lambda. cv: cv.glmnet instead, on lambdas of its own.
suppressWarnings(suppressMessages(library(glmnet)))
a <- commandArgs(TRUE)
n <- as.integer(a[2]); d <- as.integer(a[3]); c <- as.integer(a[4]); loss <- a[5]; stored <- as.integer(a[6])
file <- file(a[1], "rb")
if (stored > 0) {
    starts <- readBin(file, "integer", 2 * (d + 1), size = 4)[c(TRUE, FALSE)]
    rows <- readBin(file, "integer", stored, size = 4)
    x <- new("dgCMatrix", i = rows, p = starts, x = readBin(file, "double", stored), Dim = c(n, d))
} else {
    x <- matrix(readBin(file, "double", n * d), n, d)
}
y <- matrix(readBin(file, "double", n * c), n, c, byrow = TRUE)
close(file)
family <- if (loss == "squared") "gaussian" else if (loss == "cox") "cox" else if (c == 1) "binomial" else "multinomial"
target <- if (c > 1) factor(max.col(y)) else if (loss == "squared") y[, 1] else
    if (loss == "cox") survival::Surv(abs(y[, 1]), y[, 1] < 0) else factor(y[, 1])
kind <- if (loss == "rows") "grouped" else "ungrouped"
if (length(a) > 8) {
    time <- suppressWarnings(system.time(cv.glmnet(x, target, family = family, standardize = FALSE,
        nlambda = 100, lambda.min.ratio = 0.01, nfolds = as.integer(a[10]))))
    cat("seconds", time[3], "\nprocessor", time[1] + time[2], "\n")
    quit()
}
points <- read.table(a[7])
time <- suppressWarnings(system.time(m <- glmnet(x, target, family = family, standardize = FALSE,
    lambda = points$V1, type.multinomial = kind)))
# -(1/n) log partial likelihood of times without ties; y[, 1] < 0: an event
partial <- function(f) {
    later <- order(-abs(y[, 1]))
    event <- y[later, 1] < 0
    (sum(log(cumsum(exp(f[later] - max(f)))[event]) + max(f)) - sum(f[later][event])) / n
}
objective <- sapply(seq_along(m$lambda), function(i) {
    if (c == 1) {
        b <- m$beta[, i]
        live <- which(b != 0)
        f <- (if (loss == "cox") 0 else m$a0[i]) + as.vector(x[, live, drop = FALSE] %*% b[live])
        mean_loss <- if (loss == "cox") partial(f) else if (loss == "squared") mean((y[, 1] - f)^2) / 2 else
            mean(log1p(exp(-abs(f))) + pmax(f, 0) - y[, 1] * f)
        return(mean_loss + m$lambda[i] * sum(abs(b)))
    }
    B <- sapply(m$beta, function(b) b[, i])
    live <- which(rowSums(B != 0) > 0)
    F <- sweep(as.matrix(x[, live, drop = FALSE] %*% B[live, , drop = FALSE]), 2, m$a0[, i], "+")
    top <- apply(F, 1, max)
    mean_loss <- mean(log(rowSums(exp(F - top))) + top - rowSums(y * F))
    mean_loss + m$lambda[i] * (if (loss == "rows") sum(sqrt(rowSums(B^2))) else sum(abs(B)))
})
excess <- objective / points$V2[seq_along(objective)] - 1
writeLines(format(objective, digits = 17), a[8])
cat("seconds", time[3], "\nprocessor", time[1] + time[2], "\nlambdas", length(m$lambda), "\nexcess", max(excess),
    "\nexcess_median", median(excess), "\n")
