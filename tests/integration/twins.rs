//! The programs of `examples/twins` find what their twins in NumPy print.

#[path = "../../examples/twins/main.rs"]
mod programs;

#[test]
fn programs_agree_with_their_twins() {
    for (name, program, twin) in programs::TWINS {
        let found = program().unwrap();
        assert!((found - twin).abs() < 1e-11 * twin.abs().max(1.0), "{name}: {found}, not {twin}");
    }
}
