"""Plots what `cargo run --release -p taut-scenes --example scale` printed.

    python3 bench/scale_plot.py bench/scale.csv bench/scale.svg [rows]

Seconds of a warm solve on one thread over the number of rows, one line per scene and
solver, both axes logarithmic; beside each its exponent, by least squares.
Needs nothing but Python.
"""

import csv
import math
import sys
from collections import defaultdict

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 800, 460, 70, 190, 20, 50
COLORS = {"bpp": "#1f77b4", "ipm": "#2ca02c", "pgcg": "#d62728", "bpp_pcg": "#9467bd", "dual": "#1f77b4", "primal": "#d62728"}
PALETTE = ["#1f77b4", "#2ca02c", "#d62728", "#9467bd", "#ff7f0e"]
DASHES = {"rocks": "", "boxes": "6 4", "friction 0": "", "friction 0.5": "6 4"}


def read(path):
    lines = defaultdict(list)
    with open(path, newline="") as file:
        for row in csv.reader(file):
            scene, rows, solver, warm, status = row[0], int(row[2]), row[5], float(row[7]), row[10]
            # Nothing touches yet in a frame without rows.
            if status == "Converged" and rows > 0 and warm > 0.0:
                lines[scene, solver].append((rows, warm))
    return {key: sorted(points) for key, points in lines.items()}


def exponent(points):
    """Slope of the straight line through the logarithms."""
    xs, ys = zip(*((math.log(a), math.log(b)) for a, b in points))
    mean = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - mean[0]) ** 2 for x in xs)
    return sum((x - mean[0]) * (y - mean[1]) for x, y in zip(xs, ys)) / spread if spread else 0.0


def main():
    lines = read(sys.argv[1])
    solvers = {solver for _, solver in lines}
    every = [p for points in lines.values() for p in points]
    low = [math.floor(min(math.log10(p[k]) for p in every)) for k in (0, 1)]
    high = [math.ceil(max(math.log10(p[k]) for p in every)) for k in (0, 1)]

    def x(v):
        return LEFT + (WIDTH - LEFT - RIGHT) * (math.log10(v) - low[0]) / (high[0] - low[0])

    def y(v):
        share = (math.log10(v) - low[1]) / (high[1] - low[1])
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for k in range(low[0], high[0] + 1):
        out.append(f'<path d="M{x(10**k):.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        out.append(f'<text x="{x(10**k):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">1e{k}</text>')
    for k in range(low[1], high[1] + 1):
        out.append(f'<path d="M{LEFT} {y(10**k):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y(10**k) + 4:.1f}" text-anchor="end">1e{k}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">{(sys.argv[3:] or ["rows"])[0]}</text>')
    out.append(
        f'<text transform="translate(18 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">'
        "seconds, warm solve</text>"
    )
    for n, ((scene, solver), points) in enumerate(sorted(lines.items())):
        color, dash = COLORS.get(solver, "#555"), DASHES.get(scene, "2 3")
        if len(solvers) == 1:
            color, dash = PALETTE[n % len(PALETTE)], ""
        path = "L".join(f"{x(a):.1f} {y(b):.1f}" for a, b in points)
        style = f'stroke="{color}" stroke-dasharray="{dash}" fill="none" stroke-width="2"'
        out.append(f'<path d="M{path}" {style}/>')
        out += [f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="3" fill="{color}"/>' for a, b in points]
        place = TOP + 14 + 18 * n
        out.append(f'<path d="M{WIDTH - RIGHT + 10} {place - 4}h24" {style}/>')
        out.append(f'<text x="{WIDTH - RIGHT + 40}" y="{place}">{scene}, {solver}: {exponent(points):.2f}</text>')
    out.append("</svg>")
    with open(sys.argv[2], "w") as file:
        file.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
