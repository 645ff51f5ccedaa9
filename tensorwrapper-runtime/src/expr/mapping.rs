//! Functions of the program in equations, with their slopes.

use std::sync::Arc;

use tensorwrapper_core::callback::Callback;

/// A function of the program. Behind it stand its slopes by each argument, then the slopes of each slope, and so on.
#[derive(Clone, Debug)]
pub(crate) struct Mapping<'a>(Arc<[Callback<'a>]>);

impl<'a> Mapping<'a> {
    pub(crate) fn new(functions: Vec<Callback<'a>>) -> Mapping<'a> {
        debug_assert!(!functions.is_empty());
        Mapping(functions.into())
    }

    pub(crate) fn function(&self) -> Callback<'a> {
        self.0[0]
    }

    /// The slope by an argument, of so many, if the program gave it.
    pub(crate) fn slope(&self, argument: usize, arguments: usize) -> Option<Mapping<'a>> {
        let (mut functions, mut level, mut part) = (Vec::new(), 1, 1);
        while let Some(slopes) = self.0.get(level + argument * part..level + (argument + 1) * part) {
            functions.extend_from_slice(slopes);
            level += part * arguments;
            part *= arguments;
        }
        (!functions.is_empty()).then(|| Mapping::new(functions))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensorwrapper_core::internal::map_function::callback2;

    #[test]
    fn slopes_of_slopes() {
        let functions: Vec<Box<dyn Fn(f64, f64) -> f64 + Sync>> =
            (0..7).map(|n| Box::new(move |_: f64, _: f64| f64::from(n)) as Box<dyn Fn(f64, f64) -> f64 + Sync>).collect();
        let value = |mapping: &Mapping<'_>| {
            let Callback::F64(function) = mapping.function() else { panic!("these are functions of `f64`") };
            let mut found = [0.0];
            function.fill(&[&[0.0], &[0.0]], &mut found);
            found[0]
        };
        // f, fx, fy, fxx, fxy, fyx, fyy
        let all = Mapping::new(functions.iter().map(callback2).collect());
        let slope =
            |by: &[usize]| by.iter().try_fold(all.clone(), |mapping, &n| mapping.slope(n, 2)).map(|mapping| value(&mapping));
        let found = [&[][..], &[0], &[1], &[0, 0], &[0, 1], &[1, 0], &[1, 1]].map(slope);
        assert_eq!(found, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(Some));
        assert_eq!(slope(&[0, 0, 0]), None);
    }
}
