wide <- function(n = 40, d = 200, seed = 1) {
  set.seed(seed)
  x <- matrix(rnorm(n * d), n, d, dimnames = list(paste0("s", seq_len(n)), paste0("g", seq_len(d))))
  y <- factor(ifelse(x[, 3] + x[, 8] + 0.3 * rnorm(n) > 0, "case", "control"))
  list(x = x, y = y)
}
