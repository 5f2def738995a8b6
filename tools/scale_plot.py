#!/usr/bin/env python3
"""Draws docs/scale.svg from what `SCALE=growth ./dev bench scale` kept in build/bench/scale.tsv: processor
seconds and memory of fits against the number of genotypes, both on logarithmic axes.

    tools/scale_plot.py build/bench/scale.tsv docs/scale.svg
"""

import math
import re
import sys

WIDTH, HEIGHT, LEFT, TOP, GAP = 330, 240, 60, 30, 90
COLOURS = ["#0b6e4f", "#c2410c", "#1d4ed8", "#7e22ce"]


def read(path):
    """{method: [(features, processor seconds, GB)]}"""
    found = {}
    for line in open(path):
        what = re.match(r"(\S+), \d+ x (\d+) genotypes\t", line)
        cost = re.search(r"processor ([\d.]+) s; ([\d.]+) GB", line)
        if what and cost:
            found.setdefault(what[1], {})[int(what[2])] = (float(cost[1]), float(cost[2]))
    return {m: [(d, *v) for d, v in sorted(points.items())] for m, points in found.items()}


def decades(values):
    low = math.floor(math.log10(min(values)))
    return low, max(low + 1, math.ceil(math.log10(max(values)) - 1e-9))


def panel(out, curves, which, title, left):
    points = [p for curve in curves.values() for p in curve]
    x0, x1 = decades([p[0] for p in points])
    y0, y1 = decades([max(p[which], 1e-3) for p in points])
    place_x = lambda v: left + (math.log10(v) - x0) / (x1 - x0) * WIDTH
    place_y = lambda v: TOP + HEIGHT - (math.log10(max(v, 1e-3)) - y0) / (y1 - y0) * HEIGHT
    out.append(f'<text x="{left}" y="{TOP - 10}" font-weight="bold">{title}</text>')
    for e in range(x0, x1 + 1):
        x = place_x(10**e)
        out.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{TOP + HEIGHT}" stroke="#ddd"/>')
        out.append(f'<text x="{x:.1f}" y="{TOP + HEIGHT + 16}" text-anchor="middle">{10**e:,}</text>')
    for e in range(y0, y1 + 1):
        y = place_y(10.0**e)
        out.append(f'<line x1="{left}" y1="{y:.1f}" x2="{left + WIDTH}" y2="{y:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0**e:g}</text>')
    out.append(f'<text x="{left + WIDTH / 2}" y="{TOP + HEIGHT + 34}" text-anchor="middle">features</text>')
    for k, (method, curve) in enumerate(curves.items()):
        colour = COLOURS[k % len(COLOURS)]
        way = " ".join(f"{place_x(p[0]):.1f},{place_y(p[which]):.1f}" for p in curve)
        out.append(f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for p in curve:
            out.append(f'<circle cx="{place_x(p[0]):.1f}" cy="{place_y(p[which]):.1f}" r="3" fill="{colour}"/>')
        out.append(f'<text x="{left + 10}" y="{TOP + 18 + 16 * k}" fill="{colour}">{method}</text>')


def main():
    curves = read(sys.argv[1])
    if not curves:
        sys.exit(f"{sys.argv[1]} has no rows of genotypes: run SCALE=growth ./dev bench scale first")
    whole = LEFT + 2 * WIDTH + GAP + 30
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {TOP + HEIGHT + 50}" '
           'font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="white"/>']
    panel(out, curves, 1, "processor seconds of a fit", LEFT)
    panel(out, curves, 2, "memory, GB", LEFT + WIDTH + GAP)
    out.append("</svg>")
    open(sys.argv[2], "w").write("\n".join(out) + "\n")


main()
