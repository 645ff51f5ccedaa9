//! Measures the rates of a machine with a matrix product and element-wise products that run through the public interface.

use std::time::{Duration, Instant};

use super::context::Context;
use super::prepared::Prepared;
use crate::tensor::Tensor;
use tensorwrapper_core::error::Error;
use tensorwrapper_order::Rates;

/// Each rate is measured for about so long.
const TIME: Duration = Duration::from_millis(120);

impl Context {
    /// Measures the rates of this context's device in double precision, for
    /// [`Minimize::Time`](tensorwrapper_order::Minimize::Time). It takes about half a second and 200 MB. Nothing is cached, so
    /// a program should measure once and reuse the rates. The same rates always give the same orders; two measurements never
    /// give exactly the same rates.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory).
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Context;
    /// use tensorwrapper::order::Minimize;
    /// let context = Context::cpu().threads(1);
    /// let rates = context.measured_rates()?;
    /// assert!(rates.matrix > 0.0 && rates.other > 0.0 && rates.elements > 0.0);
    /// let context = context.minimize(Minimize::Time(rates));
    /// # let _ = context;
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    pub fn measured_rates(&self) -> Result<Rates, Error> {
        // Steps of two tensors have one order, and no limit is to cut them.
        let plain = Context { backend: std::sync::Arc::clone(&self.backend), ..Context::cpu() };
        let rate = |subscripts: &str, extents: &[&[usize]], of_one: f64| -> Result<f64, Error> {
            let tensors =
                extents.iter().map(|extents| Tensor::<f64>::filled(*extents, 1.0)).collect::<Result<Vec<_>, Error>>()?;
            let operands: Vec<_> = tensors.iter().map(|tensor| tensor as _).collect();
            let prepared: Prepared<f64> = plain.prepare(subscripts, &operands)?;
            let mut result = Tensor::<f64>::zeros(prepared.extents())?;
            // Once to touch all memory.
            prepared.run_into(&operands, &mut result)?;
            let (start, mut runs) = (Instant::now(), 0);
            while start.elapsed() < TIME {
                prepared.run_into(&operands, &mut result)?;
                runs += 1;
            }
            Ok(f64::from(runs) * of_one / start.elapsed().as_secs_f64())
        };
        let (matrix, vector, large) = (512_usize, 4096, 1 << 22);
        Ok(Rates {
            matrix: rate("ik,kj->ij", &[&[matrix, matrix], &[matrix, matrix]], (matrix as f64).powi(3))?,
            // In the caches: what comes from memory counts for itself.
            other: rate("i,i->i", &[&[vector], &[vector]], vector as f64)?,
            elements: rate("i,i->i", &[&[large], &[large]], 3.0 * large as f64)?,
        })
    }
}
