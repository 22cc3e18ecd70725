//! Friction that depends on the direction along a surface: grain, fibres, grooves, scales.
//!
//! **One surface with structure, one without**: an elliptic cone, fixed to the first. Coefficients
//! along and across its direction are the geometric means with μ of the other.
//!
//! **Both with structure**: the matchstick model (Andrews22 6.1, alg. 21). With θ the angle
//! between both directions and d = 1 − 2θ/π, the coefficients along and across the bisector are
//! d·μᴬ + (1 − d)·μ: those of the structures (geometric means) where directions are parallel, μ of
//! the materials in every direction where they cross at right angles. Both are cones of maximum
//! dissipation. (The matrix of eq. 302 and 305 must hold 1/μ², not 1/μ.)
//!
//! **Tensors** (Andrews22 6.2; Pabst et al. 2009): the force is −λₙ L v̂ with v̂ the direction of
//! slip and L = ½(Q_A + Q_B), Q = diag(forward or backward, sideways) about each direction, the
//! one or the other as v̂ points; of a surface without a tensor its own coefficients. This is no
//! law of maximum dissipation: −v̂ is not normal to the set of forces |L⁻¹f| ≤ λₙ. But for any
//! given v̂ the elliptic cone with the matrix (v̂ᵀLv̂)L has the same force, so cones follow the
//! slip until they settle (`assemble::friction`). What sticks has |L⁻¹f| ≤ λₙ, with the slip that
//! it would take, −L⁻¹f, for v̂.

use crate::error::check;
use crate::math::{Quat, Vec3};
use crate::{Error, TextureId};

/// A direction has a part along a surface if that is longer than this share of it.
const FLAT: f64 = 1e-6;

/// How friction depends on the direction along a surface. Directions are in the body's frame;
/// their part along the surface counts, and where there is none, friction is isotropic.
///
/// ```
/// use taut::{Anisotropy, Material, math::Vec3};
/// let grooves = Anisotropy::Elliptic { direction: Vec3::X, along: 0.2, across: 0.8 };
/// let plank = Material { anisotropy: Some(grooves), ..Material::default() };
/// # let _ = plank;
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Anisotropy {
    /// An elliptic cone; two such surfaces make a matchstick pair.
    Elliptic {
        /// Along the structure.
        direction: Vec3,
        /// Coefficient along it.
        along: f64,
        /// Coefficient across it.
        across: f64,
    },
    /// A friction tensor, which may tell forward from backward.
    Tensor {
        /// Forward.
        direction: Vec3,
        /// Coefficient of a body that slides forward over this surface.
        forward: f64,
        /// Coefficient of a body that slides backward.
        backward: f64,
        /// Coefficient of one that slides sideways.
        sideways: f64,
    },
    /// Directions and coefficients from a grid, see [`World::add_texture`](crate::World::add_texture).
    Texture {
        /// Which.
        id: TextureId,
    },
}

/// One cell of a [`Texture`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Angle of the structure from the first edge towards the second \[rad\].
    pub angle: f64,
    /// Coefficient along it.
    pub along: f64,
    /// Coefficient across it.
    pub across: f64,
}

/// A grid of directions and coefficients on a parallelogram, which is repeated without end.
/// Points of a surface are projected onto its plane.
///
/// ```
/// use taut::{Cell, Texture, math::Vec3};
/// // Two stripes, each half a metre wide, that cross.
/// let stripe = |angle| Cell { angle, along: 0.1, across: 0.6 };
/// let texture = Texture {
///     origin: Vec3::ZERO,
///     edges: [Vec3::X, Vec3::Y],
///     columns: 2,
///     cells: vec![stripe(0.0), stripe(1.57)],
/// };
/// # let _ = texture;
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a texture does nothing until it is added to a world"]
pub struct Texture {
    /// A corner of the grid in the body's frame \[m\].
    pub origin: Vec3,
    /// The edges from there, in the body's frame \[m\].
    pub edges: [Vec3; 2],
    /// Cells along the first edge.
    pub columns: usize,
    /// The cells, column by column along the first edge, then the next row.
    pub cells: Vec<Cell>,
}

impl Texture {
    pub(crate) fn check(&self) -> Result<(), Error> {
        let sizes = self.columns > 0 && !self.cells.is_empty();
        let whole = sizes && self.cells.len().is_multiple_of(self.columns);
        check("texture.columns", self.columns as f64, whole, "a divisor of the number of cells")?;
        check("texture.origin", self.origin.length(), self.origin.is_finite(), "finite")?;
        let area = self.edges[0].cross(self.edges[1]).length();
        let size = self.edges[0].length() * self.edges[1].length();
        if !(area.is_finite() && area > 1e-9 * size) {
            let value = format!("{} and {}", self.edges[0], self.edges[1]);
            let expected = "two edges that are not parallel";
            return Err(Error::Value { name: "texture.edges", value, expected });
        }
        for cell in &self.cells {
            check("texture.angle", cell.angle, cell.angle.is_finite(), "finite")?;
            coefficient("texture.along", cell.along)?;
            coefficient("texture.across", cell.across)?;
        }
        Ok(())
    }

    /// Direction and coefficients at a point, both in the body's frame.
    fn at(&self, point: Vec3) -> (Vec3, f64, f64) {
        let [u, v] = self.edges;
        let n = u.cross(v);
        let p = point - self.origin;
        let square = n.length_squared();
        // p = s u + t v + (something) n.
        let (s, t) = (p.cross(v).dot(n) / square, u.cross(p).dot(n) / square);
        let rows = self.cells.len() / self.columns;
        let index = |s: f64, n: usize| (((s - s.floor()) * n as f64) as usize).min(n - 1);
        let cell = self.cells[index(t, rows) * self.columns + index(s, self.columns)];
        let first = u.normalize();
        let second = n.normalize().cross(first);
        (cell.angle.cos() * first + cell.angle.sin() * second, cell.along, cell.across)
    }
}

fn coefficient(name: &'static str, value: f64) -> Result<(), Error> {
    check(name, value, value.is_finite() && value >= 0.0, "finite and at least 0")
}

impl Anisotropy {
    pub(crate) fn check(&self) -> Result<(), Error> {
        let flat = |d: Vec3| {
            let ok = d.is_finite() && d.length() > 0.0;
            check("anisotropy.direction", d.length(), ok, "finite and not zero")
        };
        match *self {
            Anisotropy::Elliptic { direction, along, across } => {
                flat(direction)?;
                coefficient("anisotropy.along", along)?;
                coefficient("anisotropy.across", across)
            }
            Anisotropy::Tensor { direction, forward, backward, sideways } => {
                flat(direction)?;
                coefficient("anisotropy.forward", forward)?;
                coefficient("anisotropy.backward", backward)?;
                coefficient("anisotropy.sideways", sideways)
            }
            Anisotropy::Texture { .. } => Ok(()),
        }
    }
}

/// One surface at a contact, in the world's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Side {
    /// Unit vector along the surface; zero: none.
    pub(crate) axis: Vec3,
    pub(crate) forward: f64,
    pub(crate) backward: f64,
    pub(crate) sideways: f64,
    pub(crate) tensor: bool,
}

impl Side {
    /// Of a surface with friction μ on a body at x (where its frame has its origin) turned by q.
    pub(crate) fn new(
        anisotropy: Option<Anisotropy>,
        mu: f64,
        (x, q): (Vec3, Quat),
        (point, normal): (Vec3, Vec3),
        textures: &[Texture],
    ) -> Side {
        let plain =
            Side { axis: Vec3::ZERO, forward: mu, backward: mu, sideways: mu, tensor: false };
        let (direction, side) = match anisotropy {
            None => return plain,
            Some(Anisotropy::Elliptic { direction, along, across }) => {
                (direction, Side { forward: along, backward: along, sideways: across, ..plain })
            }
            Some(Anisotropy::Tensor { direction, forward, backward, sideways }) => {
                (direction, Side { forward, backward, sideways, tensor: true, ..plain })
            }
            Some(Anisotropy::Texture { id }) => {
                let Some(texture) = textures.get(id.index()) else { return plain };
                let (direction, along, across) = texture.at(q.conjugate() * (point - x));
                (direction, Side { forward: along, backward: along, sideways: across, ..plain })
            }
        };
        let world = q * direction;
        let along = world - normal * normal.dot(world);
        if along.length() <= FLAT * world.length() {
            return plain;
        }
        let axis = along.normalize();
        Side { axis: (axis - normal * normal.dot(axis)).normalize(), ..side }
    }

    /// Q for a body that slides along d over this surface.
    fn tensor(&self, d: Vec3, [e1, e2]: [Vec3; 2]) -> [f64; 3] {
        let along = if d.dot(self.axis) >= 0.0 { self.forward } else { self.backward };
        let (c, s) = (self.axis.dot(e1), self.axis.dot(e2));
        let more = along - self.sideways;
        [self.sideways + more * c * c, more * c * s, self.sideways + more * s * s]
    }
}

/// Friction of a pair along its two tangents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grip {
    /// First axis of the cone; zero: any will do.
    pub(crate) axis: Vec3,
    /// Coefficients of both tangents.
    pub(crate) mu: [f64; 2],
    /// The surfaces, if they have a tensor.
    pub(crate) tensor: Option<[Side; 2]>,
}

impl Grip {
    /// Friction that is the same in all directions.
    pub(crate) fn plain(mu: f64) -> Grip {
        Grip { axis: Vec3::ZERO, mu: [mu; 2], tensor: None }
    }

    /// Of surfaces a and b with friction μ together.
    pub(crate) fn new(a: Side, b: Side, mu: f64) -> Grip {
        if a.tensor || b.tensor {
            let axis = if a.axis == Vec3::ZERO { b.axis } else { a.axis };
            return Grip { axis, mu: [mu; 2], tensor: Some([a, b]) };
        }
        let mean = |x: f64, y: f64| (x * y).sqrt();
        let own = [mean(a.forward, b.forward), mean(a.sideways, b.sideways)];
        let plain = |s: &Side| s.axis == Vec3::ZERO;
        match (plain(&a), plain(&b)) {
            (true, true) => Grip::plain(mu),
            (false, true) => Grip { axis: a.axis, mu: own, tensor: None },
            (true, false) => Grip { axis: b.axis, mu: own, tensor: None },
            // Andrews22 alg. 21.
            (false, false) => {
                let cosine = a.axis.dot(b.axis);
                let other = if cosine < 0.0 { -b.axis } else { b.axis };
                let theta = a.axis.cross(other).length().atan2(cosine.abs());
                let d = 1.0 - theta / std::f64::consts::FRAC_PI_2;
                let mu = own.map(|own| d * own + (1.0 - d) * mu);
                Grip { axis: (a.axis + other).normalize(), mu, tensor: None }
            }
        }
    }

    /// Largest coefficient in any direction.
    pub(crate) fn most(&self) -> f64 {
        let most = self.mu[0].max(self.mu[1]);
        let sides = self.tensor.iter().flatten();
        sides.fold(most, |m, s| m.max(s.forward).max(s.backward).max(s.sideways))
    }

    /// Turns axis and coefficients to what a tensor asks for where b slides along the unit
    /// vector d over a; those of a cone, or the bounds of a box. Returns how much a
    /// coefficient changed.
    pub(crate) fn follow(&mut self, d: Vec3, normal: Vec3, cone: bool) -> f64 {
        let Some([a, b]) = self.tensor else { return 0.0 };
        let (frame, [l11, l12, l22]) = Self::mean_tensor([a, b], d, self.axis, normal);
        let angle = 0.5 * (2.0 * l12).atan2(l11 - l22);
        // The principal axis next to the last one, so that rows turn as little as they may.
        let quarter = std::f64::consts::FRAC_PI_2;
        let angle = angle - quarter * (angle / quarter).round();
        let (s, c) = angle.sin_cos();
        let first = c * c * l11 + 2.0 * c * s * l12 + s * s * l22;
        let second = s * s * l11 - 2.0 * c * s * l12 + c * c * l22;
        let (x, y) = (d.dot(frame[0]), d.dot(frame[1]));
        let along = x * x * l11 + 2.0 * x * y * l12 + y * y * l22;
        let mu = if cone {
            [(along * first.max(0.0)).sqrt(), (along * second.max(0.0)).sqrt()]
        } else {
            [first, second]
        };
        let change = (mu[0] - self.mu[0]).abs().max((mu[1] - self.mu[1]).abs());
        self.mu = mu;
        self.axis = (c * frame[0] + s * frame[1]).normalize();
        change.max(angle.abs() * (first - second).abs())
    }

    /// Whether a force f lies within the cone of the present axes and coefficients, under a normal force.
    pub(crate) fn holds(&self, f: Vec3, normal: Vec3, normal_force: f64) -> bool {
        let share = |axis: Vec3, mu: f64| f.dot(axis) / mu;
        let across = normal.cross(self.axis);
        share(self.axis, self.mu[0]).hypot(share(across, self.mu[1])) <= normal_force
    }

    /// The slip that a force f of a contact that sticks holds back: along −L⁻¹f.
    pub(crate) fn withheld(&self, f: Vec3, d: Vec3, normal: Vec3) -> Option<Vec3> {
        let (frame, [l11, l12, l22]) = Self::mean_tensor(self.tensor?, d, self.axis, normal);
        let (x, y) = (f.dot(frame[0]), f.dot(frame[1]));
        let slip = frame[0] * (l22 * x - l12 * y) + frame[1] * (l11 * y - l12 * x);
        (-slip).try_normalize()
    }

    /// A frame of the tangents, and L in it: (11, 12, 22).
    fn mean_tensor([a, b]: [Side; 2], d: Vec3, axis: Vec3, normal: Vec3) -> ([Vec3; 2], [f64; 3]) {
        let flat = axis - normal * normal.dot(axis);
        let first = flat.try_normalize().unwrap_or_else(|| normal.any_orthonormal_vector());
        let frame = [first, normal.cross(first)];
        let (qa, qb) = (a.tensor(d, frame), b.tensor(-d, frame));
        (frame, std::array::from_fn(|k| 0.5 * (qa[k] + qb[k])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(angle: f64, forward: f64, backward: f64, sideways: f64, tensor: bool) -> Side {
        let axis = Vec3::new(angle.cos(), angle.sin(), 0.0);
        Side { axis, forward, backward, sideways, tensor }
    }

    /// The cone that follows a slip has the force of the tensor for it.
    #[test]
    fn cones_have_the_force_of_the_tensor() {
        let pair = [side(0.3, 0.7, 0.2, 0.4, true), side(1.4, 0.5, 0.5, 0.9, false)];
        for k in 0..64 {
            let angle = f64::from(k) * 0.1;
            let d = Vec3::new(angle.cos(), angle.sin(), 0.0);
            let mut grip = Grip::new(pair[0], pair[1], 0.5);
            grip.follow(d, Vec3::Z, true);
            let t = [grip.axis, Vec3::Z.cross(grip.axis)];
            // Maximum dissipation: f = −P d/√(dᵀPd).
            let z = [0, 1].map(|i| grip.mu[i] * d.dot(t[i]));
            let f = -(t[0] * grip.mu[0] * z[0] + t[1] * grip.mu[1] * z[1]) / z[0].hypot(z[1]);
            let q = |s: &Side, d: Vec3| {
                let along = if d.dot(s.axis) >= 0.0 { s.forward } else { s.backward };
                let part = s.axis * s.axis.dot(d);
                along * part + s.sideways * (d - part)
            };
            let expected = -0.5 * (q(&pair[0], d) - q(&pair[1], -d));
            assert!((f - expected).length() < 1e-14, "{f} {expected}");
            // What would be held back by it is this slip.
            let back = grip.withheld(f, d, Vec3::Z).expect("a force");
            assert!((back - d).length() < 1e-12);
        }
    }

    #[test]
    fn matchsticks() {
        let a = side(0.2, 0.1, 0.1, 0.9, false);
        let same = Grip::new(a, Side { axis: -a.axis, ..a }, 0.5);
        assert!((same.mu[0] - 0.1).abs() < 1e-15 && (same.mu[1] - 0.9).abs() < 1e-15);
        let crossed = Grip::new(a, Side { axis: Vec3::Z.cross(a.axis), ..a }, 0.5);
        assert!(crossed.mu.iter().all(|m| (m - 0.5).abs() < 1e-15), "{crossed:?}");
        let half = side(0.2 + std::f64::consts::FRAC_PI_4, 0.1, 0.1, 0.9, false);
        let half = Grip::new(a, half, 0.5);
        assert!((half.mu[0] - 0.3).abs() < 1e-15 && (half.mu[1] - 0.7).abs() < 1e-15);
    }

    #[test]
    fn textures_repeat() {
        let cell = |angle| Cell { angle, along: angle, across: 1.0 };
        let texture = Texture {
            origin: Vec3::X,
            edges: [Vec3::new(2.0, 0.0, 0.0), Vec3::new(1.0, 2.0, 0.0)],
            columns: 2,
            cells: vec![cell(0.0), cell(0.1), cell(0.2), cell(0.3)],
        };
        texture.check().expect("sound");
        let at = |x: f64, y: f64| texture.at(Vec3::new(1.0 + x, y, 5.0)).1;
        assert_eq!([at(0.1, 0.1), at(1.1, 0.1), at(1.0, 1.5), at(2.1, 1.5)], [0.0, 0.1, 0.2, 0.3]);
        assert_eq!(at(0.1 - 6.0, 0.1), 0.0);
        assert_eq!(at(1.1 + 3.0, 0.1 + 6.0), 0.1);
    }
}
