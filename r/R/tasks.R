# The file that knows tasks by name.

# What y means where nobody said: numbers are classes only where the method has nothing else.
core_task <- function(settings, methods, y) {
  if (!is.null(settings$task)) return(settings)
  table <- pare_methods()
  regress <- methods == "auto" | grepl("regression", table$tasks[match(methods, table$name)])
  if (is.numeric(y) && is.null(dim(y)) && all(regress %in% TRUE)) {
    settings$task <- "regress"
    if (length(unique(y)) == 2) message("y has two values and is taken as numbers; give factor(y) for classes")
  }
  settings
}

is_survival <- function(task) task == "survival"
