#!/usr/bin/env python3
"""Times libraries on contractions that no list holds, and says by family where we stand.

Draws cases by seed (`random_cases.py`), times all programs on them in turn (`peers.py`), and prints for each family the ratio to the
best peer of each case, then the worst cases with the bound that applies to them. What is drawn and measured is kept beside `--out`, so
that `--again` prints the tables without timing anything. Work on the kernels begins and ends with it; README.md has the command.
"""
import csv, os, random, sys
import peers, random_cases
from results import best_peer, geometric_mean, load, own_name, peer_names, speed
from table import extents

# A case holds if we are as fast as its best peer, or reach this share of its bound.
REACHED = 0.85


def drawn(seed, count, family):
    """`count` cases of one family, of each family (`all`), or of any (`any`)."""
    names = sorted(random_cases.families(random.Random(0)))
    family = None if family == "any" else family
    if family and family not in names + ["all", *random_cases.FURTHER]:
        raise SystemExit(f"no family `{family}`; there are {', '.join(names)}, `all`, {', '.join(random_cases.FURTHER)}")
    wanted = [name for name in names for _ in range(count)] if family == "all" else [family] * count
    source = random.Random(seed)
    return [random_cases.draw(source, name) for name in wanted]


def larger(cases, gigabytes, gflop):
    """The same for a device with memory and speed for more."""
    return [(family, equation, random_cases.enlarged(equation, extents, gigabytes, gflop)) for family, equation, extents in cases]


def write(cases, path):
    """A list as `peers.py` reads it."""
    with open(path, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "group", "tccg", "einsum", "extents_f64", "extents_f32"])
        for n, (family, equation, lengths) in enumerate(cases, 1):
            text = ";".join(f"{label}:{extent}" for label, extent in lengths.items())
            rows.writerow([n, family, family.replace(" ", "_"), equation, text, text])


def bound(case, peak, bandwidth):
    """GFLOP/s that a case can have, and what bounds it: arithmetic, or moving each element once. Nothing without both rates."""
    if not peak or not bandwidth:
        return None
    arithmetic, memory = case["gflop"] / peak, case["bytes"] / (bandwidth * 1e9)
    return case["gflop"] / max(arithmetic, memory), "arithmetic" if arithmetic >= memory else "memory"


def judged(results, own, others, bandwidth):
    """For each case that we and a peer have computed: it, our speed, its best peer and that one's speed, the ratio, the bound."""
    found = []
    for case in results["cases"]:
        ours, best = speed(case, own, "best"), best_peer(case, others, "best")
        if ours and best:
            found.append((case, ours, best, ours / best[1], bound(case, results["peak"], bandwidth)))
    return found


def holds(ours, ratio, limit):
    return ratio >= 1 or limit is not None and ours >= REACHED * limit[0]


def report(results, own, others, bandwidth, worst):
    """Prints the tables."""
    rows = judged(results, own, others, bandwidth)
    if not rows:
        raise SystemExit("no case was computed by us and by a peer")
    print(f"{results['dtype']}, threads: {results['threads']}, best of {results['reps']}, {results['machine']}, {results['date']}; "
          f"peers: {', '.join(others)}.\n")
    print("| family | cases | ratio to the best peer | worst | hold |\n|---|---|---|---|---|")

    def line(name, rows):
        ratios = [ratio for _, _, _, ratio, _ in rows]
        held = sum(holds(ours, ratio, limit) for _, ours, _, ratio, limit in rows)
        print(f"| {name} | {len(rows)} | {geometric_mean(ratios):.2f} | {min(ratios):.2f} | {held} |")
    for family in sorted({case["group"] for case, *_ in rows}):
        line(family, [row for row in rows if row[0]["group"] == family])
    line("**all**", rows)
    print(f"\nThe {worst} cases with the least ratio; GFLOP/s.\n")
    print("| case | contraction | extents | best peer | its speed | ours | ratio | bound | share of it | method |\n|---|---|---|---|---|---|---|---|---|---|")
    for case, ours, (name, theirs), ratio, limit in sorted(rows, key=lambda row: row[3])[:worst]:
        of = f"{limit[1]} | {100 * ours / limit[0]:.0f} %" if limit else " | "
        method = case["libs"][own].get("method") or ""
        print(f"| {case['id']} | `{case['einsum']}` | {extents(case)} | {name} | {theirs:.1f} | {ours:.1f} | {ratio:.2f} | {of} | {method} |")
    missing = [case["id"] for case in results["cases"] if not speed(case, own, "best")]
    if missing:
        print(f"\nNot computed by us, or with another result: {missing}")


def asked(options):
    """What is asked of a drawn list, and of the tables."""
    options.add_argument("--count", type=int, default=5, help="cases; with --family all, of each family")
    options.add_argument("--family", default="all", help="one family, `all` for the same number of each, or `any`")
    options.add_argument("--bandwidth", type=float, default=0, help="GB/s that memory moves, for the bound")
    options.add_argument("--worst", type=int, default=20)


def list_beside(a):
    """The path of the list that is drawn for the results in `--out`."""
    return os.path.splitext(a.out)[0] + ".csv"


def main():
    options = peers.options()
    options.description = __doc__.split("\n")[0]
    options.add_argument("--seed", type=int, default=1)
    asked(options)
    options.add_argument("--own", help="the library to compare with the others (tensorwrapper)")
    options.add_argument("--again", action="store_true", help="print the tables of what is in --out")
    options.set_defaults(out="tournament.json")
    a = options.parse_args()
    if not a.again:
        a.list = list_beside(a)
        write(drawn(a.seed, a.count, a.family), a.list)
        there = peers.start(a)
        peers.compare(a, there, a.list, a.dtype, peers.machine(), a.out)
        for program in there:
            program.close()
        print()
    results = load(a.out)
    results["peak"] = a.peak or results["peak"]
    own = own_name(results, a.own)
    report(results, own, peer_names(results, own), a.bandwidth, a.worst)


if __name__ == "__main__":
    sys.exit(main())
