// The file of the page that knows tasks by name. Pure.

/** What is to be predicted, classes or numbers: what the person said of it, else what the data look like. */
export function outcomeKind(task, found) {
  return { classify: "classes", regress: "numbers" }[task] || found;
}

/** The methods that suit an outcome; classes: how many there are. */
export function suitable(methods, kind, classes) {
  const task = kind === "numbers" ? "regression" : classes > 2 ? "multiclass" : "binary";
  return methods.filter((m) => m.tasks.split(", ").includes(task));
}
