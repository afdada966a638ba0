//! The functions of the C library, one line each: how they are computed, or why they are not.

use cfg_core::ir::Op;

/// How a function of the library is translated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum How {
    /// An operator on as many reals as it takes, of the function's own precision.
    Op(Op),
    /// fmin and fmax: the other operand where one is NaN.
    Least(Op),
    /// fdim: the difference if it is positive, 0 if not; NaN where one of the two is.
    PositiveDifference,
    /// Absolute value of an integer.
    IntegerAbs,
    /// A power of a constant base.
    PowerOf(f64),
    /// The nearest integer, halves away from zero.
    RoundToInteger,
    IsNan,
    IsInfinite,
    IsFinite,
    SignBit,
    /// isunordered: one of two reals is NaN.
    Unordered,
    /// islessgreater: the one is less than the other.
    LessOrGreater,
    Infinity,
    NotANumber,
    /// It is written in C, in `library`, and read with the files that call it.
    Written,
    /// It computes nothing that the program uses: left out.
    Passive,
    /// The like of va_start, which belongs to what is left out.
    Silent,
    /// assert: the program stops if its first operand is 0.
    Assert,
    /// What assert calls where it does not hold.
    AssertionFailed,
    /// exit, abort and their like: the program stops.
    Stop,
    /// malloc, calloc, realloc and their like.
    Allocate,
    /// free.
    Release,
    /// memcpy and memmove.
    Copy,
    /// memset.
    Clear,
    /// Refused, with a way out.
    Refused(&'static str),
}

const OUTSIDE: &str = "read values in the caller and pass them as parameters";
/// How texts may be used.
pub(super) const KEPT: &str = "texts are only printed, and kept for that: use an enumeration";
const TEXT: &str = "print with printf or fprintf, which are left out";
const BESSEL: &str = "write the function out, with its derivative";

#[rustfmt::skip]
const FUNCTIONS: &[(&str, How)] = &[
    ("acos", How::Op(Op::Acos)), ("asin", How::Op(Op::Asin)), ("atan", How::Op(Op::Atan)),
    ("atan2", How::Op(Op::Atan2)), ("cos", How::Op(Op::Cos)), ("sin", How::Op(Op::Sin)),
    ("tan", How::Op(Op::Tan)), ("acosh", How::Op(Op::Acosh)), ("asinh", How::Op(Op::Asinh)),
    ("atanh", How::Op(Op::Atanh)), ("cosh", How::Op(Op::Cosh)), ("sinh", How::Op(Op::Sinh)),
    ("tanh", How::Op(Op::Tanh)), ("exp", How::Op(Op::Exp)), ("expm1", How::Op(Op::Expm1)),
    ("log", How::Op(Op::Log)), ("log2", How::Op(Op::Log2)), ("log10", How::Op(Op::Log10)),
    ("log1p", How::Op(Op::Log1p)), ("cbrt", How::Op(Op::Cbrt)), ("sqrt", How::Op(Op::Sqrt)),
    ("pow", How::Op(Op::Pow)), ("hypot", How::Op(Op::Hypot)), ("fabs", How::Op(Op::Abs)),
    ("erf", How::Op(Op::Erf)), ("erfc", How::Op(Op::Erfc)), ("tgamma", How::Op(Op::Gamma)),
    ("lgamma", How::Op(Op::Lgamma)), ("ceil", How::Op(Op::Ceil)), ("floor", How::Op(Op::Floor)),
    ("round", How::Op(Op::Round)), ("trunc", How::Op(Op::Trunc)), ("fmod", How::Op(Op::Mod)),
    ("copysign", How::Op(Op::Sign)), ("fma", How::Op(Op::Fma)), ("fmax", How::Least(Op::Max)),
    ("fmin", How::Least(Op::Min)), ("lround", How::RoundToInteger), ("llround", How::RoundToInteger),
    ("exp2", How::PowerOf(2.0)), ("exp10", How::PowerOf(10.0)),
    ("fdim", How::PositiveDifference),
    ("rint", How::Written), ("nearbyint", How::Written), ("lrint", How::Written), ("llrint", How::Written),
    ("remainder", How::Written), ("drem", How::Written), ("remquo", How::Refused("use remainder")),
    ("logb", How::Written), ("ilogb", How::Written), ("frexp", How::Written), ("ldexp", How::Written),
    ("scalbn", How::Written), ("scalbln", How::Written), ("modf", How::Written), ("sincos", How::Written),
    ("nan", How::Refused("use NAN")), ("nextafter", How::Refused("use a tolerance")),
    ("nexttoward", How::Refused("use a tolerance")),
    ("j0", How::Refused(BESSEL)), ("j1", How::Refused(BESSEL)), ("jn", How::Refused(BESSEL)),
    ("y0", How::Refused(BESSEL)), ("y1", How::Refused(BESSEL)), ("yn", How::Refused(BESSEL)),
    ("gamma", How::Refused("use lgamma or tgamma")),
    ("__cfgrev_isnan", How::IsNan), ("__cfgrev_isinf", How::IsInfinite),
    ("__cfgrev_isfinite", How::IsFinite), ("__cfgrev_signbit", How::SignBit),
    ("__cfgrev_isnormal", How::Written),
    ("__cfgrev_fpclassify", How::Refused("use isnan, isinf, or a comparison with 0")),
    ("__cfgrev_isunordered", How::Unordered), ("__cfgrev_islessgreater", How::LessOrGreater),
    ("__builtin_isunordered", How::Unordered), ("__builtin_islessgreater", How::LessOrGreater),
    ("__builtin_isnan", How::IsNan), ("__builtin_isinf_sign", How::IsInfinite),
    ("__builtin_isfinite", How::IsFinite), ("__builtin_signbit", How::SignBit),
    ("__builtin_inff", How::Infinity), ("__builtin_huge_val", How::Infinity),
    ("__builtin_huge_valf", How::Infinity), ("__builtin_nanf", How::NotANumber),
    ("__builtin_isgreater", How::Written), ("__builtin_isgreaterequal", How::Written),
    ("__builtin_isless", How::Written), ("__builtin_islessequal", How::Written), ("__builtin_isnormal", How::Written),
    ("__builtin_fpclassify", How::Refused("use isnan, isinf, or a comparison with 0")),
    ("__assert_fail", How::AssertionFailed),
    ("__cfgrev_bits", How::Written), ("__cfgrev_real", How::Written),
    ("__cfgrev_inf", How::Infinity), ("__cfgrev_nan", How::NotANumber),
    ("__cfgrev_assert", How::Assert),
    ("abs", How::IntegerAbs), ("labs", How::IntegerAbs), ("llabs", How::IntegerAbs),
    ("malloc", How::Allocate), ("calloc", How::Allocate), ("realloc", How::Allocate),
    ("aligned_alloc", How::Allocate), ("memalign", How::Allocate), ("posix_memalign", How::Allocate),
    ("reallocarray", How::Allocate),
    ("free", How::Release),
    ("exit", How::Stop), ("abort", How::Stop), ("_Exit", How::Stop), ("quick_exit", How::Stop),
    ("rand", How::Refused("draw numbers in the caller and pass them as parameters")),
    ("srand", How::Refused("draw numbers in the caller and pass them as parameters")),
    ("atoi", How::Refused(OUTSIDE)), ("atol", How::Refused(OUTSIDE)), ("atof", How::Refused(OUTSIDE)),
    ("strtod", How::Refused(OUTSIDE)), ("strtol", How::Refused(OUTSIDE)), ("getenv", How::Refused(OUTSIDE)),
    ("qsort", How::Refused("write the sort out")),
    ("memcpy", How::Copy), ("memmove", How::Copy), ("memset", How::Clear),
    ("printf", How::Passive), ("fprintf", How::Passive), ("puts", How::Passive),
    ("putchar", How::Passive), ("fflush", How::Passive), ("fputs", How::Passive),
    ("perror", How::Passive), ("fputc", How::Passive), ("putc", How::Passive), ("vprintf", How::Passive),
    ("vfprintf", How::Passive), ("__cfgrev_va_start", How::Silent), ("__cfgrev_va_end", How::Silent),
    ("__builtin_va_start", How::Silent), ("__builtin_va_end", How::Silent), ("__builtin_va_copy", How::Silent),
    ("__cfgrev_va_arg", How::Refused("give the function a fixed number of parameters")),
    ("sprintf", How::Refused(TEXT)), ("snprintf", How::Refused(TEXT)), ("vsprintf", How::Refused(TEXT)),
    ("vsnprintf", How::Refused(TEXT)),
    ("scanf", How::Refused(OUTSIDE)), ("fscanf", How::Refused(OUTSIDE)), ("fgets", How::Refused(OUTSIDE)),
    ("fopen", How::Refused(OUTSIDE)), ("fclose", How::Refused(OUTSIDE)), ("fread", How::Refused(OUTSIDE)),
    ("fgetc", How::Refused(OUTSIDE)), ("getc", How::Refused(OUTSIDE)), ("getchar", How::Refused(OUTSIDE)),
    ("sscanf", How::Refused(OUTSIDE)), ("fwrite", How::Refused(TEXT)), ("strcmp", How::Refused(KEPT)),
    ("strncmp", How::Refused(KEPT)), ("strlen", How::Refused(KEPT)), ("strcpy", How::Refused(KEPT)),
    ("strncpy", How::Refused(KEPT)), ("strcat", How::Refused(KEPT)), ("strchr", How::Refused(KEPT)),
    ("strstr", How::Refused(KEPT)), ("clock", How::Refused("measure time in the caller")),
    ("time", How::Refused("measure time in the caller")),
];

/// The function of a name; those of float and long double have the suffixes f and l.
pub(crate) fn how(name: &str) -> Option<How> {
    let find = |name: &str| {
        FUNCTIONS
            .iter()
            .find(|(n, _)| *n == name)
            .map(|(_, how)| *how)
    };
    find(name).or_else(|| {
        let stem = name.strip_suffix(['f', 'l'])?;
        find(stem).filter(|_| is_real_function(stem))
    })
}

/// True of functions that have versions for float and long double.
fn is_real_function(name: &str) -> bool {
    how(name).is_some_and(|how| {
        !matches!(
            how,
            How::Passive
                | How::Silent
                | How::Stop
                | How::AssertionFailed
                | How::IntegerAbs
                | How::Allocate
                | How::Release
                | How::Copy
                | How::Clear
        )
    })
}

/// True of functions whose names are those of the library.
pub(crate) fn is_known(name: &str) -> bool {
    how(name).is_some()
}

/// True of functions that become an expression, without statements.
pub(crate) fn is_pure(name: &str) -> bool {
    how(name).is_some_and(|how| {
        !matches!(
            how,
            How::Least(_)
                | How::PositiveDifference
                | How::Passive
                | How::Silent
                | How::Assert
                | How::AssertionFailed
                | How::Stop
                | How::Allocate
                | How::Release
                | How::Copy
                | How::Clear
                | How::Refused(_)
        )
    })
}

/// The functions that are written in C.
#[cfg(test)]
pub(crate) fn written() -> impl Iterator<Item = &'static str> {
    let written = FUNCTIONS.iter().filter(|(_, how)| *how == How::Written);
    written.map(|(name, _)| *name)
}
