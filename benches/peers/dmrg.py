#!/usr/bin/env python3
"""One sweep of DMRG: symmray and the `dmrg` example over tensors that conserve charges, quimb and the example over dense ones, in turn.

    python -m venv venv && venv/bin/pip install symmray scipy cotengra quimb
    cargo build --release --example dmrg
    venv/bin/python benches/peers/dmrg.py --program target/release/examples/dmrg [--sites 40] [--bond 128] [--rounds 3]

The open Heisenberg chain, two sites at a time, from the state of spins up and down by turns. The example and symmray follow the same steps:
products in the order below, a Lanczos basis of at most 24 vectors, each made orthogonal to all before it twice, a cut across all sectors. quimb
is its own `DMRG2`, dense, with its own choices of order and eigenvalue solver, which is asked for the same residual. The time is that of the
last sweep, there and back, at the full bond; the energies must agree.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
OPERATOR = HERE / "../../examples/data/heisenberg-chain/mpo_N12_D1_h0.npy"
SWEEPS, MOST, RESIDUAL, TOLERANCE, AGREE = 5, 24, 1e-13, 1e-14, 1e-8


def bond_charges(W, of_spin):
    """The charge of each bond index of the operator, beginning with 0 where the chain begins."""
    found = {}
    for start in reversed(range(W.shape[0])):
        if start in found:
            continue
        found[start], open_ = 0, [start]
        while open_:
            l = open_.pop()
            for r in range(W.shape[0]):
                for s, up in enumerate(of_spin):
                    for t, down in enumerate(of_spin):
                        for leads, charge in ((W[l, r, s, t], down - up), (W[r, l, s, t], up - down)):
                            if leads and r not in found:
                                found[r] = found[l] + charge
                                open_.append(r)
    return [found[n] for n in range(W.shape[0])]


class Chain:
    """A[a, s, b], W[l, r, s, t], L[a, l, b] and R[a, l, b]: charges enter by left bonds and spins, and leave by right bonds."""

    def __init__(self, sites, bond):
        import numpy
        import symmray

        self.numpy, self.dot, self.U1 = numpy, symmray.tensordot, symmray.U1Array
        dense = numpy.load(OPERATOR)
        spin = [1, -1]
        bonds = bond_charges(dense, spin)
        make = lambda array, maps, duals: symmray.U1Array.from_dense(array, maps, duals, charge=0)
        self.W, self.bond = make(dense, (bonds, bonds, spin, spin), (True, False, False, True)), bond
        self.sites, charge = [], 0
        for site in range(sites):
            own = spin[site % 2]
            array = numpy.zeros((1, 2, 1))
            array[0, site % 2, 0] = 1.0
            self.sites.append(make(array, ([charge], spin, [charge + own]), (False, False, True)))
            charge += own
        def end(charge, duals, place):
            array = numpy.zeros((1, len(bonds), 1))
            array[0, place, 0] = 1.0
            return make(array, ([charge], bonds, [charge]), duals)

        self.left = [end(0, (False, False, True), len(bonds) - 1)] * (sites + 1)
        self.right = [end(charge, (True, True, False), 0)] * (sites + 1)
        for site in reversed(range(1, sites)):
            self.grow_left(site)

    def grow_right(self, site):
        A, dot = self.sites[site], self.dot
        T = dot(self.left[site], A, ([2], [0]))  # a l t d
        T = dot(T, self.W, ([1, 2], [0, 3]))  # a d r s
        self.left[site + 1] = dot(A.conj(), T, ([0, 1], [0, 3])).transpose((0, 2, 1))

    def grow_left(self, site):
        A, dot = self.sites[site], self.dot
        T = dot(A, self.right[site + 1], ([2], [2]))  # b t c r
        T = dot(T, self.W, ([3, 1], [1, 3]))  # b c l s
        self.right[site] = dot(A.conj(), T, ([2, 1], [1, 3])).transpose((0, 2, 1))

    def apply(self, site, psi):
        T = self.dot(self.left[site], psi, ([2], [0]))  # a l u v e
        T = self.dot(T, self.W, ([1, 2], [0, 3]))  # a v e m s
        T = self.dot(T, self.W, ([3, 1], [0, 3]))  # a e s r t
        return self.whole(site, self.dot(T, self.right[site + 2], ([3, 1], [1, 2])))

    def whole(self, site, pair):
        """With all blocks that conserve the charge, so that pairs can be added."""
        left, right, spin = self.sites[site].indices[0], self.sites[site + 1].indices[2], self.W.indices[2]
        whole = self.U1.from_fill_fn(self.numpy.zeros, [left, spin, spin, right], charge=0)
        for sector, block in pair.blocks.items():
            whole.set_block(sector, block)
        return whole

    def overlap(self, x, y):
        others = y.blocks
        return sum(float(self.numpy.vdot(block, others[sector])) for sector, block in x.blocks.items() if sector in others)

    def ground(self, site, start):
        """The lowest eigenvalue and its vector, as examples/dmrg/lanczos.rs finds them."""
        numpy = self.numpy
        basis, H = [start * (1.0 / self.overlap(start, start) ** 0.5)], numpy.zeros((MOST, MOST))
        while True:
            n = len(basis) - 1
            w = self.apply(site, basis[n])
            length = self.overlap(w, w) ** 0.5
            for _ in range(2):
                for m, v in enumerate(basis):
                    part = self.overlap(v, w)
                    H[m, n] += part
                    w = w - v * part
            rest, size = self.overlap(w, w) ** 0.5, n + 1
            E, C = numpy.linalg.eigh(0.5 * (H[:size, :size] + H[:size, :size].T))
            if size == MOST or abs(rest * C[n, 0]) <= RESIDUAL * max(length, 1.0) or rest <= RESIDUAL * length:
                x = basis[0] * C[0, 0]
                for v, part in zip(basis[1:], C[1:, 0]):
                    x = x + v * part
                return E[0], x * (1.0 / self.overlap(x, x) ** 0.5)
            basis.append(w * (1.0 / rest))

    def optimize(self, site, absorb):
        pair = self.whole(site, self.dot(self.sites[site], self.sites[site + 1], ([2], [0])))
        energy, theta = self.ground(site, pair)
        U, _, V = theta.fuse((0, 1), (2, 3)).svd_truncated(
            cutoff=TOLERANCE, cutoff_mode="rsum2", max_bond=self.bond, absorb=absorb
        )
        self.sites[site], self.sites[site + 1] = U.unfuse_all(), V.unfuse_all()
        self.grow_right(site) if absorb == "right" else self.grow_left(site + 1)
        return energy

    def sweep(self):
        last = len(self.sites) - 2
        for site in range(last):
            self.optimize(site, "right")
        for site in reversed(range(last + 1)):
            energy = self.optimize(site, "left")
        return energy


def symmray_worker(sites, bond):
    chain = Chain(sites, bond)
    for _ in range(SWEEPS):
        begin = time.perf_counter()
        energy = chain.sweep()
        seconds = time.perf_counter() - begin
    print(json.dumps({"energy": energy, "seconds": seconds}))


def quimb_worker(sites, bond):
    import quimb.tensor as qtn

    dmrg = qtn.DMRG2(qtn.MPO_ham_heis(sites), bond_dims=bond, cutoffs=TOLERANCE, p0=qtn.MPS_neel_state(sites))
    dmrg.opts.update(local_eig_tol=RESIDUAL, local_eig_ncv=MOST)
    for _ in range(SWEEPS):
        begin = time.perf_counter()
        dmrg.solve(tol=0.0, sweep_sequence="RL", max_sweeps=2)
        seconds = time.perf_counter() - begin
    print(json.dumps({"energy": float(dmrg.energy), "seconds": seconds}))


def ours(a, *more):
    """Energy and seconds of the last sweep of the example."""
    command = [a.program, str(OPERATOR), str(a.sites), "--bond", str(a.bond), "--sweeps", str(SWEEPS), *more]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    last = [line.split() for line in lines if line.split() and line.split()[0].isdigit()][-1]
    return float(last[1]), float(last[-1])


def peer(a, name):
    command = [sys.executable, __file__, "--worker", name, "--sites", str(a.sites), "--bond", str(a.bond), "--program", ""]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
    return found["energy"], found["seconds"]


WORKERS = {"symmray": symmray_worker, "quimb": quimb_worker}


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--program", required=True)
    options.add_argument("--sites", type=int, default=40)
    options.add_argument("--bond", type=int, default=128)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--worker", choices=WORKERS, help=argparse.SUPPRESS)
    a = options.parse_args()
    if a.worker:
        return WORKERS[a.worker](a.sites, a.bond)
    os.environ.update({name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS")})
    runs = {"charges": lambda: ours(a, "--charges"), "dense": lambda: ours(a)}
    runs.update({name: lambda name=name: peer(a, name) for name in WORKERS})
    found = {name: [] for name in runs}
    for _ in range(a.rounds):
        for name, run in runs.items():
            found[name].append(run())
    energies = {name: rows[0][0] for name, rows in found.items()}
    assert max(energies.values()) - min(energies.values()) < AGREE, energies
    times = {name: statistics.median(seconds for _, seconds in rows) for name, rows in found.items()}
    print(f"| program | energy | seconds of sweep {SWEEPS} | ours with charges over it | dense over it |\n|---|---|---|---|---|")
    for name, seconds in times.items():
        print(f"| {name} | {energies[name]:.12f} | {seconds:.3f} | {times['charges'] / seconds:.2f} | {times['dense'] / seconds:.2f} |")


if __name__ == "__main__":
    main()
