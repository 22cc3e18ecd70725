//! Several right-hand sides at once, all of them zero but for a few rows, and
//! the answer wanted in these rows alone.
//!
//! **Update**: forward and backward substitution, [`LANES`] right-hand sides
//! side by side, over the supernodes on the ways from those rows to the root:
//! the others stay zero on the way forward, and nobody asks for them on the
//! way back.
//! **Cost**: the panels on these ways are read once per [`LANES`] sides.
//! **Reference**: Gilbert and Peierls 1988 (the reach of a sparse right-hand
//! side); Davis, Direct Methods for Sparse Linear Systems, ch. 3.

use super::panel::Kept;
use super::supernodal::Supernodal;
use super::vectorized;

/// Right-hand sides that are solved together.
pub(crate) const LANES: usize = 8;
/// One row of all of them.
pub(crate) type Lanes = [f64; LANES];

/// Right-hand sides, then answers, of the rows within reach.
#[derive(Default)]
pub(crate) struct Several {
    /// Supernodes within reach, in the order of elimination.
    reach: Vec<u32>,
    is_reached: Vec<bool>,
    /// By elimination.
    y: Vec<Lanes>,
    z: Vec<Lanes>,
}

impl Several {
    /// Memory for any rows.
    pub fn reserve(&mut self, a: &Supernodal) {
        let s = &a.symbolic;
        let tallest = (0..s.count()).map(|k| s.height(k)).max().unwrap_or(0);
        self.reach.clear();
        self.reach.reserve(s.count());
        self.is_reached.reserve(s.count().saturating_sub(self.is_reached.len()));
        self.y.reserve(s.order().saturating_sub(self.y.len()));
        self.z.reserve(tallest.saturating_sub(self.z.len()));
    }

    /// The rows in which right-hand sides may differ from zero.
    pub fn start(&mut self, a: &Supernodal, rows: impl Iterator<Item = usize>) {
        let s = &a.symbolic;
        self.is_reached.clear();
        self.is_reached.resize(s.count(), false);
        for row in rows {
            let mut next = Some(s.of_row(row));
            while let Some(k) = next
                && !std::mem::replace(&mut self.is_reached[k], true)
            {
                next = s.parent(k);
            }
        }
        self.reach.clear();
        self.reach.extend((0..s.count() as u32).filter(|&k| self.is_reached[k as usize]));
        self.y.resize(s.order(), [0.0; LANES]);
        // Room for every reach: what is reached depends on the free set.
        let tallest = (0..s.count()).map(|k| s.height(k)).max().unwrap_or(0);
        self.z.resize(self.z.len().max(tallest), [0.0; LANES]);
        self.reach.reserve(s.count() - self.reach.len());
    }

    /// All right-hand sides zero.
    pub fn clear(&mut self, a: &Supernodal) {
        for &k in &self.reach {
            let columns = a.symbolic.first[k as usize]..a.symbolic.first[k as usize + 1];
            self.y[columns.start as usize..columns.end as usize].fill([0.0; LANES]);
        }
    }

    /// Row i, right-hand sides before and answers after the solve.
    pub fn row(&mut self, a: &Supernodal, i: usize) -> &mut Lanes {
        &mut self.y[a.symbolic.inverse[i] as usize]
    }

    /// (L Lᵀ)⁻¹ of all right-hand sides. Rows that the factor leaves out stay.
    pub fn solve(&mut self, a: &Supernodal) {
        vectorized(
            #[inline(always)]
            || self.substitute(a),
        );
    }

    /// L⁻¹ of all right-hand sides, half of [`Several::solve`].
    pub fn solve_half(&mut self, a: &Supernodal) {
        vectorized(
            #[inline(always)]
            || self.forward(a),
        );
    }

    /// The rows within reach by elimination: each supernode with the rows it eliminates.
    pub fn reached(&self, a: &Supernodal) -> impl Iterator<Item = (u32, &[Lanes])> {
        self.reach.iter().map(|&k| {
            let first = &a.symbolic.first;
            (k, &self.y[first[k as usize] as usize..first[k as usize + 1] as usize])
        })
    }

    #[inline(always)]
    fn substitute(&mut self, a: &Supernodal) {
        self.forward(a);
        self.backward(a);
    }

    #[inline(always)]
    fn forward(&mut self, a: &Supernodal) {
        let Several { reach, y, z, .. } = self;
        for &s in reach.iter() {
            let (Kept { columns: width, rows: h }, panel, rows) = a.panel(s as usize);
            if rows[..width].iter().all(|&r| y[r as usize] == [0.0; LANES]) {
                continue; // none of these right-hand sides comes by here
            }
            let z = &mut z[..h];
            z.iter_mut().zip(rows).for_each(|(z, &r)| *z = y[r as usize]);
            for c in 0..width {
                let l = &panel[c * h..(c + 1) * h];
                let zc = z[c].map(|z| z / l[c]);
                z[c] = zc;
                for (z, l) in z[c + 1..].iter_mut().zip(&l[c + 1..]) {
                    (0..LANES).for_each(|k| z[k] -= zc[k] * l);
                }
            }
            z.iter().zip(rows).for_each(|(z, &r)| y[r as usize] = *z);
        }
    }

    #[inline(always)]
    fn backward(&mut self, a: &Supernodal) {
        let Several { reach, y, z, .. } = self;
        for &s in reach.iter().rev() {
            let (Kept { columns: width, rows: h }, panel, rows) = a.panel(s as usize);
            let z = &mut z[..h];
            z.iter_mut().zip(rows).for_each(|(z, &r)| *z = y[r as usize]);
            for c in (0..width).rev() {
                let l = &panel[c * h..(c + 1) * h];
                let mut sum = z[c];
                for (z, l) in z[c + 1..].iter().zip(&l[c + 1..]) {
                    (0..LANES).for_each(|k| sum[k] -= z[k] * l);
                }
                z[c] = sum.map(|s| s / l[c]);
                y[rows[c] as usize] = z[c];
            }
        }
    }
}
