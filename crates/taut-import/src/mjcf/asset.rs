//! Meshes that geoms name.

use super::compiler::Compiler;
use super::defaults::{Defaults, MAIN};
use crate::Options;
use crate::error::ImportError;
use crate::inertia::Inertia;
use crate::mesh::{self, Mesh};
use crate::placement;
use crate::xml::Element;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use taut::math::{Pose, Quat, Vec3};

/// The meshes by name; files are read when they are needed.
pub(super) struct Assets<'a> {
    meshes: BTreeMap<String, Element>,
    read: BTreeMap<String, Rc<Mesh>>,
    folder: PathBuf,
    strip_path: bool,
    options: &'a Options,
}

impl<'a> Assets<'a> {
    pub(super) fn read(
        root: &Element,
        compiler: &Compiler,
        defaults: &Defaults,
        folder: &Path,
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
        let folder = folder.join(&compiler.mesh_folder);
        Ok(Assets {
            meshes,
            read: BTreeMap::new(),
            folder,
            strip_path: compiler.strip_path,
            options,
        })
    }

    fn element(&self, name: &str, geom: &Element) -> Result<&Element, ImportError> {
        self.meshes.get(name).ok_or_else(|| geom.error(format!("no mesh is named '{name}'")))
    }

    /// Why a mesh cannot be read at all, if its kind is not known.
    pub(super) fn unknown(
        &self,
        name: &str,
        geom: &Element,
    ) -> Result<Option<String>, ImportError> {
        let element = self.element(name, geom)?;
        Ok(match element.get("file") {
            Some(file) if !mesh::is_known(file) => Some(format!("{file} is neither STL nor OBJ")),
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
                let file = if self.strip_path { last } else { file };
                // Files that were included may mean their own folder.
                let beside = Path::new(&*element.place.file).parent().map(Path::to_path_buf);
                let folders: Vec<PathBuf> =
                    self.options.mesh_paths.iter().cloned().chain(beside).collect();
                let path = mesh::find(file, &self.folder, &folders, &element.place)?;
                mesh::read(&path, &element.place)?
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
