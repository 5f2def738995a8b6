"""The shared library: where it is, its structs and functions, its errors.

What mirrors include/pare is in _declared.py; the rest of the package calls nothing else of ctypes.
"""

import ctypes
import ctypes.util
import os
import sys
from ctypes import byref, c_char_p, c_double, c_int, c_int8, c_int64, c_void_p

from ._declared import FUNCTIONS, STATUS, Error, Names

#: Versions of the library that this package was made for: before 1.0 a minor version may break its callers.
ABI = "0.2"


class PareError(Exception):
    """A call of the library that failed; the message is one sentence that says why.

    Attributes
    ----------
    setting : str or None
        The parameter at fault, where it is one.
    row, column : int
        Of the input, from 1; 0 where the error has no such place.
    """

    setting = None
    row = column = 0


class PareValueError(PareError, ValueError):
    """A setting, an argument or data that the request cannot be met on."""


class PareInfeasibleError(PareValueError):
    """No solution exists: hard margins on inseparable data."""


class PareMemoryError(PareError, MemoryError):
    """The memory, or the limit that was set, does not suffice."""


class PareFileError(PareError, OSError):
    """A file that cannot be opened, read or written."""


class PareInternalError(PareError, RuntimeError):
    """A fault of the library: please report it."""


class PareDeviceError(PareError, RuntimeError):
    """No driver or GPU where ``device="cuda"`` asks for one, or it failed."""


class PareCancelled(PareError):
    """Stopped before anything was usable."""


class PareWarning(UserWarning):
    """What the library wants its user to read, such as a feature that gives the target away."""


_ERRORS = {"PARE_E_ARGUMENT": PareValueError, "PARE_E_IO": PareFileError, "PARE_E_FORMAT": PareValueError,
           "PARE_E_DATA": PareValueError, "PARE_E_INFEASIBLE": PareInfeasibleError, "PARE_E_MEMORY": PareMemoryError,
           "PARE_E_CANCELLED": PareCancelled, "PARE_E_DEVICE": PareDeviceError}


def _candidates():
    """Places to look, the most particular first: PARE_LIBRARY, beside this package, the system's."""
    named = os.environ.get("PARE_LIBRARY")
    if named:
        return [named]
    if sys.platform == "darwin":
        files = ["libpare.%s.dylib" % ABI, "libpare.dylib"]
    else:
        files = ["libpare.so.%s" % ABI, "libpare.so"]
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")
    bundled = [os.path.join(here, f) for f in files if os.path.exists(os.path.join(here, f))]
    found = ctypes.util.find_library("pare")
    return bundled or [files[0]] + ([found] if found else [])


def _open():
    wrong = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path), path
        except OSError as error:
            wrong.append(str(error))
    raise ImportError(
        "pare's shared library was not found (%s): install the package with `pip install ./python` from pare's "
        "sources, which builds and bundles it, or `cmake --install` the library, or name the file in the "
        "environment variable PARE_LIBRARY" % "; ".join(wrong))


def _bind(dll, path):
    class Functions:
        pass

    found = Functions()
    try:
        for name, (result, arguments) in FUNCTIONS.items():
            f = getattr(dll, name)
            f.restype, f.argtypes = c_int if result == "status" else result, arguments
            setattr(found, name[len("pare_"):], _checked(f) if result == "status" else f)
    except AttributeError as error:
        raise ImportError("%s is another version of pare's library than this package was made for, %s: %s; "
                          "install both from the same sources" % (path, ABI, error)) from None
    version = found.version().decode()
    if not version.startswith(ABI + "."):
        raise ImportError("%s is version %s of pare's library and this package was made for %s; install both "
                          "from the same sources" % (path, version, ABI))
    return found


#: What the library calls a setting or an option, and this package another name.
_NAMES = {"lambda": "lambda_", "predict": "predict_", "folds": "cv", "fold_groups": "groups",
          "weights": "sample_weight", "null": "null_runs", "seed": "random_state", "memory": "memory_limit"}


def strings(texts):
    """An array of C strings; keep it while the library may read it."""
    return (c_char_p * len(texts))(*[t if isinstance(t, bytes) or t is None else t.encode("utf-8") for t in texts])


_RENAMED = strings([word for name, own in _NAMES.items() for word in (name, own)] + [None])
_WRITTEN = Names(b"`", b"`", b"=", b"\0", _RENAMED)


def sentence(text):
    """A sentence of the library, bytes, with the names that Python has for settings."""
    out = ctypes.create_string_buffer(4096)
    lib.sentence(out, len(out), text, byref(_WRITTEN))
    return out.value.decode("utf-8", "replace")


def nearest(word, names):
    """The one of the names that was meant by a word which is none of them, or None."""
    names = list(names)
    at = lib.nearest(word.encode("utf-8"), strings(names), len(names))
    return names[at] if at >= 0 else None


def hint(word, names):
    """"; did you mean ...?", or nothing."""
    near = nearest(word, names)
    return "" if near is None else "; did you mean \"%s\"?" % near


def raise_error(error):
    """The exception that an Error stands for."""
    kind = _ERRORS.get(STATUS.get(error.code), PareInternalError)
    raised = kind(sentence(error.message))
    raised.row, raised.column = error.row, error.column
    name = error.setting.decode()
    raised.setting = _NAMES.get(name, name) or None
    raise raised


def _checked(function):
    def call(*arguments):
        error = Error()
        if function(*arguments, byref(error)):
            raise_error(error)

    return call


_dll, library_path = _open()
lib = _bind(_dll, library_path)
version = lib.version().decode()
blas_kernel = lib.blas_kernel().decode()


def take_text(pointer):
    """The text behind a char ** of the library, which is freed."""
    try:
        return ctypes.string_at(pointer).decode("utf-8")
    finally:
        lib.text_free(pointer, None)
