//! The methods by name, for programs that let their user choose.

use crate::{Error, Impact, Options, Query, additive, cubic, multivariate, tight_inclusion};

/// A method; its name is that of its module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Method {
    /// [`crate::cubic`]
    Cubic,
    /// [`crate::multivariate`]
    Multivariate,
    /// [`crate::tight_inclusion`]
    #[default]
    TightInclusion,
    /// [`crate::additive`]
    Additive,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::Cubic, Self::Multivariate, Self::TightInclusion, Self::Additive];

    /// The module's name, such as `tight_inclusion`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cubic => "cubic",
            Self::Multivariate => "multivariate",
            Self::TightInclusion => "tight_inclusion",
            Self::Additive => "additive",
        }
    }

    /// The method with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }

    /// When the query's features first touch, by this method.
    pub fn first_contact(self, query: &Query, options: &Options) -> Result<Option<Impact>, Error> {
        match self {
            Self::Cubic => cubic::first_contact(query, options),
            Self::Multivariate => multivariate::first_contact(query, options),
            Self::TightInclusion => tight_inclusion::first_contact(query, options),
            Self::Additive => additive::first_contact(query, options),
        }
    }
}
