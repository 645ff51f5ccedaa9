#!/usr/bin/env bash
# Reads many bad texts through every door: a million each, or as many as the first argument says.
#
# A failure names the number of its text; FUZZ_SEED=<number> FUZZ_CASES=1 reads it again.
set -euo pipefail
cd "$(dirname "$0")/../.."
export FUZZ_CASES="${1:-1000000}"
cargo test --release -p tensorwrapper-notation --test fuzz -- --nocapture
cargo test --release -p tensorwrapper-macros fuzz -- --nocapture
cargo test --release -p tensorwrapper --test integration fuzz:: -- --nocapture
