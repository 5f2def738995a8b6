pare_path <- function(x, ...) UseMethod("pare_path")

pare_path.formula <- function(formula, data = NULL, ..., foldid = NULL, weights = NULL, offset = NULL, fold_groups = NULL, strata = NULL,
                              leave_out = NULL, subset = NULL) {
  call <- named_call("pare_path", pare_path.default, sys.call())
  given <- list(foldid = substitute(foldid), weights = substitute(weights), offset = substitute(offset),
                fold_groups = substitute(fold_groups), strata = substitute(strata), leave_out = substitute(leave_out))
  do.call(pare_path.default, c(formula_arguments(formula, data, call, substitute(subset), given), list(...)))
}

pare_path.default <- function(x, y, methods = "auto", nfolds = 10, foldid = NULL, sizes = NULL, ..., repeats = 1, splits = 0,
                              train = 0.8, metric = NULL, choice = c("1se", "best", "tolerance"), tolerance = 0.02, inner = 3,
                              tune = FALSE, grid = NULL, null_runs = 0, error_control = NULL,
                              error_bound = c("unimodal", "plain", "r-concave"), error_pairs = 50, error_permutations = 0,
                              budgets = NULL, checkpoint = NULL, weights = NULL, offset = NULL, groups = NULL, keep = NULL,
                              cost = NULL, exclude = NULL, fold_groups = NULL, threads = 2L, seed = 1, time_limit = 0,
                              device = "cpu", strata = NULL, best = NULL, leave_out = NULL, at = NULL,
                              sign = NULL) {
  from <- asked(x, match.call(), "pare_path")
  coding <- if (is.data.frame(x)) frame_coding(x)
  x <- core_matrix(x, coding)
  sign <- limits_as_signs(sign, list(...))
  settings <- core_settings(core_task(without_limits(...), methods, y), methods, pare_path.default)
  if (!is.null(foldid)) foldid <- per_sample(foldid, nrow(x), "foldid", function(v) match(v, unique(v)) - 1L)
  made <- core_data(x, y, coding, weights, offset, fold_groups, groups, keep, cost, exclude, strata = strata,
                    folds = leave_out, sign = sign)
  list_text <- function(v) if (!is.null(v)) paste(if (is.numeric(v)) sprintf("%.17g", v) else v, collapse = ",")
  options <- list(nfolds = if (missing(nfolds)) 0 else whole_folds(nfolds), repeats = repeats, splits = splits, train = train, sizes = list_text(sizes),
                  budgets = list_text(budgets), metric = metric, choice = match.arg(choice), tolerance = tolerance, inner = inner,
                  tune = tune, null_runs = null_runs, grid = grid_text(grid), checkpoint = if (!is.null(checkpoint)) path.expand(checkpoint),
                  error_control = control_text(error_control), error_bound = if (!is.null(error_control)) match.arg(error_bound),
                  error_pairs = error_pairs, error_permutations = error_permutations, best = best,
                  leave_out = !is.null(leave_out), at = if (is.null(at)) 0 else at)
  check_options(options)
  path <- .Call(C_path_run, made$data, methods, settings$names, settings$values, options, foldid,
                core_context(threads, seed, time_limit, device))
  info <- .Call(C_path_info, path)
  text <- function(which, said = "") .Call(C_path_text, path, which, made$data, said)
  frame <- function(columns) as.data.frame(columns, stringsAsFactors = FALSE)
  out <- c(from, info$path,
           if (length(info$risk_groups$method)) list(risk_groups = frame(info$risk_groups), calibration_at = frame(info$calibration_at)),
           list(points = frame(info$points), runs = frame(info$runs),
                cohorts = if (!is.null(leave_out)) frame(info$cohorts), features = lapply(info$features, function(f) made$names[f$index + 1]),
                control = control_of(text(1L), made), budgets = budgets, json = text(0L),
                page = text(2L, paste(deparse(from$call), collapse = " ")), table = text(3L),
                headline = strsplit(info$headline, "\n", fixed = TRUE)))
  names(out$features) <- names(out$headline) <- out$runs$method
  model <- .Call(C_path_model, path)
  if (!is.null(model)) out$model <- finish_model(model, from, coding, if (is.factor(y)) levels(y), made$left)
  class(out) <- "pare_path"
  if (!out$complete) warning("the path was stopped: it holds what was finished", call. = FALSE)
  out
}

# What is given is a number of folds; 0 in the core is the default.
whole_folds <- function(n) {
  if (is.numeric(n) && length(n) == 1 && !is.na(n) && n < 2) fail("nfolds must be at least 2")
  n
}

# Numbers are single numbers.
check_options <- function(options) {
  number <- c("nfolds", "repeats", "splits", "train", "tolerance", "inner", "tune", "null_runs", "error_pairs", "error_permutations", "at")
  for (name in number) {
    v <- options[[name]]
    if (!(is.numeric(v) || is.logical(v)) || length(v) != 1 || is.na(v)) fail(name, " must be one number")
  }
}

# list(C = c(1, 10)), or the text that the command line takes.
grid_text <- function(grid) {
  if (is.null(grid) || is.character(grid)) return(grid)
  if (!is.list(grid) || is.null(names(grid))) fail("grid must be a list of values by setting: list(C = c(0.1, 1, 10))")
  paste(vapply(names(grid), function(name) paste(name, paste(vapply(grid[[name]], setting_text, "", name), collapse = " ")), ""),
        collapse = ", ")
}

# "pfer=1", or c(pfer = 1).
control_text <- function(control) {
  if (is.null(control) || is.character(control)) return(control)
  if (!is.numeric(control) || length(control) != 1 || is.null(names(control))) fail("error_control must be c(pfer = V) or c(fdr = Q)")
  paste0(names(control), "=", sprintf("%.17g", control))
}

# The set that error_control gives, from the lines of the table.
control_of <- function(table, made) {
  lines <- strsplit(table, "\n", fixed = TRUE)[[1]]
  if (!any(startsWith(lines, "# control\t"))) return(NULL)
  rows <- strsplit(lines[startsWith(lines, "# controlled\t")], "\t", fixed = TRUE)
  index <- as.integer(vapply(rows, `[`, "", 4)) + 1L
  data.frame(method = vapply(rows, `[`, "", 2), name = made$names[index],
             index = if (is.null(made$left)) index else made$left[index], value = as.numeric(vapply(rows, `[`, "", 5)),
             stringsAsFactors = FALSE)
}

print.pare_path <- function(x, ...) {
  cat("Call: ", paste(deparse(x$call), collapse = "\n"), "\n\n", sep = "")
  for (method in names(x$headline)) {
    cat(strwrap(paste0(method, ": ", paste(x$headline[[method]], collapse = " ")), exdent = 2), sep = "\n")
    cat("\n")
  }
  if (nrow(x$runs) > 1 && !is.na(x$best))
    cat(x$best, " is the best of ", nrow(x$runs), " methods by this estimate, which favours it a little.\n\n", sep = "")
  runs <- x$runs
  at <- match(paste(runs$method, TRUE), paste(x$points$method, x$points$chosen))
  runs <- cbind(runs[c("method", "nested_mean", "nested_low", "nested_high", "n_features")], mean = x$points$mean[at],
                runs[c("null_p", "null_least", "null_p_methods")])
  names(runs)[c(2, 6)] <- paste0(c("nested_", ""), x$metric)
  runs <- runs[!vapply(runs, function(v) is.numeric(v) && all(is.na(v)), NA)]
  print(runs, row.names = FALSE, digits = 3)
  if (!is.null(x$control)) {
    cat("\nFeatures under error control:\n")
    if (nrow(x$control)) print(x$control, row.names = FALSE, digits = 3) else cat("none\n")
  }
  invisible(x)
}

summary.pare_path <- function(object, ...) {
  out <- list(path = object)
  class(out) <- "summary.pare_path"
  out
}

print.summary.pare_path <- function(x, ...) {
  print(x$path)
  if (is.null(x$path$model)) return(invisible(x))
  cat("\nThe model at the chosen number of features:\n")
  print(summary(x$path$model))
  invisible(x)
}

# The model at the chosen number of features, of `best` or of the best method.
model_at_end <- function(path) {
  if (is.null(path$model)) fail("the path was stopped before its model was fitted")
  path$model
}

predict.pare_path <- function(object, newdata, ...) {
  if (missing(newdata)) fail("newdata is missing: the samples to predict")
  predict(model_at_end(object), newdata, ...)
}

coef.pare_path <- function(object, ...) coef(model_at_end(object), ...)

nobs.pare_path <- function(object, ...) model_at_end(object)$n

as.data.frame.pare_path <- function(x, row.names = NULL, optional = FALSE, ...) x$points

predictions <- function(object, ...) UseMethod("predictions")

predictions.pare_path <- function(object, ...) {
  texts <- c(sample = "character", truth = "character", prediction = "character")
  there <- strsplit(sub("\n.*", "", object$table), "\t", fixed = TRUE)[[1]]
  read.delim(text = object$table, check.names = FALSE, stringsAsFactors = FALSE, comment.char = "", quote = "",
             colClasses = texts[names(texts) %in% there])
}

report <- function(object, file, ...) UseMethod("report")

report.pare_path <- function(object, file, ...) {
  writeLines(object$page, file, useBytes = TRUE)
  invisible(file)
}
