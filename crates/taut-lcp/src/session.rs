//! The short way to solve: one object that keeps solver, judge and last answer.

use crate::solver::solve;
use crate::{
    Error, Iterate, Judge, Probe, Problem, Report, RowState, Solver, SolverConfig, Status, Stop,
};

/// A solver with everything it needs from call to call. Each solve starts from the
/// answer of the one before, where that has the right length.
///
/// ```
/// use taut_lcp::{Dense, Operator, Problem, Session, Status};
///
/// let a = Operator::Dense(Dense::from_rows(2, vec![2.0, 1.0, 1.0, 2.0])?);
/// let mut problem = Problem::boxed(a, vec![-1.0, 1.0], &[0.0; 2], &[f64::INFINITY; 2])?;
/// let mut session = Session::named("auto")?;
/// let answer = session.solve(&problem)?;
/// assert_eq!(answer.status(), Status::Converged);
/// assert!((answer.lambda()[0] - 0.5).abs() < 1e-9);
/// // The next problem starts from this answer.
/// problem.b[0] = -1.1;
/// assert!(session.solve(&problem)?.report().choice.warm);
/// # Ok::<(), taut_lcp::Error>(())
/// ```
///
/// Options are set before the first solve:
///
/// ```
/// use taut_lcp::{History, Session, generate};
///
/// let problem = generate::random_pd(20, 1)?;
/// let mut session = Session::named("pgs")?.tolerance(1e-6).with_probe(History::default());
/// let iterations = session.solve(&problem)?.report().counts.iterations;
/// assert_eq!(session.probe().0.len(), iterations);
/// # Ok::<(), taut_lcp::Error>(())
/// ```
pub struct Session<P: Probe = ()> {
    solver: Box<dyn Solver>,
    judge: Judge,
    iterate: Iterate,
    stop: Stop,
    probe: P,
}

impl Session {
    /// The method of that name in the registry, with its default settings.
    pub fn named(name: &str) -> Result<Self, Error> {
        Self::new(&SolverConfig::named(name)?)
    }

    /// A method with settings of your own.
    pub fn new(config: &SolverConfig) -> Result<Self, Error> {
        Ok(Self::with_solver(config.build()?))
    }

    /// A method of your own.
    pub fn with_solver(solver: Box<dyn Solver>) -> Self {
        let (judge, iterate, stop) = (Judge::default(), Iterate::default(), Stop::default());
        Session { solver, judge, iterate, stop, probe: () }
    }
}

impl<P: Probe> Session<P> {
    /// When to stop: the relative natural residual to reach. Default 1e-9.
    #[must_use]
    pub fn tolerance(self, tolerance: f64) -> Self {
        Session { stop: Stop { tolerance, ..self.stop }, ..self }
    }

    /// Iterations after which a solve ends, whatever the residual. By default the
    /// limit in the solver's settings.
    #[must_use]
    pub fn max_iterations(self, limit: usize) -> Self {
        Session { stop: Stop { max_iterations: Some(limit), ..self.stop }, ..self }
    }

    /// Both at once.
    #[must_use]
    pub fn stop(self, stop: Stop) -> Self {
        Session { stop, ..self }
    }

    /// Shows each iteration to a probe; [`Session::probe`] gives it back.
    #[must_use]
    pub fn with_probe<Q: Probe>(self, probe: Q) -> Session<Q> {
        let Session { solver, judge, iterate, stop, .. } = self;
        Session { solver, judge, iterate, stop, probe }
    }

    /// The probe, with what it has seen.
    pub fn probe(&self) -> &P {
        &self.probe
    }

    /// Starts the next solve from these impulses, instead of the last answer.
    pub fn start_from(&mut self, start: Iterate) {
        self.iterate = start;
    }

    /// Starts the next solve from nothing.
    pub fn start_cold(&mut self) {
        self.iterate.clear();
    }

    /// Solves a problem. An error is a mistake in the problem or the options, and
    /// nothing was solved; how a solve went is the answer's [`Status`].
    pub fn solve(&mut self, problem: &Problem) -> Result<Answer<'_>, Error> {
        let Session { solver, judge, iterate, stop, probe } = self;
        let report = solve(solver.as_mut(), problem, stop, iterate, judge, probe)?;
        Ok(Answer { report, iterate })
    }

    /// Impulses, velocities and index set of the last answer.
    pub fn into_iterate(self) -> Iterate {
        self.iterate
    }
}

/// The answer to one problem, until the next is solved.
#[must_use = "an answer may not have converged: look at its status"]
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    report: Report,
    iterate: &'a Iterate,
}

impl<'a> Answer<'a> {
    /// Impulses λ \[N·s\].
    pub fn lambda(&self) -> &'a [f64] {
        &self.iterate.lambda
    }

    /// Velocities w = Aλ + b \[m/s\].
    pub fn velocities(&self) -> &'a [f64] {
        &self.iterate.w
    }

    /// Which part of its law each row is on; empty where the method does not say.
    pub fn set(&self) -> &'a [RowState] {
        &self.iterate.set
    }

    /// The proof that there is no solution, where the status says so: see
    /// [`Iterate::certificate`].
    pub fn certificate(&self) -> &'a [f64] {
        &self.iterate.certificate
    }

    /// The subsystem of each body: see [`Iterate::subsystems`].
    pub fn subsystems(&self) -> &'a [u32] {
        &self.iterate.subsystems
    }

    /// How it ended, as the judge sees it.
    pub fn status(&self) -> Status {
        self.report.status
    }

    /// Status, residuals, work and times.
    pub fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{contact, random_pd};
    use crate::{History, Law};

    #[test]
    fn a_warm_start_costs_less_and_can_be_forgotten() {
        let mut problem = random_pd(30, 4).expect("valid");
        let mut session = Session::named("bpp").expect("known");
        let cold = *session.solve(&problem).expect("accepted").report();
        problem.b.iter_mut().for_each(|b| *b *= 1.001);
        let warm = *session.solve(&problem).expect("accepted").report();
        assert!(!cold.choice.warm && warm.choice.warm);
        assert!(warm.counts.pivots <= cold.counts.pivots);
        let answer = session.solve(&problem).expect("accepted");
        assert_eq!(answer.report().counts.iterations, 0, "the start was the answer");
        let lambda = answer.lambda().to_vec();
        session.start_cold();
        assert!(!session.solve(&problem).expect("accepted").report().choice.warm);
        session.start_from(Iterate::from_lambda(lambda));
        let again = session.solve(&problem).expect("accepted");
        assert_eq!((again.report().counts.iterations, again.set().len()), (0, 30));
        assert!(again.certificate().is_empty() && again.subsystems().is_empty());
        assert_eq!(session.into_iterate().w.len(), 30);
    }

    #[test]
    fn options_reach_the_solver() {
        let problem = random_pd(30, 4).expect("valid");
        let session = Session::named("pgs").expect("known").max_iterations(3);
        let mut session = session.with_probe(History::default());
        assert_eq!(session.solve(&problem).expect("accepted").status(), Status::IterationLimit);
        assert_eq!(session.probe().0.len(), 3);
        let loose = Stop { tolerance: 1e-2, max_iterations: None };
        let mut session = Session::named("pgs").expect("known").stop(loose);
        let answer = session.solve(&problem).expect("accepted");
        assert_eq!(answer.status(), Status::Converged);
        assert!(answer.report().verdict.relative_residual > 1e-9);
        assert_eq!(answer.velocities().len(), 30);
    }

    #[test]
    fn mistakes_are_errors_and_leave_the_session_usable() {
        assert!(Session::named("nothing").is_err());
        let problem = random_pd(5, 1).expect("valid");
        let mut session = Session::named("bpp").expect("known").tolerance(f64::NAN);
        assert!(session.solve(&problem).is_err());
        let mut session = session.tolerance(1e-9);
        let mut crossed = problem.clone();
        crossed.laws[2] = Law::Box { lo: 1.0, hi: 0.0 };
        assert!(session.solve(&crossed).is_err());
        assert!(session.solve(&contact(2, 1).expect("valid")).is_err(), "not symmetric");
        assert_eq!(session.solve(&problem).expect("accepted").status(), Status::Converged);
    }
}
