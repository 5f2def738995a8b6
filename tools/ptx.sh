#!/usr/bin/env bash
# Makes the GPU's kernels, src/la/kind/cuda/cuda_kernels.ptx, of cuda_kernels.cu beside it: PTX text, with clang
# and nothing of CUDA. Another version of clang makes another text: the file is that of Debian 12's, clang 14.
#
#     ptx.sh           writes the file
#     ptx.sh OUT       writes OUT instead
set -euo pipefail
folder=$(cd "$(dirname "$0")/../src/la/kind/cuda" && pwd)
# freestanding: no header but clang's own; unknown-cuda-version: of a CUDA that happens to be installed
exec clang -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -ffreestanding -fno-exceptions \
    -Wno-unknown-cuda-version -ffp-contract=off -O3 -S -o "${1:-$folder/cuda_kernels.ptx}" "$folder/cuda_kernels.cu"
