"""Categories of a data frame as groups of 0/1 columns, named col=value as the command line names them."""

import warnings

import numpy as np

from ._data import label_text
from ._lib import PareValueError, PareWarning


def has_categories(X):
    """Whether X is a data frame with columns of pandas' dtype category."""
    types = getattr(X, "dtypes", None)
    return hasattr(X, "columns") and hasattr(types, "items") and any(_is_category(t) for t in types)


def text_columns(X):
    """Names of a frame's columns that are neither numbers nor categories."""
    types = getattr(X, "dtypes", None)
    if not hasattr(X, "columns") or not hasattr(types, "items"):
        return []
    return [name for name, t in types.items() if not _is_category(t) and getattr(t, "kind", "O") not in "biufc"]


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
        """The frame's columns, by name, as float64 in Fortran order; a value not seen in training is all zeros, and is
        warned of."""
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
            column, lacks = _objects(column)
            known = lacks.copy()
            for v in values:
                here = np.array([x == v for x in column], dtype=bool)
                out[:, at] = np.where(lacks, np.nan, here)
                known |= here
                at += 1
            if not known.all():
                warnings.warn("the column \"%s\" has the value \"%s\", which the training data did not have: it counts "
                              "as none of those" % (self.columns[j], label_text(column[~known][0])), PareWarning,
                              stacklevel=6)
        if np.isinf(out).any():
            raise ValueError("Input X contains infinity.")
        if not allow_missing and np.isnan(out).any():
            raise ValueError("Input X contains NaN")
        return out


def _objects(column):
    """Values of a column of categories or text, and which of them are missing."""
    column = np.asarray(column, dtype=object)
    return column, np.array([v is None or v != v for v in column], dtype=bool)


def coded_column(frame, name):
    """The feature `column=value` of a frame that has the column, of text or categories: 1 where it has the value.
    None: it has no such column."""
    at = name.find("=")
    while at >= 0:
        if name[:at] in frame.columns and getattr(frame.dtypes[name[:at]], "kind", "O") not in "biufc":
            column, lacks = _objects(frame[name[:at]])
            return np.where(lacks, np.nan, [label_text(v) == name[at + 1:] for v in column])
        at = name.find("=", at + 1)
    return None
