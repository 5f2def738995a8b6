# A Surv object as the package survival makes it, which is not needed.
surv <- function(time, event) structure(cbind(time = time, status = event), class = "Surv", type = "right")

survivors <- function(n = 80, d = 40, seed = 1) {
  set.seed(seed)
  x <- matrix(rnorm(n * d), n, d, dimnames = list(paste0("s", seq_len(n)), paste0("g", seq_len(d))))
  time <- rexp(n, exp(x[, 3] - x[, 8]))
  censored <- rexp(n, 0.5)
  list(x = x, y = surv(pmin(time, censored), as.double(time <= censored)), strata = rep(c("a", "b"), n / 2))
}

test_that("a Surv object is fitted, predicted and checked", {
  d <- survivors()
  m <- pare(d$x, d$y, "cox", k = 2)
  expect_equal(m$task, "survival")
  expect_setequal(m$selected$name, c("g3", "g8"))
  risk <- predict(m, d$x)
  expect_equal(mean(risk), 0)
  expect_equal(names(risk), rownames(d$x))
  s <- predict(m, d$x, times = c(0, 0.5, 2))
  expect_equal(dim(s), c(80, 3))
  expect_true(all(s[, 1] == 1) && all(s[, 2] >= s[, 3]))
  expect_message(verdict <- check(m, d$x, d$y))
  expect_true(verdict$holds)
})

test_that("covariates that are kept have coxph's coefficients", {
  skip_if_not_installed("survival")
  d <- survivors()
  m <- pare(d$x[, 1:4], survival::Surv(d$y[, 1], d$y[, 2]), "cox", lambda = 1e3, keep = 1:3, tol = 1e-12)
  theirs <- survival::coxph(survival::Surv(d$y[, 1], d$y[, 2]) ~ d$x[, 1:3], ties = "breslow")
  ours <- coef(m)[-1, 1]
  expect_equal(unname(ours[c("g1", "g2", "g3")]), unname(stats::coef(theirs)), tolerance = 1e-5)
})

test_that("strata have their own curves", {
  d <- survivors()
  m <- pare(d$x, d$y, "cox", k = 2, strata = d$strata)
  expect_error(predict(m, d$x, times = 1), "strata")
  expect_equal(dim(predict(m, d$x, times = 1, strata = d$strata)), c(80, 1))
})

test_that("a path has the c-index", {
  d <- survivors()
  p <- pare_path(d$x, d$y, "cox", sizes = c(1, 2, 4), nfolds = 4)
  expect_equal(p$metric, "c_index")
  expect_true(max(p$points$mean) > 0.6)
  expect_true(all(c("time", "event", "risk") %in% names(predictions(p))))
})

test_that("wrong times are named", {
  d <- survivors()
  expect_error(pare(d$x, surv(d$y[, 1], rep(0, 80)), "cox"), "none of the 80 samples has an event")
  expect_error(pare(d$x, d$y[1:5, ], "cox"), "y must be|entries")
  y <- d$y
  y[4, 1] <- NA
  expect_error(pare(d$x, y, "cox"), "NA at entry 4")
  y[4, 1] <- -1
  expect_error(pare(d$x, y, "cox"), "time of sample 4")
})
