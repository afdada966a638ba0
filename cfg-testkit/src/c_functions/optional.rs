//! Pointers that may be null: a parameter `w` that the caller leaves out of half of the functions, tested, assigned, moved and handed on.

use super::{File, Text, Writer};

/// Functions that take what may be null; `ADD` and `MUL` are operators.
const FUNCTIONS: &str = "\
static REAL NAME_or(const REAL *w, REAL otherwise)
{
    return w ? *w : otherwise;
}
static REAL NAME_walked(int n, const REAL *w, REAL s)
{
    const REAL *first = w;
    if (w == NULL)
        return MUL(s, s);
    while (n-- > 0)
        s = ADD(s, *w++);
    return first != w && first ? ADD(s, *first) : s;
}
static REAL NAME_pass(int n, const REAL *w, REAL *out)
{
    REAL s = NAME_or(w, out ? *out : ONE);
    if (out && n > 0)
        *out++ = MUL(s, s);
    if (!w)
        w = out;
    return n > 0 ? ADD(s, NAME_walked(n, w, ONE)) : s;
}
";

/// Statements: `@` is a new name, `RESULT` a real, `ARRAY` an array of 2 elements or more, `{0}` a real expression, `{1}` a condition.
const FORMS: &[(&str, &str)] = &[
    (
        "RESULT += NAME_or(w, {0});",
        "d_to_add(&RESULT, d_NAME_or(w, {0}));",
    ),
    (
        "RESULT = w && ({1}) ? *w : {0};",
        "RESULT = w && ({1}) ? *w : {0};",
    ),
    (
        "if (!w && ({1}))\n        w = y;",
        "if (!w && ({1}))\n        w = y;",
    ),
    ("if ({1})\n        w = NULL;", "if ({1})\n        w = NULL;"),
    (
        "const double *@ = ({1}) ? ARRAY : w;\n    if (@)\n        RESULT -= *@++;\n    RESULT += NAME_walked(1, @, {0});",
        "const D *@ = ({1}) ? ARRAY : w;\n    if (@)\n        d_to_sub(&RESULT, *@++);\n    d_to_add(&RESULT, d_NAME_walked(1, @, {0}));",
    ),
    (
        "const double *@ = NULL;\n    if ({1})\n        @ = ARRAY + 1;\n    RESULT = NAME_or(@, {0}) + NAME_walked(0, w, 0.5);",
        "const D *@ = NULL;\n    if ({1})\n        @ = ARRAY + 1;\n    RESULT = d_add(d_NAME_or(@, {0}), d_NAME_walked(0, w, K(0.5)));",
    ),
    (
        "RESULT += NAME_pass(2, w, NULL) * {0};",
        "d_to_add(&RESULT, d_mul(d_NAME_pass(2, w, NULL), {0}));",
    ),
    (
        "double @[3] = {0.5, 0.25, 1.0};\n    RESULT = NAME_pass(2, ({1}) ? w : NULL, @);\n    RESULT += @[0];",
        "D @[3] = {K(0.5), K(0.25), K(1.0)};\n    RESULT = d_NAME_pass(2, ({1}) ? w : NULL, @);\n    RESULT = d_add(RESULT, @[0]);",
    ),
    (
        "const double *const @ = w;\n    RESULT *= @ == NULL ? 0.5 : 0.75;\n    if (@ != w || (w && ({1})))\n        RESULT += {0};",
        "const D *const @ = w;\n    d_to_mul(&RESULT, K(@ == NULL ? 0.5 : 0.75));\n    if (@ != w || (w && ({1})))\n        d_to_add(&RESULT, {0});",
    ),
    (
        "for (const double *@ = w; @; @ = NULL)\n        RESULT = 0.5 * RESULT + *@;",
        "for (const D *@ = w; @; @ = NULL)\n        RESULT = d_add(d_mul(K(0.5), RESULT), *@);",
    ),
];

impl File {
    /// Functions that take what may be null.
    pub(super) fn optional(&mut self) {
        let name = self.name.clone();
        let plain = [
            format!("#define {name}_ADD(a, b) ((a) + (b))\n#define {name}_MUL(a, b) ((a) * (b))\n"),
            (FUNCTIONS.replace("NAME", &name).replace("REAL", "double"))
                .replace("ADD", &format!("{name}_ADD"))
                .replace("MUL", &format!("{name}_MUL"))
                .replace("ONE", "1.0"),
        ];
        let dual = FUNCTIONS.replace("NAME", &format!("d_{name}"));
        let dual = (dual.replace("REAL", "D").replace("ADD", "d_add"))
            .replace("MUL", "d_mul")
            .replace("ONE", "K(1.0)");
        self.line(0, &Text::both(&plain.concat(), &dual));
        self.optional = true;
    }
}

impl Writer<'_> {
    /// A statement with a pointer that may be null.
    pub(super) fn may_be_null(&mut self) {
        let name = self.file.name.clone();
        let simple: Vec<String> = (self.reals.iter())
            .filter(|r| r.chars().all(|c| c.is_ascii_alphanumeric()))
            .cloned()
            .collect();
        let fit = self.of_length(3, false);
        let (Some(target), Some(array)) = (
            self.rng.pick(&simple).cloned(),
            self.rng.pick(&fit).cloned(),
        ) else {
            return;
        };
        let (e, c) = (self.real(1), self.condition(1));
        let new = self.name("op");
        let (plain, dual) = FORMS[self.rng.below(FORMS.len())];
        let fill = |form: &str| {
            (form.replace("NAME", &name).replace("RESULT", &target))
                .replace("ARRAY", &array.name)
                .replace('@', &new)
        };
        self.line(&Text::fill(&fill(plain), &fill(dual), &[&e, &c]));
    }
}
