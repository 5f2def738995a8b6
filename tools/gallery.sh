#!/usr/bin/env bash
# gallery.sh ROOT BUILD [NAME...]: runs the worked examples of docs/gallery, all or those named, with the command and library of BUILD, each in
# ROOT/build/gallery/NAME; what a page prints must be what it says. PAGE_UPDATE=1 writes numbers and pictures into the pages.
set -euo pipefail
root=$1 build=$2 out=$1/build/gallery
shift 2
(($#)) || set -- $(cd "$root/docs/gallery" && ls ./*.md | sed 's|./||; s|\.md$||' | grep -v '^README$')
mkdir -p "$out/bin" "$out/r"
ln -sf "$build/pare" "$out/bin"
# one kernel of the linear algebra, so that the digits are the same on every x86-64 with AVX2
export OPENBLAS_CORETYPE=Haswell OMP_WAIT_POLICY=passive MPLBACKEND=agg PYTHONDONTWRITEBYTECODE=1 COLUMNS=80 NO_COLOR=1
export PATH=$out/bin:$PATH PARE=$build/pare PARE_LIBRARY=$build/libpare.so PYTHONPATH=$root/python R_LIBS=$out/r
if grep -lqE '^```r$' $(printf "$root/docs/gallery/%s.md " "$@"); then
    cmake --install "$build" --prefix "$out/prefix" >/dev/null
    rm -rf "$out/package" && cp -r "$root/r" "$out/package" && rm -f "$out"/package/src/*.o "$out"/package/src/*.so "$out"/package/src/Makevars
    export PKG_CONFIG_PATH=$out/prefix/lib/pkgconfig:$out/prefix/lib/$(cc -print-multiarch)/pkgconfig
    R CMD INSTALL --no-test-load --no-docs -l "$out/r" "$out/package" >"$out/r.log" 2>&1 || { tail -n 5 "$out/r.log" && exit 1; }
fi
code=0
for name; do
    rm -rf "${out:?}/$name" && mkdir -p "$out/$name" && ln -s "$root/examples" "$out/$name/examples"
    if said=$(/usr/bin/python3 "$root/tools/run_page.py" "$root/docs/gallery/$name.md" "$out/$name" 2>&1); then
        echo "ok gallery: $name ($said)"
        [[ ! ${PAGE_UPDATE:-} ]] || find "$out/$name" -name '*.png' -exec cp {} "$root/docs/gallery/" \;
    elif [[ $said == *'could not be downloaded'* || $said == *'apt has no lists'* ]]; then
        echo "ok gallery: $name (skipped: $(grep -m 1 -E 'could not be downloaded|apt has no lists' <<<"$said"))"
    else
        echo "not ok gallery: $name: $said"
        code=1
    fi
done
exit $code
