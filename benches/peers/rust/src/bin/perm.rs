//! Permutations of f64 arrays, GB/s of reads and writes, best of 25; the result
//! array is reused. `perm --threads N`; `--features hptt` adds HPTT.
use ndarray::{ArrayView, ArrayViewMut, IxDyn};
use rust_peers::{best_ns, row_major, set_huge_from_env, zeroed};
use strided_view::{StridedView, StridedViewMut};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let threads: usize = args.iter().position(|a| a == "--threads").map_or(1, |i| args[i + 1].parse().unwrap());
    std::env::set_var("OMP_NUM_THREADS", threads.to_string());
    set_huge_from_env();
    let team = threadteam::Pool::builder().threads(threads).build().unwrap();
    let cases: [(&[usize], &[usize]); 7] = [
        (&[2048, 2048], &[1, 0]),
        (&[160, 160, 160], &[2, 1, 0]),
        (&[160, 160, 160], &[0, 2, 1]),
        (&[160, 160, 160], &[1, 0, 2]),
        (&[48, 48, 48, 40], &[3, 1, 0, 2]),
        (&[48, 48, 48, 40], &[2, 3, 0, 1]),
        (&[24, 16, 16, 24, 16], &[4, 0, 3, 1, 2]),
    ];
    println!("threads {threads}: memcpy ndarray strided-perm hptt");
    for (d, p) in cases {
        let n: usize = d.iter().product();
        let a: Vec<f64> = (0..n).map(|i| i as f64).collect();
        let mut c = zeroed::<f64>(n);
        let gb = 16.0 * n as f64;
        let od: Vec<usize> = p.iter().map(|&i| d[i]).collect();
        let (s, os) = (row_major(d), row_major(&od));
        let ps: Vec<isize> = p.iter().map(|&i| s[i]).collect();
        let mut r = vec![];
        r.push(
            gb / best_ns(25, 1e-3, || match threads {
                1 => c.copy_from_slice(&a),
                t => std::thread::scope(|sc| {
                    let h = n.div_ceil(t);
                    let mut parts = c.chunks_mut(h).zip(a.chunks(h));
                    let first = parts.next().unwrap();
                    parts.for_each(|(x, y)| drop(sc.spawn(move || x.copy_from_slice(y))));
                    first.0.copy_from_slice(first.1);
                }),
            }),
        );
        r.push(
            gb / best_ns(5, 1e-3, || {
                let v = ArrayView::from_shape(IxDyn(d), &a[..]).unwrap().permuted_axes(IxDyn(p));
                ArrayViewMut::from_shape(IxDyn(&od), &mut c[..]).unwrap().assign(&v);
            }),
        );
        let want = c.clone();
        let checked = |c: &mut Vec<f64>, name: &str| {
            assert!(*c == want, "{name} is wrong");
            c.fill(0.0);
        };
        c.fill(0.0);
        r.push(
            gb / best_ns(25, 1e-3, || {
                let v = StridedView::<f64>::new(&a, &od, &ps, 0).unwrap();
                let mut w = StridedViewMut::new(&mut c, &od, &os, 0).unwrap();
                let ex = if threads == 1 { threadteam::Exec::serial() } else { threadteam::Exec::new(&team, threads).unwrap() };
                strided_perm::copy_into(&mut w, &v, ex).unwrap();
            }),
        );
        checked(&mut c, "strided-perm");
        #[cfg(feature = "hptt")]
        {
            r.push(
                gb / best_ns(25, 1e-3, || {
                    hptt::transpose_f64(p, 1.0, &a, d, 0.0, &mut c, threads, hptt::MemoryOrder::RowMajor).unwrap();
                }),
            );
            checked(&mut c, "hptt");
        }
        println!("{d:?} {p:?} {}", r.iter().map(|x| format!("{x:.1}")).collect::<Vec<_>>().join(" "));
    }
}
