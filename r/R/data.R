# From what R has to what the core takes: x as a borrowed matrix, y as labels or values, features by name.

fail <- function(...) stop(..., call. = FALSE)

# An error of the core, which knows the argument at fault.
raise <- function(message, setting) {
  stop(structure(class = c("pare_error", "error", "condition"),
                 list(message = message, call = NULL, setting = if (setting == "") NULL else setting)))
}

# "; did you mean ...?", or nothing.
hint <- function(word, names) {
  at <- .Call(C_nearest, word, as.character(names))
  if (at) paste0("; did you mean \"", names[at], "\"?") else ""
}

# ---- x ----

# How the columns of a data frame become numbers: factors, characters and truth values as groups of 0 and 1,
# named col=value as the command line names them. Made from the training data.
frame_coding <- function(x) {
  if (anyDuplicated(names(x))) fail("x has two columns called \"", names(x)[anyDuplicated(names(x))], "\"")
  values <- Map(function(v, name) {
    if (is.numeric(v) && is.null(dim(v))) return(NULL)
    known <- if (is.factor(v)) levels(droplevels(v))
             else if (is.character(v)) sort(unique(v[!is.na(v)]), method = "radix")
             else if (is.logical(v)) c("FALSE", "TRUE")[c(FALSE, TRUE) %in% v]
             else fail("column \"", name, "\" is a ", class(v)[1], ", which cannot be a feature")
    if (length(known) < 2)
      fail("column \"", name, "\" has one level only", if (length(known)) paste0(", \"", known, "\""), ": leave it out")
    known
  }, x, names(x))
  list(columns = names(x), values = values)
}

# The coding of a data frame for a model that was read from a file: its features say which values it knows.
coding_of_model <- function(x, needed) {
  values <- lapply(names(x), function(name) {
    if (is.numeric(x[[name]])) return(NULL)
    prefix <- paste0(name, "=")
    substring(needed[startsWith(needed, prefix)], nchar(prefix) + 1)
  })
  used <- vapply(seq_along(values), function(i) is.null(values[[i]]) || length(values[[i]]) > 0, NA)
  list(columns = names(x)[used], values = stats::setNames(values, names(x))[used])
}

# The same for the columns that a predictor needs; its first one where it needs none.
coding_needed <- function(coding, needed) {
  wanted <- vapply(coding$columns, function(name) any(c(name, paste0(name, "=", coding$values[[name]])) %in% needed), NA)
  if (!any(wanted)) wanted <- seq_along(wanted) == 1
  list(columns = coding$columns[wanted], values = coding$values[wanted])
}

code_frame <- function(x, coding, known = TRUE) {
  lost <- setdiff(coding$columns, names(x))
  if (length(lost)) fail("x has no column \"", lost[1], "\"", hint(lost[1], names(x)))
  parts <- lapply(coding$columns, function(name) {
    v <- x[[name]]
    levels <- coding$values[[name]]
    if (is.null(levels)) {
      if (!is.numeric(v)) fail("column \"", name, "\" is a ", class(v)[1], "; in training it was numbers")
      return(matrix(as.double(v), dimnames = list(NULL, name)))
    }
    new <- setdiff(as.character(v), c(levels, NA))
    if (known && length(new))
      warning("column \"", name, "\" has the value \"", new[1], "\", which training did not have: it counts as none of the others",
              call. = FALSE)
    out <- outer(as.character(v), levels, "==") + 0
    colnames(out) <- paste0(name, "=", levels)
    out
  })
  out <- do.call(cbind, parts)
  rownames(out) <- if (.row_names_info(x) > 0) row.names(x)
  out
}

# x as the core borrows it, with its column names.
core_matrix <- function(x, coding = NULL) {
  if (!is.null(coding)) {
    if (!is.data.frame(x)) x <- as.data.frame(x)
    x <- code_frame(x, coding)
  }
  if (is.atomic(x) && is.null(dim(x)) && is.numeric(x)) x <- matrix(x, nrow = 1, dimnames = list(NULL, names(x)))
  if (is(x, "Matrix") && !is(x, "dgCMatrix")) x <- as(as(as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
  if (!is(x, "dgCMatrix")) {
    if (is.data.frame(x)) x <- data.matrix(x)
    if (!is.matrix(x) || !(is.numeric(x) || is.logical(x)))
      fail("x must be a matrix of numbers, a dgCMatrix or a data frame, not ",
           if (is.matrix(x)) paste("a matrix of type", typeof(x)) else class(x)[1])
    if (!is.double(x)) storage.mode(x) <- "double"
  }
  x
}

# ---- features by name ----

# The columns of the core's matrix: their names, the columns that the person gave, and which of those each is of.
features_of <- function(x, coding) {
  names <- colnames(x)
  if (is.null(names)) names <- paste0("x", seq_len(ncol(x)))
  if (is.null(coding)) return(list(names = names, given = names, owner = seq_along(names)))
  count <- vapply(coding$values[coding$columns], function(v) max(1L, length(v)), 1L)
  list(names = names, given = coding$columns, owner = rep(seq_along(coding$columns), count))
}

# Truth values, a column each, from those of the given columns, their numbers, or names and patterns.
chosen_features <- function(which, features, what) {
  if (is.null(which)) return(NULL)
  count <- length(features$given)
  if (is.factor(which)) which <- as.character(which)
  if (anyNA(which)) fail(what, " is NA at entry ", which(is.na(which))[1])
  if (is.logical(which)) {
    if (length(which) != count) fail(what, " has ", length(which), " truth values, x has ", count, " columns")
    return(which[features$owner])
  }
  if (is.numeric(which)) {
    wrong <- which[!which %in% seq_len(count)]
    if (length(wrong)) fail(what, ": x has no column ", wrong[1], ", it has ", count)
    return(features$owner %in% which)
  }
  if (!is.character(which)) fail(what, " must be names, numbers or truth values of columns, not ", class(which)[1])
  pattern <- startsWith(which, "re:")
  found <- features$names %in% which | features$given[features$owner] %in% which
  for (p in which[pattern]) {
    matched <- grepl(substring(p, 4), features$names)
    if (!any(matched)) fail(what, ": no column of x matches \"", substring(p, 4), "\"")
    found <- found | matched
  }
  refuse_unknown(which[!pattern], features, what)
  found
}

refuse_unknown <- function(names, features, what) {
  known <- c(features$given, features$names)
  lost <- names[!names %in% known]
  if (length(lost)) fail(what, ": x has no column \"", lost[1], "\"", hint(lost[1], unique(known)))
}

# One entry a column, from one for each given column, or by name; `others` for those that are not named.
by_feature <- function(v, features, what, others = NULL) {
  if (is.null(v)) return(NULL)
  if (anyNA(v)) fail(what, " is NA at entry ", which(is.na(v))[1])
  named <- names(v)
  if (!is.null(named)) {
    refuse_unknown(named, features, what)
    at <- match(features$names, named)
    of_column <- match(features$given[features$owner], named)
    at[is.na(at)] <- of_column[is.na(at)]
    if (is.null(others) && anyNA(at)) fail(what, " has no entry for column \"", features$names[is.na(at)][1], "\"")
    out <- unname(v)[at]
    out[is.na(at)] <- others
    return(out)
  }
  if (length(v) == length(features$given)) return(v[features$owner])
  if (length(v) == length(features$names)) return(v)
  fail(what, " has ", length(v), " entries, x has ", length(features$given), " columns")
}

# ---- y and the data ----

# classes: those of a model, whose order y is to have.
core_target <- function(y, x, classes = NULL) {
  n <- nrow(x)
  if (is.null(y)) return(list())
  if (inherits(y, "Surv")) return(list(surv = surv_target(y, n)))
  if (inherits(y, "formula")) fail("y is a formula; give the target as a factor or as numbers")
  if (is.data.frame(y) && ncol(y) == 1) y <- y[[1]]
  if (is.matrix(y) && ncol(y) == 1) y <- y[, 1]
  if (!is.null(dim(y)) || is.list(y)) fail("y must be a factor, characters, truth values or numbers, not ", class(y)[1])
  if (length(y) != n) fail("y has ", length(y), " entries, x has ", n, " rows")
  if (anyNA(y)) fail("y is NA at entry ", which(is.na(y))[1], ": leave such samples out of x and y")
  same_order(names(y), rownames(x))
  y <- in_classes(y, classes)
  if (is.factor(y) || is.character(y) || is.logical(y)) {
    if (length(unique(y)) < 2) fail("y has one level only, \"", as.character(y[1]), "\"")
    if (is.factor(y)) return(list(codes = factor_codes(y)))
    return(list(labels = enc2utf8(as.character(y))))
  }
  if (!is.numeric(y)) fail("y must be a factor, characters, truth values or numbers, not ", class(y)[1])
  list(values = as.double(y))
}

# Times and events of a Surv object, which is a matrix: the package survival is not needed.
surv_target <- function(y, n) {
  type <- attr(y, "type")
  if (!identical(type, "right")) fail("y is a Surv object of type \"", type, "\"; only right-censored times are supported: Surv(time, event)")
  y <- matrix(as.double(unclass(y)), ncol = 2)
  if (nrow(y) != n) fail("y has ", nrow(y), " entries, x has ", n, " rows")
  if (anyNA(y)) fail("y is NA at entry ", which(is.na(rowSums(y)))[1], ": leave such samples out of x and y")
  y
}

# A factor whose levels are classes in their order: of two the second is the positive one, as in glm().
factor_codes <- function(y) {
  numbers <- suppressWarnings(as.numeric(levels(y)))
  twice <- if (!anyNA(numbers)) which(duplicated(numbers))
  if (length(twice))
    fail("y: the levels \"", levels(y)[match(numbers[twice[1]], numbers)], "\" and \"", levels(y)[twice[1]], "\" are the same number")
  y
}

# y as a factor of a model's classes; as it is where it has others, of which the core tells.
in_classes <- function(y, classes) {
  if (!length(classes)) return(y)
  at <- if (is.numeric(y)) match(y, suppressWarnings(as.numeric(classes))) else match(as.character(y), classes)
  if (anyNA(at)) y else factor(classes[at], levels = classes)
}

# The same samples in another order are surely a mistake.
same_order <- function(y, x) {
  if (is.null(y) || is.null(x) || identical(y, x) || !setequal(y, x)) return()
  at <- which(y != x)[1]
  fail("the names of y and the row names of x do not match: entry ", at, " is \"", y[at], "\" in y and \"", x[at], "\" in x")
}

per_sample <- function(v, n, what, as) {
  if (is.null(v)) return(NULL)
  if (length(v) != n) fail(what, " has ", length(v), " entries, x has ", n, " rows")
  if (anyNA(v)) fail(what, " is NA at entry ", which(is.na(v))[1])
  if (identical(as, as.double) && !is.numeric(v) && !is.logical(v)) fail(what, " must be numbers, not ", class(v)[1])
  as(v)
}

# Whether the library can be told by name what to leave out, so that the model has the names: in a list with commas, which
# may also be a pattern or a file.
listable <- function(names, gone) {
  if (is.null(names) || anyDuplicated(names)) return(FALSE)
  left_out <- names[gone]
  !any(grepl("[,\r\n]", left_out) | startsWith(left_out, "re:") | trimws(left_out) != left_out | left_out == "") &&
    !file.exists(paste(left_out, collapse = ","))
}

# 1, -1 or 0 for each column: from one sign, one a column, or some by name.
feature_signs <- function(sign, features) {
  if (is.null(sign)) return(NULL)
  if (length(sign) == 1 && is.null(names(sign))) sign <- rep(sign, length(features$given))
  known <- c("+" = 1L, "-" = -1L, "1" = 1L, "-1" = -1L, "0" = 0L)
  wrong <- which(!as.character(sign) %in% names(known))
  if (length(wrong)) fail("sign is \"", sign[wrong[1]], "\" at entry ", wrong[1], ": it must be \"+\" or \"-\"")
  known[as.character(by_feature(sign, features, "sign", "0"))]
}

# glmnet's limits as signs: lower.limits 0 is "+", upper.limits 0 is "-".
limits_as_signs <- function(sign, settings) {
  lower <- settings[["lower.limits"]]
  upper <- settings[["upper.limits"]]
  if (is.null(lower) && is.null(upper)) return(sign)
  if (!is.null(sign)) fail("give sign, or lower.limits and upper.limits, not both")
  if (!all(lower %in% c(0, -Inf))) fail("lower.limits must be 0 or -Inf: a coefficient can be limited to a sign")
  if (!all(upper %in% c(0, Inf))) fail("upper.limits must be 0 or Inf: a coefficient can be limited to a sign")
  out <- (if (is.null(lower)) 0 else ifelse(lower == 0, 1, 0)) + (if (is.null(upper)) 0 else ifelse(upper == 0, -1, 0))
  if (any((if (is.null(lower)) 1 else lower) == 0 & (if (is.null(upper)) 1 else upper) == 0))
    fail("lower.limits and upper.limits are both 0: leave such a column out with exclude")
  out
}

without_limits <- function(...) {
  settings <- list(...)
  if (is.null(names(settings))) return(settings)
  settings[!names(settings) %in% c("lower.limits", "upper.limits")]
}

# A data set of the core, and what its columns are called. y NULL: for prediction.
core_data <- function(x, y = NULL, coding = NULL, weights = NULL, offset = NULL, fold_groups = NULL, groups = NULL, keep = NULL,
                      cost = NULL, exclude = NULL, classes = NULL, strata = NULL, folds = NULL, sign = NULL) {
  dim <- dim(x)
  features <- features_of(x, coding)
  parts <- core_target(y, x, classes)
  parts$weights <- per_sample(weights, dim[1], "weights", as.double)
  parts$offset <- per_sample(offset, dim[1], "offset", as.double)
  parts$strata <- per_sample(strata, dim[1], "strata", as.character)
  parts$folds <- per_sample(folds, dim[1], "leave_out", as.character)
  parts$fold_groups <- per_sample(fold_groups, dim[1], "fold_groups", as.character)
  if (is.null(groups) && any(lengths(coding$values) > 0)) groups <- stats::setNames(features$given, features$given)
  groups <- by_feature(groups, features, "groups")
  kept <- chosen_features(keep, features, "keep")
  cost <- by_feature(cost, features, "cost", 1)
  if (!is.null(cost) && !is.numeric(cost)) fail("cost must be numbers, not ", class(cost)[1])
  sign <- feature_signs(sign, features)
  gone <- chosen_features(exclude, features, "exclude")
  if (is.null(gone)) gone <- logical(dim[2])
  if (any(gone & kept)) fail("exclude: column \"", features$names[gone & kept][1], "\" is kept: it cannot be left out")
  if (dim[2] > 0 && all(gone)) fail("exclude leaves none of the columns of x")
  left <- which(!gone)
  pick <- function(v, as) if (!is.null(v)) as(v)[left]
  parts$groups <- pick(groups, as.character)
  parts$kept <- pick(kept, as.logical)
  parts$cost <- pick(cost, as.double)
  parts$sign <- pick(sign, as.integer)
  names <- if (!is.null(colnames(x))) enc2utf8(colnames(x))
  if (!is.null(y) && !anyDuplicated(rownames(x))) parts$ids <- rownames(x)
  data <- if (is(x, "dgCMatrix")) .Call(C_data_sparse, x@p, x@i, x@x, dim) else .Call(C_data_dense, x, dim)
  if (any(gone) && listable(names, gone)) {
    .Call(C_data_set, data, list(names = names))
    .Call(C_data_leave, data, paste(names[gone], collapse = ","))
  } else {
    if (any(gone)) .Call(C_data_leave, data, paste0("x", which(gone), collapse = ","))
    parts$names <- names[left]
  }
  .Call(C_data_set, data, parts)
  list(data = data, names = features$names[left], left = if (any(gone)) left)
}

# ---- settings ----

# What glmnet calls an argument, and what to do here.
of_glmnet <- c(family = "the task follows from y: a factor for classes, numbers for regression",
               penalty.factor = "give cost", standardize = "give scale = \"none\" or \"standard\"",
               nlambda = "give lambda_count", lambda.min.ratio = "give lambda_least", thresh = "give tol", relax = "give refit = \"relaxed\"",
               type.measure = "give metric", s = "a model is of one lambda", maxit = "give max_iter")

setting_text <- function(v, name) {
  if (name == "class_weight" && is.numeric(v) && !is.null(names(v))) return(paste0(names(v), "=", sprintf("%.17g", v), collapse = ","))
  if (!is.atomic(v) || length(v) != 1) fail(name, " must have one value, not ", length(v))
  if (is.na(v)) fail(name, " is NA")
  if (is.logical(v)) tolower(as.character(v))
  else if (!is.numeric(v)) enc2utf8(as.character(v))
  else if (is.infinite(v) && v > 0) "inf"
  else sprintf("%.17g", v)
}

# Arguments of `...` as the core's settings, as text, for each method those that it has. One that none has is refused.
core_settings <- function(settings, methods, caller) {
  if (!is.character(methods) || !length(methods) || anyNA(methods)) fail("a method must be given by its name: pare_methods() lists them")
  known <- lapply(methods, function(m) pare_settings(m)$name)
  settings <- settings[!vapply(settings, is.null, NA)]
  given <- names(settings)
  if (length(settings) && (is.null(given) || any(given == "")))
    fail("arguments beyond the first few must be named; pare_settings(method) lists the settings")
  lost <- given[!gsub("-", "_", given) %in% unlist(known)]
  if (length(lost)) {
    own <- setdiff(names(formals(caller)), c("...", "x", "y"))
    fail("there is no argument \"", lost[1], "\", and no such setting of ", paste(methods, collapse = ", "),
         if (lost[1] %in% names(of_glmnet)) paste0(": ", of_glmnet[[lost[1]]]) else hint(lost[1], c(own, unlist(known))))
  }
  text <- vapply(given, function(name) setting_text(settings[[name]], gsub("-", "_", name)), "")
  takes <- lapply(known, function(k) gsub("-", "_", given) %in% k)
  list(names = lapply(takes, function(t) as.character(given[t])), values = lapply(takes, function(t) as.character(unname(text[t]))))
}

core_context <- function(threads, seed = 1, time_limit = 0, device = "cpu") {
  one <- function(v, what, least) {
    if (!is.numeric(v) || length(v) != 1 || is.na(v) || v < least) fail(what, " must be a number of at least ", least)
    v
  }
  if (!is.character(device) || length(device) != 1 || !device %in% c("cpu", "cuda")) fail("device must be \"cpu\" or \"cuda\"")
  list(one(threads, "threads", 1), one(seed, "seed", 0), one(time_limit, "time_limit", 0), 0, as.integer(device == "cuda"))
}
