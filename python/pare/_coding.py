"""Categories of a data frame as groups of 0/1 columns, named col=value as the command line names them."""

import numpy as np

from ._data import label_text
from ._lib import PareValueError


def has_categories(X):
    """Whether X is a data frame with columns of pandas' dtype category."""
    types = getattr(X, "dtypes", None)
    return hasattr(X, "columns") and hasattr(types, "items") and any(_is_category(t) for t in types)


def _is_category(dtype):
    return getattr(dtype, "name", "") == "category"


class Coding:
    """How the columns of a frame become numbers; made from the training data."""

    def __init__(self, frame):
        self.columns = [str(c) for c in frame.columns]
        if len(set(self.columns)) < len(self.columns):
            raise PareValueError("the data frame has two columns of one name")
        self.values = [list(frame.dtypes.iloc[j].categories) if _is_category(frame.dtypes.iloc[j]) else None
                       for j in range(len(self.columns))]
        self.names, self.groups, owner = [], [], []
        for j, (name, values) in enumerate(zip(self.columns, self.values)):
            coded = [name] if values is None else ["%s=%s" % (name, label_text(v)) for v in values]
            self.names += coded
            self.groups += [name] * len(coded)
            owner += [j] * len(coded)
        self.owner = np.array(owner)

    def encode(self, frame, allow_missing):
        """The frame's columns, by name, as float64 in Fortran order; a value not seen in training is all zeros."""
        have = [str(c) for c in frame.columns]
        if have != self.columns:
            lost = [c for c in self.columns if c not in have]
            raise ValueError("The feature names should match those that were passed during fit%s." % (
                ": \"%s\" is missing" % lost[0] if lost else ", in that order"))
        out = np.empty((len(frame), len(self.names)), order="F")
        at = 0
        for j, values in enumerate(self.values):
            column = frame.iloc[:, j]
            if values is None:
                out[:, at] = np.asarray(column, dtype=np.float64)
                at += 1
                continue
            column = np.asarray(column, dtype=object)
            lacks = np.array([v is None or v != v for v in column], dtype=bool)
            for v in values:
                out[:, at] = [x == v for x in column]
                out[lacks, at] = np.nan
                at += 1
        if np.isinf(out).any() or (not allow_missing and np.isnan(out).any()):
            raise ValueError("Input X contains NaN or infinity; `missing` says what is to be done with NaN.")
        return out
