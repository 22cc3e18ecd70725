//! Sparse linear algebra behind a thin seam.

pub(crate) mod cholesky;
