//! A folder with a tensor network in it, read and checked. It knows nothing of how networks are contracted.
//!
//! `tensors.npy` holds the elements of all tensors end to end, and one other file tells what they are:
//!
//! | file | what it is |
//! |---|---|
//! | `network.json` with `tensors` and `output` | one network, such as an amplitude of a circuit |
//! | `network.json` with `variables` and `queries` | a Bayesian network: a vector for each piece of evidence comes in for each query |
//! | `counts.json` with `cases` | networks that count something |
//!
//! A tensor is `{"inds": [3, 0], "shape": [2, 2], "offset": 14}`. An index may be on any number of tensors, and is summed unless it
//! is in `output`. What is expected may be missing.

use std::collections::HashMap;
use std::path::Path;

use num_complex::Complex;
use tensorwrapper::{AnyTensor, Dtype};

use super::fields::{self, Field};

/// Networks that share their elements.
pub(crate) struct Folder {
    pub(crate) elements: AnyTensor,
    pub(crate) networks: Vec<Network>,
}

/// One product to be summed.
pub(crate) struct Network {
    pub(crate) name: String,
    pub(crate) factors: Vec<Factor>,
    pub(crate) output: Vec<usize>,
    pub(crate) expected: Option<Vec<Complex<f64>>>,
    pub(crate) tolerance: Tolerance,
}

/// A tensor of a network.
#[derive(Clone)]
pub(crate) enum Factor {
    /// Elements of the folder's from `offset` on.
    Stored { inds: Vec<usize>, shape: Vec<usize>, offset: usize },
    /// One at a position of a vector, zero elsewhere.
    Evidence { ind: usize, states: usize, state: usize },
}

/// How far an element may be from what is expected: no further than either says.
#[derive(Clone, Copy)]
pub(crate) struct Tolerance {
    pub(crate) absolute: f64,
    pub(crate) relative: f64,
}

/// Reads a folder.
pub(crate) fn read(folder: &Path) -> Result<Folder, String> {
    let shown = folder.display();
    if !folder.is_dir() {
        return Err(format!("`{shown}` is no folder"));
    }
    let (network, counts) = (folder.join("network.json"), folder.join("counts.json"));
    let file = match (network.exists(), counts.exists()) {
        (true, false) => network,
        (false, true) => counts,
        (true, true) => {
            return Err(format!("`{shown}` has both `network.json` and `counts.json`, and is one thing or the other"));
        }
        (false, false) => return Err(format!("`{shown}` has neither `network.json` nor `counts.json`")),
    };
    let elements = AnyTensor::read_npy(folder.join("tensors.npy")).map_err(|error| error.to_string().replace('\n', "; "))?;
    if elements.rank() != 1 {
        let extents = elements.extents();
        return Err(format!("`tensors.npy` of `{shown}` has extents {extents:?}, but its elements are to stand in one row"));
    }
    let json = fields::read(&file)?;
    let whole = Field::whole(&json, &file);
    let reader =
        Reader { elements: &elements, name: folder.file_name().map_or("network".into(), |name| name.to_string_lossy().into()) };
    let networks = match () {
        () if whole.has("cases") => reader.counting(&whole)?,
        () if whole.has("variables") || whole.has("queries") => reader.bayesian(&whole)?,
        () if whole.has("tensors") => vec![reader.circuit(&whole)?],
        () => return Err(whole.refuse("has none of `tensors`, `variables` and `cases`, one of which every network has")),
    };
    Ok(Folder { elements, networks })
}

struct Reader<'e> {
    elements: &'e AnyTensor,
    name: String,
}

impl Reader<'_> {
    /// One network with one result, a number or a tensor.
    fn circuit(&self, whole: &Field<'_>) -> Result<Network, String> {
        let expected = match whole.optional("amplitude")? {
            None => None,
            Some(field) => match field.numbers()?[..] {
                [re, im] => Some(vec![Complex::new(re, im)]),
                _ => return Err(field.refuse("is to be real and imaginary part")),
            },
        };
        let qubits = whole.optional("n_qubits")?.map_or(Ok(0), |field| field.count())?;
        let absolute = match self.elements.dtype() {
            Dtype::F32 | Dtype::C32 => 1e-6 * (-0.5 * qubits as f64).exp2(),
            _ => 1e-13,
        };
        let (factors, output) = (self.factors(whole)?, whole.field("output")?.counts()?);
        network(whole, self.name.clone(), (factors, output), expected, Tolerance { absolute, relative: f64::INFINITY })
    }

    /// Counts are exact: every intermediate is a whole number that the elements hold.
    fn counting(&self, whole: &Field<'_>) -> Result<Vec<Network>, String> {
        let case = |(n, case): (usize, &Field<'_>)| {
            let name = case.optional("name")?.map_or(Ok(format!("{} {n}", self.name)), |name| name.text().map(String::from))?;
            let expected = match case.optional("exact_count")? {
                Some(count) => Some(vec![Complex::from(count.count()? as f64)]),
                None => None,
            };
            let (factors, output) =
                (self.factors(case)?, case.optional("output")?.map_or(Ok(Vec::new()), |field| field.counts())?);
            network(case, name, (factors, output), expected, Tolerance { absolute: 0.0, relative: 0.0 })
        };
        whole.field("cases")?.list()?.iter().enumerate().map(case).collect()
    }

    /// A query is the product of all tables and its evidence; so is the marginal of each variable that is expected.
    fn bayesian(&self, whole: &Field<'_>) -> Result<Vec<Network>, String> {
        let variables: Vec<&str> = whole.field("variables")?.list()?.iter().map(Field::text).collect::<Result<_, _>>()?;
        let tables = self.factors(whole)?;
        let mut states = HashMap::new();
        for factor in &tables {
            if let Factor::Stored { inds, shape, .. } = factor {
                states.extend(inds.iter().copied().zip(shape.iter().copied()));
            }
        }
        let tolerance = Tolerance { absolute: 1e-13, relative: 1e-12 };
        let mut networks = Vec::new();
        for (n, query) in whole.field("queries")?.list()?.iter().enumerate() {
            let mut factors = tables.clone();
            for (variable, state) in query.optional("evidence")?.map_or(Ok(Vec::new()), |evidence| evidence.table())? {
                let named = variables.iter().position(|&name| name == variable);
                let ind = named.or_else(|| variable.parse().ok().filter(|&n: &usize| n < variables.len()));
                let ind = ind.ok_or_else(|| state.refuse("is evidence of a variable that there is not"))?;
                let position = state.count()?;
                let known = states.get(&ind).copied();
                let known = known.filter(|&states| position < states);
                let states = known.ok_or_else(|| state.refuse(format!("is {position}, and the variable has no such state")))?;
                factors.push(Factor::Evidence { ind, states, state: position });
            }
            let real = |field: Field<'_>| Ok::<_, String>(field.numbers()?.into_iter().map(Complex::from).collect());
            let expected = query.optional("expected")?.map(real).transpose()?;
            let output = query.optional("output")?.map_or(Ok(Vec::new()), |field| field.counts())?;
            networks.push(network(query, format!("{} query {n}", self.name), (factors, output), expected, tolerance)?);
        }
        let marginals = whole.optional("all_marginals")?.map_or(Ok(Vec::new()), |field| field.table())?;
        for (variable, expected) in marginals {
            let ind = variables.iter().position(|&name| name == variable).or_else(|| variable.parse().ok());
            let ind = ind.filter(|ind| *ind < variables.len());
            let ind = ind.ok_or_else(|| expected.refuse("is the marginal of a variable that there is not"))?;
            let name = format!("{} {}", self.name, variables[ind]);
            let values = expected.numbers()?.into_iter().map(Complex::from).collect();
            networks.push(network(&expected, name, (tables.clone(), vec![ind]), Some(values), tolerance)?);
        }
        Ok(networks)
    }

    /// The tensors of a network, all of whose elements are there.
    fn factors(&self, place: &Field<'_>) -> Result<Vec<Factor>, String> {
        let field = place.field("tensors")?;
        let list = field.list()?;
        if list.is_empty() {
            return Err(field.refuse("is empty, and a product has at least one tensor"));
        }
        let mut known: HashMap<usize, usize> = HashMap::new();
        let mut factors = Vec::with_capacity(list.len());
        for tensor in &list {
            let (inds, shape) = (tensor.field("inds")?.counts()?, tensor.field("shape")?.counts()?);
            let offset = tensor.field("offset")?.count()?;
            if inds.len() != shape.len() {
                let (inds, shape) = (inds.len(), shape.len());
                return Err(tensor.refuse(format!("has {inds} `inds`, but its `shape` has {shape}")));
            }
            for (&ind, &extent) in inds.iter().zip(&shape) {
                let first = *known.entry(ind).or_insert(extent);
                if first != extent {
                    return Err(tensor.refuse(format!("has extent {extent} at index {ind}, which has extent {first} before")));
                }
            }
            let len = shape.iter().try_fold(1usize, |len, &extent| len.checked_mul(extent));
            let all = self.elements.len();
            if len.and_then(|len| len.checked_add(offset)).is_none_or(|end| end > all) {
                return Err(tensor.refuse(format!("needs elements behind the {all} of `tensors.npy`")));
            }
            factors.push(Factor::Stored { inds, shape, offset });
        }
        Ok(factors)
    }
}

/// A network whose result has indices that there are, each once, and as many elements as are expected.
fn network(
    place: &Field<'_>,
    name: String,
    (factors, output): (Vec<Factor>, Vec<usize>),
    expected: Option<Vec<Complex<f64>>>,
    tolerance: Tolerance,
) -> Result<Network, String> {
    let mut len = 1usize;
    for (n, ind) in output.iter().enumerate() {
        if output[..n].contains(ind) {
            return Err(place.refuse(format!("has index {ind} twice in its `output`")));
        }
        let extent = factors.iter().find_map(|factor| match factor {
            Factor::Stored { inds, shape, .. } => inds.iter().position(|own| own == ind).map(|axis| shape[axis]),
            Factor::Evidence { .. } => None,
        });
        let extent = extent.ok_or_else(|| place.refuse(format!("has index {ind} in its `output`, which no tensor has")))?;
        len = len.checked_mul(extent).ok_or_else(|| place.refuse("has a result that no memory holds"))?;
    }
    match expected.as_ref().map(Vec::len).filter(|&expected| expected != len) {
        Some(expected) => Err(place.refuse(format!("expects {expected} elements of a result that has {len}"))),
        None => Ok(Network { name, factors, output, expected, tolerance }),
    }
}
