//! Claims of symmetry: a result has what is inferred, and what is claimed is among it, or believed.

use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::Tiling;
use tensorwrapper_core::symmetry::{Sign, SignedPermutation, Symmetry};
use tensorwrapper_notation::syntax::ClaimKind;
use tensorwrapper_notation::{Claimed, sentence};

/// A symmetry that a result is claimed to have.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    kind: ClaimKind,
    /// The exchanges of axes that generate it, without conjugation.
    exchanges: Vec<SignedPermutation>,
    /// The axes that change places, each with the name of its label.
    exchanged: Vec<[(usize, String); 2]>,
    /// The names of its groups, for messages.
    names: Vec<String>,
    assumed: bool,
}

impl Claim {
    /// A claim about a left side of these labels.
    ///
    /// # Errors
    /// When its groups are no axes of the left side.
    pub(super) fn new(claimed: &Claimed, left: &[usize], names: &[String]) -> Result<Claim, Error> {
        let axis = |label: usize| left.iter().position(|&own| own == label);
        let (mut exchanges, mut exchanged) = (Vec::new(), Vec::new());
        for pair in claimed.groups.windows(2) {
            let mut axes: Vec<usize> = (0..left.len()).collect();
            for labels in pair[0].iter().zip(&pair[1]) {
                let (Some(one), Some(other)) = (axis(labels.0.0), axis(labels.1.0)) else {
                    return Err(Error::new(ErrorKind::Label("a claim names an index that is not on the left".to_string())));
                };
                axes.swap(one, other);
                exchanged.push([(one, names[labels.0.0].clone()), (other, names[labels.1.0].clone())]);
            }
            let sign = if claimed.kind == ClaimKind::Asym { Sign::Minus } else { Sign::Plus };
            exchanges.push(SignedPermutation::new(&axes, sign)?);
        }
        let group = |group: &Vec<tensorwrapper_notation::LabelId>| {
            let group: Vec<String> = group.iter().map(|label| format!("`{}`", names[label.0])).collect();
            if group.len() == 1 { group.concat() } else { format!("({})", group.join(", ")) }
        };
        let names = claimed.groups.iter().map(group).collect();
        Ok(Claim { kind: claimed.kind, exchanges, exchanged, names, assumed: claimed.assumed })
    }

    /// The exchanges of axes that generate it.
    pub(super) fn exchanges(&self) -> &[SignedPermutation] {
        &self.exchanges
    }

    /// Whether axes that change places have the same extent.
    fn check_extents(&self, tilings: &[Tiling]) -> Result<(), Error> {
        for [(one, one_name), (other, other_name)] in &self.exchanged {
            let extents = [one, other].map(|axis| tilings[*axis].extent());
            if extents[0] != extents[1] {
                let message = sentence::claim(self.kind.name(), (one_name, &extents[0]), (other_name, &extents[1]));
                return Err(Error::new(ErrorKind::Shape(message)));
            }
        }
        Ok(())
    }
}

/// Those that are believed, in words.
pub(super) fn believed(claims: &[Claim]) -> Vec<String> {
    let told = |claim: &Claim| format!("{} in {}", claim.kind.adjective(), claim.names.join(", "));
    claims.iter().filter(|claim| claim.assumed).map(told).collect()
}

/// Those that are not.
pub(super) fn proved(claims: &[Claim]) -> Vec<Claim> {
    claims.iter().filter(|claim| !claim.assumed).cloned().collect()
}

/// What is inferred, with what is believed.
///
/// # Errors
/// [`ErrorKind::Shape`] for a claim that does not follow; those of [`Symmetry::generated`].
pub(super) fn with_claims(
    inferred: Symmetry,
    (claims, tilings): (&[Claim], &[Tiling]),
    is_complex: bool,
) -> Result<Symmetry, Error> {
    let mut believed = Vec::new();
    for claim in claims {
        claim.check_extents(tilings)?;
        // Real numbers do not notice conjugation.
        let conjugates = is_complex && claim.kind == ClaimKind::Herm;
        for exchange in &claim.exchanges {
            let same = |known: &SignedPermutation| {
                known.axes().eq(exchange.axes())
                    && known.sign() == exchange.sign()
                    && (!is_complex || known.conjugates() == conjugates)
            };
            if inferred.elements().iter().any(same) {
                continue;
            }
            if !claim.assumed {
                return Err(not_known(claim));
            }
            believed.push(if conjugates { exchange.clone().conjugating() } else { exchange.clone() });
        }
    }
    if believed.is_empty() { Ok(inferred) } else { inferred.generated(believed) }
}

fn not_known(claim: &Claim) -> Error {
    let (adjective, name, names) = (claim.kind.adjective(), claim.kind.name(), claim.names.join(", "));
    let labels = names.replace('`', "");
    let message = format!("the left side is claimed to be {adjective} in {names}, but the right side is not known to be");
    let error = Error::new(ErrorKind::Shape(message));
    let believed = format!("if it is, write `where assume {name}({labels})`");
    error.with_help(match claim.kind {
        // Sums over all orders are those of two.
        _ if claim.names.len() > 2 => believed,
        ClaimKind::Herm => believed,
        ClaimKind::Sym => {
            format!("{believed}; `sym({labels}; X)` is another tensor, the sum of X over all orders of these indices")
        }
        ClaimKind::Asym => {
            format!(
                "{believed}; `asym({labels}; X)` is another tensor, the sum of X with its signs over all orders of these indices"
            )
        }
    })
}
