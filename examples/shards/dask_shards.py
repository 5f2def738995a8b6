"""A path in N parts by Dask: with dask.distributed on its workers, else on this machine's processes.

    python3 dask_shards.py N DATA [options of pare path]

Workers of a cluster must see DATA and this folder under the same names.
"""

import os
import subprocess
import sys

import dask

PARE = os.environ.get("PARE", "pare")


@dask.delayed
def shard(part, parts, words):
    """Runs one part and returns its checkpoint."""
    checkpoint = f"shard-{part}.txt"
    subprocess.run([PARE, "path", *words, "--threads", "1", "--quiet", "--shard", f"{part}/{parts}",
                    "--checkpoint", checkpoint], check=True)
    return checkpoint


if __name__ == "__main__":
    parts, words = int(sys.argv[1]), sys.argv[2:]
    if "DASK_SCHEDULER_ADDRESS" in os.environ:
        from dask.distributed import Client

        Client()  # from now on the work goes there
    done = dask.compute(*(shard(part, parts, words) for part in range(1, parts + 1)),
                        scheduler=None if "DASK_SCHEDULER_ADDRESS" in os.environ else "threads")
    subprocess.run([PARE, "merge", *done, "-o", "path.json", "--report", "path.html"], check=True)
