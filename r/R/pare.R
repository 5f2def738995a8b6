
pare <- function(x, y, method = "auto", k = NULL, ..., weights = NULL, offset = NULL, groups = NULL,
                 threads = 2L, seed = 1, time_limit = 0) {
  coding <- if (is.data.frame(x)) frame_coding(x)
  if (!is.null(coding) && is.null(groups) && any(lengths(coding$values) > 0)) groups <- coding_groups(coding)
  x <- core_matrix(x, coding)
  settings <- list(...)
  if (!is.null(k)) settings$k <- k
  # numbers are classes only where the person says so
  if (is.numeric(y) && is.null(settings$task)) settings$task <- "regress"
  core <- core_settings(settings)
  data <- core_data(x, y, weights, offset, groups)
  model <- .Call(C_fit, data, method, core$names, core$values, core_context(threads, seed, time_limit))
  finish_model(model, match.call(), coding, is.factor(y) && is.ordered(y))
}

finish_model <- function(model, call = NULL, coding = NULL, ordered = FALSE) {
  info <- .Call(C_model_info, model)
  out <- list(call = call, method = info$method, task = info$task, n = info$n, d = info$d, classes = info$classes,
              selected = data.frame(index = info$index, name = info$name, score = info$score, stringsAsFactors = FALSE),
              outcome = info$predictor$outcome, notes = info$notes, coding = coding,
              # the text alone survives save() and readRDS(): the pointer is made again from it
              text = .Call(C_model_text, model), core = new.env(parent = emptyenv()))
  out$core$model <- model
  class(out) <- "pare"
  if (!out$outcome %in% c("optimal", "stationary"))
    warning("the fit ended as ", out$outcome, " before it reached its tolerance", call. = FALSE)
  out
}

model_of <- function(object) {
  model <- object$core$model
  if (is.null(model) || identical(model, new("externalptr"))) {
    model <- .Call(C_model_parse, object$text)
    object$core$model <- model
  }
  model
}

info_of <- function(object) .Call(C_model_info, model_of(object))

print.pare <- function(x, ...) {
  if (!is.null(x$call)) cat("Call: ", paste(deparse(x$call), collapse = "\n"), "\n\n", sep = "")
  cat(x$method, ", ", x$task, ": ", nrow(x$selected), " of ", x$d, " features, ", x$n, " samples, ", x$outcome, "\n", sep = "")
  if (nrow(x$selected)) print(head(x$selected, 10), row.names = FALSE)
  if (nrow(x$selected) > 10) cat("... and", nrow(x$selected) - 10, "more\n")
  invisible(x)
}

summary.pare <- function(object, ...) {
  out <- list(object = object, certificate = certificate(object))
  class(out) <- "summary.pare"
  out
}

print.summary.pare <- function(x, ...) {
  print(x$object)
  cat("\n")
  print(x$certificate, row.names = FALSE)
  for (note in x$object$notes) cat("note:", note, "\n")
  invisible(x)
}

coef.pare <- function(object, ...) {
  info <- info_of(object)
  if (is.null(info$coef)) stop(object$method, " has no coefficients: its predictor is not linear", call. = FALSE)
  outputs <- ncol(info$coef)
  called <- if (outputs == 1) "s0" else if (outputs == length(object$classes)) object$classes else paste0("s", seq_len(outputs) - 1)
  rows <- c("(Intercept)", info$name)
  sparseMatrix(i = rep(seq_along(rows), outputs), j = rep(seq_len(outputs), each = length(rows)),
               x = as.vector(rbind(info$intercept, info$coef)), dims = c(length(rows), outputs),
               dimnames = list(rows, called))
}

predict.pare <- function(object, newx, type = c("class", "response", "link"), offset = NULL, threads = 2L, ...) {
  if (missing(type)) type <- if (length(object$classes)) "class" else "response" else type <- match.arg(type)
  x <- core_matrix(newx, object$coding)
  model <- model_of(object)
  data <- core_data(x, offset = offset)
  probability <- type == "response" && length(object$classes) > 0
  if (probability && !info_of(object)$probability)
    stop("this model has no probabilities: fit it with probability = TRUE", call. = FALSE)
  got <- .Call(C_model_predict, model, data, probability, core_context(threads, 1))
  if (type == "class") {
    if (!length(object$classes)) stop("type = \"class\" is for classifiers, the task is ", object$task, call. = FALSE)
    out <- factor(object$classes[got$class], levels = object$classes)
    return(if (is.null(rownames(x))) out else stats::setNames(out, rownames(x)))
  }
  out <- got$score
  dimnames(out) <- list(rownames(x), if (ncol(out) == length(object$classes)) object$classes)
  if (ncol(out) == 1) out[, 1] else out
}

certificate <- function(object, ...) UseMethod("certificate")

certificate.pare <- function(object, ...) {
  info <- info_of(object)
  rows <- list(predictor = info$predictor)
  if (!is.null(info$selection)) rows$selection <- info$selection
  do.call(rbind, Map(function(what, r) data.frame(what = what, objective = r$objective, outcome = r$outcome, kind = r$kind,
                                                  value = r$value, relative = r$relative, stringsAsFactors = FALSE),
                     names(rows), rows))
}

check <- function(object, ...) UseMethod("check")

check.pare <- function(object, x, y, weights = NULL, offset = NULL, groups = NULL, threads = 2L, ...) {
  if (!is.null(object$coding) && is.null(groups) && any(lengths(object$coding$values) > 0))
    groups <- coding_groups(object$coding)
  data <- core_data(core_matrix(x, object$coding), y, weights, offset, groups)
  verdict <- .Call(C_model_verify, model_of(object), data, core_context(threads, 1))
  message(verdict$sentence)
  invisible(verdict)
}

read_pare <- function(file) finish_model(.Call(C_model_load, file))

write_pare <- function(object, file) invisible(.Call(C_model_save, model_of(object), file))

pare_methods <- function() as.data.frame(.Call(C_methods_table), stringsAsFactors = FALSE)

pare_settings <- function(method) as.data.frame(.Call(C_settings_table, method), stringsAsFactors = FALSE, optional = TRUE)

plot.pare <- function(x, type = c("auto", "weights", "path"), ...) {
  type <- match.arg(type)
  path <- .Call(C_model_path, model_of(x))
  if (type == "path" && is.null(path))
    stop("this model has no path over lambda: fit lasso or logistic with sweep = TRUE", call. = FALSE)
  if (type == "path" || (type == "auto" && !is.null(path))) return(plot_lambda(path, x, ...))
  coefs <- info_of(x)$coef
  if (is.null(coefs)) coefs <- matrix(x$selected$score) # not linear: the scores
  shown <- seq_len(min(30, nrow(coefs)))
  old <- par(mar = c(4, max(4, 0.5 * max(nchar(x$selected$name[shown]), 1)), 2, 1))
  on.exit(par(old))
  barplot(t(coefs[rev(shown), , drop = FALSE]), beside = TRUE, horiz = TRUE, las = 1, names.arg = rev(x$selected$name[shown]),
          xlab = "coefficient", main = paste0(x$method, ": ", nrow(x$selected), " features"),
          col = hcl.colors(ncol(coefs), "Dark 3"), border = NA, ...)
  invisible(x)
}

# As glmnet draws it: log lambda below, how many features above. Several outputs: the norm over them.
plot_lambda <- function(path, x, ...) {
  points <- length(path$lambda)
  features <- sort(unique(path$index))
  coefs <- matrix(0, points, length(features))
  outputs <- path$n_outputs
  for (p in seq_len(points)) {
    rows <- path$start[p] + seq_len(path$start[p + 1] - path$start[p])
    for (r in rows) {
      value <- path$coef[(r - 1) * outputs + seq_len(outputs)]
      coefs[p, match(path$index[r], features)] <- if (outputs == 1) value else sqrt(sum(value^2))
    }
  }
  matplot(log(path$lambda), coefs, type = "l", lty = 1, xlab = expression(log(lambda)),
          ylab = if (outputs == 1) "coefficient" else "norm of the coefficients", col = hcl.colors(length(features), "Dark 3"), ...)
  at <- pretty(log(path$lambda))
  axis(3, at = at, labels = path$n_features[pmax(1, pmin(points, findInterval(-at, -log(path$lambda))))], tick = FALSE)
  invisible(x)
}
