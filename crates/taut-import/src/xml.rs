//! XML as a tree of elements that know their file and line.
//!
//! Document types are refused, and with them entities that multiply. Depth and size are bounded:
//! what follows may walk the tree by recursion.

use crate::error::{ImportError, Place};
use std::path::Path;
use std::rc::Rc;

/// Files of more bytes are refused.
const MAX_BYTES: u64 = 1 << 28;
/// Elements within elements: robots have chains of some ten links.
const MAX_DEPTH: usize = 300;
const MAX_NODES: u32 = 4_000_000;

/// An element with its attributes.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub(crate) tag: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Element>,
    pub(crate) text: String,
    pub(crate) place: Place,
    /// Which model it is from, of those that an MJCF file attaches; 0: the file itself.
    pub(crate) model: usize,
}

/// Reads a file and returns its root.
pub(crate) fn read(path: &Path) -> Result<Element, ImportError> {
    let name = path.display().to_string();
    let place = Place::file(&name);
    let bytes = read_bytes(path, MAX_BYTES).map_err(|m| place.error(m))?;
    let text = String::from_utf8(bytes).map_err(|_| place.error("is not text in UTF-8"))?;
    parse(&text, &name)
}

/// The bytes of a regular file that is not too large.
pub(crate) fn read_bytes(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let meta = std::fs::metadata(path).map_err(|e| format!("cannot be read: {e}"))?;
    if !meta.is_file() {
        return Err("is not a regular file".into());
    }
    if meta.len() > most {
        return Err(format!("has {} bytes; at most {most} are read", meta.len()));
    }
    std::fs::read(path).map_err(|e| format!("cannot be read: {e}"))
}

/// The root of a text; `name` is what errors call it.
pub(crate) fn parse(text: &str, name: &str) -> Result<Element, ImportError> {
    let options = roxmltree::ParsingOptions {
        allow_dtd: false,
        nodes_limit: MAX_NODES,
        ..roxmltree::ParsingOptions::default()
    };
    let file: Rc<str> = name.into();
    let at = |line| Place { file: file.clone(), line };
    let document = roxmltree::Document::parse_with_options(text, options).map_err(|e| {
        let words = e.to_string();
        // "… at 1:2", "… at 1:2 is already defined".
        let words = match words.rsplit_once(" at ") {
            Some((before, rest)) => {
                let after = rest.split_once(' ').map_or(String::new(), |(_, w)| format!(" {w}"));
                format!("{before}{after}")
            }
            None => words,
        };
        // Of a text that ends too early it names the first line.
        let row = match e {
            roxmltree::Error::UnexpectedEndOfStream => text.lines().count() as u32,
            _ => e.pos().row,
        };
        at(row).error(format!("not valid XML: {words}"))
    })?;
    let lines = Lines::new(text);
    let place = |node: roxmltree::Node| at(lines.of(node.range().start));
    convert(document.root_element(), 1, &place)
}

/// Where lines begin.
struct Lines(Vec<usize>);

impl Lines {
    fn new(text: &str) -> Self {
        Lines(text.match_indices('\n').map(|(i, _)| i).collect())
    }

    fn of(&self, byte: usize) -> u32 {
        1 + self.0.partition_point(|&end| end < byte) as u32
    }
}

fn convert(
    node: roxmltree::Node,
    depth: usize,
    place: &dyn Fn(roxmltree::Node) -> Place,
) -> Result<Element, ImportError> {
    if depth > MAX_DEPTH {
        let message = format!("elements are nested more than {MAX_DEPTH} deep");
        return Err(place(node).error(message));
    }
    let attribute = |a: roxmltree::Attribute| (a.name().to_string(), a.value().to_string());
    let children = node.children().filter(|n| n.is_element());
    Ok(Element {
        tag: node.tag_name().name().to_string(),
        attributes: node.attributes().map(attribute).collect(),
        children: children.map(|n| convert(n, depth + 1, place)).collect::<Result<_, _>>()?,
        text: node.text().unwrap_or_default().trim().to_string(),
        place: place(node),
        model: 0,
    })
}

impl Element {
    /// A mistake in this element.
    pub(crate) fn error(&self, message: impl Into<String>) -> ImportError {
        self.place.error(format!("{}: {}", self.label(), message.into()))
    }

    /// "joint 'knee'", or "joint".
    pub(crate) fn label(&self) -> String {
        match self.get("name") {
            Some(name) => format!("{} '{name}'", self.tag),
            None => self.tag.clone(),
        }
    }

    /// An attribute.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// An attribute that has to be there.
    pub(crate) fn need(&self, name: &str) -> Result<&str, ImportError> {
        self.get(name).ok_or_else(|| self.error(format!("'{name}' is missing")))
    }

    /// The first child of that tag.
    pub(crate) fn child(&self, tag: &str) -> Option<&Element> {
        self.children.iter().find(|c| c.tag == tag)
    }

    /// The children of that tag.
    pub(crate) fn all<'a>(&'a self, tag: &'a str) -> impl Iterator<Item = &'a Element> + Clone {
        self.children.iter().filter(move |c| c.tag == tag)
    }

    /// Numbers of an attribute, as many as there are, all finite.
    pub(crate) fn list(&self, name: &str) -> Result<Option<Vec<f64>>, ImportError> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let numbers = numbers(text).map_err(|m| self.error(format!("'{name}': {m}")))?;
        Ok(Some(numbers))
    }

    /// Exactly N numbers of an attribute.
    pub(crate) fn array<const N: usize>(
        &self,
        name: &str,
    ) -> Result<Option<[f64; N]>, ImportError> {
        let Some(list) = self.list(name)? else { return Ok(None) };
        let found = list.len();
        let array = list.try_into().map_err(|_| {
            let s = if N == 1 { "" } else { "s" };
            self.error(format!("'{name}': expected {N} number{s}, found {found}"))
        })?;
        Ok(Some(array))
    }

    /// A number of an attribute.
    pub(crate) fn number(&self, name: &str) -> Result<Option<f64>, ImportError> {
        Ok(self.array::<1>(name)?.map(|[x]| x))
    }

    /// A number of an attribute, or what stands in for it.
    pub(crate) fn number_or(&self, name: &str, default: f64) -> Result<f64, ImportError> {
        Ok(self.number(name)?.unwrap_or(default))
    }

    /// A number of an attribute that is not negative.
    pub(crate) fn at_least_0(&self, name: &str, default: f64) -> Result<f64, ImportError> {
        let x = self.number_or(name, default)?;
        if x < 0.0 {
            return Err(self.error(format!("'{name}': expected at least 0, found {x}")));
        }
        Ok(x)
    }

    /// The numbers of the element's text; exactly N.
    pub(crate) fn text_array<const N: usize>(&self) -> Result<[f64; N], ImportError> {
        let list = numbers(&self.text).map_err(|m| self.error(m))?;
        let found = list.len();
        list.try_into().map_err(|_| self.error(format!("expected {N} numbers, found {found}")))
    }
}

/// Finite numbers between white space.
fn numbers(text: &str) -> Result<Vec<f64>, String> {
    let number = |word: &str| match word.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        _ => {
            let word: String = word.chars().take(40).collect();
            Err(format!("expected a finite number, found '{word}'"))
        }
    };
    text.split_whitespace().map(number).collect()
}
