//! The optional projection of contacts at the end of a step.
//!
//! **Problem**: bodies that overlap after the step are to be apart, joints closed, velocities as they
//! are (Andrews22 3.4.6, eq. 254). **Update**, a round: contacts are found at the poses there are;
//! each island that overlaps moves by the answer of one linear complementarity problem
//! (`assemble::projection`). Gaps are linear in moves only nearly, and bodies that are pushed out may
//! meet others: hence several rounds. **Cost** of a round: a collision update, and a solve for each
//! island that overlaps. **Fails**, and leaves an island as it is, where there is no room, or joints
//! would have to open. What is lifted gains energy, which the ledger books.

use super::projection::grow;
use super::solve::{NO_SOFTS, connect};
use crate::assemble::{Errors, Projection, Scene, Touch};
use crate::collide::{CollisionPipeline, Manifold, Motion};
use crate::islands::Islands;
use crate::lcp::{Block6, Operator};
use crate::math::Pose;
use crate::report::StepReport;
use crate::scene::BodyState;
use crate::world::World;

/// Overlaps up to this \[m\] are left alone: compliance lets bodies sink by less.
const OVERLAP: f64 = 1e-8;
/// Joints may open by this share of the overlap, to be closed in the next round.
const OPEN: f64 = 0.1;

/// Memory of the projection.
#[derive(Default)]
pub(crate) struct PushOut {
    pipeline: CollisionPipeline,
    motions: Vec<Motion>,
    manifolds: Vec<Manifold>,
    touches: Vec<Touch>,
    islands: Islands,
    /// M̃ of the step, by slot; none for bodies that it did not move.
    masses: Vec<Option<Block6>>,
    projections: Vec<Projection>,
    /// By slot, whether the body was moved: joints that this opened are to be closed.
    moved: Vec<bool>,
}

impl World {
    /// Pushes bodies apart that overlap after the step, in up to
    /// [`Settings::contact_projection`](crate::Settings::contact_projection) rounds.
    pub(super) fn push_out(&mut self, h: f64, report: &mut StepReport) {
        let rounds = self.settings.contact_projection;
        if rounds == 0 {
            return;
        }
        let mut work = std::mem::take(&mut self.work.push_out);
        self.note_masses(&mut work.masses);
        work.moved.clear();
        work.moved.resize(self.bodies.slots(), false);
        self.find_touches(h, &mut work);
        for _ in 0..rounds {
            let moved = self.push_out_once(h, &mut work);
            report.projected_islands += moved;
            if moved == 0 {
                break;
            }
        }
        self.work.push_out = work;
    }

    /// The masses of the step's islands, geometric stiffness included.
    fn note_masses(&self, masses: &mut Vec<Option<Block6>>) {
        masses.clear();
        masses.resize(self.bodies.slots(), None);
        let islands = &self.work.islands;
        for (solver, island) in self.work.solvers.iter().zip(&islands.list[..islands.count]) {
            let Operator::Multibody(m) = &solver.problem().operator else { continue };
            for (k, &slot) in island.bodies.iter().enumerate().take(m.body_count()) {
                let awake = self.bodies.at(slot).is_some_and(|b| b.is_dynamic() && !b.asleep);
                masses[slot as usize] = awake.then(|| *m.mass(k));
            }
        }
    }

    /// One round; says how many islands are better for it.
    fn push_out_once(&mut self, h: f64, work: &mut PushOut) -> usize {
        let touches = work.touches.iter().map(|t| (t.a, t.b));
        connect(&mut work.islands, &self.bodies, &self.joints, &self.cables, touches, &NO_SOFTS);
        grow(&mut work.projections, work.islands.count);
        let mut moved = Vec::new();
        for i in 0..work.islands.count {
            let Some(before) = self.solve_overlaps(h, work, i) else { continue };
            let poses = self.move_bodies(&work.islands.list[i], &work.projections[i]);
            moved.push((i, before, poses));
        }
        if moved.is_empty() {
            return 0;
        }
        // Bodies may meet others than before: what touches belongs to each of its bodies.
        let count = moved.len();
        self.find_touches(h, work);
        let mut back = 0;
        for (i, before, poses) in &moved {
            let island = &mut work.islands.list[*i];
            island.contacts.clear();
            for (k, t) in work.touches.iter().enumerate() {
                let of = |slot| work.islands.island[slot as usize] == *i as u32;
                if of(t.a) || of(t.b) {
                    island.contacts.push(k as u32);
                }
            }
            let scene = Scene { local: &work.islands.local, ..self.scene(h) };
            let projection = &mut work.projections[*i];
            let after = projection.find_errors(&scene, island, &work.touches);
            let closed = after.joints <= before.joints.max(OPEN * before.overlap);
            if after.worst() < before.worst() && closed {
                island.bodies.iter().for_each(|&slot| work.moved[slot as usize] = true);
            } else {
                self.move_back(island, poses);
                back += 1;
            }
        }
        if back > 0 && back < count {
            self.find_touches(h, work);
        }
        count - back
    }

    /// Solves an island that overlaps; what was wrong with it.
    fn solve_overlaps(&self, h: f64, work: &mut PushOut, i: usize) -> Option<Errors> {
        let PushOut { islands, touches, masses, projections, moved, .. } = work;
        let (island, projection) = (&islands.list[i], projections.get_mut(i)?);
        let scene = Scene { local: &islands.local, ..self.scene(h) };
        let before = projection.find_errors(&scene, island, touches);
        let slots = || island.bodies.iter();
        let opened = || slots().any(|&slot| moved[slot as usize]) && before.joints > OVERLAP;
        let is_fine = before.overlap <= OVERLAP && !opened();
        if is_fine || slots().any(|&slot| masses[slot as usize].is_none()) {
            return None;
        }
        let masses = slots().filter_map(|&slot| masses[slot as usize].as_ref());
        let touches = island.contacts.iter().filter_map(|&k| touches.get(k as usize));
        projection.solve(&scene, masses, touches).then_some(before)
    }

    /// Contacts at the poses there are.
    fn find_touches(&self, h: f64, work: &mut PushOut) {
        let PushOut { pipeline, motions, manifolds, touches, .. } = work;
        let motion = |body: Option<&BodyState>| Motion {
            pose: body.map_or(Pose::IDENTITY, |b| Pose::from_parts(b.x, b.q)),
            is_static: !body.is_some_and(BodyState::is_dynamic),
            ..Motion::nowhere()
        };
        motions.clear();
        motions.extend((0..self.bodies.slots() as u32).map(|i| motion(self.bodies.at(i))));
        let table = &self.colliders;
        let margin = self.settings.contact_margin;
        let filter = |a: u32, b: u32| self.may_collide(a, b);
        pipeline.update(&table.entries, motions, h, margin, filter, manifolds);
        touches.clear();
        for m in &*manifolds {
            let (a, b) = (table.owner(m.collider_a).0, table.owner(m.collider_b).0);
            touches.extend(m.points().iter().map(|p| {
                let point = 0.5 * (p.point_a + p.point_b);
                Touch { a, b, normal: m.normal, point, gap: p.gap }
            }));
        }
    }
}
