//! Sizes, places in structures, and constants.

use super::Writer;

/// Expressions of which only the type counts; `c`, `s`, `b`, `f`, `u`, `l`, `i` and `x` are variables of various types, `p` a pointer.
const OPERANDS: &[&str] = &[
    "c",
    "s",
    "b",
    "f",
    "u",
    "l",
    "x",
    "p",
    "*p",
    "p[1]",
    "&x",
    "&p",
    "c + c",
    "-c",
    "+s",
    "~c",
    "!x",
    "c << 1L",
    "l >> 1",
    "s * u",
    "f * 2",
    "f * 2.0",
    "c ? s : l",
    "c ? c : s",
    "x ? f : i",
    "(c, s)",
    "(x, c)",
    "c = 5",
    "s += 2",
    "i++",
    "--i",
    "c == s",
    "x && f",
    "p - p",
    "p + 1",
    "'a'",
    "1",
    "1u",
    "1L",
    "1ULL",
    "1.0",
    "1.0f",
    "\"ab\"",
    "\"a\\n\\0\"",
    "\"\"",
    "\"ab\" \"c\"",
    "\"ab\" + 0",
    "*\"ab\"",
    "\"ab\"[1]",
    "&\"ab\"",
    "__func__",
    "(char)3",
    "(float)x",
    "(_Bool)c",
    "w",
    "w[1]",
    "*w",
    "w[1] + 2",
    "&w",
    "&w[1]",
    "(int[]){1, 2}",
    "(double[3]){0}",
    "(char[]){\"abc\"}",
    "(0 ? 0 : p)",
    "k",
    "k[1]",
    "sin(x)",
    "b + b",
    "v ? \"abc\" : \"d\"",
    "0x7fffffff",
    "0x80000000",
    "2147483648",
    "b & b",
    "(l)",
];

const TYPES: &[&str] = &[
    "char",
    "signed char",
    "short",
    "unsigned",
    "long",
    "long long",
    "float",
    "double",
    "_Bool",
    "double *",
    "double[3]",
    "int[2][3]",
    "double *[3]",
    "double (*)[3]",
    "size_t",
    "int8_t",
    "uint16_t",
    "int64_t",
    "int_fast16_t",
    "ptrdiff_t",
    "double (*)(double)",
];

const CONSTANTS: &[&str] = &[
    "FLT_MIN_EXP",
    "FLT_MAX_EXP",
    "FLT_MIN_10_EXP",
    "FLT_MAX_10_EXP",
    "DBL_MIN_EXP",
    "DBL_MAX_EXP",
    "DBL_MIN_10_EXP",
    "DBL_MAX_10_EXP",
    "FLT_EPSILON",
    "DBL_EPSILON",
    "FLT_MIN",
    "FLT_MAX",
    "DBL_MIN",
    "DBL_MAX",
    "FLT_DIG",
    "DBL_DIG",
    "DECIMAL_DIG",
    "FLT_MANT_DIG",
    "DBL_MANT_DIG",
    "FLT_RADIX",
    "FLT_ROUNDS",
    "FLT_EVAL_METHOD",
    "CHAR_BIT",
    "CHAR_MIN",
    "CHAR_MAX",
    "SCHAR_MIN",
    "UCHAR_MAX",
    "SHRT_MIN",
    "USHRT_MAX",
    "INT_MIN",
    "INT_MAX",
    "UINT_MAX",
    "INT8_MIN",
    "UINT8_MAX",
    "INT16_MAX",
    "INT32_MIN",
    "UINT32_MAX",
    "INT_LEAST16_MAX",
    "UINT_FAST8_MAX",
    "MB_LEN_MAX",
    "WCHAR_MAX",
    "SIG_ATOMIC_MIN",
    "INT16_C(7)",
    "LDBL_MANT_DIG",
];

impl Writer<'_> {
    /// A size, a place or a constant, of variables that none of them changes.
    pub(super) fn sizes(&mut self) {
        self.open("{");
        self.line("char c = 1; short s = 2; _Bool b = 1; float f = 1; unsigned u = 3; long l = 4; int i = 5;");
        self.line("double x = v, w[3] = {v}, *p = w; int k[n];");
        for _ in 0..2 + self.rng.below(5) {
            match self.rng.below(9) {
                0..=3 => {
                    let operand = OPERANDS[self.rng.below(OPERANDS.len())];
                    let value = match operand.starts_with('(') || !self.rng.percent(40) {
                        true => format!("sizeof({operand})"),
                        // The operator binds like other unary ones.
                        false => format!("sizeof {operand}"),
                    };
                    let alone = operand
                        .bytes()
                        .all(|b| b.is_ascii_alphanumeric() || b"\"[]&*_\\".contains(&b));
                    match alone {
                        true => self.result(&value, false),
                        false => self.result(&format!("sizeof({operand})"), false),
                    }
                }
                4 => {
                    let ty = TYPES[self.rng.below(TYPES.len())];
                    let what = ["sizeof", "_Alignof"][self.rng.below(2)];
                    self.result(&format!("{what}({ty})"), false);
                }
                5 => self.structure_size(),
                6 => {
                    let macro_name = CONSTANTS[self.rng.below(CONSTANTS.len())];
                    self.result(macro_name, false);
                }
                7 => {
                    let e = self.own("E");
                    let value = [
                        "(int)3.7",
                        "(int)(2.5f * 3)",
                        "3.5 > 2",
                        "sizeof \"abc\" - 1",
                        "(char)300",
                        "-(int)1e3",
                        "1.5 ? 4 : 2",
                    ][self.rng.below(7)];
                    self.line(&format!("enum {{ {e} = {value}, {e}_next }};"));
                    self.result(&format!("{e}_next"), false);
                }
                _ => {
                    let form = [
                        "sizeof(double[n])",
                        "sizeof(short[n][2])",
                        "sizeof k",
                        "sizeof k / sizeof k[0]",
                        "sizeof(int[3]) * n",
                    ];
                    let form = form[self.rng.below(form.len())];
                    self.result(form, false);
                }
            }
        }
        self.line("double size_t = v + c;");
        self.result("size_t + i + s", false);
        self.close();
    }

    /// The size of a structure, a part or a function's result, or where a member is.
    fn structure_size(&mut self) {
        let s = self.rng.below(self.structures.len());
        let name = self.structures[s].name.clone();
        let leaves = self.leaves(&super::types::Ty::Struct(s));
        let path = leaves[self.rng.below(leaves.len())].0.clone();
        let members = &self.structures[s].members;
        let member = members[self.rng.below(members.len())].0.clone();
        let value = match self.rng.below(8) {
            0 => format!("sizeof({name})"),
            1 => format!("sizeof(({name} *)0)->{member}"),
            2 => format!("sizeof({name}_make(v))"),
            3 => format!("sizeof(({name}){{0}}).{member}"),
            4 => format!("offsetof({name}, {})", &path[1..]),
            5 => format!("offsetof({name}, {member})"),
            6 => format!("_Alignof({name})"),
            _ => format!("sizeof({name}[3])"),
        };
        self.result(&value, false);
    }
}
