//! The group that some signed permutations generate.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::permutation::{Sign, SignedPermutation};
use crate::error::{Error, ErrorKind};

/// Elements of a group at most: all permutations of eight axes.
const MOST: usize = 40_320;

/// All products of the generators, in ascending order; the identity is the first.
///
/// # Errors
/// When a permutation comes with both signs, and when there are too many.
pub(super) fn closed(rank: usize, generators: &[SignedPermutation]) -> Result<Vec<SignedPermutation>, Error> {
    let identity = SignedPermutation::identity(rank);
    let mut signs: HashMap<SignedPermutation, Sign> = HashMap::from([(identity.clone(), Sign::Plus)]);
    let mut found = vec![identity];
    let mut next = 0;
    // A finite set that is closed under products with its generators is a group.
    while next < found.len() {
        for generator in generators {
            let product = found[next].then(generator);
            match signs.entry(product.clone().with_sign(Sign::Plus)) {
                Entry::Vacant(new) => {
                    new.insert(product.sign());
                    found.push(product);
                }
                Entry::Occupied(known) if *known.get() == product.sign() => {}
                // Minus the identity is in the group, so that all permutations have both signs: told of one that was given.
                Entry::Occupied(_) => return Err(contradiction(&generators[0])),
            }
        }
        if found.len() > MOST {
            let message = format!("the symmetries generate a group of more than {MOST} permutations");
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        next += 1;
    }
    found.sort_unstable();
    Ok(found)
}

fn contradiction(element: &SignedPermutation) -> Error {
    let axes: Vec<String> = element.axes().map(|axis| axis.to_string()).collect();
    let message = format!("these symmetries make every element zero: axes {} have sign + and sign -", axes.join(", "));
    Error::new(ErrorKind::Shape(message))
}
