//! Methods that look for the index set: which rows are free, which sit at a
//! bound. The answer is exact once the set is right.

pub mod enumerate;
