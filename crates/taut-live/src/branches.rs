//! Futures that were left when something else was tried, kept to come back to.

use serde_json::{Value, json};

use crate::history::History;

/// The oldest are forgotten beyond so many, or so many bytes.
const MOST: usize = 8;
const MOST_BYTES: usize = if cfg!(target_family = "wasm") { 48 << 20 } else { 256 << 20 };

/// A future, under its number.
struct Branch {
    number: u32,
    /// The frame after which it is another one.
    from: u32,
    history: History,
}

/// Those that are kept, and the number of the one that is played.
pub struct Branches {
    current: u32,
    next: u32,
    kept: Vec<Branch>,
}

impl Default for Branches {
    fn default() -> Self {
        Branches { current: 1, next: 2, kept: Vec::new() }
    }
}

impl Branches {
    /// Keeps a run whose frames after `from` are left, under the number that it has; what is played
    /// instead gets the next one. Gives both.
    pub fn keep(&mut self, from: u32, history: History) -> [u32; 2] {
        let number = std::mem::replace(&mut self.current, self.next);
        self.next += 1;
        self.kept.push(Branch { number, from, history });
        let bytes =
            |kept: &[Branch]| kept.iter().map(|b| b.history.bytes_after(b.from)).sum::<usize>();
        while self.kept.len() > MOST || self.kept.len() > 1 && bytes(&self.kept) > MOST_BYTES {
            self.kept.remove(0);
        }
        [number, self.current]
    }

    /// Exchanges the run that is played for the one of a number; gives the frame where they part.
    pub fn exchange(&mut self, number: u32, played: &mut History) -> Option<u32> {
        let branch = self.kept.iter_mut().find(|b| b.number == number)?;
        std::mem::swap(&mut branch.history, played);
        std::mem::swap(&mut branch.number, &mut self.current);
        let from = branch.from;
        // Others left the run that was played, which left this one here.
        self.kept.iter_mut().for_each(|b| b.from = b.from.min(from));
        Some(from)
    }

    /// All of them, for pages.
    pub fn list(&self) -> Value {
        let each = self
            .kept
            .iter()
            .map(|b| json!({"number": b.number, "from": b.from, "to": b.history.newest()}));
        json!({"current": self.current, "kept": each.collect::<Vec<_>>()})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_keep_their_numbers() {
        let mut branches = Branches::default();
        assert_eq!(branches.keep(10, History::default()), [1, 2]);
        assert_eq!(branches.keep(20, History::default()), [2, 3]);
        let mut played = History::default();
        assert_eq!(branches.exchange(1, &mut played), Some(10));
        let list = branches.list();
        assert_eq!(list["current"], 1);
        let kept = |i: usize| (list["kept"][i]["number"].clone(), list["kept"][i]["from"].clone());
        assert_eq!(kept(0), (json!(3), json!(10)));
        assert_eq!(kept(1), (json!(2), json!(10)), "2 and 1 part where 3 and 1 do");
        assert_eq!(branches.exchange(7, &mut played), None);
    }
}
