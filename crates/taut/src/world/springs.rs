//! How long steps of explicit springs may be, told before they blow up.

use super::World;
use crate::math::Vec3;
use crate::scene::{BodyState, Penalty, PenaltyLaw};
use crate::shape::Shape;
use crate::slots::BodyId;

/// Corners around round shapes, where only their extent counts.
const AROUND: usize = 16;

/// The longest step for which the explicit springs of a world hold.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ExplicitLimit {
    /// The body that needs the shortest steps.
    pub body: String,
    /// The longest step for it \[s\].
    pub step: f64,
    /// Contact points at once for which this is: 1 for balls, else 4.
    pub points: usize,
    /// Stiffness of each \[N/m\]; of nonlinear laws that under the weight.
    pub stiffness: f64,
}

impl World {
    /// The longest step for which explicit springs hold, of the body that needs the shortest; none if contacts are no explicit springs. A body of mass m on n
    /// springs k holds for h < 2/√(nk/m); one that rocks on four corners needs somewhat less. Balls have one point, all others are taken to lie on four corners
    /// of their extent.
    ///
    /// ```
    /// use taut::{Body, Shape, World};
    /// let mut world = World::new();
    /// world.settings_mut().contact = "penalty:explicit,stiffness=1e4".parse()?;
    /// world.add_body(Body::fixed("ground").shape(Shape::HalfSpace { normal: taut::math::Vec3::Z }))?;
    /// world.add_body(Body::dynamic("ball").shape(Shape::Ball { radius: 0.1 }).mass(1.0))?;
    /// let limit = world.explicit_limit().ok_or("springs")?;
    /// assert!((limit.step - 0.02).abs() < 1e-12 && limit.points == 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn explicit_limit(&self) -> Option<ExplicitLimit> {
        let (true, settings) = self.settings.contact.penalty()? else { return None };
        let surfaces: Vec<_> = self.bodies().map(|(id, _)| (id, self.springs_of(id))).collect();
        let limits = surfaces.iter().filter_map(|(id, own)| {
            let body = self.body(*id).ok().filter(|b| b.is_dynamic())?;
            let others = surfaces.iter().filter(|other| other.0 != *id);
            let laws = others.flat_map(|(_, other)| own.springs_with(other, settings));
            limit_of(body, stiffest(laws)?, self.gravity.length())
        });
        limits.min_by(|a, b| a.step.total_cmp(&b.step))
    }

    fn springs_of(&self, id: BodyId) -> Surface {
        let of_body = self.colliders.of_body.get(id.index()).into_iter().flatten();
        let springs: Vec<_> =
            of_body.map(|&i| self.colliders.materials[i as usize].penalty).collect();
        let is_silent = springs.contains(&None);
        Surface { own: stiffest(springs.into_iter().flatten()), is_silent }
    }
}

/// Springs of a body's surfaces: the stiffest one, and whether some say nothing of them.
struct Surface {
    own: Option<Penalty>,
    is_silent: bool,
}

impl Surface {
    /// Springs that contacts with another body may have, as materials are combined.
    fn springs_with(&self, other: &Surface, settings: Penalty) -> impl Iterator<Item = Penalty> {
        let both = self.own.zip(other.own).map(|(a, b)| a.softer(b));
        let one = self.own.filter(|_| other.is_silent);
        let two = other.own.filter(|_| self.is_silent);
        let none = (self.is_silent && other.is_silent).then_some(settings);
        [both, one, two, none].into_iter().flatten()
    }
}

fn stiffest(springs: impl Iterator<Item = Penalty>) -> Option<Penalty> {
    springs.max_by(|a, b| a.stiffness.total_cmp(&b.stiffness))
}

/// That of one body on springs of this law: h where h²kλ + 2hdλ = 4, λ the stiffest eigenvalue of J M⁻¹ Jᵀ.
fn limit_of(body: &BodyState, law: Penalty, gravity: f64) -> Option<ExplicitLimit> {
    let colliders = body.definition().colliders;
    let is_ball = matches!(&colliders[..], [one] if matches!(one.shape, Shape::Ball { .. }));
    let points = if is_ball { 1 } else { 4 };
    let n = points as f64;
    let k = match law.law {
        PenaltyLaw::Linear => law.stiffness,
        _ => law.force(law.gap(body.mass() * gravity / n)).1,
    };
    let mut most = n / body.mass();
    if !is_ball {
        let e = extent(body)?;
        for (i, j) in [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)] {
            most = most.max(n * e[i] * e[i] / body.inertia.col(j)[j]);
        }
    }
    let damped = law.damping * most;
    let step = ((damped * damped + 4.0 * k * most).sqrt() - damped) / (k * most);
    let body = body.name().to_string();
    (step.is_finite() && step > 0.0).then_some(ExplicitLimit { body, step, points, stiffness: k })
}

/// How far its shapes reach from its centre of mass along its axes \[m\].
fn extent(body: &BodyState) -> Option<Vec3> {
    let mut most = Vec3::ZERO;
    for collider in body.definition().colliders {
        let (vertices, _) = collider.shape.triangles(AROUND).ok()?;
        for v in vertices {
            most = most.max((collider.pose.transform_point(v) - body.centre).abs());
        }
    }
    Some(most)
}
