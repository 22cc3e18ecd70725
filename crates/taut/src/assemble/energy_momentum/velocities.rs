//! The second stage: velocities at the end of the step.

use crate::assemble::{IslandSolver, NOTHING, Scene, Stage, unresolved};
use crate::islands::Island;
use crate::math::{Mat3, Vec3};

/// A gap counts as closed where it will be smaller than this \[m\].
const TOUCH: f64 = 1e-9;

impl IslandSolver {
    /// Whether a contact is closed at the end of the step. One with restitution that just
    /// touches then bounces in the next.
    pub(in crate::assemble) fn closed(&self, k: usize) -> bool {
        let c = &self.contacts[k];
        let touches = c.gap + self.passages.travel[k] <= TOUCH;
        let pushed = self.passages.contacts[k].normal_force > 0.0;
        pushed || touches && c.material.restitution == 0.0
    }

    /// J⁺v⁺ = 0 at the end of the step.
    pub(super) fn find_end_velocities(&mut self, scene: &Scene, island: &Island) -> bool {
        self.find_travels(scene);
        self.calm(scene, island);
        self.passages.before = self.kinetic_at_end(scene, island);
        self.push_rows(scene, island, Stage::Velocities);
        let tied = self.tied_rows();
        for i in 0..tied {
            if self.passages.taken_back[i] != 0.0 {
                self.iterate.lambda[i] = self.passages.taken_back[i];
                self.iterate.set[i] = self.passages.set[i];
            }
        }
        self.solve_with_friction(scene, island, Stage::Velocities, usize::MAX);
        if !self.report.is_usable() || self.iterate.lambda.iter().any(|l| !l.is_finite()) {
            return false;
        }
        self.find_velocities(island);
        self.contact_forces(scene.h);
        self.report.work += self.work_of_change(scene);
        self.passages.damped = self.damped_by_cables(scene, island);
        for (p, &(v, w)) in self.passages.bodies.iter_mut().zip(&self.velocities) {
            (p.v, p.w) = (v, w);
        }
        for i in 0..tied {
            if self.problem.laws[i] == NOTHING {
                self.iterate.lambda[i] = self.passages.lambda[i];
            }
            self.iterate.set[i] = self.passages.set[i];
        }
        self.keep_first_tensions(scene, island);
        true
    }

    /// How far the gaps of contacts change by the mean velocities.
    fn find_travels(&mut self, scene: &Scene) {
        let mut travel = std::mem::take(&mut self.passages.travel);
        travel.clear();
        for (c, place) in self.contacts.iter().zip(&self.passages.places) {
            if let Some(place) = place {
                travel.push(place.gap - c.gap);
                continue;
            }
            let velocity = |slot: u32, point: Vec3| {
                let body = scene.bodies.at(slot);
                let still = body.map_or((Vec3::ZERO, Vec3::ZERO), |b| b.given(0.5 * scene.h));
                let local = scene.local[slot as usize] as usize;
                let (v, w) = self.passages.bodies.get(local).map_or(still, |p| p.mean);
                v + w.cross(point - body.map_or(Vec3::ZERO, |b| b.x))
            };
            let [a, b] = c.points();
            let way = scene.h * c.normal.dot(velocity(c.b, b) - velocity(c.a, a));
            travel.push(way + self.impacts.gap_shift(scene, c));
        }
        self.passages.travel = travel;
    }

    /// Writes the problem of the second stage for the sum of the impulses of both,
    /// where a row has its say in it: without them v* would be v* − M⁻¹J⁺ᵀλ.
    pub(in crate::assemble) fn take_back_first_stage(&mut self, scene: &Scene) {
        let mut taken = std::mem::take(&mut self.passages.taken_back);
        taken.clear();
        let joints = self.tied_rows();
        for (law, lambda) in self.problem.laws.iter().zip(&self.passages.lambda).take(joints) {
            taken.push(if *law == NOTHING { 0.0 } else { *lambda });
        }
        taken.resize(self.problem.b.len(), 0.0);
        for (k, rows) in self.contact_rows.iter().enumerate() {
            if self.contact_bias[k].is_none() {
                continue;
            }
            let (c, first) = (&self.contacts[k], &self.passages.contacts[k]);
            taken[rows.normal] = scene.h * first.normal_force;
            if let Some(i) = rows.tangent {
                taken[i] = scene.h * first.friction.dot(c.tangents[0]);
                taken[i + 1] = scene.h * first.friction.dot(c.tangents[1]);
            }
            if let Some(i) = rows.torsion {
                taken[i] = scene.h * first.torque.dot(c.normal);
            }
            if let Some(i) = rows.rolling {
                taken[i] = scene.h * first.torque.dot(c.axes[0]);
                taken[i + 1] = scene.h * first.torque.dot(c.axes[1]);
            }
        }
        let mut image = std::mem::take(&mut self.passages.image);
        image.resize(taken.len(), 0.0);
        let mut change = std::mem::take(&mut self.scratch);
        if let crate::lcp::Operator::Multibody(m) = &self.problem.operator {
            m.apply(&taken, &mut image, &mut change);
        }
        for (b, a) in self.problem.b.iter_mut().zip(&image) {
            *b -= a;
        }
        for (free, dv) in self.v_free.iter_mut().zip(change.chunks_exact(6)) {
            free.0 -= Vec3::new(dv[0], dv[1], dv[2]);
            free.1 -= Vec3::new(dv[3], dv[4], dv[5]);
        }
        self.scratch = change;
        self.passages.image = image;
        self.passages.taken_back = taken;
    }

    /// The impulse of the first stage along a tangent that turned, which the second finds anew:
    /// as a vector it was taken back already.
    pub(in crate::assemble) fn take_back_tangent(
        &mut self,
        scene: &Scene,
        k: usize,
        row: usize,
        t: Vec3,
        stage: Stage,
    ) -> f64 {
        if stage != Stage::Velocities || self.contact_bias[k].is_none() {
            return 0.0;
        }
        let taken = scene.h * self.passages.contacts[k].friction.dot(t);
        self.passages.taken_back[row] = taken;
        taken
    }

    /// Work of motors and kinematic bodies in the second stage.
    fn work_of_change(&self, scene: &Scene) -> f64 {
        let mean = |k: usize| {
            let (before, after) = (self.passages.bodies.get(k)?, self.velocities.get(k)?);
            Some((0.5 * (before.v + after.0), 0.5 * (before.w + after.1)))
        };
        let change = |i: usize| self.iterate.lambda[i] - self.passages.taken_back[i];
        self.work_of_rows(scene, change, mean)
    }

    /// Takes from bodies under load what they shake faster than the step can resolve, where
    /// contacts act: their rate at the end comes nearer to the mean one. (The rule rings at such
    /// frequencies. A rope of 20 g links at rest over a drum starts to rock, link against link,
    /// and slips. A chain that hangs freely rings without harm, and would lose 8 % of its energy in
    /// 10 s, not 5 %.) What joints and contacts ask of the rate is found anew. Light bodies between
    /// cables under load are calmed always: they shake sideways.
    fn calm(&mut self, scene: &Scene, island: &Island) {
        if !self.passages.contacts.iter().any(|c| c.normal_force > 0.0) {
            self.geometric.iter_mut().for_each(|g| g.stiffness = Mat3::ZERO);
        }
        for (k, &slot) in island.bodies.iter().enumerate() {
            let Some(body) = scene.bodies.at(slot) else { continue };
            let s = self.geometric[k].unresolved_across(body.mass);
            if s > 0.0 {
                let (p, start) = (&mut self.passages.bodies[k], self.start[k].0);
                p.v = p.mean.0 + (1.0 - s) * (p.mean.0 - start);
            }
            let s = self.unresolved(k);
            if s > 0.0 {
                let p = &mut self.passages.bodies[k];
                let after = p.mean.1 + (1.0 - s) * (p.mean.1 - p.rate);
                p.w = body.principal.turn(p.middle, after, 0.5 * scene.h).1;
            }
        }
    }

    /// How far the load on a body makes it shake faster than the step can follow: 0 to 1.
    fn unresolved(&self, k: usize) -> f64 {
        let trace = |m: Mat3| m.x_axis.x + m.y_axis.y + m.z_axis.z;
        let ratio = trace(self.geometric[k].stiffness) / trace(self.passages.bodies[k].inertia);
        unresolved(ratio)
    }
}
