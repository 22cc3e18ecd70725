//! What a face is to the problem posed, and what it knows of its last solution.
//!
//! How a solution begins, by what is known (`solve_to`):
//!
//! | known | `solve` | `solve_roughly` |
//! |---|---|---|
//! | `Cold`, `Refined` | the product Aλ | the product Aλ |
//! | `Given` | no product | no product |
//! | `Rough` | the product | rows that changed since (`Depth::Next`), unless there is a shift: then all |
//! | `Followed` | the product | columns of A for rows that went to a bound |
//!
//! What is known after it:
//!
//! | form | `solve` | `solve_roughly` | then `refine` |
//! |---|---|---|---|
//! | impulses and velocities together (primal; no subsystem) | `Refined`, or `Cold` where it stalled | `Rough` | `Refined` or `Cold` |
//! | A by entries | `Refined` | `Followed`, of the precision found | `Followed(Fine)` |
//! | other | `Refined` | `Refined` | nothing to refine |
//!
//! `solve_once` ends with `Given`. `update_w` and `forget_factor` leave `Cold`, but for `Followed`, which is `Followed(Fine)`, and `Given`;
//! `forget_w` leaves `Cold` of `Followed`; a start is `Cold`.

/// What the problem of a face is to the problem that was posed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Role {
    /// It is that problem.
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
    /// w is unknown. The next solution begins with the product Aλ.
    #[default]
    Cold,
    /// w of the free rows is known, up to a later change of λ or b. The next solution begins without the product;
    /// what it leaves is measured.
    Given,
    /// λ and the velocities of the bodies are known after one joint correction. The next solution begins with the rows
    /// that have changed their state since.
    Rough,
    /// w of λ is known (A is given by entries), and whether what is left on free rows is above the target or below. The
    /// next solution begins without the product: rows that go to a bound add their column of A to w.
    Followed(Precision),
    /// w of λ is known, and on free rows far below the tolerance. The next solution begins with the product all the
    /// same; the judge needs none.
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
