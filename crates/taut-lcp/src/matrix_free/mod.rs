//! Methods on conjugate gradients: nothing is factored, memory grows with the rows
//! alone. No default runs them, because no size that was measured favours them
//! (docs/bench/pcg.md, "Scale").

pub mod bpp_pcg;
pub mod pgcg;
pub mod precondition;

/// Ho22 6: complementarity is asked for to this \[m/s\].
const HO22_TOLERANCE: f64 = 1e-10;
