pare <- function(x, y, method = "auto", k = NULL, ..., weights = NULL, offset = NULL, groups = NULL, keep = NULL, cost = NULL,
                 exclude = NULL, fold_groups = NULL, threads = 2L, seed = 1, time_limit = 0, strata = NULL) {
  call <- match.call()
  coding <- if (is.data.frame(x)) frame_coding(x)
  x <- core_matrix(x, coding)
  if (length(method) != 1) fail("method must be one name; pare_path() compares several")
  settings <- core_settings(core_task(c(list(...), list(k = k)), method, y), method, pare)
  made <- core_data(x, y, coding, weights, offset, fold_groups, groups, keep, cost, exclude, strata = strata)
  model <- .Call(C_fit, made$data, method, settings$names[[1]], settings$values[[1]], core_context(threads, seed, time_limit))
  finish_model(model, call, coding, if (is.factor(y)) levels(y), made$left)
}

# left: the columns of x that exclude left. levels: of a factor y.
finish_model <- function(model, call = NULL, coding = NULL, levels = NULL, left = NULL) {
  info <- .Call(C_model_info, model)
  out <- list(call = call, method = info$method, task = info$task, n = info$n, d = info$d, classes = info$classes,
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

predict.pare <- function(object, newx, type = c("class", "response", "link"), offset = NULL, threads = 2L, times = NULL, strata = NULL, ...) {
  refuse_dots(..., call = "predict")
  if (missing(newx)) fail("newx is missing: the samples to predict")
  type <- if (missing(type)) if (length(object$classes)) "class" else "response" else match.arg(type)
  coding <- object$coding
  if (is.null(coding) && is.data.frame(newx)) coding <- coding_of_model(newx, info_of(object)$needed$name)
  x <- core_matrix(newx, coding)
  if (!is.null(times)) {
    out <- .Call(C_model_survival, model_of(object), core_data(x, offset = offset, strata = strata)$data, as.double(times),
                 core_context(threads))
    dimnames(out) <- list(rownames(x), times)
    return(out)
  }
  if (type == "class" && !length(object$classes)) fail("type = \"class\" is for classifiers, the task is ", object$task)
  probability <- type == "response" && length(object$classes) > 0
  if (probability && !info_of(object)$probability) fail("this model has no probabilities, as its scores are not calibrated: fit it with probability = TRUE")
  got <- .Call(C_model_predict, model_of(object), core_data(x, offset = offset)$data, probability, core_context(threads))
  if (type == "class") {
    levels <- if (all(object$classes %in% object$levels)) object$levels else object$classes
    out <- factor(object$classes[got$class], levels = levels)
    return(if (is.null(rownames(x))) out else stats::setNames(out, rownames(x)))
  }
  out <- got$score
  dimnames(out) <- list(rownames(x), if (ncol(out) == length(object$classes)) object$classes)
  if (ncol(out) == 1) out[, 1] else out
}

# What a method's `...` would swallow in silence.
refuse_dots <- function(..., call) {
  if (!...length()) return()
  named <- names(list(...))
  fail(call, " has no argument ", if (length(named) && named[1] != "") paste0("\"", named[1], "\"") else "beyond those that it names",
       if (identical(named[1], "newdata")) "; did you mean \"newx\"?")
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

check.pare <- function(object, x, y, weights = NULL, offset = NULL, groups = NULL, exclude = NULL, fold_groups = NULL, threads = 2L,
                       strata = NULL, ...) {
  refuse_dots(..., call = "check")
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
