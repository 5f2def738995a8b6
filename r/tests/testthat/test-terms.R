# Features that are kept, cost something, are grouped or left out.

test_that("kept features come first, beside k, by name, number and truth value", {
  d <- wide()
  by_name <- pare(d$x, d$y, "anova", k = 2, keep = c("g20", "g30"))
  expect_equal(by_name$selected$name[1:2], c("g20", "g30"))
  expect_equal(by_name$selected$kept, c(TRUE, TRUE, FALSE, FALSE))
  expect_equal(pare(d$x, d$y, "anova", k = 2, keep = c(20, 30))$selected, by_name$selected)
  expect_equal(pare(d$x, d$y, "anova", k = 2, keep = seq_len(200) %in% c(20, 30))$selected, by_name$selected)
  expect_equal(pare(d$x, d$y, "anova", k = 2, keep = "re:^g[23]0$")$selected, by_name$selected)
  expect_true(suppressMessages(check(by_name, d$x, d$y))$holds)
})

test_that("costs are penalty factors, by position and by name", {
  d <- wide()
  y <- 2 * d$x[, 5] - d$x[, 9]
  by_name <- pare(d$x, y, "lasso", lambda = 0.2, cost = c(g5 = 3, g9 = 0.5))
  by_number <- pare(d$x, y, "lasso", lambda = 0.2, cost = replace(rep(1, 200), c(5, 9), c(3, 0.5)))
  expect_equal(coef(by_name), coef(by_number))
  expect_false(isTRUE(all.equal(coef(by_name), coef(pare(d$x, y, "lasso", lambda = 0.2)))))
  cheap <- pare(d$x, d$y, "corr", budget = 2, cost = c(g3 = 5))
  expect_false("g3" %in% cheap$selected$name)
  expect_equal(nrow(cheap$selected), 2)
})

test_that("signs are glmnet's limits at 0", {
  d <- wide()
  y <- 2 * d$x[, 5] - d$x[, 9]
  up <- pare(d$x, y, "lasso", lambda = 0.2, sign = "+")
  expect_true(all(coef(up)[-1] >= 0))
  expect_equal(coef(pare(d$x, y, "lasso", lambda = 0.2, lower.limits = 0)), coef(up))
  one <- pare(d$x, y, "lasso", lambda = 0.2, sign = c(g9 = "+"))
  expect_false("g9" %in% one$selected$name)
  down <- pare(d$x, y, "lasso", lambda = 0.2, upper.limits = 0)
  expect_true(all(coef(down)[-1] <= 0))
  expect_true(suppressMessages(check(one, d$x, y))$holds)
  p <- pare_path(d$x, y, "lasso", nfolds = 3, inner = 0, sizes = 2, lower.limits = 0)
  expect_true(all(coef(p$model)[-1] >= 0))
  expect_error(pare(d$x, y, "lasso", lower.limits = 1), "0 or -Inf")
  expect_error(pare(d$x, y, "lasso", lower.limits = 0, upper.limits = 0), "exclude")
  expect_error(pare(d$x, y, "lasso", sign = "up"), "it must be")
  expect_error(pare(d$x, d$y, "svm", sign = "+"), "cannot limit")
})

test_that("what is excluded is as if it were not there, and columns keep their numbers", {
  d <- wide()
  m <- pare(d$x, d$y, "anova", k = 3, exclude = c("g3", "re:^g1"))
  expect_false("g3" %in% m$selected$name)
  expect_equal(colnames(d$x)[m$selected$index], m$selected$name)
  gone <- grepl("^g1", colnames(d$x)) | colnames(d$x) == "g3"
  without <- pare(d$x[, !gone], d$y, "anova", k = 3)
  expect_equal(without$selected[c("name", "score")], m$selected[c("name", "score")])
  expect_true(suppressMessages(check(m, d$x, d$y))$holds)
  file <- tempfile(fileext = ".json")
  write_pare(m, file)
  expect_true(suppressMessages(check(read_pare(file), d$x, d$y, exclude = c("g3", "re:^g1")))$holds)
  nameless <- unname(d$x)
  n <- pare(nameless, d$y, "anova", k = 3, exclude = which(gone))
  expect_equal(n$selected$index, m$selected$index)
  expect_equal(as.character(predict(n, nameless)), as.character(predict(m, d$x)))
  s <- pare(Matrix::Matrix(d$x, sparse = TRUE), d$y, "anova", k = 3, exclude = c("g3", "re:^g1"))
  expect_equal(s$selected$name, m$selected$name)
})

test_that("groups are selected as a whole, by position and by name", {
  d <- wide()
  of <- rep(paste0("p", 1:50), each = 4)
  m <- pare(d$x, d$y, "logistic", lambda = 0.1, groups = of)
  expect_true(all(table(of[m$selected$index]) == 4))
  named <- stats::setNames(of, colnames(d$x))[200:1]
  expect_equal(coef(pare(d$x, d$y, "logistic", lambda = 0.1, groups = named)), coef(m))
  f <- data.frame(age = d$x[, 1], site = factor(rep(c("a", "b"), 20)), d$x[, 3:6])
  kept <- pare(f, d$y, "anova", k = 1, keep = "site", cost = c(age = 2))
  expect_equal(kept$selected$name[1:2], c("site=a", "site=b"))
})

test_that("a path takes the same terms, an offset and error control", {
  d <- wide()
  p <- pare_path(d$x, d$y, "logistic", nfolds = 3, inner = 0, sizes = 1:2, keep = "g20", offset = d$x[, 3])
  expect_true("g20" %in% p$features[[1]])
  e <- pare_path(d$x, d$y, c("anova", "corr"), nfolds = 3, inner = 0, sizes = 2, exclude = "g100", error_control = c(pfer = 1),
                 error_pairs = 10)
  expect_named(e$control, c("method", "name", "index", "value"))
  expect_true("g8" %in% e$control$name)
  expect_equal(colnames(d$x)[e$control$index], e$control$name)
  expect_output(print(e), "error control")
  q <- pare_path(d$x, d$y, "anova", nfolds = 3, inner = 0, sizes = 2, error_control = "fdr=0.1")
  expect_true(all(q$control$value <= 0.1))
  b <- pare_path(d$x, d$y, "corr", nfolds = 3, inner = 0, budgets = c(1, 3), cost = c(g3 = 2))
  expect_equal(nrow(as.data.frame(b)), 2)
  g <- pare_path(d$x, d$y, "svm", nfolds = 3, sizes = 5, tune = TRUE, grid = list(C = c(0.1, 1)))
  expect_true(g$complete)
})
