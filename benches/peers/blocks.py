#!/usr/bin/env python3
"""Times products of block tensors by symmray and NumPy, in turn with ours.

    python blocks.py --program ../../target/release/examples/bench_blocks [--threads 1] [--rounds 5]

prints a table of microseconds: for each case the median of our prepared run into a result that exists, of a call whose plan is kept,
of planning, of our dense product, and of the peer. symmray (`pip install
symmray`) computes the U(1) products, NumPy the dense product of the particle ladder. All run on the same threads.
"""
import argparse, json, os, statistics, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
BONDS = os.path.join(HERE, "../../examples/data/structured/u1_bonds.json")


def median(run, least=0.3):
    """The median time of a run, in microseconds."""
    run()
    begun, times = time.perf_counter(), []
    while len(times) < 5 or time.perf_counter() - begun < least:
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1e6)
    return statistics.median(times)


def symmray_cases():
    import numpy as np, symmray
    index = lambda axis, dual: symmray.BlockIndex(dict(zip(axis["charges"], axis["extents"])), dual=dual)
    site = {"charges": [-1, 1], "extents": [1, 1]}
    random = np.random.default_rng(1)
    for bond in json.load(open(BONDS))["bonds"]:
        l, m, r = bond["l"], bond["m"], bond["r"]
        fill = lambda shape: random.uniform(-1, 1, shape)
        make = lambda *axes: symmray.U1Array.from_fill_fn(fill, [index(axis, dual) for axis, dual in axes], charge=0)
        a, b = make((l, False), (site, False), (m, True)), make((m, False), (site, False), (r, True))
        yield f"u1-{bond['size']}", "symmray", lambda a=a, b=b: symmray.tensordot(a, b, axes=([2], [0]))


def numpy_cases():
    import numpy as np
    random = np.random.default_rng(1)
    tau, w = random.uniform(-1, 1, (10, 10, 38, 38)), random.uniform(-1, 1, (38, 38, 38, 38))
    yield "ladder", "numpy", lambda: np.einsum("ijef,efab->ijab", tau, w, optimize=True)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--program", required=True)
    options.add_argument("--threads", default="1")
    options.add_argument("--rounds", type=int, default=5)
    a = options.parse_args()
    if os.environ.get("OMP_NUM_THREADS") != a.threads:
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **{name: a.threads for name in names}})
    cases = [*symmray_cases(), *numpy_cases()]
    ours, theirs = {}, {}
    for _ in range(a.rounds):
        lines = subprocess.run([a.program, "--threads", a.threads], check=True, capture_output=True, text=True).stdout.splitlines()
        for name, _, prepared, _, called, _, planning, _, dense, *work in map(str.split, lines):
            ours.setdefault(name, []).append((float(prepared), float(called), float(planning), float(dense), " ".join(work)))
        for name, peer, run in cases:
            theirs.setdefault(name, (peer, []))[1].append(median(run))
    print("| case | prepared | called | planning | own dense | peer | its time | work |\n|---|---|---|---|---|---|---|---|")
    for name, rows in ours.items():
        times = [statistics.median(column) for column in list(zip(*rows))[:4]]
        peer, its = theirs.get(name, ("", []))
        its = f"{statistics.median(its):.1f}" if its else ""
        print(f"| {name} | {' | '.join(f'{time:.1f}' for time in times)} | {peer} | {its} | {rows[0][4]} |")


if __name__ == "__main__":
    main()
