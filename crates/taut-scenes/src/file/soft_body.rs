//! Soft bodies, as `{"name": "jelly", "mesh": {"block": {"size": [0.2, 0.2, 0.2], "cells": [4, 4, 4]}}}`.

use super::{UPRIGHT, is_default};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A soft body of tetrahedra.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SoftBody {
    /// Its name, unique among the soft bodies.
    pub name: String,
    /// Its mesh, in its own frame, at rest.
    pub mesh: SoftMesh,
    /// Whether each edge gets a node in its middle: quadratic elements, which bend as they should, where linear ones are too stiff
    /// unless they are many. Default false.
    #[serde(default, skip_serializing_if = "is_default")]
    pub quadratic: bool,
    /// Where the frame of the mesh is, in m. Default: the origin.
    #[serde(default, skip_serializing_if = "is_default")]
    pub position: [f64; 3],
    /// How it is turned (w, x, y, z). Default: not.
    #[serde(default = "upright", skip_serializing_if = "is_upright")]
    pub orientation: [f64; 4],
    /// Velocity of its centre of mass at the start, in m/s. Default 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub velocity: [f64; 3],
    /// Rate at which it turns about its centre of mass at the start, in rad/s. Default 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub angular_velocity: [f64; 3],
    /// The law of its material. Default "corotational".
    #[serde(default, skip_serializing_if = "is_default")]
    pub model: SoftModel,
    /// Young's modulus in Pa. Default 1e6.
    #[serde(default = "million")]
    pub young: f64,
    /// Poisson's ratio, more than −1 and less than 0.5. Default 0.3.
    #[serde(default = "three_tenths")]
    pub poisson: f64,
    /// Density in kg/m³. Default 1000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Mass in kg, in place of the density.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Rayleigh damping [α, β]: α in 1/s slows all motion, β in s deformation alone. Default [0, 0].
    #[serde(default, skip_serializing_if = "is_default")]
    pub damping: [f64; 2],
    /// Its surface; of that friction counts. Default "default".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Nodes within these regions stay where they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pinned: Vec<Region>,
    /// Nodes that are fixed to bodies, which the soft body then does not collide with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attached: Vec<Attached>,
    /// Its colour, "#rrggbb". Default: viewers choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour: Option<String>,
}

/// A mesh of tetrahedra. Lengths in m.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SoftMesh {
    /// A block with a corner at the origin.
    Block {
        /// Its edge lengths.
        size: [f64; 3],
        /// Cells along each of them, of six tetrahedra each.
        cells: [usize; 3],
    },
    /// A cylinder around the z axis, its lower end at z = 0.
    Cylinder {
        /// Its radius.
        radius: f64,
        /// Its height.
        height: f64,
        /// Cells along the radius, around, and along z.
        cells: [usize; 3],
    },
    /// A tube around the z axis, its lower end at z = 0.
    Tube {
        /// Inner and outer radius.
        radii: [f64; 2],
        /// Its height.
        height: f64,
        /// Cells along the radius, around, and along z.
        cells: [usize; 3],
    },
    /// A closed surface, filled with tetrahedra. Its edges are cut off by less than a cell; a `density` counts for what is inside the surface.
    Surface {
        /// The vertices.
        vertices: Vec<[f64; 3]>,
        /// Three vertices each, counter-clockwise seen from outside.
        triangles: Vec<[u32; 3]>,
        /// Size of tetrahedra.
        cell: f64,
    },
    /// Any tetrahedra.
    Tetrahedra {
        /// The nodes.
        nodes: Vec<[f64; 3]>,
        /// Four nodes each; seen from the fourth the first three run counter-clockwise.
        elements: Vec<[u32; 4]>,
    },
    /// The text of a gmsh file (version 4, ASCII) with tetrahedra.
    Gmsh {
        /// What it holds.
        text: String,
    },
}

/// A law of elasticity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SoftModel {
    /// Hooke's law of small strains: turns by more than a few degrees look like strains to it.
    Linear,
    /// Hooke's law in axes that turn with the material.
    #[default]
    Corotational,
    /// A law for rubber and flesh, which stays finite at inverted elements.
    StableNeoHookean,
}

/// A box in world coordinates, in m, its faces included.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Its least corner.
    pub min: [f64; 3],
    /// Its largest corner.
    pub max: [f64; 3],
}

/// Nodes that are fixed to a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attached {
    /// The name of the body.
    pub body: String,
    /// Where the nodes are at the start.
    pub within: Region,
}

impl SoftBody {
    /// A soft body with this mesh; the rest by default.
    pub fn new(name: impl Into<String>, mesh: SoftMesh) -> Self {
        SoftBody {
            name: name.into(),
            mesh,
            quadratic: false,
            position: [0.0; 3],
            orientation: UPRIGHT,
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            model: SoftModel::default(),
            young: million(),
            poisson: three_tenths(),
            density: None,
            mass: None,
            damping: [0.0; 2],
            material: None,
            pinned: Vec::new(),
            attached: Vec::new(),
            colour: None,
        }
    }
}

fn million() -> f64 {
    1e6
}

fn three_tenths() -> f64 {
    0.3
}

fn upright() -> [f64; 4] {
    UPRIGHT
}

fn is_upright(q: &[f64; 4]) -> bool {
    *q == UPRIGHT
}
