// The file of the page that knows tasks by name. Pure.

/** The word for times to an event, which are columns of their own: one of times, one of events. */
export const TIMED = "survival";

/** What is to be predicted, classes, numbers or times: what the person said of it, else what the data look like. */
export function outcomeKind(task, found) {
  return { classify: "classes", regress: "numbers", [TIMED]: "times" }[task] || found;
}

/** The methods that are tried unless a person says otherwise. */
export function usualMethods(kind) {
  return { numbers: ["auto", "anova"], times: ["auto", "cox-score"] }[kind] || ["auto", "corr", "l1-svm"];
}

/** The methods that suit an outcome; classes: how many there are. */
export function suitable(methods, kind, classes) {
  const task = { numbers: "regression", times: TIMED }[kind] || (classes > 2 ? "multiclass" : "binary");
  return methods.filter((m) => m.tasks.split(", ").includes(task));
}
