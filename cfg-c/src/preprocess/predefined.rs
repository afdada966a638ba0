//! Predefined macros: those of gcc on x86-64 Linux, so that a file is read as gcc compiles it.

/// The macros of gcc 12 in its default language (`-std=gnu17`) without options, as directives, but for
/// [`UNDEFINED_MACROS`].
pub(super) const DIRECTIVES: &str = include_str!("../headers/predefined.h");

/// Macros of gcc that are not predefined here: the reason, and the names. A `*` stands for the rest of a name.
pub const UNDEFINED_MACROS: &[(&str, &[&str])] = &[
    (
        "vectors are not read",
        &[
            "__MMX__",
            "__MMX_WITH_SSE__",
            "__SSE__",
            "__SSE2__",
            "__SSE_MATH__",
            "__SSE2_MATH__",
            "__FXSR__",
        ],
    ),
    (
        "the type is not read",
        &[
            "__SIZEOF_INT128__",
            "__SIZEOF_FLOAT80__",
            "__SIZEOF_FLOAT128__",
            "__FLT16_*",
            "__FLT32_*",
            "__FLT32X_*",
            "__FLT64_*",
            "__FLT64X_*",
            "__FLT128_*",
            "__DEC32_*",
            "__DEC64_*",
            "__DEC128_*",
            "__DEC_EVAL_METHOD__",
            "__DECIMAL_BID_FORMAT__",
        ],
    ),
    (
        "it is no double, as which long double is read",
        &[
            "__LDBL_MAX__",
            "__LDBL_MIN__",
            "__LDBL_DENORM_MIN__",
            "__LDBL_NORM_MAX__",
        ],
    ),
    (
        "atomic operations are not read",
        &[
            "__ATOMIC_*",
            "__GCC_ATOMIC_*",
            "__GCC_HAVE_SYNC_*",
            "__GCC_CONSTRUCTIVE_SIZE",
            "__GCC_DESTRUCTIVE_SIZE",
        ],
    ),
    (
        "it says what machine code and assembly are like, of which nothing is read",
        &[
            "__GCC_ASM_FLAG_OUTPUTS__",
            "__GCC_HAVE_DWARF2_CFI_ASM",
            "__HAVE_SPECULATION_SAFE_VALUE",
            "__NO_INLINE__",
            "__PIC__",
            "__PIE__",
            "__pic__",
            "__pie__",
            "__PRAGMA_REDEFINE_EXTNAME",
            "__REGISTER_PREFIX__",
            "__USER_LABEL_PREFIX__",
            "__SEG_FS",
            "__SEG_GS",
            "__code_model_small__",
        ],
    ),
];

/// The reason why a macro of gcc is not predefined here; `None` for other names.
pub(super) fn reason_undefined(name: &str) -> Option<&'static str> {
    let is = |pattern: &&str| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == *pattern,
    };
    let mut all = UNDEFINED_MACROS.iter();
    all.find(|(_, names)| names.iter().any(&is))
        .map(|(why, _)| *why)
}

/// Macros whose value depends on their position.
pub(super) const OF_PLACE: [&str; 8] = [
    "__LINE__",
    "__FILE__",
    "__FILE_NAME__",
    "__BASE_FILE__",
    "__INCLUDE_LEVEL__",
    "__COUNTER__",
    "__DATE__",
    "__TIME__",
];

/// Questions of conditions that have an operand in parentheses.
pub(super) const QUESTIONS: [&str; 6] = [
    "__has_include",
    "__has_include_next",
    "__has_attribute",
    "__has_c_attribute",
    "__has_cpp_attribute",
    "__has_builtin",
];

/// Names of attributes that gcc knows.
const ATTRIBUTES: &[&str] = &[
    "access",
    "alias",
    "aligned",
    "alloc_align",
    "alloc_size",
    "always_inline",
    "artificial",
    "assume_aligned",
    "cleanup",
    "cold",
    "common",
    "const",
    "constructor",
    "copy",
    "deprecated",
    "destructor",
    "error",
    "externally_visible",
    "fallthrough",
    "flatten",
    "format",
    "format_arg",
    "gnu_inline",
    "hot",
    "ifunc",
    "leaf",
    "malloc",
    "may_alias",
    "mode",
    "naked",
    "no_instrument_function",
    "no_reorder",
    "no_sanitize",
    "noclone",
    "noinline",
    "noipa",
    "nonnull",
    "nonstring",
    "noreturn",
    "nothrow",
    "optimize",
    "packed",
    "pure",
    "returns_nonnull",
    "returns_twice",
    "section",
    "sentinel",
    "simd",
    "stack_protect",
    "symver",
    "target",
    "target_clones",
    "tls_model",
    "transparent_union",
    "unavailable",
    "unused",
    "used",
    "vector_size",
    "visibility",
    "warn_unused_result",
    "warning",
    "weak",
    "weakref",
];

/// The answer of gcc to a question about an attribute, in brackets or not.
pub(super) fn attribute(name: &str, in_brackets: bool) -> i64 {
    let bare = name.strip_prefix("__").and_then(|n| n.strip_suffix("__"));
    let bare = bare.unwrap_or(name);
    match bare {
        "deprecated" | "fallthrough" | "maybe_unused" if in_brackets => 201_904,
        "nodiscard" if in_brackets => 202_003,
        _ => i64::from(!in_brackets && ATTRIBUTES.contains(&bare)),
    }
}
