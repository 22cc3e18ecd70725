//! What surfaces are like, and how two of them combine.

use super::{Anisotropy, Penalty};
use crate::Error;
use crate::SurfaceId;
use crate::error::check;

/// Properties of a surface.
///
/// ```
/// use taut::Material;
/// let ice = Material { friction: 0.05, ..Material::default() };
/// let rubber = Material { friction: 0.8, restitution: 0.6, ..Material::default() };
/// let pair = ice.with(&rubber);
/// assert!((pair.friction - 0.2).abs() < 1e-12); // geometric mean
/// assert_eq!(pair.restitution, 0.6); // the larger one
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Coefficient of friction μ, at least 0. Default 0.5.
    pub friction: f64,
    /// Coefficient of restitution, 0 (no bounce) to 1. Default 0.
    pub restitution: f64,
    /// Resistance to turning about the normal: largest torque per normal
    /// force \[m\]. Default 0: no such rows.
    pub torsional_friction: f64,
    /// Resistance to rolling: largest torque per normal force \[m\].
    /// Default 0: no such rows.
    pub rolling_friction: f64,
    /// How friction depends on the direction. Default: not at all.
    pub anisotropy: Option<Anisotropy>,
    /// Its name among the surfaces of a world, if it has pairs of its own
    /// ([`World::set_pair`](crate::World::set_pair)). Default: none.
    pub surface: Option<SurfaceId>,
    /// How it pushes back where contacts are springs ([`ContactModel::Penalty`](crate::ContactModel::Penalty)).
    /// Default: as the settings say.
    pub penalty: Option<Penalty>,
}

impl Default for Material {
    fn default() -> Self {
        Material {
            friction: 0.5,
            restitution: 0.0,
            torsional_friction: 0.0,
            rolling_friction: 0.0,
            anisotropy: None,
            surface: None,
            penalty: None,
        }
    }
}

impl Material {
    /// The properties of a pair: geometric mean of the friction coefficients,
    /// the larger one of the others. (How both depend on the direction together,
    /// [`Anisotropy`] says. Of two springs of penalty contacts the softer one decides.)
    pub fn with(&self, other: &Material) -> Material {
        Material {
            friction: (self.friction * other.friction).sqrt(),
            restitution: self.restitution.max(other.restitution),
            torsional_friction: self.torsional_friction.max(other.torsional_friction),
            rolling_friction: self.rolling_friction.max(other.rolling_friction),
            anisotropy: None,
            surface: None,
            penalty: match (self.penalty, other.penalty) {
                (Some(one), Some(two)) => Some(one.softer(two)),
                (one, two) => one.or(two),
            },
        }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let positive = |x: f64| x.is_finite() && x >= 0.0;
        let expected = "finite and at least 0";
        check("friction", self.friction, positive(self.friction), expected)?;
        let t = self.torsional_friction;
        check("torsional_friction", t, positive(t), expected)?;
        let r = self.rolling_friction;
        check("rolling_friction", r, positive(r), expected)?;
        if let Some(anisotropy) = &self.anisotropy {
            anisotropy.check()?;
        }
        if let Some(penalty) = &self.penalty {
            penalty.check()?;
        }
        let e = self.restitution;
        check("restitution", e, (0.0..=1.0).contains(&e), "between 0 and 1")
    }
}
