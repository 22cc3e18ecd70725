//! Small subsystems made one.
//!
//! **Update**: the smallest subsystem joins the smallest of its neighbours,
//! until few enough are left. Only where joints alone act between subsystems:
//! there every row of a cut just costs two columns. Rows with bounds between
//! subsystems stay there, and all subsystems with them: the interface pivots
//! on these rows while the factors beside it stay.
//! **Cost**: O(subsystems · pairs of neighbours), once per structure.

use std::collections::BTreeSet;

use crate::Multibody;

/// Joins subsystems while there are more than `most`. `of` gives that of each
/// body, `is_joint` says whether a row has no bounds.
pub(super) fn merge(of: &mut [u32], a: &Multibody, is_joint: impl Fn(usize) -> bool, most: usize) {
    let mut count = of.iter().max().map_or(0, |&s| s as usize + 1);
    if count <= most {
        return;
    }
    let Some(mut pairs) = neighbours(of, a, is_joint) else { return };
    let mut size = vec![0_usize; count];
    of.iter().for_each(|&s| size[s as usize] += 1);
    let mut into: Vec<u32> = (0..count as u32).collect();
    while count > most {
        let sizes = |(s, t): &&(u32, u32)| {
            let (s, t) = (size[*s as usize], size[*t as usize]);
            (s.min(t), s.max(t))
        };
        let Some(&(keep, gone)) = pairs.iter().min_by_key(sizes) else { break };
        size[keep as usize] += size[gone as usize];
        into.iter_mut().filter(|s| **s == gone).for_each(|s| *s = keep);
        let moved = |s| if s == gone { keep } else { s };
        let ends = pairs.iter().map(|&(s, t)| (moved(s), moved(t))).filter(|(s, t)| s != t);
        pairs = ends.map(|(s, t)| (s.min(t), s.max(t))).collect();
        count -= 1;
    }
    of.iter_mut().for_each(|s| *s = into[*s as usize]);
}

/// Pairs of subsystems that share rows, if these are joints.
fn neighbours(
    of: &[u32],
    a: &Multibody,
    is_joint: impl Fn(usize) -> bool,
) -> Option<BTreeSet<(u32, u32)>> {
    let mut pairs = BTreeSet::new();
    for i in 0..a.rows() {
        for pair in a.row(i).0.windows(2) {
            let (s, t) = (of[pair[0] as usize], of[pair[1] as usize]);
            if s != t {
                if !is_joint(i) {
                    return None;
                }
                pairs.insert((s.min(t), s.max(t)));
            }
        }
    }
    Some(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seven bodies in a row, each its own subsystem.
    #[test]
    fn joints_join_and_contacts_do_not() {
        let mut a = Multibody::default();
        let mut mass = [[0.0; 6]; 6];
        (0..6).for_each(|i| mass[i][i] = 1.0);
        for body in 0..7 {
            assert_eq!(a.push_body(mass).expect("definite"), body);
        }
        for b in 0..6 {
            a.push_row(&[(b, [1.0; 6]), (b + 1, [1.0; 6])], 0.0).expect("in order");
        }
        let merged = |most, contact| {
            let mut of: Vec<u32> = (0..7).collect();
            merge(&mut of, &a, |i| Some(i) != contact, most);
            of
        };
        assert_eq!(merged(7, None), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(merged(2, Some(3)), [0, 1, 2, 3, 4, 5, 6]);
        let mut three = merged(3, None);
        let longest = three.chunk_by(|s, t| s == t).map(<[u32]>::len).max();
        assert_eq!(longest, Some(3), "{three:?}");
        three.dedup();
        assert_eq!(three.len(), 3, "neighbours only, {three:?}");
    }
}
