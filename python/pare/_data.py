"""A data set of the library around the caller's arrays, without copying them where that can be."""

import ctypes
import re

import numpy as np
from scipy import sparse

from ._lib import PareValueError, byref, c_void_p, hint, lib, strings


def canonical_csc(x):
    """x as CSC of float64 with ascending, unique rows; x itself where it is that already."""
    x = x.tocsc()
    if x.dtype != np.float64:
        x = x.astype(np.float64)
    if not x.has_canonical_format:
        x = x.copy()
        x.sum_duplicates()
    return x


def columns_together(x):
    """x, or where its columns do not lie together a copy in Fortran order."""
    n, d = x.shape
    item = x.itemsize
    fine = x.flags.aligned and x.dtype.isnative and (n == 1 or x.strides[0] == item) and x.strides[1] % item == 0
    return x if fine else np.asfortranarray(x)


class Data:
    """pare_data over numpy or scipy storage, which is borrowed and kept alive by this object.

    Parameters
    ----------
    x : ndarray of float64 or float32 with 2 dimensions, or CSC matrix of float64
    names, groups : sequences of str with an entry for each column, or None
    """

    def __init__(self, x, names=None, groups=None):
        self._x = x
        self._p = c_void_p()
        n, d = x.shape
        out = byref(self._p)
        if sparse.issparse(x):
            bits = 8 * x.indptr.itemsize, 8 * x.indices.itemsize
            lib.data_borrow_sparse(out, n, d, x.indptr.ctypes.data, bits[0], x.indices.ctypes.data, bits[1],
                                   x.data.ctypes.data, None, None, None)
        else:
            item = x.itemsize
            borrow = lib.data_borrow_float if x.dtype == np.float32 else lib.data_borrow_dense
            borrow(out, n, d, x.ctypes.data, x.strides[0] // item, x.strides[1] // item, None, None, None)
        try:
            if names is not None:
                lib.data_set_names(self._p, strings(names))
            if groups is not None:
                lib.data_set_groups(self._p, strings(groups))
        except BaseException:
            self.close()
            raise

    @property
    def handle(self):
        return self._p

    def set_codes(self, codes, labels):
        codes = np.ascontiguousarray(codes, dtype=np.int32)
        lib.data_set_codes(self._p, codes.ctypes.data, strings(labels), len(labels))

    def set_values(self, y):
        y = np.ascontiguousarray(y, dtype=np.float64)
        lib.data_set_values(self._p, y.ctypes.data)

    def set_time_event(self, time, event):
        time, event = np.ascontiguousarray(time, dtype=np.float64), np.ascontiguousarray(event, dtype=np.bool_)
        lib.data_set_time_event(self._p, time.ctypes.data, event.ctypes.data)

    def set_strata(self, strata):
        if strata is None:
            return
        if len(strata) != self._x.shape[0]:
            raise PareValueError("strata has %d entries, X has %d samples" % (len(strata), self._x.shape[0]))
        lib.data_set_strata(self._p, strings([label_text(s) for s in strata]))

    def set_weights(self, w):
        if w is not None:
            w = np.ascontiguousarray(w, dtype=np.float64)
            lib.data_set_weights(self._p, w.ctypes.data)

    def set_offset(self, offset):
        if offset is None:
            return
        offset = np.ascontiguousarray(offset, dtype=np.float64)
        if offset.shape != self._x.shape[:1]:
            raise PareValueError("offset has shape %s, X has %d samples" % (offset.shape, self._x.shape[0]))
        lib.data_set_offset(self._p, offset.ctypes.data)

    def set_terms(self, kept=None, cost=None, sign=None):
        """Bools of the features that are always selected, and the costs and signs of all."""
        if kept is not None:
            kept = np.ascontiguousarray(kept, dtype=np.bool_)
            lib.data_set_kept(self._p, kept.ctypes.data)
        if cost is not None:
            cost = np.ascontiguousarray(cost, dtype=np.float64)
            lib.data_set_costs(self._p, cost.ctypes.data)
        if sign is not None:
            sign = np.ascontiguousarray(sign, dtype=np.int8)
            lib.data_set_signs(self._p, sign.ctypes.data)

    def set_fold_groups(self, groups):
        lib.data_set_fold_groups(self._p, strings(groups))

    def set_folds(self, folds):
        lib.data_set_folds(self._p, strings(folds))

    def checksum(self):
        """SHA-256 of the values of X, target and weights, as in the model file."""
        hex = ctypes.create_string_buffer(65)
        lib.data_checksum(hex, self._p, None)
        return hex.value.decode()

    def close(self):
        if self._p:
            lib.data_free(self._p)
            self._p = c_void_p()
        self._x = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def __del__(self):
        if getattr(self, "_p", None):
            self.close()


def _columns_of(wanted, names, what):
    """Numbers of the features of those names."""
    at = {} if names is None else {str(name): j for j, name in enumerate(names)}
    lacking = [name for name in wanted if str(name) not in at]
    if lacking:
        raise PareValueError("%s: X has no feature \"%s\"%s" % (what, lacking[0], hint(str(lacking[0]), at)))
    return np.array([at[str(name)] for name in wanted], dtype=np.int64)


def kept_features(keep, names, d):
    """d bools from names, numbers or bools; None: none are kept."""
    if keep is None:
        return None
    keep = np.atleast_1d(np.asarray(keep))
    out = np.zeros(d, dtype=bool)
    if keep.dtype == bool:
        if keep.shape != (d,):
            raise PareValueError("keep has shape %s, X has %d features" % (keep.shape, d))
        return keep
    if keep.size and np.issubdtype(keep.dtype, np.integer):
        if keep.min() < -d or keep.max() >= d:
            raise PareValueError("keep: there is no feature %d, X has %d" % (
                keep.max() if keep.max() >= d else keep.min(), d))
        out[keep] = True
    elif keep.size:
        out[_columns_of(list(keep), names, "keep")] = True
    return out


def costs_of_features(cost, names, d):
    """d numbers from as many, or from a dict by name; None: 1 each."""
    if cost is None:
        return None
    out = np.ones(d)
    if hasattr(cost, "items"):
        out[_columns_of(list(cost), names, "cost")] = list(cost.values())
        return out
    cost = np.asarray(cost, dtype=np.float64)
    if cost.shape != (d,):
        raise PareValueError("cost has shape %s, X has %d features" % (cost.shape, d))
    return cost


def signs_of_features(sign, names, d):
    """d numbers 1, -1 or 0 from one sign, as many, or a dict by name (others are 0); None: none has one."""
    if sign is None:
        return None
    if isinstance(sign, (str, int, np.integer)):
        return np.full(d, _sign_of(sign), dtype=np.int8)
    out = np.zeros(d, dtype=np.int8)
    if hasattr(sign, "items"):
        out[_columns_of(list(sign), names, "sign")] = [_sign_of(v) for v in sign.values()]
        return out
    if np.shape(sign) != (d,):
        raise PareValueError("sign has shape %s, X has %d features" % (np.shape(sign), d))
    out[:] = [_sign_of(v) for v in sign]
    return out


def _sign_of(value):
    known = {"+": 1, "-": -1, "": 0, 1: 1, -1: -1, 0: 0}
    if isinstance(value, (bool, np.bool_)) or value not in known:
        raise PareValueError("sign is %r; it must be \"+\" or \"-\", one for all features or a dict by name" % (value,))
    return known[value]


def groups_of_features(groups, names, d):
    """d texts from as many labels, or from a dict by name (others are a group for themselves); None: no groups."""
    if groups is None:
        return None
    if hasattr(groups, "items"):
        at = dict(zip(_columns_of(list(groups), names, "feature_groups"), groups.values()))
        return ["g:%s" % label_text(at[j]) if j in at else "alone:%d" % j for j in range(d)]
    groups = np.asarray(groups)
    if groups.shape != (d,):
        raise PareValueError("feature_groups has shape %s, X has %d features" % (groups.shape, d))
    return [label_text(g) for g in groups]


def label_text(value):
    """A class label as the command line would read it from a file that pandas wrote."""
    if isinstance(value, bytes):
        return value.decode("utf-8")
    if isinstance(value, (np.floating, float)):
        return repr(float(value))
    return str(value)


def label_texts(classes):
    """Texts of different labels, refused where they would be one in a file: labels that are all numbers are
    compared as numbers there."""
    texts = [label_text(c) for c in classes]
    seen = {}
    for t, key in zip(texts, label_keys(texts)):
        if key in seen:
            raise PareValueError("the labels \"%s\" and \"%s\" are the same %s, which makes them one class"
                                 % (seen[key], t, "text" if isinstance(key, str) else "number"))
        seen[key] = t
    return texts


def label_values(texts):
    """Labels of a model file as pandas reads them: whole numbers, numbers, truth values, else text."""
    if texts and all(re.fullmatch("[+-]?[0-9]+", t) for t in texts):
        return np.array([int(t) for t in texts])
    numbers = _as_numbers(texts) if texts else None
    if numbers is not None:
        return np.array(numbers)
    if set(texts) == {"False", "True"}:
        return np.array([t == "True" for t in texts])
    return np.array(texts, dtype=object)


def label_keys(texts):
    """What tells labels apart: numbers where all are."""
    return _as_numbers(texts) or texts


def _as_numbers(texts):
    try:
        return [float(t) for t in texts]
    except ValueError:
        return None
