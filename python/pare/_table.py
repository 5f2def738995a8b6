"""The library's tables: methods, their settings, and how Python spells them."""

import ctypes
import inspect
import keyword
import math
from collections import namedtuple
from functools import lru_cache

import numpy as np

from ._declared import MethodInfo, SettingInfo
from ._lib import PareValueError, byref, c_void_p, lib, nearest

Method = namedtuple("Method", "name summary tasks problem citation counts probability offset")
Setting = namedtuple("Setting", "name type default allowed doc common")

#: What the library asks for and has no default of, and what is tried where its default has no solution.
NEEDED = {"best-subset": {"k": "1"}}
INFEASIBLE = {"fsv": {"lambda": "0.05"}}
#: Settings that an estimator says in a way of its own, or that are not for it.
_OWN = {"task", "k", "class_weight"}


@lru_cache(maxsize=None)
def methods():
    """Every method of the library.

    Returns
    -------
    tuple of Method : namedtuples (name, summary, tasks, problem, citation, counts, probability, offset); the last
        three say whether it takes counts alone, has probabilities of its own, and fits beside an offset

    Examples
    --------
    >>> import pare
    >>> [m.name for m in pare.methods() if "ranking" in m.tasks]
    ['inf-push', 'rank-svm', 'push-rfe']
    """
    out = []
    for i in range(lib.methods_count()):
        m = MethodInfo()
        lib.methods_info(byref(m), i)
        out.append(Method(m.name.decode(), m.summary.decode(), tuple(m.tasks.decode().split(", ")),
                          m.problem.decode(), m.citation.decode(), bool(m.counts), bool(m.probability),
                          bool(m.offset)))
    return tuple(out)


class Settings:
    """pare_settings of one method."""

    def __init__(self, method):
        self._p = c_void_p()
        self.method = method
        if not isinstance(method, str):
            raise PareValueError("method is %r; it must be a name such as \"auto\" or \"svm-rfe\"" % (method,))
        try:
            lib.settings_new(byref(self._p), method.encode("utf-8"), None)
        except PareValueError as error:
            raise PareValueError("%s; there are auto, %s" % (error, ", ".join(m.name for m in methods()))) from None

    @property
    def handle(self):
        return self._p

    def rows(self):
        out = []
        for i in range(lib.settings_count(self._p)):
            s = SettingInfo()
            lib.settings_info(byref(s), self._p, i)
            out.append(Setting(s.name.decode(), s.type.decode(), s.fallback.decode(), s.allowed.decode(),
                               s.doc.decode(), bool(s.common)))
        return out

    def has(self, name):
        return any(s.name == name for s in settings(self.method))

    def set(self, name, value):
        """name as Python spells it; value of any type that has the setting's text."""
        own = table_name(name)
        if not self.has(own):
            known = [python_name(s.name) for s in settings(self.method) if s.name not in _OWN]
            raise PareValueError("method \"%s\" has no setting \"%s\"; it has %s"
                                 % (self.method, name, ", ".join(known)))
        lib.settings_set(self._p, own.encode(), value_text(value).encode("utf-8"))

    def get(self, name):
        buffer = ctypes.create_string_buffer(256)
        lib.settings_get(self._p, table_name(name).encode(), buffer, 256)
        return buffer.value.decode("utf-8")

    def __del__(self):
        if getattr(self, "_p", None):
            lib.settings_free(self._p)
            self._p = None


@lru_cache(maxsize=None)
def settings(method):
    """The settings of a method, its own first.

    Parameters
    ----------
    method : str

    Returns
    -------
    tuple of Setting : namedtuples (name, type, default, allowed, doc, common)

    Examples
    --------
    >>> import pare
    >>> [s.name for s in pare.settings("lasso")][:3]
    ['lambda', 'lambda_ratio', 'alpha']
    """
    return tuple(Settings(method).rows())


def python_name(name):
    """What Python cannot spell, or an estimator has for itself, ends in an underscore: lambda_, predict_."""
    return name + "_" if keyword.iskeyword(name) or name in ("predict",) else name


def table_name(name):
    return name[:-1] if name.endswith("_") else name


def value_text(value):
    """A value as the table reads it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        return "inf" if math.isinf(value) and value > 0 else repr(float(value))
    return str(value)


@lru_cache(maxsize=None)
def names_for(tasks):
    """Python's names of the settings of all methods with one of these tasks, common ones first."""
    common, own = {}, {}
    for m in methods():
        if set(m.tasks) & set(tasks):
            for s in settings(m.name):
                if s.name not in _OWN:
                    (common if s.common else own)[python_name(s.name)] = None
    return tuple(common) + tuple(sorted(n for n in own if n not in common))


#: What every estimator takes beside its method's settings.
_EVERY = {"keep": None, "cost": None, "sign": None, "feature_groups": None, "n_jobs": None, "random_state": None, "time_limit": None,
          "memory_limit": None, "device": "cpu", "verbose": 0}


def with_settings(cls):
    """Gives the class its __init__: what may be given by position (`_first`), what it has of its own (`_own`), what every estimator takes, and
    every setting of its tasks, so that scikit-learn, help() and completion see what the table has."""
    fixed = {**cls._own, **_EVERY}
    names = [n for n in names_for(cls._tasks) if n not in fixed]
    first = tuple(cls._first)

    def __init__(self, *given, **parameters):
        if len(given) > len(first):
            raise TypeError("%s takes %s by position, the others by name" % (cls.__name__, " and ".join(first)))
        parameters.update(zip(first, given))
        _refuse_unknown(self, [n for n in parameters if n not in first and n not in fixed and n not in names])
        for name in first:
            setattr(self, name, parameters.get(name, cls._first[name]))
        for name, fallback in fixed.items():
            setattr(self, name, parameters.get(name, fallback))
        # Settings that are None are seen by get_params alone: scikit-learn's tools change attributes of well-known
        # names, such as alpha, which here belongs to some methods only.
        for name in names:
            if parameters.get(name) is not None:
                setattr(self, name, parameters[name])

    given = list(inspect.signature(__init__).parameters.values())[:1]
    given += [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=v) for n, v in cls._first.items()]
    given += [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=v)
              for n, v in {**fixed, **dict.fromkeys(names)}.items()]
    __init__.__signature__ = inspect.Signature(given)
    __init__.__qualname__ = cls.__qualname__ + ".__init__"
    cls.__init__ = __init__
    cls._setting_names = tuple(names)
    return cls


def _refuse_unknown(estimator, wrong):
    if not wrong:
        return
    known = estimator._get_param_names()
    near = nearest(wrong[0], map(table_name, known))
    raise TypeError("%s has no parameter '%s'%s" % (
        type(estimator).__name__, wrong[0],
        "; did you mean '%s'?" % python_name(near) if near else ": it has " + ", ".join(known)))
