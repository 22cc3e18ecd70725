//! Which rows act on which bodies: what stays of a multibody system while its values change.
//!
//! Solves of one system follow one another, each filled row by row. Where the rows that come are
//! those of the filling before, only a count is written here: a structure is built and hashed
//! once, and again from the first row on that differs.

use std::ops::Range;
use std::sync::OnceLock;

use super::mix_all;

/// Rows and their bodies, in groups of rows on the same bodies.
#[derive(Clone, Debug)]
pub(super) struct Structure {
    /// Where the bodies of each row begin, and one more.
    row_ptr: Vec<usize>,
    bodies: Vec<u32>,
    /// First row of each group.
    group_ptr: Vec<u32>,
    /// How much of this stands. What is behind it is of the filling before, and may come again.
    rows: usize,
    groups: usize,
    /// Of everything above, once it was asked for.
    hash: OnceLock<u64>,
}

impl Default for Structure {
    fn default() -> Self {
        Structure {
            row_ptr: vec![0],
            bodies: Vec::new(),
            group_ptr: Vec::new(),
            rows: 0,
            groups: 0,
            hash: OnceLock::new(),
        }
    }
}

impl Structure {
    /// Begins another filling.
    pub(super) fn restart(&mut self) {
        (self.rows, self.groups) = (0, 0);
    }

    /// Adds rows on the same bodies.
    #[inline(always)]
    pub(super) fn push(&mut self, bodies: impl Iterator<Item = u32> + Clone, rows: usize) {
        if rows == 0 {
            return;
        }
        if !self.come_again(bodies.clone(), rows) {
            self.append(bodies, rows);
        }
        if self.group_ptr.get(self.groups) == Some(&(self.rows as u32)) {
            self.groups += 1;
        }
        self.rows += rows;
    }

    /// Whether the filling before has these rows next: the group it has there is on the same bodies,
    /// and goes on for long enough.
    #[inline(always)]
    fn come_again(&self, bodies: impl Iterator<Item = u32> + Clone, rows: usize) -> bool {
        let begins = self.group_ptr.get(self.groups) == Some(&(self.rows as u32));
        let next = self.groups + usize::from(begins);
        let end = self.group_ptr.get(next).map_or(self.row_ptr.len() - 1, |&end| end as usize);
        self.rows + rows <= end && self.bodies[self.range(self.rows)].iter().copied().eq(bodies)
    }

    /// Puts rows in the place of all that is known behind those that stand.
    fn append(&mut self, bodies: impl Iterator<Item = u32> + Clone, rows: usize) {
        self.hash.take();
        self.row_ptr.truncate(self.rows + 1);
        self.bodies.truncate(self.row_ptr[self.rows]);
        self.group_ptr.truncate(self.groups);
        let last = self.rows.checked_sub(1).map(|last| self.bodies(self.range(last)));
        if last.is_none_or(|last| !last.iter().copied().eq(bodies.clone())) {
            self.group_ptr.push(self.rows as u32);
        }
        for _ in 0..rows {
            self.bodies.extend(bodies.clone());
            self.row_ptr.push(self.bodies.len());
        }
    }

    /// Where the entries of a row are.
    #[inline(always)]
    pub(super) fn range(&self, row: usize) -> Range<usize> {
        self.row_ptr[row]..self.row_ptr[row + 1]
    }

    /// The bodies of these entries.
    #[inline(always)]
    pub(super) fn bodies(&self, entries: Range<usize>) -> &[u32] {
        &self.bodies[entries]
    }

    /// The body of an entry.
    pub(super) fn body(&self, entry: usize) -> u32 {
        self.bodies[entry]
    }

    /// Number of groups.
    #[inline(always)]
    pub(super) fn group_count(&self) -> usize {
        self.groups
    }

    /// The rows of a group.
    #[inline(always)]
    pub(super) fn group(&self, k: usize) -> Range<usize> {
        let end = if k + 1 < self.groups { self.group_ptr[k + 1] as usize } else { self.rows };
        self.group_ptr[k] as usize..end
    }

    /// The first group behind a row.
    pub(super) fn group_after(&self, row: usize) -> usize {
        self.group_ptr[..self.groups].partition_point(|&start| start as usize <= row)
    }

    /// A hash of rows and bodies.
    pub(super) fn hash(&self) -> u64 {
        let hash = || {
            let h = mix_all(2, self.row_ptr[..=self.rows].iter().map(|&p| p as u64));
            let bodies = &self.bodies[..self.row_ptr[self.rows]];
            mix_all(h, bodies.iter().map(|&b| u64::from(b)))
        };
        if self.rows + 1 == self.row_ptr.len() { *self.hash.get_or_init(hash) } else { hash() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(structure: &mut Structure, rows: &[&[u32]]) {
        structure.restart();
        rows.iter().for_each(|bodies| structure.push(bodies.iter().copied(), 1));
    }

    /// However a structure came about, it is that of the rows it was filled with last.
    #[test]
    fn a_structure_filled_again_is_that_of_its_rows() {
        let fillings: [&[&[u32]]; 7] = [
            &[&[0, 1], &[0, 1], &[1], &[], &[2, 3]],
            &[&[0, 1], &[0, 1], &[1], &[], &[2, 3]],
            &[&[0, 1], &[0, 1]],
            &[&[0, 1], &[0, 1], &[0, 1], &[1]],
            &[&[0, 1], &[1], &[1]],
            &[],
            &[&[0, 1], &[0, 1], &[1], &[], &[2, 3]],
        ];
        let mut again = Structure::default();
        for rows in fillings {
            filled(&mut again, rows);
            let mut fresh = Structure::default();
            filled(&mut fresh, rows);
            assert_eq!(again.rows, rows.len());
            assert_eq!(again.group_count(), fresh.group_count());
            (0..fresh.group_count()).for_each(|k| assert_eq!(again.group(k), fresh.group(k)));
            for (i, bodies) in rows.iter().enumerate() {
                assert_eq!(again.bodies(again.range(i)), *bodies);
                assert_eq!(again.group_after(i), fresh.group_after(i));
            }
            assert_eq!(again.hash(), fresh.hash());
        }
    }

    /// Rows that come again leave the hash as it is; others do not.
    #[test]
    fn a_hash_is_computed_once() {
        let mut structure = Structure::default();
        filled(&mut structure, &[&[0, 1], &[2]]);
        let hash = structure.hash();
        filled(&mut structure, &[&[0, 1], &[2]]);
        assert_eq!(structure.hash.get(), Some(&hash));
        filled(&mut structure, &[&[0, 1], &[3]]);
        assert_eq!(structure.hash.get(), None);
        assert_ne!(structure.hash(), hash);
        let at_once = |rows: usize| {
            let mut structure = Structure::default();
            structure.push([0, 1].into_iter(), rows);
            structure.hash()
        };
        assert_ne!(at_once(2), at_once(3));
    }
}
