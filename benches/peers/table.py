#!/usr/bin/env python3
"""Print a markdown table of what peers.py wrote: each case, the best peer, and our share of its speed. See README.md."""
import argparse
from results import best_peer, geometric_mean, load, own_name, peer_names, speed


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("json")
    ap.add_argument("--own", help="the library to compare with the others (tensorwrapper)")
    ap.add_argument("--without", default="", help="comma list of peers to leave out")
    ap.add_argument("--key", choices=["best", "median"], default="best")
    a = ap.parse_args()
    results = load(a.json)
    own = own_name(results, a.own)
    peers = peer_names(results, own, a.without.split(","))
    if not peers:
        raise SystemExit("there are no peers in it")

    size = f"at most {results['cap_gflop']:g} GFLOP a case" if results.get("cap_gflop") else "full extents"
    print(f"GFLOP/s, {a.key} of the repetitions, {results['dtype']}, {size}, threads: {results['threads']}, "
          f"{results['clock']} clock, {results['machine']}, {results.get('date', 'undated')}.\n")
    print(f"| case | contraction | extents | best peer | its speed | {own} | ratio |")
    print("|---|---|---|---|---|---|---|")
    ratios = []
    for case in results["cases"]:
        ours, best = speed(case, own, a.key), best_peer(case, peers, a.key)
        name, theirs = best or ("none", None)
        if ours and theirs:
            ratios.append((ours / theirs, case["id"]))
        number = lambda x: f"{x:.1f}" if x else "failed"
        print(f"| {case['id']} | `{case['tccg']}` | {extents(case)} | {name} | {number(theirs)} | {number(ours)} "
              f"| {f'{ours / theirs:.2f}' if ours and theirs else ''} |")
    if not ratios:
        raise SystemExit("no case was computed by both sides")
    print(f"\nRatios of {len(ratios)} cases: geometric mean {geometric_mean([r for r, _ in ratios]):.2f}, "
          f"worst {min(ratios)[0]:.2f} (case {min(ratios)[1]}), best {max(ratios)[0]:.2f} (case {max(ratios)[1]}), "
          f"{sum(r < 0.9 for r, _ in ratios)} below 0.9.")
    for name in peers:
        both = [(speed(c, own, a.key), speed(c, name, a.key)) for c in results["cases"]]
        both = [x / y for x, y in both if x and y]
        if both:
            print(f"* {name} ({results['versions'][name]}): ratio {geometric_mean(both):.2f} over {len(both)} cases")


def extents(case):
    """Labels of one extent together: `a b 312, c 24`."""
    by_extent = {}
    for label, extent in sorted(case["extents"].items()):
        by_extent.setdefault(extent, []).append(label)
    return ", ".join(f"{' '.join(labels)} {extent}" for extent, labels in by_extent.items())


if __name__ == "__main__":
    main()
