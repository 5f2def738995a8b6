"""From the sources to a source archive, from that to a wheel, and the wheel in a new environment: no package index, no
build but the package's own."""

import glob
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
USE = """
import numpy as np, os, sys
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
import pare
from pare import library_path
folder = os.path.dirname(pare.__file__)
assert folder.startswith(sys.prefix), folder
assert library_path.startswith(folder), library_path
rng = np.random.default_rng(0)
x = rng.standard_normal((40, 30)); y = np.arange(40) % 2; x[:, 4] += 3 * y
for method in ("auto", "l1-svm", "svm"):
    assert make_pipeline(StandardScaler(), pare.PareClassifier(method, k=2)).fit(x, y).score(x, y) > 0.9
maps = open("/proc/self/maps").read()
assert folder + "/lib/libClp" in maps, "the bundled libraries are not those in use"
assert "libmatio" not in maps and "libhdf5" not in maps
print(pare.__version__)
"""


def run(*words, env=None, **more):
    done = subprocess.run(words, capture_output=True, text=True, env=env, **more)
    if done.returncode:
        raise AssertionError("%s: %s%s" % (" ".join(words), done.stdout[-3000:], done.stderr[-3000:]))
    return done.stdout


class Package(unittest.TestCase):
    def test_from_sources_to_use(self):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("PARE", "PYTHON", "PIP"))}
        env.update(CMAKE_ARGS="-DCMAKE_BUILD_TYPE=Debug", PIP_DISABLE_PIP_VERSION_CHECK="1")
        with tempfile.TemporaryDirectory() as folder:
            at = lambda name: os.path.join(folder, name)  # noqa: E731
            run(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", at("env"), env=env)
            python = at("env/bin/python")
            run(python, "-c", "import pare_build; pare_build.build_sdist(%r)" % folder, cwd=os.path.join(ROOT, "python"),
                env={**env, "PYTHONPATH": os.path.join(ROOT, "python", "build_backend"),
                     "PYTHONDONTWRITEBYTECODE": "1"})
            archive, = glob.glob(at("pare-*.tar.gz"))
            with tarfile.open(archive) as tar:
                names = tar.getnames()
            self.assertTrue(any(n.endswith("core/src/registry.c") for n in names))
            self.assertFalse([n for n in names if "__pycache__" in n or n.endswith(".so")])
            run(python, "-m", "pip", "wheel", "--no-index", "--no-deps", "-w", folder, archive, env=env)
            wheel, = glob.glob(at("pare-*-py3-none-*.whl"))
            self.assertLess(os.path.getsize(wheel), 30e6)
            with zipfile.ZipFile(wheel) as z:
                self.assertIsNone(z.testzip())
                self.assertFalse([n for n in z.namelist() if "matio" in n or "hdf5" in n])
            run(python, "-m", "pip", "install", "--no-index", wheel, env=env)
            os.mkdir(at("elsewhere"))
            version = run(python, "-c", USE, cwd=at("elsewhere"), env=env).strip()
            self.assertIn("pare-%s-" % version, wheel)
            run(python, "-m", "pip", "uninstall", "-y", "pare", env=env)
            self.assertEqual(glob.glob(at("env/lib/python3*/site-packages/pare*")), [])

    def test_what_is_missing_is_one_sentence(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-c", "import pare_build; pare_build.build_wheel(%r)" % folder],
                                  capture_output=True, text=True, cwd=os.path.join(ROOT, "python"),
                                  env={"PATH": folder, "PYTHONPATH": os.path.join(ROOT, "python", "build_backend"),
                                       "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("needs cmake, which is not installed", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)


if __name__ == "__main__":
    sys.exit(unittest.main())
