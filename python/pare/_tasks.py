"""What tasks there are. Nobody else compares their names: others ask the functions here."""

import numpy as np

from ._table import methods

#: Values of the setting `task`.
CLASSIFY, RANK, REGRESS, SURVIVE, NONE = "classify", "rank", "regress", "survival", "none"

# Tasks of the methods' table.
CLASSES = ("binary", "multiclass")
RANKING = ("ranking",)
REGRESSION = ("regression",)
SURVIVAL = ("survival",)
WITH_TARGET = CLASSES + RANKING + REGRESSION

_MAX_INTEGER_CLASSES = 20


def tasks_of(method):
    """What a method does; `auto` does everything, and so, until the library says no, does an unknown one."""
    for m in methods():
        if m.name == method:
            return m.tasks
    return WITH_TARGET


def predicts_class(task):
    """Whether models of a task predict one of their classes."""
    return task in CLASSES


def predicts_time(task):
    """Whether models of a task say when an event comes."""
    return task in SURVIVAL


def may_lack_target(method, task):
    """Whether a method selects without a target, with this value of the setting `task`."""
    return NONE in tasks_of(method) and task in ("auto", NONE)


def takes_many_classes(method):
    return CLASSES[-1] in tasks_of(method)


def takes_two_labels_alone(method):
    """Whether the target cannot be anything but two labels."""
    return not set(tasks_of(method)) & {CLASSES[-1], *REGRESSION}


def settings_of(method):
    """The values of the setting `task` that a method with a target takes."""
    tasks = set(tasks_of(method))
    return {word for word, of in ((CLASSIFY, CLASSES), (REGRESS, REGRESSION), (RANK, RANKING)) if tasks & set(of)}


def usual_task(allowed, y):
    """The value of the setting `task` where it is "auto": the only one allowed, else classes where y is not numbers or
    few different integers."""
    if len(allowed) == 1:
        return next(iter(allowed))
    few = y.dtype.kind not in "iuf" or (np.all(y == np.floor(y)) and len(np.unique(y)) <= _MAX_INTEGER_CLASSES)
    return CLASSIFY if CLASSIFY in allowed and (few or REGRESS not in allowed) else REGRESS


def is_time(task, y):
    """Whether the target is times to an event: the value `task` of the setting says so, or y has events and times."""
    return task == SURVIVE or (task == "auto" and (bool(y.dtype.names) or (y.ndim == 2 and y.shape[1] == 2)))


def is_number(task):
    """Whether the target is numbers, of a value of the setting `task`."""
    return task == REGRESS


def lacks_target(task):
    return task == NONE
