"""Errors of elementary functions against MPFR and mpmath, in units of the last place.

    python3 -m venv venv && venv/bin/pip install numpy gmpy2 mpmath
    cargo build --release --example bench_functions
    venv/bin/python benches/peers/function_errors.py [--draws 10000000] [--seed 1] [--only NAME] [--dtype f64,f32]

The unit is the distance of neighbouring numbers between the powers of two around the exact value; where these are subnormal it is the
least number that there is. Infinity stands for the power of two behind the largest number, and for everything beyond.

f64: arguments are drawn in four ways. `binades`: the binades of the interval where the function does more than return what all
others return, each as often; `--draws` is their number. One tenth as many each: `all`, the binades of all numbers, subnormal ones
included; `range`, evenly from an interval; `near`, neighbours of places where a method may change: multiples of π/4 for sin and cos
and of ln 2 / 2 or / 4 for exp and tanh, one, and what has a power of two as its power. And `special`: zeros, infinities and the like.
Values of MPFR have 120 bits; on one of a hundred arguments they are compared with those of mpmath, which must be the same to 2^-110.
Arguments are given in the order of drawing, so that all sizes are neighbours, and again by size; `other bits` counts results that differ.

f32: every number, by the program itself, against its own function of f64, in the order of the numbers and scattered. Exponents
are rounded to f32. `other bits` says whether all results are the same in both orders.
"""

import argparse
import math
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import gmpy2
import mpmath
import numpy

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "target/release/examples/bench_functions"
PIECE = 200_000
SPECIAL = [0.0, math.inf, math.nan, 5e-324, 1.1125369292536007e-308, 2.2250738585072014e-308, 1.7976931348623157e308, 1.0, 1.5, 2.0, 3e9]


@dataclass
class Function:
    by_mpfr: Callable
    by_mpmath: Callable
    binades: tuple
    range: tuple
    is_signed: bool
    centres: Callable


def multiples(step, most):
    return lambda rng, count: step * rng.integers(1, most + 1, count)


def roots(p):
    """One, and numbers whose p-th powers are powers of two."""

    def centres(rng, count):
        with numpy.errstate(over="ignore"):
            drawn = numpy.exp2(rng.integers(-1074, 1025, count) / p)
        usual = numpy.isfinite(drawn) & (drawn > 0) & (rng.integers(0, 2, count) == 1)
        return numpy.where(usual, drawn, 1.0)

    return centres


def power(p):
    exponent = gmpy2.mpfr(p)
    span = math.ceil(min(1075 / abs(p), 1074))
    return Function(
        lambda x: gmpy2.mpfr(x) ** exponent,
        lambda x: x**p,
        (-span, min(span, 1024)),
        (0.5, 2.0),
        isinstance(p, int),
        roots(p),
    )


gmpy2.get_context().precision = 120
mpmath.mp.prec = 120
FUNCTIONS = {
    "exp": Function(gmpy2.exp, mpmath.exp, (-60, 10), (-745.0, 709.7), True, multiples(math.log(2) / 2, 2150)),
    "ln": Function(gmpy2.log, mpmath.log, (-1074, 1024), (0.5, 2.0), False, roots(2)),
    "tanh": Function(gmpy2.tanh, mpmath.tanh, (-60, 10), (-1.0, 1.0), True, multiples(math.log(2) / 4, 128)),
    "sin": Function(gmpy2.sin, mpmath.sin, (-60, 20), (-10.0, 10.0), True, multiples(math.pi / 4, 1_300_000)),
    "cos": Function(gmpy2.cos, mpmath.cos, (-60, 20), (-10.0, 10.0), True, multiples(math.pi / 4, 1_300_000)),
    "sqrt": Function(gmpy2.sqrt, mpmath.sqrt, (-1074, 1024), (0.5, 2.0), False, roots(0.5)),
    "x^1.7": power(1.7),
    "x^-0.3": power(-0.3),
    "x^13.25": power(13.25),
    "x^3": power(3),
    "x^-5": power(-5),
}
SINGLE = [*FUNCTIONS, "x^4", "x^7", "x^-1", "x^31", "x^-64"]


def in_binades(rng, count, least, end):
    """Numbers of which as many are in each binade, also in those of subnormal numbers."""
    exponents = rng.integers(least, end, count)
    digits = rng.integers(0, 1 << 52, count)
    leading = numpy.int64(1) << numpy.clip(exponents + 1074, 0, 52)
    below = leading | digits & (leading - 1)
    return numpy.where(exponents < -1022, below, (exponents + 1023) << 52 | digits).view(numpy.float64)


def neighbours(rng, centres):
    """Numbers so many steps away, near ones more often."""
    steps = numpy.exp2(rng.uniform(0, 40, centres.size)).astype(numpy.int64) - 1
    bits = centres.view(numpy.int64) + rng.choice([-1, 1], centres.size) * steps
    return numpy.clip(bits, 0, 0x7FEF_FFFF_FFFF_FFFF).view(numpy.float64)


def draw(function, draws, rng):
    few = math.ceil(draws / 10)
    drawn = {
        "binades": in_binades(rng, draws, *function.binades),
        "all": in_binades(rng, few, -1074, 1024),
        "range": rng.uniform(*function.range, few),
        "near": neighbours(rng, function.centres(rng, few)),
    }
    if function.is_signed:
        drawn = {how: numpy.copysign(x, rng.uniform(-1, 1, x.size)) if how != "range" else x for how, x in drawn.items()}
    return drawn | {"special": numpy.array([sign * x for x in SPECIAL for sign in (1, -1)])}


def values(name, x):
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder) / "given", Path(folder) / "found"
        x.astype("<f8").tofile(given)
        subprocess.run([PROGRAM, "--values", name, given, found], check=True)
        return numpy.fromfile(found, "<f8")


def units(exact, found):
    """The error of a number, by the exact value of MPFR."""
    if exact == found or gmpy2.is_nan(exact) and math.isnan(found):
        return 0.0
    if gmpy2.is_nan(exact) or math.isnan(found) or gmpy2.is_infinite(exact):
        return math.inf
    if math.isinf(found):
        found = gmpy2.copy_sign(max(abs(exact), gmpy2.exp2(1024)), gmpy2.mpfr(found))
    # The unit is 2^-shift.
    shift = 52 - (max(gmpy2.get_exp(exact) - 1, -1022) if exact else -1022)
    return float(gmpy2.mul_2exp(abs(exact - found), shift) if shift > 0 else gmpy2.div_2exp(abs(exact - found), -shift))


def difference(function, x, exact):
    """By how much mpmath's values differ, relatively."""
    most = mpmath.mpf(0)
    for argument, value in zip(x, exact):
        if gmpy2.is_finite(value) and value:
            digits, exponent = value.as_mantissa_exp()
            value = mpmath.mpf((int(digits), int(exponent)))
            most = max(most, abs(function.by_mpmath(mpmath.mpf(argument)) / value - 1))
    return most


class Found:
    def __init__(self):
        self.worst, self.at, self.how = 0.0, 0.0, "binades"
        self.draws = self.misrounded = self.unlike = 0
        self.difference = mpmath.mpf(0)

    def add(self, function, how, x, y):
        exact = list(map(function.by_mpfr, x.tolist()))
        rounded = numpy.array(list(map(float, exact)))
        errors = numpy.array(list(map(units, exact, y.tolist())))
        place = int(errors.argmax())
        if errors[place] > self.worst:
            self.worst, self.at, self.how = errors[place], x[place], how
        numbers = ~(numpy.isnan(rounded) & numpy.isnan(y))
        self.draws += x.size
        self.misrounded += int(numpy.count_nonzero((rounded != y) & numbers))
        self.unlike += int(numpy.count_nonzero((numpy.signbit(rounded) != numpy.signbit(y)) & numbers))
        self.difference = max(self.difference, difference(function, x[::100].tolist(), exact[::100]))


def measure(name, draws, seed, ways):
    function, found = FUNCTIONS[name], Found()
    drawn = draw(function, draws, numpy.random.default_rng([seed, *name.encode()]))
    others = 0
    for how in ways:
        x = drawn[how]
        y = values(name, x)
        order = numpy.argsort(x)
        others += int(numpy.count_nonzero(values(name, x[order]).view(numpy.int64) != y[order].view(numpy.int64)))
        for start in range(0, x.size, PIECE):
            found.add(function, how, x[start : start + PIECE], y[start : start + PIECE])
    return found, others


def single(name):
    """The errors in both orders, and whether the values are the same."""
    lines = subprocess.run([PROGRAM, "--every", name], check=True, capture_output=True, text=True).stdout.splitlines()
    rows = [line.split(": ")[1].split(", ") for line in lines]
    for line, (error, misrounded, unlike, _) in zip(lines, rows):
        worst, _, _, at = error.split()
        yield f"{line.split(':')[0]} | {worst} | {at} | {int(misrounded.split()[0]) / 2**32:.3%} | {unlike.split()[0]}"
    yield "no" if rows[0][-1] == rows[1][-1] else "yes"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=10_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="functions, as exp,x^1.7")
    parser.add_argument("--ways", default="binades,all,range,near,special", help="of drawing arguments of f64")
    parser.add_argument("--dtype", default="f64,f32")
    options = parser.parse_args()
    only = options.only.split(",") if options.only else SINGLE
    if "f64" in options.dtype:
        print(f"{gmpy2.mpfr_version()}, mpmath {mpmath.__version__}\n")
        print("| f64 | draws | greatest error, ULP | at | drawn from | not nearest | other sign | other bits | MPFR - mpmath |")
        print("|---|---|---|---|---|---|---|---|---|", flush=True)
        for name in filter(FUNCTIONS.__contains__, only):
            found, others = measure(name, options.draws, options.seed, options.ways.split(","))
            share = found.misrounded / found.draws
            apart = f"2^{float(mpmath.log(found.difference, 2)):.0f}" if found.difference else "0"
            print(f"| {name} | {found.draws} | {found.worst:.4f} | {float(found.at)!r} | {found.how} | {share:.3%} | {found.unlike} "
                  f"| {others} | {apart} |", flush=True)
    if "f32" in options.dtype:
        print("\n| f32 | order | greatest error, ULP | at | not nearest | other sign | other bits |\n|---|---|---|---|---|---|---|", flush=True)
        for name in only:
            *orders, others = single(name)
            for order in orders:
                print(f"| {name} | {order} | {others} |", flush=True)


if __name__ == "__main__":
    main()
