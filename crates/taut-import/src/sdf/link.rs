//! Links: inertia, shapes and their friction.

use super::{Frames, Reader, frames};
use crate::error::ImportError;
use crate::inertia::Inertia;
use crate::look;
use crate::machine::Link;
use crate::mesh;
use crate::mjcf::{Kind, unit_inertia};
use crate::xml::Element;
use std::path::Path;
use taut::math::{Mat3, Pose, Quat, Vec3};
use taut_scenes::file::{Collider, Material, Shape};

impl Reader<'_> {
    pub(super) fn link(
        &mut self,
        element: &Element,
        name: &str,
        frames: &Frames,
    ) -> Result<Link, ImportError> {
        let mut link = Link::new(name, &element.place);
        let inertial = element.child("inertial");
        let auto = inertial.filter(|i| matches!(i.get("auto"), Some("true" | "1")));
        link.inertia = match inertial {
            Some(inertial) if auto.is_none() => Some(self.inertia(inertial, element, frames)?),
            Some(_) => None,
            None => Some(Inertia::principal(1.0, Vec3::ONE)),
        };
        if element.child("gravity").is_some_and(|g| ["false", "0"].contains(&g.text.as_str())) {
            link.gravity_scale = 0.0;
        }
        for visual in element.all("visual") {
            let pose = pose_of(visual, element, frames)?;
            let Some(shape) = self.shape_in(visual, true)? else { continue };
            let material = visual.child("material");
            let part = |tag| material.and_then(|m| m.child(tag));
            let colour = part("diffuse").or(part("ambient"));
            let numbers = colour.map(|c| {
                c.text_array::<4>().or(c.text_array::<3>().map(|[r, g, b]| [r, g, b, 1.0]))
            });
            let rgba = numbers.transpose()?;
            link.visuals.push(look::visual(shape, &pose, rgba.and_then(|c| look::colour(&c))));
        }
        for collision in element.all("collision") {
            let collider = self.collision(collision, element, frames)?;
            if let (Some(inertial), Some(collider)) = (auto, &collider) {
                let own = of_shape(collider, collision, inertial)?;
                link.inertia = Some(link.inertia.unwrap_or(Inertia::NONE).plus(&own));
            }
            link.colliders.extend(collider);
        }
        if let (Some(own), Some(mass)) = (&mut link.inertia, auto.and_then(|i| i.child("mass"))) {
            *own = own.with_mass(mass.text_array::<1>()?[0].max(0.0));
        }
        Ok(link)
    }

    fn collision(
        &mut self,
        element: &Element,
        link: &Element,
        frames: &Frames,
    ) -> Result<Option<Collider>, ImportError> {
        let pose = pose_of(element, link, frames)?;
        let Some(shape) = self.shape_in(element, false)? else { return Ok(None) };
        let mut collider = Collider::new(shape).at(pose.translation).oriented(pose.rotation);
        let find = |path: &[&str]| path.iter().try_fold(element, |e, tag| e.child(tag));
        let number = |path: &[&str]| find(path).map(|e| e.text_array::<1>()).transpose();
        let mu = number(&["surface", "friction", "ode", "mu"])?.map(|[x]| x);
        let across = number(&["surface", "friction", "ode", "mu2"])?.map(|[x]| x);
        if across.is_some_and(|x| mu.is_some_and(|mu| mu != x)) {
            self.notes.add(&element.place, format!("{}: mu2 is not read", element.label()));
        }
        let bounce = number(&["surface", "bounce", "restitution_coefficient"])?;
        let bounce = bounce.map_or(0.0, |[x]| x);
        if mu.is_some() || bounce != 0.0 {
            let plain = Material::default();
            let friction = mu.unwrap_or(plain.friction);
            let mut name = format!("friction {friction}");
            if bounce != 0.0 {
                name = format!("{name}, restitution {bounce}");
            }
            let material = Material { friction, restitution: bounce, ..plain };
            self.machine.materials.insert(name.clone(), material);
            collider.material = Some(name);
        }
        Ok(Some(collider))
    }

    /// The shape of a `collision` or a `visual`.
    fn shape_in(&mut self, element: &Element, seen: bool) -> Result<Option<Shape>, ImportError> {
        let geometry = element.child("geometry").and_then(|g| g.children.first());
        let Some(geometry) = geometry else { return Err(element.error("geometry is missing")) };
        if geometry.tag != "mesh" {
            return self.shape(geometry);
        }
        let uri = geometry.child("uri").ok_or_else(|| geometry.error("uri is missing"))?;
        let scale = geometry.child("scale").map(|s| s.text_array::<3>()).transpose()?;
        let named = (uri.text.as_str(), scale.unwrap_or([1.0; 3]));
        // Relative to the file that says it, which may be an included one.
        let base = Path::new(&*uri.place.file).parent().unwrap_or(Path::new(""));
        mesh::shape(named, base, self.options, &uri.place, self.notes, seen)
    }

    fn shape(&mut self, e: &Element) -> Result<Option<Shape>, ImportError> {
        let length = |tag: &str| {
            let child = e.child(tag).ok_or_else(|| e.error(format!("{tag} is missing")))?;
            match child.text_array::<1>()? {
                [x] if x > 0.0 => Ok(x),
                [x] => Err(child.error(format!("expected a positive length, found {x}"))),
            }
        };
        Ok(Some(match e.tag.as_str() {
            "box" => {
                let size = e.child("size").ok_or_else(|| e.error("size is missing"))?;
                let lengths = size.text_array::<3>()?;
                if lengths.iter().any(|x| *x <= 0.0) {
                    return Err(size.error("expected positive lengths"));
                }
                Shape::cuboid(lengths.map(|x| 0.5 * x))
            }
            "sphere" => Shape::ball(length("radius")?),
            "cylinder" => Shape::cylinder(0.5 * length("length")?, length("radius")?),
            "capsule" => Shape::capsule(0.5 * length("length")?, length("radius")?),
            "plane" => {
                let normal = e.child("normal").map(|n| n.text_array::<3>()).transpose()?;
                Shape::HalfSpace { normal: normal.unwrap_or([0.0, 0.0, 1.0]) }
            }
            other => {
                self.notes.add(&e.place, format!("geometry '{other}' is left out"));
                return Ok(None);
            }
        }))
    }

    fn inertia(
        &mut self,
        e: &Element,
        link: &Element,
        frames: &Frames,
    ) -> Result<Inertia, ImportError> {
        let pose = pose_of(e, link, frames)?;
        let value =
            |e: Option<&Element>, tag: &str, default: f64| match e.and_then(|e| e.child(tag)) {
                Some(child) => child.text_array::<1>().map(|[x]| x),
                None => Ok(default),
            };
        let mass = value(Some(e), "mass", 1.0)?;
        if mass < 0.0 {
            return Err(e.error(format!("mass: expected at least 0, found {mass}")));
        }
        let i = e.child("inertia");
        let (xx, yy, zz) = (value(i, "ixx", 1.0)?, value(i, "iyy", 1.0)?, value(i, "izz", 1.0)?);
        let (xy, xz, yz) = (value(i, "ixy", 0.0)?, value(i, "ixz", 0.0)?, value(i, "iyz", 0.0)?);
        let matrix =
            Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz));
        Ok(Inertia { mass, centre: Vec3::ZERO, matrix }.moved(&pose))
    }
}

/// The pose of what is in a link, in the frame of the link.
pub(super) fn pose_of(
    element: &Element,
    link: &Element,
    frames: &Frames,
) -> Result<Pose, ImportError> {
    let Some(pose) = element.child("pose") else { return Ok(Pose::IDENTITY) };
    let own = frames::pose(pose)?;
    let link = link.get("name").unwrap_or_default();
    match pose.get("relative_to").filter(|f| !f.is_empty() && *f != link) {
        Some(other) => {
            let (of_link, of_other) =
                (frames.find(link, &pose.place)?, frames.find(other, &pose.place)?);
            Ok(of_link.inv_mul(&(of_other * own)))
        }
        None => Ok(own),
    }
}

/// The inertia of a shape by its density, in the frame of the link.
fn of_shape(
    collider: &Collider,
    collision: &Element,
    inertial: &Element,
) -> Result<Inertia, ImportError> {
    if let Shape::Compound { parts } = &collider.shape {
        let mut sum = Inertia::NONE;
        for part in parts {
            let own = Collider { shape: part.shape.clone(), ..collider.clone() };
            sum = sum.plus(&of_shape(&own, collision, inertial)?);
        }
        return Ok(sum);
    }
    let density = collision.child("density").or(inertial.child("density"));
    let density = density.map_or(Ok([1000.0]), |d| d.text_array::<1>())?[0].max(0.0);
    let unit = match &collider.shape {
        Shape::ConvexHull { points } => {
            let vertices = points.iter().map(|p| Vec3::from(*p)).collect();
            let cloud = mesh::Mesh { vertices, triangles: Vec::new() };
            cloud.hull().and_then(|h| h.solid(false))
        }
        shape => match *shape {
            Shape::Ball { radius } => Some(Kind::Sphere(radius)),
            Shape::Box { half_extents } => Some(Kind::Box(half_extents.into())),
            Shape::Capsule { half_length: half, radius } => Some(Kind::Capsule { radius, half }),
            Shape::Cylinder { half_height: half, radius } => Some(Kind::Cylinder { radius, half }),
            _ => None,
        }
        .map(|kind| unit_inertia(&kind)),
    };
    let unit = unit.ok_or_else(|| collision.error("the mass of this shape is not known"))?;
    let [w, x, y, z] = collider.orientation;
    let pose = Pose::from_parts(collider.position.into(), Quat::from_xyzw(x, y, z, w));
    Ok(unit.with_mass(unit.mass * density).moved(&pose))
}
