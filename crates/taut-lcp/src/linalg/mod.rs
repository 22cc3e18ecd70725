//! Linear algebra: sparse behind a thin seam, dense for small matrices.

pub(crate) mod cholesky;
pub(crate) mod dense;
pub(crate) mod supernodal;
mod supernodes;

pub(crate) use supernodes::Supernodes;
