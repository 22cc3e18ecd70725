//! Small subsystems made one.
//!
//! **Update**: the subsystem with the fewest rows joins the smallest of those
//! that joints alone connect it to, until few enough are left or none can.
//! Rows with bounds between subsystems stay there: they are what the interface
//! pivots on while the factors beside it stay. Joints there only cost: every
//! one of their rows asks two subsystems for a column.
//! **Cost**: O(subsystems · pairs of neighbours), once per structure.

use std::collections::BTreeMap;

use crate::Multibody;

/// Joins subsystems while there are more than `most`. `of` gives that of each
/// body, `is_joint` says whether a row has no bounds.
pub(super) fn merge(of: &mut [u32], a: &Multibody, is_joint: impl Fn(usize) -> bool, most: usize) {
    let mut count = of.iter().max().map_or(0, |&s| s as usize + 1);
    if count <= most {
        return;
    }
    let mut rows = vec![0_usize; count];
    // Pairs of neighbours, and whether joints alone connect them.
    let mut pairs: BTreeMap<(u32, u32), bool> = BTreeMap::new();
    for i in 0..a.rows() {
        let bodies = a.row(i).0;
        for (k, &b) in bodies.iter().enumerate() {
            let s = of[b as usize];
            rows[s as usize] += 1;
            for &c in &bodies[k + 1..] {
                let t = of[c as usize];
                if s != t {
                    *pairs.entry((s.min(t), s.max(t))).or_insert(true) &= is_joint(i);
                }
            }
        }
    }
    let mut into: Vec<u32> = (0..count as u32).collect();
    while count > most {
        let larger = |(s, t): &(u32, u32)| {
            let (s, t) = (rows[*s as usize], rows[*t as usize]);
            (s.min(t), s.max(t))
        };
        let open = pairs.iter().filter(|(_, joints)| **joints).map(|(pair, _)| *pair);
        let Some((keep, gone)) = open.min_by_key(larger) else { break };
        rows[keep as usize] += rows[gone as usize];
        into.iter_mut().filter(|s| **s == gone).for_each(|s| *s = keep);
        let old = std::mem::take(&mut pairs);
        for ((s, t), joints) in old {
            let moved = |x| if x == gone { keep } else { x };
            let (s, t) = (moved(s), moved(t));
            if s != t {
                *pairs.entry((s.min(t), s.max(t))).or_insert(true) &= joints;
            }
        }
        count -= 1;
    }
    of.iter_mut().for_each(|s| *s = into[*s as usize]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bodies in a row, each its own subsystem; row 2 is a contact.
    #[test]
    fn joints_join_and_contacts_do_not() {
        let mut a = Multibody::default();
        let mut mass = [[0.0; 6]; 6];
        (0..6).for_each(|i| mass[i][i] = 1.0);
        (0..7).for_each(|_| drop(a.push_body(mass).expect("definite")));
        for b in 0..6 {
            a.push_row(&[(b, [1.0; 6]), (b + 1, [1.0; 6])], 0.0).expect("in order");
        }
        let merged = |most| {
            let mut of: Vec<u32> = (0..7).collect();
            merge(&mut of, &a, |i| i != 2, most);
            of
        };
        assert_eq!(merged(7), [0, 1, 2, 3, 4, 5, 6]);
        let of = merged(1);
        assert_eq!(of, [of[0], of[0], of[0], of[3], of[3], of[3], of[3]]);
        assert_ne!(of[0], of[3]);
        let mut four = merged(4);
        four.dedup();
        assert_eq!(four.len(), 4);
    }
}
