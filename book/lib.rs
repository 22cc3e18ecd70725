//! The Rust of the book (`book/src`), as doc tests: a chapter each. Other blocks are run by
//! `crates/taut-cli/tests/book.rs` (scenes, commands) and `crates/taut-py/tests/test_docs.py`.
#![allow(rustdoc::invalid_codeblock_attributes, reason = "blocks of JSON say which file they are")]

#[doc = include_str!("src/start.md")]
pub mod start {}

#[doc = include_str!("src/theory/bodies.md")]
pub mod bodies {}

#[doc = include_str!("src/theory/constraints.md")]
pub mod constraints {}

#[doc = include_str!("src/theory/pivoting.md")]
pub mod pivoting {}

#[doc = include_str!("src/theory/cones.md")]
pub mod cones {}

#[doc = include_str!("src/theory/step.md")]
pub mod step {}

#[doc = include_str!("src/performance.md")]
pub mod performance {}
