//! Chains and piles of bodies, with any mass ratio.

use super::scene::{lay, mass_block, pair_row};
use super::{Rng, bad_argument};
use crate::{Error, Law, Multibody, Operator, Problem};

/// What [`multibody`] builds.
#[derive(Clone, Debug, PartialEq)]
pub struct MultibodyOptions {
    /// Links of a chain of ball joints that hangs from the world. Default 4.
    pub links: usize,
    /// Bodies heaped on the ground, the chain and one another. Default 6.
    pub pile: usize,
    /// Largest mass divided by the smallest (1 kg), at least 1. The last link
    /// has the largest one; the others lie between, evenly in the logarithm.
    /// Default 1000.
    pub mass_ratio: f64,
    /// Compliance of each row, relative to its diagonal of J M⁻¹ Jᵀ. With 0
    /// the matrix may be singular; a solution still exists. Default 1e-9.
    pub compliance: f64,
}

impl Default for MultibodyOptions {
    fn default() -> Self {
        MultibodyOptions { links: 4, pile: 6, mass_ratio: 1e3, compliance: 1e-9 }
    }
}

impl MultibodyOptions {
    fn check(&self) -> Result<(), Error> {
        if self.links + self.pile > 100_000 {
            return Err(bad_argument("bodies", self.links + self.pile, "at most 100000"));
        }
        if !(self.mass_ratio.is_finite() && self.mass_ratio >= 1.0) {
            return Err(bad_argument("mass_ratio", self.mass_ratio, "finite, at least 1"));
        }
        if !(self.compliance.is_finite() && self.compliance >= 0.0) {
            return Err(bad_argument("compliance", self.compliance, "finite, at least 0"));
        }
        Ok(())
    }
}

/// A random multibody problem: joints (bilateral), contacts (λ ≥ 0) and two
/// friction boxes a contact, whose frozen bounds come from the weight above
/// (some are zero).
///
/// b = J v with v the velocities after 1/60 s of gravity and a small random
/// push, so a solution exists for every compliance.
///
/// ```
/// use taut_lcp::generate::{MultibodyOptions, multibody};
/// let options = MultibodyOptions { mass_ratio: 1e6, ..Default::default() };
/// let problem = multibody(&options, 1)?;
/// assert!(problem.rows() > 12);
/// # Ok::<(), taut_lcp::Error>(())
/// ```
pub fn multibody(options: &MultibodyOptions, seed: u64) -> Result<Problem, Error> {
    options.check()?;
    let mut rng = Rng::new(seed);
    let mut system = Multibody::default();
    let mut laws = Vec::new();
    for body in 0..options.links + options.pile {
        let heaviest = body + 1 == options.links;
        let mass =
            if heaviest { options.mass_ratio } else { random_mass(&mut rng, options.mass_ratio) };
        let b = system.push_body(mass_block(&mut rng, mass))?;
        if body < options.links {
            joint(&mut rng, &mut system, b)?;
            laws.extend([Law::Bilateral; 3]);
            continue;
        }
        for touch in lay(&mut rng, b) {
            let normal = laws.len();
            laws.push(Law::Box { lo: 0.0, hi: f64::INFINITY });
            let load = if rng.chance(0.1) { 0.0 } else { mass * 9.81 / 60.0 };
            let bound = 0.5 * load * rng.range(0.2, 3.0);
            laws.extend([Law::FrictionBox { normal, mu: 0.5, bound }; 2]);
            for d in &touch.frame {
                system.push_row(&touch.row(d), 0.0)?;
            }
        }
    }
    let b = free_velocities(&mut rng, &system);
    soften(&mut system, options.compliance);
    Problem::new(Operator::Multibody(system), b, laws)
}

/// 1 kg to `ratio`: a random octave and a place in it, so that no logarithm
/// of the C library is needed.
fn random_mass(rng: &mut Rng, ratio: f64) -> f64 {
    let octaves = (0..1024).take_while(|&k| 2.0_f64.powi(k) <= ratio).count();
    (2.0_f64.powi(rng.index(octaves) as i32) * rng.range(1.0, 2.0)).min(ratio)
}

/// A ball joint between link b and the one before, or the world.
fn joint(rng: &mut Rng, system: &mut Multibody, b: u32) -> Result<(), Error> {
    let arm = rng.direction().map(|x| 0.5 * x);
    let back = arm.map(|x| -x);
    for axis in 0..3 {
        let mut d = [0.0; 3];
        d[axis] = 1.0;
        system.push_row(&pair_row(b.checked_sub(1), b, &d, &arm, &back), 0.0)?;
    }
    Ok(())
}

/// J v for bodies that fell for 1/60 s and were pushed a little.
fn free_velocities(rng: &mut Rng, system: &Multibody) -> Vec<f64> {
    let mut v = Vec::with_capacity(6 * system.body_count());
    for _ in 0..system.body_count() {
        v.extend([0.0, 0.0, -9.81 / 60.0, 0.0, 0.0, 0.0].map(|g| g + 0.05 * rng.normal()));
    }
    (0..system.rows()).map(|i| system.row_dot(i, &v)).collect()
}

fn soften(system: &mut Multibody, relative: f64) {
    let mut diagonal = vec![0.0; system.rows()];
    system.diagonal(&mut diagonal);
    for (i, d) in diagonal.into_iter().enumerate() {
        system.set_compliance(i, relative * d);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masses_and_compliance_are_as_asked() {
        let options = MultibodyOptions { links: 5, mass_ratio: 1e6, ..Default::default() };
        let p = multibody(&options, 3).expect("valid");
        let Operator::Multibody(a) = &p.operator else { panic!("multibody") };
        let masses: Vec<f64> = (0..a.body_count()).map(|b| a.mass(b)[0][0]).collect();
        assert_eq!(masses[4], 1e6);
        assert!(masses.iter().all(|m| (1.0..=1e6).contains(m)));
        let mut d = vec![0.0; a.rows()];
        a.diagonal(&mut d);
        for (c, d) in a.compliance().iter().zip(&d) {
            assert!((c / d - 1e-9).abs() < 1e-15);
        }
        let too_light = MultibodyOptions { mass_ratio: 0.5, ..Default::default() };
        assert!(multibody(&too_light, 0).is_err());
    }
}
