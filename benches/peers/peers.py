#!/usr/bin/env python3
"""Time CPU einsum libraries on a list of contractions, interleaved.

Every library runs in its own process, so thread pools and environment settings
do not interfere. The driver sends each process one case at a time, in turn, and
keeps the best and the median of the repetitions. See README.md.
"""
import argparse, csv, datetime, json, os, platform, shlex, statistics, subprocess, sys, time
from products import elements

HERE = os.path.dirname(os.path.abspath(__file__))
DTYPES = {"f64": "float64", "f32": "float32", "c64": "complex128", "c32": "complex64"}
LIBS = ["numpy", "opt_einsum", "torch", "jax", "tblis"]


# ---------------------------------------------------------------- one library
def operand(np, shape, dtype, k):
    """Deterministic values in [-0.5, 0.5); the same formula in every program."""
    n = 1
    for s in shape:
        n *= s
    with np.errstate(over="ignore"):
        i = np.arange(n, dtype=np.uint32) * np.uint32(2654435761) + np.uint32(k * 40503)
    i ^= i >> np.uint32(15)
    x = (i.astype(np.float64) / 2.0**32 - 0.5).astype(DTYPES[dtype])
    return x.reshape(shape)


def summary(np, r):
    """Weighted sum and norm of a result; the weights catch a wrong index order."""
    v = r.ravel() * (np.arange(r.size) * 7919 % 101 + 1.0)
    s = v.sum()
    return float(s.real + s.imag), float(np.linalg.norm(v))


def same(got, ref, tol):
    """The sum may cancel to almost nothing, so both are judged against the norm."""
    return all(abs(g - r) <= tol * ref[1] for g, r in zip(got, ref))


def make(lib, threads):
    """Return (prepare, describe): prepare(eq, operands) gives a function to time."""
    if threads == 1:
        os.environ.setdefault(
            "XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
    os.environ["PJRT_NPROC"] = os.environ["OMP_NUM_THREADS"] = str(threads)
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = str(threads)
    if lib in ("numpy", "opt_einsum"):
        import numpy as np
        if lib == "numpy":
            # Contiguous, as with torch: NumPy answers with a view in the order of its matrix product.
            prep = lambda eq, ops: lambda: np.ascontiguousarray(np.einsum(eq, *ops, optimize=True))
        else:
            import opt_einsum as oe

            def prep(eq, ops):
                expr = oe.contract_expression(eq, *[o.shape for o in ops])
                return lambda: np.ascontiguousarray(expr(*ops))
        try:
            from threadpoolctl import threadpool_info
            blas = "; ".join(f"{i['internal_api']} {i['version']} {i.get('architecture')}"
                             for i in threadpool_info() if i["user_api"] == "blas")
        except ImportError:
            blas = "?"
        return prep, f"numpy {np.__version__} {blas}"
    if lib == "torch":
        import torch
        torch.set_num_threads(threads)

        def prep(eq, ops):
            t = [torch.from_numpy(o) for o in ops]

            def call():  # contiguous: the result in the asked memory order
                return torch.einsum(eq, *t).contiguous()
            return call
        return prep, f"torch {torch.__version__} {torch.backends.cpu.get_cpu_capability()}"
    if lib == "jax":
        os.environ["JAX_ENABLE_X64"], os.environ["JAX_PLATFORMS"] = "1", "cpu"
        import jax, jax.numpy as jnp

        def prep(eq, ops):
            j = [jnp.asarray(o) for o in ops]
            f = jax.jit(lambda *a: jnp.einsum(eq, *a))
            return lambda: f(*j).block_until_ready()
        return prep, f"jax {jax.__version__}"
    if lib == "tblis":
        import pytblis
        pytblis.set_num_threads(threads)
        from importlib.metadata import version
        return (lambda eq, ops: lambda: pytblis.einsum(eq, *ops)), f"pytblis {version('pytblis')}"
    raise SystemExit(f"unknown library {lib}")


def serve(lib, threads):
    prep, info = make(lib, threads)
    import numpy as np
    out, key = sys.stdout, None
    print("ready " + info, flush=True)
    for line in sys.stdin:
        try:
            eq, dtype, *shapes = line.split()
            check = norm = 0.0
            if line != key:
                fn = ops = r = None
                ops = [operand(np, [int(d) for d in s.split("x")], dtype, k)
                       for k, s in enumerate(shapes)]
                fn, key = prep(eq, ops), line
                r = np.asarray(fn())
                check, norm = summary(np, r)
                r = None
            c0, t0 = time.process_time(), time.perf_counter()
            r = fn()
            t1, c1 = time.perf_counter(), time.process_time()
            r = None
            print(f"{t1 - t0:.9f} {c1 - c0:.9f} {check:.15e} {norm:.15e}", file=out, flush=True)
        except Exception as e:  # reported, not fatal: a case one library cannot run
            key = None
            print("error " + repr(e)[:200].replace("\n", " "), file=out, flush=True)


# --------------------------------------------------------------------- driver
class Peer:
    # Whether it computes what the line asks for: what only takes the time of something else is compared with nobody.
    computes = True
    # How it says that it computes the last line.
    method = None

    def __init__(self, spec, threads):
        """spec: LIB | NAME=command line | LIB@VAR=VALUE (LIB with an environment)."""
        env = dict(os.environ)
        if "@" in spec:
            lib, kv = spec.split("@", 1)
            var, val = kv.split("=", 1)
            env[var] = val
            self.name, cmd = f"{lib}@{val}", [sys.executable, __file__, "--serve", lib]
        elif "=" in spec:
            self.name, c = spec.split("=", 1)
            cmd = shlex.split(c)
        else:
            self.name, cmd = spec, [sys.executable, __file__, "--serve", spec]
        self.p = subprocess.Popen(cmd + ["--threads", str(threads)], env=env, text=True,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL)
        self.first = self.p.stdout.readline().strip()
        self.ok, self.info = self.first.startswith("ready"), self.first[6:]

    def ask(self, line):
        try:
            self.p.stdin.write(line + "\n")
            self.p.stdin.flush()
            a = self.p.stdout.readline().split(None, 1)
        except BrokenPipeError:
            a = []
        if not a:
            self.ok = False
            return None, "process ended"
        if a[0] == "error":
            return None, a[1].strip()
        words = a[1].split(None, 3)
        if len(words) > 3:
            self.method = words[3].strip()
        return [float(x) for x in [a[0], *words[:3]]], None

    def close(self):
        """Programs end where their input does."""
        try:
            self.p.stdin.close()
        except BrokenPipeError:
            pass
        self.p.stdout.close()
        self.p.wait()


def extents(text, cap, flop_per):
    e = {k: int(v) for k, v in (p.split(":") for p in text.split(";"))}
    if not cap:
        return e
    full, s = dict(e), 1.0
    while flop_per * prod(e.values()) > cap * 1e9:
        s *= 0.98
        e = {k: max(8, round(v * s / 8) * 8) if v > 24 else v for k, v in full.items()}
        if s < 0.05:
            break
    return e


def prod(v):
    r = 1
    for x in v:
        r *= x
    return r


def machine():
    """The processor's own name, where the system tells it."""
    try:
        with open("/proc/cpuinfo") as file:
            names = [l.split(":", 1)[1].strip() for l in file if l.startswith("model name")]
        return f"{names[0]}, {len(names)} processors"
    except (OSError, IndexError):
        return platform.processor() or platform.machine()


def options():
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("--cases", help="ids or ranges, e.g. 1-8,12,31; all of the list where none are named")
    ap.add_argument("--list", default=os.path.join(HERE, "tccg.csv"))
    ap.add_argument("--dtype", default="f64", choices=DTYPES)
    ap.add_argument("--threads", type=int, default=1)
    ap.add_argument("--reps", type=int, default=5)
    ap.add_argument("--cap-gflop", type=float, default=0,
                    help="shrink larger cases to about this much work (0: full extents)")
    ap.add_argument("--clock", choices=["wall", "cpu"], default="wall",
                    help="cpu: processor time, for one thread on a machine shared with other work")
    ap.add_argument("--peak", type=float, default=0, help="machine peak in GFLOP/s, for the ratio")
    ap.add_argument("--libs", default=",".join(LIBS), help="comma list: LIB or LIB@VAR=VALUE")
    ap.add_argument("--ext", action="append", default=[], metavar="NAME=COMMAND",
                    help="a further program that speaks the protocol in README.md")
    ap.add_argument("--pause", type=float, default=0, metavar="MS",
                    help="wait before each request, so that idle workers of other libraries stop spinning (60 for 2 threads)")
    ap.add_argument("--out", default="peers.json")
    return ap


def cases(path, wanted=None):
    """The rows of a list, perhaps those of some ids alone."""
    with open(path) as file:
        rows = list(csv.DictReader(l for l in file if not l.startswith("#")))
    if not wanted:
        return rows
    ids = set()
    for part in wanted.split(","):
        lo, _, hi = part.partition("-")
        ids |= set(range(int(lo), int(hi or lo) + 1))
    return [r for r in rows if int(r["id"]) in ids]


def start(a, kind=Peer):
    """The programs that are there; which is said."""
    found = [kind(s, a.threads) for s in [l for l in a.libs.split(",") if l] + a.ext]
    for p in found:
        print(f"# {p.name}: {p.info if p.ok else 'not available'}", flush=True)
        if not p.ok:
            p.close()
    return [p for p in found if p.ok]


def timed(peers, line, a):
    """What every program answers to a line, again and again, in turn: its times, what it says of its result, and what is wrong."""
    ts, chk, err = {p.name: [] for p in peers}, {}, {}
    for rep in range(a.reps):
        for p in peers:
            if rep == 0:
                p.method = None
            if p.name in err or not p.ok:
                continue
            time.sleep(a.pause / 1000)
            got, why = p.ask(line)
            if got is None:
                err[p.name] = why
                continue
            ts[p.name].append(got[1] if a.clock == "cpu" else got[0])
            if got[3] > 0 and p.computes:
                chk[p.name] = got[2:4]
    return ts, chk, err


def compare(a, peers, path, dtype, about, note):
    """Times all programs on a list in one element type, and keeps what was found in a file, case by case."""
    flop_per = 8 if dtype.startswith("c") else 2
    real = "f64" if dtype in ("f64", "c64") else "f32"
    out = {"machine": about, "date": datetime.date.today().isoformat(), "threads": a.threads, "dtype": dtype,
           "list": os.path.basename(path), "clock": a.clock, "cap_gflop": a.cap_gflop, "peak": a.peak, "reps": a.reps,
           "versions": {p.name: p.info for p in peers}, "complete": False, "cases": []}
    print("id tccg gflop " + " ".join(p.name for p in peers), flush=True)
    for r in cases(path, a.cases):
        e = extents(r["extents_" + real], a.cap_gflop, flop_per)
        ins = r["einsum"].split("->")[0].split(",")
        line = " ".join([r["einsum"], dtype] + ["x".join(str(e[i]) for i in t) for t in ins])
        gf = flop_per * prod(e.values()) * 1e-9
        ts, chk, err = timed(peers, line, a)
        ref = [statistics.median_low(x) for x in zip(*chk.values())]
        tol = 1e-10 if real == "f64" else 1e-3
        size = 4 * (1 if dtype == "f32" else 2 if dtype in ("f64", "c32") else 4)
        case = {"id": int(r["id"]), "group": r["group"], "tccg": r["tccg"], "einsum": r["einsum"], "extents": e,
                "gflop": gf, "bytes": size * sum(elements(r["einsum"], e)), "bound": r.get("bound"), "error": err, "libs": {}}
        for p in peers:
            v = ts[p.name]
            if v:
                agrees = p.name in chk and same(chk[p.name], ref, tol) if p.computes else None
                case["libs"][p.name] = {
                    "best": gf / max(min(v), 1e-9), "median": gf / max(statistics.median(v), 1e-9),
                    "seconds": min(v), "median_seconds": statistics.median(v), "agrees": agrees,
                    "method": p.method}
        out["cases"].append(case)
        print(r["id"], r["tccg"], f"{gf:.2f}", " ".join(
            f"{case['libs'][p.name]['best']:.1f}{'!' if case['libs'][p.name]['agrees'] is False else ''}"
            if p.name in case["libs"] else "-" for p in peers), flush=True)
        keep(out, note)
    for key in ("best", "median"):
        print(f"geometric mean of {key}:")
        env = []
        for c in out["cases"]:
            found = [v[key] for v in c["libs"].values() if v["agrees"] is not None]
            env += [max(found)] if found else []
        for n, v in [(p.name, [c["libs"][p.name][key] for c in out["cases"] if p.name in c["libs"]])
                     for p in peers] + [("envelope", env)]:
            if v:
                g = statistics.geometric_mean(v)
                print(f"  {n:24s} {g:8.1f} GFLOP/s  n={len(v)}"
                      + (f"  {100 * g / a.peak:.0f}% of peak" if a.peak else ""))
                out.setdefault("geomean_" + key, {})[n] = g
    out["complete"] = True
    keep(out, note)


def keep(out, path):
    with open(path, "w") as file:
        json.dump(out, file, indent=1)


def main():
    if "--serve" in sys.argv:
        ap = argparse.ArgumentParser()
        ap.add_argument("--serve")
        ap.add_argument("--threads", type=int, default=1)
        a = ap.parse_args()
        return serve(a.serve, a.threads)
    a = options().parse_args()
    there = start(a)
    compare(a, there, a.list, a.dtype, machine(), a.out)
    for p in there:
        p.close()


if __name__ == "__main__":
    main()
