"""PEP 517 backend: builds libpare with CMake and puts it, with the shared libraries that it needs, into the package.

Standard library only. The C sources are in core/ (in an sdist) or in the parent folder (in the repository).

Environment: CMAKE_ARGS  further arguments for cmake, such as -DCMAKE_BUILD_TYPE=Debug
             PARE_BUILD_DIR  keep the build there, and build again only what changed
             JOBS  processors to use
"""

import base64
import hashlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CORE_PARTS = ["CMakeLists.txt", "LICENSE", "CHANGELOG.md", "cmake", "include", "src"]
OWN_PARTS = ["pyproject.toml", "README.md", "build_backend", "pare"]
#: What every Linux has, as in the manylinux policies, and what must be the process's own.
SYSTEM = re.compile(r"^(lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+|util|resolv)\.so|ld-linux|linux-vdso)")
NEEDS = ("numpy>=1.22", "scipy>=1.8", "scikit-learn>=1.2")
WHEN = (2020, 1, 1, 0, 0, 0)  # in archives, so that the same sources give the same bytes


def core():
    for folder in (os.path.join(HERE, "core"), os.path.dirname(HERE)):
        if os.path.exists(os.path.join(folder, "include", "pare", "version.h")):
            return folder
    raise SystemExit("pare: the C sources are neither in %s/core nor above it" % HERE)


def version():
    with open(os.path.join(core(), "include", "pare", "version.h")) as f:
        return re.search(r'PARE_VERSION "([^"]+)"', f.read()).group(1)


def metadata():
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as f:
        readme = f.read()
    lines = ["Metadata-Version: 2.1", "Name: pare", "Version: " + version(),
             "Summary: Sparse learning and feature selection for wide data, at home in scikit-learn",
             "License: BSD-3-Clause", "Requires-Python: >=3.9",
             "Classifier: Programming Language :: Python :: 3", "Classifier: Topic :: Scientific/Engineering"]
    lines += ["Requires-Dist: " + n for n in NEEDS]
    lines += ["Provides-Extra: plot", "Requires-Dist: matplotlib; extra == 'plot'",
              "Requires-Dist: pandas; extra == 'plot'", "Description-Content-Type: text/markdown"]
    return "\n".join(lines) + "\n\n" + readme


def tag():
    return "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


# --- the library ---


def run(words, what):
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except FileNotFoundError:
        raise SystemExit("pare: %s needs %s, which is not installed (docs/dependencies.md; on Debian: apt-get install "
                         "build-essential cmake pkg-config libopenblas-dev liblapacke-dev coinor-libclp-dev "
                         "coinor-libcoinutils-dev libjansson-dev zlib1g-dev)" % (what, words[0])) from None
    text = done.stdout.decode("utf-8", "replace")
    if done.returncode:
        sys.stderr.write(text)
        raise SystemExit("pare: %s failed; docs/dependencies.md says what it needs (on Debian: apt-get install "
                         "build-essential cmake pkg-config libopenblas-dev liblapacke-dev coinor-libclp-dev "
                         "coinor-libcoinutils-dev libjansson-dev zlib1g-dev)" % what)
    return text


def build_library(folder):
    """Builds libpare in folder and returns the files to bundle: {name: path}."""
    mac = sys.platform == "darwin"
    # An rpath of the old kind, which is searched for what the dependencies need too; $ORIGIN is where the file is.
    flags = [] if mac else ["-DCMAKE_SHARED_LINKER_FLAGS=-Wl,--disable-new-dtags"]
    run(["cmake", "-S", core(), "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DPARE_TESTS=OFF", "-DPARE_MATIO=OFF", "-DPARE_HDF5=OFF", "-DPARE_EXPAT=OFF",
         "-DPARE_BZIP2=OFF", "-DPARE_LZMA=OFF",
         "-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON",
         "-DCMAKE_INSTALL_RPATH=" + ("@loader_path" if mac else "$ORIGIN"), *flags,
         *shlex.split(os.environ.get("CMAKE_ARGS", ""))], "configuring the library")
    jobs = os.environ.get("JOBS") or os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(os.cpu_count() or 1)
    run(["cmake", "--build", folder, "--parallel", jobs, "--target", "pare_shared"], "building the library")
    own = "libpare.%s.dylib" if mac else "libpare.so.%s"
    own %= ".".join(version().split(".")[:2])
    files = {own: os.path.realpath(os.path.join(folder, own))}
    if not mac:
        files.update(needed(files[own]))
    return files


def needed(library):
    """Shared libraries that ldd finds and not every system has, by the name that they are asked for."""
    found = {}
    for line in run(["ldd", library], "asking for the library's dependencies").splitlines():
        name, _, where = line.strip().partition(" => ")
        if where.startswith("not found"):
            raise SystemExit("pare: %s, which the library needs, was not found" % name)
        if where and not SYSTEM.match(name):
            found[name] = os.path.realpath(where.rsplit(" (", 1)[0])
    return found


def library_files():
    """Contents of the folder pare/lib."""
    kept = os.environ.get("PARE_BUILD_DIR")
    folder = kept or tempfile.mkdtemp(prefix="pare-build-")
    try:
        files = build_library(folder)
        contents = {}
        for name, path in sorted(files.items()):
            with open(path, "rb") as f:
                contents["pare/lib/" + name] = f.read()
        listed = "".join("%s\t%s\n" % (n, "this package" if "libpare" in n else p) for n, p in sorted(files.items()))
        contents["pare/lib/BUNDLED.tsv"] = ("library\tfrom\n" + listed).encode()
        return contents
    finally:
        if not kept:
            shutil.rmtree(folder, ignore_errors=True)


# --- archives ---


def python_files():
    out = {}
    for name in sorted(os.listdir(os.path.join(HERE, "pare"))):
        if name.endswith((".py", ".typed")):
            with open(os.path.join(HERE, "pare", name), "rb") as f:
                out["pare/" + name] = f.read()
    return out


def write_wheel(folder, contents):
    info = "pare-%s.dist-info/" % version()
    with open(os.path.join(core(), "LICENSE"), "rb") as f:
        contents[info + "LICENSE"] = f.read()
    contents[info + "METADATA"] = metadata().encode()
    contents[info + "WHEEL"] = ("Wheel-Version: 1.0\nGenerator: pare_build\nRoot-Is-Purelib: false\nTag: %s\n"
                                % tag()).encode()
    record = []
    for name, data in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append("%s,sha256=%s,%d" % (name, digest, len(data)))
    record.append(info + "RECORD,,")
    contents[info + "RECORD"] = ("\n".join(record) + "\n").encode()
    file = "pare-%s-%s.whl" % (version(), tag())
    with zipfile.ZipFile(os.path.join(folder, file), "w", zipfile.ZIP_DEFLATED, compresslevel=6) as z:
        for name, data in contents.items():
            entry = zipfile.ZipInfo(name, WHEN)
            entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(entry, data)
    return file


def plain(entry):
    """What goes into an sdist, without what a run left behind or who made it."""
    if "__pycache__" in entry.name or entry.name.endswith(".pyc") or "/pare/lib" in entry.name:
        return None
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mtime = 1577836800
    return entry


# --- the interface ---


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_sdist = get_requires_for_build_editable = get_requires_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return write_wheel(wheel_directory, {**python_files(), **library_files()})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The package stays where it is; the library is put beside it."""
    for name, data in library_files().items():
        os.makedirs(os.path.dirname(os.path.join(HERE, name)), exist_ok=True)
        with open(os.path.join(HERE, name), "wb") as f:
            f.write(data)
    return write_wheel(wheel_directory, {"pare.pth": (HERE + "\n").encode()})


def build_sdist(sdist_directory, config_settings=None):
    top = "pare-" + version()
    with tarfile.open(os.path.join(sdist_directory, top + ".tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as tar:
        for name in OWN_PARTS:
            tar.add(os.path.join(HERE, name), "%s/%s" % (top, name), filter=plain)
        for name in CORE_PARTS:
            tar.add(os.path.join(core(), name), "%s/core/%s" % (top, name), filter=plain)
        data = metadata().encode()
        entry = tarfile.TarInfo(top + "/PKG-INFO")
        entry.size = len(data)
        tar.addfile(plain(entry), io.BytesIO(data))
    return top + ".tar.gz"
