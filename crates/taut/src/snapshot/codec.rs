//! Values as bytes: little-endian, no padding, floats by their bits.

use crate::Error;
use crate::math::{Mat3, Pose, Quat, Vec3};

/// Reads bytes, never beyond their end.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    /// The number of the world that is read.
    pub(crate) world: u32,
    /// What brings the generations of its ids to that number.
    pub(crate) shift: u32,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Reader { rest: bytes, world: 0, shift: 0 }
    }

    pub(crate) fn bytes(&mut self, n: usize) -> Result<&'a [u8], Error> {
        if n > self.rest.len() {
            return Err(bad("it ends too early"));
        }
        let (head, rest) = self.rest.split_at(n);
        self.rest = rest;
        Ok(head)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}

pub(crate) fn bad(reason: impl Into<String>) -> Error {
    Error::Snapshot(reason.into())
}

/// A value that can be written and read back, bit for bit.
pub(crate) trait Store: Sized {
    fn put(&self, out: &mut Vec<u8>);
    fn get(from: &mut Reader) -> Result<Self, Error>;
}

/// Numbers by their bytes.
macro_rules! number {
    ($($type:ty),*) => {$(
        impl Store for $type {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn get(from: &mut Reader) -> Result<Self, Error> {
                let bytes = from.bytes(size_of::<$type>())?;
                Ok(<$type>::from_le_bytes(bytes.try_into().map_err(|_| bad("bad number"))?))
            }
        }
    )*};
}
number!(u8, u32, u64, f64);

impl Store for usize {
    fn put(&self, out: &mut Vec<u8>) {
        (*self as u64).put(out);
    }
    fn get(from: &mut Reader) -> Result<Self, Error> {
        usize::try_from(u64::get(from)?).map_err(|_| bad("a count is too large"))
    }
}

impl Store for bool {
    fn put(&self, out: &mut Vec<u8>) {
        u8::from(*self).put(out);
    }
    fn get(from: &mut Reader) -> Result<Self, Error> {
        Ok(u8::get(from)? != 0)
    }
}

impl Store for String {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        out.extend_from_slice(self.as_bytes());
    }
    fn get(from: &mut Reader) -> Result<Self, Error> {
        let n = usize::get(from)?;
        let bytes = from.bytes(n)?.to_vec();
        String::from_utf8(bytes).map_err(|_| bad("a name is not UTF-8"))
    }
}

impl<T: Store> Store for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }
    fn get(from: &mut Reader) -> Result<Self, Error> {
        if bool::get(from)? { Ok(Some(T::get(from)?)) } else { Ok(None) }
    }
}

impl<T: Store> Store for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        self.iter().for_each(|v| v.put(out));
    }
    fn get(from: &mut Reader) -> Result<Self, Error> {
        // No reservation: a false count must not exhaust the memory.
        let n = usize::get(from)?;
        let mut list = Vec::new();
        for _ in 0..n {
            list.push(T::get(from)?);
        }
        Ok(list)
    }
}

impl<T: Store, const N: usize> Store for [T; N] {
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|v| v.put(out));
    }
    fn get(from: &mut Reader) -> Result<Self, Error> {
        let list = (0..N).map(|_| T::get(from)).collect::<Result<Vec<T>, Error>>()?;
        list.try_into().map_err(|_| bad("bad array"))
    }
}

impl<A: Store, B: Store> Store for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }
    fn get(from: &mut Reader) -> Result<Self, Error> {
        Ok((A::get(from)?, B::get(from)?))
    }
}

impl Store for Vec3 {
    fn put(&self, out: &mut Vec<u8>) {
        self.to_array().put(out);
    }
    fn get(from: &mut Reader) -> Result<Self, Error> {
        Ok(Vec3::from_array(Store::get(from)?))
    }
}

impl Store for Quat {
    fn put(&self, out: &mut Vec<u8>) {
        [self.w, self.x, self.y, self.z].put(out);
    }
    fn get(from: &mut Reader) -> Result<Self, Error> {
        let [w, x, y, z] = Store::get(from)?;
        Ok(Quat::from_xyzw(x, y, z, w))
    }
}

impl Store for Mat3 {
    fn put(&self, out: &mut Vec<u8>) {
        self.to_cols_array().put(out);
    }
    fn get(from: &mut Reader) -> Result<Self, Error> {
        let columns: [f64; 9] = Store::get(from)?;
        Ok(Mat3::from_cols_array(&columns))
    }
}

impl Store for Pose {
    fn put(&self, out: &mut Vec<u8>) {
        self.translation.put(out);
        self.rotation.put(out);
    }
    fn get(from: &mut Reader) -> Result<Self, Error> {
        let (translation, rotation) = Store::get(from)?;
        Ok(Pose::from_parts(translation, rotation))
    }
}

/// Structs, field by field.
macro_rules! fields {
    ($($type:ty { $($field:ident),* $(,)? })*) => {$(
        impl Store for $type {
            fn put(&self, out: &mut Vec<u8>) {
                $(self.$field.put(out);)*
            }
            fn get(from: &mut Reader) -> Result<Self, Error> {
                Ok(Self { $($field: Store::get(from)?),* })
            }
        }
    )*};
}
pub(crate) use fields;

/// Enums, by a number for the variant and its fields.
macro_rules! variants {
    ($type:ty { $($number:literal = $variant:ident { $($field:ident),* }),* $(,)? }) => {
        impl Store for $type {
            fn put(&self, out: &mut Vec<u8>) {
                match self {
                    $(Self::$variant { $($field),* } => {
                        ($number as u8).put(out);
                        $($field.put(out);)*
                    })*
                }
            }
            fn get(from: &mut Reader) -> Result<Self, Error> {
                match u8::get(from)? {
                    $($number => Ok(Self::$variant { $($field: Store::get(from)?),* }),)*
                    n => Err(bad(format!("unknown variant {n} of {}", stringify!($type)))),
                }
            }
        }
    };
}
pub(crate) use variants;
