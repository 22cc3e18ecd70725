//! Seeded problems for tests, benchmarks and experiments.
//!
//! The same arguments give the same problem, bit by bit: the only source of
//! randomness is [`Rng`], and no function of the C library is involved.
//!
//! | function | A | from |
//! |---|---|---|
//! | [`fluid`] | sparse, 7-point, positive definite | Erleben13 4.2 |
//! | [`contact`] | dense, non-symmetric, zero diagonal block | Erleben13 4.1 |
//! | [`random_pd`], [`random_psd`] | dense, (semi)definite | Erleben13 7 |
//! | [`random_boxed`] | dense, (semi)definite, every kind of bound | this project |
//! | [`multibody`] | J M⁻¹ Jᵀ + C, mass ratios | this project |
//! | [`wall`] | J M⁻¹ Jᵀ + C, exact cones, jammed when hit | this project |

mod contact;
mod fluid;
mod multibody;
mod random;
mod rng;
mod scene;
mod wall;

pub use contact::contact;
pub use fluid::fluid;
pub use multibody::{MultibodyOptions, multibody};
pub use random::{BoxedKind, random_boxed, random_pd, random_psd};
pub use rng::Rng;
pub use wall::{WallOptions, wall};

use crate::Error;

/// A generator's argument out of range.
fn bad_argument(name: &'static str, value: impl ToString, expected: &'static str) -> Error {
    Error::Setting { solver: "generate", name, value: value.to_string(), expected }
}
