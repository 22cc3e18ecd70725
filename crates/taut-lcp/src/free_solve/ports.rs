//! Rows that act on a system from outside.
//!
//! What such a row feels of the system is its inverse effective mass, with
//! the free rows held and the tight ones let go:
//! S = J_Γ (M + J_Fᵀ E_F⁻¹ J_F)⁻¹ J_Γᵀ = J_Γ M⁻¹ J_Γᵀ − G_F (A + D)_FF⁻¹ G_Fᵀ
//! with G = J_Γ M⁻¹ Jᵀ (Peiret19 eq. 24; the first form is the primal one of
//! the same matrix). Both backends give it with the factor at hand.

use crate::linalg::several::{LANES, Lanes, Several};
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

    /// out = J_Γ M⁻¹ J_Γᵀ: as if the system had no rows of its own.
    pub fn bare(&self, a: &Multibody, out: &mut Vec<f64>) {
        let n = self.len();
        out.clear();
        out.resize(n * n, 0.0);
        for q in 0..n {
            for (b, j) in self.row(q) {
                let t = mul6(a.inverse_mass(b), j);
                for p in q..n {
                    let same = self.row(p).filter(|(c, _)| *c == b);
                    out[p * n + q] += same.map(|(_, j)| dot6(j, &t)).sum::<f64>();
                }
            }
        }
        mirror(out, n);
    }
}

/// The upper triangle from the lower one.
pub(super) fn mirror(s: &mut [f64], n: usize) {
    for p in 0..n {
        for q in 0..p {
            s[q * n + p] = s[p * n + q];
        }
    }
}

impl super::primal::Primal {
    /// S with the last factorization.
    pub fn effective(&mut self, ports: &Ports, several: &mut Several, out: &mut Vec<f64>) {
        let (k, n) = (&self.k, ports.len());
        out.clear();
        out.resize(n * n, 0.0);
        several.start(k, ports.bodies().map(|b| 6 * b));
        for first in (0..n).step_by(LANES) {
            let end = n.min(first + LANES);
            several.clear(k);
            for q in first..end {
                for (b, j) in ports.row(q) {
                    (0..6).for_each(|c| several.row(k, 6 * b + c)[q - first] += j[c]);
                }
            }
            several.solve(k);
            for p in first..n {
                let mut s: Lanes = [0.0; LANES];
                for (b, j) in ports.row(p) {
                    for c in 0..6 {
                        let v = several.row(k, 6 * b + c);
                        (0..LANES).for_each(|l| s[l] += j[c] * v[l]);
                    }
                }
                out[p * n + first..p * n + end].copy_from_slice(&s[..end - first]);
            }
        }
        mirror(out, n);
    }
}

impl super::dual::Dual {
    /// S with the last factorization.
    pub fn effective(
        &mut self,
        a: &Multibody,
        ports: &Ports,
        several: &mut Several,
        out: &mut Vec<f64>,
    ) {
        ports.bare(a, out);
        let n = ports.len();
        self.couple(ports);
        let (l, ptr, g) = (&self.factor, &self.g_ptr, &self.g);
        several.start(l, g.iter().map(|&(i, _)| i as usize));
        for first in (0..n).step_by(LANES) {
            let end = n.min(first + LANES);
            several.clear(l);
            for q in first..end {
                for &(i, g) in &g[ptr[q]..ptr[q + 1]] {
                    several.row(l, i as usize)[q - first] += g;
                }
            }
            several.solve(l);
            for p in first..n {
                let mut s: Lanes = [0.0; LANES];
                for &(i, g) in &g[ptr[p]..ptr[p + 1]] {
                    let x = several.row(l, i as usize);
                    (0..LANES).for_each(|l| s[l] += g * x[l]);
                }
                let out = &mut out[p * n + first..p * n + end];
                out.iter_mut().zip(s).for_each(|(o, s)| *o -= s);
            }
        }
        mirror(out, n);
    }

    /// G_F, row by row.
    fn couple(&mut self, ports: &Ports) {
        self.g.clear();
        self.g_ptr.clear();
        self.g_ptr.push(0);
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
