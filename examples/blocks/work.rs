//! Counts the products of blocks that an equation is computed by, and compares them with what its operands allow.

use tensorwrapper::{Blocks, Context, Element, Error, PairProduct, PreparedBlocks, RecordOperand, Structure};

use super::cases::Case;
use super::judge::{Tensors, names};

/// The number of products of blocks, where there are two operands: products of more are computed in pairs, which need fewer.
pub(crate) fn work(prepared: &PreparedBlocks, case: &Case, operands: usize) -> Result<(), String> {
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
pub(crate) fn pairs<T: Element>(prepared: &PreparedBlocks, tensors: &[(&str, Tensors<T>)]) -> Result<(), String> {
    let products = prepared.products();
    let count: usize = products.iter().filter(|product| !product.is_sum).map(|product| product.tuples).sum();
    if count != prepared.tuples() {
        return Err(format!("{count} products of blocks in pairs, but {} in all", prepared.tuples()));
    }
    pairs_fit(&products, prepared.structure(), tensors)
}

/// In the order that was taken, no product takes more products of blocks than the pattern and the symmetry of its two factors allow,
/// planned by themselves, nor the last one more than there are for the blocks of the result that are stored. One may take fewer, as blocks
/// that no later product reads are not made. What reads the results of element-wise work is left out.
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

/// The pairs of blocks that contribute to stored blocks of a result, counted one by one; nothing where axes of one label are cut
/// differently.
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
        let tensor = Context::cpu().eval_blocks(&same, &[("X", *tensor)]).map_err(said)?;
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
