
pare_path <- function(x, y, methods = "auto", nfolds = 10, foldid = NULL, sizes = NULL, ..., repeats = 1, splits = 0, train = 0.8,
                      metric = NULL, choice = c("1se", "best", "tolerance"), inner = 3, tune = FALSE, null_runs = 0, grid = NULL,
                      weights = NULL, groups = NULL, fold_groups = NULL, threads = 2L, seed = 1, time_limit = 0) {
  call <- match.call()
  coding <- if (is.data.frame(x)) frame_coding(x)
  if (!is.null(coding) && is.null(groups) && any(lengths(coding$values) > 0)) groups <- coding_groups(coding)
  x <- core_matrix(x, coding)
  settings <- list(...)
  if (is.numeric(y) && is.null(settings$task)) settings$task <- "regress"
  core <- core_settings(settings)
  data <- core_data(x, y, weights, groups = groups, fold_groups = fold_groups)
  # a setting goes to the methods that have it; one that none has is refused by the first
  of_method <- lapply(methods, function(m) {
    known <- pare_settings(m)$name
    gsub("-", "_", core$names) %in% known
  })
  nobody <- if (length(core$names)) !Reduce(`|`, of_method) else logical()
  takes <- lapply(of_method, function(t) if (length(t)) t | nobody else t)
  if (!is.null(foldid) && length(foldid) != nrow(x))
    stop("foldid has ", length(foldid), " entries, x has ", nrow(x), " rows", call. = FALSE)
  options <- list(nfolds, repeats, splits, train, if (!is.null(sizes)) paste(sizes, collapse = ","), metric,
                  match.arg(choice), inner, tune, null_runs, grid)
  path <- .Call(C_path_run, data, methods, lapply(takes, function(t) core$names[t]), lapply(takes, function(t) core$values[t]),
                options, if (!is.null(foldid)) match(foldid, unique(foldid)) - 1L, core_context(threads, seed, time_limit))
  info <- .Call(C_path_info, path)
  out <- list(call = call, metric = info$metric, points = as.data.frame(info$points, stringsAsFactors = FALSE),
              runs = as.data.frame(info$runs, stringsAsFactors = FALSE),
              features = lapply(info$features, function(i) if (is.null(colnames(x))) paste0("x", i) else colnames(x)[i]),
              complete = info$complete, json = .Call(C_path_text, path, 0L, data, ""),
              page = .Call(C_path_text, path, 2L, data, paste(deparse(call), collapse = " ")),
              table = .Call(C_path_text, path, 3L, data, ""))
  names(out$features) <- out$runs$method
  class(out) <- "pare_path"
  if (!out$complete) warning("the path was stopped: it holds what was finished", call. = FALSE)
  out
}

print.pare_path <- function(x, ...) {
  cat("Call: ", paste(deparse(x$call), collapse = "\n"), "\n\n", sep = "")
  runs <- x$runs
  names(runs)[3:4] <- paste0("nested_", x$metric, c("", "_se"))
  if (all(is.na(runs$null_p))) runs$null_p <- NULL
  print(runs, row.names = FALSE, digits = 3)
  invisible(x)
}

as.data.frame.pare_path <- function(x, row.names = NULL, optional = FALSE, ...) x$points

predictions <- function(object, ...) UseMethod("predictions")

predictions.pare_path <- function(object, ...) {
  read.delim(text = object$table, check.names = FALSE, stringsAsFactors = FALSE, comment.char = "#",
             colClasses = c(sample = "character", truth = "character", prediction = "character"))
}

report <- function(object, file, ...) UseMethod("report")

report.pare_path <- function(object, file, ...) {
  writeLines(object$page, file, useBytes = TRUE)
  invisible(file)
}

plot.pare_path <- function(x, ...) {
  p <- x$points
  methods <- unique(p$method)
  colour <- hcl.colors(length(methods), "Dark 3")
  low <- p$mean - p$se
  high <- p$mean + p$se
  if (!x$metric %in% c("r2", "rmse", "log_loss")) high <- pmin(high, 1)
  plot(p$n_features, p$mean, type = "n", log = "x", ylim = range(low, high, na.rm = TRUE), xlab = "features", ylab = x$metric, ...)
  for (m in seq_along(methods)) {
    of <- which(p$method == methods[m])
    polygon(c(p$n_features[of], rev(p$n_features[of])), c(low[of], rev(high[of])), col = grDevices::adjustcolor(colour[m], 0.15),
            border = NA)
    lines(p$n_features[of], p$mean[of], col = colour[m])
    chosen <- of[p$chosen[of]]
    points(p$n_features[chosen], p$mean[chosen], pch = 19, col = colour[m])
  }
  legend("bottomright", methods, col = colour, lty = 1, bty = "n")
  invisible(x)
}
