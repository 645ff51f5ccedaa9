//! Transpose-transpose-GEMM-transpose over the `gemm` crate: the plain way to
//! contract two tensors with a GEMM that takes any row and column stride. An
//! operand is copied only if its index groups do not fuse to one stride each.
use rust_peers::{row_major, zeroed};
use std::collections::BTreeMap;
use strided_view::{StridedView, StridedViewMut};

type Group = Vec<char>;

#[derive(Clone)]
struct Side {
    /// The order in which the operand is copied, or nothing: read in place.
    copy: Option<Vec<char>>,
    rs: isize,
    cs: isize,
    bs: Vec<isize>,
}

pub struct Plan {
    ext: BTreeMap<char, usize>,
    terms: [Vec<char>; 3],
    sides: [Side; 3],
    batch: Group,
    m: usize,
    n: usize,
    k: usize,
}

fn strides(t: &[char], ext: &BTreeMap<char, usize>) -> BTreeMap<char, isize> {
    let d: Vec<usize> = t.iter().map(|c| ext[c]).collect();
    t.iter().copied().zip(row_major(&d)).collect()
}

/// One stride for a group of indices (first is slowest), if there is one.
fn fuse(g: &[char], s: &BTreeMap<char, isize>, ext: &BTreeMap<char, usize>) -> Option<isize> {
    for w in g.windows(2) {
        if s[&w[0]] != s[&w[1]] * ext[&w[1]] as isize {
            return None;
        }
    }
    Some(g.last().map_or(1, |c| s[c]))
}

fn side(t: &[char], rows: &[char], cols: &[char], batch: &[char], ext: &BTreeMap<char, usize>) -> Side {
    let s = strides(t, ext);
    if let (Some(rs), Some(cs)) = (fuse(rows, &s, ext), fuse(cols, &s, ext)) {
        return Side { copy: None, rs, cs, bs: batch.iter().map(|c| s[c]).collect() };
    }
    // Keep the fastest index of the operand in the faster group.
    let fast = t.last().unwrap();
    let order: Vec<char> = if rows.contains(fast) {
        batch.iter().chain(cols).chain(rows).copied().collect()
    } else {
        batch.iter().chain(rows).chain(cols).copied().collect()
    };
    let s = strides(&order, ext);
    Side {
        rs: fuse(rows, &s, ext).unwrap(),
        cs: fuse(cols, &s, ext).unwrap(),
        bs: batch.iter().map(|c| s[c]).collect(),
        copy: Some(order),
    }
}

impl Plan {
    pub fn new(terms: [Vec<char>; 3], ext: &BTreeMap<char, usize>) -> Result<Plan, String> {
        for t in &terms {
            if t.iter().any(|c| t.iter().filter(|d| *d == c).count() > 1) {
                return Err("repeated index in one operand".into());
            }
        }
        let [a, b, c] = &terms;
        let (mut batch, mut m, mut n, mut k) = (vec![], vec![], vec![], vec![]);
        for x in a {
            match (b.contains(x), c.contains(x)) {
                (true, true) => batch.push(*x),
                (false, true) => m.push(*x),
                (true, false) => k.push(*x),
                _ => return Err("index of one operand only".into()),
            }
        }
        for x in b {
            match (a.contains(x), c.contains(x)) {
                (false, true) => n.push(*x),
                (false, false) => return Err("index of one operand only".into()),
                _ => {}
            }
        }
        let by = |g: &Group, t: &[char]| t.iter().copied().filter(|x| g.contains(x)).collect::<Group>();
        let size = |g: &[char]| g.iter().map(|x| ext[x]).product::<usize>();
        let mut best: Option<(usize, [Side; 3])> = None;
        for mo in [by(&m, c), by(&m, a)] {
            for no in [by(&n, c), by(&n, b)] {
                for ko in [by(&k, a), by(&k, b)] {
                    let s = [side(a, &mo, &ko, &batch, ext), side(b, &ko, &no, &batch, ext), side(c, &mo, &no, &batch, ext)];
                    let cost = (0..3).map(|i| if s[i].copy.is_some() { size(&terms[i]) } else { 0 }).sum();
                    if best.as_ref().is_none_or(|(c, _)| cost < *c) {
                        best = Some((cost, s));
                    }
                }
            }
        }
        let (m, n, k) = (size(&m), size(&n), size(&k));
        Ok(Plan { ext: ext.clone(), sides: best.unwrap().1, batch, m, n, k, terms })
    }

    fn permute<T: Copy + Send + Sync + 'static>(
        &self,
        from: &[char],
        src: &[T],
        to: &[char],
        dst: &mut [T],
        exec: threadteam::Exec<'_>,
    ) {
        let (sf, st) = (strides(from, &self.ext), strides(to, &self.ext));
        let dims: Vec<usize> = to.iter().map(|c| self.ext[c]).collect();
        let a: Vec<isize> = to.iter().map(|c| sf[c]).collect();
        let b: Vec<isize> = to.iter().map(|c| st[c]).collect();
        let s = StridedView::new(src, &dims, &a, 0).unwrap();
        let mut d = StridedViewMut::new(dst, &dims, &b, 0).unwrap();
        strided_perm::copy_into(&mut d, &s, exec).unwrap();
    }

    pub fn run<T: Copy + Send + Sync + num_complex::ComplexFloat + 'static>(
        &self,
        a: &[T],
        b: &[T],
        pool: Option<&threadteam::Pool>,
        par: gemm::Parallelism,
    ) -> Vec<T> {
        let exec = || match pool {
            Some(p) => threadteam::Exec::new(p, usize::MAX).unwrap(),
            None => threadteam::Exec::serial(),
        };
        let [sa, sb, sc] = &self.sides;
        let input = |i: usize, s: &Side, x: &[T]| {
            s.copy.as_ref().map(|o| {
                let mut v = zeroed::<T>(x.len());
                self.permute(&self.terms[i], x, o, &mut v, exec());
                v
            })
        };
        let (ca, cb) = (input(0, sa, a), input(1, sb, b));
        let (pa, pb) = (ca.as_deref().unwrap_or(a), cb.as_deref().unwrap_or(b));
        let mut c = zeroed::<T>(self.terms[2].iter().map(|x| self.ext[x]).product());
        let mut tmp = sc.copy.as_ref().map(|_| zeroed::<T>(c.len()));
        let out = tmp.as_mut().unwrap_or(&mut c).as_mut_ptr();
        let mut i = vec![0usize; self.batch.len()];
        loop {
            let at = |s: &Side| i.iter().zip(&s.bs).map(|(&i, s)| i as isize * s).sum::<isize>();
            // SAFETY: strides and extents are those of the three buffers.
            unsafe {
                gemm::gemm(
                    self.m,
                    self.n,
                    self.k,
                    out.offset(at(sc)),
                    sc.cs,
                    sc.rs,
                    false,
                    pa.as_ptr().offset(at(sa)),
                    sa.cs,
                    sa.rs,
                    pb.as_ptr().offset(at(sb)),
                    sb.cs,
                    sb.rs,
                    T::zero(),
                    T::one(),
                    false,
                    false,
                    false,
                    par,
                )
            };
            let Some(d) = (0..i.len()).rev().find(|&d| i[d] + 1 < self.ext[&self.batch[d]]) else { break };
            i[d] += 1;
            i[d + 1..].fill(0);
        }
        if let (Some(t), Some(o)) = (&tmp, &sc.copy) {
            self.permute(o, t, &self.terms[2], &mut c, exec());
        }
        c
    }
}
