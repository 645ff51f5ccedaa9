#!/usr/bin/env python3
"""What was asked of the CUDA backend and what a GPU has given, as a page in Markdown.

    python3 benches/gpu_figures.py FOLDER [--key seconds|median_seconds] > page.md
    python3 benches/gpu_figures.py FOLDER --alone                           what `figures.txt` says, (e) to (g), and no more
    python3 benches/gpu_figures.py --predicted                              what an H200 allows, with empty places for what it does

FOLDER has what `peers_gpu.py --all FOLDER` has written, `tccg-f64.json` and so on, and `figures.txt`, what `gpu_check --figures` has
printed. Every number that is asked for is there, or is said to be missing: in its place, on standard error, and by exit status 1; a
sentence that lacks one is not held. A number that is not enough is no failure: the page says that it missed. Needs no package.
"""
import argparse
import json
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers"))
import peers  # noqa: E402
from products import elements, in_place  # noqa: E402

OWN = "tensorwrapper"
PEERS = ["torch", "jax", "cupy"]
DTYPES = ["f64", "f32", "c64"]
# The data sheet of an H200 (SXM): operations a second by tensor cores in `f64`, without them in `f32`; bytes a second.
PEAKS, BANDWIDTH = {"f64": 67e12, "f32": 67e12, "c64": 67e12}, 4.8e12
# Lists, and how many cases they have.
LISTS = {"tccg": 48, "further": 33}
FIRST = ["contraction", "element_wise", "permutation", "cholesky"]
PLANS = ["products", "element_wise", "reductions"]
# What was asked.
CUBLAS, SAME_SIZE, BEST_PEER, TORCH, COPY, STEP_US, FIRST_MS, CACHED_MS, POOL = 0.97, 0.80, 1.3, 1 / 1.05, 0.85, 5, 1000, 5, 1.1


class Missing(list):
    """What is not there, each once."""

    def note(self, what):
        if what not in self:
            self.append(what)


def load(folder, name, dtype, missing):
    """What was timed of a list; none of it where the file is not there."""
    path = os.path.join(folder, f"{name}-{dtype}.json")
    try:
        with open(path) as file:
            found = json.load(file)
    except (OSError, ValueError) as error:
        missing.note(f"{path}: {error}")
        return None
    if len(found["cases"]) != LISTS[name]:
        missing.note(f"{path}: {len(found['cases'])} cases instead of {LISTS[name]}")
    if "unknown" in found["machine"]:
        missing.note(f"{path}: which GPU it was")
    for program in [OWN, *PEERS, "cublas", "in_place", "copy"]:
        if program not in found["versions"]:
            missing.note(f"{path}: {program}, which was not there")
    return found


def ratios(found, key, where, missing):
    """For each case how many times as long others take as we do, by name; `None` where a number is missing."""
    times = [{name: lib[key] for name, lib in case["libs"].items() if lib["agrees"] is not False} for case in found["cases"]]
    peaks = [case["gflop"] / time["cublas"] for case, time in zip(found["cases"], times) if "cublas" in time]
    rows = []
    for case, time in zip(found["cases"], times):
        def ratio(name):
            if name in time and OWN in time:
                return time[name] / time[OWN]
            absent = OWN if OWN not in time else name
            why = "its result is not that of the others" if absent in case["libs"] else case["error"].get(absent, "it was not there")
            missing.note(f"{where}, case {case['id']}: {absent}: {why}")
            return None

        product = in_place(case["einsum"], case["extents"])
        peers = [(time[name], name) for name in PEERS if name in time]
        row = {"case": case, "own": time.get(OWN), "copy": ratio("copy"), "torch": ratio("torch")}
        row["matrices"] = product is not None and min(product.sizes[1:]) > 1
        row["in_place"] = ratio("in_place") if row["matrices"] else None
        row["same size"] = ratio("cublas") if found["list"] == "tccg.csv" else None
        row["peer"] = min(peers)[1] if peers else None
        # The best of two is not the best of three.
        known = [ratio(name) for name in PEERS]
        row["best peer"] = ratio(row["peer"]) if all(known) else None
        # Where a list does not say it: what takes longer, a copy or the operations at the best rate that cuBLAS has shown.
        by_bytes = "copy" in time and bool(peaks) and time["copy"] > case["gflop"] / max(peaks)
        row["by bytes"] = case["bound"] == "bytes" if case["bound"] else by_bytes
        rows.append(row)
    return rows


def least(rows, key, asked, wanted=lambda row: True):
    """What was found of cases that are all to reach something, and whether they do."""
    wanted = [row for row in rows if wanted(row)]
    known = [row for row in wanted if row[key]]
    if not known:
        return "missing", False
    worst = min(known, key=lambda row: row[key])
    reach = sum(row[key] >= asked for row in known)
    lost = f", {len(wanted) - len(known)} missing" if len(known) < len(wanted) else ""
    text = (f"least {percent(worst[key])} (case {worst['case']['id']}), mean {percent(mean(known, key))}, "
            f"{reach} of {len(wanted)} reach it{lost}")
    return text, reach == len(wanted)


def mean(rows, key):
    """The geometric mean."""
    return math.exp(sum(math.log(row[key]) for row in rows) / len(rows))


def on_average(rows, key, asked):
    known = [row for row in rows if row[key]]
    if not known:
        return "missing", False
    lost = f", {len(rows) - len(known)} of {len(rows)} cases missing" if len(known) < len(rows) else ""
    return f"{mean(known, key):.2f}{lost}", not lost and mean(known, key) >= asked


def percent(ratio):
    return f"{100 * ratio:.1f} %"


def sentences(rows, dtype):
    """(a) to (d): what was asked, what was found, and whether it holds."""
    tccg, every = rows["tccg"], rows["tccg"] + rows["further"]
    yield "a", f"products of matrices where they lie, {dtype}", "each at least 97 % of cuBLAS there", *least(
        every, "in_place", CUBLAS, lambda row: row["matrices"])
    yield "b", f"TCCG, {dtype}, geometric mean", "at least 0.80 of cuBLAS of the same size", *on_average(tccg, "same size", SAME_SIZE)
    yield "b", f"TCCG, {dtype}, geometric mean", "at least 1.30 times the best peer", *on_average(tccg, "best peer", BEST_PEER)
    yield "c", f"all cases, {dtype}", "each in at most 1.05 times torch's time", *least(every, "torch", TORCH)
    yield "d", f"cases bound by memory, {dtype}", "each at least 85 % of a copy", *least(
        every, "copy", COPY, lambda row: row["by bytes"])


def read_figures(folder, missing):
    """The lines `name value` of `gpu_check --figures`."""
    path = os.path.join(folder, "figures.txt")
    try:
        with open(path) as file:
            pairs = [line.split(None, 1) for line in file]
    except OSError as error:
        missing.note(str(error))
        return {}
    return {pair[0]: pair[1].strip() for pair in pairs if len(pair) == 2}


def told(figures, missing):
    """(e) to (g)."""
    def number(name):
        try:
            return float(figures[name])
        except (KeyError, ValueError) as error:
            missing.note(f"figures.txt: {name}: {error!r}")
            return None

    def within(names, asked, unit):
        found = [(name, number(name)) for name in names]
        text = ", ".join(f"{name} missing" if value is None else f"{name} {value:.3g} {unit}" for name, value in found)
        return text, all(value is not None and value < asked for _, value in found)

    step, (steps, as_one) = number("replayed_step_us"), (figures.get("replayed_steps"), figures.get("replayed_as_one"))
    if steps is None or as_one is None:
        missing.note("figures.txt: what was replayed")
    text = "missing" if step is None else f"{step:.2f} µs, {steps} steps, replayed as one: {as_one}"
    yield "e", "a replayed plan of 50 small steps", "at most 5 µs a step", text, (
        step is not None and step <= STEP_US and steps == "50" and as_one == "yes")
    yield "f", "first calls of new equations", "under 1 s", *within([f"first_{name}_ms" for name in FIRST], FIRST_MS, "ms")
    yield "f", "the same with kernels on the disk", "under 5 ms", *within([f"cached_{name}_ms" for name in FIRST], CACHED_MS, "ms")
    parts, holds = [], True
    for plan in PLANS:
        predicted, measured = (number(f"pool_{plan}_{what}_bytes") for what in ("predicted", "measured"))
        known = bool(predicted) and measured is not None
        holds = holds and known and measured <= POOL * predicted
        parts.append(f"{plan} {measured / predicted:.3f} of {predicted / 1e6:.3g} MB" if known else f"{plan} missing")
    yield "g", "memory of the pool against the predicted peak", "at most 1.1", ", ".join(parts), holds


def verdict(text, holds):
    return "held" if holds else "missing" if "missing" in text else "missed"


def cell(value, is_asked=True):
    return "" if not is_asked else "missing" if value is None else f"{value:.2f}"


def extents(case):
    """Labels of one extent together: `a b 312, c 24`."""
    by_extent = {}
    for label, extent in sorted(case["extents"].items()):
        by_extent.setdefault(extent, []).append(label)
    return ", ".join(f"{' '.join(labels)} {extent}" for extent, labels in by_extent.items())


def table(name, dtype, rows):
    yield f"\n### {name}, `{dtype}`\n"
    yield "| case | equation | extents | bound by | ms | GFLOP/s | GB/s | cuBLAS in place | cuBLAS, same size | copy | torch | best peer |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|---|"
    for row in rows:
        case, own = row["case"], row["own"]
        speeds = [f"{1e3 * own:.3f}", f"{case['gflop'] / own:.0f}", f"{case['bytes'] * 1e-9 / own:.0f}"] if own else ["missing"] * 3
        peer = f"{cell(row['best peer'])} {row['peer']}" if row["best peer"] else "missing"
        cells = [case["id"], f"`{case['einsum']}`", extents(case), "bytes" if row["by bytes"] else "operations", *speeds,
                 cell(row["in_place"], row["matrices"]), cell(row["same size"], name == "tccg"), cell(row["copy"]),
                 cell(row["torch"]), peer]
        yield "| " + " | ".join(map(str, cells)) + " |"


def verdicts(sentences):
    yield "| | figure | asked | found | |"
    yield "|---|---|---|---|---|"
    for letter, figure, asked, text, holds in sentences:
        yield f"| ({letter}) | {figure} | {asked} | {text} | {verdict(text, holds)} |"


def page(folder, key, missing):
    """The lines of the page."""
    found = {(name, dtype): load(folder, name, dtype, missing) for dtype in DTYPES for name in LISTS}
    rows = {(name, dtype): ratios(data, key, f"{name} in {dtype}", missing) if data else []
            for (name, dtype), data in found.items()}
    figures = read_figures(folder, missing)
    there = [data for data in found.values() if data]
    yield "## What was asked, and what was measured\n"
    for machine in sorted({f"{data['machine']}, {data['date']}" for data in there}) or ["missing: nothing was timed"]:
        yield f"* {machine}"
    for version in sorted({f"{name}: {about}" for data in there for name, about in data["versions"].items()}):
        yield f"* {version}"
    yield ("\nTimes are " + ("the least" if key == "seconds" else "the middle") + " of the repetitions, which are interleaved.\n")
    judged = [sentence for dtype in DTYPES for sentence in sentences({name: rows[name, dtype] for name in LISTS}, dtype)]
    yield from verdicts(sorted(judged, key=lambda sentence: sentence[0]) + list(told(figures, missing)))
    yield "\nIn the tables below others stand with their time divided by ours: above 1 we are quicker."
    for (name, dtype), lines in rows.items():
        if lines:
            yield from table(name, dtype, lines)


def roofline(row, dtype):
    """Seconds that operations and bytes of a case take at least, and its extents."""
    shape = peers.extents(row["extents_f32" if dtype == "f32" else "extents_f64"], 0, 0)
    operations = (8 if dtype == "c64" else 2) * math.prod(shape.values())
    size = {"f64": 8, "f32": 4, "c64": 16}[dtype]
    # What is only copied has no operations.
    by_operations = 0.0 if row.get("bound") == "bytes" else operations / PEAKS[dtype]
    return by_operations, size * sum(elements(row["einsum"], shape)) / BANDWIDTH, shape


def predicted():
    """The lines of tables of what is allowed, one for each list."""
    for name, count in LISTS.items():
        rows = peers.cases(os.path.join(os.path.dirname(peers.__file__), f"{name}.csv"))
        assert len(rows) == count
        yield f"\n### {name}\n"
        yield "| case | equation | extents | " + " | ".join(f"`{dtype}`, ms | measured" for dtype in DTYPES) + " |"
        yield "|---|---|---|" + "---|---|" * len(DTYPES)
        for row in rows:
            lines = [roofline(row, dtype) for dtype in DTYPES]
            cells = [f"{1e3 * max(operations, copied):.3g} {'o' if operations > copied else 'b'} | " for operations, copied, _ in lines]
            yield f"| {row['id']} | `{row['einsum']}` | {extents({'extents': lines[0][2]})} | " + " | ".join(cells) + " |"


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("folder", nargs="?")
    ap.add_argument("--key", choices=["seconds", "median_seconds"], default="seconds", help="the least or the middle repetition")
    ap.add_argument("--alone", action="store_true", help="only what `gpu_check --figures` has printed")
    ap.add_argument("--predicted", action="store_true", help="rooflines of the lists, without a GPU")
    a = ap.parse_args()
    if a.predicted:
        print("\n".join(predicted()))
        return 0
    if a.folder is None:
        ap.error("a folder is needed, or --predicted")
    missing = Missing()
    lines = verdicts(told(read_figures(a.folder, missing), missing)) if a.alone else page(a.folder, a.key, missing)
    for line in lines:
        print(line)
    for what in missing:
        print(f"MISSING {what}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
