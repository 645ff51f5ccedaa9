#!/usr/bin/env python3
"""Derivatives by JAX where eigenvalues are equal, against exact ones.

    python3 benches/peers/equal_values.py

The gradient of tr(W·C·exp(e)·Cᵀ) with C and e of `eigh` against divided differences of exp, and the Hessian of the sum of exp(e/4)
against that of the trace of `expm`, which has no eigenvectors. Both functions are smooth. Needs numpy and jax. What this library finds is
checked by its tests to 1e-10 (tensorwrapper-runtime/src/grad/tests/spectral.rs).
"""

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


def symmetric(a):
    return (a + a.T) / 2


def gradient(values, vectors, weight):
    """The deviation of the gradient, and the largest element of the exact one."""

    def value(a):
        e, c = jnp.linalg.eigh(symmetric(a))
        return jnp.sum(weight * ((c * jnp.exp(e)) @ c.T))

    found = np.asarray(jax.grad(value)((vectors * values) @ vectors.T))
    gaps, exp = np.subtract.outer(values, values), np.exp(values)
    quotients = np.subtract.outer(exp, exp) / np.where(gaps == 0, 1, gaps)
    differences = np.where(gaps == 0, exp[:, None], quotients)
    exact = vectors @ (differences * (vectors.T @ symmetric(weight) @ vectors)) @ vectors.T
    return np.abs(found - exact).max(), np.abs(exact).max()


def hessian(values, vectors):
    """The same of the Hessian."""
    a = (vectors * values) @ vectors.T
    found = jax.hessian(lambda a: jnp.sum(jnp.exp(jnp.linalg.eigvalsh(symmetric(a)) / 4)))(a)
    exact = jax.hessian(lambda a: jnp.trace(jax.scipy.linalg.expm(symmetric(a) / 4)))(a)
    return np.abs(np.asarray(found - exact)).max(), np.abs(np.asarray(exact)).max()


def main():
    drawn = np.random.default_rng(1)
    vectors, _ = np.linalg.qr(drawn.standard_normal((3, 3)))
    weight = drawn.uniform(-1, 1, (3, 3))
    print(f"jax {jax.__version__}")
    for values in ([1.0, 1.0, 4.0], [2.0, 2.0, 8.0], [1.0, 2.0, 4.0]):
        of = np.array(values)
        for name, (deviation, largest) in (("gradient", gradient(of, vectors, weight)), ("Hessian", hessian(of, vectors))):
            print(f"eigenvalues {values}: {name} off by {deviation:.1e}, its largest element is {largest:.2g}")


if __name__ == "__main__":
    main()
