//! The staggered grid: pressures in cells, velocities on faces.

/// Cells of a box; faces on its rim are walls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    pub n: [usize; 3],
    /// Axes along which there is motion: two if the box is one cell deep.
    pub axes: usize,
    /// Side of a cell \[m\].
    pub dx: f64,
}

impl Grid {
    pub fn cells(&self) -> usize {
        self.n.iter().product()
    }

    pub fn cell(&self, at: [usize; 3]) -> usize {
        at[0] + self.n[0] * (at[1] + self.n[1] * at[2])
    }

    pub fn place(&self, cell: usize) -> [usize; 3] {
        [cell % self.n[0], cell / self.n[0] % self.n[1], cell / (self.n[0] * self.n[1])]
    }

    /// Faces across an axis: one more than cells along it.
    pub fn face_counts(&self, axis: usize) -> [usize; 3] {
        let mut n = self.n;
        n[axis] += 1;
        n
    }

    pub fn faces(&self, axis: usize) -> usize {
        self.face_counts(axis).iter().product()
    }

    /// The face below a place along an axis; that above it is the face of the next place.
    pub fn face(&self, axis: usize, at: [usize; 3]) -> usize {
        let n = self.face_counts(axis);
        at[0] + n[0] * (at[1] + n[1] * at[2])
    }

    /// The cell of a point inside the box.
    pub fn cell_of(&self, x: &[f64; 3]) -> [usize; 3] {
        std::array::from_fn(|k| ((x[k] / self.dx).max(0.0) as usize).min(self.n[k] - 1))
    }

    /// The faces of an axis around a point and their weights; `see(face, weight)`.
    pub fn around(&self, axis: usize, x: &[f64; 3], mut see: impl FnMut(usize, f64)) {
        let n = self.face_counts(axis);
        let (mut low, mut share) = ([0; 3], [0.0; 3]);
        for k in 0..self.axes {
            let offset = if k == axis { 0.0 } else { 0.5 };
            let s = (x[k] / self.dx - offset).clamp(0.0, (n[k] - 1) as f64);
            low[k] = (s as usize).min(n[k].saturating_sub(2));
            share[k] = s - low[k] as f64;
        }
        for corner in 0..1_usize << self.axes {
            let (mut at, mut weight) = (low, 1.0);
            for k in 0..self.axes {
                let up = corner >> k & 1;
                at[k] = (low[k] + up).min(n[k] - 1);
                weight *= if up == 1 { share[k] } else { 1.0 - share[k] };
            }
            see(at[0] + n[0] * (at[1] + n[1] * at[2]), weight);
        }
    }
}
