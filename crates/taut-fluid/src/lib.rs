//! A liquid in a box, with a free surface, whose walls push but do not pull.
//!
//! A demonstration of `taut-lcp` outside of rigid bodies (Erleben13 4.2; Batty et al. 2007; Chentanez and
//! Müller 2011). On a staggered grid the new velocities have no divergence in any cell with liquid; at
//! a wall 0 ≤ π ⊥ u·n ≥ 0, π the pressure of the wall and n its normal into the liquid. With u·n = 0
//! instead, as usual, a layer of cells sticks to the ceiling for ever ([`Wall`] has both).
//!
//! Two and three dimensions by one code: a box of one cell in z is flat.
//!
//! ```
//! use taut_fluid::{Liquid, Options, Wall};
//! let options = Options { cells: [16, 16, 1], ..Options::default() };
//! let mut liquid = Liquid::new(&options, |x| x[1] < 0.5)?; // half full
//! liquid.gravity = [0.0, 9.81, 0.0]; // the box is turned
//! let report = liquid.step(0.01)?;
//! assert!(report.divergence < 1e-6);
//! assert!(liquid.lowest() < 0.5 && options.wall == Wall::Separating);
//! # Ok::<(), taut_fluid::Error>(())
//! ```

mod grid;
mod liquid;
mod pressure;
mod svg;

pub use liquid::{Liquid, Options, Report};
pub use pressure::Wall;
pub use svg::{Panel, picture};

/// What a caller can get wrong, and what a solve may run into.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A value out of its range.
    #[error("{name} is {value}, expected {expected}")]
    Option {
        /// Which.
        name: &'static str,
        /// What it is.
        value: String,
        /// What it should be.
        expected: &'static str,
    },
    /// The pressure problem was refused.
    #[error(transparent)]
    Problem(#[from] taut_lcp::Error),
    /// The pressure problem was not solved.
    #[error(
        "the pressure of {rows} rows ended {status:?} at a relative residual of {residual:.1e}"
    )]
    Unsolved {
        /// Its rows.
        rows: usize,
        /// How it ended.
        status: taut_lcp::Status,
        /// How far it came.
        residual: f64,
    },
}
