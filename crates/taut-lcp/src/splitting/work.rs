//! What a solve multiplied, and what of it had to wait for what.

/// Multiplications of one solve, roughly: round after round those of the tasks
/// that may be done side by side (subsystems, clusters of them), and those that
/// may not.
///
/// ```
/// use taut_lcp::splitting::Work;
/// let work = Work { tasks: vec![3.0, 1.0, 2.0, 5.0], rounds: vec![3, 4], alone: 4.0 };
/// assert_eq!(work.total(), 15.0);
/// assert_eq!(work.critical_path(2), 12.0); // 3 beside 2 + 1, then 5, and 4
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// Round after round, task after task.
    pub tasks: Vec<f64>,
    /// Where each round ends.
    pub rounds: Vec<usize>,
    /// What one thread does while the others wait.
    pub alone: f64,
}

impl Work {
    pub(super) fn clear(&mut self) {
        self.tasks.clear();
        self.rounds.clear();
        self.alone = 0.0;
    }

    /// Makes room for what a usual solve notes.
    pub(super) fn reserve(&mut self, rounds: usize, tasks: usize) {
        self.clear();
        self.rounds.reserve(rounds);
        self.tasks.reserve(tasks);
    }

    /// Adds a round.
    pub(super) fn round(&mut self, tasks: impl Iterator<Item = f64>) {
        self.tasks.extend(tasks.filter(|work| *work > 0.0));
        self.rounds.push(self.tasks.len());
    }

    /// On one thread.
    pub fn total(&self) -> f64 {
        self.alone + self.tasks.iter().sum::<f64>()
    }

    /// On so many threads: in each round the next largest task goes to the
    /// thread that is free first.
    pub fn critical_path(&self, threads: usize) -> f64 {
        let (mut path, mut first) = (self.alone, 0);
        for &end in &self.rounds {
            let mut round = self.tasks[first..end].to_vec();
            first = end;
            round.sort_by(|a, b| b.total_cmp(a));
            let mut load = vec![0.0_f64; threads.max(1)];
            for work in round {
                if let Some(least) = load.iter_mut().min_by(|a, b| a.total_cmp(b)) {
                    *least += work;
                }
            }
            path += load.into_iter().fold(0.0, f64::max);
        }
        path
    }
}
