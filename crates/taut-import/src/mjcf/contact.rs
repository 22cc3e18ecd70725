//! Which geoms collide, and how they rub.
//!
//! Two geoms collide if the `contype` of one and the `conaffinity` of the other share a bit, or if a `pair` names them.
//! Scenes ask both sides, so each kind of geom gets a group of its own, and the mask of all groups that it meets. Two
//! geoms rub with the larger one of each coefficient, or as the one of higher priority says; materials that differ get
//! an entry of `pairs`.

use super::Model;
use super::geom::Kind;
use crate::error::ImportError;
use crate::xml::Element;
use taut_scenes::file::{Collider, CollisionGroups, Material, Pair};

/// What decides which geoms meet: bits, and its index if a pair names it.
type Class = (u32, u32, Option<usize>);

/// A surface: sliding, torsional and rolling friction, `condim`, `priority`.
type Surface = ([f64; 3], f64, f64);

impl Model<'_> {
    pub(super) fn add_contacts(&mut self, root: &Element) -> Result<(), ImportError> {
        let pairs = self.pairs(root)?;
        let mut classes: Vec<Class> = Vec::new();
        let mut own = Vec::new();
        for (i, geom) in self.geoms.iter().enumerate() {
            let named = pairs.iter().flatten().any(|&g| g == i);
            let bits = |name| bits(&geom.element, name);
            let class = (bits("contype")?, bits("conaffinity")?, named.then_some(i));
            own.push(class);
            if !classes.contains(&class) {
                classes.push(class);
            }
        }
        let meet = |a: &Class, b: &Class| {
            let paired = |x: Option<usize>, y: Option<usize>| {
                let (Some(x), Some(y)) = (x, y) else { return false };
                pairs.contains(&[x, y]) || pairs.contains(&[y, x])
            };
            a.0 & b.1 != 0 || b.0 & a.1 != 0 || paired(a.2, b.2)
        };
        // Those that meet nothing need no group.
        let active: Vec<Class> =
            classes.iter().filter(|a| classes.iter().any(|b| meet(a, b))).copied().collect();
        if active.len() > 32 {
            let count = active.len();
            let message = format!(
                "{count} kinds of contype and conaffinity; the last {} are left out",
                count - 32
            );
            self.notes.add(&root.place, message);
        }
        let groups = |class: &Class| {
            let index = active.iter().position(|c| c == class).filter(|i| *i < 32)?;
            let met = active.iter().take(32).enumerate().filter(|(_, c)| meet(class, c));
            let mask = met.fold(0, |mask, (i, _)| mask | (1 << i));
            Some(CollisionGroups { membership: 1 << index, mask })
        };
        let geoms: Vec<_> = own.iter().map(groups).collect();
        self.add_colliders(&geoms)?;
        self.add_excludes(root)
    }

    /// Geoms that `pair` names, by their indices.
    fn pairs(&mut self, root: &Element) -> Result<Vec<[usize; 2]>, ImportError> {
        let mut pairs = Vec::new();
        for pair in root.all("contact").flat_map(|c| c.all("pair")) {
            let find = |which| {
                let name = pair.need(which)?;
                let found = self.geoms.iter().position(|g| g.element.get("name") == Some(name));
                found.ok_or_else(|| pair.error(format!("no geom is named '{name}'")))
            };
            pairs.push([find("geom1")?, find("geom2")?]);
        }
        if let Some(pair) =
            root.all("contact").flat_map(|c| c.all("pair")).find(|p| p.get("friction").is_some())
        {
            self.notes.add(&pair.place, "friction of contact pairs is that of their geoms");
        }
        Ok(pairs)
    }

    fn add_colliders(&mut self, groups: &[Option<CollisionGroups>]) -> Result<(), ImportError> {
        let mut surfaces: Vec<Surface> = Vec::new();
        let geoms = std::mem::take(&mut self.geoms);
        for (geom, groups) in geoms.iter().zip(groups) {
            let Some(groups) = groups else { continue };
            let link = &self.machine.links[geom.link];
            if geom.kind == Kind::Plane && (link.free || !link.motions.is_empty()) {
                return Err(geom.element.error("a plane is for bodies that do not move"));
            }
            let Some(shape) = self.shape(geom)? else { continue };
            let surface = surface(&geom.element)?;
            let index = surfaces.iter().position(|s| *s == surface).unwrap_or_else(|| {
                surfaces.push(surface);
                surfaces.len() - 1
            });
            let mut collider = Collider::new(shape)
                .at(geom.pose.translation)
                .oriented(geom.pose.rotation)
                .material(format!("surface{index}"));
            collider.collision_groups = Some(*groups);
            self.machine.links[geom.link].colliders.push(collider);
        }
        self.geoms = geoms;
        for (i, a) in surfaces.iter().enumerate() {
            self.machine.materials.insert(format!("surface{i}"), material(*a));
            for (j, b) in surfaces.iter().enumerate().skip(i + 1) {
                let materials = [format!("surface{i}"), format!("surface{j}")];
                self.machine.pairs.push(Pair { materials, together: material(together(*a, *b)) });
            }
        }
        Ok(())
    }

    fn add_excludes(&mut self, root: &Element) -> Result<(), ImportError> {
        for exclude in root.all("contact").flat_map(|c| c.all("exclude")) {
            let find = |which| {
                let name = exclude.need(which)?;
                let found = self.bodies.get(name).copied();
                found.ok_or_else(|| exclude.error(format!("no body is named '{name}'")))
            };
            let both = [find("body1")?, find("body2")?];
            self.machine.excludes.push(both);
        }
        Ok(())
    }
}

fn bits(e: &Element, name: &str) -> Result<u32, ImportError> {
    let x = e.number_or(name, 1.0)?;
    if x.fract() == 0.0 && (0.0..4_294_967_296.0).contains(&x) {
        return Ok(x as u32);
    }
    Err(e.error(format!("'{name}': expected 32 bits as a whole number, found {x}")))
}

fn surface(e: &Element) -> Result<Surface, ImportError> {
    let mut friction = [1.0, 0.005, 0.0001];
    for (own, given) in friction.iter_mut().zip(e.list("friction")?.unwrap_or_default()) {
        if given < 0.0 {
            return Err(e.error("'friction': expected at least 0"));
        }
        *own = given;
    }
    Ok((friction, e.number_or("condim", 3.0)?, e.number_or("priority", 0.0)?))
}

fn together(a: Surface, b: Surface) -> Surface {
    if a.2 != b.2 {
        return if a.2 > b.2 { a } else { b };
    }
    let friction = [a.0[0].max(b.0[0]), a.0[1].max(b.0[1]), a.0[2].max(b.0[2])];
    (friction, a.1.max(b.1), a.2)
}

/// What counts of the coefficients `condim` says.
fn material((friction, condim, _): Surface) -> Material {
    let from = |least: f64, value: f64| if condim >= least { value } else { 0.0 };
    Material {
        friction: from(3.0, friction[0]),
        torsional_friction: from(4.0, friction[1]),
        rolling_friction: from(6.0, friction[2]),
        ..Material::default()
    }
}
