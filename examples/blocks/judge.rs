//! Evaluates a case over block tensors and compares the result, its structure and the work with what was expected.

use std::collections::BTreeSet;

use num_complex::Complex;
use serde_json::Value;
use tensorwrapper::{
    Blocks, Context, DynOperand, Element, Error, PairProduct, PreparedBlocks, RecordOperand, SignedPermutation, Structure, Tensor,
};

use super::cases::{Case, Form, Operand, lists, permutation};
use super::common::{Stream, numbers};

/// Deviations allowed, in parts of the same equation over absolute values.
const TOLERANCE: f64 = 1e-13;

/// A summary of the result, or what is wrong with it.
pub(crate) fn judge(case: &Case) -> Result<String, String> {
    let summary = if case.is_complex { judge_over::<Complex<f64>>(case) } else { judge_over::<f64>(case) };
    match (case.error(), summary) {
        (None, summary) => summary,
        (Some(expected), Err(sentence)) if sentence == expected => Ok(format!("refused: {sentence}")),
        (Some(expected), Err(sentence)) => Err(format!("{sentence}, instead of the sentence: {expected}")),
        (Some(expected), Ok(_)) => Err(format!("there is a result instead of the sentence: {expected}")),
    }
}

/// An operand with its elements.
enum Tensors<T: Element> {
    Dense(Box<Tensor<T>>),
    Blocks(Blocks<T>),
}

impl<T: Element> Tensors<T> {
    fn new(operand: &Operand, is_complex: bool) -> Result<Tensors<T>, Error> {
        let mut stream = Stream::new(operand.seed);
        let mut element = |_: &[usize]| {
            let re = stream.number();
            T::from_complex(Complex::new(re, if is_complex { stream.number() } else { 0.0 }))
        };
        Ok(match &operand.form {
            Form::Dense(extents) => Tensors::Dense(Box::new(Tensor::from_fn(&extents[..], element)?)),
            Form::Blocks(structure) => Tensors::Blocks(Blocks::from_fn(structure, element)?),
            Form::Rows(rows, layers) => {
                let rows = rows.iter().map(|extents| Tensor::from_fn(&extents[..], &mut element));
                Tensors::Blocks(Blocks::rows(rows.collect::<Result<Vec<_>, _>>()?)?.nested(&layers[..])?)
            }
        })
    }

    fn record(&self) -> &dyn RecordOperand<T> {
        match self {
            Tensors::Dense(tensor) => &**tensor,
            Tensors::Blocks(blocks) => blocks,
        }
    }

    fn operand(&self) -> &dyn DynOperand<T> {
        match self {
            Tensors::Dense(tensor) => &**tensor,
            Tensors::Blocks(blocks) => blocks,
        }
    }
}

fn judge_over<T: Element>(case: &Case) -> Result<String, String> {
    let said = |error: Error| error.to_string();
    let (names, given) = (names(&case.equation), case.operands.clone()?);
    if names.len() != given.len() {
        return Err(format!("the equation reads {} tensors, but there are {}", names.len(), given.len()));
    }
    let mut tensors: Vec<(&str, Tensors<T>)> = Vec::new();
    for (n, operand) in given.iter().enumerate() {
        // A name that is read twice is one tensor.
        if names[..n].contains(&names[n]) {
            continue;
        }
        tensors.push((&names[n], Tensors::new(operand, case.is_complex).map_err(said)?));
    }
    let named: Vec<(&str, &dyn RecordOperand<T>)> = tensors.iter().map(|(name, tensor)| (*name, tensor.record())).collect();
    let prepared = Context::cpu().prepare_blocks(&case.equation, &named).map_err(said)?;
    let operands: Vec<&dyn DynOperand<T>> = tensors.iter().map(|(_, tensor)| tensor.operand()).collect();
    let result = prepared.run(&operands).map_err(said)?;
    elements(&result, &case.expect)?;
    structure(&result, &case.expect)?;
    rows(result.structure(), &case.expect)?;
    work(&prepared, case, given.len())?;
    if given.len() > 2 {
        pairs(&prepared, &tensors)?;
    }
    Ok(format!("{} blocks, {} products of blocks", result.blocks().len(), prepared.tuples()))
}

/// The tensors that an equation reads, in the order of writing.
fn names(equation: &str) -> Vec<String> {
    let right = equation.split_once('=').map_or(equation, |(_, right)| right);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let before = right.match_indices('[').map(|(at, _)| &right[..at]);
    let name = |before: &str| before.rsplit(|c| !is_name(c)).next().unwrap_or_default().to_string();
    before.map(name).filter(|name| !name.is_empty()).collect()
}

fn complex(value: &Value) -> Option<Complex<f64>> {
    match value {
        Value::Array(parts) => Some(Complex::new(parts.first()?.as_f64()?, parts.get(1)?.as_f64()?)),
        number => number.as_f64().map(Complex::from),
    }
}

/// The elements and their sums.
fn elements<T: Element>(result: &Blocks<T>, expect: &Value) -> Result<(), String> {
    let dense = result.to_dense().map_err(|error| error.to_string())?;
    let shape = numbers(&expect["out_shape"]).unwrap_or_else(|_| dense.extents().to_vec());
    if dense.extents() != shape {
        return Err(format!("the result has extents {:?} instead of {shape:?}", dense.extents()));
    }
    let computed: Vec<Complex<f64>> = dense.as_slice().iter().map(|x| x.to_complex()).collect();
    let scale = |field: &str| expect[field].as_f64().filter(|scale| *scale > 0.0).unwrap_or(1.0);
    let close = |what: &str, found: Complex<f64>, expected: Complex<f64>, scale: f64| match (found - expected).norm() {
        error if error <= TOLERANCE * scale => Ok(()),
        _ => Err(format!("{what} is {found} instead of {expected}")),
    };
    for (k, value) in expect["out"].as_array().into_iter().flatten().enumerate() {
        let expected = complex(value).ok_or_else(|| format!("{value} is no number"))?;
        close(&format!("element {k}"), *computed.get(k).ok_or("there are too few elements")?, expected, scale("abs_max"))?;
    }
    if let Some(expected) = complex(&expect["sum"]) {
        close("the sum", computed.iter().sum(), expected, scale("abs_sum"))?;
    }
    if let Some(expected) = complex(&expect["wsum"]) {
        let weighted = computed.iter().enumerate().map(|(k, x)| x * ((k * 7919 % 1009 + 1) as f64 / 1009.0));
        close("the weighted sum", weighted.sum(), expected, scale("abs_sum"))?;
    }
    Ok(())
}

/// The cuts, the blocks, their norms and the symmetry of the result.
fn structure<T: Element>(result: &Blocks<T>, expect: &Value) -> Result<(), String> {
    let said = |error: Error| error.to_string();
    let structure = result.structure();
    let scale = expect["abs_sum"].as_f64().unwrap_or_default();
    if expect["out_tilings"].is_array() {
        let found: Vec<Vec<usize>> = structure.tilings().iter().map(|tiling| tiling.extents().collect()).collect();
        if found != lists(&expect["out_tilings"])? {
            return Err(format!("the result is cut {found:?} instead of {}", expect["out_tilings"]));
        }
    }
    if expect["out_blocks"].is_array() {
        let stored = result.blocks();
        let image = |block: &Vec<usize>, by: &SignedPermutation| by.axes().map(|axis| block[axis]).collect::<Vec<_>>();
        let images = stored.iter().flat_map(|block| structure.symmetry().elements().iter().map(|by| image(block, by)));
        let (found, expected): (BTreeSet<_>, BTreeSet<_>) =
            (images.collect(), lists(&expect["out_blocks"])?.into_iter().collect());
        // A block that is zero by symmetry, whatever its factors are, need not be there. Of a result without blocks, which is zero, the
        // sums have told that it is right.
        let zeros = expect["norms"].as_array().into_iter().flatten();
        let is_zero = |pair: &&Value| pair[1].as_f64().is_some_and(|norm| norm <= TOLERANCE * scale);
        let zeros: BTreeSet<Vec<usize>> = zeros.filter(is_zero).map(|pair| numbers(&pair[0])).collect::<Result<_, _>>()?;
        let is_lacking = |block: &&Vec<usize>| !found.is_empty() && !zeros.contains(*block);
        let (more, less) = (found.difference(&expected).count(), expected.difference(&found).filter(is_lacking).count());
        if more + less > 0 {
            return Err(format!("the result has {more} blocks too many and lacks {less}"));
        }
    }
    if let Some(least) = expect["out_count"].as_f64() {
        let size: f64 = structure.shape().extents().iter().map(|&extent| extent as f64).product();
        let found = (structure.fill().map_err(said)? * size).round();
        if found < least {
            return Err(format!("the result has {found} elements instead of {least}"));
        }
    }
    for pair in expect["norms"].as_array().into_iter().flatten() {
        let (block, expected) = (numbers(&pair[0])?, pair[1].as_f64().ok_or("a norm is no number")?);
        let norm = result.norm(&block).map_err(said)?;
        if (norm - expected).abs() > 1e-12 * expected.max(1.0) {
            return Err(format!("block {block:?} has norm {norm} instead of {expected}"));
        }
    }
    match expect["invariances"].as_array() {
        Some(listed) if !listed.is_empty() => {
            let mut expected = listed.iter().map(permutation).collect::<Result<Vec<_>, _>>()?;
            expected.sort();
            // Real numbers do not notice conjugation.
            let real = |by: &SignedPermutation| SignedPermutation::new(&by.axes().collect::<Vec<_>>(), by.sign());
            let mut found = structure.symmetry().elements().to_vec();
            if !T::DTYPE.is_complex() {
                found = found.iter().map(real).collect::<Result<_, _>>().map_err(said)?;
                found.sort();
            }
            match found == expected {
                true => Ok(()),
                false => Err(format!("the result has the symmetry {:?} instead of {expected:?}", structure.symmetry())),
            }
        }
        _ => Ok(()),
    }
}

/// The extents of rows of ragged axes.
fn rows(structure: &Structure, expect: &Value) -> Result<(), String> {
    let extents = |axis: usize| structure.row_extents(axis).map_err(|error| error.to_string());
    let ragged: Vec<usize> = (0..structure.rank()).filter(|&axis| structure.has_unequal_rows(axis) == Ok(true)).collect();
    let fits = |what: &str, found: &[Vec<usize>], expected: &[Vec<usize>]| match found == expected {
        true => Ok(()),
        false => Err(format!("{what} are {found:?} instead of {expected:?}")),
    };
    // Rows that have become equal are not ragged.
    let of = |axis: usize, count: usize| match ragged.contains(&axis) {
        true => extents(axis),
        false => Ok(vec![structure.tilings()[axis].extent(); count]),
    };
    let axes = |count: usize| if ragged.len() == count { ragged.clone() } else { (1..=count).collect() };
    if expect["lengths"].is_array() {
        let expected = numbers(&expect["lengths"])?;
        let axis = axes(1)[0];
        fits("the extents of rows", &[of(axis, expected.len())?], &[expected])?;
    }
    if expect["pairs_of_lengths"].is_array() {
        let expected = lists(&expect["pairs_of_lengths"])?;
        let found = axes(2).into_iter().map(|axis| of(axis, expected.len())).collect::<Result<Vec<_>, _>>()?;
        let pairs: Vec<Vec<usize>> = (0..expected.len()).map(|row| found.iter().map(|of| of[row]).collect()).collect();
        fits("the extents of rows", &pairs, &expected)?;
    }
    if expect["columns"].is_array() {
        let lengths = of(axes(1)[0], structure.tilings().get(1).map_or(0, |rows| rows.extent()))?;
        let column = |j: usize| (0..lengths.len()).filter(|&row| lengths[row] > j).collect::<Vec<_>>();
        let columns: Vec<Vec<usize>> = (0..structure.tilings()[0].extent()).map(column).collect();
        fits("the rows that reach each column", &columns, &lists(&expect["columns"])?)?;
    }
    Ok(())
}

/// The number of products of blocks, where there are two operands: products of more are computed in pairs, which need fewer.
fn work(prepared: &PreparedBlocks, case: &Case, operands: usize) -> Result<(), String> {
    let most = |field: &str| case.expect[field].as_u64().filter(|_| operands == 2);
    // Of element-sparse tensors, all products of stored elements.
    let products = case.expect["products"].as_f64().filter(|_| operands == 2);
    if let Some(most) = products.filter(|most| prepared.multiplications() as f64 > *most) {
        return Err(format!("{} multiplications instead of {most}", prepared.multiplications()));
    }
    match (most("canonical_tuples"), most("canonical_multiplications")) {
        (Some(most), _) if prepared.tuples() as u64 > most => {
            Err(format!("{} products of blocks instead of {most}", prepared.tuples()))
        }
        (_, Some(most)) if prepared.multiplications() > u128::from(most) => {
            Err(format!("{} multiplications instead of {most}", prepared.multiplications()))
        }
        _ => Ok(()),
    }
}

/// The products of pairs that three and more operands are computed by: together they are those that the plan counts, and each fits.
fn pairs<T: Element>(prepared: &PreparedBlocks, tensors: &[(&str, Tensors<T>)]) -> Result<(), String> {
    let products = prepared.products();
    let count: usize = products.iter().filter(|product| !product.is_sum).map(|product| product.tuples).sum();
    if count != prepared.tuples() {
        return Err(format!("{count} products of blocks in pairs, but {} in all", prepared.tuples()));
    }
    pairs_fit(&products, prepared.structure(), tensors)
}

/// In the order that was taken, no product takes more products of blocks than the pattern and the symmetry of its two factors allow, planned
/// by themselves, nor the last one more than there are for the blocks of the result that are stored. One may take fewer, as blocks that no
/// later product reads are not made. What reads the results of element-wise work is left out.
fn pairs_fit<T: Element>(products: &[PairProduct], result: &Structure, tensors: &[(&str, Tensors<T>)]) -> Result<(), String> {
    let said = |error: Error| error.to_string();
    let (mut made, mut unknown): (Vec<(String, Blocks<T>)>, Vec<String>) = (Vec::new(), Vec::new());
    // With names of one word.
    let equations: Vec<String> =
        products.iter().map(|product| product.equation.replace("intermediate ", "intermediate_")).collect();
    let target = |equation: &str| equation.split('[').next().unwrap_or_default().to_string();
    for (n, (product, equation)) in products.iter().zip(&equations).enumerate() {
        let (left, right) = equation.split_once(" = ").or(equation.split_once(" += ")).ok_or("no equation")?;
        let name = target(left);
        let text = format!("{} = {right}", &left[name.len()..]);
        let Some(named) = read(&text, tensors, (&made, &unknown))? else {
            unknown.push(name);
            continue;
        };
        let pair = Context::cpu().prepare_blocks(&text, &named).map_err(said)?;
        // Of several terms, each alone may have symmetries that their sum has not.
        let is_last = n + 1 == products.len();
        let is_term = equations.iter().filter(|other| target(other) == name).count() > 1;
        let least = if is_last { stored_tuples(result, &text, &named)? } else { None };
        let most = least.unwrap_or(usize::MAX).min(if is_term { usize::MAX } else { pair.tuples() });
        if !product.is_sum && product.tuples > most {
            return Err(format!("{} products of blocks instead of {most} for `{}`", product.tuples, product.equation));
        }
        if is_term {
            unknown.push(name);
        } else if !is_last {
            made.push((name, Context::cpu().eval_blocks(&text, &named).map_err(said)?));
        }
    }
    Ok(())
}

/// Tensors by their names.
type Named<'t, T> = Vec<(&'t str, &'t dyn RecordOperand<T>)>;

/// The tensors that an equation reads; nothing where it reads what is made by other work than one product.
fn read<'t, T: Element>(
    text: &str,
    tensors: &'t [(&str, Tensors<T>)],
    (made, unknown): (&'t [(String, Blocks<T>)], &[String]),
) -> Result<Option<Named<'t, T>>, String> {
    let mut named = Named::new();
    for name in names(text).iter().filter(|name| *name != "1") {
        let given = tensors.iter().find(|(own, _)| own == name).map(|(own, tensor)| (*own, tensor.record()));
        let known = || made.iter().find(|(own, _)| own == name).map(|(own, blocks)| (own.as_str(), blocks as _));
        match given.or_else(known) {
            Some(found) if named.iter().any(|(own, _)| *own == found.0) => {}
            Some(found) => named.push(found),
            None if unknown.contains(name) || name.starts_with("intermediate_") => return Ok(None),
            None => return Err(format!("`{text}` reads `{name}`, which nothing makes")),
        }
    }
    Ok(Some(named))
}

/// The pairs of blocks that contribute to stored blocks of a result, counted one by one; nothing where axes of one label are cut differently.
fn stored_tuples<T: Element>(
    result: &Structure,
    equation: &str,
    named: &[(&str, &dyn RecordOperand<T>)],
) -> Result<Option<usize>, String> {
    let said = |error: Error| error.to_string();
    let labels = |text: &str| -> Vec<String> {
        let inside = text.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map_or("", |(inside, _)| inside);
        inside.split(',').map(|label| label.trim().to_string()).filter(|label| !label.is_empty()).collect()
    };
    let (left, right) = equation.split_once(" = ").ok_or("no equation")?;
    let factors: Vec<&str> = right.split(" * ").collect();
    let mut known: Vec<(String, Vec<usize>)> = Vec::new();
    let mut blocks: Vec<(Vec<String>, Vec<Vec<usize>>)> = Vec::new();
    for (factor, name) in factors.iter().zip(names(equation)) {
        let Some((_, tensor)) = named.iter().find(|(own, _)| *own == name) else { return Ok(None) };
        // As a block tensor, whatever it is.
        let labels = labels(factor);
        if labels.iter().enumerate().any(|(n, label)| labels[..n].contains(label)) {
            return Ok(None);
        }
        let same = format!("[{0}] = X[{0}]", labels.join(", "));
        let tensor = Context::reference().eval_blocks(&same, &[("X", *tensor)]).map_err(said)?;
        for (label, tiling) in labels.iter().zip(tensor.structure().tilings()) {
            match known.iter().find(|(own, _)| own == label) {
                Some((_, bounds)) if bounds != tiling.bounds() => return Ok(None),
                Some(_) => (),
                None => known.push((label.clone(), tiling.bounds().to_vec())),
            }
        }
        let counts: Vec<usize> = tensor.structure().tilings().iter().map(|tiling| tiling.len()).collect();
        let all = tensorwrapper::Shape::new(counts);
        let is_there = |block: &[usize]| tensor.structure().image(block).map(|image| image.is_some());
        let mut present = Vec::new();
        for block in &all {
            if is_there(&block).map_err(said)? {
                present.push(block.to_vec());
            }
        }
        blocks.push((labels, present));
    }
    let [(one, left_blocks), (other, right_blocks)] = &blocks[..] else { return Ok(None) };
    let axes = labels(left);
    let fits = |label: &String, tiling: &[usize]| known.iter().any(|(own, bounds)| own == label && bounds == tiling);
    if !axes.iter().zip(result.tilings()).all(|(label, tiling)| fits(label, tiling.bounds())) {
        return Ok(None);
    }
    let stored = result.stored().map_err(said)?;
    let mut count = 0;
    for a in left_blocks {
        for b in right_blocks {
            let of = |label: &String| -> Option<usize> {
                let find = |labels: &[String], block: &[usize]| Some(block[labels.iter().position(|own| own == label)?]);
                find(one, a).or_else(|| find(other, b))
            };
            let meets = other.iter().zip(b).all(|(label, tile)| of(label) == Some(*tile));
            let block: Option<Vec<usize>> = axes.iter().map(of).collect();
            count += usize::from(meets && block.is_some_and(|block| stored.find(&block).is_some()));
        }
    }
    Ok(Some(count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensorwrapper::Tiling;

    #[test]
    fn pairs_that_take_too_much_fail() {
        let cut = Tiling::cuts([1, 2]);
        let diagonal = Structure::new([&cut, &cut]).with_blocks([[0, 0], [1, 1]]).unwrap();
        let tensors = ["A", "B", "C"].map(|name| (name, Tensors::Blocks(Blocks::<f64>::filled(&diagonal, 1.0).unwrap())));
        let named: Vec<(&str, &dyn RecordOperand<f64>)> = tensors.iter().map(|(name, tensor)| (*name, tensor.record())).collect();
        let prepared = Context::cpu().prepare_blocks("[i, l] = A[i, j] * B[j, k] * C[k, l]", &named).unwrap();
        pairs(&prepared, &tensors).unwrap();
        let told = |change: fn(&mut PairProduct)| {
            let mut products = prepared.products();
            change(&mut products[0]);
            pairs_fit(&products, prepared.structure(), &tensors)
        };
        assert!(told(|product| product.tuples += 1).unwrap_err().starts_with("3 products of blocks instead of 2 for `x1["));
        let rename = |product: &mut PairProduct| product.equation = product.equation.replace("B[", "Q[");
        assert!(told(rename).unwrap_err().ends_with("reads `Q`, which nothing makes"));
        // What is read of element-wise work is left out, and so is what reads that.
        assert_eq!(told(|product| product.equation = product.equation.replace("B[", "intermediate 1[")), Ok(()));
    }
}
