"""What the Python package adds to the library: time of a fit beside the library's own call, and memory beside X.

Overhead is processor time on one thread, the least of many fits on data so small that little else is left; memory is the peak
of a process of its own above what it held with X in it, as a multiple of X.
"""

import os
import subprocess
import sys
import time

from common import build_folder, row

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.environ["PARE_LIBRARY"] = os.path.join(os.path.abspath(build_folder()), "libpare.so")
os.environ["PYTHONPATH"] = os.path.join(HERE, "python")
sys.path.insert(0, os.environ["PYTHONPATH"])

MEMORY = """
import re, sys, warnings
import numpy as np, scipy.sparse as sparse
import pare
warnings.simplefilter("ignore")
kind, method = sys.argv[1:]
n, d = 100, 262144
rng = np.random.default_rng(0)
if kind == "csc":
    x = sparse.random(n, d, 0.2, format="csc", random_state=0)
    size = x.data.nbytes + x.indices.nbytes + x.indptr.nbytes
else:
    x = np.empty((n, d), np.float32 if "float32" in kind else np.float64, order="C" if kind.startswith("C") else "F")
    for i in range(n): x[i] = rng.standard_normal(d)
    size = x.nbytes
y = np.arange(n) % 2
pare.PareClassifier(method, k=5, n_jobs=1).fit(rng.standard_normal((20, 9)), np.arange(20) % 2)
def status(name):
    with open("/proc/self/status") as f:
        return 1024 * int(re.search(name + ":\\s*(\\d+)", f.read()).group(1))
with open("/proc/self/clear_refs", "w") as f:
    f.write("5")  # the peak begins anew
before = status("VmRSS")
pare.PareClassifier(method, k=5, n_jobs=1).fit(x, y)
print(status("VmHWM") - before, size)
"""


def least(function, repeats=300):
    times = []
    for _ in range(repeats):
        start = time.thread_time()
        function()
        times.append(time.thread_time() - start)
    return min(times)


def overhead():
    import numpy as np
    import pare
    from pare._call import Call
    from pare._data import Data
    from pare._lib import byref, c_void_p, lib
    rng = np.random.default_rng(0)
    x, y = np.asfortranarray(rng.standard_normal((20, 10))), np.arange(20) % 2
    estimator = pare.PareClassifier("corr", k=3, n_jobs=1)
    settings = estimator._settings("classify")

    def alone():
        model = c_void_p()
        lib.fit(byref(model), data.handle, settings.handle, call.ref)
        lib.model_free(model)

    with Data(x) as data:
        data.set_codes(y, ["0", "1"])
        call = Call(n_jobs=1)
        bare = least(alone)
    whole = least(lambda: estimator.fit(x, y))
    row("Python: overhead of a fit, seconds, beside the fit", whole - bare, bare, "< 0.001", ratio=(whole - bare) / bare,
        note="20 x 10, corr")
    fitted = estimator.fit(x, y)
    whole = least(lambda: fitted.predict(x))
    row("Python: predict, seconds", whole, whole, "", ratio=1, note="20 x 10")


def memory():
    for kind, method, goal in (("F float64", "corr", "< 1.1"), ("F float64", "svm-rfe", "< 1.1"),
                               ("F float32", "corr", ""), ("C float64", "corr", ""), ("csc", "corr", "")):
        out = subprocess.run([sys.executable, "-c", MEMORY, kind, method], check=True, capture_output=True, text=True)
        more, size = map(float, out.stdout.split())
        row(f"Python: peak beside X over X, {kind}, {method}", more / size, 1, goal, ratio=more / size,
            note=f"X is {size / 1e6:.0f} MB")


overhead()
memory()
