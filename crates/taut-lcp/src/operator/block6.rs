//! Mass blocks of bodies: 6×6, velocity (3) before angular velocity (3).

/// A 6×6 mass block, or its inverse: velocity (3) before angular velocity (3).
pub type Block6 = [[f64; 6]; 6];
/// The inertia of a rigid body.
pub type Block3 = [[f64; 3]; 3];
/// The part of a Jacobian row that acts on one body.
pub type Row6 = [f64; 6];

/// M⁻¹jᵀ; the same bits whether zeros are left out or not.
#[inline(always)]
pub(super) fn answer(inverse: &Block6, centred: bool, j: &Row6) -> Row6 {
    if !centred {
        return mul6(inverse, j);
    }
    let turned = |i: usize| inverse[i][3] * j[3] + (inverse[i][4] * j[4] + inverse[i][5] * j[5]);
    let moved = |i: usize| inverse[i][i] * j[i];
    [moved(0), moved(1), moved(2), turned(3), turned(4), turned(5)]
}

/// jM⁻¹jᵀ of a body whose inverse is centred, without a loop: the same bits as by [`answer`].
#[inline(always)]
pub(super) fn centred_effect(inverse: &Block6, j: &Row6) -> f64 {
    let [a, b, c, d, e, f] = *j;
    let turned = |i: usize| inverse[i][3] * d + (inverse[i][4] * e + inverse[i][5] * f);
    let (x, y, z) = (inverse[0][0] * a, inverse[1][1] * b, inverse[2][2] * c);
    (a * x + b * y) + (c * z + d * turned(3)) + (e * turned(4) + f * turned(5))
}

/// The product of a block and a 6-vector.
#[inline(always)]
pub(crate) fn mul6(a: &Block6, x: &Row6) -> Row6 {
    std::array::from_fn(|i| dot6(&a[i], x))
}

/// The scalar product of two 6-vectors, summed in pairs: a chain of six
/// dependent additions would take twice as long.
#[inline(always)]
pub(crate) fn dot6(a: &Row6, b: &Row6) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5])
}

/// Whether an inverse is diagonal but for its inertia.
pub(super) fn is_centred(inverse: &Block6) -> bool {
    let coupled = |i: usize| (0..6).any(|j| j != i && inverse[i][j] != 0.0);
    !(0..3).any(coupled)
}

/// Inverse of a symmetric positive definite block by L D Lᵀ; `None` if it is not.
pub(super) fn invert6(m: &Block6) -> Option<Block6> {
    let is_apart = m[3..].iter().all(|row| row[..3] == [0.0; 3]);
    if !is_apart {
        return invert(m);
    }
    // The frame is that of the centre of mass: two blocks on their own, the first most often a
    // mass that is the same in all directions.
    let block = |first: usize| -> Block3 {
        std::array::from_fn(|i| std::array::from_fn(|j| m[first + i][first + j]))
    };
    let mass = m[0][0];
    if block(0) == [[mass, 0.0, 0.0], [0.0, mass, 0.0], [0.0, 0.0, mass]] {
        return invert_apart(mass, &block(3));
    }
    let mut inverse = apart(0.0, &invert(&block(3))?);
    for (row, linear) in inverse.iter_mut().zip(invert(&block(0))?) {
        row[..3].copy_from_slice(&linear);
    }
    Some(inverse)
}

/// The block of a rigid body in the frame of its centre of mass.
pub(super) fn apart(mass: f64, [a, b, c]: &Block3) -> Block6 {
    [
        [mass, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, mass, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, mass, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, a[0], a[1], a[2]],
        [0.0, 0.0, 0.0, b[0], b[1], b[2]],
        [0.0, 0.0, 0.0, c[0], c[1], c[2]],
    ]
}

/// Its inverse, if there is one.
pub(super) fn invert_apart(mass: f64, inertia: &Block3) -> Option<Block6> {
    let one = Some(1.0 / mass).filter(|x| mass > 0.0 && mass.is_finite() && x.is_finite())?;
    Some(apart(one, &invert(inertia)?))
}

/// The inverse of a symmetric definite matrix of any size, if there is one.
fn invert<const N: usize>(m: &[[f64; N]; N]) -> Option<[[f64; N]; N]> {
    let mut l = [[0.0; N]; N];
    let mut d = [0.0; N];
    for j in 0..N {
        let mut s = 0.0;
        (0..j).for_each(|k| s += l[j][k] * l[j][k] * d[k]);
        d[j] = m[j][j] - s;
        if !(d[j] > 0.0 && d[j].is_finite()) {
            return None;
        }
        l[j][j] = 1.0;
        for i in j + 1..N {
            let mut s = 0.0;
            (0..j).for_each(|k| s += l[i][k] * l[j][k] * d[k]);
            l[i][j] = (m[i][j] - s) / d[j];
        }
    }
    let mut inverse = [[0.0; N]; N];
    for c in 0..N {
        let mut x = [0.0; N];
        for i in 0..N {
            let mut s = 0.0;
            (0..i).for_each(|k| s += l[i][k] * x[k]);
            x[i] = f64::from(u8::from(i == c)) - s;
        }
        (0..N).for_each(|i| x[i] /= d[i]);
        for i in (0..N).rev() {
            let mut s = 0.0;
            (i + 1..N).for_each(|k| s += l[k][i] * x[k]);
            x[i] -= s;
        }
        (0..N).for_each(|i| inverse[i][c] = x[i]);
    }
    // Symmetric to the last bit, so that A is too.
    for i in 0..N {
        for j in 0..i {
            let mean = 0.5 * (inverse[i][j] + inverse[j][i]);
            (inverse[i][j], inverse[j][i]) = (mean, mean);
        }
    }
    inverse.iter().flatten().all(|v| v.is_finite()).then_some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_of_a_full_block() {
        let mut m = [[0.0; 6]; 6];
        for i in 0..6 {
            for j in 0..6 {
                m[i][j] = 1.0 / (1.0 + (i as f64 - j as f64).abs());
            }
            m[i][i] += 3.0 * (i as f64 + 1.0);
        }
        let inverse = invert6(&m).expect("positive definite");
        for i in 0..6 {
            let e = mul6(&m, &inverse[i]);
            for (j, e) in e.iter().enumerate() {
                assert!((e - f64::from(u8::from(i == j))).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn blocks_apart_have_the_inverse_of_the_whole() {
        let mut m = [[0.0; 6]; 6];
        (0..3).for_each(|i| m[i][i] = 7.3);
        for (i, row) in [[2.1, 0.3, -0.2], [0.3, 1.7, 0.4], [-0.2, 0.4, 3.9]].iter().enumerate() {
            m[3 + i][3..].copy_from_slice(row);
        }
        assert_eq!(invert6(&m), invert(&m));
        let inverse = invert6(&m).expect("definite");
        assert!(is_centred(&inverse));
        let j = [0.3, -0.7, 0.9, 1.1, -1.3, 0.2];
        assert_eq!(answer(&inverse, true, &j), mul6(&inverse, &j));
        assert_eq!(centred_effect(&inverse, &j), dot6(&j, &mul6(&inverse, &j)));
        m[4][4] = -1.0;
        assert_eq!(invert6(&m), None);
    }
}
