//! "What is wᵢ now, and λᵢ has changed by δ", for every form of A.
//!
//! Dense and sparse rows are multiplied out. A multibody system keeps the
//! velocities v = M⁻¹Jᵀλ, so that a row costs O(its bodies), not O(its
//! neighbours).

use crate::{Operator, Problem};

/// Row access for sweeps. Holds the velocities of a multibody system.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    pub diagonal: Vec<f64>,
    velocity: Vec<f64>,
}

impl Rows {
    /// Takes up the problem and λ.
    pub fn start(&mut self, problem: &Problem, lambda: &[f64]) {
        self.diagonal.resize(problem.rows(), 0.0);
        problem.operator.diagonal(&mut self.diagonal);
        if let Operator::Multibody(a) = &problem.operator {
            a.velocities(lambda, &mut self.velocity);
        }
    }

    /// wᵢ = (Aλ + b)ᵢ.
    pub fn w(&self, problem: &Problem, lambda: &[f64], i: usize) -> f64 {
        let product = match &problem.operator {
            Operator::Dense(a) => a.row(i).iter().zip(lambda).map(|(a, l)| a * l).sum::<f64>(),
            Operator::Sparse(a) => {
                let (cols, vals) = a.row(i);
                cols.iter().zip(vals).map(|(&j, v)| v * lambda[j as usize]).sum()
            }
            Operator::Multibody(a) => a.row_dot(i, &self.velocity) + a.compliance()[i] * lambda[i],
        };
        product + problem.b[i]
    }

    /// Notes that λᵢ was changed by `delta`.
    pub fn changed(&mut self, problem: &Problem, i: usize, delta: f64) {
        let Operator::Multibody(a) = &problem.operator else { return };
        let (bodies, rows) = a.row(i);
        for (&body, j) in bodies.iter().zip(rows) {
            let t = crate::operator::mul6(a.inverse_mass(body as usize), j);
            let v = &mut self.velocity[6 * body as usize..][..6];
            (0..6).for_each(|k| v[k] += t[k] * delta);
        }
    }
}
