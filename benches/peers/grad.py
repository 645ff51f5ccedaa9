"""Values and their derivatives, by JAX and by tensorwrapper: same operands, same number of threads, in turn.

    python3 -m venv venv && venv/bin/pip install jax numpy opt_einsum
    cargo build --release --example bench_grad
    venv/bin/python benches/peers/grad.py --program lagrangian --threads 1 --reps 9 [--clock cpu]

JAX compiles value and derivatives together (`jax.jit` of `value_and_grad`, in double precision), tensorwrapper plans them together; each
runs in a process of its own. The programs:

* `layers`: two dense layers, 256×784×512×10, with tanh and the logarithm of probabilities; by all parameters. `layers_hvp`: second
  derivatives along a direction.
* `deep`: 64 layers tanh(h·W) of one matrix 64×64 over 4096 rows, and the sum of the squares of what they make. `--memory 0.25` lets
  tensorwrapper take a quarter of the memory that it takes otherwise.
* `chain`: the trace of the product of 100 matrices of 64×64, by each of them.
* `lagrangian`: the residuals of coupled cluster (5 occupied, 19 empty orbitals), each times its multiplier, by the amplitudes. JAX reads
  the terms from `examples/ccsd_naive/equations.rs`, one `einsum` for each product.

Value and the norm of all derivatives must agree.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parents[2]
AGREE = 1e-9


def draw(program):
    """The operands by their names."""
    rng = numpy.random.default_rng(7)
    normal = lambda *extents: rng.standard_normal(extents)
    if program.startswith("layers"):
        labels = numpy.eye(10)[rng.integers(0, 10, 256)]
        shapes = {"W1": (784, 512), "b1": (512,), "W2": (512, 10), "b2": (10,)}
        operands = {"x": normal(256, 784), "y": labels}
        for name, shape in shapes.items():
            operands[name] = normal(*shape) / 30
            operands["d" + name] = normal(*shape)
        return operands
    if program == "deep":
        return {"x": normal(4096, 64), "W": normal(64, 64) / 8}
    if program == "chain":
        return {f"A{n:03}": normal(64, 64) / 8 for n in range(100)}
    o, v = 5, 19
    extents = {"o": o, "v": v}
    blocks = {name: tuple(extents[kind] for kind in name) for name in ("oooo", "ooov", "oovv", "ovov", "ovvv", "vvvv")}
    operands = {name: normal(*shape) / 10 for name, shape in blocks.items()}
    operands |= {"eo": -2 + normal(o) / 10, "ev": 2 + normal(v) / 10}
    operands |= {"t1": normal(o, v) / 10, "t2": normal(o, o, v, v) / 10, "m1": normal(o, v), "m2": normal(o, o, v, v)}
    return operands


def layers(jnp):
    def value(p, q):
        z = jnp.tanh(q["x"] @ p["W1"] + p["b1"]) @ p["W2"] + p["b2"]
        most = z.max(1, keepdims=True)
        total = jnp.log(jnp.exp(z - most).sum(1)) + most[:, 0]
        return (total.sum() - (z * q["y"]).sum()) / z.shape[0]

    return ["W1", "b1", "W2", "b2"], value


def deep(jnp):
    def value(p, q):
        h = q["x"]
        for _ in range(64):
            h = jnp.tanh(h @ p["W"])
        return (h * h).sum()

    return ["W"], value


def chain(jnp):
    def value(p, q):
        product = p["A000"]
        for name in sorted(p)[1:]:
            product = product @ p[name]
        return jnp.trace(product)

    return [f"A{n:03}" for n in range(100)], value


def terms(name):
    """The terms of an equation of `ccsd_naive`: a factor, and operands with their labels."""
    text = (ROOT / "examples/ccsd_naive/equations.rs").read_text()
    body = re.search(rf"let {name}\[[a-z,]+\] =\n(.*?);\n", text, re.S).group(1)
    body = re.sub(r"//.*", "", body).replace("\n", " ")
    for sign, term in re.findall(r"([+-]?)\s*([^+-]+)", body.strip()):
        factor, operands = (-1.0 if sign == "-" else 1.0), []
        for part in (part.strip() for part in term.split("*")):
            read = re.fullmatch(r"(\w+)\[([a-z,]+)\]", part)
            if read:
                operands.append((read.group(1), read.group(2).replace(",", "")))
            else:
                factor *= float(part)
        yield factor, operands


def lagrangian(jnp):
    equations = {name: list(terms(name)) for name in ("singles", "both", "half")}

    def value(p, q):
        every = {**q, **p}

        def total(name, axes):
            parts = (
                factor * jnp.einsum(",".join(labels for _, labels in operands) + "->" + axes,
                                    *[every[operand] for operand, _ in operands], optimize="optimal")
                for factor, operands in equations[name]
            )
            return sum(parts)

        eo, ev = q["eo"], q["ev"]
        half = total("half", "ijab")
        doubles = total("both", "ijab") + half + half.transpose(1, 0, 3, 2)
        next1 = total("singles", "ia") / (eo[:, None] - ev)
        pairs = (eo[:, None] + eo)[:, :, None, None] - (ev[:, None] + ev)
        return (q["m1"] * next1).sum() + (q["m2"] * doubles / pairs).sum()

    return ["t1", "t2"], value


PROGRAMS = {"layers": layers, "layers_hvp": layers, "deep": deep, "chain": chain, "lagrangian": lagrangian}


def jax_worker(program, folder):
    """Behind the protocol of examples/bench_grad."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    operands = {path.stem: jnp.asarray(numpy.load(path)) for path in Path(folder).glob("*.npy")}
    names, value = PROGRAMS[program](jnp)
    p = {name: operands[name] for name in names}
    q = {name: operand for name, operand in operands.items() if name not in p}
    if program.endswith("_hvp"):
        d = {name: operands["d" + name] for name in names}
        own = lambda p, q: (value(p, q), jax.jvp(lambda p: jax.grad(value)(p, q), (p,), (d,))[1])
    else:
        own = jax.value_and_grad(value)
    start = time.perf_counter()
    compiled = jax.jit(own).lower(p, q).compile()
    jax.block_until_ready(compiled(p, q))
    print(f"ready jax {jax.__version__}, compiled in {time.perf_counter() - start:.1f} s", flush=True)
    for _ in sys.stdin:
        wall, cpu = time.perf_counter(), time.process_time()
        result, derivatives = jax.block_until_ready(compiled(p, q))
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        norm = sum(float((one**2).sum()) for one in derivatives.values()) ** 0.5
        print(f"{wall:.9f} {cpu:.9f} {float(result):.12f} {norm:.12f}", flush=True)


class Program:
    """A process that takes a step whenever it is asked."""

    def __init__(self, name, command, threads):
        self.name, self.wall, self.cpu, self.found = name, [], [], None
        count = {key: str(threads) for key in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
        flags = "" if threads > 1 else "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
        environment = {**os.environ, **count, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags}
        if threads == 1 and hasattr(os, "sched_setaffinity"):
            command = ["taskset", "-c", "0", *command]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        for line in self.process.stdout:
            if line.startswith("ready"):
                self.ready = line.split(None, 1)[1].strip()
                break
        else:
            sys.exit(f"{name} ended before it was ready")

    def step(self):
        self.process.stdin.write("step\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if len(answer) != 4:
            sys.exit(f"{self.name} ended in a step")
        wall, cpu, *self.found = (float(word) for word in answer)
        self.wall.append(wall)
        self.cpu.append(cpu)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    parser = argparse.ArgumentParser(description="Derivatives against JAX")
    parser.add_argument("--program", choices=[*PROGRAMS, "all"], default="all")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--reps", type=int, default=9)
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall", help="cpu: for one thread on a machine shared with others")
    parser.add_argument("--memory", type=float, help="the part of its memory that tensorwrapper may take")
    parser.add_argument("--own", default="target/release/examples/bench_grad")
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return jax_worker(*options.worker)
    print("| program | JAX, ms | tensorwrapper, ms | ratio | |\n|---|---:|---:|---:|---|")
    chosen = PROGRAMS if options.program == "all" else [options.program]
    for program in chosen:
        with tempfile.TemporaryDirectory() as folder:
            for name, operand in draw(program).items():
                numpy.save(Path(folder) / f"{name}.npy", operand)
            peer = Program("jax", [sys.executable, __file__, "--worker", program, folder], options.threads)
            less = [] if options.memory is None else ["--memory", str(options.memory)]
            command = [options.own, program, folder, "--threads", str(options.threads), *less]
            own = Program("tensorwrapper", command, options.threads)
            for _ in range(options.reps):
                peer.step()
                own.step()
            peer.end()
            own.end()
        for mine, theirs in zip(own.found, peer.found):
            if not abs(mine - theirs) <= AGREE * abs(theirs):
                sys.exit(f"{program}: {mine} where JAX has {theirs}")
        first, second = (min(getattr(one, options.clock)) for one in (peer, own))
        print(f"| {program} | {1e3 * first:.2f} | {1e3 * second:.2f} | {second / first:.2f} | {peer.ready}; {own.ready} |", flush=True)


if __name__ == "__main__":
    main()
