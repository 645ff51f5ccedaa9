"""A projected entangled pair state of 2×3 sites: the correlation of two spins, by double layers."""

import numpy as np


def site(*shape):
    return np.cos(1.0 + np.arange(2 * np.prod(shape))).reshape(2, *shape)


def layer(site, operator):
    both = np.einsum("suldr,st,tULDR->uUlLdDrR", site, operator, site)
    return both.reshape([n * n for n in site.shape[1:]])


def expectation(sites, operators):
    layers = [layer(*pair) for pair in zip(sites, operators)]
    return np.einsum("xyai,zibj,wjcv,aklm,bmno,copq->", *layers, optimize=True)


def run():
    sites = [site(1, 1, 3, 3), site(1, 3, 3, 3), site(1, 3, 3, 1), site(3, 1, 1, 3), site(3, 3, 1, 3), site(3, 3, 1, 1)]
    one, z = np.eye(2), np.diag([1.0, -1.0])
    return expectation(sites, [z, one, one, one, one, z]) / expectation(sites, [one] * 6)


if __name__ == "__main__":
    print(run())
