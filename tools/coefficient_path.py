#!/usr/bin/env python3
"""A picture of a coefficient path from what `pare fit --lambda-coef FILE` writes.

    coefficient_path.py COEF.tsv TITLE >path.svg

One line a feature over lambda, from lambda_max at the left downward, in logarithms; the ones that are
largest at the end are named. Coefficients of several outputs are drawn alike.
"""
import csv
import math
import sys

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM, NAMED = 640, 320, 52, 74, 34, 42, 6
COLOURS = ("#1b6ca8", "#c8553d", "#3a7d44", "#8a4f9e", "#b8860b", "#4a4a4a")


def main():
    rows = list(csv.DictReader(open(sys.argv[1]), delimiter="\t"))
    lambdas = sorted({float(r["lambda"]) for r in rows}, reverse=True)
    lines = {}
    for r in rows:
        if r["index"] != "-1":
            lines.setdefault((r["name"], r["output"]), {})[float(r["lambda"])] = float(r["coef"])
    values = [v for line in lines.values() for v in line.values()] + [0]
    low, high = min(values), max(values)
    span = (high - low) or 1

    def x(lam):
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log(lambdas[0] / lam) / math.log(lambdas[0] / lambdas[-1])

    def y(v):
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - v) / span

    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
          f'font-size="12"><rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
          f'<text x="{LEFT}" y="20" font-size="14">{sys.argv[2]}</text>')
    for v in (low, 0, high):
        print(f'<text x="{LEFT - 6}" y="{y(v) + 4:.0f}" text-anchor="end">{v:.2g}</text>')
    print(f'<path d="M{LEFT} {y(0):.1f}H{WIDTH - RIGHT}" stroke="#999"/>')
    for k in range(int(math.log10(lambdas[0] / lambdas[-1]) + 1e-9) + 1):
        at = x(lambdas[0] / 10 ** k)
        print(f'<text x="{at:.0f}" y="{HEIGHT - 22}" text-anchor="middle">{10.0 ** -k:g}</text>')
    print(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 6}" text-anchor="middle">'
          'lambda / lambda_max</text>')
    named = sorted(lines, key=lambda k: -abs(lines[k].get(lambdas[-1], 0)))[:NAMED]
    taken = []
    for key in [k for k in lines if k not in named] + named:
        line, before, points = lines[key], None, []
        for lam in lambdas:
            v = line.get(lam)
            if v is not None and before is None:
                points.append((prior if points or lam != lambdas[0] else lam, 0))
            if v is not None or before is not None:
                points.append((lam, v or 0))
            before, prior = v, lam
        colour = COLOURS[named.index(key) % len(COLOURS)] if key in named else "#c5c5c5"
        print(f'<path d="M{"L".join(f"{x(a):.1f} {y(b):.1f}" for a, b in points)}" fill="none" stroke="{colour}"/>')
        place = y(line.get(lambdas[-1], 0))
        if key in named and all(abs(place - other) > 11 for other in taken):  # no name over another
            taken.append(place)
            print(f'<text x="{WIDTH - RIGHT + 5}" y="{place + 4:.0f}" fill="{colour}">{key[0]}</text>')
    print("</svg>")


if __name__ == "__main__":
    main()
