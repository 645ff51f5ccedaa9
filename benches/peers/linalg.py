"""Batches of 1000 matrices of order 8 by numpy, as benches/linalg.rs has them: nanoseconds of processor time a call, as JSON lines.

OPENBLAS_NUM_THREADS=1 python benches/peers/linalg.py
"""

import json
import time

import numpy

rng = numpy.random.default_rng(4)
a = rng.uniform(-1, 1, (1000, 8, 8))
a = a + a.transpose(0, 2, 1) + 16 * numpy.eye(8)
b = rng.uniform(-1, 1, (1000, 8, 1))
for name, compute in {
    "eigh": lambda: numpy.linalg.eigh(a),
    "cholesky": lambda: numpy.linalg.cholesky(a),
    "solve": lambda: numpy.linalg.solve(a, b),
}.items():
    least = float("inf")
    for _ in range(7):
        start = time.process_time_ns()
        for _ in range(5):
            compute()
        least = min(least, (time.process_time_ns() - start) / 5)
    print(json.dumps({"what": f"1000 x (8 x 8) {name}", "numpy_ns": round(least), "numpy": numpy.__version__}))
