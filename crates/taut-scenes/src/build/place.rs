//! Checks of numbers that name their place.

use crate::error::SceneError;
use taut::math::{Quat, Vec3};

/// Quaternions may miss unit length by this much: hand-written ones do.
const UNIT: f64 = 1e-2;

/// A place in a scene, such as `bodies[3]`.
pub(crate) struct Place(String);

impl Place {
    pub(crate) fn new(place: impl Into<String>) -> Self {
        Place(place.into())
    }

    /// A field of what is at this place.
    pub(crate) fn field(&self, name: &str) -> Place {
        Place(if self.0.is_empty() { name.into() } else { format!("{}.{name}", self.0) })
    }

    /// An item of a list at this place.
    pub(crate) fn item(&self, list: &str, index: usize) -> Place {
        self.field(&format!("{list}[{index}]"))
    }

    /// A mistake at this place.
    pub(crate) fn error(&self, message: impl Into<String>) -> SceneError {
        SceneError::new(&self.0, message)
    }

    /// What the engine refuses at this place.
    pub(crate) fn engine(&self, e: impl std::fmt::Display) -> SceneError {
        self.error(e.to_string())
    }

    fn must(&self, field: &str, ok: bool, expected: &str, found: f64) -> Result<(), SceneError> {
        if ok {
            return Ok(());
        }
        Err(self.field(field).error(format!("expected {expected}, found {found}")))
    }

    /// Each value is finite.
    pub(crate) fn finite(&self, field: &str, values: &[f64]) -> Result<(), SceneError> {
        match values.iter().position(|x| !x.is_finite()) {
            Some(i) => self.must(&format!("{field}[{i}]"), false, "a finite number", values[i]),
            None => Ok(()),
        }
    }

    /// The value is finite.
    pub(crate) fn number(&self, field: &str, x: f64) -> Result<(), SceneError> {
        self.must(field, x.is_finite(), "a finite number", x)
    }

    /// The value is finite and positive.
    pub(crate) fn positive(&self, field: &str, x: f64) -> Result<(), SceneError> {
        self.must(field, x.is_finite() && x > 0.0, "a positive number", x)
    }

    /// The value is finite and not negative.
    pub(crate) fn not_negative(&self, field: &str, x: f64) -> Result<(), SceneError> {
        self.must(field, x.is_finite() && x >= 0.0, "a number of at least 0", x)
    }

    /// The value is between 0 and 1.
    pub(crate) fn share(&self, field: &str, x: f64) -> Result<(), SceneError> {
        self.must(field, (0.0..=1.0).contains(&x), "a number from 0 to 1", x)
    }

    /// The vector, if it is finite.
    pub(crate) fn vector(&self, field: &str, v: [f64; 3]) -> Result<Vec3, SceneError> {
        self.finite(field, &v)?;
        Ok(Vec3::from(v))
    }

    /// The vector, if it is finite and not zero.
    pub(crate) fn direction(&self, field: &str, v: [f64; 3]) -> Result<Vec3, SceneError> {
        let vector = self.vector(field, v)?;
        match vector.try_normalize() {
            Some(_) => Ok(vector),
            None => Err(self.field(field).error("expected a direction, found a zero vector")),
        }
    }

    /// The rotation of a quaternion (w, x, y, z) of roughly unit length.
    pub(crate) fn rotation(&self, field: &str, q: [f64; 4]) -> Result<Quat, SceneError> {
        self.finite(field, &q)?;
        let [w, x, y, z] = q;
        let rotation = Quat::from_xyzw(x, y, z, w);
        let length = rotation.length();
        if (length - 1.0).abs() > UNIT {
            let message =
                format!("expected a unit quaternion (w, x, y, z), found one of length {length}");
            return Err(self.field(field).error(message));
        }
        // Unit to rounding: kept as it is.
        Ok(if (length - 1.0).abs() < 1e-9 { rotation } else { rotation.normalize() })
    }
}
