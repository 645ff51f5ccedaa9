"""The ground state of a Heisenberg chain by evolution in imaginary time (TEBD; Vidal, Phys. Rev. Lett. 93, 040502)."""

import numpy as np

SITES, BOND = 6, 8


def bond_energy():
    z = np.diag([0.5, -0.5])
    up = np.array([[0.0, 1.0], [0.0, 0.0]])
    return (np.kron(z, z) + (np.kron(up, up.T) + np.kron(up.T, up)) / 2).reshape(2, 2, 2, 2)


def apply(gate, psi, n):
    theta = np.einsum("astc,stuv->auvc", np.einsum("asb,btc->astc", psi[n], psi[n + 1]), gate)
    a, _, _, c = theta.shape
    u, s, v = np.linalg.svd(theta.reshape(2 * a, 2 * c), full_matrices=False)
    s = s[:BOND] / np.linalg.norm(s[:BOND])
    psi[n], psi[n + 1] = u[:, :BOND].reshape(a, 2, -1), (s[:, None] * v[:BOND]).reshape(-1, 2, c)


def run():
    h = bond_energy()
    e, x = np.linalg.eigh(h.reshape(4, 4))
    gate = (x * np.exp(-0.1 * e) @ x.T).reshape(2, 2, 2, 2)
    psi = [np.eye(2)[n % 2].reshape(1, 2, 1) for n in range(SITES)]
    for _ in range(100):
        for n in [*range(0, SITES - 1, 2), *range(1, SITES - 1, 2)]:
            apply(gate, psi, n)
    state = psi[0]
    for site in psi[1:]:
        state = np.einsum("asb,btc->astc", state, site).reshape(1, -1, site.shape[2])
    energy = 0.0
    for n in range(SITES - 1):
        pair = state.reshape(2**n, 2, 2, -1)
        energy += np.einsum("astc,stuv,auvc->", pair, h, pair)
    return energy / np.sum(state**2)


if __name__ == "__main__":
    print(run())
