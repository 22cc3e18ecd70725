//! Laws of rows: by name, with their numbers.

use crate::arrays::copied;
use crate::{Error, lcp_error};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use taut_lcp::{Law, Operator, Problem};

/// How rows are bounded: boxes, or one law after the other.
#[derive(FromPyObject)]
pub enum Laws<'py> {
    #[pyo3(transparent)]
    Boxes((PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>)),
    #[pyo3(transparent)]
    List(Vec<(String, Vec<f64>)>),
}

fn law(kind: &str, numbers: &[f64]) -> Option<Law> {
    let index = |x: f64| (x >= 0.0 && x.fract() == 0.0 && x < 4e9).then_some(x as usize);
    Some(match (kind, numbers) {
        ("bilateral", []) => Law::Bilateral,
        ("box", &[lo, hi]) => Law::Box { lo, hi },
        ("friction", &[normal, mu, bound]) => {
            Law::FrictionBox { normal: index(normal)?, mu, bound }
        }
        ("following", &[normal, mu]) => Law::FollowingBox { normal: index(normal)?, mu },
        ("cone", mu) => Law::cone(mu, false),
        ("associated", mu) => Law::cone(mu, true),
        ("rolling", &[mu, rolling]) => Law::RollingCone { mu, rolling, associated: false },
        ("associated_rolling", &[mu, rolling]) => {
            Law::RollingCone { mu, rolling, associated: true }
        }
        _ => return None,
    })
}

/// The name of a law, and its numbers.
pub fn named(law: &Law) -> (&'static str, Vec<f64>) {
    match *law {
        Law::Bilateral => ("bilateral", vec![]),
        Law::Box { lo, hi } => ("box", vec![lo, hi]),
        Law::FrictionBox { normal, mu, bound } => ("friction", vec![normal as f64, mu, bound]),
        Law::FollowingBox { normal, mu } => ("following", vec![normal as f64, mu]),
        Law::RollingCone { mu, rolling, associated: false } => ("rolling", vec![mu, rolling]),
        Law::RollingCone { mu, rolling, .. } => ("associated_rolling", vec![mu, rolling]),
        _ => match law.coefficients() {
            Some((mu, true)) => ("associated", mu.to_vec()),
            Some((mu, false)) => ("cone", mu.to_vec()),
            None => ("unknown", vec![]),
        },
    }
}

/// A problem of a matrix and laws.
pub fn pose(operator: Operator, b: Vec<f64>, laws: Laws<'_>) -> PyResult<Problem> {
    let problem = match laws {
        Laws::Boxes((lo, hi)) => Problem::boxed(operator, b, &copied(&lo)?, &copied(&hi)?),
        Laws::List(list) => {
            let mut laws = Vec::with_capacity(list.len());
            for (i, (kind, numbers)) in list.iter().enumerate() {
                let message =
                    || Error::new_err(format!("law {i}: '{kind}' with {numbers:?} is none"));
                laws.push(law(kind, numbers).ok_or_else(message)?);
            }
            Problem::new(operator, b, laws)
        }
    };
    problem.map_err(lcp_error)
}
