"""The words that tell two kinds of text apart, from a sparse matrix that is never made dense.

Texts are the documentation of functions of numpy and of scipy.stats, which are here already. Writes text.png.
"""

import inspect

import numpy as np
import scipy.stats
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import pare


def texts_of(module):
    for name in sorted(dir(module)):
        text = inspect.getdoc(getattr(module, name)) if not name.startswith("_") else None
        if text and len(text) > 200:
            yield text[:1500]


def main():
    texts = list(texts_of(np)), list(texts_of(scipy.stats))
    x = texts[0] + texts[1]
    y = np.array(["numpy"] * len(texts[0]) + ["scipy.stats"] * len(texts[1]))
    words = TfidfVectorizer(token_pattern="[a-z]{4,}", stop_words=["numpy", "scipy", "stats", "array", "ndarray"])
    pipe = make_pipeline(words, pare.PareClassifier("logistic", k=15))
    print("%d texts, accuracy on 15 words: %.3f" % (len(x), cross_val_score(pipe, x, y, cv=5).mean()))

    pipe.fit(x, y)
    c = pipe[-1]
    names = pipe[0].get_feature_names_out()
    order = np.argsort(c.coef_[0][c.support_])
    weight, name = c.coef_[0][c.support_][order], names[c.support_][order]
    for w, word in zip(weight, name):
        print("%8.2f  %s" % (w, word))

    import matplotlib.pyplot as plt
    figure, ax = plt.subplots(figsize=(6, 4.5))
    ax.barh(name, weight, color=["tab:blue" if w < 0 else "tab:orange" for w in weight])
    ax.set_xlabel("weight of the word: numpy < 0 < scipy.stats")
    figure.savefig("text.png", dpi=100, bbox_inches="tight")


if __name__ == "__main__":
    main()
