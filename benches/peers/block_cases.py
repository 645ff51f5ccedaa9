"""Draws cases of equations over block tensors, as `examples/data/structured/README.md` describes them, with what is expected of each.

    block_cases.py draw blocks --count 500 --seed 1 > cases.json     (or sparse, jagged)
    block_cases.py check examples/data/structured/blocks.json …

`draw` writes a file for the example `blocks`; `check` computes what the given files expect, and prints what differs. See
`block_expect.py` for how. Needs numpy alone.
"""

import argparse
import itertools
import json
import math
import random
import sys

from block_expect import Mixed, TooLarge, check, closure, expected, generator, read

MOST_WORK = 60_000
MOST_ELEMENTS = 6_000


class Impossible(Exception):
    """What was drawn is no case: it is drawn again."""


def compositions(draw, extent, most):
    """Tiles that make up an axis."""
    cuts = []
    while extent:
        tile = min(extent, draw.choice([1, 1, 2, 2, 3, 4])) if len(cuts) < most - 1 else extent
        cuts.append(tile)
        extent -= tile
    draw.shuffle(cuts)
    return cuts


class Axis:
    """A kind of axis: how it is cut, and which charges its tiles carry."""

    def __init__(self, draw, charged):
        self.cuts = [draw.choice([1, 1, 2, 2, 3, 4]) for _ in range(draw.choice([1, 1, 2, 2, 3, 4]))]
        if draw.random() < 0.1:
            self.cuts = [1] * draw.choice([1, 2, 5])
        low = draw.choice([-2, -1, 0])
        step = draw.choice([1, 1, 2])
        self.charges = None
        if charged:
            self.charges = [low + step * n for n in range(len(self.cuts))]
            if draw.random() < 0.3:
                self.charges = [draw.choice([-1, 0, 1]) for _ in self.cuts]


def symmetry(draw, kinds, flow, is_complex, charged, total):
    """Generators that fit the axes, or none."""
    rank = len(kinds)
    alike = lambda a, b: kinds[a] == kinds[b]
    for _ in range(20):
        generators = []
        for _ in range(draw.choice([1, 1, 1, 2, 2, 3])):
            axes = list(range(rank))
            form = draw.choice(["pair", "pair", "pair", "cycle", "two", "any", "none"])
            if form == "pair" and rank > 1:
                a, b = draw.sample(range(rank), 2)
                axes[a], axes[b] = b, a
            elif form == "cycle" and rank > 2:
                a, b, c = draw.sample(range(rank), 3)
                axes[a], axes[b], axes[c] = b, c, a
            elif form == "two" and rank > 3:
                a, b, c, d = draw.sample(range(rank), 4)
                axes[a], axes[b], axes[c], axes[d] = b, a, d, c
            elif form == "any":
                draw.shuffle(axes)
            conjugate = is_complex and draw.random() < 0.4
            generators.append({"axes": axes, "sign": draw.choice([1, -1]), "conjugate": conjugate})
        fits = all(alike(n, axis) for g in generators for n, axis in enumerate(g["axes"]))
        trivial = all(g["axes"] == list(range(rank)) for g in generators)
        if not fits or (trivial and draw.random() < 0.9):
            continue
        if charged:
            turns = lambda g: -1 if g["conjugate"] else 1
            if not all(flow[n] == turns(g) * flow[axis] for g in generators for n, axis in enumerate(g["axes"])):
                continue
            if any(g["conjugate"] for g in generators) and total != 0:
                continue
        group = closure(rank, [generator(g) for g in generators])
        if len(group) > 48 or any(sign < 0 and axes == tuple(range(rank)) and not c for axes, sign, c in group):
            continue
        # Not only zeros: real and imaginary at once.
        identity = tuple(range(rank))
        if (identity, 1, True) in group and (identity, -1, True) in group:
            continue
        return generators
    return []


def operand(draw, kinds, name_seed, is_complex, charged, signs):
    """An operand with axes of these kinds."""
    rank = len(kinds)
    entry = {"tilings": [kind.cuts for kind in kinds], "blocks": [], "seed": name_seed, "dtype": "c128" if is_complex else "f64"}
    if math.prod(sum(kind.cuts) for kind in kinds) > MOST_ELEMENTS:
        raise Impossible
    blocks = list(itertools.product(*(range(len(kind.cuts)) for kind in kinds)))
    total = 0
    if charged:
        sums = [sum(s * kind.charges[t] for s, kind, t in zip(signs, kinds, block)) for block in blocks]
        if not sums:
            raise Impossible
        total = draw.choice(sums + [0] * len(sums))
        entry |= {"charges": [kind.charges for kind in kinds], "flow": signs, "total": total}
        blocks = [block for block, own in zip(blocks, sums) if own == total]
    if rank > 1 and draw.random() < 0.6 or is_complex and rank and draw.random() < 0.1:
        generators = symmetry(draw, kinds, signs, is_complex, charged, total)
        if generators:
            entry["symmetry"] = generators
    group = closure(rank, [generator(g) for g in entry.get("symmetry", [])])
    blocks = [block for block in blocks if all(block <= tuple(block[axis] for axis in axes) for axes, _, _ in group)]
    if not charged:
        fill = draw.choice([1, 1, 0.8, 0.6, 0.3, 0.1])
        blocks = [block for block in blocks if draw.random() < fill]
    entry["blocks"] = [list(block) for block in blocks]
    return entry


LABELS = "ijklmnpqrs"


def labelled(draw, count):
    """Labels of each operand, and of the result."""
    pool = list(LABELS[: draw.choice([2, 3, 3, 4, 4, 5, 6])])
    form = draw.random()
    if form < 0.15:
        # Pairs of labels, as in sandwiches and networks.
        own = [[pool[n % len(pool)], pool[(n + 1) % len(pool)]] for n in range(count)]
    else:
        ranks = [draw.choice([1, 2, 2, 2, 3, 3, 4, 4, 5]) for _ in range(count)]
        own = [[draw.choice(pool) for _ in range(rank)] for rank in ranks]
        if draw.random() < 0.8:
            own = [list(dict.fromkeys(labels)) for labels in own]
    everything = list(dict.fromkeys(label for labels in own for label in labels))
    left = [label for label in everything if draw.random() < (0.75 if sum(label in labels for labels in own) == 1 else 0.25)]
    draw.shuffle(left)
    return own, left[:6]


def blocks_case(draw):
    count = draw.choice([1, 1, 2, 2, 2, 2, 3, 3, 4])
    is_complex, charged = draw.random() < 0.4, draw.random() < 0.25
    own, left = labelled(draw, count)
    everything = list(dict.fromkeys(label for labels in own for label in labels))
    axes = [Axis(draw, charged) for _ in range(draw.choice([1, 1, 2, 3]))]
    kinds = {label: draw.choice(axes) for label in everything}
    if math.prod(sum(kinds[label].cuts) for label in everything) > MOST_WORK:
        raise Impossible
    conjugates = [is_complex and draw.random() < 0.25 for _ in own]
    signs = [[draw.choice([1, -1]) for _ in labels] for labels in own]
    names, entries = [], []
    for n, labels in enumerate(own):
        same = [m for m in range(n) if [kinds[a] for a in own[m]] == [kinds[b] for b in labels]]
        if same and draw.random() < 0.6:
            known = draw.choice(same)
            names.append(names[known])
            entries.append(entries[known])
            signs[n] = signs[known]
            continue
        if charged:
            # A summed label leaves one factor and enters the other.
            for axis, label in enumerate(labels):
                for m in range(n):
                    if label in own[m]:
                        turn = -1 if conjugates[n] != conjugates[m] else 1
                        signs[n][axis] = -turn * signs[m][own[m].index(label)]
        names.append("ABCD"[n])
        entries.append(operand(draw, [kinds[label] for label in labels], draw.randrange(1 << 32), is_complex, charged, signs[n]))
    if charged and not flows(own, left, signs, conjugates):
        raise Impossible
    # The axes of one label may be cut in other ways.
    if not charged and draw.random() < 0.1:
        n = draw.randrange(count)
        if names.count(names[n]) == 1 and "symmetry" not in entries[n] and own[n]:
            axis = draw.randrange(len(own[n]))
            cuts = list(entries[n]["tilings"])
            cuts[axis] = compositions(draw, sum(cuts[axis]), 4)
            blocks = itertools.product(*(range(len(c)) for c in cuts))
            entries[n] = entries[n] | {"tilings": cuts, "blocks": [list(b) for b in blocks if draw.random() < 0.7]}
    written = [f"{name}[{', '.join(labels)}]" for name, labels in zip(names, own)]
    written = [f"conj({text})" if c else text for text, c in zip(written, conjugates)]
    occurs = {label: sum(labels.count(label) for labels in own) for label in everything}
    once = [label for label in everything if label not in left and occurs[label] == 1]
    product = " * ".join(written)
    operands = list(entries)
    # Addends conserve one charge: labels that change places carry it the same way.
    way = {label: (-1 if conjugates[n] else 1) * signs[n][axis] for n in range(count) for axis, label in enumerate(own[n])}
    swapped = [(a, b) for a in left for b in left if a < b and kinds[a] == kinds[b] and (not charged or way[a] == way[b])]
    form = draw.random()
    body = f"sum({', '.join(once)}; {product})" if once else product
    if form < 0.1:
        right = f"{draw.choice(['2.0', '0.5', '3.0'])} * {body}"
    elif form < 0.3 and swapped:
        right = f"{draw.choice(['asym', 'sym'])}({', '.join(draw.choice(swapped))}; {body})"
        if draw.random() < 0.3:
            right = f"0.5 * {right}"
    elif form < 0.45 and left:
        change = dict(draw.choice(swapped)) if False else dict([draw.choice(swapped)]) if swapped else {}
        change |= {b: a for a, b in change.items()}
        other = [f"{name}[{', '.join(change.get(x, x) for x in labels)}]" for name, labels in zip(names, own)]
        other = [f"conj({text})" if c else text for text, c in zip(other, conjugates)]
        other = " * ".join(other)
        other = f"sum({', '.join(once)}; {other})" if once else other
        right = f"{body} {draw.choice('+-')} {draw.choice(['', '2.0 * '])}{other}"
        operands = operands + operands
    else:
        right = body
    return {"name": "drawn", "equation": f"[{', '.join(left)}] = {right}", "operands": operands}


def flows(own, left, signs, conjugates):
    """Whether each summed label of two factors leaves one and enters the other."""
    seen = {}
    for labels, sign, conjugate in zip(own, signs, conjugates):
        for label, one in zip(labels, sign):
            seen.setdefault(label, []).append(-one if conjugate else one)
    return all(len(all_) != 2 or label in left or sum(all_) == 0 for label, all_ in seen.items())


SPARSE = [
    "[i, k] = A[i, j] * B[j, k]",
    "[i, j] = A[i, j] * B[i, k] * C[j, k]",
    "[i, r] = A[i, j, k] * B[j, r] * C[k, r]",
    "[i, j, r] = A[i, j, k] * B[k, r]",
    "[i] = A[i, i]",
    "[] = A[i, i]",
    "[i, j] = A[j, i]",
    "[i] = A[i, j] * B[j]",
    "[] = A[i, j] * B[i, j]",
    "[i, j] = A[i, j] * B[i, j]",
    "[i, j] = A[i, j] * B[j, i]",
    "[i, j] = A[i, j] * B[i]",
    "[i, j] = A[i] * B[j]",
    "[j] = sum(i; A[i, j])",
    "[i, l] = A[i, j] * B[j, k] * C[k, l]",
    "[] = A[i, j] * B[j, k] * C[k, i]",
    "[i] = A[i, j, k] * B[j] * C[k]",
    "[i, k] = A[i, j, k] * B[j, k]",
    "[j, l] = A[i, j] * B[i, l]",
    "[r] = A[i, j] * B[i, r] * C[j, r]",
    "[i, j, k, l] = A[i, j] * B[k, l]",
    "[i, j] = A[i, k] * A[j, k]",
]


def sparse_case(draw):
    equation = draw.choice(SPARSE)
    _, terms, names = read(equation)
    extents = {label: draw.choice([1, 2, 3, 5, 8, 12, 20]) for label in LABELS}
    if equation == "[i, j] = A[i, k] * A[j, k]":
        extents["j"] = extents["i"]
    if equation.endswith("B[j, i]"):
        extents["j"] = extents["i"]
    entries = {}
    for n, labels, _ in terms[0][1]:
        shape = [extents[label] for label in labels]
        if names[n] in entries:
            continue
        seed = draw.randrange(1 << 32)
        if n and draw.random() < 0.4:
            entries[names[n]] = {"shape": shape, "dense": True, "seed": seed}
            continue
        dense_axes = sorted(draw.sample(range(len(shape)), draw.choice([0, 0, 0, 1, 1, 2]) % len(shape)))
        most = math.prod(shape[axis] for axis in range(len(shape)) if axis not in dense_axes)
        draws = draw.choice([0, 1, most // 10, most // 3, most, 2 * most])
        entries[names[n]] = {"shape": shape, "draws": draws, "seed": seed, "dense_axes": dense_axes}
    return {"name": "drawn", "equation": equation, "operands": [entries[name] for name in names]}


ROWS = "rows"
JAGGED = [
    "[i, k] = A[i, j] * A[k, j]",
    "[i, k] = A[i, j] * B[k, j]",
    "[j, i] = A[i, j]",
    "[i] = A[i, j] * B[i, j]",
    "[i, j] = A[i, j] * B[i, j]",
    "[i, j] = A[i, j] + B[i, j]",
    "[i, j] = 2.0 * A[i, j] - B[i, j]",
    "[i] = sum(j; A[i, j])",
    "[j] = sum(i; A[i, j])",
    "[] = A[i, j] * B[i, j]",
    "[] = A[i, j] * B[k, j]",
    "[i, j] = A[i, j] * x[i]",
    "[k, j] = A[i, j] * M[k, i]",
    "[i, j, t] = A[i, j] * M[i, t]",
    "[i, j, k] = A[i, j] * B[i, k]",
    "[i, k, j] = A[i, j] * B[k, j]",
    "[i, j, u] = L[i, j, t] * M[t, u]",
    "[i, t] = L[i, j, t] * A[i, j]",
    "[i, j] = L[i, j, t] * x[t]",
    "[t, u] = L[i, j, t] * K[i, j, u]",
    "[j, i, t] = L[i, j, t]",
    "[i, j, k] = L[i, j, t] * K[i, k, t]",
    "[] = T[p; a, b] * V[p; a, b]",
    "[p] = T[p; a, b] * V[p; a, b]",
    "[p; a, b] = T[p; a, c] * V[p; c, b]",
    "[p; a, b] = T[p; b, a]",
    "[p; a, b] = T[p; a, b] + T[p; b, a]",
    "[p; a, b] = asym(a, b; T[p; a, b])",
    "[p] = T[p; a, a]",
    "[p; a] = T[p; a, b] * A[p, b]",
    "[p; a, b] = T[p; a, b] * x[p]",
    "[a, b] = sum(p; T[p; a, b])",
    "[p, q] = T[p; a, b] * T[q; b, a]",
    "[i] = A[i, j] * y[j]",
    "[i, k] = A[i, j] * N[j, k]",
    "[i, k] = N[j, k] * A[i, j]",
    "[p; a, c] = T[p; a, b] * N[b, c]",
    "[i, j] = A[i, j] + M[i, j]",
]


def jagged_case(draw):
    equation = draw.choice(JAGGED)
    _, terms, names = read(equation)
    count = draw.choice([1, 2, 3, 4, 6])
    extents = {"t": draw.choice([1, 2, 3]), "u": draw.choice([1, 2, 4])}
    rows = {label: draw.choice([count, count, 1, 3]) for label in "ikpq"}
    entries, sequence = {}, [factor for _, factors in terms for factor in factors]
    known = {}
    for n, labels, _ in sequence:
        name = names[n]
        if name in entries:
            continue
        lengths = [draw.choice([0, 1, 1, 2, 3, 5, 7]) for _ in range(rows.get(labels[0], 3))]
        if known.get(labels[0]) and draw.random() < 0.4:
            lengths = known[labels[0]]
        known[labels[0]] = lengths
        seed = draw.randrange(1 << 32)
        if name in "ABLK":
            entries[name] = {"lengths": lengths, "tail": [extents[label] for label in labels[2:]], "seed": seed}
        elif name in "TV":
            entries[name] = {"domains": lengths, "seed": seed}
        else:
            entries[name] = {"shape": [rows.get(x) or extents.get(x) or draw.choice([3, 7]) for x in labels], "dense": True, "seed": seed}
    if "T[q" in equation or equation.startswith("[i, k] = A[i, j] * A[k"):
        rows["k"] = rows["i"]
    return {"name": "drawn", "equation": equation, "operands": [entries[name] for name in names]}


def without_accidents(case):
    """The case, without what is expected of its symmetry if that is not so for longer tiles of the same pattern: matrices of 2×2 and
    tiles of one index have symmetries that no program can infer."""
    longer = [entry | {"tilings": [[tile + 2 for tile in cuts] for cuts in entry["tilings"]]} for entry in case["operands"]]
    try:
        expect = expected(case | {"operands": longer}, 3_000_000)
    except TooLarge:
        expect = None
    if expect is None or any(expect.get(key) != case["expect"].get(key) for key in ("invariances", "canonical_tuples")):
        for key in ("invariances", "canonical_tuples", "canonical_multiplications"):
            case["expect"].pop(key, None)
    return case


def drawn(kind, count, seed):
    draw = random.Random(f"{kind} {seed}")
    cases = []
    while len(cases) < count:
        try:
            case = {"blocks": blocks_case, "sparse": sparse_case, "jagged": jagged_case}[kind](draw)
            case["expect"] = expected(case)
        except (Impossible, Mixed):
            continue
        if kind == "blocks":
            case = without_accidents(case)
        case["name"] = f"{kind} {seed} {len(cases)}"
        cases.append(case)
    return cases


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    draw = commands.add_parser("draw")
    draw.add_argument("kind", choices=["blocks", "sparse", "jagged"])
    draw.add_argument("--count", type=int, default=100)
    draw.add_argument("--seed", type=int, default=1)
    commands.add_parser("check").add_argument("files", nargs="+")
    given = parser.parse_args()
    if given.command == "check":
        sys.exit(check(given.files) > 0)
    cases = drawn(given.kind, given.count, given.seed)
    print("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]")


if __name__ == "__main__":
    main()
