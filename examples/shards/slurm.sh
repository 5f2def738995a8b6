#!/bin/sh
# A path in as many parts as the array has tasks. Submit it, then merge when all are done:
#   sbatch --array=1-20 slurm.sh DATA [options of pare path]
#   pare merge shard-*.txt -o path.json --report path.html
# A task that is stopped or lost (time, node) is submitted again alone: sbatch --array=7 needs the
# number of parts then, as in PARTS=20 sbatch --array=7 slurm.sh ... It goes on from its checkpoint.
#SBATCH --cpus-per-task=2
#SBATCH --signal=TERM@60
part=$SLURM_ARRAY_TASK_ID
parts=${PARTS:-$SLURM_ARRAY_TASK_COUNT}
exec "${PARE:-pare}" path "$@" --threads "${SLURM_CPUS_PER_TASK:-1}" --quiet \
    --shard "$part/$parts" --checkpoint "shard-$part.txt"
