//! The complementarity problem behind the last step, for those who work on
//! solvers.

use super::World;
use crate::Error;
use crate::assemble::IslandSolver;
use crate::lcp::{self, Law, Multibody, Operator, Problem, Row6};

impl World {
    /// The problem of the last step (of its last part, if it had several):
    /// all islands that were solved, one after the other, with the bounds of
    /// friction of the last pass. Empty before the first step.
    ///
    /// ```
    /// # use taut::{Body, Shape, World, math::Vec3};
    /// # let mut world = World::new();
    /// # world.add_body(Body::fixed("ground").shape(Shape::HalfSpace { normal: Vec3::Z }))?;
    /// # let ball = Body::dynamic("b").shape(Shape::Ball { radius: 0.1 });
    /// # world.add_body(ball.position(Vec3::Z * 0.1))?;
    /// world.step(0.01)?;
    /// assert_eq!(world.problem()?.rows(), 3); // one contact with friction
    /// # Ok::<(), taut::Error>(())
    /// ```
    pub fn problem(&self) -> Result<Problem, Error> {
        if self.softs.iter().next().is_some() {
            let reason = "a world with soft bodies has no multibody operator: their rows are dense";
            return Err(lcp::Error::Matrix(reason.into()).into());
        }
        let (mut operator, mut b, mut laws) = (Multibody::default(), Vec::new(), Vec::new());
        for solver in self.solved_islands() {
            let problem = solver.problem();
            let first = b.len();
            if let Operator::Multibody(part) = &problem.operator {
                append(&mut operator, part)?;
            }
            b.extend_from_slice(&problem.b);
            laws.extend(problem.laws.iter().map(|law| shifted(law, first)));
        }
        Ok(Problem::new(Operator::Multibody(operator), b, laws)?)
    }

    /// A name for every row of [`World::problem`]: the same in every step for
    /// the same row of the same joint or contact point, so that impulses of
    /// one step can start the next one.
    ///
    /// ```
    /// # use taut::{Body, Shape, World, math::Vec3};
    /// # let mut world = World::new();
    /// # world.add_body(Body::fixed("ground").shape(Shape::HalfSpace { normal: Vec3::Z }))?;
    /// # let ball = Body::dynamic("b").shape(Shape::Ball { radius: 0.1 });
    /// # world.add_body(ball.position(Vec3::Z * 0.1))?;
    /// world.step(0.01)?;
    /// let first = world.problem_keys();
    /// world.step(0.01)?;
    /// assert_eq!(world.problem_keys(), first);
    /// # Ok::<(), taut::Error>(())
    /// ```
    pub fn problem_keys(&self) -> Vec<u64> {
        let mut keys = Vec::new();
        self.solved_islands().for_each(|solver| solver.row_keys(&mut keys));
        keys
    }

    /// Number of rows of each island of [`World::problem`], in their order.
    pub fn island_rows(&self) -> Vec<usize> {
        self.solved_islands().map(|solver| solver.problem().rows()).collect()
    }

    fn solved_islands(&self) -> impl Iterator<Item = &IslandSolver> {
        let islands = &self.work.islands;
        let asleep = |slot: &u32| self.bodies.at(*slot).is_some_and(|b| b.asleep);
        let solved = self.work.solvers.iter().zip(&islands.list[..islands.count]);
        solved.filter(move |(_, island)| !island.bodies.iter().all(asleep)).map(|s| s.0)
    }
}

/// Adds the bodies and rows of another system, which has none of ours.
fn append(system: &mut Multibody, part: &Multibody) -> Result<(), lcp::Error> {
    let first = system.body_count() as u32;
    for body in 0..part.body_count() {
        let index = system.push_body(*part.mass(body))?;
        system.set_subsystem(index as usize, part.subsystem(body));
    }
    let mut row: Vec<(u32, Row6)> = Vec::new();
    for i in 0..part.rows() {
        let (bodies, jacobian) = part.row(i);
        row.clear();
        row.extend(bodies.iter().map(|body| first + body).zip(jacobian.iter().copied()));
        system.push_row(&row, part.compliance()[i])?;
    }
    Ok(())
}

/// The law of a row that moved down by `first` rows.
fn shifted(law: &Law, first: usize) -> Law {
    let mut law = *law;
    if let Law::FrictionBox { normal, .. } = &mut law {
        *normal += first;
    }
    law
}
