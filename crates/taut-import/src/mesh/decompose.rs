//! Convex parts of a mesh that is not convex, by V-HACD (parry's; Mamou and Ghorbel 2009), on request.
//!
//! The mesh is cut along planes until each part nearly fills its hull. That takes seconds for a mesh, so parts may be kept in a
//! folder, by a hash of the mesh. What nearly fills its own hull stays one hull.

use super::Mesh;
use crate::Options;
use parry3d_f64::transformation::vhacd::{VHACD, VHACDParameters};
use std::path::Path;
use taut::math::{Quat, Vec3};
use taut_scenes::file::{Part, Shape};

/// Cells along the longest side, and the share of volume that a part may lack.
const CELLS: u32 = 64;
const CONCAVITY: f64 = 0.01;
/// Of its hull's volume what a mesh has that counts as convex.
const CONVEX: f64 = 0.97;

impl Mesh {
    /// Its convex parts, if they are asked for.
    pub(crate) fn parts_if(&self, options: &Options) -> Option<Shape> {
        options.decompose.then(|| self.parts(options.mesh_cache.as_deref())).flatten()
    }

    /// Its convex parts as a shape, kept in a folder if there is one; none if it is convex, or no part has a volume.
    fn parts(&self, cache: Option<&Path>) -> Option<Shape> {
        let (own, hull) = (self.solid(false)?, self.hull()?.solid(false)?);
        if own.mass > CONVEX * hull.mass {
            return None;
        }
        let file = cache.map(|folder| folder.join(format!("{:016x}.json", self.hash())));
        let kept = file.as_deref().and_then(|f| std::fs::read(f).ok());
        let kept = kept.and_then(|b| serde_json::from_slice::<Vec<Vec<[f64; 3]>>>(&b).ok());
        let sound = |parts: &Vec<Vec<[f64; 3]>>| {
            parts.iter().flatten().flatten().all(|x| x.is_finite()) && parts.len() > 1
        };
        let parts = kept.filter(sound).unwrap_or_else(|| {
            let made = self.decomposed();
            if let (Some(file), Ok(text)) = (&file, serde_json::to_vec(&made)) {
                // A cache that cannot be written is none.
                let folder = file.parent().map(std::fs::create_dir_all);
                let _ = folder.and_then(Result::ok).map(|()| std::fs::write(file, text));
            }
            made
        });
        if parts.len() < 2 {
            return None;
        }
        let part = |points: Vec<[f64; 3]>| {
            Part::new(Shape::ConvexHull { points }, Vec3::ZERO, Quat::IDENTITY)
        };
        Some(Shape::Compound { parts: parts.into_iter().map(part).collect() })
    }

    fn decomposed(&self) -> Vec<Vec<[f64; 3]>> {
        let settings = VHACDParameters {
            concavity: CONCAVITY,
            resolution: CELLS,
            ..VHACDParameters::default()
        };
        let cut = VHACD::decompose(&settings, &self.vertices, &self.triangles, true);
        let clouds = cut
            .voxel_parts()
            .iter()
            .map(|part| part.compute_primitive_intersections(&self.vertices, &self.triangles));
        let hulls = clouds.filter_map(|vertices| {
            Mesh { vertices, triangles: Vec::new() }.hull().map(|h| h.thinned_hull().0)
        });
        hulls.map(|h| h.vertices.into_iter().map(Vec3::into).collect()).collect()
    }

    /// FNV-1a of its vertices and triangles, and of how it is cut.
    fn hash(&self) -> u64 {
        let numbers = self.vertices.iter().flat_map(|v| v.to_array().map(f64::to_bits));
        let corners = self.triangles.iter().flatten().map(|i| u64::from(*i));
        let settings = [u64::from(CELLS), CONCAVITY.to_bits()];
        let all = settings.into_iter().chain(numbers).chain(corners);
        let byte = |hash: u64, b: u8| (hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3);
        all.flat_map(u64::to_le_bytes).fold(0xcbf2_9ce4_8422_2325, byte)
    }
}
