//! A brick wall with exact cones, at rest or hit by a ball.

use super::bad_argument;
use super::scene::pair_row;
use crate::{Block6, Error, Law, Multibody, Operator, Problem};

/// Half the length, depth and height of a brick \[m\], and its mass \[kg\].
const HALF: [f64; 3] = [0.2, 0.1, 0.1];
const MASS: f64 = 10.0;
/// Mass and radius of the ball.
const BALL: (f64, f64) = (50.0, 0.2);
const STEP: f64 = 1.0 / 60.0;

/// A wall to generate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallOptions {
    /// Layers of bricks, 1 to 200.
    pub layers: usize,
    /// Bricks a layer, 1 to 200.
    pub columns: usize,
    /// Coefficients of friction, along and across the wall.
    pub mu: [f64; 2],
    /// Velocity of the ball \[m/s\]; 0: no ball.
    pub hit: f64,
    /// Compliance of each row, relative to its diagonal of J M⁻¹ Jᵀ.
    pub compliance: f64,
    /// Whether the cones are associated.
    pub associated: bool,
}

impl Default for WallOptions {
    fn default() -> Self {
        WallOptions {
            layers: 4,
            columns: 4,
            mu: [0.6; 2],
            hit: 0.0,
            compliance: 1e-9,
            associated: false,
        }
    }
}

/// A wall of bricks in half-brick bond: four contacts where two bricks overlap,
/// four where neighbours in a layer touch, after 1/60 s of gravity. A ball may hit
/// its middle.
///
/// ```
/// use taut_lcp::generate::{WallOptions, wall};
/// let problem = wall(&WallOptions { hit: 10.0, ..Default::default() })?;
/// assert!(problem.has_cones());
/// # Ok::<(), taut_lcp::Error>(())
/// ```
pub fn wall(options: &WallOptions) -> Result<Problem, Error> {
    let (layers, columns) = (options.layers, options.columns);
    for (name, value) in [("layers", layers), ("columns", columns)] {
        if !(1..=200).contains(&value) {
            return Err(bad_argument(name, value, "1 to 200"));
        }
    }
    for (name, value) in [("hit", options.hit), ("compliance", options.compliance)] {
        if !(value.is_finite() && value >= 0.0) {
            return Err(bad_argument(name, value, "finite, at least 0"));
        }
    }
    let mut wall = Wall { system: Multibody::default(), options: *options };
    let mut velocity = Vec::new();
    let mut centres = Vec::new();
    for layer in 0..layers {
        for column in 0..columns {
            wall.system.push_body(block(MASS, HALF))?;
            velocity.extend([0.0, 0.0, -9.81 * STEP, 0.0, 0.0, 0.0]);
            let shift = if layer % 2 == 0 { 0.0 } else { HALF[0] };
            let x = 2.0 * HALF[0] * column as f64 + shift;
            centres.push([x, 0.0, HALF[2] * (2.0 * layer as f64 + 1.0)]);
        }
    }
    if options.hit > 0.0 {
        let struck = centres[layers / 2 * columns + columns / 2];
        let (mass, radius) = BALL;
        wall.system.push_body(block(mass, [radius; 3]))?;
        velocity.extend([0.0, options.hit, -9.81 * STEP, 0.0, 0.0, 0.0]);
        centres.push([struck[0] + 0.03, -HALF[1] - radius, struck[2] + 0.02]);
    }
    wall.touch_all(&centres)?;
    wall.finish(&velocity)
}

struct Wall {
    system: Multibody,
    options: WallOptions,
}

impl Wall {
    fn touch_all(&mut self, centres: &[[f64; 3]]) -> Result<(), Error> {
        let columns = self.options.columns;
        for (b, at) in centres.iter().enumerate().take(self.options.layers * columns) {
            let (layer, column) = (b / columns, b % columns);
            if layer == 0 {
                self.touch(None, b, 2, [at[0] - HALF[0], at[0] + HALF[0]], centres)?;
            }
            for below in centres.iter().take(if layer == 0 { 0 } else { columns }).enumerate() {
                let below = below.0 + (layer - 1) * columns;
                let x = [at[0].max(centres[below][0]), at[0].min(centres[below][0])];
                let x = [x[0] - HALF[0], x[1] + HALF[0]];
                if x[1] > x[0] + 1e-9 {
                    self.touch(Some(below), b, 2, x, centres)?;
                }
            }
            if column > 0 {
                self.touch(Some(b - 1), b, 0, [at[0] - HALF[0]; 2], centres)?;
            }
        }
        if self.options.hit > 0.0 {
            let ball = centres.len() - 1;
            let struck = self.options.layers / 2 * columns + columns / 2;
            let point = [centres[ball][0], -HALF[1], centres[ball][2]];
            self.contact(Some(struck), ball, &point, [[0.0, -1.0, 0.0], X, Z], centres)?;
        }
        Ok(())
    }

    /// The four corners of a face between two bricks, normal along `axis`.
    fn touch(
        &mut self,
        a: Option<usize>,
        b: usize,
        axis: usize,
        x: [f64; 2],
        centres: &[[f64; 3]],
    ) -> Result<(), Error> {
        for k in 0..4 {
            let y = if k < 2 { -HALF[1] } else { HALF[1] };
            let (point, frame) = if axis == 2 {
                ([x[k % 2], y, centres[b][2] - HALF[2]], [Z, X, Y])
            } else {
                let z = if k % 2 == 0 { -HALF[2] } else { HALF[2] };
                ([x[0], y, centres[b][2] + z], [X, Z, Y])
            };
            self.contact(a, b, &point, frame, centres)?;
        }
        Ok(())
    }

    fn contact(
        &mut self,
        a: Option<usize>,
        b: usize,
        point: &[f64; 3],
        frame: [[f64; 3]; 3],
        centres: &[[f64; 3]],
    ) -> Result<(), Error> {
        let arm = |body: usize| std::array::from_fn(|k| point[k] - centres[body][k]);
        let arm_a = a.map_or([0.0; 3], arm);
        for d in &frame {
            let row = pair_row(a.map(|a| a as u32), b as u32, d, &arm_a, &arm(b));
            self.system.push_row(&row, 0.0)?;
        }
        Ok(())
    }

    fn finish(mut self, velocity: &[f64]) -> Result<Problem, Error> {
        let m = self.system.rows();
        let b = (0..m).map(|i| self.system.row_dot(i, velocity)).collect();
        let mut diagonal = vec![0.0; m];
        self.system.diagonal(&mut diagonal);
        for (i, d) in diagonal.into_iter().enumerate() {
            self.system.set_compliance(i, self.options.compliance * d);
        }
        let WallOptions { mu, associated, .. } = self.options;
        let laws = vec![Law::Cone { mu, associated }; m / 3];
        Problem::new(Operator::Multibody(self.system), b, laws)
    }
}

const X: [f64; 3] = [1.0, 0.0, 0.0];
const Y: [f64; 3] = [0.0, 1.0, 0.0];
const Z: [f64; 3] = [0.0, 0.0, 1.0];

/// Mass block of a cuboid.
fn block(mass: f64, half: [f64; 3]) -> Block6 {
    let mut m = [[0.0; 6]; 6];
    for k in 0..3 {
        m[k][k] = mass;
        let (p, q) = (half[(k + 1) % 3], half[(k + 2) % 3]);
        m[k + 3][k + 3] = mass / 3.0 * (p * p + q * q);
    }
    m
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_contacts() {
        let p = wall(&WallOptions { layers: 2, columns: 2, hit: 1.0, ..Default::default() });
        // Two on the ground, three pairs above each other, two side by side, the ball.
        assert_eq!(p.expect("valid").laws.len(), 4 * (2 + 3 + 2) + 1);
        assert!(wall(&WallOptions { layers: 0, ..Default::default() }).is_err());
        assert!(wall(&WallOptions { hit: f64::NAN, ..Default::default() }).is_err());
    }
}
