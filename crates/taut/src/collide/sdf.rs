//! Contacts of two solids that need not be convex, by their signed distance fields (Andrews22 2.3).
//!
//! Problem: bolts, gears and chain links have hollows, and triangles against triangles have neither inside nor
//! depth. Method: vertices of each solid are looked up in the field of the other; the gap is the field,
//! the normal its gradient (alg. 2, mended: see `taut_sdf`). A face larger than the other solid is thick, which
//! may cut in between its vertices, is searched for its deepest point by branch and bound. Of all points found, at most [`MOST`] are
//! kept: the deepest, then whichever is farthest from those kept, in place and in normal.
//!
//! The key of a contact is its vertex (or face), so it persists while the vertex touches. A vertex
//! stays a point and the other surface its tangent plane while the step moves them (`surface.rs`).
//!
//! Fast pairs are first advanced to where they touch, as in `sweep`; `meet` follows the ways of a step as
//! `impact` does. Cost: about a microsecond per vertex that is near. When it fails: edges that cross are
//! found only once they overlap; solids that overlap by more than half their thickness are pushed out
//! on the wrong side.

use super::feature::{face, vertex};
use super::impact::{Meeting, Way};
use super::pair::Placed;
use super::{Bend, Collider, ContactKey, ContactPoint, Motion};
use crate::math::{Pose, Quat, Vec3};
use crate::shape::Geometry;
use taut_sdf::{Error, Field, Grid, Sample, Surface, face_minimum};

/// Contacts of a pair, at most. A bolt in a nut touches along turns of its thread: with 12 it rocks.
const MOST: usize = 24;
/// Contacts to come reach no farther than this share of the thickness, beyond what the pair moves in a step: of a fine
/// mesh many vertices are near.
const MARGIN: f64 = 0.02;
/// Contacts nearer than this share of the thickness are one.
const SPACING: f64 = 0.3;
/// Depths that differ by less than this share of the thickness are equal.
const LEVEL: f64 = 1e-3;
/// How much a turned normal counts as distance, as a share of the smaller solid's size.
const TURNED: f64 = 0.5;
/// Faces that cut in by less than this share of the thickness between their vertices are left alone.
const CUT: f64 = 0.02;
/// Vertices are found up to this share of the thickness inside, however small the reach.
const DEEP: f64 = 0.1;
/// Where a face is looked at first: quarters of its corners.
const RASTER: [[f64; 3]; 12] = [
    [2.0, 2.0, 0.0],
    [0.0, 2.0, 2.0],
    [2.0, 0.0, 2.0],
    [2.0, 1.0, 1.0],
    [1.0, 2.0, 1.0],
    [1.0, 1.0, 2.0],
    [3.0, 1.0, 0.0],
    [1.0, 3.0, 0.0],
    [0.0, 3.0, 1.0],
    [0.0, 1.0, 3.0],
    [3.0, 0.0, 1.0],
    [1.0, 0.0, 3.0],
];
/// Values looked at for the deepest point of a face, at most.
const VALUES: usize = 200;
/// A pair that moves by less than this share of the thickness is not advanced.
const SLOW: f64 = 0.5;
/// Least advance, as a share of the thickness: too little to pass.
const LEAST: f64 = 0.1;
/// Names of deepest points of faces begin here, after those of vertices.
const FACES: u32 = 1 << 22;

/// A solid: its surface, and its field.
#[derive(Debug)]
pub(crate) struct Solid {
    surface: Surface,
    grid: Option<Grid>,
    /// Radius of the ball that fits into half of it.
    pub(crate) inner: f64,
}

impl Solid {
    /// From a closed mesh; with a grid of so many cells along its longest side, or exact without.
    pub(crate) fn new(
        vertices: &[Vec3],
        triangles: &[[u32; 3]],
        cells: Option<usize>,
    ) -> Result<Self, Error> {
        let vertices = vertices.iter().map(|v| v.to_array()).collect();
        let surface = Surface::new(vertices, triangles.to_vec())?;
        let grid = cells.map(|n| Grid::new(&surface, n)).transpose()?;
        let mut radii = inner_radii(&surface);
        radii.sort_by(f64::total_cmp);
        let inner = radii[radii.len() / 2];
        Ok(Self { surface, grid, inner })
    }

    /// The field, where it is less than `reach`.
    fn near(&self, p: Vec3, reach: f64) -> Option<Sample> {
        let sample = match &self.grid {
            Some(grid) => grid.sample(p.to_array()),
            // Inside, the surface may be farther than the reach.
            None => self.surface.nearest_within(p.to_array(), reach.max(DEEP * self.inner))?.sample,
        };
        (sample.distance <= reach).then_some(sample)
    }
}

/// Balls inside that touch the surface in the middle of triangles: as large as fit, to a twelfth.
fn inner_radii(surface: &Surface) -> Vec<f64> {
    let [lo, hi] = surface.bounds().map(Vec3::from);
    let count = surface.triangles().len();
    let mut radii = Vec::new();
    for i in (0..count).step_by(count.div_ceil(256)) {
        let [a, b, c] = surface.corners(i as u32).map(Vec3::from);
        let n = (b - a).cross(c - a).normalize_or_zero();
        let middle = (a + b + c) / 3.0;
        let mut radius = 0.5 * (hi - lo).min_element();
        let fits = |r: f64| -surface.distance((middle - r * n).to_array()) >= 0.99 * r;
        while radius > 1e-6 * (hi - lo).max_element() && !fits(radius) {
            radius *= 0.92;
        }
        radii.push(radius);
    }
    radii
}

/// Field-based contacts; owns the buffers.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    triangles: Vec<u32>,
    vertices: Vec<u32>,
    /// Contacts and their normals from A to B.
    found: Vec<(ContactPoint, Vec3)>,
    far: Vec<f64>,
}

/// One solid where it is.
#[derive(Clone, Copy)]
struct Side<'a> {
    solid: &'a Solid,
    pose: Pose,
}

impl Fields {
    /// The contacts of a pair now, or where it first touches in the step, taken back to now.
    pub(crate) fn contacts(
        &mut self,
        (a, solid_a): (&Placed, &Solid),
        (b, solid_b): (&Placed, &Solid),
        dt: f64,
        margin: f64,
    ) -> &[(ContactPoint, Vec3)] {
        let speed = (b.motion.velocity - a.motion.velocity).length() + spin(a) + spin(b);
        let thick = solid_a.inner.min(solid_b.inner);
        let margin = margin.min(MARGIN * thick);
        let reach = margin + dt * speed;
        let at = |t: f64| {
            let place = |p: &Placed, solid| Side { solid, pose: pose_at(p, t) };
            (place(a, solid_a), place(b, solid_b))
        };
        let mut t = 0.0;
        if speed * dt > SLOW * thick {
            t = self.contact_time(at, dt, speed, thick, reach);
        }
        let (then_a, then_b) = at(t);
        let velocity =
            |m: &Motion, p: Vec3| m.velocity + m.angular_velocity.cross(p - m.pose.translation);
        // Of B against A, where they are now.
        let slip = |p: Vec3| velocity(b.motion, p) - velocity(a.motion, p);
        self.generate(&then_a, &then_b, reach, margin, |p| dt * slip(p));
        if t > 0.0 {
            for (p, n) in &mut self.found {
                p.point_a = a.pose.transform_point(then_a.pose.inverse_transform_point(p.point_a));
                p.point_b = b.pose.transform_point(then_b.pose.inverse_transform_point(p.point_b));
                p.gap = (p.point_b - p.point_a).dot(*n);
                p.bend = None;
            }
        }
        self.thin_out(a.size.min(b.size), thick);
        &self.found
    }

    /// When the pair first touches, or is nearest at last.
    fn contact_time<'a>(
        &mut self,
        at: impl Fn(f64) -> (Side<'a>, Side<'a>),
        dt: f64,
        speed: f64,
        thick: f64,
        reach: f64,
    ) -> f64 {
        let mut t = 0.0;
        while t < dt {
            let (a, b) = at(t);
            let gap = self.gap(&a, &b, reach);
            if gap <= if t == 0.0 { SLOW * thick } else { 0.01 * thick } {
                return t;
            }
            t += gap.max(LEAST * thick) / speed;
        }
        // No touch: what is near now may be so at the end of another step.
        0.0
    }

    /// The least distance of a vertex of one from the other; `reach` if none is nearer.
    fn gap(&mut self, a: &Side, b: &Side, reach: f64) -> f64 {
        let mut least = reach;
        for (field, mesh) in [(a, b), (b, a)] {
            let relative = field.pose.inv_mul(&mesh.pose);
            self.candidates(field, mesh, &relative, least.max(0.0));
            for &i in &self.vertices {
                let p = relative.transform_point(mesh.solid.surface.vertices()[i as usize].into());
                if let Some(s) = field.solid.near(p, least) {
                    least = least.min(s.distance);
                }
            }
        }
        least
    }

    /// Triangles of a mesh, and their vertices, that may be nearer to a field than `reach`.
    fn candidates(&mut self, field: &Side, mesh: &Side, relative: &Pose, reach: f64) {
        let [lo, hi] = field.solid.surface.bounds().map(Vec3::from);
        let (centre, half) = (0.5 * (lo + hi), 0.5 * (hi - lo) + Vec3::splat(reach));
        // The field's box in the mesh's frame.
        let centre = relative.inverse_transform_point(centre);
        let axes = [Vec3::X * half.x, Vec3::Y * half.y, Vec3::Z * half.z];
        let half = axes.iter().map(|&e| relative.inverse_transform_vector(e).abs()).sum::<Vec3>();
        self.triangles.clear();
        let (lo, hi) = ((centre - half).to_array(), (centre + half).to_array());
        mesh.solid.surface.triangles_in(lo, hi, &mut self.triangles);
        self.triangles.sort_unstable();
        self.vertices.clear();
        let all = mesh.solid.surface.triangles();
        self.vertices.extend(self.triangles.iter().flat_map(|&t| all[t as usize]));
        self.vertices.sort_unstable();
        self.vertices.dedup();
    }

    /// All contacts nearer than a margin, or than a vertex comes by its `way` in the step; none farther than `reach`.
    fn generate(
        &mut self,
        a: &Side,
        b: &Side,
        reach: f64,
        margin: f64,
        way: impl Fn(Vec3) -> Vec3,
    ) {
        self.found.clear();
        for (field, mesh, flip) in [(a, b, false), (b, a, true)] {
            let relative = field.pose.inv_mul(&mesh.pose);
            self.candidates(field, mesh, &relative, reach);
            for k in 0..self.vertices.len() {
                let i = self.vertices[k];
                let x: Vec3 = mesh.solid.surface.vertices()[i as usize].into();
                let way = if flip { -1.0 } else { 1.0 } * way(mesh.pose.transform_point(x));
                let p = relative.transform_point(x);
                let Some(s) = field.solid.near(p, margin + way.length()) else { continue };
                let comes = -way.dot(field.pose.transform_vector(Vec3::from(s.gradient)));
                if s.distance <= margin + comes.max(0.2 * way.length()) {
                    self.push(field, p, s, vertex(i), flip);
                }
            }
            for k in 0..self.triangles.len() {
                self.face(field, mesh, &relative, self.triangles[k], flip);
            }
        }
    }

    /// A face that cuts into the field deeper than its vertices: first a raster of it, then its deepest point.
    fn face(&mut self, field: &Side, mesh: &Side, relative: &Pose, i: u32, flip: bool) {
        let least = CUT * field.solid.inner;
        let corners = mesh.solid.surface.corners(i).map(|p| relative.transform_point(p.into()));
        let centre = (corners[0] + corners[1] + corners[2]) / 3.0;
        let radius = corners.iter().map(|p| p.distance(centre)).fold(0.0, f64::max);
        // What can cut in between the vertices of a small face is little.
        if radius < 0.5 * field.solid.inner {
            return;
        }
        // Farther than that is outside, or so deep that other points are found.
        let surface = &field.solid.surface;
        let far = 0.5 * field.solid.inner;
        let value =
            |p: Vec3| surface.nearest_within(p.to_array(), far).map_or(far, |m| m.sample.distance);
        let deepest = corners.map(value).into_iter().fold(f64::INFINITY, f64::min);
        let cuts = RASTER.iter().any(|w| {
            let p = (w[0] * corners[0] + w[1] * corners[1] + w[2] * corners[2]) / 4.0;
            value(p) < deepest.min(0.0) - least
        });
        if !cuts {
            return;
        }
        let corners = corners.map(|p| p.to_array());
        let found = match &field.solid.grid {
            Some(grid) => face_minimum(grid, corners, 0.5 * least, VALUES),
            None => face_minimum(surface, corners, 0.5 * least, VALUES),
        };
        let p = Vec3::from(found.point);
        if let Some(s) = field.solid.near(p, 0.0) {
            self.push(field, p, s, vertex(FACES + i), flip);
        }
    }

    /// A point p of the mesh, in the frame of the field.
    fn push(&mut self, field: &Side, p: Vec3, s: Sample, id: u32, flip: bool) {
        let out = field.pose.transform_vector(Vec3::from(s.gradient));
        if out == Vec3::ZERO {
            return;
        }
        let on_mesh = field.pose.transform_point(p);
        let on_field = on_mesh - s.distance * out;
        let (ends, normal, ids) = match flip {
            false => ([on_field, on_mesh], out, [face(0), id]),
            true => ([on_mesh, on_field], -out, [id, face(0)]),
        };
        let point = ContactPoint {
            point_a: ends[0],
            point_b: ends[1],
            gap: s.distance,
            feature: ContactKey { sub_a: 0, sub_b: 0, feature_a: ids[0], feature_b: ids[1] },
            bend: Some(Bend { edges: [Vec3::ZERO; 2], rounds: [Some(0.0); 2] }),
        };
        self.found.push((point, normal));
    }

    /// Keeps the deepest, then again and again the one that is farthest from those kept, until all are near
    /// to one; what touches comes before what may touch. Nearly equal depths are decided by names.
    fn thin_out(&mut self, size: f64, thick: f64) {
        let found = &mut self.found;
        let level = |p: &ContactPoint| (p.gap / (LEVEL * thick)).floor();
        found.sort_by(|(p, _), (q, _)| {
            level(p).total_cmp(&level(q)).then(p.feature.cmp(&q.feature))
        });
        let touching = found.partition_point(|(p, _)| p.gap <= LEVEL * thick);
        self.far.clear();
        self.far.resize(found.len(), f64::INFINITY);
        let near = [0.0, (SPACING * thick).powi(2)];
        let turned = (TURNED * size).powi(2);
        let mut kept = 0;
        for (end, near) in [touching, found.len()].into_iter().zip(near) {
            while kept < MOST && kept < end {
                let next = (kept..end)
                    .max_by(|&i, &j| self.far[i].total_cmp(&self.far[j]).then(j.cmp(&i)));
                let Some(next) = next.filter(|&i| self.far[i] > near) else { break };
                found.swap(kept, next);
                self.far.swap(kept, next);
                let (p, n) = found[kept];
                for (i, (q, m)) in found.iter().enumerate().skip(kept + 1) {
                    let d = p.point_a.distance_squared(q.point_a) + turned * n.distance_squared(*m);
                    self.far[i] = self.far[i].min(d);
                }
                kept += 1;
            }
        }
        found.truncate(kept);
    }
}

/// Bound of the speed that turning gives any point.
fn spin(p: &Placed) -> f64 {
    let arm = p.pose.translation.distance(p.motion.pose.translation);
    p.motion.angular_velocity.length() * (arm + p.size)
}

fn pose_at(p: &Placed, t: f64) -> Pose {
    if t == 0.0 {
        return p.pose;
    }
    let Motion { pose, velocity, angular_velocity, .. } = p.motion;
    let turn = Quat::from_scaled_axis(*angular_velocity * t);
    let arm = p.pose.translation - pose.translation;
    Pose::from_parts(pose.translation + *velocity * t + turn * arm, turn * p.pose.rotation)
}

/// The solids of a pair, if both have fields.
pub(crate) fn solids<'a>(a: &'a Geometry, b: &'a Geometry) -> Option<(&'a Solid, &'a Solid)> {
    let solid = |g: &'a Geometry| match g {
        Geometry::Mesh(mesh) => mesh.solid.as_deref(),
        _ => None,
    };
    Some((solid(a)?, solid(b)?))
}

/// When two solids that are apart sink into one another on their ways by more than the share `skin` of their
/// thickness.
pub(crate) fn meet(
    (a, way_a, solid_a): (&Collider, &Way, &Solid),
    (b, way_b, solid_b): (&Collider, &Way, &Solid),
    end: f64,
    skin: f64,
) -> Option<Meeting> {
    let speed = |c: &Collider, w: &Way| match w.end > 0.0 {
        true => w.body.way().0.length() + w.body.way().1.length() * c.reach(),
        false => 0.0,
    };
    let speed = speed(a, way_a) + speed(b, way_b);
    let thick = solid_a.inner.min(solid_b.inner);
    let mut fields = Fields::default();
    let mut gap = |t: f64, reach: f64| {
        let side_a = Side { solid: solid_a, pose: way_a.pose(t) * a.local_pose };
        let side_b = Side { solid: solid_b, pose: way_b.pose(t) * b.local_pose };
        fields.gap(&side_a, &side_b, reach)
    };
    if speed * end <= skin * thick {
        return None;
    }
    // What is near has contacts, or is advanced to where it has.
    let now = gap(0.0, speed * end);
    if now < thick {
        return None;
    }
    let bound = -skin * thick;
    let (mut t, mut g) = (0.0, now);
    while t < end && speed > 0.0 {
        let next = (t + (g - bound).max(LEAST * thick) / speed).min(end);
        g = gap(next, speed * (end - next) + thick);
        if g < bound {
            // Between t, above the bound, and next.
            let (mut low, mut high) = (t, next);
            for _ in 0..12 {
                let middle = 0.5 * (low + high);
                if gap(middle, thick) < bound { high = middle } else { low = middle }
            }
            return Some(Meeting { time: low, touching: false });
        }
        t = next;
    }
    None
}
