#!/usr/bin/env bash
# The content of the paper's Figures 1 to 7, as tables on standard output and as figure1.svg to figure7.svg.
#     ./run.sh [DATA_FOLDER]      no data are needed: the signal is computed. PARE=... names the binary.
here=$(cd "$(dirname "$0")" && pwd)
PARE=${PARE:-$here/../../build/release/pare} exec /usr/bin/python3 "$here/run.py"
