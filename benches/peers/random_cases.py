"""Draws contractions that no list holds, for `tournament.py`.

A case comes from one of twelve families: what chemists, physicists and machine learning contract, and what is awkward for kernels (long
sums with tiny results, results that are vectors, many short axes, odd extents, batches in any place). Two further families are drawn
by name alone, as not every library computes them: products of three operands, and labels that more than two operands share. Labels are
renamed and the axes of operands and result are permuted in a third of the cases. Work is about 0.01 to 1.5 GFLOP, no tensor is
larger than 200 MB. The same seed gives the same cases.
"""
import math
from products import terms


FURTHER = ("three operands", "hyper-edges")


def families(r):
    """For each family its equations, with extents that the source of random numbers `r` draws."""
    o, v, x = r.randint(4, 20), r.randint(20, 80), r.randint(60, 300)
    d, p, w = r.choice([8, 16, 24, 33, 48, 64, 96, 120]), r.choice([2, 2, 3, 4]), r.randint(4, 12)
    s = lambda lo, hi: r.randint(lo, hi)
    prime = lambda: r.choice([7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61])
    q = lambda: 2 ** s(0, 9)
    return {
        "coupled cluster": [
            ("ijcd,cdab->ijab", dict(i=o, j=o, c=v, d=v, a=v, b=v)), ("kbcj,ikac->ijab", dict(k=o, b=v, c=v, j=o, i=o, a=v)),
            ("klij,klab->ijab", dict(k=o, l=o, i=o, j=o, a=v, b=v)), ("kc,ikac->ia", dict(k=o, c=v, i=o, a=v)),
            ("mnef,mnfi->ei", dict(m=o, n=o, e=v, f=v, i=o)), ("abef,efij->abij", dict(a=v, b=v, e=v, f=v, i=o, j=o))],
        "triples": [
            ("ijkl,labc->ijkabc", dict(i=o, j=o, k=o, l=o, a=v // 3, b=v // 3, c=v // 3)),
            ("dbci,jkad->cjbiak", dict(d=v, b=v // 2, c=v // 2, i=o, j=o, k=o, a=v // 2))],
        "integrals": [
            ("pqrs,pi->iqrs", dict(p=v, q=v, r=v, s=v, i=o)), ("pqrs,si->pqri", dict(p=v, q=v, r=v, s=v, i=o)),
            ("pqrs,rj->pqjs", dict(p=v, q=v, r=v, s=v, j=o)), ("Pia,Pjb->ijab", dict(P=x, i=o, a=v, j=o, b=v)),
            ("Ppq,qi->Pip", dict(P=x, p=v, q=v, i=o)), ("pqrs,rs->pq", dict(p=v, q=v, r=v, s=v))],
        "matrix product states": [
            ("abc,adbe->cde", dict(a=d, b=d, c=d, d=p, e=d)), ("lawr,wvaz->lvrz", dict(l=d, a=p, w=w, r=d, v=p, z=w)),
            ("xaw,xcy->awcy", dict(x=d, a=d, w=w, c=p, y=d)), ("abc,abd->cd", dict(a=d, b=p, c=d, d=d))],
        "lattices": [
            ("abcd,cdef->abef", {k: s(5, 27) for k in "abcdef"}), ("aibjc,kbld->aikjlcd", dict(a=d // 4 + 2, i=p, b=d // 4 + 2, j=p, c=s(4, 12), k=s(4, 12), l=s(2, 12), d=s(4, 12))),
            ("abcde,bfdg->afcge", {k: s(4, 14) for k in "abcdefg"})],
        "gates": [
            ("aXb,Xx->axb", dict(a=q() * 8, X=2, b=q() * 8, x=2)), ("aXbYc,XYxy->axbyc", dict(a=q(), X=2, b=q(), Y=2, c=q(), x=2, y=2)),
            ("aXbYcZd,XYZxyz->axbyczd", dict(a=q(), X=2, b=q(), Y=2, c=q(), Z=2, d=q(), x=2, y=2, z=2))],
        "learning": [
            ("bhqd,bhkd->bhqk", dict(b=s(1, 8), h=s(2, 12), q=s(50, 256), k=s(50, 256), d=r.choice([32, 64, 80, 128]))),
            ("bhqk,bkhd->bqhd", dict(b=s(1, 8), h=s(2, 12), q=s(50, 256), k=s(50, 256), d=r.choice([32, 64, 80]))),
            ("nchw,fc->nfhw", dict(n=s(1, 16), c=s(16, 128), h=s(7, 56), w=s(7, 56), f=s(16, 128))),
            ("bsi,oi->bso", dict(b=s(1, 16), s=s(16, 256), i=s(64, 512), o=s(64, 512))), ("bsi,bso->io", dict(b=s(1, 16), s=s(16, 256), i=s(64, 384), o=s(64, 384)))],
        "long sums": [
            ("ka,kb->ab", dict(k=s(20000, 400000), a=s(1, 24), b=s(1, 24))), ("ak,bk->ab", dict(k=s(20000, 400000), a=s(1, 24), b=s(1, 24))),
            ("kal,kbl->ab", dict(k=s(50, 900), l=s(50, 900), a=s(1, 20), b=s(1, 20)))],
        "vectors": [
            ("abcd,bd->ac", {k: s(9, 140) for k in "abcd"}), ("abc,b->ac", {k: s(20, 300) for k in "abc"}), ("abc,ac->b", {k: s(20, 300) for k in "abc"}),
            ("abcd,abcd->", {k: s(9, 70) for k in "abcd"}), ("ab,cd->acbd", {k: s(9, 70) for k in "abcd"})],
        "batches": [
            ("ikz,kjz->ijz", dict(i=s(4, 40), k=s(4, 40), j=s(4, 40), z=s(100, 3000))), ("izk,kzj->jzi", dict(i=s(10, 60), z=s(10, 200), k=s(10, 60), j=s(10, 60))),
            ("zik,zkj->zij", dict(i=s(2, 40), k=s(2, 40), j=s(2, 40), z=s(300, 5000))), ("zxik,xkj->zxij", dict(z=s(4, 60), x=s(2, 30), i=s(4, 40), k=s(4, 40), j=s(4, 40)))],
        "short axes": [
            ("abcdef,fg->gedcba", {k: s(2, 15) for k in "abcdefg"}), ("abcdefgh,hgij->fbdaceij", {**{k: s(2, 7) for k in "abcdefgh"}, "i": s(3, 14), "j": s(3, 14)}),
            ("abcde,ecf->bfda", {k: s(3, 24) for k in "abcdef"})],
        "odd": [
            ("abcd,cde->eab", {k: prime() for k in "abcde"}), ("ak,kb->ab", dict(a=s(2000, 40000), k=s(1, 24), b=s(1, 24))), ("ab,bc->ca", {k: prime() * s(1, 9) for k in "abc"}),
            ("ab,bc->ac", dict(a=s(1, 12), b=s(300, 3000), c=s(300, 3000)))],
    }


def further(r):
    """Families of more than two operands."""
    s = lambda lo, hi: r.randint(lo, hi)
    return {
        "three operands": [
            ("ij,jk,kl->il", {c: s(60, 400) for c in "ijkl"}), ("abc,bd,ce->ade", {c: s(12, 60) for c in "abcde"}),
            ("pqrs,qi,sj->pirj", dict(p=s(16, 40), q=s(16, 40), r=s(16, 40), s=s(16, 40), i=s(4, 16), j=s(4, 16)))],
        "hyper-edges": [
            ("ia,ib,ic->abc", dict(i=s(50, 500), a=s(20, 80), b=s(20, 80), c=s(20, 80))),
            ("zi,zik,zkj->zij", dict(z=s(100, 1000), i=s(4, 30), k=s(4, 30), j=s(4, 30))),
            ("xr,yr,zr,xyz->r", dict(x=s(20, 70), y=s(20, 70), z=s(20, 70), r=s(4, 30)))],
    }


def enlarged(equation, extents, gigabytes, gflop):
    """The extents above 4 made larger by one factor, until tensors of eight bytes an element take `gigabytes` or work is `gflop`."""
    def at(factor):
        return {label: round(extent * factor) if extent > 4 else extent for label, extent in extents.items()}

    def is_room(factor):
        tensors, points = sizes(equation, at(factor))
        return 8e-9 * sum(tensors) <= gigabytes and 2e-9 * points <= gflop
    low, high = 1.0, 1000.0
    for _ in range(50):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if is_room(middle) else (low, middle)
    return at(low)


def sizes(equation, extents):
    operands, result = terms(equation)
    return [math.prod(extents[c] for c in t) for t in [*operands, result]], math.prod(extents.values())


def draw(r, wanted=None):
    """A family, an equation and its extents: of the wanted family, or of any."""
    while True:
        table = further(r) if wanted in FURTHER else families(r)
        family = wanted or r.choice(sorted(table))
        equation, extents = r.choice(table[family])
        extents = {k: max(1, e) for k, e in extents.items()}
        tensors, points = sizes(equation, extents)
        if not (5e6 <= points <= 7.5e8 or family in ("vectors", "gates") and 1e6 <= points <= 7.5e8) or max(tensors) * 8 > 200e6:
            continue
        if r.random() < 1 / 3:
            operands, result = terms(equation)
            operands = ["".join(r.sample(t, len(t))) for t in operands]
            equation = ",".join(operands) + "->" + "".join(r.sample(result, len(result)))
        return family, equation, extents
