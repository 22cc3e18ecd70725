//! Blocks of more rows than one contact has, each solved as a problem of its own: polyhedral
//! cones of many directions, all contacts between two bodies.
//!
//! **Problem**: w_B = A_BB λ_B + q, q from all other λ, laws as given.
//! **Method**: [`auto`](crate::auto) from the newest λ_B: pivoting where A_BB is symmetric and the rows are
//! boxes, an interior point where it is not, Newton on cones. Beyond its tolerance the best point
//! found is the answer, as with small blocks.
//! **Cost**: that of a solve with dense matrices, for each block in each sweep.

use crate::auto::{self, Auto};
use crate::solver::solve;
use crate::{Dense, Iterate, Judge, Law, Operator, Problem, Stop};

/// Blocks are solved to this relative residual.
const EXACT: f64 = 1e-12;

/// The blocks with their solver.
#[derive(Default)]
pub(super) struct Large {
    problems: Vec<Problem>,
    /// The laws of all rows, by their first.
    laws: Vec<(u32, Law)>,
    /// The warm start of the present block.
    iterate: Iterate,
    judge: Judge,
    solver: Option<Box<Auto>>,
}

impl Large {
    /// Forgets all blocks; the next ones are of this problem.
    pub fn start(&mut self, problem: &Problem) {
        self.problems.clear();
        self.laws.clear();
        self.laws.extend(problem.laws_by_row().map(|(row, law)| (row as u32, *law)));
    }

    /// Takes up a block, given by its matrix, row by row, and its rows, and returns its number.
    pub fn push(&mut self, rows: &[u32], matrix: &[f64]) -> usize {
        let begins = |row: &u32| self.laws.binary_search_by_key(row, |l| l.0).ok();
        let laws = rows.iter().filter_map(begins).map(|k| match self.laws[k].1 {
            Law::FrictionBox { bound, .. } => Law::Box { lo: -bound, hi: bound },
            law => law,
        });
        let laws = laws.collect();
        let values = matrix.to_vec();
        let operator = Dense::from_rows(rows.len(), values).unwrap_or_else(|_| Dense::identity(0));
        let b = vec![0.0; rows.len()];
        self.problems.push(Problem { operator: Operator::Dense(operator), b, laws });
        self.problems.len() - 1
    }

    /// The residual of block k at λ and w, which have one entry for each row of it.
    pub fn residual(&mut self, k: usize, lambda: &[f64], w: &[f64]) -> f64 {
        let problem = &mut self.problems[k];
        let Operator::Dense(a) = &problem.operator else { return 0.0 };
        for i in 0..lambda.len() {
            let own: f64 = a.row(i).iter().zip(lambda).map(|(a, l)| a * l).sum();
            problem.b[i] = w[i] - own;
        }
        self.judge.verdict(problem, lambda).natural_residual
    }

    /// The new λ of block k, from λ whose residual was asked for last.
    pub fn solve(&mut self, k: usize, lambda: &[f64]) -> &[f64] {
        let Large { problems, iterate, judge, solver, .. } = self;
        let problem = &problems[k];
        let solver = solver.get_or_insert_with(|| Box::new(Auto::new(auto::Settings::default())));
        let before = judge.verdict(problem, lambda).natural_residual;
        iterate.lambda.clear();
        iterate.lambda.extend_from_slice(lambda);
        iterate.set.clear();
        let stop = Stop { tolerance: EXACT, max_iterations: None };
        let report = solve(solver.as_mut(), problem, &stop, iterate, judge, &mut ());
        // What has no answer stays as it is.
        if !report.is_ok_and(|r| r.verdict.natural_residual < before) {
            iterate.lambda.clear();
            iterate.lambda.extend_from_slice(lambda);
        }
        &iterate.lambda
    }
}
