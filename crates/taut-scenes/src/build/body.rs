//! Materials, ground, bodies.

use super::place::Place;
use super::{GROUND, shape, visual};
use crate::error::{SceneError, hint};
use crate::file::{Anisotropy, Body, CollisionGroups, DEFAULT_MATERIAL, Kind, Pair, SceneFile};
use std::collections::BTreeMap;
use taut::math::{Mat3, Pose, Vec3};
use taut::{BodyId, Groups, Material, World};

/// The ground, if the scene has one.
pub(super) fn add_ground(
    file: &SceneFile,
    surfaces: &Surfaces,
    world: &mut World,
) -> Result<(), SceneError> {
    let Some(ground) = &file.ground else { return Ok(()) };
    let place = Place::new("ground");
    place.number("height", ground.height)?;
    let surface = surfaces.named(ground.material.as_deref(), None, &place)?;
    let plane = taut::Body::fixed(GROUND)
        .position(Vec3::Z * ground.height)
        .shape(taut::Shape::HalfSpace { normal: Vec3::Z })
        .material(surface);
    world.add_body(plane).map_err(|e| place.engine(e))?;
    Ok(())
}

/// All bodies, in their order.
pub(super) fn add_all(
    file: &SceneFile,
    surfaces: &Surfaces,
    world: &mut World,
) -> Result<Vec<BodyId>, SceneError> {
    let parts = partitions(file);
    (0..file.bodies.len()).map(|i| add(file, i, &parts, surfaces, world)).collect()
}

/// Adds the last body of a file; all others are there.
pub(crate) fn add_last(
    file: &SceneFile,
    surfaces: &Surfaces,
    world: &mut World,
) -> Result<BodyId, SceneError> {
    add(file, file.bodies.len() - 1, &BTreeMap::new(), surfaces, world)
}

fn add(
    file: &SceneFile,
    i: usize,
    parts: &BTreeMap<&str, u32>,
    surfaces: &Surfaces,
    world: &mut World,
) -> Result<BodyId, SceneError> {
    let (body, place) = (&file.bodies[i], Place::new("").item("bodies", i));
    if world.body_named(&body.name).is_some() {
        let which = match file.bodies[..i].iter().position(|b| b.name == body.name) {
            Some(j) => format!("bodies[{j}]"),
            None => "the ground".into(),
        };
        let message = format!("the name '{}' is taken by {which}", body.name);
        return Err(place.field("name").error(message));
    }
    visual::check(body, &place)?;
    let mut built = build(body, surfaces, &place)?;
    built.subsystem = parts.get(body.name.as_str()).copied();
    world.add_body(built).map_err(|e| shape_fault(body, &place).unwrap_or_else(|| place.engine(e)))
}

/// What is wrong with a shape of a body, if it is that.
fn shape_fault(body: &Body, place: &Place) -> Option<SceneError> {
    let first = body.shape.as_ref().and_then(|s| shape::fault(s, &place.field("shape")));
    first.or_else(|| {
        let mut others = body.colliders.iter().enumerate();
        others.find_map(|(i, c)| shape::fault(&c.shape, &place.item("colliders", i).field("shape")))
    })
}

/// The subsystem of each body that has one: groups whose names start with
/// "part-", numbered in their order. The first one counts.
fn partitions(file: &SceneFile) -> BTreeMap<&str, u32> {
    let mut parts = BTreeMap::new();
    let groups = file.groups.iter().filter(|(name, _)| name.starts_with("part-"));
    for (number, (_, members)) in groups.enumerate() {
        for member in members {
            parts.entry(member.as_str()).or_insert(number as u32);
        }
    }
    parts
}

fn build(body: &Body, surfaces: &Surfaces, place: &Place) -> Result<taut::Body, SceneError> {
    let name = body.name.clone();
    if name.is_empty() {
        return Err(place.field("name").error("expected a name, found an empty string"));
    }
    if name == "world" {
        return Err(place.field("name").error("'world' means the world itself"));
    }
    let mut built = match body.kind {
        Kind::Dynamic => taut::Body::dynamic(name),
        Kind::Kinematic => taut::Body::kinematic(name),
        Kind::Fixed => taut::Body::fixed(name),
    };
    built.pose = shape::pose(body.position, body.orientation, place)?;
    built.velocity = place.vector("velocity", body.velocity)?;
    built.angular_velocity = place.vector("angular_velocity", body.angular_velocity)?;
    if body.kind == Kind::Fixed && (body.velocity, body.angular_velocity) != ([0.0; 3], [0.0; 3]) {
        return Err(place
            .field("velocity")
            .error("a fixed body does not move; did you mean \"kind\": \"kinematic\"?"));
    }
    built.surface_velocity = place.vector("surface_velocity", body.surface_velocity)?;
    place.number("gravity_scale", body.gravity_scale)?;
    built.gravity_scale = body.gravity_scale;
    mass(body, &mut built, place)?;
    colliders(body, &mut built, surfaces, place)?;
    if built.kind == taut::BodyKind::Dynamic && built.colliders.is_empty() && body.inertia.is_none()
    {
        let message = "expected a shape, or mass and inertia: a body that moves by forces has both";
        return Err(place.error(format!("body '{}': {message}", body.name)));
    }
    Ok(built)
}

fn mass(body: &Body, built: &mut taut::Body, place: &Place) -> Result<(), SceneError> {
    if let Some(mass) = body.mass {
        place.positive("mass", mass)?;
        built.mass = Some(mass);
    }
    if let Some(centre) = body.centre_of_mass {
        built.centre_of_mass = Some(place.vector("centre_of_mass", centre)?);
    }
    if let Some(diagonal) = body.inertia {
        for (i, &x) in diagonal.iter().enumerate() {
            place.positive(&format!("inertia[{i}]"), x)?;
        }
        let products = body.inertia_products.unwrap_or_default();
        place.finite("inertia_products", &products)?;
        let ([xx, yy, zz], [xy, yz, zx]) = (diagonal, products);
        let column = |x, y, z| Vec3::new(x, y, z);
        let m = Mat3::from_cols(column(xx, xy, zx), column(xy, yy, yz), column(zx, yz, zz));
        built.inertia = Some(m);
    } else if body.inertia_products.is_some() {
        return Err(place.field("inertia_products").error("expected 'inertia' beside it"));
    }
    Ok(())
}

fn colliders(
    body: &Body,
    built: &mut taut::Body,
    surfaces: &Surfaces,
    place: &Place,
) -> Result<(), SceneError> {
    if let Some(density) = body.density {
        place.not_negative("density", density)?;
    }
    let mut push = |shape, pose, at: &Place, material: Option<&str>, density, groups| {
        let density: Option<f64> = density;
        if let Some(density) = density {
            at.not_negative("density", density)?;
        }
        let groups: Option<CollisionGroups> = groups;
        let collider = taut::Collider::new(shape)
            .pose(pose)
            .material(surfaces.named(material, body.material.as_deref(), at)?)
            .density(density.or(body.density).unwrap_or(taut::DEFAULT_DENSITY))
            .groups(collision_groups(body, groups));
        built.colliders.push(collider);
        Ok(())
    };
    if let Some(shape) = &body.shape {
        let shape = shape::build(shape, &place.field("shape"))?;
        push(shape, Pose::IDENTITY, place, None, None, None)?;
    }
    for (i, c) in body.colliders.iter().enumerate() {
        let at = place.item("colliders", i);
        let shape = shape::build(&c.shape, &at.field("shape"))?;
        let pose = shape::pose(c.position, c.orientation, &at)?;
        push(shape, pose, &at, c.material.as_deref(), c.density, c.collision_groups)?;
    }
    Ok(())
}

fn collision_groups(body: &Body, own: Option<CollisionGroups>) -> Groups {
    if !body.collides {
        return Groups { membership: 0, mask: 0 };
    }
    let g = own.or(body.collision_groups).unwrap_or_default();
    Groups { membership: g.membership, mask: g.mask }
}

/// The surfaces of a scene by name.
#[derive(Debug)]
pub(crate) struct Surfaces(BTreeMap<String, Material>);

/// Surfaces, and their textures in the world.
pub(crate) fn materials(file: &SceneFile, world: &mut World) -> Result<Surfaces, SceneError> {
    let plain = Material { surface: Some(world.surface(DEFAULT_MATERIAL)), ..Material::default() };
    let mut surfaces = Surfaces(BTreeMap::from([(DEFAULT_MATERIAL.to_string(), plain)]));
    for (name, material) in &file.materials {
        surfaces.add(name, material, world)?;
    }
    for (i, pair) in file.pairs.iter().enumerate() {
        let twice = |p: &&Pair| {
            let [a, b] = &pair.materials;
            p.materials == pair.materials || p.materials == [b.clone(), a.clone()]
        };
        if file.pairs[..i].iter().any(|p| twice(&p)) {
            let place = Place::new("").item("pairs", i);
            return Err(place.field("materials").error("this pair is listed twice"));
        }
        surfaces.add_pair(pair, i, world)?;
    }
    Ok(surfaces)
}

fn anisotropy(
    of: &Anisotropy,
    world: &mut World,
    place: &Place,
) -> Result<taut::Anisotropy, SceneError> {
    match of {
        Anisotropy::Elliptic { direction, along, across } => {
            let place = place.field("elliptic");
            place.not_negative("along", *along)?;
            place.not_negative("across", *across)?;
            let direction = place.direction("direction", *direction)?;
            Ok(taut::Anisotropy::Elliptic { direction, along: *along, across: *across })
        }
        Anisotropy::Tensor { direction, forward, backward, sideways } => {
            let place = place.field("tensor");
            place.not_negative("forward", *forward)?;
            place.not_negative("backward", *backward)?;
            place.not_negative("sideways", *sideways)?;
            Ok(taut::Anisotropy::Tensor {
                direction: place.direction("direction", *direction)?,
                forward: *forward,
                backward: *backward,
                sideways: *sideways,
            })
        }
        Anisotropy::Texture { origin, edges, columns, cells } => {
            let place = place.field("texture");
            let texture = taut::Texture {
                origin: place.vector("origin", *origin)?,
                edges: [
                    place.direction("edges[0]", edges[0])?,
                    place.direction("edges[1]", edges[1])?,
                ],
                columns: *columns,
                cells: cells
                    .iter()
                    .map(|&[angle, along, across]| taut::Cell { angle, along, across })
                    .collect(),
            };
            let id = world.add_texture(texture).map_err(|e| place.engine(e))?;
            Ok(taut::Anisotropy::Texture { id })
        }
    }
}

impl Surfaces {
    /// Adds a surface, or replaces the one of that name.
    pub(crate) fn add(
        &mut self,
        name: &str,
        m: &crate::file::Material,
        world: &mut World,
    ) -> Result<(), SceneError> {
        let place = Place::new(format!("materials.{name}"));
        let surface = Some(world.surface(name));
        let material = Material { surface, ..Self::material(m, world, &place)? };
        self.0.insert(name.into(), material);
        Ok(())
    }

    /// Adds what two surfaces have together.
    pub(crate) fn add_pair(
        &self,
        pair: &Pair,
        i: usize,
        world: &mut World,
    ) -> Result<(), SceneError> {
        let place = Place::new("").item("pairs", i);
        let [a, b] = &pair.materials;
        for (k, name) in pair.materials.iter().enumerate() {
            if !self.0.contains_key(name) {
                let hint = hint(name, self.0.keys().map(String::as_str));
                let message = format!("no material is named '{name}'{hint}");
                return Err(place.field(&format!("materials[{k}]")).error(message));
            }
        }
        let together = Self::material(&pair.together, world, &place.field("together"))?;
        let (a, b) = (world.surface(a), world.surface(b));
        world.set_pair(a, b, together).map_err(|e| place.engine(e))
    }

    fn material(
        m: &crate::file::Material,
        world: &mut World,
        place: &Place,
    ) -> Result<Material, SceneError> {
        place.not_negative("friction", m.friction)?;
        place.share("restitution", m.restitution)?;
        place.not_negative("torsional_friction", m.torsional_friction)?;
        place.not_negative("rolling_friction", m.rolling_friction)?;
        let anisotropy = match &m.anisotropy {
            Some(a) => Some(anisotropy(a, world, &place.field("anisotropy"))?),
            None => None,
        };
        Ok(Material {
            friction: m.friction,
            restitution: m.restitution,
            torsional_friction: m.torsional_friction,
            rolling_friction: m.rolling_friction,
            anisotropy,
            surface: None,
            penalty: m.penalty,
        })
    }

    /// The surface of that name, else of the other, else the default one.
    pub(super) fn named(
        &self,
        name: Option<&str>,
        other: Option<&str>,
        place: &Place,
    ) -> Result<Material, SceneError> {
        let name = name.or(other).unwrap_or(DEFAULT_MATERIAL);
        self.0.get(name).copied().ok_or_else(|| {
            let hint = hint(name, self.0.keys().map(String::as_str));
            place.field("material").error(format!("no material is named '{name}'{hint}"))
        })
    }
}
