"""A selector inside a pipeline, its size and the classifier's setting chosen together by cross-validation. Writes grid.png."""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import pare


def main():
    x, y = load_breast_cancer(return_X_y=True, as_frame=True)
    rng = np.random.default_rng(0)
    for j in range(70):  # what selection is for: columns that say nothing
        x["noise%03d" % j] = rng.standard_normal(len(x))
    train_x, test_x, train_y, test_y = train_test_split(x, y, test_size=0.3, random_state=0, stratify=y)

    pipe = Pipeline([("scale", StandardScaler().set_output(transform="pandas")),
                     ("select", pare.PareSelector("svm-rfe", k=5)),
                     ("svm", SVC())])
    sizes, costs = [2, 5, 10, 30, 100], [0.1, 1, 10]
    grid = GridSearchCV(pipe, {"select__k": sizes, "svm__C": costs}, cv=5, n_jobs=2).fit(train_x, train_y)
    chosen = grid.best_estimator_["select"].get_feature_names_out()
    print("best: %s, accuracy %.3f inside, %.3f on new data" % (
        grid.best_params_, grid.best_score_, grid.score(test_x, test_y)))
    print("%d features, %d of them noise" % (len(chosen), sum(c.startswith("noise") for c in chosen)))

    import matplotlib.pyplot as plt
    figure, ax = plt.subplots(figsize=(5, 3.5))
    score = grid.cv_results_["mean_test_score"].reshape(len(sizes), len(costs))
    for i, c in enumerate(costs):
        ax.plot(range(len(sizes)), score[:, i], marker="o", label="C = %g" % c)
    ax.set_xticks(range(len(sizes)))
    ax.set_xticklabels(sizes)
    ax.set_xlabel("number of features")
    ax.set_ylabel("accuracy, 5 folds")
    ax.legend(frameon=False)
    figure.savefig("grid.png", dpi=100, bbox_inches="tight")


if __name__ == "__main__":
    main()
