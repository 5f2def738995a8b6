# Plain data frames of models and paths, under the names that the package broom gave them.

tidy <- function(x, ...) UseMethod("tidy")
glance <- function(x, ...) UseMethod("glance")

# A row for each coefficient: of several outputs with their class.
tidy.pare <- function(x, ...) {
  info <- info_of(x)
  if (is.null(info$coef)) return(data.frame(term = x$selected$name, estimate = NA_real_, score = x$selected$score))
  term <- c("(Intercept)", info$name)
  out <- data.frame(term = rep(term, ncol(info$coef)), estimate = as.vector(rbind(info$intercept, info$coef)),
                    score = c(NA, x$selected$score), stringsAsFactors = FALSE)
  if (ncol(info$coef) == 1) return(out)
  called <- if (ncol(info$coef) == length(x$classes)) x$classes else paste0("s", seq_len(ncol(info$coef)) - 1)
  cbind(term = out$term, class = rep(called, each = length(term)), out[-1], stringsAsFactors = FALSE)
}

glance.pare <- function(x, ...) {
  predictor <- info_of(x)$predictor
  data.frame(method = x$method, task = x$task, nobs = x$n, n_candidates = x$d, n_features = nrow(x$selected),
             objective = predictor$objective, outcome = predictor$outcome, certificate = predictor$kind, gap = predictor$relative,
             stringsAsFactors = FALSE)
}

tidy.pare_path <- function(x, ...) x$points

# The best method's estimate; of the only one, or of `best`, where the path compares none.
glance.pare_path <- function(x, ...) {
  method <- if (!is.null(x$model)) x$model$method else if (!is.na(x$best)) x$best else x$runs$method[1]
  run <- x$runs[match(method, x$runs$method), ]
  data.frame(method = run$method, metric = x$metric, nested = run$nested_mean, low = run$nested_low, high = run$nested_high,
             n_features = run$n_features, nobs = if (is.null(x$model)) NA_integer_ else x$model$n, stringsAsFactors = FALSE)
}
