//! The shortest way through gates in a plane: straight, or with turns at ends of gates.
//!
//! **Problem**: a way from a start to a goal crosses gates, each a segment with a left and a right end as seen on the way, in their order.
//! **Method**: the cone of what can be seen from the last turn narrows gate by gate; where it closes, the way turns at the end that
//! closed it. **Cost**: linear in the gates but for those that are looked at again behind a turn.
//! **Fails** where gates have no width: then the way leads through their middle.
//! **Reference**: Lee and Preparata 1984.

use crate::math::Vec2;

/// Where the shortest way through gates crosses each of them, as a share from its left to its right end.
pub(super) fn funnel(start: Vec2, goal: Vec2, gates: &[[Vec2; 2]]) -> Vec<f64> {
    let turn = |o: Vec2, p: Vec2, q: Vec2| (p - o).perp_dot(q - o);
    let n = gates.len();
    let gate = |i: usize| if i < n { gates[i] } else { [goal; 2] };
    // Corners that the way turns at: gate and side.
    let mut corners: Vec<(usize, usize)> = Vec::new();
    let (mut apex, mut sides, mut at) = (start, [start; 2], [0, 0]);
    let mut i = 0;
    while i <= n && corners.len() <= 2 * n {
        let ends = gate(i);
        let mut turned = None;
        for side in 0..2 {
            let sign = if side == 0 { -1.0 } else { 1.0 };
            if sign * turn(apex, sides[side], ends[side]) < 0.0 {
                continue;
            }
            let other = 1 - side;
            if sides[side] == apex || sign * turn(apex, sides[other], ends[side]) < 0.0 {
                (sides[side], at[side]) = (ends[side], i);
            } else {
                turned = Some(other);
                break;
            }
        }
        let Some(side) = turned else {
            i += 1;
            continue;
        };
        apex = sides[side];
        let own = at[side];
        corners.push((own, side));
        (sides, at) = ([apex; 2], [own; 2]);
        i = own + 1;
    }
    let mut shares = Vec::with_capacity(n);
    let mut from = start;
    let mut list = corners.iter().filter(|c| c.0 < n).peekable();
    for i in 0..n {
        if let Some(&(own, side)) = list.peek().copied()
            && own == i
        {
            shares.push(side as f64);
            from = gates[own][side];
            list.next();
            while list.peek().is_some_and(|c| c.0 == i) {
                list.next();
            }
            continue;
        }
        let to = list.peek().map_or(goal, |c| gates[c.0][c.1]);
        let [l, r] = gates[i];
        let (x, y) = (turn(from, to, l), turn(from, to, r));
        shares.push(if x - y > 0.0 { (x / (x - y)).clamp(0.0, 1.0) } else { 0.5 });
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::funnel;
    use crate::math::Vec2;

    #[test]
    fn a_way_is_straight_or_turns_at_ends() {
        let gate = |x: f64, left: f64, right: f64| [Vec2::new(x, left), Vec2::new(x, right)];
        let (start, goal) = (Vec2::ZERO, Vec2::new(4.0, 0.0));
        // Straight through the middle of both.
        assert_eq!(funnel(start, goal, &[gate(1.0, 1.0, -1.0), gate(2.0, 3.0, -1.0)]), [0.5, 0.75]);
        // The right end of the second is above the line: a turn there, and the first is crossed on the way to it.
        let shares = funnel(start, goal, &[gate(1.0, 1.0, -1.0), gate(2.0, 3.0, 1.0)]);
        assert_eq!(shares, [0.25, 1.0]);
        // A turn to each side.
        let shares = funnel(start, goal, &[gate(1.0, 3.0, 1.0), gate(3.0, -1.0, -3.0)]);
        assert_eq!(shares, [1.0, 0.0]);
    }
}
