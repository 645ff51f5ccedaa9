#!/usr/bin/env python3
"""Time einsum on a GPU, by torch, jax, cupy and other programs, interleaved.

    python3 -m venv venv && venv/bin/pip install numpy torch jax[cuda13] cupy-cuda13x
    cargo build --release --features cuda --example gpu_check
    venv/bin/python benches/peers_gpu.py --ext "tensorwrapper=./gpu_check --serve" [--dtype f64] [--out gpu.json]

Driver, list of cases and line protocol are those of `peers/peers.py` and its README, whose folder must lie beside this file. Operands
stay on the device between the repetitions of a case. A result is waited for in every case; by `--results host`, the default, it is
copied to the host within the time, because `gpu_check` hands back tensors of the host's, and by `--results device` it stays.

TF32 is switched off in every library. What is not installed, or finds no GPU, is named in capitals and left out; where nothing can be timed,
that is a failure.
"""

import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers"))
import peers  # noqa: E402

LIBS = ["torch", "jax", "cupy"]


def torch_worker(to_host):
    import torch

    if not torch.cuda.is_available():
        raise RuntimeError("torch finds no GPU")
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False

    def prepare(equation, operands):
        there = [torch.from_numpy(operand).cuda() for operand in operands]

        def call():
            # contiguous: the result in the order of axes that was asked for
            result = torch.einsum(equation, *there).contiguous()
            if to_host:
                return result.cpu()
            torch.cuda.synchronize()
            return result

        return call

    return prepare, lambda result: result.cpu().numpy(), f"torch {torch.__version__} {torch.cuda.get_device_name()}"


def jax_worker(to_host):
    os.environ["JAX_ENABLE_X64"] = "1"
    import jax
    import jax.numpy as jnp
    import numpy

    device = next((device for device in jax.devices() if device.platform == "gpu"), None)
    if device is None:
        raise RuntimeError("jax finds no GPU")

    def prepare(equation, operands):
        there = [jax.device_put(operand, device) for operand in operands]
        compiled = jax.jit(lambda *a: jnp.einsum(equation, *a, precision=jax.lax.Precision.HIGHEST))

        def call():
            result = compiled(*there).block_until_ready()
            # A new array: an array of jax's keeps its copy on the host.
            return numpy.array(result) if to_host else result

        return call

    return prepare, numpy.asarray, f"jax {jax.__version__} {device.device_kind}"


def cupy_worker(to_host):
    os.environ["CUPY_TF32"] = "0"
    import cupy

    if cupy.cuda.runtime.getDeviceCount() == 0:
        raise RuntimeError("cupy finds no GPU")
    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()

    def prepare(equation, operands):
        there = [cupy.asarray(operand) for operand in operands]

        def call():
            result = cupy.ascontiguousarray(cupy.einsum(equation, *there))
            if to_host:
                return cupy.asnumpy(result)
            cupy.cuda.get_current_stream().synchronize()
            return result

        return call

    def host(result):
        return result if to_host else cupy.asnumpy(result)

    return prepare, host, f"cupy {cupy.__version__} {name}"


WORKERS = {"torch": torch_worker, "jax": jax_worker, "cupy": cupy_worker}


def serve(library, to_host):
    """Answers lines, as the README of the other peers says."""
    # Whatever is amiss with a library that is not ours is a reason to leave it out, and is said.
    try:
        import numpy

        prepare, host, about = WORKERS[library](to_host)
    except Exception as error:
        print(f"SKIPPED {library}: {type(error).__name__}: {error}".replace("\n", " ")[:300], flush=True)
        return 1
    print(f"ready {about}", flush=True)
    known = call = None
    for line in sys.stdin:
        try:
            check = norm = 0.0
            if line != known:
                # The last operands go before new ones come.
                known = call = None
                equation, dtype, *shapes = line.split()
                extents = [[int(extent) for extent in shape.split("x")] for shape in shapes]
                call = prepare(equation, [peers.operand(numpy, shape, dtype, n) for n, shape in enumerate(extents)])
                check, norm = peers.summary(numpy, numpy.asarray(host(call())))
                known = line
            processor, wall = time.process_time(), time.perf_counter()
            result = call()
            wall, processor = time.perf_counter() - wall, time.process_time() - processor
            del result
            print(f"{wall:.9f} {processor:.9f} {check:.15e} {norm:.15e}", flush=True)
        except Exception as error:  # a case that a library cannot compute
            known = None
            print("error " + repr(error)[:200].replace("\n", " "), flush=True)
    return 0


class Peer(peers.Peer):
    """A library in a process of its own, or another program. One that does not start says why."""

    def __init__(self, spec, threads):
        own = "=" not in spec
        if own and spec not in WORKERS:
            sys.exit(f"there is no library {spec}; there are {', '.join(WORKERS)}")
        command = f'{spec}="{sys.executable}" "{os.path.abspath(__file__)}" --serve {spec} --results {RESULTS}'
        super().__init__(command if own else spec, threads)
        if not self.ok:
            print(self.first if self.first.startswith("SKIPPED") else f"SKIPPED {self.name}: it did not start", flush=True)
        AVAILABLE.append(self.ok)


RESULTS = "host"
AVAILABLE = []


def option(name, default):
    """Takes an option of this program out of the command line; the rest is the driver's."""
    if name not in sys.argv:
        return default
    place = sys.argv.index(name)
    if place + 1 == len(sys.argv):
        sys.exit(f"a word is needed behind {name}")
    value = sys.argv[place + 1]
    del sys.argv[place : place + 2]
    return value


def main():
    global RESULTS
    RESULTS = option("--results", "host")
    if RESULTS not in ("host", "device"):
        sys.exit(f"results are left on the `host` or on the `device`, and `{RESULTS}` is neither")
    library = option("--serve", None)
    if library:
        return serve(library, RESULTS == "host")
    if "--libs" not in sys.argv:
        sys.argv += ["--libs", ",".join(LIBS)]
    peers.Peer = Peer
    peers.machine = lambda: f"GPU, results on the {RESULTS}; what each library calls it stands beside its version"
    peers.main()
    if not any(AVAILABLE):
        print("NOTHING WAS TIMED: no library was there", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
