//! Mistakes of the caller. What happens to a well-posed solve is a
//! [`Status`](crate::Status), never an error.

use thiserror::Error;

/// A mistake in what was passed in: nothing was solved.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The parts of a problem do not fit together.
    #[error("{what} has {got} entries, expected {expected}")]
    Size {
        /// Which part.
        what: &'static str,
        /// Its size.
        got: usize,
        /// The size it should have.
        expected: usize,
    },
    /// An entry that is NaN or infinite where it must be finite.
    #[error("{what}, row {row}: {value} is not finite")]
    NotFinite {
        /// Which part.
        what: &'static str,
        /// Row (zero-based).
        row: usize,
        /// The offending value.
        value: f64,
    },
    /// A bound, coefficient or index that makes no sense.
    #[error("row {row}: {message}")]
    Row {
        /// Row (zero-based).
        row: usize,
        /// What is wrong with it.
        message: String,
    },
    /// A matrix that is not what its type promises.
    #[error("{0}")]
    Matrix(String),
    /// A file that cannot be read or written, or says nonsense.
    #[error("{place}: {message}")]
    File {
        /// The file, with the line or the dataset: `dir/A.mtx:12`.
        place: String,
        /// What is wrong there.
        message: String,
    },
    /// The solver does not handle this kind of problem.
    #[error("{solver} refuses this problem: {reason}")]
    Refused {
        /// Registry name of the solver.
        solver: &'static str,
        /// Why, and what to use instead.
        reason: String,
    },
    /// A setting outside its range.
    #[error("{solver}: setting {name} = {value} is out of range: {expected}")]
    Setting {
        /// Registry name of the solver.
        solver: &'static str,
        /// Name of the setting.
        name: &'static str,
        /// Value given.
        value: String,
        /// What is allowed.
        expected: &'static str,
    },
    /// No solver of that name.
    #[error("no solver is called '{name}'; known: {known}")]
    UnknownSolver {
        /// The name asked for.
        name: String,
        /// All registry names, comma-separated.
        known: String,
    },
}
