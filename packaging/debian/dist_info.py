"""Writes the Python package and what names it (pare-VERSION.dist-info) into the folder of the argument."""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join("python", "build_backend"))
import pare_build  # noqa: E402

files = pare_build.python_files()
files["pare-%s.dist-info/METADATA" % pare_build.version()] = pare_build.metadata().encode()
files["pare-%s.dist-info/INSTALLER" % pare_build.version()] = b"debian\n"
for name, data in files.items():
    path = os.path.join(sys.argv[1], name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)
