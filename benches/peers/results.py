"""What peers.py wrote, for the programs that print or draw it: which library is ours, and the best of the others."""
import json, math


def load(path):
    with open(path) as file:
        return json.load(file)


def own_name(results, wanted=None):
    """The library that the others are compared with: the one asked for, or `tensorwrapper`."""
    names = list(results["versions"])
    if wanted in names:
        return wanted
    if wanted is None:
        for name in names:
            if name == "tensorwrapper" or results["versions"][name].startswith("tensorwrapper"):
                return name
    raise SystemExit(f"no library `{wanted or 'tensorwrapper'}`; there are {', '.join(names)} (--own NAME chooses)")


def peer_names(results, own, left_out=()):
    """All others, but further builds of the same library."""
    ours = [n for n, v in results["versions"].items() if v.startswith("tensorwrapper")]
    return [n for n in results["versions"] if n != own and n not in ours and n not in left_out]


def speed(case, name, key):
    """GFLOP/s, or nothing where the library failed or its result disagrees with the others'."""
    found = case["libs"].get(name)
    return found[key] if found and found["agrees"] else None


def best_peer(case, peers, key):
    """Name and GFLOP/s of the fastest peer, if one has a right result."""
    found = [(speed(case, name, key), name) for name in peers]
    found = [pair for pair in found if pair[0]]
    return max(found)[::-1] if found else None


def geometric_mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers))
