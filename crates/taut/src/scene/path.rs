//! Where a kinematic body is to be at the end of a step, and how it gets there.
//!
//! A target pose gives the mean velocity of the step, v̄ = Δx/dt. What is carried must not only
//! go that way, it also has to have the right velocity at its end: forces are right only if
//! both are (`assemble::energy_momentum`). A sequence of targets says it: with v̄' the mean
//! velocity of the step before, the acceleration is (v̄ − v̄')/dt, and the velocity goes
//! evenly from v̄ − ½a·dt to v̄ + ½a·dt. That is exact for a constant acceleration, and a step
//! after one without a target has a = 0. (With v̄ at the end of every step a box on a
//! platform slips at half the acceleration that friction could hold.)

use crate::math::{Pose, Quat, Vec3};
use crate::scene::BodyState;

/// A velocity: linear before angular.
type Twist = (Vec3, Vec3);

/// How a kinematic body moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Path {
    /// With its velocity, or not at all.
    #[default]
    Free,
    /// To this pose of its centre, in the step to come; and the mean velocity of the last step, if
    /// that had a target, too.
    Target { end: Pose, last: Option<Twist> },
    /// With this mean velocity and acceleration in the step to come.
    Ramp { mean: Twist, acceleration: Twist },
    /// To this pose in the step at hand, with this mean velocity and acceleration.
    UnderWay { end: Pose, mean: Twist, acceleration: Twist },
    /// It arrived in the last step.
    Arrived { mean: Twist },
}

impl BodyState {
    /// Sets the pose of the body's frame at the end of the next step.
    pub(crate) fn aim(&mut self, pose: Pose) {
        let q = pose.rotation.normalize();
        let end = Pose::from_parts(pose.translation + q * self.centre, q);
        let last = match self.path {
            Path::Target { last, .. } => last,
            Path::Arrived { mean } => Some(mean),
            _ => None,
        };
        self.path = Path::Target { end, last };
    }

    /// Before a step of dt: the velocity at its start. Without a new target it stands still.
    pub(crate) fn set_out(&mut self, dt: f64) {
        match self.path {
            Path::Target { end, last } => {
                let mut turn = end.rotation * self.q.conjugate();
                if turn.w < 0.0 {
                    turn = -turn;
                }
                let mean = ((end.translation - self.x) / dt, turn.to_scaled_axis() / dt);
                let last = last.unwrap_or(mean);
                let acceleration = ((mean.0 - last.0) / dt, (mean.1 - last.1) / dt);
                self.leave_for(end, mean, acceleration, dt);
            }
            Path::Ramp { mean, acceleration } => {
                let turn = crate::integrate::turned(self.q, mean.1, dt);
                let end = Pose::from_parts(self.x + dt * mean.0, turn);
                self.leave_for(end, mean, acceleration, dt);
            }
            Path::Arrived { .. } => {
                (self.v, self.w) = (Vec3::ZERO, Vec3::ZERO);
                self.path = Path::Free;
            }
            Path::Free | Path::UnderWay { .. } => {}
        }
    }

    fn leave_for(&mut self, end: Pose, mean: Twist, acceleration: Twist, dt: f64) {
        self.v = mean.0 - 0.5 * dt * acceleration.0;
        self.w = mean.1 - 0.5 * dt * acceleration.1;
        self.path = Path::UnderWay { end, mean, acceleration };
    }

    /// After the step: rounding, and axes that turned, leave no trace in the pose.
    pub(crate) fn arrive(&mut self) {
        if let Path::UnderWay { end, mean, .. } = self.path {
            if self.quarantine.is_none() {
                (self.x, self.q) = (end.translation, end.rotation);
            }
            self.path = Path::Arrived { mean };
        }
    }

    /// After a step that something else computed.
    pub(crate) fn end_path(&mut self) {
        if let Path::UnderWay { mean, .. } = self.path {
            self.path = Path::Arrived { mean };
        }
    }

    /// The velocity at the time t of the part of a step at hand, of a body that forces do not move.
    pub(crate) fn given(&self, t: f64) -> Twist {
        match self.path {
            Path::UnderWay { acceleration: (a, alpha), .. } => (self.v + t * a, self.w + t * alpha),
            _ => (self.v, self.w),
        }
    }

    /// Pose after the time h of the part of a step at hand, of a body that forces do not move.
    pub(crate) fn given_pose(&self, h: f64) -> (Vec3, Quat) {
        let (v, w) = self.given(0.5 * h);
        (self.x + v * h, crate::integrate::turn(self, w, h).0)
    }
}
