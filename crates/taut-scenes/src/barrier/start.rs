//! How bodies start by barriers: with a gap of d̂ at least, so that barriers hold no energy.
//!
//! **Problem**: scenes put bodies on one another, or a hair apart. What starts nearer than d̂ would be shot away: a barrier whose κ carries the heaviest
//! body threw a box of 8 g, 0.1 mm over the ground, up by 4 cm. **Update**: where something touches or is nearer than d̂, all surfaces of rigid bodies are
//! drawn back, by as much as makes it d̂. Bodies then settle, by less than d̂, and shapes as they are drawn may overlap by less than that.
//! Surfaces of soft bodies are not drawn back: rigid ones make up for it. **Fails**: soft bodies that start near to one another are pushed apart
//! ([`Barriers::warnings`] names them, and the energy counts as created); bodies thinner than what they are drawn back by are refused.

use taut::{ContactModel, Error, World};
use taut_barrier::{BodyId, Near, System};

use super::{Barriers, wrong};

/// A little more, so that rounding does not bring surfaces within reach.
const MORE: f64 = 1.0 + 1e-6;
/// Warnings of one kind at most.
const MOST: usize = 3;

impl Barriers {
    /// The bodies of a world; errors name what barriers do not take, and bodies that are inside one another.
    pub fn new(world: &World) -> Result<Self, Error> {
        let ContactModel::Barrier { d_hat, .. } = world.settings().contact else {
            return Err(Error::Stepper("the world's contact model is not barrier".into()));
        };
        let mut built = Self::build(world, 0.0)?;
        match built.system.check_start() {
            Err(taut_barrier::Error::Intersecting { .. }) => {
                let soft = world.soft_bodies().next().is_some();
                let back = MORE * d_hat * if soft { 1.0 } else { 0.5 };
                let mut drawn = Self::build(world, back)?;
                drawn.system.check_start().map_err(|e| built.as_drawn(&drawn, e))?;
                built = drawn;
            }
            checked => checked.map_err(wrong)?,
        }
        let back = built.drawn_back + built.missing(d_hat)?;
        if back > 0.0 && back != built.drawn_back {
            built = Self::build(world, back)?;
            built.system.check_start().map_err(wrong)?;
        }
        Ok(built)
    }

    /// The same for a world that was changed, or went on elsewhere: surfaces stay drawn back as they are.
    pub(crate) fn renewed(&self, world: &World) -> Result<Self, Error> {
        let mut built = Self::build(world, self.drawn_back)?;
        match built.system.check_start() {
            Ok(()) if world.settings().contact == self.model => {}
            Ok(()) | Err(taut_barrier::Error::Intersecting { .. }) => built = Self::new(world)?,
            Err(other) => return Err(wrong(other)),
        }
        built.energy = self.energy;
        Ok(built)
    }

    /// By how much more surfaces are to be drawn back so that nothing is nearer than d̂; less than 0 if by less.
    fn missing(&self, d_hat: f64) -> Result<f64, Error> {
        let reach = MORE * d_hat;
        let mut near = self.system.near(2.0 * reach).map_err(wrong)?;
        // What is d̂ apart but for rounding is left as it is.
        near.retain(|n| n.distance * MORE < d_hat || self.drawn_back > 0.0);
        let needed = near.iter().filter_map(|n| {
            let rigid = n.bodies.iter().filter(|&&b| !self.is_soft(b)).count();
            (rigid > 0).then(|| (reach - n.distance) / rigid as f64)
        });
        let most = needed.fold(f64::NEG_INFINITY, f64::max);
        Ok(if most.is_finite() { most.max(-self.drawn_back) } else { 0.0 })
    }

    pub(super) fn is_soft(&self, body: BodyId) -> bool {
        self.softs.iter().any(|s| s.1 == body)
    }

    /// An error about drawn-back bodies in coordinates of these, which are not.
    fn as_drawn(&self, back: &Barriers, error: taut_barrier::Error) -> Error {
        let taut_barrier::Error::Intersecting { a, b, near } = error else { return wrong(error) };
        let found = (0..self.system.len()).find_map(|id| {
            let places = |system: &System| system.places(id).unwrap_or_default();
            let k = places(&back.system).iter().position(|p| *p == near)?;
            places(&self.system).get(k).copied()
        });
        let [x, y, z] = found.unwrap_or(near);
        Error::Stepper(format!(
            "contact barrier: {a} and {b} intersect near [{x:.6}, {y:.6}, {z:.6}], or one is inside the other, and do not part where surfaces of rigid \
             bodies are drawn back by {:.1e} m: move them apart",
            back.drawn_back
        ))
    }

    /// What is odd about the start, or will be slow.
    pub fn warnings(&self) -> Vec<String> {
        let mut said = Vec::new();
        let ContactModel::Barrier { d_hat, .. } = self.model else { return said };
        // What rounding draws back is no news.
        if self.drawn_back > 1e-3 * d_hat {
            said.push(format!(
                "bodies touch at the start, or are nearer than d_hat: all surfaces are drawn back by {:.1e} m, and shapes may overlap by less than twice that",
                self.drawn_back
            ));
        }
        let name = |id: BodyId| self.system.name(id).unwrap_or_default();
        // Soft bodies, and meshes that are inside out.
        let near = self.system.near(0.99 * d_hat).unwrap_or_default();
        for Near { bodies: [a, b], distance } in near.into_iter().take(MOST) {
            said.push(format!(
                "'{}' and '{}' start {distance:.1e} m apart, and drawing back does not help: barriers push them to d_hat, {d_hat:.1e} m, and what energy that gives counts as created; leave a gap of d_hat",
                name(a),
                name(b)
            ));
        }
        let fine = (0..self.system.len())
            .map(|id| (id, self.system.shortest_edge(id).unwrap_or(f64::INFINITY)))
            .filter(|&(id, edge)| edge < d_hat && !self.is_soft(id));
        for (id, edge) in fine.take(MOST) {
            said.push(format!(
                "'{}' has edges of {edge:.1e} m, shorter than d_hat, {d_hat:.1e} m: barriers act across whole features there, and steps are slow; take a smaller d_hat",
                name(id)
            ));
        }
        said
    }
}
