//! Identifiers: names of a program as C allows them, no two alike in one scope.

use cfg_core::ir::Op;
use std::collections::{HashMap, HashSet};

/// Keywords, macros and types of the headers that emitted files include, as GCC's own dialect has them too, and the
/// functions that emitted code calls: nothing in a program may be called so, in no scope.
const RESERVED: &str = "\
    BIG_ENDIAN BUFSIZ BYTE_ORDER CLOCKS_PER_SEC CLOCK_BOOTTIME CLOCK_BOOTTIME_ALARM \
    CLK_TCK L_cuserid CLOCK_MONOTONIC CLOCK_MONOTONIC_COARSE CLOCK_MONOTONIC_RAW CLOCK_PROCESS_CPUTIME_ID \
    CLOCK_REALTIME CLOCK_REALTIME_ALARM CLOCK_REALTIME_COARSE CLOCK_TAI \
    CLOCK_THREAD_CPUTIME_ID DOMAIN EOF EXIT_FAILURE EXIT_SUCCESS FD_SETSIZE FILENAME_MAX \
    FOPEN_MAX FP_ILOGB0 FP_ILOGBNAN FP_INFINITE FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO \
    HUGE_VAL HUGE_VALF HUGE_VALL INFINITY INT16_MAX INT16_MIN INT32_MAX INT32_MIN INT64_C \
    INT64_MAX INT64_MIN INT8_MAX INT8_MIN INTMAX_MAX INTMAX_MIN INTPTR_MAX INTPTR_MIN \
    INT_FAST16_MAX INT_FAST16_MIN INT_FAST32_MAX INT_FAST32_MIN INT_FAST64_MAX \
    INT_FAST64_MIN INT_FAST8_MAX INT_FAST8_MIN INT_LEAST16_MAX INT_LEAST16_MIN \
    INT_LEAST32_MAX INT_LEAST32_MIN INT_LEAST64_MAX INT_LEAST64_MIN INT_LEAST8_MAX \
    INT_LEAST8_MIN LITTLE_ENDIAN L_ctermid L_tmpnam MATH_ERREXCEPT MATH_ERRNO MAXFLOAT \
    MB_CUR_MAX M_1_PI M_2_PI M_2_SQRTPI M_E M_LN10 M_LN2 M_LOG10E M_LOG2E M_PI M_PI_2 \
    M_PI_4 M_SQRT1_2 M_SQRT2 NAN NFDBITS NULL OVERFLOW PDP_ENDIAN PLOSS PTRDIFF_MAX \
    PTRDIFF_MIN P_tmpdir RAND_MAX SEEK_CUR SEEK_END SEEK_SET SIG_ATOMIC_MAX SIG_ATOMIC_MIN \
    SING SIZE_MAX TIMER_ABSTIME TIME_UTC TLOSS TMP_MAX UINT16_MAX UINT32_MAX UINT64_C \
    UINT64_MAX UINT8_MAX UINTMAX_MAX UINTPTR_MAX UINT_FAST16_MAX UINT_FAST32_MAX \
    UINT_FAST64_MAX UINT_FAST8_MAX UINT_LEAST16_MAX UINT_LEAST32_MAX UINT_LEAST64_MAX \
    UINT_LEAST8_MAX UNDERFLOW WCHAR_MAX WCHAR_MIN WCONTINUED WEXITED WINT_MAX WINT_MIN \
    WNOHANG WNOWAIT WSTOPPED WUNTRACED asm assert auto bool break calloc case char const \
    continue default digamma do double else enum errno extern false float for free goto if \
    inline int int64_t isfinite isinf isnan linux llabs long malloc math_errhandling memcpy \
    memmove memset ptrdiff_t realloc register restrict return short signbit signed size_t \
    sizeof static stderr stdin stdout struct switch true typedef typeof uint64_t union unix \
    unsigned void volatile while";

/// The functions of `math.h` that emitted code calls: nothing may be called so, either.
fn mathematics() -> impl Iterator<Item = &'static str> {
    let names = Op::ALL.iter().map(|op| op.info().c);
    names.filter(|name| !name.is_empty())
}

/// Further functions, types and macros with arguments of the headers of C and POSIX, functions that compilers know
/// without a header, and the entry of a program: nothing outside of functions may be called so.
const LIBRARY: &str = "\
    FD_CLR FD_ISSET FD_SET FD_ZERO FILE INT16_C INT32_C INT8_C INTMAX_C UINT16_C \
    UINT32_C UINT8_C UINTMAX_C WEXITSTATUS WIFCONTINUED WIFEXITED WIFSIGNALED \
    WIFSTOPPED WSTOPSIG WTERMSIG a64l abort abs aligned_alloc alloca asctime asctime_r \
    asprintf at_quick_exit atexit atof atoi atol basename bcmp bcopy be16toh be32toh \
    be64toh blkcnt_t blksize_t bsearch btowc bzero cabs cacos cacosh caddr_t carg casin \
    casinh catan catanh ccos ccosh cexp cimag clearenv clearerr clock \
    clock_getcpuclockid clock_getres clock_gettime clock_nanosleep clock_settime \
    clock_t clockid_t clog clog10 conj cpow cproj creal csin csinh csqrt ctan ctanh \
    ctermid ctime ctime_r cuserid daddr_t daemon daylight dcgettext dev_t dgettext \
    difftime div div_t double_t dprintf drand48 drand48_data drem dysize ecvt erand48 \
    execl execle execlp execv execve execvp exit exp10 exp2 explicit_bzero fclose fcvt \
    fd_mask fd_set fdim fdopen feclearexcept fegetenv fegetexceptflag fegetround \
    feholdexcept fenv_t feof feraiseexcept ferror fesetenv fesetexceptflag fesetround \
    fetestexcept feupdateenv fexcept_t fflush ffs fgetc fgetpos fgets fgetwc fgetws \
    fileno finite float_t flockfile fmax fmemopen fmin fopen fork fpclassify fpos_t \
    fprintf fprintf_unlocked fputc fputc_unlocked fputs fputs_unlocked fputwc fputws \
    fread freopen frexp fsblkcnt_t fscanf fseek fseeko fsetpos fsfilcnt_t fsid_t ftell \
    ftello ftrylockfile funlockfile fwide fwprintf fwrite fwrite_unlocked fwscanf gamma \
    gamma_r gcvt getc getc_unlocked getchar getchar_unlocked getdelim getenv getline \
    getloadavg gets getsubopt gettext getw getwc getwchar gid_t gmtime gmtime_r grantpt \
    htobe16 htobe32 htobe64 htole16 htole32 htole64 id_t ilogb imaxabs imaxdiv \
    imaxdiv_t index initstate ino_t int16_t int32_t int8_t int_fast16_t int_fast32_t \
    int_fast64_t int_fast8_t int_least16_t int_least32_t int_least64_t int_least8_t \
    intmax_t intptr_t isalnum isalpha isascii isblank iscntrl isdigit isgraph isgreater \
    isgreaterequal isless islessequal islessgreater islower isnormal isprint ispunct \
    isspace isunordered isupper iswalnum iswalpha iswblank iswcntrl iswctype iswdigit \
    iswgraph iswlower iswprint iswpunct iswspace iswupper iswxdigit isxdigit j0 j1 \
    jmp_buf jn jrand48 key_t l64a labs lcg48 lcong48 ldexp ldiv ldiv_t le16toh le32toh \
    le64toh lgamma_r lldiv lldiv_t llrint llround locale_t localeconv localtime \
    localtime_r loff_t logb longjmp lrand48 lrint lround main max_align_t mblen mbrlen \
    mbrtowc mbsinit mbsrtowcs mbstate_t mbstowcs mbtowc memccpy memchr memcmp memfrob \
    memmem mempcpy memrchr mkdtemp mkstemp mktemp mktime mode_t modf mrand48 nan \
    nanosleep nearbyint nextafter nexttoward nlink_t nrand48 off_t offsetof on_exit \
    open_memstream pclose perror pid_t popen posix_memalign pow10 printf \
    printf_unlocked pselect ptsname putc putc_unlocked putchar putchar_unlocked putenv \
    puts puts_unlocked putw putwc putwchar qecvt qfcvt qgcvt qsort quad_t quick_exit \
    raise rand rand_r random random_data reallocarray realpath register_t remainder \
    remove remquo rename renameat rewind rindex rint roundeven rpmatch scalb scalbln \
    scalbn scanf secure_getenv seed48 select setbuf setbuffer setenv setjmp setlinebuf \
    setlocale setstate setvbuf sig_atomic_t signal signgam significand sigset_t sincos \
    snprintf sprintf srand srand48 srandom sscanf ssize_t stpcpy stpncpy strcasecmp \
    strcat strchr strchrnul strcmp strcoll strcoll_l strcpy strcspn strdup strerror \
    strerror_l strerror_r strfmon strftime strlcat strlcpy strlen strncasecmp strncat \
    strncmp strncpy strndup strnlen strpbrk strrchr strsep strsignal strspn strstr \
    strtod strtof strtoimax strtok strtok_r strtol strtold strtoul strtoumax strverscmp \
    strxfrm strxfrm_l suseconds_t swprintf swscanf system tempnam time time_t \
    timer_create timer_delete timer_getoverrun timer_gettime timer_settime timer_t \
    timespec timespec_get timeval timezone tmpfile tmpnam toascii tolower toupper \
    towctrans towlower towupper tzname tzset u_char u_int u_int16_t u_int32_t u_int64_t \
    u_int8_t u_long u_quad_t u_short uid_t uint uint16_t uint32_t uint8_t uint_fast16_t \
    uint_fast32_t uint_fast64_t uint_fast8_t uint_least16_t uint_least32_t \
    uint_least64_t uint_least8_t uintmax_t uintptr_t ulong ungetc ungetwc unlockpt \
    unsetenv ushort va_arg va_copy va_end va_list va_start valloc vasprintf vdprintf \
    vfprintf vfscanf vfwprintf vfwscanf vprintf vscanf vsnprintf vsprintf vsscanf \
    vswprintf vswscanf vwprintf vwscanf wchar_t wcrtomb wcscat wcschr wcscmp wcscoll \
    wcscpy wcscspn wcsftime wcslen wcsncat wcsncmp wcsncpy wcspbrk wcsrchr wcsrtombs \
    wcsspn wcsstr wcstod wcstof wcstoimax wcstok wcstol wcstold wcstombs wcstoul \
    wcstoumax wcsxfrm wctob wctomb wctrans wctrans_t wctype wctype_t wint_t wmemchr \
    wmemcmp wmemcpy wmemmove wmemset wprintf wscanf y0 y1 yn";

/// The longest identifier that is made, without what tells it from others.
const LONGEST: usize = 63;

/// The identifiers of a scope.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    taken: HashSet<String>,
    /// The number with which the next name like this one ends.
    next: HashMap<String, usize>,
}

impl Names {
    /// The scope of a file, with nothing in it but what C has.
    pub(super) fn of_file() -> Self {
        let mut names = Self::of_function();
        let library = LIBRARY.split_whitespace();
        names.taken.extend(library.clone().map(str::to_owned));
        // The variants for `float` and `long double`.
        for name in library.chain(mathematics()) {
            names.taken.extend([format!("{name}f"), format!("{name}l")]);
        }
        names
    }

    /// The scope of a function, with nothing in it but what C has.
    pub(super) fn of_function() -> Self {
        let all = RESERVED.split_whitespace().chain(mathematics());
        Self {
            taken: all.map(str::to_owned).collect(),
            next: HashMap::new(),
        }
    }

    /// Keeps an identifier from being given to anything else.
    pub(super) fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }

    /// True if something has this identifier.
    pub(super) fn has(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    /// The identifier of a function of the user's, as it is: names that C keeps to itself are defined there, too.
    /// Another one where it is that of something else.
    pub(super) fn keep(&mut self, name: &str) -> String {
        let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let is_identifier = begins && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if is_identifier && !is_ours(name) && self.taken.insert(name.to_owned()) {
            return name.to_owned();
        }
        self.fresh(name, None)
    }

    /// An identifier like this name, which nothing else in the scope has, nor one of the surrounding scope that the
    /// function refers to.
    pub(super) fn fresh(&mut self, name: &str, outside: Option<&Names>) -> String {
        let wanted = identifier(name);
        let free = |names: &Self, name: &str| {
            !names.has(name) && !outside.is_some_and(|outside| outside.has(name))
        };
        if free(self, &wanted) {
            self.taken.insert(wanted.clone());
            return wanted;
        }
        let mut number = self.next.get(&wanted).copied().unwrap_or(2);
        let found = loop {
            let name = format!("{wanted}_{number}");
            number += 1;
            if free(self, &name) {
                break name;
            }
        };
        self.next.insert(wanted, number);
        self.taken.insert(found.clone());
        found
    }
}

/// The name as an identifier: what C does not allow becomes an underscore, and what C keeps to itself begins otherwise.
pub(super) fn identifier(name: &str) -> String {
    let mut made = String::with_capacity(name.len().min(LONGEST));
    for c in name.chars().take(LONGEST) {
        made.push(if c.is_ascii_alphanumeric() { c } else { '_' });
    }
    let own = !made.starts_with(|c: char| c.is_ascii_alphabetic()) || is_ours(&made);
    if own {
        made.insert_str(0, if made.starts_with('_') { "u" } else { "u_" });
    }
    made
}

/// True of names like those of the runtime.
fn is_ours(name: &str) -> bool {
    let start = name.get(..6);
    start.is_some_and(|start| start.eq_ignore_ascii_case("cfgrev"))
}

/// A text as part of a comment: on one line, and without what would end it or be taken for a trigraph or the end of a
/// line that continues.
pub(super) fn escape_comment(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut last = ' ';
    for c in text.chars() {
        let strange = c.is_control() || c == '\\' || !c.is_ascii() && !c.is_alphanumeric();
        let ends = matches!((last, c), ('*', '/') | ('/', '*') | ('?', '?'));
        let c = if strange || ends { ' ' } else { c };
        made.push(c);
        last = c;
    }
    made
}

/// Statements for parameters of these names that a body does not name, of which compilers complain.
pub(super) fn silence<'n>(body: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    let named = identifiers(body);
    let unused = names.into_iter().filter(|name| !named.contains(name));
    unused.map(|name| format!("(void){name};\n")).collect()
}

/// The identifiers in a text, apart from those of members and from literals.
pub(super) fn identifiers(text: &str) -> HashSet<&str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = HashSet::new();
    // Between quotes a backslash keeps the next quote from ending the literal.
    let (mut rest, mut before) = (text, ' ');
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '"' => {
                let mut escaped = false;
                let end = rest[1..].find(|c| {
                    let ends = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    ends
                });
                end.map_or(rest.len(), |end| end + 2)
            }
            _ if is_word(c) => {
                let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                let is_member =
                    before == '.' || before == '>' && text_before(text, rest).ends_with("->");
                if !c.is_ascii_digit() && !is_member {
                    found.insert(&rest[..length]);
                }
                length
            }
            _ => c.len_utf8(),
        };
        before = c;
        rest = &rest[length..];
    }
    found
}

/// The variable that a name of C is, or is a member of: `u` of `u.x` and of `u->x`.
pub(super) fn variable_of(name: &str) -> &str {
    name.split(['.', '-']).next().unwrap_or(name)
}

/// The text in front of the rest of it.
fn text_before<'t>(text: &'t str, rest: &str) -> &'t str {
    &text[..text.len() - rest.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_identifiers_and_different() {
        let mut names = Names::of_function();
        let given = [
            "x",
            "x",
            "a b",
            "a-b",
            "exp",
            "3",
            "_x",
            "__LINE__",
            "cfgrev_tape",
            "CFGREV_DEEPEST",
            "é",
            "gamma",
            "x_2",
            "",
        ];
        let made: Vec<String> = given.iter().map(|name| names.fresh(name, None)).collect();
        assert_eq!(
            made,
            [
                "x",
                "x_2",
                "a_b",
                "a_b_2",
                "exp_2",
                "u_3",
                "u_x",
                "u__LINE__",
                "u_cfgrev_tape",
                "u_CFGREV_DEEPEST",
                "u_",
                "gamma",
                "x_2_2",
                "u__2"
            ]
        );
        assert_eq!(Names::of_file().fresh("gamma", None), "gamma_2");
        assert_eq!(Names::of_function().fresh("y", Some(&names)), "y");
        assert_eq!(Names::of_function().fresh("x", Some(&names)), "x_3");
    }

    /// Identifiers have up to 63 characters of a name.
    #[test]
    fn identifiers_are_cut() {
        assert_eq!(identifier(&"x".repeat(63)), "x".repeat(63));
        assert_eq!(identifier(&"x".repeat(64)), "x".repeat(63));
    }

    #[test]
    fn comments_cannot_be_left() {
        assert_eq!(
            escape_comment("a */ b /* c ??/ \\\n d"),
            "a *  b /  c ? /    d"
        );
    }
}
