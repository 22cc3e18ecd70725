//! What a face is to the problem posed, and what it knows of its last solution.

/// What the problem of a face is to the problem that was posed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Role {
    /// The same.
    #[default]
    Whole,
    /// A subsystem. λ must be good to the last digits, since others depend on it,
    /// and what is left is measured. (Solved jointly, half of the coupled steps of
    /// cranes and nets stalled.)
    Subsystem,
    /// A few rows in doubt, condensed. The compliance of the whole makes A definite,
    /// so there is no shift.
    Condensed,
}

/// What a face knows of the last λ it has seen, and so where the next solution
/// begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Known {
    /// Nothing: with a product.
    #[default]
    Cold,
    /// w of free rows, though λ or b has changed since: without a product, and what
    /// the solution leaves is measured.
    Given,
    /// λ and velocities after one joint correction: from the rows that have turned
    /// since.
    Rough,
    /// w of λ, entry by entry, with what is left on free rows above the target or
    /// below: rows on their way to a bound add their column to w.
    Followed(Precision),
    /// w of λ, far below the tolerance: with a product, but the judge needs none.
    Refined,
}

/// How good a solution is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    /// It shows which rows violate their law, as long as some do.
    Rough,
    /// It leaves far less than the tolerance.
    Fine,
}

impl Known {
    /// After a change of the matrix, or of w.
    pub(super) fn no_longer_solved(self) -> Self {
        match self {
            Known::Rough | Known::Refined | Known::Cold => Known::Cold,
            Known::Followed(_) => Known::Followed(Precision::Fine),
            Known::Given => Known::Given,
        }
    }

    pub(super) fn is_rough(self) -> bool {
        matches!(self, Known::Rough | Known::Followed(Precision::Rough))
    }

    /// Whether w is that of a solution far below the tolerance.
    pub fn has_w(self) -> bool {
        matches!(self, Known::Refined | Known::Followed(Precision::Fine))
    }
}
