//! Preconditioners P of (A + D)_FF for conjugate gradients.
//!
//! Every one is symmetric positive definite, whatever the matrix (tests show
//! it on mass ratios of 1e6 and redundant rows). Vectors are as long as the
//! whole problem; rows are named by their place in it, so that a free set is
//! a list of rows and a factor needs no renumbering. Storage has room for all
//! rows of the pattern: another free set allocates nothing.
//!
//! | kind | P | file |
//! |---|---|---|
//! | `jacobi` | the diagonal | `jacobi.rs` |
//! | `block_jacobi` | blocks of rows on the same bodies | `block_jacobi.rs` |
//! | `ic0` | L̂L̂ᵀ without fill; may break down | `ic0.rs` |
//! | `ic0_shift` | the same of A + γ diag A, γ raised until it works | `ic0_shift.rs` |
//! | `ict` | L̂L̂ᵀ with the largest entries of each column | `ict.rs` |
//! | `partial_shift` | IC(0), shifted where it broke down | `partial_shift.rs` |
//! | `imaginary_ic0` | IC(0) that goes on through negative pivots | `imaginary_ic0.rs` |
//!
//! **Reuse** (Ho22's future work): after small changes of the free set a
//! factor may be kept. Rows that became tight are left out of its answer,
//! (P⁻¹)_FF being definite with P⁻¹; rows that became free get their diagonal.
//! That differs from a new factor by a matrix whose rank is the number of
//! changes, so it costs at most that many iterations, after every change: where
//! rows are redundant, keeping it for 2 % of them took 14 to 21 times as many as
//! for 0.1 % (`rocks`, 14,352 rows). Of blocks only those are computed again in which a row changed, which
//! is exact and cheap; `reuse` is not asked. (Computing again the rows of a
//! factor without fill next to those that changed was tried; it saves nothing.)

mod block_jacobi;
mod ic0;
mod ic0_shift;
mod ict;
mod imaginary_ic0;
mod jacobi;
mod partial_shift;
mod prescale;
#[cfg(test)]
mod tests;
mod triangle;

pub use prescale::Prescale;

use crate::linalg::Breakdown;
use crate::{Error, Multibody, Operator, Problem, Sparse};
use block_jacobi::BlockJacobi;
use ict::Columns;
use triangle::Triangle;

/// Which preconditioner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Kind {
    /// The diagonal.
    Jacobi,
    /// Blocks of rows on the same bodies.
    BlockJacobi,
    /// Incomplete Cholesky without fill; may break down.
    Ic0,
    /// IC(0) of A + γ diag A, γ raised until it works.
    Ic0Shift,
    /// Incomplete Cholesky that keeps the largest entries of each column.
    Ict,
    /// IC(0) with shifts of the rows where it broke down.
    PartialShift,
    /// IC(0) that goes on through negative pivots.
    #[default]
    ImaginaryIc0,
}

/// Settings of a preconditioner.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Which one. Default imaginary IC(0).
    pub kind: Kind,
    /// Scaling of the matrix before it is factored. Default by the diagonal.
    pub prescale: Prescale,
    /// Entries of a column of `ict` smaller than this share of its norm are
    /// dropped. At least 0. Default 1e-3.
    pub drop_tolerance: f64,
    /// Most entries a column of `ict` keeps below the diagonal. Default 60.
    pub fill: usize,
    /// Share of free rows that may have changed before the factor is computed
    /// anew, from 0 to 1. Default 0.
    pub reuse: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            kind: Kind::default(),
            prescale: Prescale::default(),
            drop_tolerance: 1e-3,
            fill: 60,
            reuse: 0.0,
        }
    }
}

impl Settings {
    /// Whether every setting is in its range.
    pub fn validate(&self, solver: &'static str) -> Result<(), Error> {
        if !(self.drop_tolerance.is_finite() && self.drop_tolerance >= 0.0) {
            let (value, expected) = (self.drop_tolerance.to_string(), "finite and at least 0");
            return Err(Error::Setting { solver, name: "drop_tolerance", value, expected });
        }
        if !(0.0..=1.0).contains(&self.reuse) {
            let (value, expected) = (self.reuse.to_string(), "from 0 to 1");
            return Err(Error::Setting { solver, name: "reuse", value, expected });
        }
        Ok(())
    }
}

/// The matrix (A + D)_FF: A entry by entry, or by its bodies.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub sparse: Option<&'a Sparse>,
    pub bodies: Option<&'a Multibody>,
    /// Diagonal of A + D.
    pub diagonal: &'a [f64],
    pub is_free: &'a [bool],
}

/// A preconditioner and its memory.
#[derive(Default)]
pub(crate) struct Preconditioner {
    settings: Settings,
    /// 1/(A + D)ᵢᵢ.
    inverse: Vec<f64>,
    scale: Vec<f64>,
    shifts: Vec<f64>,
    blocks: BlockJacobi,
    triangle: Triangle,
    columns: Columns,
    /// Rows that are part of what was computed.
    factored: Vec<bool>,
    /// Rows to compute again.
    touched: Vec<u32>,
    /// Columns computed, and those of them that were imaginary.
    pub computed: usize,
    pub imaginary: usize,
}

impl Preconditioner {
    pub fn new(settings: Settings) -> Self {
        Preconditioner { settings, ..Self::default() }
    }

    /// Whether A has to be there entry by entry.
    pub fn needs_entries(&self) -> bool {
        !matches!(self.settings.kind, Kind::Jacobi | Kind::BlockJacobi)
    }

    /// Takes up a pattern: room for every free set.
    pub fn shape(&mut self, problem: &Problem, a: Option<&Sparse>) {
        let m = problem.rows();
        for v in [&mut self.inverse, &mut self.scale, &mut self.shifts] {
            v.clear();
            v.resize(m, 1.0);
        }
        self.forget(m);
        self.touched.clear();
        self.touched.reserve(m);
        match (self.settings.kind, a) {
            (Kind::Jacobi, _) => {}
            (Kind::BlockJacobi, _) => {
                let bodies = match &problem.operator {
                    Operator::Multibody(a) => Some(a),
                    _ => None,
                };
                self.blocks.shape(m, bodies, a);
            }
            (Kind::Ict, Some(a)) => self.columns.shape(a.rows(), self.settings.fill),
            (_, Some(a)) => self.triangle.shape(a),
            (_, None) => {}
        }
    }

    /// Nothing computed is of use any more.
    pub fn forget(&mut self, m: usize) {
        self.factored.clear();
        self.factored.resize(m, false);
    }

    /// Computes P for the free rows among `rows`, which nothing connects to
    /// other rows. `list` holds the rows computed before, then now.
    pub fn compute(
        &mut self,
        source: &Source,
        rows: &[u32],
        list: &mut [u32],
        count: &mut usize,
    ) -> Result<(), Breakdown> {
        let blocks = self.settings.kind == Kind::BlockJacobi;
        if *count > 0 {
            let changed = |i: &&u32| source.is_free[**i as usize] != self.factored[**i as usize];
            let changes = rows.iter().filter(changed).count();
            if changes == 0 || (!blocks && changes as f64 <= self.settings.reuse * *count as f64) {
                return Ok(());
            }
        }
        let partly = blocks && *count > 0;
        if partly {
            self.touch(source, rows);
        }
        *count = 0;
        for &i in rows {
            let free = source.is_free[i as usize];
            self.factored[i as usize] = free;
            if free {
                list[*count] = i;
                *count += 1;
            }
        }
        if partly {
            self.computed += self.touched.len();
            self.blocks.factor(source, &self.touched);
            return Ok(());
        }
        self.computed += *count;
        self.factor(source, rows, &list[..*count])
    }

    /// Finds the free rows of blocks in which a row changed.
    fn touch(&mut self, source: &Source, rows: &[u32]) {
        let Preconditioner { touched, factored, blocks, .. } = self;
        touched.clear();
        let mut next = 0;
        for &i in rows.iter().filter(|&&i| source.is_free[i as usize] != factored[i as usize]) {
            if i >= next {
                let block = blocks.rows_beside(i);
                next = block.end;
                touched.extend(block.filter(|&k| source.is_free[k as usize]));
            }
        }
    }

    fn factor(&mut self, source: &Source, all: &[u32], rows: &[u32]) -> Result<(), Breakdown> {
        jacobi::invert(source, all, &mut self.inverse);
        let Preconditioner { settings, scale, shifts, triangle, columns, .. } = self;
        match (settings.kind, source.sparse) {
            (Kind::Jacobi, _) => Ok(()),
            (Kind::BlockJacobi, _) => {
                self.blocks.factor(source, rows);
                Ok(())
            }
            (_, None) => Err(Breakdown),
            (kind, Some(a)) => {
                prescale::scale(settings.prescale, source, a, rows, scale);
                match kind {
                    Kind::Ict => ict::factor(columns, source, a, rows, scale, settings)?,
                    Kind::Ic0 => ic0::factor(triangle, source, a, rows, scale)?,
                    Kind::Ic0Shift => ic0_shift::factor(triangle, source, a, rows, scale)?,
                    Kind::PartialShift => {
                        partial_shift::factor(triangle, source, a, rows, scale, shifts)?;
                    }
                    _ => {
                        self.imaginary += imaginary_ic0::factor(triangle, source, a, rows, scale);
                    }
                }
                if kind == Kind::Ict {
                    columns.unscale(rows, scale);
                } else {
                    triangle.unscale(rows, scale);
                }
                Ok(())
            }
        }
    }

    /// z = P⁻¹ r on the free rows. `list`: rows of the factor. r must be zero
    /// on rows of the factor that are tight by now.
    pub fn apply(&self, free: &[u32], list: &[u32], r: &[f64], z: &mut [f64]) {
        match self.settings.kind {
            Kind::Jacobi => {}
            Kind::BlockJacobi => self.blocks.solve(list, r, z),
            Kind::Ict => self.columns.solve(list, r, z),
            _ => self.triangle.solve(list, r, z),
        }
        let jacobi = self.settings.kind == Kind::Jacobi;
        for &i in free {
            let i = i as usize;
            if jacobi || !self.factored[i] {
                z[i] = r[i] * self.inverse[i];
            }
        }
    }
}
