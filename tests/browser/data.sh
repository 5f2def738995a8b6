#!/usr/bin/env bash
# A small data set for the browser test: three classes, and names that would be markup if they could.
awk 'BEGIN {
    srand(3)
    printf "\"<script>alert(1)</script>\",\"a\"\"b&c\",\"</script><b>x\",\"\303\274n\303\257code\",=1+1"
    for (j = 6; j <= 40; j++) printf ",x%d", j
    print ",class"
    for (i = 0; i < 90; i++) {
        for (j = 1; j <= 40; j++) printf "%.4f,", rand() + (j <= 6 && j % 3 == i % 3 ? 0.6 : 0)
        print i % 3 == 0 ? "<b>A</b>" : i % 3 == 1 ? "B & co" : "C"
    }
}'
