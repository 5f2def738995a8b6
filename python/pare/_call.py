"""What a call takes from its surroundings: threads, seed, limits, progress, Ctrl-C."""

import ctypes
import logging
import multiprocessing
import numbers
import os
import signal
import sys
import threading
import warnings

import numpy as np

from ._declared import Ctx
from ._lib import PareValueError, PareWarning, lib, sentence

logger = logging.getLogger("pare")
_UNITS = {"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}


def in_worker():
    """Whether this code runs inside a worker of joblib or of multiprocessing."""
    if multiprocessing.parent_process() is not None:
        return True
    try:
        from joblib.parallel import get_active_backend
        return bool(getattr(get_active_backend()[0], "nesting_level", 0))
    except Exception:  # no joblib, or another than we know
        return False


def n_threads(n_jobs):
    """The library's number of threads for scikit-learn's n_jobs; 0: as many as OpenMP would use."""
    if n_jobs is None:
        return 1 if in_worker() else 0
    if not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise PareValueError("n_jobs is %r; allowed are None, a positive count, or -1 for all processors" % (n_jobs,))
    if n_jobs > 0:
        return int(n_jobs)
    return max(1, (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
               + 1 + int(n_jobs))


def seed_of(random_state):
    """The seed of the library: its default, 1, for None."""
    if random_state is None:
        return 1
    if isinstance(random_state, numbers.Integral):
        if not 0 <= random_state < 2**64:
            raise PareValueError("random_state is %d; allowed are 0 to 2^64 - 1" % random_state)
        return int(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(0, 2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(0, 2**31 - 1))
    raise PareValueError("random_state is %r; allowed are None, an integer or a numpy random generator"
                         % (random_state,))


def bytes_of(limit):
    """A memory limit, bytes or text such as "2G", as bytes; 0: none."""
    if limit is None:
        return 0
    text = str(limit).strip().lower().rstrip("b")
    unit = text[-1:] if text[-1:].isalpha() else ""
    try:
        count = float(text[:len(text) - len(unit)]) * _UNITS[unit]
    except (KeyError, ValueError):
        raise PareValueError("memory_limit is %r; allowed are bytes or text such as \"2G\"" % (limit,)) from None
    if not 0 < count < 2**62:
        raise PareValueError("memory_limit is %r; it must be positive" % (limit,))
    return int(count)


def _outside():
    """How many frames up from the caller the first is that is not of this package."""
    here, level, frame = os.path.dirname(__file__), 1, sys._getframe(1)
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == here:
        frame, level = frame.f_back, level + 1
    return level


_DEVICES = {"cpu": 0, "cuda": 1}  # a pare_device


class Call:
    """A context for one call, and Ctrl-C while it runs.

    Python runs its signal handlers between its own instructions, so that nothing would happen during a
    long fit, and an exception inside a callback would be lost. While the call runs in the main thread
    a handler only takes a note, which the library's next question (its progress callback) answers.
    """

    def __init__(self, n_jobs=None, random_state=None, time_limit=None, memory_limit=None, verbose=0,
                 progress=None, device="cpu"):
        self.interrupted = False
        self._progress = progress
        self._verbose = verbose
        self._said = []
        self.ctx = Ctx()
        lib.ctx_init_sized(ctypes.byref(self.ctx), ctypes.sizeof(Ctx))
        self.ctx.threads = n_threads(n_jobs)
        self.ctx.seed = seed_of(random_state)
        self.ctx.memory_bytes = bytes_of(memory_limit)
        if device not in _DEVICES:
            raise PareValueError("device is %r; expected \"cpu\" or \"cuda\"" % (device,))
        self.ctx.device = _DEVICES[device]
        if time_limit is not None:
            if not isinstance(time_limit, numbers.Real) or not time_limit > 0:
                raise PareValueError("time_limit is %r; it must be a positive number of seconds" % (time_limit,))
            self.ctx.time_limit_s = float(time_limit)
        # Bound to this object, which outlives the call: ctypes does not keep callbacks alive.
        self.ctx.progress = self._asked = type(self.ctx.progress)(self._ask)
        self.ctx.log = self._log = type(self.ctx.log)(self._hear)
        self.ref = ctypes.byref(self.ctx)

    def _ask(self, user, stage, fraction):
        try:
            if self._progress is not None:
                self._progress(stage.decode("utf-8", "replace") if stage else "", fraction)
        except BaseException as error:  # must not leave through C
            self._said.append(error)
            return 1
        return 1 if self.interrupted else 0

    def _hear(self, user, level, message):
        try:
            text = sentence(message)
            if level <= 1:  # at once: it may be about how long this will take
                warnings.warn(text[9:] if text.startswith("warning: ") else text, PareWarning, stacklevel=_outside())
            else:
                logger.log(logging.INFO if level == 2 else logging.DEBUG, "%s", text)
                if self._verbose >= level - 1 and self._verbose > 0:
                    print(text)
        except BaseException as error:
            self._said.append(error)

    def _interrupt(self, number, frame):
        self.interrupted = True

    def __enter__(self):
        self._before = None
        if threading.current_thread() is threading.main_thread():
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                self._before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, kind, error, trace):
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
        return False

    def finish(self):
        """Raises what a callback raised."""
        said, self._said = self._said, []
        for one in said:
            raise one
