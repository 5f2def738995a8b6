"""Between labels, numbers and names as scikit-learn has them and as the library does."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._lib import PareValueError


def class_weights(class_weight, classes, codes, w):
    """The weight of each sample by that of its class."""
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError("class_weight is %r; allowed are None, \"balanced\" or a dict" % (class_weight,))
        total = np.bincount(codes, weights=w, minlength=len(classes))
        there = total > 0
        factor = np.zeros(len(classes))
        factor[there] = total.sum() / (there.sum() * total[there])
    elif hasattr(class_weight, "get"):
        unknown = [c for c in class_weight if c not in set(classes.tolist())]
        if unknown:
            raise ValueError("class_weight names %r, which is not among the classes" % (unknown[0],))
        factor = np.array([class_weight.get(c, 1) for c in classes.tolist()], dtype=float)
    else:
        raise ValueError("class_weight is %r; allowed are None, \"balanced\" or a dict" % (class_weight,))
    return factor[codes]


def by_class(rows, place, pairs=None):
    """What a model has for each output (or for each of `pairs` of classes), in the order of classes of which the i-th is
    the model's place[i]-th."""
    c = len(place)
    if np.array_equal(place, np.arange(c)):
        return rows
    if len(rows) == 1:
        return -rows
    if pairs is None:
        return rows[place]
    own = [(place[i], place[j]) for i in range(c) for j in range(i + 1, c)]
    return np.stack([rows[pairs.index(p)] if p in pairs else -rows[pairs.index(p[::-1])] for p in own])


def numbers_of(y):
    try:
        return y.astype(np.float64)
    except (TypeError, ValueError):
        raise PareValueError("regression needs numbers as y, found %s" % y.dtype) from None


def names_out(estimator, input_features):
    check_is_fitted(estimator)
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        names = np.array(["x%d" % i for i in range(estimator.n_features_in_)], dtype=object) \
            if input_features is None else np.asarray(input_features, dtype=object)
    elif input_features is not None and list(input_features) != list(names):
        raise ValueError("input_features is not equal to feature_names_in_")
    if len(names) != estimator.n_features_in_:
        raise ValueError("input_features should have length equal to number of features (%d), got %d"
                         % (estimator.n_features_in_, len(names)))
    return names[estimator.support_]


def times_and_events(y, n):
    """Times and events of a structured array (event of bool, time of float) or of two columns event, time."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None: events and times")
    if getattr(y, "dtype", None) is not None and y.dtype.names:
        names = y.dtype.names
        events = [c for c in names if y.dtype[c] == np.bool_]
        times = [c for c in names if c not in events]
        if len(names) != 2 or len(events) != 1:
            raise PareValueError("y has the fields %s; expected one of bool, the event, and one of numbers, the time"
                                 % ", ".join(names))
        event, time = y[events[0]], y[times[0]]
    else:
        both = np.asarray(y)
        if both.ndim != 2 or both.shape[1] != 2:
            raise PareValueError("y has shape %s; expected two columns, event and time, or a structured array of both"
                                 % (both.shape,))
        event, time = both[:, 0], both[:, 1]
        if not np.isin(event.astype(np.float64), (0, 1)).all():
            raise PareValueError("the first column of y is the event: 0 or 1, or bool")
    if len(time) != n:
        raise ValueError("inconsistent numbers of samples: X has %d, y has %d" % (n, len(time)))
    return np.asarray(time, dtype=np.float64), np.asarray(event).astype(np.float64) == 1
