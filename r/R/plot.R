# Pictures: the coefficients, the path over lambda as glmnet draws it, the selection curve.

plot.pare <- function(x, type = c("auto", "weights", "path"), xvar = c("lambda", "norm", "dev"), label = FALSE, ...) {
  type <- match.arg(type)
  xvar <- match.arg(xvar)
  path <- .Call(C_model_path, model_of(x))
  if (type == "path" && is.null(path))
    fail("this model has no path over lambda: fit it with sweep = TRUE (lasso, logistic, cox), and plot it before it is saved")
  if (type == "path" || (type == "auto" && !is.null(path))) plot_lambda(path, x, xvar, label, ...) else plot_weights(x, ...)
  invisible(x)
}

plot_weights <- function(x, xlab = "coefficient", main = paste0(x$method, ": ", nrow(x$selected), " features"), ...) {
  coefs <- info_of(x)$coef
  if (is.null(coefs)) { # not linear
    coefs <- matrix(x$selected$score)
    xlab <- "score"
  }
  if (!nrow(coefs)) fail("the model has no features to draw")
  shown <- rev(seq_len(min(30, nrow(coefs))))
  if (nrow(coefs) > 30) main <- paste0(main, ", the first 30")
  several <- ncol(coefs) > 1
  colour <- hcl.colors(max(ncol(coefs), 2), "Dark 3")[seq_len(ncol(coefs))]
  lines_of <- max(strwidth(x$selected$name[shown], "inches")) / par("csi")
  old <- par(mar = c(4, min(lines_of + 1.5, 15), 2.5, 1))
  on.exit(par(old))
  barplot(t(coefs[shown, , drop = FALSE]), beside = TRUE, horiz = TRUE, las = 1, names.arg = x$selected$name[shown], xlab = xlab,
          main = main, col = colour, border = NA, ...)
  abline(v = 0, col = "grey40")
  if (several && ncol(coefs) == length(x$classes)) legend("bottomright", x$classes, fill = colour, border = NA, bty = "n")
}

# The coefficients of the path, a row a point and a column a feature; of several outputs their norm.
path_coefs <- function(path) {
  features <- sort(unique(path$index))
  coefs <- matrix(0, length(path$lambda), length(features))
  point <- rep(seq_along(path$lambda), diff(path$start))
  value <- matrix(path$coef, nrow = path$n_outputs)
  coefs[cbind(point, match(path$index, features))] <- if (path$n_outputs == 1) value[1, ] else sqrt(colSums(value^2))
  colnames(coefs) <- features
  coefs
}

# As glmnet draws it: log lambda, the norm or the explained deviance below, how many features above.
plot_lambda <- function(path, x, xvar, label, xlab = NULL, ylab = NULL, ...) {
  coefs <- path_coefs(path)
  if (!ncol(coefs)) fail("no feature enters on this path: there is nothing to draw")
  at <- switch(xvar, lambda = log(path$lambda), norm = rowSums(abs(coefs)), dev = 1 - path$deviance / path$deviance[1])
  if (is.null(xlab)) xlab <- switch(xvar, lambda = "Log Lambda", norm = "L1 Norm", dev = "Fraction Deviance Explained")
  if (is.null(ylab)) ylab <- if (path$n_outputs == 1) "Coefficients" else "Norm of the coefficients"
  matplot(at, coefs, type = "l", lty = 1, xlab = xlab, ylab = ylab, col = hcl.colors(max(ncol(coefs), 2), "Dark 3"), ...)
  ticks <- axTicks(1)
  order <- order(at)
  counts <- path$n_features[order][pmax(1, findInterval(ticks, at[order]))]
  axis(3, at = ticks, labels = counts, tick = FALSE, line = -0.5)
  lambda <- suppressWarnings(as.numeric(info_of(x)$lambda)) # of the model itself
  if (xvar == "lambda" && length(lambda) && is.finite(lambda)) abline(v = log(lambda), lty = 3, col = "grey50")
  if (isTRUE(label)) {
    end <- if (xvar == "lambda") which.min(at) else which.max(at)
    label_curves(at[end], coefs[end, ], pos = if (xvar == "lambda") 2 else 4)
  }
}

# The column of each curve at its end, the largest first, as far as there is room.
label_curves <- function(at, value, pos) {
  value <- value[value != 0][order(-abs(value[value != 0]))]
  height <- strheight("0", cex = 0.6) * 1.2
  shown <- numeric()
  for (v in seq_along(value)) if (all(abs(value[v] - value[shown]) > height)) shown <- c(shown, v)
  if (length(shown)) text(at, value[shown], names(value)[shown], cex = 0.6, pos = pos, offset = 0.2, xpd = TRUE)
}

plot.pare_path <- function(x, xlab = if (is.null(x$budgets)) "features" else "budget", ylab = x$metric, ...) {
  p <- x$points
  at <- if (is.null(x$budgets)) p$n_features else rep(x$budgets, length.out = nrow(p))
  methods <- unique(p$method)
  colour <- hcl.colors(max(length(methods), 2), "Dark 3")
  low <- pmax(p$mean - p$se, x$metric_least)
  high <- pmin(p$mean + p$se, x$metric_most)
  finite <- range(low, high, p$mean, na.rm = TRUE)
  plot(at, p$mean, type = "n", log = "x", ylim = finite, xlab = xlab, ylab = ylab, xaxt = "n", ...)
  axis(1, at = unique(at))
  for (m in seq_along(methods)) {
    of <- which(p$method == methods[m] & is.finite(p$mean))
    band <- of[is.finite(p$se[of])]
    polygon(c(at[band], rev(at[band])), c(low[band], rev(high[band])), col = adjustcolor(colour[m], 0.15), border = NA)
    lines(at[of], p$mean[of], col = colour[m], lwd = 2)
    chosen <- of[p$chosen[of]]
    points(at[chosen], p$mean[chosen], pch = 19, col = colour[m])
  }
  legend("bottomleft", c(methods, "chosen"), col = c(colour[seq_along(methods)], "black"), lty = c(rep(1, length(methods)), NA),
         lwd = 2, pch = c(rep(NA, length(methods)), 19), bty = "n", horiz = TRUE, inset = c(0, 1), xpd = TRUE, cex = 0.9)
  invisible(x)
}
