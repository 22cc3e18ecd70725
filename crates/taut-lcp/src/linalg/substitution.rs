//! Forward and backward substitution with one panel of [`super::supernodal`].
//!
//! The panel lies in columns, so the plain loops load and store z once per
//! column; three columns at a time do so once for three.

use super::dense::sum_of_products;
use super::panel::Kept;

/// Columns that substitution takes at once: z is then loaded once for them.
const AT_ONCE: usize = 3;

/// z ← L⁻¹ z with the columns of one panel.
#[inline(always)]
pub(super) fn forward(panel: &[f64], k: Kept, z: &mut [f64]) {
    let h = k.rows;
    let mut c = 0;
    while c < k.columns {
        let w = AT_ONCE.min(k.columns - c);
        let (top, below) = z.split_at_mut(c + w);
        let l = &panel[c * h..];
        for i in 0..w {
            for j in 0..i {
                top[c + i] -= top[c + j] * l[j * h + c + i];
            }
            top[c + i] /= l[i * h + c + i];
        }
        let n = below.len();
        let column = |i: usize| &l[i * h + c + w..][..n];
        if w == AT_ONCE {
            let (l0, l1, l2) = (column(0), column(1), column(2));
            let (z0, z1, z2) = (top[c], top[c + 1], top[c + 2]);
            for r in 0..n {
                below[r] -= z0 * l0[r] + z1 * l1[r] + z2 * l2[r];
            }
        } else {
            for i in 0..w {
                let zi = top[c + i];
                below.iter_mut().zip(column(i)).for_each(|(z, l)| *z -= zi * l);
            }
        }
        c += w;
    }
}

/// The columns' part of z ← L⁻ᵀ z.
#[inline(always)]
pub(super) fn backward(panel: &[f64], k: Kept, z: &mut [f64]) {
    let h = k.rows;
    let mut end = k.columns;
    while end > 0 {
        let w = (end - 1) % AT_ONCE + 1;
        let c = end - w;
        let (top, below) = z.split_at_mut(end);
        let l = &panel[c * h..];
        let column = |i: usize| &l[i * h + end..][..below.len()];
        if w == AT_ONCE {
            let sums = three_sums(column(0), column(1), column(2), below);
            (0..w).for_each(|i| top[c + i] -= sums[i]);
        } else {
            for i in 0..w {
                top[c + i] -= sum_of_products(column(i), below);
            }
        }
        for i in (0..w).rev() {
            for j in i + 1..w {
                top[c + i] -= top[c + j] * l[i * h + c + j];
            }
            top[c + i] /= l[i * h + c + i];
        }
        end = c;
    }
}

/// Three scalar products with z, each in lanes.
#[inline(always)]
fn three_sums(a: &[f64], b: &[f64], c: &[f64], z: &[f64]) -> [f64; 3] {
    const LANES: usize = 4;
    let mut sums = [[0.0; LANES]; 3];
    let (az, ar) = a.as_chunks::<LANES>();
    let (bz, br) = b.as_chunks::<LANES>();
    let (cz, cr) = c.as_chunks::<LANES>();
    let (zz, zr) = z.as_chunks::<LANES>();
    for (((a, b), c), z) in az.iter().zip(bz).zip(cz).zip(zz) {
        for k in 0..LANES {
            sums[0][k] += a[k] * z[k];
            sums[1][k] += b[k] * z[k];
            sums[2][k] += c[k] * z[k];
        }
    }
    let mut total = sums.map(|s| (s[0] + s[1]) + (s[2] + s[3]));
    for (k, z) in zr.iter().enumerate() {
        total[0] += ar[k] * z;
        total[1] += br[k] * z;
        total[2] += cr[k] * z;
    }
    total
}
