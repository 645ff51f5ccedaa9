//! Records a program line by line. Each operation is one of the library's.

use std::collections::HashMap;

use num_complex::Complex;
use serde_json::Value;
use tensorwrapper::{Element, Error, Expr, Indexed};

use super::cases::{Case, Line};
use super::common::numbers;

/// A recorded tensor, real or complex.
#[derive(Clone)]
pub(crate) enum Recorded<'a> {
    Real(Expr<'a, f64>),
    Complex(Expr<'a, Complex<f64>>),
}

impl<'a> Recorded<'a> {
    fn complex(&self) -> Result<Expr<'a, Complex<f64>>, String> {
        match self {
            Recorded::Real(value) => cast(value),
            Recorded::Complex(value) => Ok(value.clone()),
        }
    }
}

/// Element types as this program meets them.
trait Elements: Element {
    fn recorded<'a>(value: Expr<'a, Self>) -> Recorded<'a>;
}
impl Elements for f64 {
    fn recorded<'a>(value: Expr<'a, f64>) -> Recorded<'a> {
        Recorded::Real(value)
    }
}
impl Elements for Complex<f64> {
    fn recorded<'a>(value: Expr<'a, Complex<f64>>) -> Recorded<'a> {
        Recorded::Complex(value)
    }
}

/// What each name of a program stands for.
pub(crate) type Names<'a> = HashMap<String, Recorded<'a>>;

pub(crate) fn said(error: Error) -> String {
    error.to_string()
}

/// Records all lines over the inputs.
pub(crate) fn record<'a>(case: &Case, inputs: Names<'a>) -> Result<Names<'a>, String> {
    let mut names = inputs;
    for line in &case.lines {
        let find = |name: &String| names.get(name).cloned().ok_or(format!("nothing is called `{name}`"));
        let arguments: Vec<Recorded<'a>> = line.arguments.iter().map(find).collect::<Result<_, String>>()?;
        let results = operation(line, &arguments).map_err(|sentence| format!("`{}`: {sentence}", line.operation))?;
        if results.len() < line.outputs.len() {
            return Err(format!("`{}` has {} results, but {} are named", line.operation, results.len(), line.outputs.len()));
        }
        names.extend(line.outputs.iter().cloned().zip(results));
    }
    Ok(names)
}

/// Real arguments stay real; where one is complex, all are.
fn operation<'a>(line: &Line, arguments: &[Recorded<'a>]) -> Result<Vec<Recorded<'a>>, String> {
    if line.operation == "cast_complex" {
        return Ok(vec![Recorded::Complex(arguments.first().ok_or("there is no argument")?.complex()?)]);
    }
    let real: Option<Vec<Expr<'a, f64>>> =
        arguments.iter().map(|argument| if let Recorded::Real(value) = argument { Some(value.clone()) } else { None }).collect();
    match real {
        Some(real) => apply(line, &real),
        None => {
            let all = arguments.iter().map(Recorded::complex).collect::<Result<Vec<_>, String>>()?;
            let results = apply(line, &all)?;
            // The real part, imaginary part and modulus of complex numbers are real numbers.
            match (&line.operation[..], &results[..]) {
                ("real" | "imag" | "abs", [Recorded::Complex(value)]) => Ok(vec![Recorded::Real(real_part(value)?)]),
                _ => Ok(results),
            }
        }
    }
}

/// Labels for that many axes: `a,b,c,`.
fn labels(rank: usize) -> String {
    (0..rank).map(|n| format!("{},", letter(n))).collect()
}

fn letter(n: usize) -> char {
    char::from(b'a' + n as u8)
}

fn whole<'a, T: Element>(value: &Expr<'a, T>) -> Indexed<'a, T> {
    value.at(&labels(value.extents().len()))
}

fn cast<'a>(value: &Expr<'a, f64>) -> Result<Expr<'a, Complex<f64>>, String> {
    let axes = labels(value.extents().len());
    value.at(&axes).cast::<Complex<f64>>().record(&axes).map_err(said)
}

fn real_part<'a>(value: &Expr<'a, Complex<f64>>) -> Result<Expr<'a, f64>, String> {
    let axes = labels(value.extents().len());
    value.at(&axes).real().record(&axes).map_err(said)
}

fn apply<'a, T: Elements>(line: &Line, given: &[Expr<'a, T>]) -> Result<Vec<Recorded<'a>>, String>
where
    T::Real: Elements,
    T::Complex: Elements,
{
    let argument = |n: usize| given.get(n).ok_or(format!("there is no argument {n}"));
    let x = argument(0)?;
    let rank = x.extents().len();
    let axes = labels(rank);
    let number = || line.param.as_f64().ok_or(format!("`param` is no number: {}", line.param));
    let one = |value: Result<Expr<'a, T>, Error>| Ok(vec![T::recorded(value.map_err(said)?)]);
    let each = |value: Indexed<'a, T>| one(value.record(&axes));
    let with = |value: f64| Indexed::spread(T::from_complex(value.into()), &axes);
    match &line.operation[..] {
        "einsum" => {
            let (product, output) = einsum(line, given)?;
            one(product.record(&output))
        }
        "add" | "sub" | "mul" | "div" => one(binary(&line.operation, x, argument(1)?)),
        "scale" => each(whole(x) * T::from_complex(number()?.into())),
        "shift" if rank == 0 => each(whole(x) + T::from_complex(number()?.into())),
        "shift" => each(whole(x) + with(number()?)),
        "neg" => each(-whole(x)),
        "powi" => each(whole(x).powi(number()? as i32)),
        "powf" => each(whole(x).powf(number()?)),
        "exp" => each(whole(x).exp()),
        "log" | "ln" => each(whole(x).ln()),
        "sqrt" => each(whole(x).sqrt()),
        "sin" => each(whole(x).sin()),
        "cos" => each(whole(x).cos()),
        "tan" => each(whole(x).tan()),
        "tanh" => each(whole(x).tanh()),
        "recip" => each(whole(x).recip()),
        "abs" => each(whole(x).abs()),
        "conj" => each(whole(x).conj()),
        "real" | "re" => each(whole(x).re()),
        "imag" | "im" => each(whole(x).im()),
        "sum" | "prod" | "max" | "min" => one(reduction(&line.operation, x, &line.param)?),
        "slice" => {
            let (place, kept) = place(&line.param, rank)?;
            one(x.at(&place).record(&kept))
        }
        "write" => {
            let (place, _) = place(&line.param, rank)?;
            one(x.with_part(&place, argument(1)?))
        }
        "reshape" => one(x.reshape(&numbers(&line.param)?[..])),
        _ => factors(line, given),
    }
}

/// Numbers beside tensors are spread.
fn binary<'a, T: Element>(operation: &str, x: &Expr<'a, T>, y: &Expr<'a, T>) -> Result<Expr<'a, T>, Error> {
    let rank = x.extents().len().max(y.extents().len());
    let axes = labels(rank);
    let spread = |value: &Expr<'a, T>| match value.extents().len() == rank {
        true => whole(value),
        false => whole(value) * Indexed::spread(T::from_complex(1.0.into()), &axes),
    };
    let (x, y) = (spread(x), spread(y));
    match operation {
        "add" => x + y,
        "sub" => x - y,
        "mul" => x * y,
        _ => x / y,
    }
    .record(&axes)
}

/// A product under its subscripts, and those of the result.
fn einsum<'a, T: Element>(line: &Line, given: &[Expr<'a, T>]) -> Result<(Indexed<'a, T>, String), String> {
    let subscripts = line.subscripts.as_ref().ok_or("there is no `eq`")?;
    let (inputs, output) = subscripts.split_once("->").ok_or(format!("`{subscripts}` has no `->`"))?;
    let named = |letters: &str| letters.trim().chars().map(|letter| format!("{letter},")).collect::<String>();
    let inputs: Vec<&str> = inputs.split(',').collect();
    if inputs.len() != given.len() {
        return Err(format!("`{subscripts}` is for {} tensors, but there are {}", inputs.len(), given.len()));
    }
    let factors = given.iter().zip(inputs).map(|(value, letters)| value.at(&named(letters)));
    let product = factors.reduce(|a, b| a * b).ok_or("there are no tensors")?;
    Ok((product, named(output)))
}

fn reduction<'a, T: Element>(operation: &str, x: &Expr<'a, T>, param: &Value) -> Result<Result<Expr<'a, T>, Error>, String> {
    let rank = x.extents().len();
    let over = if param.is_null() { (0..rank).collect() } else { numbers(param)? };
    let kept: String = (0..rank).filter(|axis| !over.contains(axis)).map(|axis| format!("{},", letter(axis))).collect();
    let over: String = over.iter().map(|&axis| format!("{},", letter(axis))).collect();
    let value = match operation {
        "sum" => whole(x).sum(&over),
        "prod" => whole(x).prod(&over),
        "max" => whole(x).max(&over),
        _ => whole(x).min(&over),
    };
    Ok(value.record(&kept))
}

/// The indices of a part, and the labels that are left: for each axis `null` for all, a position, or a start and an end.
fn place(param: &Value, rank: usize) -> Result<(String, String), String> {
    let entries = param.as_array().filter(|entries| entries.len() == rank);
    let entries = entries.ok_or(format!("`param` has no entry for each of {rank} axes: {param}"))?;
    let (mut place, mut kept) = (String::new(), String::new());
    for (axis, entry) in entries.iter().enumerate() {
        let label = letter(axis);
        match entry {
            Value::Null => place.push_str(&format!("{label},")),
            Value::Number(position) => {
                place.push_str(&format!("{position},"));
                continue;
            }
            range => {
                let range = numbers(range)?;
                let [start, end] = range[..] else { return Err(format!("{entry} is no range")) };
                place.push_str(&format!("{label} in {start}..{end},"));
            }
        }
        kept.push_str(&format!("{label},"));
    }
    Ok((place, kept))
}

/// Operations of linear algebra. Axes before the last two are a batch.
fn factors<'a, T: Elements>(line: &Line, given: &[Expr<'a, T>]) -> Result<Vec<Recorded<'a>>, String>
where
    T::Real: Elements,
    T::Complex: Elements,
{
    let argument = |n: usize| given.get(n).ok_or(format!("there is no argument {n}"));
    let x = argument(0)?;
    let vector = line.operation == "norm" && x.extents().len() < 2;
    let batch = if vector { 0 } else { x.extents().len().checked_sub(2).ok_or("a matrix is needed")? };
    let batch: String = (0..batch).map(|n| format!("b{n},")).collect();
    let at = |axes: &str| format!("{batch}{axes}");
    let matrix = || x.at(&at("i,j"));
    let same = |value: Result<Expr<'a, T>, Error>| Ok(vec![T::recorded(value.map_err(said)?)]);
    let right = |n: usize| -> Result<(Indexed<'a, T>, String), String> {
        let b = argument(n)?;
        let is_vector = b.extents().len() < x.extents().len();
        Ok((b.at(&at(if is_vector { "i," } else { "i,s" })), at(if is_vector { "j," } else { "j,s" })))
    };
    match &line.operation[..] {
        "cholesky" => same(matrix().cholesky(&at("i,k")).matrix("i,", "j,").record()),
        "inv" => same(matrix().inv(&at("j,i")).matrix("i,", "j,").record()),
        "pinv" => same(matrix().pinv(&at("j,i")).matrix("i,", "j,").record()),
        "expm" => same(matrix().expm(&at("i,j")).matrix("i,", "j,").record()),
        "matpow" => {
            let exponent = line.param.as_i64().ok_or("`param` is no whole number")?;
            same(matrix().matpow(exponent as i32, &at("i,j")).matrix("i,", "j,").record())
        }
        "det" => same(matrix().det(&batch).matrix("i,", "j,").record()),
        "trace" => same(matrix().trace(&batch).matrix("i,", "j,").record()),
        "norm" => {
            let all = labels(x.extents().len());
            Ok(vec![T::Real::recorded(x.at(&all).norm("").record().map_err(said)?)])
        }
        "slogdet" => {
            let (sign, log) = matrix().slogdet([&batch, &batch]).matrix("i,", "j,").record().map_err(said)?;
            Ok(vec![T::recorded(sign), T::Real::recorded(log)])
        }
        "eigh" => {
            let left = [at("n,"), at("i,n")];
            let left = [&left[0][..], &left[1][..]];
            let factors = match given.get(1) {
                Some(metric) => matrix().eigh_in_metric(metric.at(&at("i,j")), left),
                None => matrix().eigh(left),
            };
            let (e, c) = factors.matrix("i,", "j,").record().map_err(said)?;
            Ok(vec![T::Real::recorded(e), T::recorded(c)])
        }
        "eig" => {
            let (e, v) = matrix().eig([&at("n,"), &at("i,n")]).matrix("i,", "j,").record().map_err(said)?;
            Ok(vec![T::Complex::recorded(e), T::Complex::recorded(v)])
        }
        "svd" => {
            let left = [at("i,r"), at("r,"), at("r,j")];
            let left = [&left[0][..], &left[1][..], &left[2][..]];
            let (u, s, v) = matrix().svd(left).matrix("i,", "j,").record().map_err(said)?;
            Ok(vec![T::recorded(u), T::Real::recorded(s), T::recorded(v)])
        }
        "qr" => {
            let (q, r) = matrix().qr([&at("i,r"), &at("r,j")]).matrix("i,", "j,").record().map_err(said)?;
            Ok(vec![T::recorded(q), T::recorded(r)])
        }
        "lq" => {
            let (l, q) = matrix().lq([&at("i,r"), &at("r,j")]).matrix("i,", "j,").record().map_err(said)?;
            Ok(vec![T::recorded(l), T::recorded(q)])
        }
        "lu" => {
            let left = [at("i,q"), at("q,r"), at("r,j")];
            let left = [&left[0][..], &left[1][..], &left[2][..]];
            let (p, l, u) = matrix().lu(left).matrix("i,", "j,").record().map_err(said)?;
            Ok(vec![T::recorded(p), T::recorded(l), T::recorded(u)])
        }
        "solve" => {
            let (b, left) = right(1)?;
            same(matrix().solve(b, &left).record())
        }
        "triangular_solve" => {
            let (b, left) = right(1)?;
            let solve = matrix().triangular_solve(b, &left);
            let words = line.param.as_str().unwrap_or("lower");
            let solve = if words.contains("upper") { solve.upper() } else { solve };
            same(if words.contains("unit") { solve.unit() } else { solve }.record())
        }
        "lstsq" => {
            let (b, left) = right(1)?;
            same(matrix().lstsq(b, &left).record())
        }
        other => Err(format!("this program does not know `{other}`")),
    }
}
