#!/usr/bin/env bash
# The command line, the tests and the measurements of a GPU in one folder, build/cuda-bundle, with the libraries that
# a machine may lack: it needs glibc, Python for nothing, and NVIDIA's driver. Run by ./dev cuda-bundle, which installs
# what this needs; docs/gpu.md says what to do with it there.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$PWD/build/cuda-bundle
build=build/cuda
echo "building $build" >&2
mkdir -p build
{ cmake -G Ninja -S . -B $build -DCMAKE_BUILD_TYPE=Release -DPARE_BENCH=ON -DPARE_MATIO=OFF -DPARE_HDF5=OFF -DPARE_MPI=OFF \
    -DCMAKE_BUILD_RPATH='$ORIGIN/../lib' -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags &&
    cmake --build $build --parallel "${JOBS:-$(nproc)}" --target pare tests_conform bench_device; } >$build.log 2>&1 || {
    tail -n 30 $build.log >&2
    exit 1
}
rm -rf "$folder"
mkdir -p "$folder/bin" "$folder/lib"
cp $build/pare $build/tests/tests_conform $build/bench/bench_device "$folder/bin"
strip "$folder"/bin/*

# The C library alone is the system's.
system='^(lib(c|m|dl|rt|pthread|util|resolv)\.so|ld-linux|linux-vdso)'
ldd "$folder"/bin/* | awk '$2 == "=>" { print $1, $3 }' | sort -u | while read -r library path; do
    [[ $library =~ $system ]] && continue
    [[ $path == /* ]] || { echo "$library was not found" >&2 && exit 1; }
    install -m 644 "$(realpath "$path")" "$folder/lib/$library"
    strip --strip-unneeded "$folder/lib/$library"
done
cp packaging/cuda_run.sh "$folder/run.sh"
mkdir -p "$folder/bench"
cp bench/scale.py bench/common.py "$folder/bench"
du -sm "$folder" | awk '{ print "build/cuda-bundle: " $1 " MB" }'
