//! Statements that compute nothing: assertions, ends of the program, printing, and arms that constants close.
//!
//! Assertions hold, and no run reaches an end of the program. Printed lines begin with `#`, so that a reader of the
//! functions' values can skip them.

use super::{File, Text, Writer};

/// Functions that end the program where something does not hold.
const FUNCTIONS: &str = "\
enum { NAME_debug = 0 };
static void NAME_die(const char *what, int code)
{
    fprintf(stderr, \"%s: %d\\n\", what, code);
    exit(code);
}
static void NAME_check(int holds, const char *what)
{
    if (!holds)
        NAME_die(what, 2);
}
static REAL NAME_at(const REAL *v, int k, int n)
{
    if (k < 0 || k >= n)
        NAME_die(\"no such element\", k);
    return v[k];
}
";

/// Statements, over reals and over dual numbers: `@` is a new name, `RESULT` a real, `$` a number below 2, `{0}` a real
/// expression, `{1}` a condition, `{2}` an integer.
const FORMS: &[(&str, &str)] = &[
    ("assert({1} || !{1});", "assert({1} || !{1});"),
    ("assert(n > 0 && \"there are elements\");", "assert(n > 0);"),
    (
        "if (n < 0 && {1})\n        exit(EXIT_FAILURE);",
        "if (n < 0 && {1})\n        exit(EXIT_FAILURE);",
    ),
    (
        "if (n > 100) {\n        fprintf(stderr, \"%d %g\\n\", n, {0});\n        abort();\n    }",
        "if (n > 100)\n        abort();",
    ),
    (
        "switch ({2} & 1) {\n    case 0:\n        RESULT += {0};\n        break;\n    case 1:\n        RESULT *= 0.5;\n        break;\n    default:\n        \
         exit(1);\n    }",
        "switch ({2} & 1) {\n    case 0:\n        d_to_add(&RESULT, {0});\n        break;\n    case 1:\n        d_to_mul(&RESULT, K(0.5));\n        \
         break;\n    default:\n        exit(1);\n    }",
    ),
    (
        "NAME_check(n > 0 || {1}, \"n is small\");",
        "d_NAME_check(n > 0 || {1}, \"n is small\");",
    ),
    (
        "RESULT += NAME_at(x, $, n);",
        "d_to_add(&RESULT, d_NAME_at(x, $, n));",
    ),
    (
        "RESULT = {1} ? {0} : NAME_at(y, $, n);",
        "RESULT = {1} ? {0} : d_NAME_at(y, $, n);",
    ),
    ("printf(\"# %g %d\\n\", {0}, {2});", ";"),
    (
        "int @ = 1;\n    printf(\"# %d\\n\", @++);\n    RESULT += @ * 0.5;",
        "int @ = 1;\n    @++;\n    d_to_add(&RESULT, K(@ * 0.5));",
    ),
    (
        "printf(\"# %g\\n\", x[$] += 0.25);",
        "d_to_add(&x[$], K(0.25));",
    ),
    ("puts({1} ? \"# yes\" : \"# no\");", ";"),
    (
        "for (int @ = 0; ; @++) {\n        RESULT = 0.5 * RESULT + {0};\n        if ({1} || @ > 1)\n            break;\n        if (n < 0)\n            \
         abort();\n    }",
        "for (int @ = 0; ; @++) {\n        RESULT = d_add(d_mul(K(0.5), RESULT), {0});\n        if ({1} || @ > 1)\n            break;\n        \
         if (n < 0)\n            abort();\n    }",
    ),
    (
        "while (1) {\n        if (n >= 0)\n            break;\n        RESULT = {0};\n        exit(2);\n    }",
        "while (1) {\n        if (n >= 0)\n            break;\n        RESULT = {0};\n        exit(2);\n    }",
    ),
    (
        "const double *@ = x;\n    if (0)\n        @ = y;\n    RESULT -= @[$];",
        "const D *@ = x;\n    if (0)\n        @ = y;\n    d_to_sub(&RESULT, @[$]);",
    ),
    (
        "RESULT = sizeof(double) == 8 ? {0} : 0.5;",
        "RESULT = sizeof(double) == 8 ? {0} : K(0.5);",
    ),
];

impl File {
    /// Functions that may end the program.
    pub(super) fn ends(&mut self) {
        let name = &self.name;
        let plain = FUNCTIONS.replace("NAME", name).replace("REAL", "double");
        let dual = FUNCTIONS
            .replace("NAME", &format!("d_{name}"))
            .replace("REAL", "D");
        self.line(0, &Text::both(&plain, &dual));
        self.ends = true;
    }
}

impl Writer<'_> {
    /// A statement that checks, prints, or could end the program.
    pub(super) fn end(&mut self) {
        if self.depth < 4 && self.rng.percent(25) {
            self.closed();
            return;
        }
        let name = self.file.name.clone();
        // The target is a plain variable: an element of x might be changed by the expression that is added to it.
        let simple: Vec<String> = (self.reals.iter())
            .filter(|r| r.chars().all(|c| c.is_ascii_alphanumeric()))
            .cloned()
            .collect();
        let Some(target) = self.rng.pick(&simple).cloned() else {
            return;
        };
        let (e, c, i) = (self.real(1), self.condition(1), self.int(1));
        let new = self.name("en");
        let (plain, dual) = FORMS[self.rng.below(FORMS.len())];
        let element = self.rng.below(2).to_string();
        let fill = |form: &str| {
            (form.replace("NAME", &name).replace("RESULT", &target))
                .replace('$', &element)
                .replace('@', &new)
        };
        self.line(&Text::fill(&fill(plain), &fill(dual), &[&e, &c, &i]));
    }

    /// Statements under a constant condition: reached never, or always.
    fn closed(&mut self) {
        let name = self.file.name.clone();
        let heads = [
            "if (0) {",
            "if (NAME_debug) {",
            "if (sizeof(double) != 8) {",
            "if (NAME_debug > 1 && n > 2) {",
            "while (0) {",
            "for (; 0; ) {",
            "if (1) {",
            "do {",
        ];
        let k = self.rng.below(heads.len());
        let both = |text: &str| {
            let plain = text.replace("NAME", &name);
            Text::both(&plain, &text.replace("NAME", &format!("d_{name}")))
        };
        self.open(&both(heads[k]));
        let loops = std::mem::take(&mut self.loops);
        self.scope(2);
        if k < 3 || k == 6 {
            self.depth -= 1;
            self.open(&Text::same("} else {"));
            self.scope(2);
        }
        self.loops = loops;
        self.close();
        if k == 7 {
            self.line(&Text::same("while (0);"));
        }
    }
}
