//! Methods on conjugate gradients: nothing is factored, memory grows with the rows
//! alone. No default runs them, because no size that was measured favours them
//! (docs/bench/pcg.md, "Scale").

pub mod bpp_pcg;
pub mod pgcg;
pub mod precondition;
