#!/usr/bin/env bash
# Every method as several ranks through MPI: the bytes of one process.
. "$(dirname "$0")/../cli/harness.sh"

if ! command -v mpirun >/dev/null || [[ ! -x $BUILD/tests/mpi_registry ]]; then
    case_begin "MPI is not here: the registry was not tested on it"
    check "" true
    exit 0
fi
export OMP_WAIT_POLICY=passive OMPI_MCA_hwloc_base_binding_policy=none

case_begin "every method of the registry has the bytes of one process"
for np in 2 3 4; do
    run mpirun --allow-run-as-root --oversubscribe -np $np "$BUILD/tests/mpi_registry" $((np - 2))
    check "$np ranks: $(grep -m 3 -i 'has not\|error' <<<"$run_out$run_err")" test "$run_code" -eq 0
done
