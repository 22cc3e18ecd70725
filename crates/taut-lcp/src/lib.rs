//! Complementarity problems of frictional contact and their solvers.
