pare <- function(x, ...) UseMethod("pare")

pare.default <- function(x, y, method = "auto", k = NULL, ..., weights = NULL, offset = NULL, groups = NULL, keep = NULL, cost = NULL,
                         exclude = NULL, fold_groups = NULL, threads = 2L, seed = 1, time_limit = 0, device = "cpu", strata = NULL,
                         sign = NULL) {
  from <- asked(x, match.call(), "pare")
  coding <- if (is.data.frame(x)) frame_coding(x)
  x <- core_matrix(x, coding)
  if (length(method) != 1) fail("method must be one name; pare_path() compares several")
  sign <- limits_as_signs(sign, list(...))
  settings <- core_settings(core_task(c(without_limits(...), list(k = k)), method, y), method, pare.default)
  made <- core_data(x, y, coding, weights, offset, fold_groups, groups, keep, cost, exclude, strata = strata, sign = sign)
  model <- .Call(C_fit, made$data, method, settings$names[[1]], settings$values[[1]], core_context(threads, seed, time_limit, device))
  finish_model(model, from, coding, if (is.factor(y)) levels(y), made$left)
}

pare.formula <- function(formula, data = NULL, ..., weights = NULL, offset = NULL, fold_groups = NULL, strata = NULL, subset = NULL) {
  call <- named_call("pare", pare.default, sys.call())
  given <- list(weights = substitute(weights), offset = substitute(offset), fold_groups = substitute(fold_groups),
                strata = substitute(strata))
  do.call(pare.default, c(formula_arguments(formula, data, call, substitute(subset), given), list(...)))
}

# from: the call, and the terms of a formula. left: the columns of x that exclude left. levels: of a factor y.
finish_model <- function(model, from = NULL, coding = NULL, levels = NULL, left = NULL) {
  info <- .Call(C_model_info, model)
  out <- list(call = from$call, terms = from$terms, method = info$method, task = info$task, n = info$n, d = info$d, classes = info$classes,
              selected = data.frame(index = if (is.null(left)) info$index else left[info$index], name = info$name,
                                    score = info$score, stringsAsFactors = FALSE),
              outcome = info$predictor$outcome, selection_outcome = info$selection$outcome, notes = info$notes, coding = coding, levels = levels, left = left,
              # the text alone survives save() and readRDS(): the pointer is made again from it
              text = .Call(C_model_text, model), core = new.env(parent = emptyenv()))
  if (info$kept > 0) out$selected$kept <- seq_along(info$index) <= info$kept
  out$core$model <- model
  class(out) <- "pare"
  for (report in list(info$selection, info$predictor))
    if (!is.null(report) && !report$finished) warning("the fit was not finished: ", report$text, call. = FALSE)
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
  cat(x$method, ", ", x$task, ": ", nrow(x$selected), " of ", x$d, " features, ", x$n, " samples\n", sep = "")
  info <- info_of(x)
  if (!is.null(info$selection)) cat("selection: ", info$selection$text, "\n", sep = "")
  cat("predictor: ", info$predictor$text, "\n", sep = "")
  if (nrow(x$selected)) print(head(x$selected, 10), row.names = FALSE, digits = 4)
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
  if (is.null(info$coef)) fail(object$method, " has no coefficients: its predictor is not linear")
  outputs <- ncol(info$coef)
  called <- if (outputs == 1) "s0" else if (outputs == length(object$classes)) object$classes else paste0("s", seq_len(outputs) - 1)
  rows <- c("(Intercept)", info$name)
  sparseMatrix(i = rep(seq_along(rows), outputs), j = rep(seq_len(outputs), each = length(rows)),
               x = as.vector(rbind(info$intercept, info$coef)), dims = c(length(rows), outputs),
               dimnames = list(rows, called))
}

predict.pare <- function(object, newdata, type = c("class", "prob", "response", "link", "risk"), offset = NULL, threads = 2L,
                         times = NULL, strata = NULL, ..., newx) {
  refuse_dots(..., call = "predict")
  if (missing(newdata) && missing(newx)) fail("newdata is missing: the samples to predict")
  type <- prediction_type(object, if (missing(type)) NULL else match.arg(type))
  new <- new_samples(object, if (missing(newdata)) newx else newdata)
  if (is.null(offset)) offset <- new$offset
  if (is.null(strata)) strata <- new$strata
  x <- new$x
  if (!is.null(times)) {
    out <- .Call(C_model_survival, model_of(object), core_data(x, offset = offset, strata = strata)$data, as.double(times),
                 core_context(threads))
    dimnames(out) <- list(rownames(x), times)
    return(out)
  }
  got <- .Call(C_model_predict, model_of(object), core_data(x, offset = offset)$data, type == "prob", core_context(threads))
  if (type == "class") {
    levels <- if (all(object$classes %in% object$levels)) object$levels else object$classes
    out <- factor(object$classes[got$class], levels = levels)
    return(if (is.null(rownames(x))) out else stats::setNames(out, rownames(x)))
  }
  out <- got$score
  dimnames(out) <- list(rownames(x), if (ncol(out) == length(object$classes)) object$classes)
  if (ncol(out) == 1) out[, 1] else out
}

# "class", "prob" or "link": what is asked of a model of this task. NULL: what is usual.
prediction_type <- function(object, type) {
  classes <- length(object$classes) > 0
  if (is.null(type)) return(if (classes) "class" else "link")
  if (type == "response") type <- if (classes) "prob" else "link"
  if (type %in% c("class", "prob") && !classes) fail("type = \"", type, "\" is for classifiers, the task is ", object$task)
  if (type == "risk" && !is_survival(object$task)) fail("type = \"risk\" is for survival, the task is ", object$task)
  if (type == "prob" && !info_of(object)$probability)
    fail("this model has no probabilities, as its scores are not calibrated: fit it with probability = TRUE")
  if (type == "risk") "link" else type
}

# New samples as the core borrows them, with what a formula adds; of a data frame the columns that the predictor needs.
new_samples <- function(object, newdata) {
  needed <- info_of(object)$needed$name
  coding <- if (!is.null(object$coding)) coding_needed(object$coding, needed)
  if (is.null(coding) && is.data.frame(newdata)) coding <- coding_of_model(newdata, needed)
  new <- if (is.null(object$terms)) list(x = newdata) else formula_frame(object$terms, newdata, coding$columns)
  new$x <- core_matrix(new$x, coding)
  new
}

# What a method's `...` would swallow in silence.
refuse_dots <- function(..., call) {
  if (!...length()) return()
  named <- names(list(...))
  fail(call, " has no argument ", if (length(named) && named[1] != "") paste0("\"", named[1], "\"") else "beyond those that it names")
}

nobs.pare <- function(object, ...) object$n

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

check.pare <- function(object, x, y, weights = NULL, offset = NULL, groups = NULL, exclude = NULL, fold_groups = NULL, threads = 2L,
                       strata = NULL, ...) {
  refuse_dots(..., call = "check")
  if (missing(y) && !is.null(object$terms)) {
    given <- formula_arguments(object$terms$formula, x)
    if (is.null(offset)) offset <- given$offset
    if (is.null(strata)) strata <- given$strata
    x <- given$x
    y <- given$y
  }
  if (is.null(exclude) && !is.null(object$left)) exclude <- setdiff(seq_len(ncol(x)), object$left)
  coding <- object$coding
  if (is.null(coding) && is.data.frame(x)) coding <- frame_coding(x)
  made <- core_data(core_matrix(x, coding), y, coding, weights, offset, fold_groups, groups = groups, exclude = exclude,
                    classes = object$classes, strata = strata)
  verdict <- .Call(C_model_verify, model_of(object), made$data, core_context(threads))
  message(verdict$sentence)
  invisible(verdict)
}

read_pare <- function(file) finish_model(.Call(C_model_load, file))

write_pare <- function(object, file) {
  if (!inherits(object, "pare")) fail("write_pare() writes models of pare(), not ", class(object)[1])
  .Call(C_model_save, model_of(object), file)
  invisible(file)
}

pare_methods <- function() as.data.frame(.Call(C_methods_table), stringsAsFactors = FALSE)

pare_settings <- function(method = "auto") as.data.frame(.Call(C_settings_table, method), stringsAsFactors = FALSE, optional = TRUE)
