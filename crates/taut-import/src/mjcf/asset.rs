//! Meshes that geoms name.

use super::compiler::Compiler;
use super::defaults::{Defaults, MAIN};
use super::png;
use crate::Options;
use crate::error::{ImportError, Place};
use crate::inertia::Inertia;
use crate::mesh::{self, Mesh};
use crate::placement;
use crate::xml::Element;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use taut::math::{Pose, Quat, Vec3};
use taut_scenes::file::Shape;

/// The meshes by name; files are read when they are needed.
pub(super) struct Assets<'a> {
    meshes: BTreeMap<String, Element>,
    height_fields: BTreeMap<String, Element>,
    read: BTreeMap<String, Rc<Mesh>>,
    /// Where files are, and whether only the last parts of their names count, by model.
    folders: Vec<(PathBuf, bool)>,
    options: &'a Options,
}

impl<'a> Assets<'a> {
    pub(super) fn read(
        root: &Element,
        compilers: &[Compiler],
        defaults: &Defaults,
        options: &'a Options,
    ) -> Result<Self, ImportError> {
        let mut meshes = BTreeMap::new();
        for element in root.all("asset").flat_map(|a| a.all("mesh")) {
            let whole = defaults.complete(element, MAIN)?;
            let stem = |f: &str| Path::new(f).file_stem().map(|s| s.to_string_lossy().into_owned());
            let name = whole.get("name").map(str::to_string).or_else(|| stem(whole.get("file")?));
            let Some(name) = name else {
                return Err(element.error("a mesh needs a name or a file"));
            };
            if meshes.insert(name.clone(), whole).is_some() {
                return Err(element.error(format!("a second mesh is named '{name}'")));
            }
        }
        let mut height_fields = BTreeMap::new();
        for element in root.all("asset").flat_map(|a| a.all("hfield")) {
            let stem = |f: &str| Path::new(f).file_stem().map(|s| s.to_string_lossy().into_owned());
            let name =
                element.get("name").map(str::to_string).or_else(|| stem(element.get("file")?));
            height_fields.extend(name.map(|name| (name, element.clone())));
        }
        Ok(Assets {
            meshes,
            height_fields,
            read: BTreeMap::new(),
            folders: compilers.iter().map(|c| (c.mesh_folder.clone(), c.strip_path)).collect(),
            options,
        })
    }

    fn element(&self, name: &str, geom: &Element) -> Result<&Element, ImportError> {
        self.meshes.get(name).ok_or_else(|| geom.error(format!("no mesh is named '{name}'")))
    }

    /// Where a mesh is named.
    pub(super) fn place(&self, name: &str) -> Option<&Place> {
        self.meshes.get(name).map(|e| &e.place)
    }

    /// Why a mesh cannot be read at all, if its kind is not known.
    pub(super) fn unknown(
        &self,
        name: &str,
        geom: &Element,
    ) -> Result<Option<String>, ImportError> {
        let element = self.element(name, geom)?;
        Ok(match element.get("file") {
            Some(file) if !mesh::is_known(file) => Some(format!("{file} is not {}", mesh::KNOWN)),
            None if element.get("vertex").is_none() => {
                Some(format!("mesh '{name}' has neither file nor vertices"))
            }
            _ => None,
        })
    }

    /// A mesh, in the units of the model.
    pub(super) fn mesh(&mut self, name: &str, geom: &Element) -> Result<Rc<Mesh>, ImportError> {
        if let Some(mesh) = self.read.get(name) {
            return Ok(mesh.clone());
        }
        let element = self.element(name, geom)?;
        let raw = match element.get("file") {
            Some(file) => {
                let last = Path::new(file).file_name().and_then(|f| f.to_str()).unwrap_or(file);
                let (folder, strip) = &self.folders[element.model];
                let file = if *strip { last } else { file };
                // Files that were included may mean their own folder.
                let beside = Path::new(&*element.place.file).parent().map(Path::to_path_buf);
                let folders: Vec<PathBuf> =
                    self.options.mesh_paths.iter().cloned().chain(beside).collect();
                let path = mesh::find(file, folder, &folders, &element.place)?;
                mesh::read(&path, &element.place, true)?
            }
            None if element.get("face").is_none() => inline(element)?
                .hull()
                .ok_or_else(|| element.error("its vertices lie in a plane, and it has no faces"))?,
            None => inline(element)?,
        };
        let scale = element.array::<3>("scale")?.unwrap_or([1.0; 3]);
        let position = element.array::<3>("refpos")?.unwrap_or_default();
        let turn = match element.array::<4>("refquat")? {
            Some(q) => placement::from_wxyz(q)
                .ok_or_else(|| element.error("'refquat' has no direction"))?,
            None => Quat::IDENTITY,
        };
        let back = Pose::from_parts(Vec3::from(position), turn).inverse();
        let mesh = Rc::new(raw.mapped(|v| back * v, false).scaled(scale));
        self.read.insert(name.into(), mesh.clone());
        Ok(mesh)
    }

    /// A height field. Heights are scaled to lie between 0 and the third of its sizes, and rows
    /// begin at the far side, as in a picture; in a file they begin at the near one.
    pub(super) fn height_field(&self, name: &str, geom: &Element) -> Result<Shape, ImportError> {
        let missing = || geom.error(format!("no hfield is named '{name}'"));
        let e = self.height_fields.get(name).ok_or_else(missing)?;
        e.need("size")?;
        let [x, y, height, _] = e.array::<4>("size")?.unwrap_or_default();
        let count = |name| -> Result<usize, ImportError> {
            let n = e.number_or(name, 0.0)?;
            let whole = n.fract() == 0.0 && (0.0..=MOST_ROWS).contains(&n);
            let message =
                format!("'{name}': expected a whole number, at most {MOST_ROWS}, found {n}");
            if whole { Ok(n as usize) } else { Err(e.error(message)) }
        };
        let (mut rows, mut columns) = (count("nrow")?, count("ncol")?);
        let mut data = e.list("elevation")?.unwrap_or_else(|| vec![0.0; rows * columns]);
        if let Some(file) = e.get("file") {
            let path =
                mesh::find(file, &self.folders[e.model].0, &self.options.mesh_paths, &e.place)?;
            let picture = file.to_lowercase().ends_with(".png");
            let found = match picture {
                true => crate::xml::read_bytes(&path, 1 << 28)
                    .and_then(|bytes| png::read(&bytes, MOST_ROWS as usize)),
                false => read_heights(&path),
            };
            (rows, columns, data) = found.map_err(|m| e.error(format!("{file}: {m}")))?;
        } else {
            data = data.chunks(columns.max(1)).rev().flatten().copied().collect();
        }
        if rows < 2 || columns < 2 || data.len() != rows * columns {
            let found = data.len();
            return Err(e.error(format!(
                "expected {rows} × {columns} heights, 2 × 2 at least, found {found}"
            )));
        }
        let (least, most) =
            data.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &h| (a.min(h), b.max(h)));
        let scale = if most > least { height / (most - least) } else { 0.0 };
        let heights = data.iter().map(|h| (h - least) * scale).collect();
        Ok(Shape::HeightField { heights, nx: columns, ny: rows, size_x: 2.0 * x, size_y: 2.0 * y })
    }

    /// Mass properties of a mesh at 1 kg/m³ (or kg/m², as a shell), in its own frame.
    pub(super) fn inertia(
        &mut self,
        name: &str,
        geom: &Element,
        shell: bool,
    ) -> Result<Inertia, ImportError> {
        let mesh = self.mesh(name, geom)?;
        let element = self.element(name, geom)?;
        let solid = match element.get("inertia") {
            _ if shell => Some(mesh.shell()),
            Some("shell") => Some(mesh.shell()),
            Some("exact") => mesh.solid(false),
            Some("convex") => mesh.hull().and_then(|h| h.solid(false)),
            _ => mesh.solid(true),
        };
        solid.ok_or_else(|| element.error("the mesh has no volume, and so no mass"))
    }
}

/// A mesh whose vertices and faces stand in the model.
fn inline(element: &Element) -> Result<Mesh, ImportError> {
    let vertices = element.list("vertex")?.unwrap_or_default();
    let faces = element.list("face")?.unwrap_or_default();
    if vertices.len() % 3 != 0 || faces.len() % 3 != 0 {
        return Err(element.error("expected three numbers for each vertex and face"));
    }
    let vertices: Vec<Vec3> =
        vertices.chunks_exact(3).map(|c| Vec3::new(c[0], c[1], c[2])).collect();
    let known = |x: &f64| x.fract() == 0.0 && *x >= 0.0 && (*x as usize) < vertices.len();
    if !faces.iter().all(known) {
        return Err(element.error("'face': expected indices of vertices"));
    }
    let triangles = faces.chunks_exact(3).map(|c| [c[0] as u32, c[1] as u32, c[2] as u32]);
    Ok(Mesh { triangles: triangles.collect(), vertices })
}

/// Rows and columns of a height field at most.
const MOST_ROWS: f64 = 4096.0;

/// MuJoCo's own files of heights: rows, columns, heights.
fn read_heights(path: &Path) -> Result<(usize, usize, Vec<f64>), String> {
    let bytes = crate::xml::read_bytes(path, 1 << 28)?;
    let word = |at: usize| -> Option<[u8; 4]> { bytes.get(at..at + 4)?.try_into().ok() };
    let count = |at| word(at).map(|b| u64::from(u32::from_le_bytes(b))).ok_or("too short");
    let (rows, columns) = (count(0)?, count(4)?);
    if rows.checked_mul(columns).and_then(|n| n.checked_mul(4)?.checked_add(8))
        != Some(bytes.len() as u64)
    {
        return Err(format!("its length is not that of {rows} × {columns} heights"));
    }
    let number = |c: &[u8]| f64::from(f32::from_le_bytes([c[0], c[1], c[2], c[3]]));
    let data: Vec<f64> = bytes[8..].chunks_exact(4).map(number).collect();
    if data.iter().any(|h| !h.is_finite()) {
        return Err("a height is not finite".into());
    }
    Ok((rows as usize, columns as usize, data))
}
