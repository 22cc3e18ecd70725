//! Meshes of gmsh: `.msh` files as text, versions 2.2 and 4.1.
//!
//! Tetrahedra of 4 (type 4) or 10 nodes (type 11) are read; points, lines and triangles are left out, and with them the
//! nodes of no tetrahedron. Other volume elements, both kinds in one file, and binary files are errors.
//! Reference: the gmsh manual, "MSH file format".

use std::collections::HashMap;

use crate::matrix::Vec3;
use crate::{Error, Mesh};

impl Mesh {
    /// Reads the text of a `.msh` file. Coordinates are taken as metres.
    ///
    /// ```
    /// use taut_soft::Mesh;
    /// let text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n\
    ///             $Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n";
    /// assert_eq!(Mesh::from_gmsh(text)?.elements().count(), 1);
    /// # Ok::<(), taut_soft::Error>(())
    /// ```
    pub fn from_gmsh(text: &str) -> Result<Self, Error> {
        let mut reader = Reader { words: Vec::new(), at: 0 };
        for (k, line) in text.lines().enumerate() {
            reader.words.extend(line.split_whitespace().map(|word| (k + 1, word)));
        }
        let mut version = None;
        let mut nodes: Option<HashMap<u64, Vec3>> = None;
        let mut elements: Option<Found> = None;
        while let Some(&(line, word)) = reader.words.get(reader.at) {
            reader.at += 1;
            match (word, version) {
                ("$MeshFormat", _) => version = Some(reader.version()?),
                ("$Nodes", Some(v)) => nodes = Some(reader.nodes(v)?),
                ("$Elements", Some(v)) => elements = Some(reader.elements(v)?),
                ("$Nodes" | "$Elements", None) => {
                    return Err(failure(line, "$MeshFormat must come first"));
                }
                (section, _) if section.starts_with('$') => {
                    let end = format!("$End{}", &section[1..]);
                    reader.skip_to(&end);
                }
                _ => return Err(failure(line, format!("a section was expected, not '{word}'"))),
            }
        }
        let last = reader.words.last().map_or(1, |w| w.0);
        let missing = |what: &str| failure(last, format!("there is no section {what}"));
        let nodes = nodes.ok_or_else(|| missing("$Nodes"))?;
        let found = elements.ok_or_else(|| missing("$Elements"))?;
        renumbered(&nodes, &found)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Version {
    /// 2.2: every node and every element on a line of its own.
    Two,
    /// 4.1: in blocks, one for each part of the geometry.
    Four,
}

/// Tetrahedra as they are in the file: number of nodes of each, and their tags with the lines they came from.
#[derive(Default)]
struct Found {
    per_element: usize,
    tags: Vec<(usize, u64)>,
}

struct Reader<'a> {
    words: Vec<(usize, &'a str)>,
    at: usize,
}

fn failure(line: usize, message: impl Into<String>) -> Error {
    Error::File { line, message: message.into() }
}

impl Reader<'_> {
    fn word(&mut self, what: &str) -> Result<(usize, &str), Error> {
        let last = self.words.last().map_or(1, |w| w.0);
        let word = self.words.get(self.at).copied();
        self.at += 1;
        word.ok_or_else(|| failure(last, format!("the file ends where {what} was expected")))
    }

    fn parse<T: std::str::FromStr>(&mut self, what: &str) -> Result<T, Error> {
        let (line, word) = self.word(what)?;
        word.parse().map_err(|_| failure(line, format!("'{word}' is not {what}")))
    }

    fn expect(&mut self, section: &str) -> Result<(), Error> {
        let (line, word) = self.word(section)?;
        if word == section {
            Ok(())
        } else {
            Err(failure(line, format!("{section} was expected, not '{word}'")))
        }
    }

    fn skip_to(&mut self, end: &str) {
        while self.words.get(self.at).is_some_and(|w| w.1 != end) {
            self.at += 1;
        }
        self.at += 1;
    }

    fn version(&mut self) -> Result<Version, Error> {
        let (line, word) = self.word("a version")?;
        let version = match word {
            "2.2" => Version::Two,
            "4.1" => Version::Four,
            other => {
                let message = format!("version {other} is not read; save as version 2.2 or 4.1");
                return Err(failure(line, message));
            }
        };
        if self.parse::<u32>("0 or 1")? != 0 {
            return Err(failure(line, "binary files are not read; save as text"));
        }
        self.parse::<u32>("the size of a number")?;
        self.expect("$EndMeshFormat")?;
        Ok(version)
    }

    fn point(&mut self) -> Result<Vec3, Error> {
        let mut x = [0.0; 3];
        for x in &mut x {
            *x = self.parse("a coordinate")?;
        }
        Ok(x)
    }

    fn nodes(&mut self, version: Version) -> Result<HashMap<u64, Vec3>, Error> {
        let mut nodes = HashMap::new();
        if version == Version::Two {
            for _ in 0..self.parse::<u64>("the number of nodes")? {
                let tag = self.parse("the number of a node")?;
                nodes.insert(tag, self.point()?);
            }
        } else {
            let blocks = self.parse::<u64>("the number of blocks")?;
            for what in ["the number of nodes", "the least node", "the greatest node"] {
                self.parse::<u64>(what)?;
            }
            for _ in 0..blocks {
                let dimension = self.parse::<u32>("a dimension")?;
                self.parse::<i64>("the number of a part")?;
                let parametric = self.parse::<u32>("0 or 1")? != 0;
                let count = self.parse::<u64>("the number of nodes")?;
                let mut tags = Vec::new();
                for _ in 0..count {
                    tags.push(self.parse::<u64>("the number of a node")?);
                }
                for tag in tags {
                    nodes.insert(tag, self.point()?);
                    for _ in 0..if parametric { dimension } else { 0 } {
                        self.parse::<f64>("a parameter")?;
                    }
                }
            }
        }
        self.expect("$EndNodes")?;
        Ok(nodes)
    }

    fn elements(&mut self, version: Version) -> Result<Found, Error> {
        let mut found = Found::default();
        if version == Version::Two {
            for _ in 0..self.parse::<u64>("the number of elements")? {
                self.parse::<u64>("the number of an element")?;
                let kind = self.parse("the type of an element")?;
                for _ in 0..self.parse::<u64>("the number of tags")? {
                    self.parse::<i64>("a tag")?;
                }
                self.element(kind, &mut found)?;
            }
        } else {
            let blocks = self.parse::<u64>("the number of blocks")?;
            for what in ["the number of elements", "the least element", "the greatest element"] {
                self.parse::<u64>(what)?;
            }
            for _ in 0..blocks {
                self.parse::<u32>("a dimension")?;
                self.parse::<i64>("the number of a part")?;
                let kind = self.parse("the type of elements")?;
                for _ in 0..self.parse::<u64>("the number of elements")? {
                    self.parse::<u64>("the number of an element")?;
                    self.element(kind, &mut found)?;
                }
            }
        }
        self.expect("$EndElements")?;
        Ok(found)
    }

    /// The nodes of one element: kept if it is a tetrahedron, left out if it has no volume.
    fn element(&mut self, kind: u32, found: &mut Found) -> Result<(), Error> {
        let line = self.words.get(self.at.saturating_sub(1)).map_or(1, |w| w.0);
        // Points, lines, triangles and quadrangles, and the same with middle nodes.
        let (nodes, keep) = match kind {
            4 => (4, true),
            11 => (10, true),
            15 => (1, false),
            1 => (2, false),
            8 | 2 => (3, false),
            3 => (4, false),
            9 => (6, false),
            10 => (9, false),
            16 => (8, false),
            other => {
                let message = format!(
                    "elements of type {other} are not read, only tetrahedra of 4 (type 4) and 10 nodes (type 11)"
                );
                return Err(failure(line, message));
            }
        };
        if keep && found.per_element != nodes && found.per_element != 0 {
            return Err(failure(line, "tetrahedra of 4 and of 10 nodes in one file"));
        }
        for _ in 0..nodes {
            let line = self.words.get(self.at).map_or(line, |w| w.0);
            let tag = self.parse("the number of a node")?;
            if keep {
                found.per_element = nodes;
                found.tags.push((line, tag));
            }
        }
        Ok(())
    }
}

/// The mesh of the tetrahedra, with the nodes they have, in the order of their tags.
fn renumbered(nodes: &HashMap<u64, Vec3>, found: &Found) -> Result<Mesh, Error> {
    let mut tags: Vec<u64> = found.tags.iter().map(|t| t.1).collect();
    tags.sort_unstable();
    tags.dedup();
    let mut place = HashMap::new();
    let mut points = Vec::with_capacity(tags.len());
    for tag in tags {
        if let Some(x) = nodes.get(&tag) {
            place.insert(tag, points.len() as u32);
            points.push(*x);
        }
    }
    let mut elements = Vec::with_capacity(found.tags.len());
    for (line, tag) in &found.tags {
        let node =
            place.get(tag).ok_or_else(|| failure(*line, format!("there is no node {tag}")))?;
        elements.push(*node);
    }
    Mesh::new(points, found.per_element.max(4), elements)
}
