draw <- function() {
  set.seed(5)
  x <- matrix(rnorm(60 * 30), 60, dimnames = list(NULL, paste0("g", 1:30)))
  list(x = x, y = factor(ifelse(x[, 3] - x[, 8] + rnorm(60) / 2 > 0, "case", "control"), levels = c("control", "case")))
}

test_that("a path has the model of the fit with the chosen number of features", {
  d <- draw()
  path <- pare_path(d$x, d$y, c("anova", "svm-rfe"), nfolds = 4, sizes = c(1, 2, 5), best = "svm-rfe", C = 2)
  k <- path$runs$n_features[path$runs$method == "svm-rfe"]
  m <- pare(d$x, d$y, "svm-rfe", k = k, C = 2)
  expect_s3_class(path$model, "pare")
  expect_identical(predict(path, d$x), predict(m, d$x))
  expect_identical(predict(path, newdata = d$x, type = "link"), predict(m, d$x, type = "link"))
  expect_identical(coef(path), coef(m))
  expect_identical(nobs(path), m$n)
  expect_output(print(summary(path)), "The model at the chosen number of features")
  file <- tempfile()
  saveRDS(path, file)
  expect_identical(predict(readRDS(file), d$x), predict(m, d$x))
})

test_that("without best it is of the best method, and wrong requests are refused", {
  d <- draw()
  path <- pare_path(d$x, d$y, c("anova", "svm-rfe"), nfolds = 3, sizes = c(1, 2))
  expect_identical(path$model$method, path$best)
  expect_error(pare_path(d$x, d$y, "anova", nfolds = 3, sizes = 2, best = "lda"), "none of the path's methods")
  expect_error(predict(path), "newdata is missing")
})
