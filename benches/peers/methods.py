"""Operators and methods of whole arrays, by NumPy and by tensorwrapper, in turn.

    python3 -m venv venv && venv/bin/pip install numpy
    cargo build --release --features rand --example bench_methods
    venv/bin/python benches/peers/methods.py [--threads N] [--rounds 3] [--only NAME]

Both make their results anew, from the same elements; NumPy has one thread. Each figure is the least time of many runs, and of all rounds.
The table is that of `docs/results/methods.md`.
"""

import argparse
import os
import subprocess
from pathlib import Path

# Read when NumPy is loaded: its products would take two threads otherwise.
os.environ |= dict.fromkeys(["OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"], "1")

import numpy  # noqa: E402

from functions import least_time  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


def drawn(count, state):
    numbers = numpy.empty(count)
    for n in range(count):
        state = state * 48271 % 2147483647
        numbers[n] = state / 2147483647 - 0.5
    return numbers, state


class Operands:
    def __init__(self, number):
        columns = 40 if number <= 1000 else 1000
        shape = (number // columns, columns)
        root = int(number**0.5)
        numbers, state = drawn(number, 1)
        self.a = numbers.reshape(shape)
        numbers, state = drawn(number, state)
        self.b = numbers.reshape(shape) + 1
        self.whole = numpy.round(self.a * 100)
        self.mask = self.a > 0
        self.other = self.mask.copy()
        self.none = self.a > 1
        self.every = self.a < 1
        self.row, state = drawn(columns, state)
        self.short, _ = drawn(root, state)
        self.rows = numpy.argsort(self.a[:, 0])
        self.order = numpy.argsort(self.a, axis=1)
        self.nested = self.a.tolist()
        self.counts = self.whole.astype(numpy.int32)
        side = round(number ** (1 / 3))
        self.square = self.whole.flat[: side * side].reshape(side, side).astype(numpy.int64)
        self.large = self.square << 50
        self.target = self.a.copy()
        self.drawn = numpy.random.default_rng(7)
        self.number = number


def in_place(o):
    o.target += o.b


def subtracted_in_place(o):
    o.target -= o.b


OPERATIONS = {
    "a + b": lambda o: o.a + o.b,
    "a - b": lambda o: o.a - o.b,
    "a * b": lambda o: o.a * o.b,
    "a / b": lambda o: o.a / o.b,
    "2.0 * a": lambda o: 2.0 * o.a,
    "-a": lambda o: -o.a,
    "a += b": in_place,
    "a -= b": subtracted_in_place,
    "sum": lambda o: o.a.sum(),
    "sum_along(0)": lambda o: o.a.sum(axis=0),
    "sum_along(1)": lambda o: o.a.sum(axis=1),
    "prod": lambda o: o.b.prod(),
    "prod_along(0)": lambda o: o.b.prod(axis=0),
    "prod_along(1)": lambda o: o.b.prod(axis=1),
    "mean": lambda o: o.a.mean(),
    "mean_along(0)": lambda o: o.a.mean(axis=0),
    "mean_along(1)": lambda o: o.a.mean(axis=1),
    "var": lambda o: o.a.var(),
    "var_along(0)": lambda o: o.a.var(axis=0),
    "var_along(1)": lambda o: o.a.var(axis=1),
    "sample_var": lambda o: o.a.var(ddof=1),
    "std": lambda o: o.a.std(),
    "std_along(0)": lambda o: o.a.std(axis=0),
    "std_along(1)": lambda o: o.a.std(axis=1),
    "max": lambda o: o.a.max(),
    "min": lambda o: o.a.min(),
    "max_along(0)": lambda o: o.a.max(axis=0),
    "max_along(1)": lambda o: o.a.max(axis=1),
    "min_along(0)": lambda o: o.a.min(axis=0),
    "min_along(1)": lambda o: o.a.min(axis=1),
    "argmax": lambda o: o.a.argmax(),
    "argmin": lambda o: o.a.argmin(),
    "argmax_along(0)": lambda o: o.a.argmax(axis=0),
    "argmax_along(1)": lambda o: o.a.argmax(axis=1),
    "argmin_along(0)": lambda o: o.a.argmin(axis=0),
    "argmin_along(1)": lambda o: o.a.argmin(axis=1),
    "cumsum_along(0)": lambda o: o.a.cumsum(axis=0),
    "cumsum_along(1)": lambda o: o.a.cumsum(axis=1),
    "cumprod_along(0)": lambda o: o.b.cumprod(axis=0),
    "cumprod_along(1)": lambda o: o.b.cumprod(axis=1),
    "sort_along(0)": lambda o: numpy.sort(o.a, axis=0),
    "sort_along(1)": lambda o: numpy.sort(o.a, axis=1),
    "argsort_along(0)": lambda o: numpy.argsort(o.a, axis=0, kind="stable"),
    "argsort_along(1)": lambda o: numpy.argsort(o.a, axis=1, kind="stable"),
    "unique": lambda o: numpy.unique(o.whole),
    "less": lambda o: o.a < o.b,
    "greater_equal": lambda o: o.a >= o.b,
    "equal": lambda o: o.a == 0.0,
    "not_equal": lambda o: o.a != o.b,
    "select": lambda o: numpy.where(o.mask, o.a, o.b),
    "compress": lambda o: o.a[o.mask],
    "count": lambda o: numpy.count_nonzero(o.mask),
    "any": lambda o: o.none.any(),
    "all": lambda o: o.every.all(),
    "mask & mask": lambda o: o.mask & o.other,
    "mask | mask": lambda o: o.mask | o.other,
    "!mask": lambda o: ~o.mask,
    "map(x * x)": lambda o: o.a * o.a,
    "map_inplace(-x)": lambda o: numpy.negative(o.target, out=o.target),
    "zip_map(x * y)": lambda o: o.a * o.b,
    "clip": lambda o: o.a.clip(-0.25, 0.25),
    "abs": lambda o: numpy.abs(o.a),
    "exp": lambda o: numpy.exp(o.a),
    "ln": lambda o: numpy.log(o.b),
    "sin": lambda o: numpy.sin(o.a),
    "cos": lambda o: numpy.cos(o.a),
    "tanh": lambda o: numpy.tanh(o.a),
    "powf(1.5)": lambda o: o.b**1.5,
    "sqrt": lambda o: numpy.sqrt(o.a),
    "powi(2)": lambda o: o.a**2,
    "norm": lambda o: numpy.linalg.norm(o.a),
    "round": lambda o: o.b.round(),
    "floor": lambda o: numpy.floor(o.b),
    "ceil": lambda o: numpy.ceil(o.b),
    "sign": lambda o: numpy.sign(o.a),
    "iter": lambda o: sum(o.a.flat),
    "indices": lambda o: sum(o.a[at] for at in numpy.ndindex(o.a.shape)),
    "lanes": lambda o: [row.sum() for row in o.a],
    "concatenate(0)": lambda o: numpy.concatenate([o.a, o.b], axis=0),
    "concatenate(1)": lambda o: numpy.concatenate([o.a, o.b], axis=1),
    "stack(2)": lambda o: numpy.stack([o.a, o.b], axis=2),
    "split(0)": lambda o: numpy.split(o.a, 5, axis=0),
    "chips(0)": lambda o: list(o.a),
    "pad": lambda o: numpy.pad(o.a, ((1, 1), (2, 2))),
    "roll(1)": lambda o: numpy.roll(o.a, 3, axis=1),
    "tile": lambda o: numpy.tile(o.a, (1, 2)),
    "take(0)": lambda o: o.a.take(o.rows, axis=0),
    "take_along(1)": lambda o: numpy.take_along_axis(o.a, o.order, axis=1),
    "t": lambda o: o.a.T,
    "transpose": lambda o: o.a.T.copy(),
    "tril": lambda o: numpy.tril(o.a),
    "triu": lambda o: numpy.triu(o.a),
    "diag": lambda o: numpy.diag(o.row),
    "dot": lambda o: o.a.dot(o.row),
    "matmul": lambda o: numpy.matmul(o.a, o.row),
    "outer": lambda o: numpy.outer(o.short, o.short),
    "kron": lambda o: numpy.kron(o.short, o.short),
    "from_array": lambda o: numpy.array(o.nested),
    "ones": lambda o: numpy.ones(o.number),
    "zeros": lambda o: numpy.zeros(o.number),
    "filled": lambda o: numpy.full(o.number, 2.5),
    "eye": lambda o: numpy.eye(o.short.size),
    "arange": lambda o: numpy.arange(o.number, dtype=float),
    "linspace": lambda o: numpy.linspace(0, 1, o.number),
    "random": lambda o: o.drawn.random(o.number),
    "uniform": lambda o: o.drawn.uniform(-1.0, 1.0, o.number),
    "normal": lambda o: o.drawn.normal(0.0, 1.0, o.number),
    "allclose": lambda o: numpy.allclose(o.a, o.a, rtol=1e-12, atol=0),
    "einsum_path": lambda o: numpy.einsum_path("ij,kj,kl,l->i", o.a, o.b, o.a, o.row),
    "[i, j] = clip(a[i, j], -0.25, 0.25)": lambda o: o.a.clip(-0.25, 0.25),
    "[i, j] = a[i, j] < b[i, j]": lambda o: o.a < o.b,
    "[i, j] = select(a[i, j] > 0; a[i, j], 0)": lambda o: numpy.where(o.a > 0, o.a, 0.0),
    "[i, j] = select(m[i, j]; a[i, j], b[i, j])": lambda o: numpy.where(o.mask, o.a, o.b),
    "[] = sum(i, j; select(a[i, j] > 0; 1, 0))": lambda o: numpy.count_nonzero(o.a > 0),
    "[i] = argmax(j; a[i, j])": lambda o: o.a.argmax(axis=1),
    "[i] = argmin(j; a[i, j])": lambda o: o.a.argmin(axis=1),
    "[i] = mean(j; a[i, j])": lambda o: o.a.mean(axis=1),
    "[i] = var(j; a[i, j])": lambda o: o.a.var(axis=1),
    "[i] = std(j; a[i, j])": lambda o: o.a.std(axis=1),
    "[i, j] = a[i, j] * iota[j]": lambda o: o.a * numpy.arange(o.a.shape[1]),
    "2 n + n * n, i32": lambda o: 2 * o.counts + o.counts * o.counts,
    "matrix product, i64": lambda o: o.square @ o.square,
    "matrix product, i64, large": lambda o: o.large @ o.large,
}


# A Rust array of a million numbers does not fit on the stack.
ONLY_SMALL = {"from_array"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", default="1")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only")
    options = parser.parse_args()
    program = [ROOT / "target/release/examples/bench_methods"]
    environment = os.environ | {"RAYON_NUM_THREADS": options.threads}
    ours = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)

    def our_time(operation, number):
        print(operation, number, file=ours.stdin, flush=True)
        return float(ours.stdout.readline())

    sizes = {number: Operands(number) for number in (1000, 1_000_000)}
    print("| operation | NumPy, µs | µs | ratio | NumPy, µs | µs | ratio |")
    print("|---|---|---|---|---|---|---|")
    for operation in [options.only] if options.only else OPERATIONS:
        row = []
        for number, operands in sizes.items():
            if number > 1000 and operation in ONLY_SMALL:
                row += ["", "", ""]
                continue
            pairs = [(least_time(lambda: OPERATIONS[operation](operands), number), our_time(operation, number)) for _ in range(options.rounds)]
            theirs, own = (min(times) * 1e6 for times in zip(*pairs))
            row += [f"{theirs:.3g}", f"{own:.3g}", f"{own / theirs:.2f}"]
        print(f"| `{operation}` | {' | '.join(row)} |", flush=True)
    ours.stdin.close()


if __name__ == "__main__":
    main()
