//! What a solve multiplied, and what of it had to wait for what.

/// Multiplications of one solve, roughly: those of each subsystem in each turn,
/// which may be done side by side, and those of the interface, which may not.
///
/// ```
/// use taut_lcp::splitting::Work;
/// let work = Work { turns: vec![3.0, 1.0, 2.0], parts: 3, alone: 4.0 };
/// assert_eq!(work.total(), 10.0);
/// assert_eq!(work.critical_path(2), 7.0); // 3 beside 2 + 1, then 4
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// Turn after turn, subsystem after subsystem.
    pub turns: Vec<f64>,
    /// Number of subsystems.
    pub parts: usize,
    /// The interface.
    pub alone: f64,
}

impl Work {
    pub(super) fn start(&mut self, parts: impl ExactSizeIterator<Item = f64>) {
        self.turns.clear();
        (self.parts, self.alone) = (parts.len(), 0.0);
        self.add(parts);
    }

    pub(super) fn add(&mut self, parts: impl Iterator<Item = f64>) {
        self.turns.extend(parts);
    }

    /// On one thread.
    pub fn total(&self) -> f64 {
        self.alone + self.turns.iter().sum::<f64>()
    }

    /// On so many threads: in each turn the next largest subsystem goes to
    /// the thread that is free first.
    pub fn critical_path(&self, threads: usize) -> f64 {
        let mut path = self.alone;
        for turn in self.turns.chunks(self.parts.max(1)) {
            let mut turn = turn.to_vec();
            turn.sort_by(|a, b| b.total_cmp(a));
            let mut load = vec![0.0_f64; threads.max(1)];
            for work in turn {
                if let Some(least) = load.iter_mut().min_by(|a, b| a.total_cmp(b)) {
                    *least += work;
                }
            }
            path += load.into_iter().fold(0.0, f64::max);
        }
        path
    }
}
