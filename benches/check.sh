#!/usr/bin/env bash
# What equations cost the compiler: user seconds and peak memory of `cargo check`, as the smallest of five runs, of
# 500 products as macros against the same products as calls, of one block of 60 equations, of one product with 16 labels,
# and of blocks with and without derivatives; and of `cargo build --release` of 200 functions of four factors, after one touch with and without what
# rustc keeps of the build before (incremental), and, with `--cold`, from nothing with all dependencies
# (seconds on the clock; some minutes each). Prints a table.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
crate="$root/target/check-cost"
mkdir -p "$crate/src"
cat > "$crate/Cargo.toml" <<EOF
[package]
name = "check-cost"
version = "0.0.0"
edition = "2024"
[dependencies]
tensorwrapper = { path = "$root/tensorwrapper" }
[workspace]
EOF
export CARGO_INCREMENTAL=0 CARGO_TARGET_DIR="$crate/target"

products() { # what stands for one product
    echo '#![allow(unused)] use tensorwrapper::prelude::*;'
    for f in $(seq 50); do
        echo "pub fn f$f(a: &Tensor<f64, Shape![4, 5]>, b: &Tensor<f64, Shape![5, 6]>) -> f64 { let mut s = 0.0;"
        for _ in $(seq 10); do echo "    let c = $1; s += c.as_slice()[0];"; done
        echo '    s }'
    done
}

block() {
    echo '#![allow(unused)] use tensorwrapper::prelude::*; type M = Tensor<f64, Shape![4, 4]>;'
    echo 'pub fn f(a: &M, b: &M) -> M { tensor! { let w0[i, j] = a[i, j];'
    for k in $(seq 59); do
        p=$((k - 1))
        echo "let w$k[i, j] = w$p[i, k] * b[k, j] + 0.5 * a[i, k] * w$p[k, j] - a[j, k] * b[k, i] + b[i, l] * w$p[l, j];"
    done
    echo 'w59 } }'
}

derivatives() { # 30 numbers and, with an argument, 30 derivatives: 60 equations either way
    echo '#![allow(unused)] use tensorwrapper::prelude::*; type M = Tensor<f64, Shape![4, 4]>;'
    echo 'pub fn f(a: &M, b: &M, w: &M) -> M { tensor! { let g0[i, j] = a[i, j];'
    for k in $(seq 30); do
        p=$((k - 1))
        echo "let l$k = w[i, j] * a[i, k] * g$p[k, j];"
        if [ -n "$1" ]; then echo "let g$k[i, k] = grad(l$k; a[i, k]);"; else echo "let g$k[i, k] = w[i, j] * g$p[k, j] * l$k;"; fi
    done
    echo 'g30 } }'
}

functions() { # the body of each function
    echo '#![allow(unused)] use tensorwrapper::prelude::*; use tensorwrapper::einsum; type M = Tensor<f64, Shape![_, _]>;'
    for f in $(seq 200); do echo "pub fn f$f(a: &M, b: &M, c: &M, d: &M) -> M { $1 }"; done
}

long() {
    echo '#![allow(unused)] use tensorwrapper::prelude::*; type M = Tensor<f64, Shape![2, 2]>;'
    parameters=; factors=
    for n in $(seq 0 15); do
        parameters+="a$n: &M, "; factors+="${factors:+ * }a$n[l$n, l$(((n + 1) % 16))]"
    done
    echo "pub fn f($parameters) -> f64 { tensor!([] = $factors) }"
}

measure() { # the name of a row, and what cargo does; the program on standard input
    cat > "$crate/src/lib.rs"
    local job=(cargo ${2:-check} --quiet --manifest-path "$crate/Cargo.toml")
    "${job[@]}"
    for _ in $(seq 5); do
        touch "$crate/src/lib.rs"
        { command time -f '%U %M' "${job[@]}"; } 2>&1 | tail -1
    done | sort -n | head -1 | awk -v name="$1" '{ printf "%-45s %6.2f s %6d MB\n", name, $1, $2 / 1024 }'
}

cold() { # the name of a row, and what cargo does; the program on standard input
    cat > "$crate/src/lib.rs"
    rm -rf "$CARGO_TARGET_DIR"
    { command time -f '%e' cargo $2 --quiet --manifest-path "$crate/Cargo.toml"; } 2>&1 | tail -1 |
        awk -v name="$1" '{ printf "%-45s %6.1f s from nothing, on the clock\n", name, $1 }'
}

products 'einsum("ik,kj->ij", &[a, b]).unwrap()' | measure '500 products as calls'
products 'tensor!([i, j] = a[i, k] * b[k, j])' | measure '500 products as macros'
block | measure 'a block of 60 equations of four terms'
long | measure 'a product with 16 labels'
derivatives '' | measure 'a block of 60 equations'
derivatives grad | measure 'a block of 60 equations, 30 of them `grad`'
calls='einsum("ij,jk,kl,lm->im", &[a, b, c, d]).unwrap().into_typed().unwrap()'
macros='tensor!([i, m] = a[i, j] * b[j, k] * c[k, l] * d[l, m])'
functions "$calls" | measure '200 functions of four factors as calls'
functions "$macros" | measure '200 functions of four factors as macros'
functions "$calls" | measure 'the same as calls, `build --release`' 'build --release'
functions "$macros" | measure 'the same as macros, `build --release`' 'build --release'
export CARGO_INCREMENTAL=1
functions "$calls" | measure 'the same as calls, incremental' 'build --release'
functions "$macros" | measure 'the same as macros, incremental' 'build --release'
if [ "${1:-}" = --cold ]; then
    export CARGO_INCREMENTAL=0
    for job in check 'build --release'; do
        functions "$calls" | cold "200 functions as calls, \`$job\`" "$job"
        functions "$macros" | cold "200 functions as macros, \`$job\`" "$job"
    done
fi
