//! Blocks that are recorded, and results that are computed together later.

use tensorwrapper::prelude::*;

#[test]
fn a_recorded_block_is_an_operand_of_later_ones() -> Result<(), Error> {
    let a = Tensor::<f64>::from_fn([2, 2], |i| (2 * i[0] + i[1]) as f64)?;
    let graph = Graph::new();
    let (square, trace) = tensor! {
        in &graph;
        let square[i, j] = a[i, k] * a[k, j];
        let trace = square[i, i];
        (square, trace)
    };
    let _: (&Expr<'_, f64, Shape![_, _]>, &Expr<'_, f64, ()>) = (&square, &trace);
    let cube = tensor! { in &graph; [i, j] = square[i, k] * a[k, j] * trace };
    let (square, cube) = eval_all((&square, &cube))?;
    assert_eq!(square.as_slice(), [2.0, 3.0, 6.0, 11.0]);
    assert_eq!(cube.as_slice(), [78.0, 143.0, 286.0, 507.0]);
    assert_eq!(trace.eval()?.as_slice(), [13.0]);
    Ok(())
}

#[test]
fn what_is_shared_is_in_the_graph_once() -> Result<(), Error> {
    let a = Tensor::<f64>::filled([3, 3], 1.0)?;
    let graph = Graph::new();
    let (x, y) = tensor! {
        in &graph;
        let s[i, j] = a[i, k] * a[k, j];
        let x[i, j] = s[i, k] * a[k, j];
        let y[i, j] = s[i, k] * s[k, j];
        (x, y)
    };
    assert_eq!((x.graph().operations().len(), y.graph().operations().len()), (2, 2));
    let all = eval_all(&[x, y][..])?;
    assert_eq!((all[0][[0, 0]], all[1][[0, 0]]), (9.0, 27.0));
    Ok(())
}

#[test]
fn faults_are_found_when_they_are_recorded() -> Result<(), Error> {
    let a = Tensor::<f64>::filled([2, 3], 1.0)?;
    let graph = Graph::new();
    let error = try_tensor! { in &graph; [i, j] = a[i, k] * a[k, j] }.unwrap_err();
    assert_eq!(error.to_string(), "index `k` has extent 3 on axis 1 of `a` but 2 on axis 0");
    Ok(())
}
