#!/usr/bin/env python3
"""Time einsum on a GPU, by torch, jax, cupy and other programs, interleaved, beside cuBLAS and copies of the same sizes.

    python3 -m venv venv && venv/bin/pip install numpy torch jax[cuda13] cupy-cuda13x
    cargo build --release --features cuda --example gpu_check
    venv/bin/python benches/peers_gpu.py --results device \\
        --ext "tensorwrapper=target/release/examples/gpu_check --serve --results {results}" [--dtype f64] [--out gpu.json]
    venv/bin/python benches/peers_gpu.py --all FOLDER --ext ...      both lists in f64, f32 and c64, for gpu_figures.py
    venv/bin/python benches/peers_gpu.py --seed 7 --count 4 --ext ...     contractions that no list holds, by family

Driver, lists of cases and line protocol are those of `peers/peers.py` and its README, whose folder must lie beside this file. Operands are
made on the device, and stay there between the repetitions of a case. A result is waited for in every case; by `--results host`, the
default, it is copied to the host within the time, and by `--results device` it stays. `{results}` in the command of `--ext` becomes the
word that was given. Each run that is timed follows one that is not, because a device takes up to 0.2 ms to switch between programs;
`gpu_check --serve --results device` does the same. `--all` leaves results on the device, and skips what an earlier run has finished in that folder.

TF32 is switched off in every library. Beside the libraries there are programs that compute something of the same size instead: `cublas`
takes the time of the product of row-major matrices that an equation becomes when its tensors are copied, into a result that is there;
`in_place` that of cuBLAS on the tensors where they lie, where that is possible (`peers/products.py`), which computes what was asked for;
`copy` that of a copy on the device that reads and writes together as many bytes as the equation does. What is not installed, or finds no
GPU, is named in capitals and left out; where nothing can be timed, that is a failure. How half an hour on a GPU is best used is in
`peers/README.md`.
"""

import math
import os
import subprocess
import sys
import time
from collections import namedtuple

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers"))
import peers  # noqa: E402
import tournament  # noqa: E402
from products import elements, in_place, sizes, terms  # noqa: E402

# How large drawn contractions are made: gigabytes of doubles, or operations in units of 10^9.
LARGE = (0.6, 200)
LISTS = {"tccg": "tccg.csv", "further": "further.csv"}
DTYPES = ["f64", "f32", "c64"]

# What a worker is made of: a sentence about the library; whole numbers on the device, as many as are asked for; such numbers as floating-point
# numbers; floating-point numbers in the element type of a name; a function that computes an equation; one that waits for a result; one that
# copies it to the host; and one that gives back memory that nobody uses.
Library = namedtuple("Library", "about count real typed prepare wait host forget")


def torch_library():
    import torch

    if not torch.cuda.is_available():
        raise RuntimeError("torch finds no GPU")
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False

    def prepare(equation, operands):
        # contiguous: the result in the order of axes that was asked for
        return lambda: torch.einsum(equation, *operands).contiguous()

    return Library(
        f"torch {torch.__version__} {torch.cuda.get_device_name()}",
        lambda n: torch.arange(n, dtype=torch.int64, device="cuda"), lambda x: x.double(),
        lambda x, name: x.to(getattr(torch, name)), prepare, lambda result: torch.cuda.synchronize(), lambda result: result.cpu(),
        torch.cuda.empty_cache)


def jax_library():
    os.environ["JAX_ENABLE_X64"] = "1"
    # It takes three quarters of the memory of a device unless it is told otherwise, and others are there, too.
    os.environ.setdefault("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.3")
    import jax
    import jax.numpy as jnp
    import numpy

    device = next((device for device in jax.devices() if device.platform == "gpu"), None)
    if device is None:
        raise RuntimeError("jax finds no GPU")

    def prepare(equation, operands):
        compiled = jax.jit(lambda *a: jnp.einsum(equation, *a, precision=jax.lax.Precision.HIGHEST))
        return lambda: compiled(*operands)

    # A new array on the host: an array of jax's keeps its copy there.
    return Library(
        f"jax {jax.__version__} {device.device_kind}", lambda n: jnp.arange(n, dtype="int64"), lambda x: x.astype("float64"),
        lambda x, name: x.astype(name), prepare, lambda result: result.block_until_ready(), numpy.array, lambda: None)


def cupy_library():
    os.environ["CUPY_TF32"] = "0"
    import cupy

    if cupy.cuda.runtime.getDeviceCount() == 0:
        raise RuntimeError("cupy finds no GPU")
    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()

    def prepare(equation, operands):
        return lambda: cupy.ascontiguousarray(cupy.einsum(equation, *operands))

    return Library(
        f"cupy {cupy.__version__} {name}", lambda n: cupy.arange(n, dtype="int64"), lambda x: x.astype("float64"),
        lambda x, name: x.astype(name), prepare, lambda result: cupy.cuda.get_current_stream().synchronize(), cupy.asnumpy,
        cupy.get_default_memory_pool().free_all_blocks)


def cublas_library():
    """Products of matrices of the same sizes instead of an equation."""
    import torch

    def prepare(equation, operands):
        extents = labelled(equation, operands)
        found = sizes(equation, extents)
        if found is None:
            raise ValueError("this is no product of two matrices, whatever is copied")
        multiply, batches = pair_or_batch(torch, found.batch)
        left, right, result = (fresh(torch, operands[0].dtype, *batches, *shape)
                               for shape in [(found.m, found.k), (found.k, found.n), (found.m, found.n)])
        return lambda: multiply(left, right, out=result)

    return torch_library()._replace(prepare=prepare)


def pair_or_batch(torch, batch):
    """What multiplies matrices, alone or in a batch, and the extents that tensors have before those of a matrix."""
    return (torch.mm, ()) if batch == 1 else (torch.bmm, (batch,))


def fresh(torch, dtype, *shape):
    """Numbers between -0.5 and 0.5."""
    return torch.rand(shape, dtype=dtype, device="cuda") - 0.5


def in_place_library():
    """An equation by one call of cuBLAS on its tensors where they lie."""
    import torch

    def prepare(equation, operands):
        extents = labelled(equation, operands)
        found = in_place(equation, extents)
        if found is None:
            raise ValueError("this is no product of matrices where its tensors lie")
        batch, m, n, k = found.sizes
        result = torch.empty([extents[label] for label in terms(equation)[1]], dtype=operands[0].dtype, device="cuda")
        tensors = [(operands[0], (m, k), found.left), (operands[1], (k, n), found.right), (result, (m, n), found.result)]
        multiply, batches = pair_or_batch(torch, batch)
        # Without a batch its stride, the first, is none of the tensor's.
        left, right, out = (tensor.as_strided((*batches, *shape), strides[1 - len(batches):]) for tensor, shape, strides in tensors)

        def call():
            multiply(left, right, out=out)
            return result

        return call

    return torch_library()._replace(prepare=prepare)


def copy_library():
    """A copy that reads and writes together as many bytes as an equation does, instead of the equation."""
    import torch

    def prepare(equation, operands):
        read, written = elements(equation, labelled(equation, operands))
        half = (read + written) * operands[0].element_size() // 2
        source, target = (torch.zeros(half, dtype=torch.uint8, device="cuda") for _ in range(2))
        return lambda: target.copy_(source)

    return torch_library()._replace(prepare=prepare)


def labelled(equation, operands):
    """The extents by label."""
    return {label: extent for labels, operand in zip(terms(equation)[0], operands) for label, extent in zip(labels, operand.shape)}


WORKERS = {"torch": torch_library, "jax": jax_library, "cupy": cupy_library,
           "cublas": cublas_library, "in_place": in_place_library, "copy": copy_library}
# They compute something else than what they are asked for.
INSTEAD = ["cublas", "copy"]


def operand(library, shape, dtype, k):
    """The numbers of `peers.operand`, made on the device."""
    x = (library.count(math.prod(shape)) * 2654435761 + k * 40503) & 0xFFFFFFFF
    x = x ^ (x >> 15)
    return library.typed(library.real(x) / 4294967296.0 - 0.5, peers.DTYPES[dtype]).reshape(tuple(shape))


def summary(library, result):
    """The numbers of `peers.summary`, found on the device."""
    flat = result.reshape((-1,))
    weighted = flat * library.real(library.count(flat.shape[0]) * 7919 % 101 + 1)
    total = complex(weighted.sum().item())
    return total.real + total.imag, (abs(weighted) ** 2).sum().item() ** 0.5


def answers(library, to_host, instead, lines):
    """What is answered to lines, as the README of the other peers says."""
    known = call = None
    for line in lines:
        try:
            check = norm = 0.0
            if line != known:
                # The last operands go before new ones come.
                known = call = None
                library.forget()
                equation, dtype, *shapes = line.split()
                extents = [[int(extent) for extent in shape.split("x")] for shape in shapes]
                call = library.prepare(equation, [operand(library, shape, dtype, n) for n, shape in enumerate(extents)])
                result = call()
                if not instead:
                    check, norm = summary(library, result)
                library.wait(result)
                del result
                library.forget()
                known = line
            # What is not used any more when it runs again is asked for again, and a device that other programs have used since the last
            # line switches to this one.
            library.wait(call())
            processor, wall = time.process_time(), time.perf_counter()
            result = call()
            library.wait(result)
            if to_host:
                result = library.host(result)
            wall, processor = time.perf_counter() - wall, time.process_time() - processor
            del result
            yield f"{wall:.9f} {processor:.9f} {check:.15e} {norm:.15e}"
        except Exception as error:  # a case that a library cannot compute
            known = call = None
            yield "error " + repr(error)[:200].replace("\n", " ")


def serve(name, to_host):
    # Whatever is amiss with a library that is not ours is a reason to leave it out, and is said.
    try:
        library = WORKERS[name]()
    except Exception as error:
        print(f"SKIPPED {name}: {type(error).__name__}: {error}".replace("\n", " ")[:300], flush=True)
        return 1
    print(f"ready {library.about}", flush=True)
    for answer in answers(library, to_host, name in INSTEAD, sys.stdin):
        print(answer, flush=True)
    return 0


class Peer(peers.Peer):
    """A library in a process of its own, or another program. One that does not start says why."""

    def __init__(self, spec, threads):
        own = "=" not in spec
        if own and spec not in WORKERS:
            sys.exit(f"there is no library {spec}; there are {', '.join(WORKERS)}")
        command = f'{spec}="{sys.executable}" "{os.path.abspath(__file__)}" --serve {spec} --results {RESULTS}'
        super().__init__(command if own else spec.replace("{results}", RESULTS), threads)
        self.computes = self.name not in INSTEAD
        if not self.ok:
            print(self.first if self.first.startswith("SKIPPED") else f"SKIPPED {self.name}: it did not start", flush=True)


RESULTS = "host"


def machine():
    """The device and its driver, by the tool that comes with the driver."""
    query = ["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader", "--id=0"]
    try:
        found = subprocess.run(query, capture_output=True, text=True, check=True).stdout.strip()
        name, driver, memory = (word.strip() for word in found.split(","))
        about = f"{name}, {memory}, driver {driver}"
    except (OSError, subprocess.CalledProcessError, ValueError):
        about = "unknown"
    return f"{about}; results on the {RESULTS}"


def finished(path):
    try:
        with open(path) as file:
            return peers.json.load(file)["complete"]
    except (OSError, ValueError, KeyError):
        return False


def main():
    global RESULTS
    ap = peers.options()
    ap.add_argument("--results", choices=["host", "device"], help="where results are when they are there")
    ap.add_argument("--all", metavar="FOLDER", help="time both lists in f64, f32 and c64, each into a file of this folder")
    ap.add_argument("--seed", type=int, help="draw contractions by `tournament.py`, larger than there, and judge them by family")
    tournament.asked(ap)
    ap.add_argument("--serve", choices=WORKERS, help=peers.argparse.SUPPRESS)
    ap.set_defaults(libs=",".join(WORKERS))
    a = ap.parse_args()
    is_drawn = a.seed is not None
    RESULTS = a.results or ("device" if a.all or is_drawn else "host")
    if a.serve:
        return serve(a.serve, RESULTS == "host")
    work = [(os.path.join(peers.HERE, LISTS[name]), dtype, os.path.join(a.all, f"{name}-{dtype}.json"))
            for dtype in DTYPES for name in LISTS] if a.all else [(a.list, a.dtype, a.out)]
    work = [job for job in work if not (a.all and finished(job[2]))]
    if a.all:
        os.makedirs(a.all, exist_ok=True)
    there = peers.start(a, Peer)
    if not there:
        print("NOTHING WAS TIMED: no library was there", file=sys.stderr)
        return 1
    if is_drawn:
        path = tournament.list_beside(a)
        tournament.write(tournament.larger(tournament.drawn(a.seed, a.count, a.family), *LARGE), path)
        work = [(path, a.dtype, a.out)]
    for path, dtype, out in work:
        print(f"# {os.path.basename(path)} in {dtype}", flush=True)
        peers.compare(a, there, path, dtype, machine(), out)
    for peer in there:
        peer.close()
    if is_drawn:
        results = tournament.load(a.out)
        own = tournament.own_name(results)
        others = tournament.peer_names(results, own, [*INSTEAD, "in_place"])
        tournament.report(results, own, others, a.bandwidth, a.worst)
    return 0


if __name__ == "__main__":
    sys.exit(main())
