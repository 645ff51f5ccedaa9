"""Orders of contractions against cotengra, side by side: ten networks of 100 to 300 tensors, drawn anew from a seed.

    python3 -m venv venv && venv/bin/pip install cotengra kahypar optuna
    cargo build --release --example order
    venv/bin/python benches/peers/order.py --own target/release/examples/order [--seconds 1] [--theirs 10] [--seed 0]

One process at a time: our program first, with so many seconds a network, then cotengra on one core. Both orders are scored by the same
function here, which counts the multiplications of each pair: the extents of all labels of both. Fewest operations are asked of both.
"""

import argparse, json, math, os, random, subprocess, sys, tempfile, time


def score(inputs, output, extents, path):
    """Logarithms of base 10 of the multiplications of a linear path, and of base 2 of its largest product."""
    live, counts = [frozenset(t) for t in inputs], {}
    for label in (label for t in live for label in t):
        counts[label] = counts.get(label, 0) + 1
    size = lambda labels: math.prod(extents[label] for label in labels)
    operations, largest = 0, 0
    for pair in path:
        group = [live.pop(n) for n in sorted(pair, reverse=True)]
        union = frozenset().union(*group)
        operations += size(union)
        for label in (label for t in group for label in t):
            counts[label] -= 1
        kept = frozenset(label for label in union if label in output or counts[label] > 0)
        for label in kept:
            counts[label] += 1
        largest = max(largest, size(kept))
        live.append(kept)
    assert len(live) == 1, "the path leaves several tensors"
    return math.log10(operations), math.log2(largest)


def regular(n, degree, rng):
    """A random regular graph: stubs are paired until no pair is a loop or double."""
    while True:
        stubs = [v for v in range(n) for _ in range(degree)]
        rng.shuffle(stubs)
        edges = {frozenset(stubs[i:i + 2]) for i in range(0, len(stubs), 2)}
        if len(edges) == len(stubs) // 2 and all(len(edge) == 2 for edge in edges):
            return of_edges(n, [sorted(edge) for edge in edges])


def lattice(*sides):
    n = math.prod(sides)
    at = lambda point: sum(x * math.prod(sides[axis + 1:]) for axis, x in enumerate(point))
    points = [[]]
    for side in sides:
        points = [point + [x] for point in points for x in range(side)]
    steps = [(at(p), at(p[:axis] + [p[axis] + 1] + p[axis + 1:])) for p in points for axis in range(len(sides)) if p[axis] + 1 < sides[axis]]
    return of_edges(n, steps)


def of_edges(n, edges):
    inputs = [[] for _ in range(n)]
    for label, (a, b) in enumerate(sorted(map(tuple, edges))):
        inputs[a].append(label)
        inputs[b].append(label)
    return inputs


def circuit(rows, columns, depth, rng):
    """An amplitude of a random circuit on a grid: gates of two qubits in four patterns; gates of one qubit are part of them."""
    qubit = lambda r, c: r * columns + c
    pairs = [
        [(qubit(r, c), qubit(r, c + 1)) for r in range(rows) for c in range(odd, columns - 1, 2)] for odd in (0, 1)
    ] + [[(qubit(r, c), qubit(r + 1, c)) for r in range(odd, rows - 1, 2) for c in range(columns)] for odd in (0, 1)]
    wire, inputs = list(range(rows * columns)), [[q] for q in range(rows * columns)]
    label = len(wire)
    for layer in range(depth):
        for a, b in pairs[layer % 4]:
            if rng.random() < 0.1:
                continue
            inputs.append([label, label + 1, wire[a], wire[b]])
            wire[a], wire[b], label = label, label + 1, label + 2
    return inputs + [[w] for w in wire]


def draw(seed):
    rng = random.Random(seed)
    return [
        ("regular 3, 100", regular(100, 3, rng), 2),
        ("regular 3, 200", regular(200, 3, rng), 2),
        ("regular 3, 300", regular(300, 3, rng), 2),
        ("regular 4, 100", regular(100, 4, rng), 2),
        ("lattice 10 x 10", lattice(10, 10), 3),
        ("lattice 16 x 16", lattice(16, 16), 2),
        ("lattice 5 x 5 x 5", lattice(5, 5, 5), 2),
        ("lattice 6 x 6 x 6", lattice(6, 6, 6), 2),
        ("circuit 4 x 5, depth 12", circuit(4, 5, 12, rng), 2),
        ("circuit 6 x 6, depth 14", circuit(6, 6, 14, rng), 2),
    ]


def theirs(inputs, extents, seconds):
    import cotengra

    optimizer = cotengra.HyperOptimizer(
        methods=["greedy", "kahypar"], minimize="flops", max_time=seconds, max_repeats=10**6, parallel=False, optlib="random", progbar=False
    )
    return [list(pair) for pair in optimizer.search([tuple(t) for t in inputs], (), extents).get_path()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--own", required=True, help="the example `order`, built")
    parser.add_argument("--seconds", type=float, default=1.0, help="of ours, for each network")
    parser.add_argument("--theirs", type=float, default=10.0, help="of cotengra, for each network; 0 leaves it out")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", help="a JSON file for all figures")
    options = parser.parse_args()
    networks = draw(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        problem = lambda name, inputs, extent: {
            "name": name, "inputs": [[str(label) for label in t] for t in inputs], "output": [],
            "extents": {str(label): extent for t in inputs for label in t},
        }
        rows = []
        for name, inputs, extent in networks:
            file, paths = os.path.join(folder, "in.json"), os.path.join(folder, "out.json")
            with open(file, "w") as out:
                json.dump({"problems": [problem(name, inputs, extent)]}, out)
            start = time.time()
            subprocess.run([options.own, file, "--seconds", str(options.seconds), "--paths", paths], check=True, stdout=subprocess.DEVNULL)
            took = time.time() - start
            with open(paths) as found:
                path = json.load(found)["problems"][0]["path"]
            extents = {label: extent for t in inputs for label in t}
            row = {"name": name, "tensors": len(inputs), "own": score(inputs, (), extents, path), "own_seconds": took}
            if options.theirs > 0:
                start = time.time()
                path = theirs(inputs, extents, options.theirs)
                row |= {"theirs": score(inputs, (), extents, path), "theirs_seconds": time.time() - start}
            rows.append(row)
            show(row)
    gains = [row["own"][0] - row["theirs"][0] for row in rows if "theirs" in row]
    if gains:
        print(f"mean {sum(gains) / len(gains):+.3f}, worst {max(gains):+.3f} decades of operations, {sum(g <= 1e-9 for g in gains)} of {len(gains)} at least as good")
    if options.out:
        with open(options.out, "w") as out:
            json.dump(rows, out, indent=1)


def show(row):
    line = f"| {row['name']} | {row['tensors']} | {row['own'][0]:.3f} | {row['own'][1]:.1f} | {row['own_seconds']:.2f} |"
    if "theirs" in row:
        line += f" {row['theirs'][0]:.3f} | {row['theirs'][1]:.1f} | {row['theirs_seconds']:.1f} | {row['own'][0] - row['theirs'][0]:+.3f} |"
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
