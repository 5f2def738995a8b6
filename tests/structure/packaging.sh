#!/usr/bin/env bash
# packaging/debian agrees with CMake: the version, the library's name, the lists of files, what it is built from.
. "$(dirname "$0")/../cli/harness.sh"

debian=$ROOT/packaging/debian
version=$(sed -n 's/.*PARE_VERSION "\(.*\)"/\1/p' "$ROOT/include/pare/version.h")
soname=$(readelf -d "$BUILD/libpare.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')

case_begin "versions agree"
check "packaging/debian/changelog is not of $version" grep -q "^pare ($version-[0-9]*) " <(head -n 1 "$debian/changelog")
check "r/DESCRIPTION is not of $version" grep -qx "Version: $version" "$ROOT/r/DESCRIPTION"
check "r/configure is not of ${version%.*}" grep -qx "version=${version%.*}" "$ROOT/r/configure"
check "CITATION.cff is not of $version" grep -qx "version: $version" "$ROOT/CITATION.cff"

case_begin "the library's package is called after it"
package=${soname/.so./}
check "control has no package $package, for $soname" grep -qx "Package: $package" "$debian/control"
check "no $package.install" test -s "$debian/$package.install"
check "another library's package is in control" test "$(grep -c '^Package: libpare[0-9]' "$debian/control")" = 1
check "a dependency is on another library" test -z "$(grep -o 'libpare[0-9][0-9.]*' "$debian/control" | grep -vx "$package")"
check "OpenBLAS is not among what it depends on" grep -q 'libopenblas0' "$debian/control"

case_begin "the shared library asks for OpenBLAS, not for any BLAS"
check "no libopenblas" grep -q 'NEEDED.*libopenblas' <(readelf -d "$BUILD/libpare.so")
check "libblas" test -z "$(readelf -d "$BUILD/libpare.so" | grep 'NEEDED.*libblas')"

case_begin "every installed file is in one package"
run_ok "cmake --install" cmake --install "$BUILD" --prefix "$PWD/tree/usr"
(cd tree && find . -type f -o -type l) | sed 's|^\./||; s|^usr/lib/[^/]*-linux-[^/]*/|usr/lib/|' | sort >files
cat "$debian"/*.install | awk '{ print $1 }' | grep -v dist-packages | sed 's|usr/lib/\*/|usr/lib/|' >patterns
check "nothing was installed" test -s files
: >listed
while read -r pattern; do
    found=0
    while read -r file; do
        # a folder stands for what is in it
        [[ $file == $pattern || $file == $pattern/* ]] && echo "$file" >>listed && found=1
    done <files
    check "$pattern is not installed by CMake" test $found = 1
done <patterns
check "in no package: $(sort listed | comm -23 files - | head -n 1)" test -z "$(sort listed | comm -23 files -)"
check "in two packages: $(sort listed | uniq -d | head -n 1)" test -z "$(sort listed | uniq -d)"

case_begin "what ./dev builds from is in Build-Depends"
packages=$(sed -n '/^library_packages=(/,/)/p' "$ROOT/dev" | tr -d '()' | sed 's/library_packages=//')
check "no packages in ./dev" test -n "$packages"
for package in $packages; do
    [[ $package == build-essential ]] ||
        check "$package is not in control" grep -Eq "^(Build-Depends:| )[ ]*$package,?$" <(sed '/^$/q' "$debian/control")
done

case_begin "the scripts are shell"
for file in "$ROOT"/packaging/*.sh; do check "$file" bash -n "$file"; done
check "packaging/demonstration.sh is not of every shell" sh -n "$ROOT/packaging/demonstration.sh"
check "rules cannot be run" test -x "$debian/rules"
