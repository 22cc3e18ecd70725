//! Geoms: shapes, and the mass they give a body.

use super::Model;
use crate::error::ImportError;
use crate::inertia::Inertia;
use crate::xml::Element;
use std::f64::consts::PI;
use taut::math::{Pose, Vec3};
use taut_scenes::file::Shape;

/// What a geom is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Plane,
    Sphere(f64),
    Capsule {
        radius: f64,
        half: f64,
    },
    Cylinder {
        radius: f64,
        half: f64,
    },
    Ellipsoid(Vec3),
    Box(Vec3),
    Mesh(String),
    HeightField(String),
    /// Left out, and already told.
    Unknown,
}

/// A geom of a body.
#[derive(Clone, Debug)]
pub(super) struct Geom {
    pub(super) link: usize,
    pub(super) pose: Pose,
    pub(super) kind: Kind,
    pub(super) group: f64,
    /// With what its class says.
    pub(super) element: Element,
}

impl Model<'_> {
    pub(super) fn read_geom(
        &mut self,
        element: &Element,
        link: usize,
        at: Pose,
        class: &str,
    ) -> Result<(), ImportError> {
        let e = self.defaults.complete(element, class)?;
        let mut pose = at * self.compiler(&e).pose(&e)?;
        let mut size = e.list("size")?.unwrap_or_default();
        if let Some((between, half)) = between(&e)? {
            pose = at * between;
            let radius = size.first().copied().unwrap_or(0.0);
            let wide = matches!(e.get("type"), Some("box" | "ellipsoid"));
            size = if wide { vec![radius, radius, half] } else { vec![radius, half] };
        }
        let kind = match self.fitted(&e)? {
            Some((kind, within)) => {
                pose *= within;
                kind
            }
            None => self.kind(&e, &size)?,
        };
        let group = e.number_or("group", 0.0)?;
        self.geoms.push(Geom { link, pose, kind, group, element: e });
        Ok(())
    }

    /// A shape that is fitted to a mesh, and its place in it: with the sizes of the box that has the mesh's inertia.
    fn fitted(&mut self, e: &Element) -> Result<Option<(Kind, Pose)>, ImportError> {
        let (Some(mesh), Some(name)) = (e.get("mesh"), e.get("type")) else { return Ok(None) };
        let known = ["sphere", "capsule", "cylinder", "ellipsoid", "box"].contains(&name);
        if !known || self.compiler(e).fit_bounds || self.assets.unknown(mesh, e)?.is_some() {
            return Ok(None);
        }
        let whole = self.assets.inertia(mesh, e, false)?;
        let (i, turn) = whole.principal_axes();
        let half = |sum: f64| 0.5 * (6.0 * sum / whole.mass).max(0.0).sqrt();
        let half = Vec3::new(half(i.y + i.z - i.x), half(i.z + i.x - i.y), half(i.x + i.y - i.z));
        let half = half * e.number_or("fitscale", 1.0)?;
        let radius = 0.5 * (half.x + half.y);
        let kind = match name {
            "sphere" => Kind::Sphere((half.x + half.y + half.z) / 3.0),
            "capsule" => Kind::Capsule { radius, half: (half.z - 0.5 * radius).max(0.0) },
            "cylinder" => Kind::Cylinder { radius, half: half.z },
            "ellipsoid" => Kind::Ellipsoid(half),
            _ => Kind::Box(half),
        };
        Ok(Some((kind, Pose::from_parts(whole.centre, turn))))
    }

    fn kind(&mut self, e: &Element, size: &[f64]) -> Result<Kind, ImportError> {
        let name = e.get("type").unwrap_or(if e.get("mesh").is_some() { "mesh" } else { "sphere" });
        if name != "mesh" && e.get("mesh").is_some() {
            self.notes
                .add(&e.place, format!("{}: a {name} fitted to a mesh is left out", e.label()));
            return Ok(Kind::Unknown);
        }
        let positive = |count: usize| match size.get(..count) {
            Some(s) if s.iter().all(|x| *x > 0.0) => Ok(s),
            _ => {
                let s = if count == 1 { "" } else { "s" };
                Err(e.error(format!(
                    "'size': a {name} has {count} positive number{s}, found {size:?}"
                )))
            }
        };
        Ok(match name {
            "plane" => Kind::Plane,
            "sphere" => Kind::Sphere(positive(1)?[0]),
            "capsule" => Kind::Capsule { radius: positive(2)?[0], half: size[1] },
            "cylinder" => Kind::Cylinder { radius: positive(2)?[0], half: size[1] },
            "ellipsoid" => Kind::Ellipsoid(Vec3::from_slice(positive(3)?)),
            "box" => Kind::Box(Vec3::from_slice(positive(3)?)),
            "mesh" => Kind::Mesh(e.need("mesh")?.to_string()),
            "hfield" => Kind::HeightField(e.need("hfield")?.to_string()),
            "sdf" => {
                self.notes.add(&e.place, format!("{}: {name} is left out", e.label()));
                Kind::Unknown
            }
            other => return Err(e.error(format!("'type': '{other}' is not known"))),
        })
    }

    /// The mass properties of a geom in its frame.
    pub(super) fn geom_inertia(
        &mut self,
        e: &Element,
        kind: &Kind,
    ) -> Result<Inertia, ImportError> {
        let shell = e.get("shellinertia") == Some("true");
        let (mass, density) = (e.number("mass")?, e.at_least_0("density", 1000.0)?);
        if mass == Some(0.0) || (mass.is_none() && density == 0.0) {
            return Ok(Inertia::NONE);
        }
        if mass.is_some_and(|m| m < 0.0) {
            return Err(e.error("'mass': expected at least 0"));
        }
        if shell && !matches!(kind, Kind::Mesh(_)) {
            self.notes.add(&e.place, format!("{}: counts as solid, not as a shell", e.label()));
        }
        let unit = match kind {
            Kind::Mesh(name) => match self.assets.unknown(name, e)? {
                Some(why) => {
                    self.notes.add(&e.place, format!("{}: {why}: it has no mass", e.label()));
                    return Ok(Inertia::NONE);
                }
                None => self.assets.inertia(name, e, shell)?,
            },
            _ => unit_inertia(kind),
        };
        Ok(match mass {
            Some(mass) => unit.with_mass(mass),
            None => unit.with_mass(unit.mass * density),
        })
    }

    /// The shape that collides, and its place in the body; none if it was left out.
    pub(super) fn shape(&mut self, geom: &Geom) -> Result<Option<Shape>, ImportError> {
        let e = &geom.element;
        Ok(Some(match &geom.kind {
            Kind::Plane => Shape::HalfSpace { normal: [0.0, 0.0, 1.0] },
            Kind::Sphere(radius) => Shape::ball(*radius),
            Kind::Capsule { radius, half } => Shape::capsule(*half, *radius),
            Kind::Cylinder { radius, half } => Shape::cylinder(*half, *radius),
            Kind::Box(half) => Shape::cuboid(*half),
            Kind::Ellipsoid(half) => ellipsoid(*half),
            Kind::Unknown => return Ok(None),
            Kind::HeightField(name) => self.assets.height_field(name, e)?,
            Kind::Mesh(name) => {
                if let Some(why) = self.assets.unknown(name, e)? {
                    self.notes
                        .add(&e.place, format!("{}: {why}: it collides with nothing", e.label()));
                    return Ok(None);
                }
                let mesh = self.assets.mesh(name, e)?;
                if let Some(parts) = mesh.parts_if(self.options) {
                    return Ok(Some(parts));
                }
                let Some((shape, smaller)) = mesh.hull_shape() else {
                    let message =
                        format!("{}: mesh '{name}' is flat: it collides with nothing", e.label());
                    self.notes.add(&e.place, message);
                    return Ok(None);
                };
                if let Some(inside) = smaller {
                    let place = self.assets.place(name).unwrap_or(&e.place);
                    self.notes.thinned(place, name, inside);
                }
                shape
            }
        }))
    }
}

/// The pose in the middle of `fromto`, z along it, and half of its length.
pub(super) fn between(e: &Element) -> Result<Option<(Pose, f64)>, ImportError> {
    let Some([a, b, c, d, f, g]) = e.array::<6>("fromto")? else { return Ok(None) };
    let kind = e.get("type").unwrap_or("sphere");
    if !["capsule", "cylinder", "box", "ellipsoid"].contains(&kind) {
        let known = "a capsule, cylinder, box or ellipsoid";
        return Err(e.error(format!("'fromto' is for {known}, not for a {kind}")));
    }
    if e.array::<3>("pos")?.is_some_and(|p| p != [0.0; 3]) {
        return Err(e.error("both 'pos' and 'fromto' say where it is: expected one of them"));
    }
    let (from, to) = (Vec3::new(a, b, c), Vec3::new(d, f, g));
    let Some(turn) = crate::placement::from_z(from - to) else {
        return Err(e.error("'fromto': both points are the same"));
    };
    let half = 0.5 * from.distance(to);
    Ok(Some((Pose::from_parts((from + to) * 0.5, turn), half)))
}

/// At 1 kg/m³.
pub(crate) fn unit_inertia(kind: &Kind) -> Inertia {
    match *kind {
        Kind::Sphere(r) => {
            let mass = 4.0 / 3.0 * PI * r.powi(3);
            Inertia::principal(mass, Vec3::splat(0.4 * mass * r * r))
        }
        Kind::Box(h) => {
            let mass = 8.0 * h.x * h.y * h.z;
            let s = h * h;
            Inertia::principal(mass, Vec3::new(s.y + s.z, s.z + s.x, s.x + s.y) * (mass / 3.0))
        }
        Kind::Ellipsoid(h) => {
            let mass = 4.0 / 3.0 * PI * h.x * h.y * h.z;
            let s = h * h;
            Inertia::principal(mass, Vec3::new(s.y + s.z, s.z + s.x, s.x + s.y) * (mass / 5.0))
        }
        Kind::Cylinder { radius, half } => {
            let mass = PI * radius * radius * 2.0 * half;
            let across = mass * (radius * radius / 4.0 + half * half / 3.0);
            let along = 0.5 * mass * radius * radius;
            Inertia::principal(mass, Vec3::new(across, across, along))
        }
        Kind::Capsule { radius, half } => {
            let rod = PI * radius * radius * 2.0 * half;
            let caps = 4.0 / 3.0 * PI * radius.powi(3);
            let along = 0.5 * rod * radius * radius + 0.4 * caps * radius * radius;
            let across = rod * (radius * radius / 4.0 + half * half / 3.0)
                + caps * (0.4 * radius * radius + half * half + 0.75 * half * radius);
            Inertia::principal(rod + caps, Vec3::new(across, across, along))
        }
        Kind::Plane | Kind::Mesh(_) | Kind::HeightField(_) | Kind::Unknown => Inertia::NONE,
    }
}

/// A hull of points on an ellipsoid: the engine has none that is round.
fn ellipsoid(half: Vec3) -> Shape {
    let (around, up) = (16, 8);
    let mut points = vec![[0.0, 0.0, half.z], [0.0, 0.0, -half.z]];
    for j in 1..up {
        let (sin, cos) = (PI * f64::from(j) / f64::from(up)).sin_cos();
        for i in 0..around {
            let (s, c) = (2.0 * PI * f64::from(i) / f64::from(around)).sin_cos();
            points.push([half.x * sin * c, half.y * sin * s, half.z * cos]);
        }
    }
    Shape::ConvexHull { points }
}
