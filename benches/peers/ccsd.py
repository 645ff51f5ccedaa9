"""One iteration of closed-shell CCSD, by PySCF and by tensorwrapper: same molecule, same amplitudes, same number of threads.

    python3 -m venv venv && venv/bin/pip install pyscf
    cargo build --release --example bench_ccsd
    venv/bin/python benches/peers/ccsd.py --basis cc-pvtz --threads 1 --reps 9 [--clock cpu] [--out ccsd.json]

PySCF makes the integrals of water, which go to a folder as the examples read it. Each program runs in a process of its own and
takes the same step again and again, in turn with the other: the third one from the amplitudes of perturbation theory, without
extrapolation. The norms of the amplitudes that come out must agree. Memory is what the process holds at most while it takes a
step (VmHWM, reset before it), the interpreter and libraries of PySCF included; beside it stands the most it held until ready.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WATER = [  # bohr
    ("O", (0.0, 0.0, 0.22259084021251865)),
    ("H", (0.0, 1.4275992699810498, -0.8903652505761991)),
    ("H", (0.0, -1.4275992699810498, -0.8903652505761991)),
]
AGREE = 1e-7  # relative, of norms after three steps from orbitals that are converged to 1e-10


def molecule(basis):
    from pyscf import gto

    return gto.M(atom=WATER, unit="Bohr", basis=basis, verbose=0)


def write(folder, basis):
    """The folder of integrals that the examples read."""
    import numpy

    mol = molecule(basis)
    integrals = {"S": "int1e_ovlp", "H": "int1e_kin", "eri": "int2e"}
    for name, kind in integrals.items():
        # Of repulsion integrals those that follow from others by symmetry are not written.
        integral = mol.intor(kind, aosym="s8" if name == "eri" else "s1") + (mol.intor("int1e_nuc") if name == "H" else 0)
        numpy.save(folder / f"{name}.npy", numpy.ascontiguousarray(integral))
    what = {
        "name": f"water, {basis}",
        "nao": mol.nao,
        "nelectron": mol.nelectron,
        "nocc": mol.nelectron // 2,
        "E_nuc": mol.energy_nuc(),
    }
    (folder / "molecule.json").write_text(json.dumps(what))


def pyscf_worker(basis):
    """Behind the protocol of examples/bench_ccsd."""
    import numpy
    import pyscf
    from pyscf import cc, scf

    mf = scf.RHF(molecule(basis))
    mf.conv_tol, mf.conv_tol_grad = 1e-12, 1e-9
    mf.kernel()
    solver = cc.CCSD(mf)
    eris = solver.ao2mo(mf.mo_coeff)
    _, t1, t2 = solver.init_amps(eris)
    for _ in range(2):
        t1, t2 = solver.update_amps(t1, t2, eris)
    mf._eri = None  # the other program drops its integrals over basis functions, too
    print(f"ready pyscf {pyscf.__version__}", flush=True)
    for _ in sys.stdin:
        wall, cpu = time.perf_counter(), time.process_time()
        next1, next2 = solver.update_amps(t1, t2, eris)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        norms = numpy.linalg.norm(next1), numpy.linalg.norm(next2)
        del next1, next2
        print(f"{wall:.9f} {cpu:.9f} {norms[0]:.12f} {norms[1]:.12f}", flush=True)


class Program:
    """A process that takes a step whenever it is asked."""

    def __init__(self, name, command, threads):
        self.name, self.wall, self.cpu, self.peak, self.norms = name, [], [], 0, None
        count = {key: str(threads) for key in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
        environment = {**os.environ, **count}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        for line in self.process.stdout:
            if line.startswith("ready"):
                self.ready = line.split(None, 1)[1].strip()
                break
        else:
            sys.exit(f"{name} ended before it was ready")
        self.until_ready = self.resident("VmHWM")

    def resident(self, key):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith(key))

    def step(self):
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")  # VmHWM begins again
        self.process.stdin.write("step\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if len(answer) != 4:
            sys.exit(f"{self.name} ended in a step")
        wall, cpu, *norms = (float(word) for word in answer)
        self.wall.append(wall)
        self.cpu.append(cpu)
        self.norms = norms
        self.peak = max(self.peak, self.resident("VmHWM"))

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    parser = argparse.ArgumentParser(description="CCSD iterations against PySCF")
    parser.add_argument("--basis", default="cc-pvtz")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--reps", type=int, default=9)
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall", help="cpu: for one thread on a machine shared with others")
    parser.add_argument("--program", default="target/release/examples/bench_ccsd")
    parser.add_argument("--out")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return pyscf_worker(options.basis)

    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), options.basis)
        own = [options.program, folder, "--threads", str(options.threads)]
        programs = [
            Program("pyscf", [sys.executable, __file__, "--worker", "--basis", options.basis], options.threads),
            Program("tensorwrapper, term by term", own, options.threads),
            Program("tensorwrapper, by hand", [*own, "--by-hand"], options.threads),
        ]
        for _ in range(options.reps):
            for program in programs:
                program.step()
        for program in programs:
            program.end()
    report(programs, options)


def report(programs, options):
    peer, wrong, rows = programs[0], [], []
    for program in programs:
        best = {clock: min(getattr(program, clock)) for clock in ("wall", "cpu")}
        for mine, theirs in zip(program.norms, peer.norms):
            if abs(mine - theirs) > AGREE * abs(theirs):
                wrong.append(f"{program.name}: norm {mine:.12f} where PySCF has {theirs:.12f}")
        rows.append({"name": program.name, "ready": program.ready, **best, "peak": program.peak, "until_ready": program.until_ready})
    print(f"water, {options.basis}, {options.threads} threads, best of {options.reps} steps\n")
    print("| | ms a step | of PySCF's | MB in a step | of PySCF's | MB until ready |\n|---|---:|---:|---:|---:|---:|")
    for row in rows:
        clock, first = options.clock, rows[0]
        print(f"| {row['name']} ({row['ready']}) | {1e3 * row[clock]:.1f} | {row[clock] / first[clock]:.2f} "
              f"| {row['peak'] / 1e6:.0f} | {row['peak'] / first['peak']:.2f} | {row['until_ready'] / 1e6:.0f} |")
    if options.out:
        Path(options.out).write_text(json.dumps({"basis": options.basis, "threads": options.threads, "rows": rows}, indent=1))
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
