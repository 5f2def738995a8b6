#!/usr/bin/env bash
# build.sh ROOT BUILD: the site in ROOT/build/site, with the command and the library of BUILD.
set -euo pipefail
root=$1 build=$2 site=$1/build/site source=$1/build/site-source
export PARE_ROOT=$root PARE_LIBRARY=$build/libpare.so PARE_DOXYGEN=$root/build/doxygen/xml PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=agg
PARE_VERSION=$("$build/pare" --version | sed -n '1s/^pare \([0-9.]*\).*/\1/p')
export PARE_VERSION

rm -rf "$site" "$source" "$root/build/doxygen"
mkdir -p "$source" "$root/build/doxygen"
{
    sed "s|@ROOT@|$root|" "$root/site/Doxyfile"
    echo "INPUT = $root/include/pare"
    echo "OUTPUT_DIRECTORY = $root/build/doxygen"
} | doxygen - >/dev/null
/usr/bin/python3 "$root/site/reference.py" "$root" "$build/pare" "$source"
/usr/bin/python3 "$root/site/assemble.py" "$root" "$source"
cp -r "$root/site/static" "$source/static"
/usr/bin/python3 -m sphinx -b html -q -W --keep-going -j 2 -c "$root/site" -d "$root/build/site-doctrees" "$source" "$site"
/usr/bin/python3 "$root/site/check_links.py" "$site"
