//! Which geoms collide, and how they rub.
//!
//! Two geoms collide if the `contype` of one and the `conaffinity` of the other share a bit, or if a `pair` names them.
//! Scenes ask both sides, so each kind of geom gets a group of its own, and the mask of all groups that it meets. Two
//! geoms rub with the larger one of each coefficient, or as the one of higher priority says; materials that differ get
//! an entry of `pairs`. A `pair` may say its own `condim` and friction: its geoms then have materials of their own.

use super::Model;
use super::geom::Kind;
use crate::error::ImportError;
use crate::xml::Element;
use taut_scenes::file::{Collider, CollisionGroups, Material, Pair};

/// What decides which geoms meet: bits, and its index if a pair names it.
type Class = (u32, u32, Option<usize>);

/// A surface: sliding, torsional and rolling friction, `condim`, `priority`, and its geom if a pair says more of that.
type Surface = ([f64; 3], f64, f64, Option<usize>);

/// Two geoms, and the pair that names them.
type Named<'a> = ([usize; 2], &'a Element);

impl Model<'_> {
    pub(super) fn add_contacts(&mut self, root: &Element) -> Result<(), ImportError> {
        let named = self.pairs(root)?;
        let pairs: Vec<[usize; 2]> = named.iter().map(|(both, _)| *both).collect();
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
        self.add_colliders(&geoms, &named)?;
        self.add_excludes(root)
    }

    /// Geoms that `pair` names, by their indices.
    fn pairs<'a>(&self, root: &'a Element) -> Result<Vec<Named<'a>>, ImportError> {
        let mut pairs = Vec::new();
        for pair in root.all("contact").flat_map(|c| c.all("pair")) {
            let find = |which| {
                let name = pair.need(which)?;
                let found = self.geoms.iter().position(|g| g.element.get("name") == Some(name));
                found.ok_or_else(|| pair.error(format!("no geom is named '{name}'")))
            };
            pairs.push(([find("geom1")?, find("geom2")?], pair));
        }
        Ok(pairs)
    }

    fn add_colliders(
        &mut self,
        groups: &[Option<CollisionGroups>],
        pairs: &[Named],
    ) -> Result<(), ImportError> {
        let says = |e: &Element| e.get("condim").is_some() || e.get("friction").is_some();
        let mut surfaces: Vec<Surface> = Vec::new();
        let geoms = std::mem::take(&mut self.geoms);
        for (i, (geom, groups)) in geoms.iter().zip(groups).enumerate() {
            let Some(groups) = groups else { continue };
            let link = &self.machine.links[geom.link];
            let what = match geom.kind {
                Kind::Plane => "plane",
                Kind::HeightField(_) => "height field",
                _ => "",
            };
            if !what.is_empty() && (link.free || !link.motions.is_empty()) {
                let message = format!("a {what} is for bodies that do not move");
                return Err(geom.element.error(message));
            }
            let Some(shape) = self.shape(geom)? else { continue };
            let mut surface = surface(&geom.element)?;
            surface.3 = pairs.iter().any(|(g, e)| g.contains(&i) && says(e)).then_some(i);
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
                let mut both = together(*a, *b);
                if let (Some(x), Some(y)) = (a.3, b.3) {
                    let named = |(g, _): &&Named| *g == [x, y] || *g == [y, x];
                    if let Some((_, pair)) = pairs.iter().find(named) {
                        both = pair_surface(pair, both)?;
                    }
                }
                self.machine.pairs.push(Pair { materials, together: material(both) });
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
    Ok((friction, e.number_or("condim", 3.0)?, e.number_or("priority", 0.0)?, None))
}

/// What two geoms have together, with what their `pair` says: `friction` has two directions of sliding, one of turning,
/// two of rolling.
fn pair_surface(pair: &Element, mut both: Surface) -> Result<Surface, ImportError> {
    for (k, x) in pair.list("friction")?.unwrap_or_default().into_iter().enumerate() {
        if x < 0.0 {
            return Err(pair.error("'friction': expected at least 0"));
        }
        match k {
            0 => both.0[0] = x,
            2 => both.0[1] = x,
            3 => both.0[2] = x,
            _ => {}
        }
    }
    both.1 = pair.number_or("condim", both.1)?;
    Ok(both)
}

fn together(a: Surface, b: Surface) -> Surface {
    if a.2 != b.2 {
        return if a.2 > b.2 { a } else { b };
    }
    let friction = [a.0[0].max(b.0[0]), a.0[1].max(b.0[1]), a.0[2].max(b.0[2])];
    (friction, a.1.max(b.1), a.2, None)
}

/// What counts of the coefficients `condim` says.
fn material((friction, condim, ..): Surface) -> Material {
    let from = |least: f64, value: f64| if condim >= least { value } else { 0.0 };
    Material {
        friction: from(3.0, friction[0]),
        torsional_friction: from(4.0, friction[1]),
        rolling_friction: from(6.0, friction[2]),
        ..Material::default()
    }
}
