# The R package under same_bytes.py: a file for each method and task with all that its functions say, one of paths and
# one of errors. Run in a folder beside data/.
suppressMessages({
  library(pare)
  library(Matrix)
})
options(digits = 15, width = 200, warn = 1)

sheets <- c(binary = "two", multiclass = "three", regression = "real", ranking = "two", survival = "life", none = "two")
words <- c(binary = "classify", multiclass = "classify", regression = "regress", ranking = "rank", survival = "survival", none = "none")

read_sheet <- function(name) {
  d <- read.csv(file.path("data", paste0(name, ".csv")), stringsAsFactors = FALSE)
  columns <- !names(d) %in% c("class", "time", "event")
  # what survival::Surv makes
  y <- if (is.null(d$time)) d$class else structure(cbind(time = d$time, status = d$event), class = "Surv", type = "right")
  list(x = as.matrix(d[columns]), y = y, frame = d[columns])
}

# Numbers with every digit.
show <- function(what, value) {
  cat(what, "\n")
  if (is.null(value)) return(cat("NULL\n"))
  if (inherits(value, "Matrix")) value <- as.matrix(value)
  if (is.list(value)) {
    for (name in names(value)) show(paste0(what, "$", name), value[[name]])
  } else {
    text <- if (is.double(value)) sprintf("%.17g", value) else as.character(value)
    cat(dim(value), names(value), unlist(dimnames(value)), text, "\n")
  }
}

attempt <- function(title, expression) {
  cat("==", title, "\n")
  say <- function(kind, restart = NULL) function(c) {
    cat(kind, conditionMessage(c), "\n")
    if (!is.null(restart)) invokeRestart(restart)
  }
  tryCatch(withCallingHandlers(expression, warning = say("warning:", "muffleWarning"),
                               message = say("message:", "muffleMessage")), error = say("error:"))
}

to_file <- function(name, expression) {
  sink(name)
  on.exit(sink())
  expression
}

describe <- function(m, x, y, file, weights) {
  print(m[c("method", "task", "n", "d", "outcome", "notes", "classes")])
  show("selected", m$selected)
  show("certificate", certificate(m))
  attempt("coef", show("coef", coef(m)))
  for (type in c("class", "response", "link")) attempt(type, show(type, predict(m, x, type = type)))
  if (m$task == "survival") attempt("times", show("times", predict(m, x, times = c(0.5, 1, 2))))
  attempt("check", check(m, x, y, weights = weights))
  write_pare(m, file)
  show("read", read_pare(file)$selected)
}

fit_all <- function(method, task) {
  s <- read_sheet(sheets[[task]])
  tall <- read_sheet(paste0(sheets[[task]], "-text"))
  word <- words[[task]]
  fit <- function(title, x, ..., weights = NULL) {
    file <- paste0(method, "-", task, "-", title, ".json")
    y <- if (task == "none") NULL else s$y
    attempt(title, describe(pare(x, y, method, ..., weights = weights, task = word, threads = 1), x, y, file, weights))
  }
  fit("whole", s$x)
  fit("k", s$x, k = 3)
  fit("sparse", as(s$x, "CsparseMatrix"), k = 3)
  fit("frame", tall$frame, k = 2)
  fit("weights", s$x, k = 3, weights = scan("data/weights", quiet = TRUE))
  fit("terms", s$x, k = 3, keep = "g7", cost = c(g1 = 2.5), exclude = c("g9", "re:^g3"))
  fit("groups", s$x, k = 2, groups = rep(1:10, each = 2))
  fit("probability", s$x, k = 3, probability = TRUE)
  path <- function() pare_path(s$x, s$y, method, nfolds = 3, sizes = c(1, 4), inner = 2, task = word, threads = 1)
  if (task != "none") attempt("path", show_path(path()))
}

show_path <- function(p, page = NULL) {
  parts <- c("metric", "points", "runs", "features", "control", "complete", "json", "table", page)
  for (part in parts) show(part, p[[part]])
  print(predictions(p))
}

table <- pare_methods()
write.csv(table, "methods.csv")
for (i in seq_len(nrow(table))) {
  method <- table$name[[i]]
  write.csv(pare_settings(method), paste0(method, "-settings.csv"))
  for (task in intersect(strsplit(table$tasks[[i]], ", ")[[1]], names(sheets))) to_file(paste0(method, "-", task, ".txt"), fit_all(method, task))
}

several <- head(table$name[grepl("multiclass", table$tasks)], 3)
s <- read_sheet("three")
to_file("paths.txt", {
  run <- function(...) pare_path(s$x, s$y, ..., nfolds = 3, sizes = c(1, 4), threads = 1)
  path <- function(title, ...) attempt(title, show_path(run(...), "page"))
  path("several", several, null_runs = 2, inner = 2)
  path("tuned", several[[1]], tune = TRUE, grid = list(C = c(1, 10)))
  path("control", several[[2]], error_control = c(pfer = 2), error_pairs = 3, inner = 0)
  path("folds", several, foldid = rep(1:3, each = 8), fold_groups = NULL, inner = 0)
})

to_file("errors.txt", {
  s <- read_sheet("two")
  gaps <- read_sheet("two-gaps")$x
  m <- pare(s$x, s$y, several[[1]], k = 2)
  attempt("method", pare(s$x, s$y, "svm_rfe"))
  attempt("argument", pare(s$x, s$y, "svm", weigths = 1))
  attempt("setting", pare(s$x, s$y, "svm", C = -1))
  attempt("k", pare(s$x, s$y, "svm", k = 99))
  attempt("gaps", pare(gaps, s$y, "svm"))
  attempt("rows", pare(s$x, s$y[-1], "svm"))
  attempt("class", pare(s$x, rep("a", 24), "svm"))
  attempt("weights", pare(s$x, s$y, "svm", weights = rep(-1, 24)))
  attempt("keep", pare(s$x, s$y, "svm", keep = "no"))
  attempt("cost", pare(s$x, s$y, "svm", cost = c(g1 = 0)))
  attempt("columns", predict(m, s$x[, 1:3]))
  attempt("response", predict(m, s$x, type = "response"))
  attempt("new data", predict(m, newdata = s$x))
  attempt("file", read_pare("nowhere.json"))
  attempt("write", write_pare(3, "x.json"))
  attempt("sizes", pare_path(s$x, s$y, "svm", sizes = 99))
  attempt("folds", pare_path(s$x, s$y, "svm", nfolds = 60))
  attempt("control", pare_path(s$x, s$y, "svm", error_control = 3))
})
