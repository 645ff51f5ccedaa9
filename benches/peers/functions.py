"""Elementary functions of many elements, by NumPy and by tensorwrapper, in turn.

    python3 -m venv venv && venv/bin/pip install numpy
    cargo build --release --example bench_functions
    venv/bin/python benches/peers/functions.py [--threads N] [--rounds 3]

Both write into memory that is there, from the same arguments; NumPy has one thread. Each figure is the least time of many runs, and of
all rounds. The table is that of `docs/results/functions.md`.
"""

import argparse
import subprocess
import time
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = {
    "exp": (numpy.exp, 0),
    "ln": (numpy.log, 1),
    "tanh": (numpy.tanh, 0),
    "sin": (numpy.sin, 0),
    "cos": (numpy.cos, 0),
    "sqrt": (numpy.sqrt, 1),
    "powf": (lambda x, out: numpy.power(x, x.dtype.type(1.7), out=out), 1),
    "powi": (lambda x, out: numpy.power(x, x.dtype.type(3), out=out), 0),
}


def least_time(compute, number):
    least = float("inf")
    for _ in range(min(max(20_000_000 // number, 20), 3000)):
        start = time.perf_counter()
        compute()
        least = min(least, time.perf_counter() - start)
    return least


def numpy_time(function, dtype, number):
    compute, kind = FUNCTIONS[function]
    spread = 6 * numpy.arange(number) / number - 3
    x = (spread, 0.01 + abs(spread))[kind].astype(dtype)
    out = numpy.empty_like(x)
    return least_time(lambda: compute(x, out=out), number)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", default="1")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    program = [ROOT / "target/release/examples/bench_functions", "--threads", options.threads]
    ours = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def our_time(*request):
        print(*request, file=ours.stdin, flush=True)
        return float(ours.stdout.readline())

    print("| function | type | elements | NumPy, ns an element | ns an element | ratio |")
    print("|---|---|---|---|---|---|")
    for dtype in ("f64", "f32"):
        for number in (10_000, 1_000_000):
            for function in FUNCTIONS:
                pairs = [
                    (numpy_time(function, {"f64": "float64", "f32": "float32"}[dtype], number), our_time(function, dtype, number))
                    for _ in range(options.rounds)
                ]
                theirs, own = (min(times) * 1e9 / number for times in zip(*pairs))
                print(f"| {function} | {dtype} | {number} | {theirs:.3f} | {own:.3f} | {own / theirs:.2f} |", flush=True)
    ours.stdin.close()


if __name__ == "__main__":
    main()
