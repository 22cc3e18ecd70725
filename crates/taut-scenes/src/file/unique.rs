//! Maps from JSON whose keys occur once; serde would keep the last of two.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use std::collections::BTreeMap;
use std::marker::PhantomData;

/// For `#[serde(deserialize_with)]`.
pub(super) fn keys<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    input: D,
) -> Result<BTreeMap<String, T>, D::Error> {
    input.deserialize_map(Keys(PhantomData))
}

struct Keys<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Keys<T> {
    type Value = BTreeMap<String, T>;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut input: A) -> Result<Self::Value, A::Error> {
        let mut map = BTreeMap::new();
        while let Some((key, value)) = input.next_entry::<String, T>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format!("'{key}' is there twice")));
            }
            map.insert(key, value);
        }
        Ok(map)
    }
}
