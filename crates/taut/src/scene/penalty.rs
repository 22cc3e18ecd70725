//! Springs in place of rigid contacts (Andrews22 5.1).
//!
//! φ is the gap, negative where bodies overlap. A spring pushes apart and never pulls:
//!
//! | law | force | slope at touch |
//! |---|---|---|
//! | `linear` | max(0, −kφ) | k |
//! | `power` | k max(0, −φ)ᵖ | 0 |
//! | `exponential` | k ε exp(−φ/ε), also before bodies touch | k |
//!
//! Deviations from Andrews22: the max of eq. 270 and 273 is missing there, 281 lost its factor and has the sign reversed, 286 attracts for
//! even p. On the way out springs are weaker by `share` (eq. 279 and 282): that is a share of energy, so bodies bounce by √share; implicit steps take away
//! more (`tests/penalty.rs`).

use crate::Error;
use crate::error::check;
use serde::{Deserialize, Serialize};

/// How the force of a spring grows with penetration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum PenaltyLaw {
    /// In proportion.
    #[default]
    Linear,
    /// With a power of it.
    Power {
        /// The power, at least 1.
        exponent: f64,
    },
    /// Exponentially, at any distance up to the contact margin.
    Exponential {
        /// Where it is 1/e of what it is at touch, in m.
        length: f64,
    },
}

/// How a surface pushes back where contacts are springs
/// ([`ContactModel::Penalty`](crate::ContactModel::Penalty)).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Penalty {
    /// Stiffness of a contact point in N/m, from 1e-9 to 1e16; with a power p in N/mᵖ. Default 1e5.
    pub stiffness: f64,
    /// Damping of a contact point along its normal in N·s/m. Default 0.
    pub damping: f64,
    /// How the force grows with penetration. Default: linearly.
    pub law: PenaltyLaw,
    /// Share of the force that is left on the way out, above 0 and at most 1: bodies bounce by its
    /// square root, where a contact takes many steps. Default 1.
    pub share: f64,
    /// Stiffness of the spring to the anchor of friction in N/m. Default: that of the contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor: Option<f64>,
}

impl Default for Penalty {
    fn default() -> Self {
        Penalty { stiffness: 1e5, damping: 0.0, law: PenaltyLaw::Linear, share: 1.0, anchor: None }
    }
}

/// Exponentials are continued by their tangent beyond so many lengths, where they would leave the range of numbers: exp(200) is 7e86.
const DEEPEST: f64 = 200.0;

/// At this stiffness \[N/m\] rounding of coordinates of a metre is a force of newtons.
const STIFFEST: f64 = 1e16;

impl Penalty {
    /// A linear spring of this stiffness \[N/m\].
    pub fn of(stiffness: f64) -> Self {
        Penalty { stiffness, ..Penalty::default() }
    }

    /// The softer one of two surfaces decides.
    pub(crate) fn softer(self, other: Penalty) -> Penalty {
        if other.stiffness < self.stiffness { other } else { self }
    }

    /// Stiffness of friction's spring \[N/m\].
    pub(crate) fn anchor_stiffness(&self) -> f64 {
        self.anchor.unwrap_or(self.stiffness)
    }

    /// Force at a gap \[N\], and its slope by the depth \[N/m\]; both for the way in.
    pub(crate) fn force(&self, gap: f64) -> (f64, f64) {
        let (k, depth) = (self.stiffness, (-gap).max(0.0));
        match self.law {
            PenaltyLaw::Linear => (k * depth, if gap < 0.0 { k } else { 0.0 }),
            PenaltyLaw::Power { exponent: p } => (k * depth.powf(p), k * p * depth.powf(p - 1.0)),
            PenaltyLaw::Exponential { length } => {
                let x = -gap / length;
                let slope = k * x.min(DEEPEST).exp();
                (slope * length * (1.0 + (x - DEEPEST).max(0.0)), slope)
            }
        }
    }

    /// The gap at which it has a force.
    pub(crate) fn gap(&self, force: f64) -> f64 {
        let ratio = force / self.stiffness;
        match self.law {
            PenaltyLaw::Linear => -ratio,
            PenaltyLaw::Power { exponent } => -ratio.powf(1.0 / exponent),
            PenaltyLaw::Exponential { length } => -length * (ratio / length).ln(),
        }
    }

    /// What it can give back from a gap \[J\].
    pub(crate) fn energy(&self, gap: f64) -> f64 {
        let (k, depth) = (self.stiffness, (-gap).max(0.0));
        self.share
            * match self.law {
                PenaltyLaw::Linear => 0.5 * k * depth * depth,
                PenaltyLaw::Power { exponent: p } => k / (p + 1.0) * depth.powf(p + 1.0),
                PenaltyLaw::Exponential { length } => {
                    k * length * length * (-gap / length).min(DEEPEST).exp()
                }
            }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let stiff =
            |name, k: f64| check(name, k, (1e-9..=STIFFEST).contains(&k), "from 1e-9 to 1e16");
        stiff("penalty.stiffness", self.stiffness)?;
        stiff("penalty.anchor", self.anchor_stiffness())?;
        let d = self.damping;
        check("penalty.damping", d, (0.0..=STIFFEST).contains(&d), "from 0 to 1e16")?;
        let s = self.share;
        check("penalty.share", s, s > 0.0 && s <= 1.0, "above 0 and at most 1")?;
        match self.law {
            PenaltyLaw::Linear => Ok(()),
            PenaltyLaw::Power { exponent: p } => {
                check("penalty.law.power.exponent", p, (1.0..=100.0).contains(&p), "from 1 to 100")
            }
            PenaltyLaw::Exponential { length } => {
                let fits = (1e-9..=1e3).contains(&length);
                check("penalty.law.exponential.length", length, fits, "from 1e-9 to 1e3")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAWS: [PenaltyLaw; 3] = [
        PenaltyLaw::Linear,
        PenaltyLaw::Power { exponent: 1.5 },
        PenaltyLaw::Exponential { length: 2e-4 },
    ];

    #[test]
    fn forces_are_slopes_of_energies_and_never_pull() {
        for law in LAWS {
            let spring = Penalty { law, stiffness: 3e4, ..Penalty::default() };
            for gap in [-3e-3_f64, -1e-3, -2e-4, -1e-5, 1e-4] {
                let e = 1e-5 * 2e-4_f64.min(gap.abs());
                let force = (spring.energy(gap - e) - spring.energy(gap + e)) / (2.0 * e);
                let (found, slope) = spring.force(gap);
                assert!((found - force).abs() <= 1e-5 * found, "{law:?} {gap}: {found} {force}");
                let rise = (spring.force(gap - e).0 - spring.force(gap + e).0) / (2.0 * e);
                assert!((slope - rise).abs() <= 1e-5 * slope, "{law:?} {gap}: {slope} {rise}");
                assert!(found >= 0.0);
                if found > 0.0 {
                    assert!((spring.gap(found) - gap).abs() < 1e-12, "{law:?} {gap}");
                }
            }
            let (force, slope) = spring.force(-10.0);
            assert!(force.is_finite() && slope.is_finite());
        }
    }

    #[test]
    fn bad_numbers_are_named() {
        let good = Penalty::default();
        assert!(good.check().is_ok());
        let bad = [
            (Penalty { stiffness: 0.0, ..good }, "penalty.stiffness"),
            (Penalty { stiffness: f64::INFINITY, ..good }, "penalty.stiffness"),
            (Penalty { stiffness: 1e300, ..good }, "penalty.stiffness"),
            (Penalty { stiffness: 1e-300, ..good }, "penalty.stiffness"),
            (Penalty { damping: 1e300, ..good }, "penalty.damping"),
            (Penalty { anchor: Some(1e300), ..good }, "penalty.anchor"),
            (Penalty { law: PenaltyLaw::Power { exponent: 1e300 }, ..good }, "exponent"),
            (Penalty { law: PenaltyLaw::Exponential { length: 1e-300 }, ..good }, "length"),
            (Penalty { damping: -1.0, ..good }, "penalty.damping"),
            (Penalty { share: 0.0, ..good }, "penalty.share"),
            (Penalty { share: 1.1, ..good }, "penalty.share"),
            (Penalty { anchor: Some(f64::NAN), ..good }, "penalty.anchor"),
            (Penalty { law: PenaltyLaw::Power { exponent: 0.5 }, ..good }, "exponent"),
            (Penalty { law: PenaltyLaw::Exponential { length: 0.0 }, ..good }, "length"),
        ];
        for (penalty, name) in bad {
            let said = penalty.check().expect_err("out of range").to_string();
            assert!(said.contains(name), "{said}");
        }
    }
}
