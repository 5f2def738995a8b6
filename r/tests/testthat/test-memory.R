# What is borrowed is given back, whatever happens.

# x with a mark that tells when R has freed it.
marked <- function(n = 40, d = 200) {
  set.seed(1)
  x <- matrix(rnorm(n * d), n, d)
  mark <- new.env(parent = emptyenv())
  freed <- new.env(parent = emptyenv())
  freed$done <- FALSE
  reg.finalizer(mark, function(e) freed$done <- TRUE)
  attr(x, "mark") <- mark
  list(x = x, freed = freed)
}

is_freed <- function(freed) {
  force(freed)
  for (i in 1:5) gc(full = TRUE)
  freed$done
}

test_that("the mark tells", {
  m <- marked()
  freed <- m$freed
  expect_false(is_freed(freed))
  rm(m)
  expect_true(is_freed(freed))
})

test_that("x is let go after a fit, a path and an error", {
  run <- function(f) {
    m <- marked()
    try(f(m$x), silent = TRUE)
    m$freed
  }
  y <- rep(c("a", "b"), 20)
  expect_true(is_freed(run(function(x) pare(x, y, "svm", k = 3))))
  expect_true(is_freed(run(function(x) pare_path(x, y, "anova", nfolds = 3, inner = 0, sizes = 2))))
  expect_true(is_freed(run(function(x) pare(x, y, "svm", C = -1))))
  expect_true(is_freed(run(function(x) pare(x, y, "logistic", lambda = -1))))
  expect_true(is_freed(run(function(x) pare(x, y, "svm", weights = rep(-1, 40)))))
  expect_true(is_freed(run(function(x) pare(replace(x, 3, Inf), y, "svm"))))
})

test_that("Ctrl-C ends a fit with an error, and x is let go", {
  skip_on_os("windows")
  run <- function() {
    m <- marked(200, 20000)
    # the library says from within the fit how long it will take
    said <- tempfile()
    messages <- file(said, "w")
    sink(messages, type = "message")
    on.exit({
      sink(type = "message")
      close(messages)
    })
    wait <- paste("for i in $(seq 600); do grep -q 'this will take' ", said, " && break; sleep 0.1; done", sep = "")
    system(paste0("(", wait, "; kill -INT ", Sys.getpid(), ") >/dev/null 2>&1"), wait = FALSE)
    e <- tryCatch(pare(m$x, rep(c("a", "b"), 100), "svm-rfe", step = 1, kernel = "rbf", k = 2, threads = 1), error = identity, interrupt = identity)
    expect_match(conditionMessage(e), "interrupted")
    expect_match(readLines(said), "this will take", all = FALSE)
    m$freed
  }
  expect_true(is_freed(run()))
  # and the next fit is as if nothing had been
  d <- wide()
  expect_equal(pare(d$x, d$y, "svm", k = 3)$outcome, "optimal")
})

test_that("doubles and sparse matrices are not copied", {
  skip_if_not(file.exists("/proc/self/clear_refs"))
  status <- function(what) as.numeric(gsub("[^0-9]", "", grep(what, readLines("/proc/self/status"), value = TRUE))) * 1024
  # bytes above what was there that a fit takes at its peak
  peak <- function(x) {
    y <- rep(c("a", "b"), length.out = nrow(x))
    pare(x[, 1:10], y, "corr", k = 2)
    gc(full = TRUE)
    if (inherits(try(writeLines("5", "/proc/self/clear_refs"), silent = TRUE), "try-error")) skip("the peak cannot be reset")
    before <- status("VmRSS")
    pare(x, y, "corr", k = 2)
    status("VmHWM") - before
  }
  x <- matrix(rep_len(c(0.5, 1.25, -3, 2, 7), 400 * 20000), 400) + rep(1:400, 20000) # 64 MB
  expect_lt(peak(x), 0.5 * 8 * length(x))
  s <- Matrix::sparseMatrix(i = rep(1:400, 10000), p = 400 * 0:10000, x = rep_len(c(1, 2.5, 4), 4e6), dims = c(400, 10000)) # 48 MB
  expect_lt(peak(s), 0.5 * 12 * length(s@x))
})
