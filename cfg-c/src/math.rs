//! The table of functions of the C library, one line each: how a function is computed, or why it is refused.

use cfg_core::ir::Op;
use std::{collections::HashMap, sync::LazyLock};

/// How a function of the library is translated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum How {
    /// An operator on as many reals as it takes, of the function's own precision.
    Op(Op),
    /// fmin and fmax: if one operand is NaN, the other one.
    Least(Op),
    /// fdim: the difference if it is positive, 0 if not; NaN if an operand is NaN.
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
    /// A function written in C, in `library`, and read with the files that call it.
    Written,
    /// A function that reads or writes texts, written in C, too: calls for texts that are only printed are left out
    /// before.
    Characters,
    /// A function that computes nothing that the program uses: left out.
    Passive,
    /// A function of the program that changes only its own variables, and whose value nothing uses: left out.
    Telling,
    /// A function of another file that returns nothing and gets nothing that it could write to: left out.
    Unseen,
    /// A function that makes a text that is only printed, such as that of an error.
    Text,
    /// va_start and its like, which belong to calls that are left out.
    Silent,
    /// assert: the program stops if its first operand is 0.
    Assert,
    /// The function that `assert` calls if it fails.
    AssertionFailed,
    /// exit, abort and their like: the program stops.
    Stop,
    /// malloc, calloc, realloc and their like.
    Allocate,
    /// qsort and bsearch, which are written in C for each type of elements.
    Sort,
    /// free.
    Release,
    /// An answer of the system, such as the time: 0, with a warning, since it is no input. Written in C, too.
    System,
    /// memcpy and memmove.
    Copy,
    /// memset.
    Clear,
    /// Refused, with a way out.
    Refused(&'static str),
}

const OUTSIDE: &str = "read values in the caller and pass them as parameters";
/// The help of messages about texts: the uses that are supported.
pub(crate) const KEPT: &str = "texts are printed, kept, compared, measured and copied: use strcmp, strlen, strcpy and their like, or an enumeration";
const TEXT: &str = "print with printf or fprintf, which are left out";
const FILES: &str =
    "read and write files in the caller; what is printed to stdout and stderr is left out";
const RANDOM: &str = "draw numbers in the caller and pass them as parameters";
const AT_EXIT: &str = "leave to the caller what is done at the end";
const WIDE: &str = "use char and the functions of ctype.h";
const TIME: &str = "measure time in the caller";
const THREADS: &str = "call the function itself: one thread computes everything";
const JUMP: &str = "return a status instead";
const FLAGS: &str = "ask values what they are, with isnan, isinf and isfinite";
const NEAREST: &str = "results are rounded to nearest: leave the mode as it is";
const TABLE: &str = "keep the functions of ctype.h from being macros: #undef them, or read the file without preprocessing it first";
const VARIABLE: &str = "give the function a fixed number of parameters";
const INVERSE: &str = "write it with clog and csqrt";
const BESSEL: &str = "write the function out, with its derivative";

/// The functions that are no operators.
#[rustfmt::skip]
const FUNCTIONS: &[(&str, How)] = &[
    ("fmax", How::Least(Op::Max)), ("fmin", How::Least(Op::Min)),
    ("lround", How::RoundToInteger), ("llround", How::RoundToInteger),
    ("exp2", How::PowerOf(2.0)), ("exp10", How::PowerOf(10.0)),
    ("fdim", How::PositiveDifference),
    ("rint", How::Written), ("nearbyint", How::Written), ("lrint", How::Written), ("llrint", How::Written),
    ("remainder", How::Written), ("drem", How::Written), ("remquo", How::Written),
    ("logb", How::Written), ("ilogb", How::Written), ("frexp", How::Written), ("ldexp", How::Written),
    ("scalbn", How::Written), ("scalbln", How::Written), ("modf", How::Written), ("sincos", How::Written),
    ("nan", How::NotANumber), ("nextafter", How::Refused("use a tolerance")),
    ("nexttoward", How::Refused("use a tolerance")), ("significand", How::Refused("use frexp")), ("finite", How::IsFinite),
    ("j0", How::Refused(BESSEL)), ("j1", How::Refused(BESSEL)), ("jn", How::Refused(BESSEL)),
    ("y0", How::Refused(BESSEL)), ("y1", How::Refused(BESSEL)), ("yn", How::Refused(BESSEL)),
    ("gamma", How::Refused("use lgamma or tgamma")),
    ("__cfgrev_isnan", How::IsNan), ("__cfgrev_isinf", How::IsInfinite),
    ("__cfgrev_isfinite", How::IsFinite), ("__cfgrev_signbit", How::SignBit),
    ("__cfgrev_isnormal", How::Written), ("__cfgrev_fpclassify", How::Written),
    ("__cfgrev_isunordered", How::Unordered), ("__cfgrev_islessgreater", How::LessOrGreater),
    ("__builtin_isunordered", How::Unordered), ("__builtin_islessgreater", How::LessOrGreater),
    ("__builtin_isnan", How::IsNan), ("__builtin_isinf", How::IsInfinite), ("__builtin_isinf_sign", How::IsInfinite),
    ("__builtin_isfinite", How::IsFinite), ("__builtin_signbit", How::SignBit),
    ("__builtin_inf", How::Infinity), ("__builtin_huge_val", How::Infinity),
    ("__builtin_powi", How::Written), ("__builtin_isgreater", How::Written), ("__builtin_isgreaterequal", How::Written),
    ("__builtin_isless", How::Written), ("__builtin_islessequal", How::Written), ("__builtin_isnormal", How::Written),
    ("__builtin_ctz", How::Written), ("__builtin_ctzl", How::Written), ("__builtin_ctzll", How::Written),
    ("__builtin_clz", How::Written), ("__builtin_clzl", How::Written), ("__builtin_clzll", How::Written),
    ("__builtin_ffs", How::Written), ("__builtin_ffsl", How::Written), ("__builtin_ffsll", How::Written),
    ("__builtin_popcount", How::Written), ("__builtin_popcountl", How::Written), ("__builtin_popcountll", How::Written),
    ("__builtin_parity", How::Written), ("__builtin_parityl", How::Written), ("__builtin_parityll", How::Written),
    ("__builtin_fpclassify", How::Refused("use isnan, isinf, or a comparison with 0")),
    ("__builtin_unreachable", How::Stop), ("__builtin_trap", How::Stop), ("__builtin_prefetch", How::Silent),
    ("__assert_fail", How::AssertionFailed),
    ("__cfgrev_bits", How::Written), ("__cfgrev_real", How::Written),
    ("creal", How::Written), ("cimag", How::Written), ("cabs", How::Written), ("carg", How::Written), ("conj", How::Written),
    ("cproj", How::Written), ("cexp", How::Written), ("clog", How::Written), ("csqrt", How::Written), ("cpow", How::Written),
    ("csin", How::Written), ("ccos", How::Written), ("ctan", How::Written), ("csinh", How::Written), ("ccosh", How::Written),
    ("ctanh", How::Written),
    ("casin", How::Refused(INVERSE)), ("cacos", How::Refused(INVERSE)), ("catan", How::Refused(INVERSE)),
    ("casinh", How::Refused(INVERSE)), ("cacosh", How::Refused(INVERSE)), ("catanh", How::Refused(INVERSE)),
    ("__cfgrev_complex", How::Written), ("__cfgrev_converted", How::Written), ("__cfgrev_equal", How::Written),
    ("__cfgrev_negative", How::Written), ("__cfgrev_sum", How::Written), ("__cfgrev_difference", How::Written),
    ("__cfgrev_product", How::Written), ("__cfgrev_quotient", How::Written), ("__cfgrev_sum_real", How::Written),
    ("__cfgrev_difference_real", How::Written), ("__cfgrev_real_difference", How::Written), ("__cfgrev_product_real", How::Written),
    ("__cfgrev_quotient_real", How::Written), ("__cfgrev_unit", How::Written), ("__cfgrev_zero_of_nan", How::Written),
    ("__cfgrev_times_exp", How::Written), ("__cfgrev_square_less_one", How::Written), ("__cfgrev_log_abs", How::Written),
    ("__cfgrev_within", How::Written), ("__cfgrev_less", How::Written), ("__cfgrev_usual", How::Written),
    ("__cfgrev_inf", How::Infinity), ("__cfgrev_nan", How::NotANumber),
    ("__cfgrev_assert", How::Assert),
    ("abs", How::IntegerAbs), ("labs", How::IntegerAbs), ("llabs", How::IntegerAbs), ("imaxabs", How::IntegerAbs),
    ("div", How::Written), ("ldiv", How::Written), ("lldiv", How::Written), ("imaxdiv", How::Written),
    ("malloc", How::Allocate), ("calloc", How::Allocate), ("realloc", How::Allocate),
    ("alloca", How::Allocate),
    ("aligned_alloc", How::Allocate), ("memalign", How::Allocate), ("posix_memalign", How::Allocate),
    ("reallocarray", How::Allocate),
    ("free", How::Release),
    ("exit", How::Stop), ("abort", How::Stop), ("_Exit", How::Stop), ("quick_exit", How::Stop),
    ("atexit", How::Refused(AT_EXIT)), ("at_quick_exit", How::Refused(AT_EXIT)), ("system", How::Refused("leave commands to the caller")),
    ("rand", How::Refused(RANDOM)), ("srand", How::Refused(RANDOM)), ("random", How::Refused(RANDOM)),
    ("srandom", How::Refused(RANDOM)), ("drand48", How::Refused(RANDOM)), ("srand48", How::Refused(RANDOM)),
    ("atoi", How::Refused(OUTSIDE)), ("atol", How::Refused(OUTSIDE)), ("atoll", How::Refused(OUTSIDE)),
    ("atof", How::Refused(OUTSIDE)), ("strtod", How::Refused(OUTSIDE)), ("strtof", How::Refused(OUTSIDE)),
    ("strtold", How::Refused(OUTSIDE)), ("strtol", How::Refused(OUTSIDE)), ("strtoul", How::Refused(OUTSIDE)),
    ("strtoll", How::Refused(OUTSIDE)), ("strtoull", How::Refused(OUTSIDE)), ("strtoimax", How::Refused(OUTSIDE)),
    ("strtoumax", How::Refused(OUTSIDE)), ("wcstoimax", How::Refused(OUTSIDE)), ("wcstoumax", How::Refused(OUTSIDE)),
    ("wcstod", How::Refused(OUTSIDE)), ("wcstol", How::Refused(OUTSIDE)), ("getenv", How::System),
    ("qsort", How::Sort), ("bsearch", How::Sort),
    ("mblen", How::Refused(KEPT)), ("mbtowc", How::Refused(KEPT)), ("wctomb", How::Refused(KEPT)),
    ("mbstowcs", How::Refused(KEPT)), ("wcstombs", How::Refused(KEPT)),
    ("memcpy", How::Copy), ("memmove", How::Copy), ("memset", How::Clear),
    ("memcmp", How::Refused("compare the elements in a loop")), ("memchr", How::Refused("search in a loop")),
    ("printf", How::Passive), ("fprintf", How::Passive), ("puts", How::Passive),
    ("putchar", How::Passive), ("fflush", How::Passive), ("fputs", How::Passive),
    ("perror", How::Passive), ("fputc", How::Passive), ("putc", How::Passive), ("vprintf", How::Passive),
    ("vfprintf", How::Passive), ("setbuf", How::Passive), ("setvbuf", How::Passive), ("clearerr", How::Passive),
    ("wprintf", How::Passive), ("fwprintf", How::Passive), ("putwchar", How::Passive), ("fputwc", How::Passive),
    ("putwc", How::Passive), ("fputws", How::Passive), ("fwide", How::Passive), ("setlocale", How::Passive),
    ("feclearexcept", How::Passive), ("feenableexcept", How::Passive), ("fedisableexcept", How::Passive),
    ("__cfgrev_va_start", How::Silent), ("__cfgrev_va_end", How::Silent),
    ("__builtin_va_start", How::Silent), ("__builtin_va_end", How::Silent), ("__builtin_va_copy", How::Silent),
    ("__cfgrev_va_arg", How::Refused(VARIABLE)), ("__builtin_va_arg", How::Refused(VARIABLE)),
    ("sprintf", How::Refused(TEXT)), ("snprintf", How::Refused(TEXT)), ("vsprintf", How::Refused(TEXT)),
    ("vsnprintf", How::Refused(TEXT)), ("swprintf", How::Refused(TEXT)), ("strftime", How::Refused(TEXT)),
    ("scanf", How::Refused(OUTSIDE)), ("fscanf", How::Refused(OUTSIDE)), ("sscanf", How::Refused(OUTSIDE)),
    ("vscanf", How::Refused(OUTSIDE)), ("vfscanf", How::Refused(OUTSIDE)), ("vsscanf", How::Refused(OUTSIDE)),
    ("wscanf", How::Refused(OUTSIDE)), ("getwchar", How::Refused(OUTSIDE)), ("fgetwc", How::Refused(OUTSIDE)),
    ("fgets", How::Refused(OUTSIDE)), ("gets", How::Refused(OUTSIDE)), ("fgetc", How::Refused(OUTSIDE)),
    ("getc", How::Refused(OUTSIDE)), ("getchar", How::Refused(OUTSIDE)), ("ungetc", How::Refused(OUTSIDE)),
    ("fread", How::Refused(OUTSIDE)), ("fopen", How::Refused(FILES)), ("freopen", How::Refused(FILES)),
    ("tmpfile", How::Refused(FILES)), ("tmpnam", How::Refused(FILES)), ("fclose", How::Refused(FILES)),
    ("remove", How::Refused(FILES)), ("rename", How::Refused(FILES)), ("fwrite", How::Refused(FILES)),
    ("fseek", How::Refused(FILES)), ("ftell", How::Refused(FILES)), ("rewind", How::Refused(FILES)),
    ("fgetpos", How::Refused(FILES)), ("fsetpos", How::Refused(FILES)), ("feof", How::Refused(FILES)),
    ("ferror", How::Refused(FILES)),
    ("strcmp", How::Characters), ("strncmp", How::Characters), ("strcoll", How::Refused(KEPT)),
    ("strcasecmp", How::Characters), ("strncasecmp", How::Characters), ("strxfrm", How::Refused(KEPT)),
    ("strlen", How::Characters), ("strnlen", How::Characters), ("strcpy", How::Characters),
    ("strncpy", How::Characters), ("strcat", How::Characters), ("strncat", How::Characters),
    ("strchr", How::Characters), ("strrchr", How::Characters), ("strstr", How::Characters),
    ("strspn", How::Characters), ("strcspn", How::Characters), ("strpbrk", How::Characters),
    ("strtok", How::Refused(KEPT)), ("strdup", How::Characters), ("strerror", How::Text),
    ("gettext", How::Text), ("dgettext", How::Text), ("dcgettext", How::Text), ("ngettext", How::Text), ("textdomain", How::Text), ("bindtextdomain", How::Text),
    ("wcslen", How::Refused(KEPT)), ("wcscmp", How::Refused(KEPT)), ("wcscpy", How::Refused(KEPT)),
    ("wcscat", How::Refused(KEPT)), ("wcschr", How::Refused(KEPT)), ("localeconv", How::Refused(KEPT)),
    ("isalnum", How::Written), ("isalpha", How::Written), ("isblank", How::Written), ("iscntrl", How::Written),
    ("isdigit", How::Written), ("isgraph", How::Written), ("islower", How::Written), ("isprint", How::Written),
    ("ispunct", How::Written), ("isspace", How::Written), ("isupper", How::Written), ("isxdigit", How::Written),
    ("tolower", How::Written), ("toupper", How::Written),
    ("iswalnum", How::Refused(WIDE)), ("iswalpha", How::Refused(WIDE)), ("iswblank", How::Refused(WIDE)),
    ("iswcntrl", How::Refused(WIDE)), ("iswdigit", How::Refused(WIDE)), ("iswgraph", How::Refused(WIDE)),
    ("iswlower", How::Refused(WIDE)), ("iswprint", How::Refused(WIDE)), ("iswpunct", How::Refused(WIDE)),
    ("iswspace", How::Refused(WIDE)), ("iswupper", How::Refused(WIDE)), ("iswxdigit", How::Refused(WIDE)),
    ("towlower", How::Refused(WIDE)), ("towupper", How::Refused(WIDE)),
    ("clock", How::System), ("time", How::System), ("difftime", How::Written), ("omp_get_wtime", How::System),
    ("mktime", How::Refused(TIME)), ("asctime", How::Text), ("ctime", How::Text),
    ("gmtime", How::Refused(TIME)), ("localtime", How::Refused(TIME)), ("clock_gettime", How::System),
    ("timespec_get", How::System), ("gettimeofday", How::System),
    ("isatty", How::System), ("getpid", How::System), ("getppid", How::System), ("sleep", How::System), ("usleep", How::System),
    ("read", How::Refused(OUTSIDE)), ("write", How::Refused(FILES)), ("close", How::Refused(FILES)),
    ("access", How::Refused(OUTSIDE)), ("unlink", How::Refused(FILES)),
    ("backtrace", How::Refused(OUTSIDE)), ("backtrace_symbols", How::Refused(OUTSIDE)), ("backtrace_symbols_fd", How::Passive),
    ("pthread_create", How::Refused(THREADS)), ("pthread_join", How::Refused(THREADS)),
    ("pthread_cond_wait", How::Refused(THREADS)), ("pthread_mutex_trylock", How::Refused(THREADS)), ("pthread_getspecific", How::Refused(THREADS)), ("pthread_setspecific", How::Refused(THREADS)),
    ("pthread_self", How::System), ("pthread_equal", How::Written),
    ("signal", How::Refused("leave signals to the caller")), ("raise", How::Refused("leave signals to the caller")),
    ("__ctype_b_loc", How::Refused(TABLE)), ("__ctype_tolower_loc", How::Refused(TABLE)),
    ("__ctype_toupper_loc", How::Refused(TABLE)),
    ("setjmp", How::Refused(JUMP)), ("_setjmp", How::Refused(JUMP)), ("longjmp", How::Refused(JUMP)),
    ("fegetexceptflag", How::Refused(FLAGS)), ("feraiseexcept", How::Refused(FLAGS)), ("fesetexceptflag", How::Refused(FLAGS)),
    ("fetestexcept", How::Refused(FLAGS)), ("feholdexcept", How::Refused(FLAGS)), ("feupdateenv", How::Refused(FLAGS)),
    ("fegetenv", How::Refused(FLAGS)), ("fesetenv", How::Refused(FLAGS)),
    ("fegetround", How::Refused(NEAREST)), ("fesetround", How::Refused(NEAREST)),
];

/// The functions that are operators, by the names in the table of operators.
pub(crate) fn operators() -> impl Iterator<Item = (&'static str, Op)> {
    let all = Op::ALL.iter().map(|&op| (op.info().c, op));
    all.filter(|(name, _)| !name.is_empty())
}

/// All functions.
fn functions() -> impl Iterator<Item = (&'static str, How)> {
    let operators = operators().map(|(name, op)| (name, How::Op(op)));
    operators.chain(FUNCTIONS.iter().copied())
}

/// The function of a name; those of float and long double have the suffixes f and l.
pub(crate) fn how(name: &str) -> Option<How> {
    static TABLE: LazyLock<HashMap<&str, How>> = LazyLock::new(|| functions().collect());
    let find = |name: &str| TABLE.get(name).copied();
    let of_any_type = |name: &str| {
        let of_stem = || {
            let stem = name.strip_suffix(['f', 'l'])?;
            find(stem).filter(|how| how.is_real())
        };
        find(name).or_else(of_stem)
    };
    of_any_type(name).or_else(|| of_any_type(name.strip_prefix(BUILTIN)?))
}

/// The prefix of the names that compilers have for functions of the library.
pub(crate) const BUILTIN: &str = "__builtin_";

impl How {
    /// The entry of a function that the table lacks.
    pub(crate) const UNKNOWN: Self = Self::Refused("write what it does in C");

    /// True of functions that have versions for float and long double.
    fn is_real(self) -> bool {
        !matches!(
            self,
            Self::Passive
                | Self::Telling
                | Self::Unseen
                | Self::Silent
                | Self::Characters
                | Self::Stop
                | Self::AssertionFailed
                | Self::IntegerAbs
                | Self::Allocate
                | Self::Sort
                | Self::Release
                | Self::Copy
                | Self::Clear
        )
    }

    /// True of functions that are written in C.
    pub(crate) fn is_written(self) -> bool {
        matches!(self, Self::Written | Self::System | Self::Characters)
    }

    /// True of functions that are left out and of those that end the program: their arguments are not used.
    pub(crate) fn is_without_use(self) -> bool {
        matches!(
            self,
            Self::Passive | Self::Telling | Self::Unseen | Self::Silent | Self::Stop
        )
    }

    /// True of functions that return, and change nothing but the places that their arguments point to.
    pub(crate) fn changes_arguments_only(self) -> bool {
        match self {
            Self::Refused(help) => [KEPT, TEXT, OUTSIDE, VARIABLE, TIME].contains(&help),
            Self::Assert | Self::AssertionFailed | Self::Stop | Self::Sort => false,
            _ => true,
        }
    }

    /// True of functions that become an expression, without statements.
    pub(crate) fn is_pure(self) -> bool {
        !matches!(
            self,
            Self::Least(_)
                | Self::PositiveDifference
                | Self::Characters
                | Self::Written
                | Self::System
                | Self::Passive
                | Self::Telling
                | Self::Unseen
                | Self::Silent
                | Self::Assert
                | Self::AssertionFailed
                | Self::Stop
                | Self::Allocate
                | Self::Sort
                | Self::Release
                | Self::Copy
                | Self::Clear
                | Self::Refused(_)
        )
    }
}

/// The names behind `__builtin_` that are no functions of the library: the parser knows them.
const OF_COMPILER: [&str; 9] = [
    "complex",
    "expect",
    "expect_with_probability",
    "assume_aligned",
    "constant_p",
    "va_arg",
    "types_compatible_p",
    "choose_expr",
    "offsetof",
];

/// True of names of compilers that are read.
pub(crate) fn is_builtin_known(name: &str) -> bool {
    let of_compiler = name.strip_prefix(BUILTIN);
    of_compiler.is_some_and(|name| OF_COMPILER.contains(&name))
        || how(name).is_some_and(|how| !matches!(how, How::Refused(_)))
}

/// The functions of the table.
#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    functions().map(|(name, _)| name)
}

/// The functions that are written in C.
#[cfg(test)]
pub(crate) fn written() -> impl Iterator<Item = &'static str> {
    let written = functions().filter(|(_, how)| how.is_written());
    written.map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manual_lists_the_functions_that_are_operators() {
        let is_operator = |how: How| {
            let like = matches!(how, How::PositiveDifference | How::RoundToInteger);
            like || matches!(how, How::Op(_) | How::Least(_))
        };
        let found = functions().filter(|&(_, how)| is_operator(how));
        let mut names: Vec<&str> = found.map(|(name, _)| name).collect();
        names.sort_unstable();
        let start = "| read, with the versions for `float` | ";
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/c.md");
        let row = format!("{start}`{}` |", names.join(" "));
        cfg_testkit::golden::golden_line(path, start, &row);
    }
}
