//! Rows that act on a system from outside.
//!
//! What such a row feels of the system is its inverse effective mass, with
//! the free rows held and the tight ones let go:
//! S = J_Γ (M + J_Fᵀ E_F⁻¹ J_F)⁻¹ J_Γᵀ = J_Γ M⁻¹ J_Γᵀ − G_F (A + D)_FF⁻¹ G_Fᵀ
//! with G = J_Γ M⁻¹ Jᵀ (Peiret19 eq. 24; the first form is the primal one of
//! the same matrix). Both backends give it with the factor at hand.

use crate::linalg::several::{LANES, Lanes};
use crate::operator::{dot6, mul6};
use crate::{Multibody, Row6};

/// The rows, each with the bodies it acts on here.
#[derive(Default)]
pub(crate) struct Ports {
    ptr: Vec<u32>,
    bodies: Vec<u32>,
    jacobian: Vec<Row6>,
}

impl Ports {
    /// Memory for so many rows on two bodies.
    pub fn with_capacity(rows: usize) -> Self {
        Ports {
            ptr: Vec::with_capacity(rows + 1),
            bodies: Vec::with_capacity(2 * rows),
            jacobian: Vec::with_capacity(2 * rows),
        }
    }

    pub fn clear(&mut self) {
        self.ptr.clear();
        self.ptr.push(0);
        self.bodies.clear();
        self.jacobian.clear();
    }

    /// Adds a row.
    pub fn push(&mut self, parts: impl Iterator<Item = (u32, Row6)>) {
        for (body, j) in parts {
            self.bodies.push(body);
            self.jacobian.push(j);
        }
        self.ptr.push(self.bodies.len() as u32);
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ptr.len().saturating_sub(1)
    }

    /// Bodies of a row, and the row's Jacobian on each.
    pub fn row(&self, p: usize) -> impl Iterator<Item = (usize, &Row6)> {
        let range = self.ptr[p] as usize..self.ptr[p + 1] as usize;
        let bodies = self.bodies[range.clone()].iter().map(|&b| b as usize);
        bodies.zip(&self.jacobian[range])
    }

    /// All bodies that some row acts on.
    pub fn bodies(&self) -> impl Iterator<Item = usize> {
        self.bodies.iter().map(|&b| b as usize)
    }

    /// Columns of J_Γ M⁻¹ J_Γᵀ: as if the system had no rows of its own.
    /// Column q of `out` begins at q times the number of rows.
    pub fn bare(&self, a: &Multibody, columns: &[u32], out: &mut [f64]) {
        let n = self.len();
        for &q in columns {
            let out = &mut out[q as usize * n..][..n];
            out.fill(0.0);
            for (b, j) in self.row(q as usize) {
                let t = mul6(a.inverse_mass(b), j);
                for (p, out) in out.iter_mut().enumerate() {
                    let same = self.row(p).filter(|(c, _)| *c == b);
                    *out += same.map(|(_, j)| dot6(j, &t)).sum::<f64>();
                }
            }
        }
    }
}

impl super::primal::Primal {
    /// Columns of S with the last factorization.
    pub fn effective(&mut self, ports: &Ports, columns: &[u32], out: &mut [f64]) {
        let (k, several, n) = (&self.k, &mut self.several, ports.len());
        several.start(k, ports.bodies().map(|b| 6 * b));
        for columns in columns.chunks(LANES) {
            several.clear(k);
            for (lane, &q) in columns.iter().enumerate() {
                for (b, j) in ports.row(q as usize) {
                    (0..6).for_each(|c| several.row(k, 6 * b + c)[lane] += j[c]);
                }
            }
            several.solve(k);
            for p in 0..n {
                let mut s: Lanes = [0.0; LANES];
                for (b, j) in ports.row(p) {
                    for c in 0..6 {
                        let v = several.row(k, 6 * b + c);
                        (0..LANES).for_each(|l| s[l] += j[c] * v[l]);
                    }
                }
                columns.iter().zip(s).for_each(|(&q, s)| out[q as usize * n + p] = s);
            }
        }
    }
}

impl super::dual::Dual {
    /// Columns of S with the last factorization.
    pub fn effective(&mut self, a: &Multibody, ports: &Ports, columns: &[u32], out: &mut [f64]) {
        ports.bare(a, columns, out);
        let n = ports.len();
        self.couple(ports);
        let (l, ptr, g) = (&self.factor, &self.g_ptr, &self.g);
        let several = &mut self.several;
        several.start(l, g.iter().map(|&(i, _)| i as usize));
        for columns in columns.chunks(LANES) {
            several.clear(l);
            for (lane, &q) in columns.iter().enumerate() {
                for &(i, g) in &g[ptr[q as usize]..ptr[q as usize + 1]] {
                    several.row(l, i as usize)[lane] += g;
                }
            }
            several.solve(l);
            for p in 0..n {
                let mut s: Lanes = [0.0; LANES];
                for &(i, g) in &g[ptr[p]..ptr[p + 1]] {
                    let x = several.row(l, i as usize);
                    (0..LANES).for_each(|l| s[l] += g * x[l]);
                }
                columns.iter().zip(s).for_each(|(&q, s)| out[q as usize * n + p] -= s);
            }
        }
    }

    /// Memory for G_F of so many rows on two bodies.
    pub fn reserve_coupling(&mut self, rows: usize) {
        let most = self.entries_of_body.iter().map(Vec::len).max().unwrap_or(0);
        self.g.clear();
        self.g.reserve(2 * rows * most);
        self.g_ptr.clear();
        self.g_ptr.reserve(rows + 1);
    }

    /// G_F, row by row.
    fn couple(&mut self, ports: &Ports) {
        self.g.clear();
        self.g_ptr.clear();
        self.g_ptr.push(0);
        // Room for every free set.
        self.g.reserve(ports.bodies().map(|b| self.entries_of_body[b].len()).sum());
        for p in 0..ports.len() {
            for (b, j) in ports.row(p) {
                for &e in &self.entries_of_body[b] {
                    let i = self.row_of_entry[e as usize];
                    if self.is_free[i as usize] {
                        self.g.push((i, dot6(j, &self.inverse_mass_rows[e as usize])));
                    }
                }
            }
            self.g_ptr.push(self.g.len());
        }
    }
}
