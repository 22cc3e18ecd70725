//! Loops compiled for the registers of the machine they run on.

use pulp::{Arch, Simd, WithSimd};

/// Calls `f`, whose body is compiled once for each kind of registers, if it and
/// all that it calls are `#[inline(always)]`.
///
/// `Arch::dispatch` itself takes closures too, but calls them by value, through
/// a shim that is compiled for the least registers only and is not inlined.
#[inline]
pub(crate) fn vectorized<R>(f: impl FnMut() -> R) -> R {
    struct Op<F>(F);
    impl<R, F: FnMut() -> R> WithSimd for Op<F> {
        type Output = R;
        #[inline(always)]
        fn with_simd<S: Simd>(mut self, _: S) -> R {
            (self.0)()
        }
    }
    Arch::new().dispatch(Op(f))
}
