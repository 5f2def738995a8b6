# From what R has to what the core takes: x as a borrowed matrix, y as labels or values.

# How the columns of a data frame become numbers: factors, characters and truth values as groups of 0 and 1,
# named col=value as the command line names them. Made from the training data.
frame_coding <- function(x) {
  values <- lapply(x, function(v) {
    if (is.factor(v)) levels(v)
    else if (is.character(v)) sort(unique(v[!is.na(v)]))
    else if (is.logical(v)) c("FALSE", "TRUE")
    else if (is.numeric(v)) NULL
    else stop("a column of class ", class(v)[1], " cannot be a feature", call. = FALSE)
  })
  for (name in names(x))
    if (length(values[[name]]) == 1 || (is.null(values[[name]]) && !is.numeric(x[[name]])))
      stop("\"", name, "\" has one level only", call. = FALSE)
  list(columns = names(x), values = values)
}

code_frame <- function(x, coding) {
  lost <- setdiff(coding$columns, names(x))
  if (length(lost)) stop("the column \"", lost[1], "\" is not there", call. = FALSE)
  parts <- lapply(coding$columns, function(name) {
    v <- x[[name]]
    levels <- coding$values[[name]]
    if (is.null(levels)) return(matrix(as.double(v), dimnames = list(NULL, name)))
    out <- outer(as.character(v), levels, "==") + 0
    colnames(out) <- paste0(name, "=", levels)
    out
  })
  out <- do.call(cbind, parts)
  rownames(out) <- row.names(x)
  out
}

coding_groups <- function(coding) {
  rep(coding$columns, vapply(coding$values, function(v) max(1L, length(v)), 1L))
}

# x as the core borrows it, with its column names.
core_matrix <- function(x, coding = NULL) {
  if (inherits(x, "formula")) stop("x is a formula; give a matrix or a data frame of features, and y", call. = FALSE)
  if (!is.null(coding)) x <- code_frame(as.data.frame(x), coding)
  if (is.vector(x) && is.numeric(x)) x <- matrix(x, nrow = 1, dimnames = list(NULL, names(x)))
  if (is(x, "sparseMatrix") && !is(x, "dgCMatrix")) x <- as(as(as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
  if (!is(x, "dgCMatrix")) {
    if (!is.matrix(x) || !(is.numeric(x) || is.logical(x)))
      stop("x must be a matrix of numbers, a dgCMatrix or a data frame, not ", class(x)[1], call. = FALSE)
    if (!is.double(x)) storage.mode(x) <- "double"
  }
  x
}

# A data set of the core. y NULL: for prediction.
core_data <- function(x, y = NULL, weights = NULL, offset = NULL, groups = NULL, fold_groups = NULL) {
  dim <- dim(x)
  data <- if (is(x, "dgCMatrix")) .Call(C_data_sparse, x@p, x@i, x@x, dim) else .Call(C_data_dense, x, dim)
  target <- core_target(y, dim[1])
  per_sample <- function(v, what) {
    if (!is.null(v) && length(v) != dim[1])
      stop(what, " has ", length(v), " entries, x has ", dim[1], " rows", call. = FALSE)
    v
  }
  weights <- per_sample(weights, "weights")
  offset <- per_sample(offset, "offset")
  if (!is.null(groups) && length(groups) != dim[2])
    stop("groups has ", length(groups), " entries, x has ", dim[2], " columns", call. = FALSE)
  fold_groups <- per_sample(fold_groups, "fold_groups")
  .Call(C_data_set, data, colnames(x), target$labels, target$values,
        if (!is.null(weights)) as.double(weights), if (!is.null(offset)) as.double(offset),
        if (!is.null(groups)) as.character(groups), if (!is.null(fold_groups)) as.character(fold_groups))
}

core_target <- function(y, n) {
  if (is.null(y)) return(list())
  if (length(y) != n) stop("y has ", length(y), " entries, x has ", n, " rows", call. = FALSE)
  if (anyNA(y)) stop("y is NA at entry ", which(is.na(y))[1], call. = FALSE)
  if (is.factor(y) || is.character(y) || is.logical(y)) {
    y <- as.character(y)
    if (length(unique(y)) < 2) stop("y has one level only, \"", y[1], "\"", call. = FALSE)
    return(list(labels = y))
  }
  if (!is.numeric(y)) stop("y must be a factor, characters, truth values or numbers, not ", class(y)[1], call. = FALSE)
  list(values = as.double(y))
}

# Arguments of `...` as the core's settings, as text.
core_settings <- function(settings) {
  if (length(settings) == 0) return(list(names = character(), values = character()))
  if (is.null(names(settings)) || any(names(settings) == ""))
    stop("settings must be named: pare_settings(method) lists them", call. = FALSE)
  text <- vapply(settings, function(v) {
    if (length(v) != 1) stop("a setting must have one value", call. = FALSE)
    if (is.logical(v)) tolower(as.character(v)) else if (is.numeric(v)) format(v, digits = 17) else as.character(v)
  }, "")
  list(names = names(settings), values = unname(text))
}

core_context <- function(threads, seed, time_limit = 0, memory = 0) list(threads, seed, time_limit, memory)
