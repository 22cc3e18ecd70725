//! The pressure problem of a fluid that may leave the walls of its tank.

use super::{Rng, bad_argument};
use crate::{Error, Operator, Problem, Sparse};

/// The fluid LCP on a grid of G×G×G cells, n = G³ (Erleben13 4.2).
///
/// A tank full of fluid, closed on five sides and open at the top: one
/// projection step 0 ≤ p ⊥ Ap + b ≥ 0 with A = −∇² (7 points, Δt/ρ and cell
/// size 1), b = ∇·u′ (eq. 35). Pressure is 0 above the top layer, which makes
/// A positive definite; a wall face carries no flux, so it adds nothing to
/// the stencil. u′ falls at speed 1 and stirs at random with amplitude 1,
/// on staggered faces.
///
/// Deviation: the paper's experiments (section 7) use a banded matrix of
/// random numbers with the fill of such a problem; this is the problem.
///
/// ```
/// let problem = taut_lcp::generate::fluid(4, 1)?;
/// assert_eq!(problem.rows(), 64);
/// # Ok::<(), taut_lcp::Error>(())
/// ```
pub fn fluid(grid: usize, seed: u64) -> Result<Problem, Error> {
    if grid == 0 || grid > 512 {
        return Err(bad_argument("grid", grid, "1 to 512"));
    }
    let (g, n) = (grid, grid * grid * grid);
    let stride = [1, g, g * g];
    let mut rng = Rng::new(seed);
    let mut lower = Vec::with_capacity(4 * n);
    let mut b = vec![0.0; n];
    for cell in 0..n {
        for (axis, s) in stride.into_iter().enumerate() {
            // The face between this cell and its upper neighbour on the axis.
            let fall = if axis == 2 { -1.0 } else { 0.0 };
            let flux = fall + rng.range(-1.0, 1.0);
            let last = cell / s % g == g - 1;
            if last && axis < 2 {
                continue; // wall
            }
            lower.push((cell, cell, 1.0));
            b[cell] += flux;
            if !last {
                lower.push((cell + s, cell + s, 1.0));
                lower.push((cell + s, cell, -1.0));
                b[cell + s] -= flux;
            }
        }
    }
    let a = Operator::Sparse(Sparse::from_lower_triplets(n, &lower)?);
    Problem::boxed(a, b, &vec![0.0; n], &vec![f64::INFINITY; n])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stencil_of_the_tank() {
        let p = fluid(3, 5).expect("valid");
        let Operator::Sparse(a) = &p.operator else { panic!("sparse") };
        // The middle cell has six neighbours, a lower corner three, an upper
        // corner three and the free surface.
        assert_eq!(a.row(13).0.len(), 7);
        assert_eq!((a.get(13, 13), a.get(13, 14), a.get(13, 22)), (6.0, -1.0, -1.0));
        assert_eq!((a.get(0, 0), a.get(26, 26)), (3.0, 4.0));
        // Row sums vanish except at the surface: p = 0 acts there alone.
        let sum = |i: usize| a.row(i).1.iter().sum::<f64>();
        assert_eq!((sum(0), sum(13), sum(26)), (0.0, 0.0, 1.0));
        // What flows out of one cell flows into the next: the tank as a whole
        // loses only what leaves through the top.
        assert!(p.b.iter().any(|b| *b < 0.0) && p.b.iter().any(|b| *b > 0.0));
        assert!(fluid(0, 1).is_err());
    }
}
