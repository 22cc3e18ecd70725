//! Pairs of surfaces whose properties do not follow from those of both: steel on ice, tyre on wet road.

use super::Material;
use crate::SurfaceId;
use crate::math::Vec3;
use crate::scene::anisotropy::{Grip, Side};

/// Names of surfaces, and pairs of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairs {
    pub(crate) names: Vec<String>,
    /// Sorted by their surfaces, in the order in which they were named.
    pub(crate) pairs: Vec<(SurfaceId, (SurfaceId, Material))>,
}

impl Pairs {
    /// The id of a name in the world of that number, a new one if need be.
    pub(crate) fn surface(&mut self, name: &str, world: u32) -> SurfaceId {
        let known = self.names.iter().position(|n| n == name);
        let index = known.unwrap_or_else(|| {
            self.names.push(name.into());
            self.names.len() - 1
        });
        SurfaceId::of_slot((index as u32, world))
    }

    /// Sets a pair, or sets it anew.
    pub(crate) fn set(&mut self, a: SurfaceId, b: SurfaceId, material: Material) {
        let same = |p: &(SurfaceId, (SurfaceId, Material))| {
            let (c, (d, _)) = *p;
            (c, d) == (a, b) || (d, c) == (a, b)
        };
        self.pairs.retain(|p| !same(p));
        let place = self.pairs.partition_point(|&(c, (d, _))| (c, d) < (a, b));
        self.pairs.insert(place, (a, (b, material)));
    }

    /// What was set for two surfaces, and whether the first is the second of that pair.
    pub(crate) fn of(&self, a: &Material, b: &Material) -> Option<(Material, bool)> {
        let (a, b) = (a.surface?, b.surface?);
        let find = |a: SurfaceId, b: SurfaceId| {
            let found = self.pairs.binary_search_by_key(&(a, b), |&(c, (d, _))| (c, d));
            found.ok().map(|i| self.pairs[i].1.1)
        };
        find(a, b).map(|m| (m, false)).or_else(|| find(b, a).map(|m| (m, true)))
    }
}

impl Grip {
    /// Of a pair with friction μ whose directions are those of one surface alone, of a or of b.
    pub(crate) fn of_pair(side: Side, is_b: bool, mu: f64) -> Grip {
        // The mean of a tensor and of its mirror image, which sees the opposite slip, is that tensor; so
        // is the ellipse of two matchsticks that are parallel.
        let mirror = Side { axis: -side.axis, ..side };
        match is_b {
            _ if side.axis == Vec3::ZERO => Grip::plain(mu),
            false => Grip::new(side, mirror, mu),
            true => Grip::new(mirror, side, mu),
        }
    }
}
