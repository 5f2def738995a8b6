# The formula interface: which columns of a data frame are the target and the features, at the fit and at a prediction.

# What adds nothing of its own to a sum of features.
not_additive <- c(":", "*", "^", "%in%", "/", "|")

# The right-hand side as list(features, offsets, strata): expressions, the features named by what they are called.
# `others`: the columns that `.` stands for. A loop over the sum, which may have many thousand terms.
read_terms <- function(side, others) {
  out <- list(features = list(), offsets = list(), strata = list())
  found <- list()
  while (is.call(side) && as.character(side[[1]])[1] %in% c("+", "-")) {
    found <- c(list(list(term = side[[length(side)]], minus = identical(side[[1]], quote(`-`)))), found)
    side <- if (length(side) == 3) side[[2]] else 1
  }
  for (one in c(list(list(term = side, minus = FALSE)), found)) out <- add_term(out, one$term, one$minus, others)
  out
}

add_term <- function(out, term, minus, others) {
  called <- if (is.call(term)) as.character(term[[1]])[1] else ""
  if (is.numeric(term)) {
    if (term != as.numeric(!minus)) fail("the formula leaves out the intercept: give intercept = FALSE")
    return(out)
  }
  if (called %in% not_additive)
    fail("the formula has ", deparse1(term), ": features are columns and calls of them, without interactions; add the product as a column")
  if (called == "offset" && !minus) return(within_list(out, "offsets", term[[2]]))
  if (called == "strata" && !minus) return(within_list(out, "strata", term[[2]]))
  inner <- if (called %in% c("(", "+", "-")) read_terms(if (called == "(") term[[2]] else term, others)
           else if (identical(term, quote(.))) list(features = lapply(stats::setNames(nm = others), as.name))
           else list(features = stats::setNames(list(term), if (is.name(term)) as.character(term) else deparse1(term)))
  if (minus) out$features <- out$features[setdiff(names(out$features), names(inner$features))]
  else for (part in names(inner)) out[[part]] <- c(out[[part]], inner[[part]][!names_or_none(inner[[part]]) %in% names(out[[part]])])
  out
}

names_or_none <- function(v) if (is.null(names(v))) rep(NA_character_, length(v)) else names(v)

within_list <- function(out, part, term) {
  out[[part]] <- c(out[[part]], list(term))
  out
}

# A data frame of these features, a matrix among them as a column for each of its own.
evaluate_terms <- function(features, data, env) {
  columns <- lapply(names(features), function(name) {
    value <- if (is.name(features[[name]]) && name %in% names(data)) data[[name]] else evaluate(features[[name]], data, env)
    if (NROW(value) != nrow(data)) fail("\"", name, "\" has ", NROW(value), " entries, data has ", nrow(data), " rows")
    if (is.null(dim(value))) return(stats::setNames(list(value), name))
    parts <- as.data.frame(as.matrix(value))
    stats::setNames(as.list(parts), paste0(name, if (is.null(colnames(value))) seq_along(parts) else colnames(value)))
  })
  rows <- if (.row_names_info(data) > 0) row.names(data) else .set_row_names(nrow(data))
  list(x = structure(do.call(c, columns), class = "data.frame", row.names = rows),
       columns = stats::setNames(lapply(columns, names), names(features)))
}

evaluate <- function(term, data, env) {
  lost <- Filter(function(name) !(name %in% names(data)) && !exists(name, envir = env), all.vars(term))
  if (length(lost)) fail("data has no column \"", lost[1], "\"", hint(lost[1], names(data)))
  eval(term, data, env)
}

# What a call with a formula says, as the arguments of the form with x and y; x carries the call and the terms.
# given: arguments that may name columns, as they were written.
formula_arguments <- function(formula, data, call = NULL, subset = NULL, given = list()) {
  env <- environment(formula)
  if (length(formula) != 3) fail("the formula has no target: write it on the left, as in class ~ .")
  data <- data_frame(data, "data", formula)
  chosen <- evaluate(subset, data, env)
  if (!is.null(chosen)) data <- data[if (is.logical(chosen)) which(chosen) else chosen, , drop = FALSE]
  terms <- read_terms(formula[[3]], setdiff(names(data), all.vars(formula[[2]])))
  if (!length(terms$features)) fail("the formula names no features: write their names on the right, or a dot for all columns")
  read <- evaluate_terms(terms$features, data, env)
  terms$formula <- formula
  terms$columns <- read$columns
  given <- Filter(Negate(is.null), lapply(given, evaluate, data, env))
  c(list(x = structure(read$x, from = list(call = call, terms = terms)), y = evaluate(formula[[2]], data, env)),
    added(terms, data, env, given))
}

# Without data the variables are those that the formula sees: a frame without columns, of as many rows.
data_frame <- function(data, what, formula) {
  if (is.null(data)) data <- data.frame(row.names = seq_len(NROW(eval(formula[[2]], environment(formula)))))
  if (is.matrix(data)) data <- as.data.frame(data)
  if (!is.data.frame(data)) fail(what, " must be a data frame, not ", class(data)[1])
  data
}

# The call of the form with a formula, each argument by its name, so that update() finds it: an unnamed one before the
# formula would be taken for it.
named_call <- function(name, default, call) {
  formals(default) <- c(alist(formula = , data = ), formals(default)[-(1:2)], alist(subset = ))
  call <- match.call(default, call)
  call[[1]] <- as.name(name)
  call
}

# What a fit was asked: by a formula, or by this call of the form with x and y.
asked <- function(x, call, name) {
  from <- attr(x, "from", exact = TRUE)
  call[[1]] <- as.name(name)
  if (is.null(from)) list(call = call) else from
}

# given, with what the formula itself adds: its offsets, summed, and its strata.
added <- function(terms, data, env, given = list()) {
  if (length(terms$offsets) && is.null(given$offset))
    given$offset <- Reduce(`+`, lapply(terms$offsets, evaluate, data, env))
  if (length(terms$strata) && is.null(given$strata)) {
    strata <- lapply(terms$strata, evaluate, data, env)
    given$strata <- if (length(strata) == 1) as.character(strata[[1]]) else as.character(interaction(strata, drop = TRUE))
  }
  given
}

# New samples of a model that came from a formula: its features that the predictor needs, and what the formula adds.
formula_frame <- function(terms, data, columns) {
  data <- data_frame(data, "newdata")
  env <- environment(terms$formula)
  wanted <- vapply(terms$columns, function(own) any(own %in% columns), NA)
  c(list(x = evaluate_terms(terms$features[wanted], data, env)$x), added(terms, data, env))
}

formula.pare <- function(x, ...) {
  if (is.null(x$terms)) fail("this model has no formula: it was fitted to a matrix x and a target y")
  x$terms$formula
}

formula.pare_path <- function(x, ...) {
  if (is.null(x$terms)) fail("this path has no formula: it was run on a matrix x and a target y")
  x$terms$formula
}

# The call again with other arguments; a dot in the new formula is that side of the old one. stats::update() would write out
# what a dot on the right stands for, all columns of the data.
update.pare <- function(object, formula., ..., evaluate = TRUE) {
  call <- object$call
  if (is.null(call)) fail("this model was read from a file: it has no call to update")
  if (!missing(formula.)) call$formula <- changed_formula(formula(object), formula.)
  given <- as.list(substitute(list(...)))[-1]
  for (name in names(given)) call[[name]] <- given[[name]]
  if (evaluate) eval(call, parent.frame()) else call
}

changed_formula <- function(old, new) {
  if (!inherits(new, "formula")) fail("formula. must be a formula such as . ~ . - age, not ", class(new)[1])
  in_place <- function(side, of) do.call(substitute, list(side, list(. = of)))
  new[[length(new)]] <- in_place(new[[length(new)]], old[[3]])
  new <- if (length(new) == 2) call("~", old[[2]], new[[2]]) else call("~", in_place(new[[2]], old[[2]]), new[[3]])
  stats::as.formula(new, environment(old))
}
