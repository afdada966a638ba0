//! Functions whose derivatives pragmas give, some of which are not in the file, and callbacks of the caller.
//!
//! Some of the given derivatives are deliberately not those of the values: the given ones count.

use super::{File, Text, Writer};

/// The functions as the front end reads them: declared only, or defined with given derivatives.
const PLAIN: &str = "\
double NAME_e(double u, double v);
#pragma cfgrev external(NAME_e) value(u * sin(v) + 0.5) partial(u: sin(v), v: u * cos(v))
double NAME_f(double);
#pragma cfgrev external(NAME_f(t)) value(tanh(t) * t)
static double NAME_h(double t) { return atan(t) * t; }
#pragma cfgrev external(NAME_h) partial(t: 0.5 * t)
static double NAME_z(double t) { return cos(t); }
#pragma cfgrev no-diff(NAME_z)
static double NAME_w(int n, const double *w, double t)
{
    double s = 0.0;
    for (int i = 0; i < n; i++)
        s += w[i] * t;
    return s;
}
static void NAME_w_b(int n, const double *w, double *w_b, double t, double *t_b, double s_b)
{
    for (int i = 0; i < n; i++) {
        w_b[i] += 2.0 * t * s_b;
        *t_b += w[i] * s_b;
    }
}
static void NAME_w_t(int n, const double *w, const double *w_t, double t, double t_t, double *s, double *s_t)
{
    *s = NAME_w(n, w, t);
    *s_t = 0.0;
    for (int i = 0; i < n; i++)
        *s_t += 2.0 * w_t[i] * t + w[i] * t_t;
}
#pragma cfgrev external(NAME_w) adjoint(NAME_w_b) tangent(NAME_w_t)
static void NAME_c(int n, double *w, double t)
{
    for (int i = 0; i < n; i++)
        w[i] = tanh(w[i]) * t;
}
static void NAME_c_b(int n, double *w, double *w_b, double t, double *t_b)
{
    for (int i = 0; i < n; i++) {
        *t_b += tanh(w[i]) * w_b[i];
        w_b[i] = 3.0 * t * w_b[i];
    }
}
static void NAME_c_t(int n, double *w, double *w_t, double t, double t_t)
{
    for (int i = 0; i < n; i++) {
        w_t[i] = 3.0 * t * w_t[i] + tanh(w[i]) * t_t;
        w[i] = tanh(w[i]) * t;
    }
}
#pragma cfgrev external(NAME_c) adjoint(NAME_c_b) tangent(NAME_c_t)
";

/// The functions of [`PLAIN`] over dual numbers.
const DUAL: &str = "\
static D d_NAME_e(D u, D v) { return d_add(d_mul(u, d_sin(v)), K(0.5)); }
static D d_NAME_f(D t) { return d_mul(d_tanh(t), t); }
static D d_NAME_h(D t) { return one(atan(t.v) * t.v, t, 0.5 * t.v); }
static D d_NAME_z(D t) { return K(cos(t.v)); }
static D d_NAME_w(int n, const D *w, D t)
{
    D s = K(0.0);
    for (int i = 0; i < n; i++)
        s = d_add(s, two(w[i].v * t.v, w[i], 2.0 * t.v, t, w[i].v));
    return s;
}
static void d_NAME_c(int n, D *w, D t)
{
    for (int i = 0; i < n; i++)
        w[i] = two(tanh(w[i].v) * t.v, w[i], 3.0 * t.v, t, tanh(w[i].v));
}
";

/// The definitions that are linked with the file.
const ELSEWHERE: &str = "\
double NAME_e(double u, double v) { return u * sin(v) + 0.5; }
double NAME_f(double t) { return tanh(t) * t; }
";

/// A function that takes the callback, and the pragma for it.
const CALLBACK: [&str; 2] = [
    "\
static double NAME_again(double (*g)(double, void *), double t, void *of)
{
    return 0.5 * g(g(t, of), of);
}
#pragma cfgrev external(cb(t, of)) value(sin(t) + 0.25 * t) partial(t: cos(t) + 0.25)
",
    "\
static D d_NAME_again(D (*g)(D, void *), D t, void *of)
{
    return d_mul(K(0.5), g(g(t, of), of));
}
static D d_NAME_cb(D t, void *of)
{
    (void)of;
    return d_add(d_sin(t), d_mul(K(0.25), t));
}
",
];

/// The callback that the caller passes.
const CALLED: &str = "\
static double NAME_cb(double t, void *of)
{
    (void)of;
    return sin(t) + 0.25 * t;
}
";

/// Statements: `%` is a real, `ARRAY` an array of `LENGTH` elements.
const FORMS: &[(&str, &str)] = &[
    ("% = NAME_e({0}, {1});", "% = d_NAME_e({0}, {1});"),
    (
        "% += NAME_f({0}) * NAME_e(%, {1});",
        "d_to_add(&%, d_mul(d_NAME_f({0}), d_NAME_e(%, {1})));",
    ),
    (
        "% -= NAME_h({0}) - NAME_z({1});",
        "d_to_sub(&%, d_sub(d_NAME_h({0}), d_NAME_z({1})));",
    ),
    (
        "% += 0.25 * NAME_w(LENGTH, ARRAY, {0});",
        "d_to_add(&%, d_mul(K(0.25), d_NAME_w(LENGTH, ARRAY, {0})));",
    ),
    (
        "NAME_c(LENGTH, ARRAY, {0});",
        "d_NAME_c(LENGTH, ARRAY, {0});",
    ),
    (
        "if ({2})\n        NAME_c(1, ARRAY + 1, NAME_e({0}, {1}));",
        "if ({2})\n        d_NAME_c(1, ARRAY + 1, d_NAME_e({0}, {1}));",
    ),
    (
        "% += {2} ? NAME_h({0}) : NAME_w(2, ARRAY, {1});",
        "d_to_add(&%, {2} ? d_NAME_h({0}) : d_NAME_w(2, ARRAY, {1}));",
    ),
];

/// Statements with the callback.
const CALLBACK_FORMS: &[(&str, &str)] = &[
    ("% = cb({0}, data);", "% = cb({0}, data);"),
    (
        "% += NAME_again(cb, {0}, data);",
        "d_to_add(&%, d_NAME_again(cb, {0}, data));",
    ),
    (
        "while ({2}) {\n        % -= 0.5 * cb({1}, NULL);\n        break;\n    }",
        "while ({2}) {\n        d_to_sub(&%, d_mul(K(0.5), cb({1}, NULL)));\n        break;\n    }",
    ),
];

impl File {
    /// Functions with given derivatives.
    pub(super) fn given(&mut self) {
        let name = self.name.clone();
        let text = |of: &str| of.replace("NAME", &name);
        self.line(0, &Text::both(&text(PLAIN), &text(DUAL)));
        self.elsewhere.push_str(&text(ELSEWHERE));
        self.given = true;
    }

    /// A callback of the function itself.
    pub(super) fn callback(&mut self) {
        let name = self.name.clone();
        let text = |of: &str| of.replace("NAME", &name);
        let [plain, dual] = CALLBACK;
        self.line(0, &Text::both(&text(plain), &text(dual)));
        self.elsewhere.push_str(&text(CALLED));
        self.callback = true;
    }
}

impl Writer<'_> {
    /// A call of a function with given derivatives, or of the callback.
    pub(super) fn call_given(&mut self) {
        let fit = self.of_length(2, true);
        let Some(array) = self.rng.pick(&fit).cloned() else {
            return;
        };
        let forms = match (self.file.given, self.file.callback && self.main) {
            (true, true) if self.rng.percent(40) => CALLBACK_FORMS,
            (true, _) => FORMS,
            (false, true) => CALLBACK_FORMS,
            (false, false) => return,
        };
        let name = self.file.name.clone();
        let simple: Vec<String> = (self.reals.iter())
            .filter(|r| r.chars().all(|c| c.is_ascii_alphanumeric()))
            .cloned()
            .collect();
        let Some(target) = self.rng.pick(&simple).cloned() else {
            return;
        };
        let (e, g, c) = (self.real(1), self.real(1), self.condition(1));
        let (plain, dual) = forms[self.rng.below(forms.len())];
        let fill = |form: &str| {
            (form.replace("NAME", &name).replace('%', &target))
                .replace("ARRAY", &array.name)
                .replace("LENGTH", &array.length.to_string())
        };
        self.line(&Text::fill(&fill(plain), &fill(dual), &[&e, &g, &c]));
    }
}
