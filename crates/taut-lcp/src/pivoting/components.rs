//! Independent parts of a problem, solved one after the other.
//!
//! Rows that no chain of matrix entries connects do not influence each other.
//! Each part needs as many pivots as it needs, not as many as the worst one,
//! and small parts have small dense factors. (The engine splits its problems
//! into islands itself; this is for matrices given entry by entry.)
//!
//! **Cost**: finding the parts once per pattern, copying their values once per
//! solve. Small parts share one solver; large ones keep theirs, and with it
//! their analysis.

use super::bpp::Settings;
use super::ladder::{Ladder, Rung};
use crate::free_solve::DENSE_ROWS;
use crate::{
    Counts, Iterate, Law, Operator, Outcome, Probe, Problem, RowState, Sparse, Status, Stop,
};

const NOWHERE: u32 = u32::MAX;

/// A problem as a whole, or in parts.
pub(crate) struct Components {
    settings: Settings,
    lowest: Rung,
    whole: Ladder,
    pattern: Option<u64>,
    /// Rows, part after part, ascending within each; and where parts start.
    rows: Vec<u32>,
    starts: Vec<usize>,
    /// Index of a row within its part.
    local: Vec<u32>,
    small: Option<Part>,
    large: Vec<Part>,
}

/// The solver of one part, and what it works on.
struct Part {
    ladder: Ladder,
    problem: Problem,
    iterate: Iterate,
}

impl Components {
    pub fn new(settings: &Settings, lowest: Rung) -> Self {
        Components {
            settings: settings.clone(),
            lowest,
            whole: Ladder::new(settings, lowest),
            pattern: None,
            rows: Vec::new(),
            starts: Vec::new(),
            local: Vec::new(),
            small: None,
            large: Vec::new(),
        }
    }

    pub fn prepare(&mut self, problem: &Problem) {
        self.find(problem);
        if !self.is_split() {
            self.whole.prepare(problem);
        }
    }

    /// Multiplications of a factorization of the whole.
    pub fn work(&self) -> f64 {
        self.whole.work()
    }

    pub fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        match &problem.operator {
            Operator::Sparse(a) if self.is_split() => {
                self.run_parts(problem, a, stop, iterate, probe)
            }
            _ => self.whole.run(problem, stop, iterate, probe),
        }
    }

    fn is_split(&self) -> bool {
        self.starts.len() > 2
    }

    /// Finds the parts, if the pattern is new.
    fn find(&mut self, problem: &Problem) {
        let Operator::Sparse(a) = &problem.operator else {
            self.starts.clear();
            self.pattern = None;
            return;
        };
        let pattern = a.pattern_hash();
        if self.pattern == Some(pattern) {
            return;
        }
        self.pattern = Some(pattern);
        self.rows.clear();
        self.starts.clear();
        self.local.clear();
        self.local.resize(a.rows(), NOWHERE);
        for seed in 0..a.rows() as u32 {
            if self.local[seed as usize] != NOWHERE {
                continue;
            }
            let start = self.rows.len();
            self.starts.push(start);
            self.local[seed as usize] = 0;
            self.rows.push(seed);
            let mut next = start;
            while next < self.rows.len() {
                for &j in a.row(self.rows[next] as usize).0 {
                    if std::mem::replace(&mut self.local[j as usize], 0) == NOWHERE {
                        self.rows.push(j);
                    }
                }
                next += 1;
            }
            self.rows[start..].sort_unstable();
            for (k, &i) in self.rows[start..].iter().enumerate() {
                self.local[i as usize] = k as u32;
            }
        }
        self.starts.push(self.rows.len());
        let large = self.starts.windows(2).filter(|s| s[1] - s[0] > DENSE_ROWS).count();
        self.large.truncate(large);
    }

    fn run_parts(
        &mut self,
        problem: &Problem,
        a: &Sparse,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        let Components { settings, lowest, rows, starts, local, small, large, .. } = self;
        let warm = iterate.set.len() == problem.rows();
        iterate.set.resize(problem.rows(), RowState::Free);
        let mut total = Outcome::new(Status::Converged, Counts::default());
        let mut used = 0;
        for s in starts.windows(2) {
            let rows = &rows[s[0]..s[1]];
            let new = || Part::new(settings, *lowest);
            let part = if rows.len() <= DENSE_ROWS {
                small.get_or_insert_with(new)
            } else {
                if large.len() == used {
                    large.push(new());
                }
                used += 1;
                &mut large[used - 1]
            };
            part.fill(problem, a, rows, local, iterate, warm);
            // The residual is relative to the largest |b| of all parts.
            let tolerance = stop.tolerance * problem.scale() / part.problem.scale();
            let stop = Stop { tolerance, ..*stop };
            part.ladder.prepare(&part.problem);
            let Part { ladder, problem: sub, iterate: answer } = part;
            let outcome = ladder.run(sub, &stop, answer, probe);
            for (k, &i) in rows.iter().enumerate() {
                iterate.lambda[i as usize] = answer.lambda[k];
                iterate.set[i as usize] = answer.set[k];
            }
            add(&mut total, &outcome);
            if outcome.status == Status::Infeasible {
                iterate.certificate.clear();
                iterate.certificate.resize(problem.rows(), 0.0);
                let proof = rows.iter().zip(&answer.certificate);
                proof.for_each(|(&i, d)| iterate.certificate[i as usize] = *d);
                break;
            }
        }
        total
    }
}

/// Sums the work, except for the iterations, of which the slowest part counts;
/// keeps the first failure, and the backend of a large part.
fn add(total: &mut Outcome, part: &Outcome) {
    let slowest = total.counts.iterations.max(part.counts.iterations);
    total.counts.add(&part.counts);
    total.counts.iterations = slowest;
    if total.status == Status::Converged || part.status == Status::Infeasible {
        total.status = part.status;
    }
    if total.backend.is_none() || part.backend == Some(crate::Backend::Dual) {
        (total.backend, total.why) = (part.backend, part.why);
    }
}

impl Part {
    fn new(settings: &Settings, lowest: Rung) -> Self {
        let operator = Operator::Sparse(Sparse::from_pattern(vec![0], Vec::new()));
        Part {
            ladder: Ladder::new(settings, lowest),
            problem: Problem { operator, b: Vec::new(), laws: Vec::new() },
            iterate: Iterate::default(),
        }
    }

    /// Copies the given rows out of the whole problem.
    fn fill(
        &mut self,
        whole: &Problem,
        a: &Sparse,
        rows: &[u32],
        local: &[u32],
        from: &Iterate,
        warm: bool,
    ) {
        let Part { problem, iterate, .. } = self;
        problem.b.clear();
        problem.laws.clear();
        iterate.clear();
        if let Operator::Sparse(sub) = &mut problem.operator {
            sub.clear();
            for &i in rows {
                let (columns, values) = a.row(i as usize);
                sub.push_row(columns.iter().map(|&j| local[j as usize]), values);
            }
        }
        for &i in rows {
            let i = i as usize;
            let (lo, hi) = whole.laws[i].bounds();
            problem.b.push(whole.b[i]);
            problem.laws.push(Law::Box { lo, hi });
            iterate.lambda.push(from.lambda[i]);
            if warm {
                iterate.set.push(from.set[i]);
            }
        }
        iterate.w.resize(rows.len(), 0.0);
    }
}
