"""The shared library: where it is, its structs and functions, its errors.

Everything here mirrors include/pare; the rest of the package calls nothing else of ctypes.
"""

import ctypes
import ctypes.util
import os
import re
import sys
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char, c_char_p, c_double, c_int,
                    c_int8, c_int32, c_int64, c_size_t, c_uint64, c_void_p)

#: Versions of the library that this package was made for: before 1.0 a minor version may break its callers.
ABI = "0.2"


class PareError(Exception):
    """A call of the library that failed; the message is one sentence that says why."""


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


class PareCancelled(PareError):
    """Stopped before anything was usable."""


class PareWarning(UserWarning):
    """What the library wants its user to read, such as a feature that gives the target away."""


# pare_status: E_ARGUMENT 1, E_IO 2, E_FORMAT 3, E_DATA 4, E_INFEASIBLE 5, E_MEMORY 6, E_CANCELLED 7
_ERRORS = {1: PareValueError, 2: PareFileError, 3: PareValueError, 4: PareValueError,
           5: PareInfeasibleError, 6: PareMemoryError, 7: PareCancelled}

LogFunction = CFUNCTYPE(None, c_void_p, c_int, c_char_p)
ProgressFunction = CFUNCTYPE(c_int, c_void_p, c_char_p, c_double)


class Error(Structure):
    _fields_ = [("code", c_int), ("row", c_int64), ("column", c_int64), ("byte", c_int64),
                ("message", c_char * 1024)]


class Context(Structure):
    _fields_ = [("struct_size", c_size_t),
                ("alloc", c_void_p), ("resize", c_void_p), ("release", c_void_p), ("memory_user", c_void_p),
                ("threads", c_int32), ("timing", c_int32), ("seed", c_uint64),
                ("time_limit_s", c_double), ("memory_bytes", c_int64),
                ("log", LogFunction), ("progress", ProgressFunction), ("user", c_void_p)]


class PathOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("folds", c_int64), ("repeats", c_int64), ("splits", c_int64),
                ("train", c_double), ("grouped", c_bool), ("fold_file", c_char_p),
                ("fold_of", POINTER(c_int32)), ("sizes", c_char_p), ("metric", c_char_p),
                ("choice", c_char_p), ("tolerance", c_double), ("inner", c_int64), ("tune", c_bool),
                ("grid", c_char_p), ("weights", c_bool), ("null_runs", c_int64),
                ("substitutes", c_int64), ("checkpoint", c_char_p), ("predictions", c_bool),
                ("n_parts", c_int64), ("part_of", POINTER(c_int8)),
                ("shard", c_int64), ("n_shards", c_int64), ("command", c_char_p),
                ("merge", POINTER(c_char_p)), ("n_merge", c_int64), ("error_control", c_char_p),
                ("error_bound", c_char_p), ("error_pairs", c_int64), ("error_permutations", c_int64),
                ("budgets", c_char_p)]


class MethodInfo(Structure):
    _fields_ = [("name", c_char_p), ("summary", c_char_p), ("tasks", c_char_p), ("problem", c_char_p),
                ("citation", c_char_p), ("weighs", c_bool), ("counts", c_bool), ("probability", c_bool),
                ("offset", c_bool)]


class SettingInfo(Structure):
    _fields_ = [("name", c_char_p), ("type", c_char_p), ("fallback", c_char * 32),
                ("allowed", c_char * 160), ("doc", c_char_p), ("common", c_bool)]


class Certificate(Structure):
    _fields_ = [("kind", c_int), ("value", c_double), ("relative", c_double)]


class Report(Structure):
    _fields_ = [("objective", c_double), ("outcome", c_int), ("certificate", Certificate)]


class Verdict(Structure):
    _fields_ = [("holds", c_bool), ("finished", c_bool), ("has_selection", c_bool),
                ("predictor", Report), ("selection", Report), ("sentence", c_char * 256)]


class LambdaPoint(Structure):
    _fields_ = [("lambda_", c_double), ("objective", c_double), ("loss", c_double),
                ("penalty", c_double), ("gap", c_double), ("n_features", c_int64),
                ("deviance", c_double), ("df", c_int64)]


class LambdaPath(Structure):
    _fields_ = [("count", c_int64), ("point", POINTER(LambdaPoint)), ("n_outputs", c_int64),
                ("intercept", POINTER(c_double)), ("start", POINTER(c_int64)),
                ("index", POINTER(c_int64)), ("coef", POINTER(c_double))]


_P = c_void_p
_S = c_char_p
_I = c_int64
_OUT = POINTER(c_void_p)

# Functions that can fail: their arguments before ctx and err, which the binding adds; NO_CTX ones
# have err alone.
_STATUS = {
    "data_borrow_dense": [_OUT, _I, _I, _P, _I, _I, _P, _P],
    "data_borrow_float": [_OUT, _I, _I, _P, _I, _I, _P, _P],
    "data_borrow_sparse": [_OUT, _I, _I, _P, c_int, _P, c_int, _P, _P, _P],
    "data_checksum": [_P, _P],
    "data_drop_missing": [_P, POINTER(c_int64)],
    "settings_new": [_OUT, _S],
    "fit": [_OUT, _P, _P],
    "predict": [_P, _P, _P],
    "predict_probability": [_P, _P, _P],
    "score_text": [POINTER(c_void_p), _P, _P, c_bool],
    "verify": [POINTER(Verdict), _P, _P],
    "model_save": [_P, _S],
    "model_text": [POINTER(c_void_p), _P],
    "model_parse": [_OUT, _S, c_size_t],
    "model_load": [_OUT, _S],
    "path_run": [_OUT, _P, _P, _I, POINTER(PathOptions)],
    "path_json": [POINTER(c_void_p), _P],
    "path_tsv": [POINTER(c_void_p), _P],
    "path_html": [POINTER(c_void_p), _P, _S],
    "path_predictions": [POINTER(c_void_p), _P, _P],
}
_STATUS_NO_CTX = {
    "data_set_codes": [_P, _P, _P, _I],
    "data_set_values": [_P, _P],
    "data_set_weights": [_P, _P],
    "data_set_offset": [_P, _P],
    "data_set_ids": [_P, _P],
    "data_set_fold_groups": [_P, _P],
    "data_set_names": [_P, _P],
    "data_set_groups": [_P, _P],
    "data_set_costs": [_P, _P],
    "data_set_kept": [_P, _P],
    "settings_set": [_P, _S, _S],
    "settings_get": [_P, _S, _P, _I],
    "model_setting": [_P, _S, _P, _I],
}
_PLAIN = {
    "version": (_S, []),
    "ctx_init_sized": (None, [POINTER(Context), c_size_t]),
    "path_options_init_sized": (None, [POINTER(PathOptions), c_size_t]),
    "text_free": (None, [_P, POINTER(Context)]),
    "data_free": (None, [_P]),
    "settings_free": (None, [_P]),
    "settings_count": (_I, [_P]),
    "settings_info": (c_bool, [POINTER(SettingInfo), _P, _I]),
    "methods_count": (_I, []),
    "methods_info": (c_bool, [POINTER(MethodInfo), _I]),
    "outcome_name": (_S, [c_int]),
    "cert_name": (_S, [c_int]),
    "model_free": (None, [_P]),
    "model_report": (None, [POINTER(Report), _P]),
    "model_selection": (c_bool, [POINTER(Report), _P]),
    "model_method": (_S, [_P]),
    "model_task": (_S, [_P]),
    "model_n_samples": (_I, [_P]),
    "model_n_features": (_I, [_P]),
    "model_imputes": (c_bool, [_P]),
    "model_has_probability": (c_bool, [_P]),
    "model_n_outputs": (_I, [_P]),
    "model_n_scores": (_I, [_P]),
    "model_pair": (c_bool, [_P, _I, POINTER(c_int64), POINTER(c_int64)]),
    "model_iterations": (_I, [_P]),
    "model_name": (_S, [_P, _I]),
    "model_selected": (_I, [_P, POINTER(POINTER(c_int64)), POINTER(POINTER(c_double))]),
    "model_coefs": (POINTER(c_double), [_P, POINTER(POINTER(c_double))]),
    "model_n_classes": (_I, [_P]),
    "model_class": (_S, [_P, _I]),
    "model_decide": (_I, [_P, _P, _I]),
    "model_n_needed": (_I, [_P]),
    "model_needed_index": (_I, [_P, _I]),
    "model_needed_name": (_S, [_P, _I]),
    "model_n_ranked": (_I, [_P]),
    "model_ranking": (POINTER(c_int64), [_P, POINTER(POINTER(c_double))]),
    "model_ranking_name": (_S, [_P, _I]),
    "model_ranking_p": (c_bool, [_P, POINTER(POINTER(c_double)), POINTER(POINTER(c_double))]),
    "model_weights": (_I, [_P, POINTER(POINTER(c_int64)), POINTER(POINTER(c_double))]),
    "model_lambda_path": (_I, [POINTER(LambdaPath), _P]),
    "model_n_notes": (_I, [_P]),
    "model_note": (_S, [_P, _I]),
    "path_free": (None, [_P]),
    "path_complete": (c_bool, [_P]),
}


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
        for name, arguments in _STATUS.items():
            f = getattr(dll, "pare_" + name)
            f.restype, f.argtypes = c_int, arguments + [POINTER(Context), POINTER(Error)]
            setattr(found, name, _checked(f))
        for name, arguments in _STATUS_NO_CTX.items():
            f = getattr(dll, "pare_" + name)
            f.restype, f.argtypes = c_int, arguments + [POINTER(Error)]
            setattr(found, name, _checked(f))
        for name, (result, arguments) in _PLAIN.items():
            f = getattr(dll, "pare_" + name)
            f.restype, f.argtypes = result, arguments
            setattr(found, name, f)
    except AttributeError as error:
        raise ImportError("%s is another version of pare's library than this package was made for, %s: %s; "
                          "install both from the same sources" % (path, ABI, error)) from None
    version = found.version().decode()
    if not version.startswith(ABI + "."):
        raise ImportError("%s is version %s of pare's library and this package was made for %s; install both "
                          "from the same sources" % (path, version, ABI))
    return found


#: What the library's sentences call a setting or an option, and this package another name.
_NAMES = {"lambda": "lambda_", "predict": "predict_", "folds": "cv", "fold_groups": "groups",
          "weights": "sample_weight", "null": "null_runs", "seed": "random_state", "memory": "memory_limit"}


def sentence(text):
    """A sentence of the library with the names that Python has for settings, which stand in backquotes."""
    return re.sub("`([a-z_]+)`", lambda m: "`%s`" % _NAMES.get(m.group(1), m.group(1)), text)


def raise_error(error):
    """The exception that an Error stands for."""
    kind = _ERRORS.get(error.code, PareInternalError)
    raised = kind(sentence(error.message.decode("utf-8", "replace")))
    raised.row, raised.column = error.row, error.column
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


def take_text(pointer):
    """The text behind a char ** of the library, which is freed."""
    try:
        return ctypes.string_at(pointer).decode("utf-8")
    finally:
        lib.text_free(pointer, None)


def strings(texts):
    """An array of C strings; keep it while the library may read it."""
    return (c_char_p * len(texts))(*[t if isinstance(t, bytes) else t.encode("utf-8") for t in texts])
