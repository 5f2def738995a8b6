#!/usr/bin/env bash
# The experiments of the zero-norm paper: ./run.sh [DATA_FOLDER]. Table 1 and Figure 1 draw their data;
# Tables 2, 3 and 4 need the folder. Builds the library, prints the tables beside the paper's numbers,
# writes results to build/zero_norm/. TRIALS=N and SPLITS=N change how many (1000 and 30).
set -euo pipefail
cd "$(dirname "$0")/../.."
data=${1:+$(realpath "$1")}
out=build/zero_norm
mkdir -p "$out"
cmake --preset release >"$out/build.log"
cmake --build --preset release --parallel 2 --target pare_shared >>"$out/build.log"
for program in table1 figure1 splits; do
    cc -O2 -std=c11 -Iinclude "experiments/zero_norm/$program.c" experiments/zero_norm/common.c \
        build/release/libpare.so -Wl,-rpath,"$PWD/build/release" -lm -o "$out/$program"
done
OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 experiments/zero_norm/tables.py \
    "$out" ${data:+"$data"}
