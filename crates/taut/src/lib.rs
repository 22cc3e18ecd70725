//! Rigid multibody dynamics with joints and frictional contact.
