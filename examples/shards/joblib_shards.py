"""A path in N parts by joblib.

    python3 joblib_shards.py N DATA [options of pare path]
"""

import os
import subprocess
import sys

from joblib import Parallel, delayed

PARE = os.environ.get("PARE", "pare")


def shard(part, parts, words):
    """Runs one part and returns its checkpoint."""
    checkpoint = f"shard-{part}.txt"
    subprocess.run([PARE, "path", *words, "--threads", "1", "--quiet", "--shard", f"{part}/{parts}",
                    "--checkpoint", checkpoint], check=True)
    return checkpoint


if __name__ == "__main__":
    parts, words = int(sys.argv[1]), sys.argv[2:]
    done = Parallel(n_jobs=-1)(delayed(shard)(part, parts, words) for part in range(1, parts + 1))
    subprocess.run([PARE, "merge", *done, "-o", "path.json", "--report", "path.html"], check=True)
