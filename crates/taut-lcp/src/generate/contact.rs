//! The contact LCP with a polyhedral friction cone.

use super::scene::{lay, mass_block};
use super::{Rng, bad_argument};
use crate::{Dense, Error, Multibody, Operator, Problem};

/// Tangent directions per contact.
const DIRECTIONS: usize = 4;

/// The contact LCP of a heap with at least `contacts` contacts, four
/// friction directions each: x = (λ_n, λ_t, β), six unknowns a contact,
/// friction coefficient 0.5 (Erleben13 4.1, eq. 27; Stewart and Trinkle 1996).
///
/// A is non-symmetric, with a zero diagonal block: sweeps and symmetric
/// pivoting refuse it. The heap has random masses from 1 to 10 kg and falls
/// under gravity for 1/60 s; the rest positions are random. A solution exists,
/// since b comes from velocities (Stewart and Trinkle).
///
/// Deviation: the paper's experiments (section 7) fill random blocks; here B
/// is J M⁻¹ Jᵀ of bodies that touch.
///
/// ```
/// let problem = taut_lcp::generate::contact(2, 1)?;
/// assert_eq!(problem.rows() % 6, 0);
/// assert!(!problem.operator.is_symmetric());
/// # Ok::<(), taut_lcp::Error>(())
/// ```
pub fn contact(contacts: usize, seed: u64) -> Result<Problem, Error> {
    if contacts == 0 || contacts > 2000 {
        return Err(bad_argument("contacts", contacts, "1 to 2000"));
    }
    let mut rng = Rng::new(seed);
    let (j, velocity) = heap(&mut rng, contacts)?;
    let k = j.rows() / (1 + DIRECTIONS);
    let n = 6 * k;
    // Rows of J: normals first, then the directions contact by contact.
    let (mut e, mut column, mut scratch) = (vec![0.0; 5 * k], vec![0.0; 5 * k], Vec::new());
    let mut a = vec![0.0; n * n];
    for i in 0..5 * k {
        e[i] = 1.0;
        Operator::Multibody(j.clone()).apply(&e, &mut column, &mut scratch);
        e[i] = 0.0;
        (0..5 * k).for_each(|r| a[r * n + i] = column[r]);
    }
    for c in 0..k {
        let beta = 5 * k + c;
        a[beta * n + c] = 0.5; // μ
        for t in k + DIRECTIONS * c..k + DIRECTIONS * (c + 1) {
            a[t * n + beta] = 1.0;
            a[beta * n + t] = -1.0;
        }
    }
    let mut b = vec![0.0; n];
    (0..5 * k).for_each(|i| b[i] = j.row_dot(i, &velocity));
    let a = Operator::Dense(Dense::from_rows(n, a)?);
    Problem::boxed(a, b, &vec![0.0; n], &vec![f64::INFINITY; n])
}

/// J and M of a heap, and the velocities it would have without contact.
fn heap(rng: &mut Rng, contacts: usize) -> Result<(Multibody, Vec<f64>), Error> {
    let mut system = Multibody::default();
    let mut velocity = Vec::new();
    let mut touches = Vec::new();
    while touches.len() < contacts {
        let mass = rng.range(1.0, 10.0);
        let body = system.push_body(mass_block(rng, mass))?;
        velocity.extend([0.0, 0.0, -9.81 / 60.0, 0.0, 0.0, 0.0].map(|v| v + 0.1 * rng.normal()));
        touches.extend(lay(rng, body));
    }
    for touch in &touches {
        system.push_row(&touch.row(&touch.frame[0]), 0.0)?;
    }
    for touch in &touches {
        let [_, t1, t2] = touch.frame;
        for d in [t1, t2, t1.map(|x| -x), t2.map(|x| -x)] {
            system.push_row(&touch.row(&d), 0.0)?;
        }
    }
    Ok((system, velocity))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_equation_27() {
        let p = contact(3, 2).expect("valid");
        let Operator::Dense(a) = &p.operator else { panic!("dense") };
        let (n, k) = (p.rows(), p.rows() / 6);
        for i in 0..5 * k {
            assert!(a.get(i, i) > 0.0);
            for j in 0..5 * k {
                assert!((a.get(i, j) - a.get(j, i)).abs() < 1e-14); // B
            }
        }
        for c in 0..k {
            let beta = 5 * k + c;
            assert_eq!(a.get(beta, c), 0.5);
            assert!((5 * k..n).all(|j| a.get(beta, j) == 0.0));
            let e: f64 = (0..5 * k).map(|i| a.get(i, beta) + a.get(beta, i)).sum();
            assert_eq!(e, 0.5); // e and −eᵀ cancel, μ stays
            assert_eq!(p.b[beta], 0.0);
        }
    }
}
