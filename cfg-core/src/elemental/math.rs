//! The two implementations of the functions in the table of operators.

/// The implementation that computes the transcendental functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Math {
    /// The platform's C library, which C programs call too: fast, but the last places may differ from one platform to
    /// another for the functions named by [`platform_dependent`](super::platform_dependent).
    #[default]
    Native,
    /// The `libm` crate: the same bits on every platform with IEEE 754 arithmetic, but for the sign and payload of a
    /// NaN.
    Portable,
}

impl Math {
    /// The function of this implementation: the native one is the first.
    pub(super) fn choose<F>(self, [native, portable]: [F; 2]) -> F {
        match self {
            Self::Native => native,
            Self::Portable => portable,
        }
    }
}

/// A function of one real.
pub type Unary = fn(f64) -> f64;
/// A function of two reals.
pub type Binary = fn(f64, f64) -> f64;
/// A function of three reals.
pub type Ternary = fn(f64, f64, f64) -> f64;
