"""A network of two layers, fitted to a function by gradient descent; the gradients are written by hand."""

import numpy as np


def run():
    x = np.linspace(-1.0, 1.0, 21)[:, None]
    y = np.sin(3.0 * x)
    w1, w2 = np.cos(np.arange(8.0))[None, :], np.sin(np.arange(8.0))[:, None] / 2
    b1, b2 = np.zeros(8), np.zeros(1)
    for _ in range(200):
        hidden = np.tanh(x @ w1 + b1)
        error = hidden @ w2 + b2 - y
        by_output = 2.0 * error / error.size
        by_hidden = by_output @ w2.T * (1.0 - hidden**2)
        w2 = w2 - 0.3 * hidden.T @ by_output
        b2 = b2 - 0.3 * by_output.sum(axis=0)
        w1 = w1 - 0.3 * x.T @ by_hidden
        b1 = b1 - 0.3 * by_hidden.sum(axis=0)
    return np.mean((np.tanh(x @ w1 + b1) @ w2 + b2 - y) ** 2)


if __name__ == "__main__":
    print(run())
