#!/usr/bin/env bash
# The kernels of a GPU in the tree are what clang makes of their source.
. "$(dirname "$0")/../cli/harness.sh"
folder=$ROOT/src/la/kind/cuda

case_begin "cuda_kernels.ptx is made of cuda_kernels.cu"
check "cuda_kernels.ptx is not there" test -s "$folder/cuda_kernels.ptx"
if [[ $(clang -dumpversion 2>/dev/null) == 14.* ]]; then
    run_ok "tools/ptx.sh" bash "$ROOT/tools/ptx.sh" "$SCRATCH/new.ptx"
    check "run tools/ptx.sh and commit what it writes" cmp "$folder/cuda_kernels.ptx" new.ptx
else
    echo "clang 14 is not there: the file is not made anew" >&2
fi

case_begin "every kernel of the table is in it"
while read -r kernel; do
    check "there is no pare_$kernel" grep -q "\.entry pare_$kernel(" "$folder/cuda_kernels.ptx"
done < <(sed -n 's/^ *X(\([a-z]*\), cuda_[a-z]*_args).*/\1/p' "$folder/cuda_kernels.h")
