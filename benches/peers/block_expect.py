"""What is expected of equations over block tensors, as `examples/data/structured/README.md` describes it, by brute force from the
definitions: elements with `numpy.einsum` over dense arrays in long double, blocks and tuples by counting, symmetries by trying all
permutations. `block_cases.py` is the program. Needs numpy alone.
"""

import itertools
import json
import math
import re

import numpy as np

MASK = (1 << 64) - 1


def splitmix(seed, count):
    """The first outputs of splitmix64."""
    z = np.uint64(seed & MASK) + np.uint64(0x9E3779B97F4A7C15) * np.arange(1, count + 1, dtype=np.uint64)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def values(seed, count, dtype):
    """The elements of an operand, in the order in which they are stored."""
    numbers = lambda n: 2 * ((splitmix(seed, n) >> np.uint64(11)).astype(np.longdouble) * np.longdouble(2) ** -53) - 1
    if not dtype.startswith("c"):
        return numbers(count)
    pairs = numbers(2 * count)
    return pairs[0::2] + 1j * pairs[1::2]


# Groups of signed permutations: (axes, sign, conjugates) means T[x] = sign · T[y], y[axes[p]] = x[p] … as the README says.


def closure(rank, generators):
    """All elements of the group."""
    identity = (tuple(range(rank)), 1, False)
    found, new = {identity}, [identity]
    while new:
        products = [((tuple(a[0][p] for p in b[0])), a[1] * b[1], a[2] != b[2]) for a in new for b in generators]
        new = [element for element in dict.fromkeys(products) if element not in found]
        found.update(new)
    return sorted(found)


def generator(entry):
    return (tuple(entry["axes"]), entry["sign"], bool(entry.get("conjugate")))


def permuted(array, axes):
    """The array y ↦ array, at y[p] = x[axes[p]]."""
    return np.transpose(array, np.argsort(axes)) if array.ndim else array


def follows(array, element):
    axes, sign, conjugates = element
    image = permuted(array, axes)
    return sign * (np.conj(image) if conjugates else image)


class Operand:
    """A dense array, which of its blocks are there, and how its axes are cut."""

    def __init__(self, entry):
        self.entry = entry
        dtype = entry.get("dtype", "f64")
        if "tilings" in entry:
            self.blocked(entry, dtype)
        elif "draws" in entry:
            self.sparse(entry, dtype)
        elif "lengths" in entry or "domains" in entry:
            rows = [[n] + entry.get("tail", []) for n in entry["lengths"]] if "lengths" in entry else [[n, n] for n in entry["domains"]]
            self.jagged(rows, entry["seed"], dtype)
        else:
            self.array = values(entry["seed"], math.prod(entry["shape"]), dtype).reshape(entry["shape"])
            self.cuts = [[n] for n in entry["shape"]]
            self.present = np.ones([1] * len(self.cuts), bool)
            self.exists = np.ones(entry["shape"], bool)

    def blocked(self, entry, dtype):
        self.cuts = entry["tilings"]
        rank = len(self.cuts)
        shape = [sum(cuts) for cuts in self.cuts]
        group = closure(rank, [generator(g) for g in entry.get("symmetry", [])])
        starts = [np.concatenate([[0], np.cumsum(cuts)]) for cuts in self.cuts]
        tiles = [np.repeat(np.arange(len(cuts)), cuts) for cuts in self.cuts]
        blocks = [tuple(block) for block in entry["blocks"]]
        sizes = [math.prod(self.cuts[axis][tile] for axis, tile in enumerate(block)) for block in blocks]
        stream = values(entry["seed"], sum(sizes), dtype)
        raw = np.zeros(shape, np.clongdouble if dtype.startswith("c") else np.longdouble)
        self.present = np.zeros([len(cuts) for cuts in self.cuts], bool)
        at = 0
        for block, size in zip(blocks, sizes):
            place = tuple(slice(starts[axis][tile], starts[axis][tile + 1]) for axis, tile in enumerate(block))
            raw[place] = stream[at : at + size].reshape([self.cuts[axis][tile] for axis, tile in enumerate(block)])
            at += size
            for axes, _, _ in group:
                self.present[tuple(block[axis] for axis in axes)] = True
        # The order of indices: by the tuple of blocks, then by themselves.
        counts = [len(cuts) for cuts in self.cuts]
        coordinates = np.ix_(*tiles) if rank else ()
        block_key = np.zeros(shape, object if math.prod(shape) * math.prod(counts) >= 1 << 62 else np.int64)
        for count, tile in zip(counts, coordinates):
            block_key = block_key * count + tile
        key = block_key * math.prod(shape) + np.arange(math.prod(shape)).reshape(shape)
        smallest = key
        for axes, _, _ in group:
            smallest = np.minimum(smallest, permuted(key, axes))
        total, says = np.zeros_like(raw), np.zeros(shape, int)
        for element in group:
            here = permuted(key, element[0]) == smallest
            total += np.where(here, follows(raw, element), 0)
            says += here
        self.array = total / says
        self.exists = np.ones(shape, bool)

    def sparse(self, entry, dtype):
        shape, dense = entry["shape"], entry.get("dense_axes", [])
        axes = [axis for axis in range(len(shape)) if axis not in dense]
        drawn = [int(z) for z in splitmix(entry["seed"], entry["draws"] * len(axes))]
        tuples = {tuple(drawn[n * len(axes) + k] % shape[axis] for k, axis in enumerate(axes)) for n in range(entry["draws"])}
        self.drawn, inner = sorted(tuples), [shape[axis] for axis in dense]
        stream = values(entry["seed"] + 1000, len(self.drawn) * math.prod(inner), dtype).reshape([len(self.drawn)] + inner)
        self.array = np.zeros(shape, stream.dtype)
        self.exists = np.zeros(shape, bool)
        for index, part in zip(self.drawn, stream):
            place = [slice(None)] * len(shape)
            for axis, position in zip(axes, index):
                place[axis] = position
            self.array[tuple(place)], self.exists[tuple(place)] = part, True
        self.cuts, self.present = [[1] * n for n in shape], self.exists

    def jagged(self, rows, seed, dtype):
        shape = [len(rows)] + [max((row[axis] for row in rows), default=0) for axis in range(len(rows[0]))]
        stream = values(seed, sum(math.prod(row) for row in rows), dtype)
        self.array, self.exists, at = np.zeros(shape, stream.dtype), np.zeros(shape, bool), 0
        for number, row in enumerate(rows):
            place = (number,) + tuple(slice(n) for n in row)
            self.array[place] = stream[at : at + math.prod(row)].reshape(row)
            self.exists[place] = True
            at += math.prod(row)
        self.cuts, self.present = [[1] * n for n in shape], self.exists


# Equations: `[i, j] = 2.0 * A[i, k] * conj(B[k, j]) - asym(i, j; …)` as a list of terms (number, [(operand, labels, conjugates)]).

TOKEN = re.compile(r"\s*([A-Za-z_]\w*|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|.)")


class Reader:
    """Reads the right side of an equation: sums and products of tensors and numbers, `conj`, `sum`, `sym` and `asym`."""

    def __init__(self, text):
        self.tokens, self.at, self.operands = TOKEN.findall(text.strip()), 0, []

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, expected=None):
        token = self.peek()
        assert expected is None or token == expected, f"`{expected}` instead of `{token}`"
        self.at += 1
        return token

    def labels(self, end):
        found = []
        while self.peek() != end:
            if self.take() not in ",;":
                found.append(self.tokens[self.at - 1])
        self.take(end)
        return found

    def sum(self):
        terms = self.product(-1 if self.peek() == "-" and self.take() else 1)
        while self.peek() in ("+", "-"):
            terms += self.product(1 if self.take() == "+" else -1)
        return terms

    def product(self, sign):
        terms = [(sign * number, factors) for number, factors in self.factor()]
        while self.peek() in ("*", "/"):
            divides, right = self.take() == "/", self.factor()
            right = [(1 / number if divides else number, factors) for number, factors in right]
            terms = [(a * b, left + more) for a, left in terms for b, more in right]
        return terms

    def factor(self):
        token = self.take()
        if token == "(":
            terms = self.sum()
            self.take(")")
            return terms
        if token[0].isdigit():
            return [(float(token), [])]
        if self.peek() == "[":
            self.take("[")
            self.operands.append(token)
            return [(1.0, [(len(self.operands) - 1, self.labels("]"), False)])]
        self.take("(")
        if token == "conj":
            terms = self.sum()
            self.take(")")
            return [(np.conj(number), [(n, labels, not conjugates) for n, labels, conjugates in factors]) for number, factors in terms]
        groups = self.labels(";") if "(" not in self.tokens[self.at : self.tokens.index(";", self.at)] else self.pairs()
        terms = self.sum()
        self.take(")")
        if token == "sum":
            return terms
        pairs = [groups] if isinstance(groups[0], str) else list(zip(*groups))
        change = {a: b for pair in pairs for a, b in (pair, pair[::-1])}
        exchanged = [(number, [(n, [change.get(x, x) for x in labels], c) for n, labels, c in factors]) for number, factors in terms]
        return terms + [(number * {"sym": 1, "asym": -1}[token], factors) for number, factors in exchanged]

    def pairs(self):
        groups = []
        while self.take() != ";":
            if self.tokens[self.at - 1] == "(":
                groups.append(self.labels(")"))
        return groups


def read(equation):
    """The labels of the left side, the terms, and the names of the operands."""
    left, right = equation.split("=", 1)
    reader = Reader(right)
    terms = reader.sum()
    return re.findall(r"\w+", left), terms, reader.operands


def einsum(factors, left, extents):
    """A sum of products of arrays with labels, which are whole numbers."""
    flat = [part for array, labels in factors for part in (array, labels)]
    if math.prod(extents) <= 300_000:
        return np.einsum(*flat, left)
    return np.einsum(*flat, left, optimize="greedy")


# What is expected.


def total(arrays, terms, left, numbers, extents):
    result = None
    for number, factors in terms:
        parts = []
        for n, labels, conjugates in factors:
            array = np.conj(arrays[n]) if conjugates else arrays[n]
            parts.append((array, [numbers[label] for label in labels]))
        part = number * einsum(parts, [numbers[label] for label in left], extents)
        result = part if result is None else result + part
    return np.asarray(result)


def number(x):
    return [float(x.real), float(x.imag)] if np.iscomplexobj(x) else float(x)


def invariances(out, scale):
    """All signed permutations of the axes that leave an array as it is."""
    found = []
    if out.ndim == 0 or not out.size or np.abs(out).max() <= 1e-14 * scale:
        return found
    for axes in itertools.permutations(range(out.ndim)):
        if any(out.shape[n] != out.shape[axis] for n, axis in enumerate(axes)):
            continue
        for conjugates in [False, True][: 1 + np.iscomplexobj(out)]:
            for sign in (1, -1):
                if np.abs(out - follows(out, (axes, sign, conjugates))).max() <= 1e-14 * scale:
                    found.append({"axes": list(axes), "sign": sign, "conjugate": conjugates})
    return found


class TooLarge(Exception):
    """There are more products than one wants to wait for."""


def expected(case, most=1 << 40):
    """What is expected of a case, as far as the README says for cases of its form."""
    left, terms, names = read(case["equation"])
    operands = [Operand(entry) for entry in case["operands"]]
    labels = sorted({label for _, factors in terms for _, own, _ in factors for label in own})
    numbers = {label: n for n, label in enumerate(labels)}
    axes = [(label, n, axis) for _, factors in terms for n, own, _ in factors for axis, label in enumerate(own)]
    extent = {label: max(operands[n].array.shape[axis] for name, n, axis in axes if name == label) for label in labels}
    for n, own, _ in {(n, tuple(own), c) for _, factors in terms for n, own, c in factors}:
        grown = [(0, extent[label] - size) for label, size in zip(own, operands[n].array.shape)]
        if any(after for _, after in grown):
            operands[n].array, operands[n].exists = np.pad(operands[n].array, grown), np.pad(operands[n].exists, grown)
            operands[n].present, operands[n].cuts = operands[n].exists, [[1] * n for n in operands[n].exists.shape]
    sizes = [extent[label] for label in labels]
    if math.prod(sizes) > most:
        raise TooLarge
    out = total([operand.array for operand in operands], terms, left, numbers, sizes)
    absolute = [(abs(number), [(n, own, False) for n, own, _ in factors]) for number, factors in terms]
    scale = total([abs(operand.array) for operand in operands], absolute, left, numbers, sizes)
    wide = dict(operands=operands, terms=terms, left=left, numbers=numbers, labels=labels, extent=extent, axes=axes)
    if any("lengths" in entry or "domains" in entry for entry in case["operands"]):
        return jagged(case, out, scale, wide)
    expect = summary(out, scale)
    if any("draws" in entry for entry in case["operands"]):
        exists = [(operands[n].exists.astype(float), [numbers[label] for label in own]) for n, own, _ in terms[0][1]]
        per = einsum(exists, [numbers[label] for label in left], sizes)
        return expect | {"out_count": int(np.count_nonzero(per)), "products": float(per.sum())}
    return expect | structure(case, out, scale, wide)


def summary(out, scale):
    flat = out.reshape(-1)
    weights = ((np.arange(flat.size) * 7919 % 1009) + 1) / np.longdouble(1009)
    return {
        "out_shape": list(out.shape),
        "sum": number(flat.sum()),
        "wsum": number((flat * weights).sum()),
        "abs_max": float(scale.max()) if scale.size else 0.0,
        "abs_sum": float(scale.sum()),
        "out": [number(x) for x in flat[:48]],
    }


def structure(case, out, scale, wide):
    operands, terms, left, numbers = wide["operands"], wide["terms"], wide["left"], wide["numbers"]
    found = {"invariances": invariances(out, float(scale.max()) if scale.size else 0.0)}
    cuts = {}
    for label, n, axis in wide["axes"]:
        cuts.setdefault(label, []).append(operands[n].cuts[axis])
    if any(own != all_[0] for all_ in cuts.values() for own in all_):
        return found
    cut = {label: all_[0] for label, all_ in cuts.items()}
    found["out_tilings"] = [cut[label] for label in left]
    if len(terms) > 1 or terms[0][0] != 1:
        return found
    tiles = [len(cut[label]) for label in wide["labels"]]
    factors = [(operands[n].present.astype(float), [numbers[label] for label in own]) for n, own, _ in terms[0][1]]
    sizes = [(np.array(cut[label], float), [numbers[label]]) for label in wide["labels"]]
    everything = list(range(len(wide["labels"])))
    joined = einsum(factors, everything, tiles)
    weights = einsum(sizes, everything, tiles) * joined
    summed = tuple(numbers[label] for label in wide["labels"] if label not in left)
    order = [numbers[label] for label in left]
    pattern = einsum(factors, order, tiles)
    blocks = [tuple(int(x) for x in block) for block in np.argwhere(pattern)] if left else [()] * bool(pattern)
    starts = [np.concatenate([[0], np.cumsum(cut[label])]) for label in left]
    norm = lambda block: float(np.sqrt((abs(out[tuple(slice(s[t], s[t + 1]) for s, t in zip(starts, block))]) ** 2).sum()))
    found |= {
        "tuples": int(joined.sum()),
        "multiplications": int(weights.sum()),
        "multiplications_dense": math.prod(wide["extent"].values()),
        "out_blocks": [list(block) for block in blocks],
        "norms": [[list(block), norm(block)] for block in blocks[:64]],
    }
    if math.prod(wide["extent"].values()) > 3_000_000:
        return found
    group = [tuple(entry["axes"]) for entry in found["invariances"]]
    canonical = {block for block in blocks if all(block <= tuple(block[a] for a in axes) for axes in group)}
    # Exchanges of summed labels that leave the product as it is.
    arrays = [(np.conj(operands[n].array) if c else operands[n].array, [numbers[x] for x in own]) for n, own, c in terms[0][1]]
    product = einsum(arrays, everything, list(wide["extent"].values()))
    tolerance = 1e-15 * float(abs(product).max())
    exchanges = []
    for moved in itertools.permutations(summed):
        axes = list(everything)
        for place, axis in zip(summed, moved):
            axes[place] = axis
        alike = all(cut[wide["labels"][n]] == cut[wide["labels"][axis]] for n, axis in enumerate(axes))
        if alike and abs(product - permuted(product, axes)).max() <= tolerance:
            exchanges.append(axes)
    tuples = multiplications = 0
    for index in np.argwhere(joined):
        if tuple(int(index[n]) for n in order) in canonical and all(tuple(index) <= tuple(index[axes]) for axes in exchanges):
            tuples += 1
            multiplications += int(weights[tuple(index)])
    return found | {"canonical_tuples": tuples, "canonical_multiplications": multiplications}


class Mixed(Exception):
    """Rows that happen to be equal meet an axis that is not ragged: nothing is said of that."""


def jagged(case, out, scale, wide):
    """Rows of the result end where those of some product of its operands do."""
    operands, left, numbers = wide["operands"], wide["left"], wide["numbers"]
    sizes = list(wide["extent"].values())
    ragged = {}
    for label, n, axis in wide["axes"]:
        entry, own = case["operands"][n], next(own for _, factors in wide["terms"] for m, own, _ in factors if m == n)
        rows = entry.get("lengths", entry.get("domains", []))
        smooth = not rows or axis == 0 or ("lengths" in entry and axis != 1)
        alike = not smooth and len(set(rows)) < 2
        ragged.setdefault(label, []).append((smooth or alike, n, own[0], axis, rows, smooth))
    for label, all_ in ragged.items():
        first = next((one for one in all_ if not one[0]), None)
        other = next((one for one in all_ if one[5]), None)
        if first and other:
            names = read(case["equation"])[2]
            listed, extent = ", ".join(map(str, first[4])), operands[other[1]].present.shape[other[3]]
            whole = case["operands"][other[1]]
            extent = whole["shape"][other[3]] if "shape" in whole else extent
            text = f"index `{label}` has extents {listed} in `{names[first[1]]}`, one for each `{first[2]}`, but extent {extent} in "
            return {"error": text + f"`{names[other[1]]}`"}
        if other and any(len(one[4]) and not one[5] for one in all_):
            raise Mixed
    exists = [operand.exists.astype(float) for operand in operands]
    there = total(exists, [(1, [(n, own, False) for n, own, _ in factors]) for _, factors in wide["terms"]], left, numbers, sizes) > 0
    if not there.any() and any(one[0] and not one[5] for all_ in ragged.values() for one in all_):
        raise Mixed
    for axis, label in enumerate(left):
        if all(not one[5] for one in ragged[label]):
            others = tuple(other for other in range(there.ndim) if other != axis)
            longest = int(there.any(axis=others).sum())
            out, scale, there = (np.take(array, range(longest), axis) for array in (out, scale, there))
    expect = summary(out, scale) | {"padded_with": 0}
    by = [n for n, label in enumerate(left) if any(not one[0] and one[2] in left for one in ragged[label])]
    if by == [1] and there.ndim >= 2 and left[0] in {one[2] for one in ragged[left[1]]}:
        expect["lengths"] = [int(x) for x in there.any(axis=tuple(range(2, there.ndim))).sum(axis=1)]
    if by == [1, 2] and there.ndim == 3:
        expect["pairs_of_lengths"] = [[int(row.any(axis=1).sum()), int(row.any(axis=0).sum())] for row in there]
    if by == [0] and there.ndim == 2:
        expect["columns"] = [[int(x) for x in np.flatnonzero(column)] for column in there]
    return expect


def differences(name, found, given, say):
    """Prints where what was computed differs from what is given."""
    for field, value in given.items():
        own = found.get(field)
        if field in ("note", "padded_with", "first"):
            continue
        scale = {"sum": "abs_sum", "wsum": "abs_sum", "out": "abs_max"}.get(field, field)
        numeric = field in ("sum", "wsum", "out", "abs_max", "abs_sum") and own is not None
        if numeric and np.shape(own) == np.shape(value):
            same = np.abs(np.subtract(own, value)).max(initial=0) <= 1e-15 * max(given[scale], 1e-300) * 4
        elif field == "norms" and own is not None:
            same = [b for b, _ in own] == [b for b, _ in value] and np.allclose([x for _, x in own], [x for _, x in value], 1e-13)
        else:
            same = own == value
        if not same:
            say(f"{name}: {field} is {own}, not {value}")


def check(files):
    count = 0
    for file in files:
        for case in json.load(open(file)):
            found = []
            differences(case["name"], expected(case), case["expect"], found.append)
            print("\n".join(found) or f"ok {case['name']}")
            count += bool(found)
    return count

