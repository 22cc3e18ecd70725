//! What the linearization of joints leaves out.
//!
//! A row asks for φ + hJv⁺ = 0, but the bodies then turn by finite angles: a
//! body with a joint at the arm r opens it by ½(ωh)²r in every step, and the
//! correction of the next step feeds energy to heavy bodies. After a first
//! solve the poses are therefore predicted with its velocities, the remainder
//! c = φ(q⁺) − φ − hJv⁺ is added to φ, and the step is solved once more: one
//! Newton iteration on φ(q⁺) = 0, whose error is of third order in h. (The
//! remainder of the old velocities instead, which needs no second solve,
//! makes light links unstable.)
//!
//! Cost: a second solve of the same matrix, if c matters. Contacts have no
//! such term: the point of a rolling ball that touches is not carried along.

use super::joints::{geometry_after, stabilization};
use super::{IslandSolver, Scene, Twist};
use crate::islands::Island;
use crate::math::Vec3;
use crate::scene::joint::{Frame, JointKind, Part, Row, Side, nearest_turn};
use crate::settings::Integrator;
use crate::{BodyId, BodyState};

/// A remainder that changes b by less than this \[m/s\] plus the same share of
/// max|b| needs no second solve.
const NEGLIGIBLE: f64 = 1e-7;

impl IslandSolver {
    /// Adds the remainder of the last solve; true if it matters.
    pub(super) fn correct_curvature(&mut self, scene: &Scene, island: &Island) -> bool {
        let midpoint = scene.settings.integrator == Integrator::MoreauMidpoint;
        if midpoint || self.joint_rows.is_empty() || self.report.is_broken() {
            return false;
        }
        self.find_velocities(island);
        let scale = self.problem.scale();
        self.add_curvature(scene, island) > NEGLIGIBLE * (1.0 + scale)
    }

    /// Adds the remainder at `velocities` to b; returns its largest entry.
    fn add_curvature(&mut self, scene: &Scene, island: &Island) -> f64 {
        if scene.settings.integrator == Integrator::MoreauMidpoint {
            return 0.0;
        }
        let mut largest = 0.0_f64;
        let mut i = 0;
        for (k, &slot) in island.joints.iter().enumerate() {
            self.rows_ahead(scene, k, slot);
            while i < self.joint_rows.len() && self.joint_rows[i].0 == slot {
                let row = self.joint_rows[i].1;
                let same = |r: &&Row| r.tag == row.tag && r.has_position;
                let ahead = self.ahead.rows.iter().find(same);
                if let Some(phi) = ahead.map(|r| r.phi) {
                    let curvature = phi - row.phi - scene.h * self.rate(scene, &row);
                    let bent = Row { curvature, ..row };
                    let change = stabilization(scene, &bent).1 - stabilization(scene, &row).1;
                    self.joint_rows[i].1 = bent;
                    self.problem.b[i] += change;
                    largest = largest.max(change.abs());
                }
                i += 1;
            }
        }
        largest
    }

    /// Adds the remainders of rows that were assembled before.
    pub(super) fn keep_curvature(&mut self, scene: &Scene, before: &[(u32, Row)]) {
        for (i, (_, old)) in before.iter().enumerate() {
            let row = self.joint_rows[i].1;
            let bent = Row { curvature: old.curvature, ..row };
            self.problem.b[i] += stabilization(scene, &bent).1 - stabilization(scene, &row).1;
            self.joint_rows[i].1 = bent;
        }
    }

    /// How far the step misses what its rows ask of positions: the remainder
    /// at the final velocities that b does not hold, relative to the arms of
    /// the joint (and the length of rods and ropes).
    ///
    /// Wheels (joints that count turns) may spin so fast that small parts of
    /// a step follow one another before a correction has had its time: there
    /// the miss counts for all of `correction_time`, and that of the axes too.
    /// (A rotor of 10 000 rad/s on a frame that yaws at 1 rad/s is off its axis by
    /// 1.3 rad after 2 s without the first, by 5e-3 rad with both. Counting the axes
    /// of universal joints too takes five times as long on `chain-drop` and tears
    /// 6 of the first 200 steps of `chain`.)
    ///
    /// Returns the largest miss and the slot of its joint.
    pub(super) fn joint_error(&mut self, scene: &Scene, island: &Island) -> (f64, u32) {
        let mut largest = (0.0, u32::MAX);
        let mut i = 0;
        self.report.owed = 0.0;
        let share = (scene.h / scene.settings.correction_time).min(1.0);
        for (k, &slot) in island.joints.iter().enumerate() {
            self.rows_ahead(scene, k, slot);
            let wheel = scene.joints.at(slot).is_some_and(|s| s.joint.counts_turns());
            let share = if wheel { share } else { 1.0 };
            let length = self.length(scene, k, slot);
            let first = i;
            while i < self.joint_rows.len() && self.joint_rows[i].0 == slot {
                let row = self.joint_rows[i].1;
                let axis = |r: &Row| wheel && r.is_workless();
                let counts = |r: &Row| r.has_position && (r.is_linear() || axis(r));
                let same = |r: &&Row| r.tag == row.tag && counts(r);
                if let Some(phi) = self.ahead.rows.iter().find(same).map(|r| r.phi) {
                    let missed = phi - row.phi - row.curvature - scene.h * self.rate(scene, &row);
                    self.report.owed -= missed * self.iterate.lambda[i] / scene.h;
                    let length = if row.is_linear() { length } else { 1.0 };
                    let missed = missed.abs() / (share * length);
                    if missed > largest.0 {
                        largest = (missed, slot);
                    }
                }
                i += 1;
            }
            let passed = self.passed_limit(first..i);
            if passed > largest.0 {
                largest = (passed, slot);
            }
        }
        largest
    }

    /// How far the joint at hand, whose rows these are, goes beyond a limit that
    /// was left out as too far away.
    fn passed_limit(&self, rows: std::ops::Range<usize>) -> f64 {
        let has = |tag: u8| self.joint_rows[rows.clone()].iter().any(|(_, row)| row.tag == tag);
        let left_out = |r: &&Row| r.lo == 0.0 && r.hi == f64::INFINITY && !has(r.tag);
        self.ahead.rows.iter().filter(left_out).map(|r| -r.phi).fold(0.0, f64::max)
    }

    /// What a gap in a joint is compared with \[m\]. An arm is not shorter
    /// than its body's radius of gyration.
    pub(super) fn length(&self, scene: &Scene, k: usize, slot: u32) -> f64 {
        let g = &self.joint_geometry[k];
        let arm = |side: &Side| {
            let body = side.body.and_then(|id| scene.bodies.get(id.index, id.generation));
            body.map_or(0.0, |b| side.r.length().max(gyration(b)))
        };
        let kind = scene.joints.at(slot).map(|s| &s.joint.kind);
        let rod = matches!(kind, Some(JointKind::Distance { .. }));
        let own = if rod { g.d.length() } else { 0.0 };
        (arm(&g.a) + arm(&g.b) + own).max(f64::MIN_POSITIVE)
    }

    /// Fills `ahead` with the rows of a joint after the step.
    fn rows_ahead(&mut self, scene: &Scene, k: usize, slot: u32) {
        self.ahead.rows.clear();
        let Some(state) = scene.joints.at(slot) else { return };
        let twist = |id: BodyId, b: &BodyState| self.twist(scene, id, b);
        let ahead = geometry_after(scene.h, &state.joint, scene.bodies, twist);
        let rate = self.joint_geometry[k]
            .angle_rate(self.turn_rate(scene, state.joint.a), self.turn_rate(scene, state.joint.b));
        let angle = nearest_turn(ahead.angle(), state.angle + scene.h * rate);
        state.joint.rows(&ahead, angle, &mut self.ahead);
    }

    fn twist(&self, scene: &Scene, id: BodyId, body: &BodyState) -> Twist {
        let local = scene.local[id.index()] as usize;
        self.velocities.get(local).copied().unwrap_or_else(|| body.given(0.5 * scene.h))
    }

    fn turn_rate(&self, scene: &Scene, frame: Frame) -> Vec3 {
        let found =
            frame.body().and_then(|id| Some((id, scene.bodies.get(id.index, id.generation)?)));
        found.map_or(Vec3::ZERO, |(id, body)| self.twist(scene, id, body).1)
    }

    /// Jv⁺ of a row.
    pub(super) fn rate(&self, scene: &Scene, row: &Row) -> f64 {
        let part = |p: &Part| {
            let body = scene.bodies.get(p.body.index, p.body.generation);
            body.map_or(0.0, |b| {
                let (v, w) = self.twist(scene, p.body, b);
                p.linear.dot(v) + p.angular.dot(w)
            })
        };
        row.parts.iter().flatten().map(part).sum()
    }
}

fn gyration(body: &BodyState) -> f64 {
    (body.mean_inertia() / body.mass).sqrt()
}
