#!/usr/bin/env python3
"""Draw what peers.py wrote as an SVG: one line a case, one mark a library, GFLOP/s on a logarithmic axis. See README.md.

Needs no package. Each JSON file is a panel of its own, beside the others.
"""
import argparse, math
from xml.sax.saxutils import escape
from results import best_peer, geometric_mean, load, own_name, peer_names, speed

ROW, LABEL, PLOT, MARGIN, TOP, BOTTOM = 17, 190, 520, 24, 76, 44
# From dark to light, so that they differ in grey too; and each peer has a shape of its own.
COLOURS = ["#222255", "#b2182b", "#1b7837", "#7b5fb5", "#e08214", "#4f9fd0", "#c51b7d", "#8c8c8c"]
OURS = "#000000"


def mark(shape, x, y, colour, size=4.2):
    s = size
    if shape == "own":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>'
    style = f'fill="none" stroke="{colour}" stroke-width="1.8"'
    points = {
        0: f"M{x - s:.1f} {y - s:.1f}h{2 * s}v{2 * s}h{-2 * s}z",
        1: f"M{x:.1f} {y - s:.1f}l{s} {2 * s}h{-2 * s}z",
        2: f"M{x:.1f} {y - s - .6:.1f}l{s + .6} {s + .6}l{-s - .6} {s + .6}l{-s - .6} {-s - .6}z",
        3: f"M{x - s:.1f} {y - s:.1f}l{2 * s} {2 * s}m0 {-2 * s}l{-2 * s} {2 * s}",
        4: f"M{x - s:.1f} {y:.1f}h{2 * s}M{x:.1f} {y - s:.1f}v{2 * s}",
        5: f"M{x:.1f} {y + s:.1f}l{s} {-2 * s}h{-2 * s}z",
        6: f"M{x:.1f} {y - s:.1f}v{2 * s}",
    }
    if shape in points:
        return f'<path d="{points[shape]}" {style}/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{s}" {style}/>'


def text(x, y, words, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{escape(words)}</text>'


class Scale:
    """Positions of speeds: from the slowest to the peak or the fastest, a little around them."""

    def __init__(self, speeds, left):
        self.low, self.high = math.log10(min(speeds) / 1.15), math.log10(max(speeds) * 1.15)
        self.left = left

    def at(self, speed):
        return self.left + PLOT * (math.log10(speed) - self.low) / (self.high - self.low)

    def ticks(self):
        """1, 2, 5, 10, 20, ... where they lie inside."""
        powers = range(math.floor(self.low), math.ceil(self.high) + 1)
        every = [digit * 10.0**power for power in powers for digit in (1, 2, 5)]
        return [tick for tick in every if self.low <= math.log10(tick) <= self.high]


def panel(results, left, own, peers, styles, options):
    """The lines of one file's results, and how high they are."""
    key, cases = options.key, results["cases"]
    names = peers + [own]
    speeds = [s for case in cases for name in names if (s := speed(case, name, key))]
    if not speeds:
        raise SystemExit("a file without results")
    peak = options.peak or results.get("peak") or 0
    scale = Scale(speeds + ([peak] if peak else []), left + LABEL)
    bottom = TOP + ROW * len(cases)
    date, machine = options.date or results.get("date", "undated"), options.machine or results["machine"]
    threads = "1 thread" if results["threads"] == 1 else f"{results['threads']} threads"
    lines = [text(left, 22, f"{results['dtype']}, {threads}, {date}", 'font-size="15" font-weight="bold"'),
             text(left, 39, machine + (f", at most {results['cap_gflop']:g} GFLOP a case" if results.get("cap_gflop") else ""))]
    for row in range(0, len(cases), 2):
        lines.append(f'<rect x="{left}" y="{TOP + ROW * row}" width="{LABEL + PLOT}" height="{ROW}" fill="#f3f3f3"/>')
    for tick in scale.ticks():
        x = scale.at(tick)
        lines.append(f'<path d="M{x:.1f} {TOP}V{bottom}" stroke="#d4d4d4"/>')
        lines.append(text(x, bottom + 14, f"{tick:g}", 'text-anchor="middle"'))
    ratios = []
    for row, case in enumerate(cases):
        y = TOP + ROW * (row + 0.5)
        lines.append(text(left + 26, y + 4, str(case["id"]), 'text-anchor="end"'))
        lines.append(text(left + 34, y + 4, case["tccg"], 'font-family="monospace"'))
        ours, best = speed(case, own, key), best_peer(case, peers, key)
        if ours and best:
            ratios.append(ours / best[1])
            lines.append(f'<path d="M{scale.at(ours):.1f} {y}H{scale.at(best[1]):.1f}" stroke="#999" stroke-width="1.2"/>')
        for name in names:
            if found := speed(case, name, key):
                lines.append(mark(styles[name][0], scale.at(found), y, styles[name][1]))
    lines.append(text(left + LABEL + PLOT / 2, bottom + 32, f"GFLOP/s, {key} of the repetitions ({results['clock']} clock)",
                      'text-anchor="middle"'))
    if peak:
        x = scale.at(peak)
        lines.append(f'<path d="M{x:.1f} {TOP - 6}V{bottom}" stroke="#000" stroke-width="1.4" stroke-dasharray="6 3"/>')
        lines.append(text(x, TOP - 9, f"peak {peak:g}", 'text-anchor="middle"'))
    if ratios:
        lines.append(text(left, 56, f"{own} against the best peer of each case: {geometric_mean(ratios):.2f} times as fast "
                                    f"in the geometric mean, {min(ratios):.2f} at worst"))
    return lines, bottom + BOTTOM


def legend(styles, width, y):
    """Marks and names in rows, and how high they are."""
    lines, x = [], MARGIN + 8
    for name, (shape, colour) in styles.items():
        wide = 26 + 7.2 * len(name)
        if x + wide > width - MARGIN and x > MARGIN + 8:
            x, y = MARGIN + 8, y + 20
        lines += [mark(shape, x, y - 4, colour), text(x + 10, y, name)]
        x += wide
    return lines, y + 16


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("json", nargs="+")
    ap.add_argument("--out", default="peers.svg")
    ap.add_argument("--own", help="the library to compare with the others (tensorwrapper)")
    ap.add_argument("--without", default="", help="comma list of peers to leave out")
    ap.add_argument("--key", choices=["best", "median"], default="best")
    ap.add_argument("--peak", type=float, default=0, help="GFLOP/s, if not the one of the file")
    ap.add_argument("--date", help="if not the one of the file")
    ap.add_argument("--machine", help="if not the one of the file")
    options = ap.parse_args()

    files = [load(path) for path in options.json]
    owns = [own_name(results, options.own) for results in files]
    peers = [peer_names(results, own, options.without.split(",")) for results, own in zip(files, owns)]
    styles = {own: ("own", OURS) for own in owns}
    for name in dict.fromkeys(name for names in peers for name in names):
        number = len(styles) - len(set(owns))
        styles[name] = (number % 8, COLOURS[number % len(COLOURS)])

    width = len(files) * (LABEL + PLOT + MARGIN) + MARGIN
    lines, height = [], 0
    for n, (results, own, names) in enumerate(zip(files, owns, peers)):
        drawn, high = panel(results, MARGIN + n * (LABEL + PLOT + MARGIN), own, names, styles, options)
        lines, height = lines + drawn, max(height, high)
    drawn, height = legend(styles, width, height + 8)
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
           'font-family="Helvetica, Arial, sans-serif" font-size="11.5">',
           f'<rect width="{width}" height="{height}" fill="#fff"/>', *lines, *drawn, "</svg>"]
    with open(options.out, "w") as file:
        file.write("\n".join(svg) + "\n")
    print(options.out)


if __name__ == "__main__":
    main()
