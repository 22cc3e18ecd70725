//! Mistakes of the caller, each with the names involved. What happens during
//! a step is never an error but a figure of the
//! [`StepReport`](crate::StepReport).

use thiserror::Error;

/// A mistake in what was passed in: the world is unchanged.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A body that cannot exist.
    #[error("body '{name}': {reason}")]
    Body {
        /// Its name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A joint that cannot exist.
    #[error("joint '{name}': {reason}")]
    Joint {
        /// Its name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A cable that cannot exist.
    #[error("cable '{name}': {reason}")]
    Cable {
        /// Its name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A soft body that cannot exist.
    #[error("soft body '{name}': {reason}")]
    SoftBody {
        /// Its name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A name that is taken.
    #[error("the name '{name}' is taken by another {what}")]
    DuplicateName {
        /// The name.
        name: String,
        /// Body, joint or cable.
        what: &'static str,
    },
    /// An id of something that was removed, or of another world.
    #[error("no {what} has this id: it was removed, or belongs to another world")]
    UnknownId {
        /// Body, joint or cable.
        what: &'static str,
    },
    /// A value outside its range.
    #[error("{name} = {value} is out of range: {expected}")]
    Value {
        /// What it is.
        name: &'static str,
        /// Value given.
        value: String,
        /// What is allowed.
        expected: &'static str,
    },
    /// What a stepper besides the world's own refuses ([`World::step_as_told`](crate::World::step_as_told)).
    #[error("{0}")]
    Stepper(String),
    /// A problem of the complementarity solver's settings.
    #[error(transparent)]
    Solver(#[from] taut_lcp::Error),
    /// Bytes that are not a snapshot of this version.
    #[error("snapshot: {0}")]
    Snapshot(String),
}

impl Error {
    pub(crate) fn body(name: &str, reason: impl Into<String>) -> Self {
        Error::Body { name: name.into(), reason: reason.into() }
    }

    pub(crate) fn joint(name: &str, reason: impl Into<String>) -> Self {
        Error::Joint { name: name.into(), reason: reason.into() }
    }

    pub(crate) fn soft(name: &str, reason: impl Into<String>) -> Self {
        Error::SoftBody { name: name.into(), reason: reason.into() }
    }

    pub(crate) fn cable(name: &str, reason: impl Into<String>) -> Self {
        Error::Cable { name: name.into(), reason: reason.into() }
    }
}

/// `Ok` if the value is finite (and whatever else `ok` says).
pub(crate) fn check(
    name: &'static str,
    value: f64,
    ok: bool,
    expected: &'static str,
) -> Result<(), Error> {
    if ok {
        return Ok(());
    }
    // Not with hundreds of digits.
    let is_plain = value == 0.0 || !value.is_finite() || (1e-5..1e16).contains(&value.abs());
    let value = if is_plain { value.to_string() } else { format!("{value:e}") };
    Err(Error::Value { name, value, expected })
}
