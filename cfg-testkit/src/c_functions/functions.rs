//! Functions that are stored, chosen and passed.

use super::{File, Text, Writer};

impl File {
    /// Functions of one number, a table of them, and functions that call what they are given.
    pub(super) fn functions(&mut self) {
        let name = &self.name;
        let plain = [
            "typedef double (*NAME_F)(double);\n",
            "typedef double (*NAME_G)(double, void *);\n",
            "static double NAME_p0(double a) { return a * a; }\n",
            "static double NAME_p1(double a) { return sin(a) + 0.5; }\n",
            "static double NAME_q0(double a, void *data) { *(double *)data += 0.25 * a; return a; }\n",
            "static double NAME_q1(double a, void *data) { double *w = data; return a * w[0]; }\n",
            "static const NAME_F NAME_table[] = {NAME_p1, tanh, &NAME_p0};\n",
            "static double NAME_apply(NAME_F f, double a, int d)\n{\n    if (d <= 0)\n        f = NAME_p0;\n    \
             return d > 0 ? NAME_apply(f, f(a), d - 1) : f(0.5 * a);\n}\n",
            "static double NAME_sum(NAME_G g, void *data, double (*const f)(double), double a, int d)\n{\n    double s = 0.0;\n    \
             for (int i = 0; i <= d; i++)\n        s += g(f(a), data);\n    return s;\n}\n",
        ]
        .concat();
        let dual = [
            "typedef D (*d_NAME_F)(D);\n",
            "typedef D (*d_NAME_G)(D, void *);\n",
            "static D d_NAME_p0(D a) { return d_mul(a, a); }\n",
            "static D d_NAME_p1(D a) { return d_add(d_sin(a), K(0.5)); }\n",
            "static D d_NAME_q0(D a, void *data) { d_to_add((D *)data, d_mul(K(0.25), a)); return a; }\n",
            "static D d_NAME_q1(D a, void *data) { D *w = data; return d_mul(a, w[0]); }\n",
            "static const d_NAME_F d_NAME_table[] = {d_NAME_p1, d_tanh, &d_NAME_p0};\n",
            "static D d_NAME_apply(d_NAME_F f, D a, int d)\n{\n    if (d <= 0)\n        f = d_NAME_p0;\n    \
             return d > 0 ? d_NAME_apply(f, f(a), d - 1) : f(d_mul(K(0.5), a));\n}\n",
            "static D d_NAME_sum(d_NAME_G g, void *data, D (*const f)(D), D a, int d)\n{\n    D s = K(0.0);\n    \
             for (int i = 0; i <= d; i++)\n        d_to_add(&s, g(f(a), data));\n    return s;\n}\n",
        ]
        .concat();
        let text = Text::both(&plain.replace("NAME", name), &dual.replace("NAME", name));
        self.line(0, &text);
        self.functions = true;
    }
}

impl Writer<'_> {
    /// A function that has one real and is one of several.
    fn stored(&mut self) -> Text {
        let (name, i) = (self.file.name.clone(), self.int(1));
        let forms = [
            ("NAME_p0", "d_NAME_p0"),
            ("NAME_p1", "&d_NAME_p1"),
            ("cos", "d_cos"),
            (
                "NAME_table[(unsigned)({0}) % 3u]",
                "d_NAME_table[(unsigned)({0}) % 3u]",
            ),
            (
                "(({0}) & 1 ? NAME_p1 : NAME_p0)",
                "(({0}) & 1 ? d_NAME_p1 : d_NAME_p0)",
            ),
        ];
        let (plain, dual) = forms[self.rng.below(forms.len())];
        let text = Text::both(&plain.replace("NAME", &name), &dual.replace("NAME", &name));
        Text::fill(&text.plain, &text.dual, &[&i])
    }

    /// A call through a pointer, or of a function that is given some.
    pub(super) fn call_stored(&mut self) {
        let name = self.file.name.clone();
        let target = self.reals[self.rng.below(self.reals.len())].clone();
        let (f, g, e, c) = (
            self.stored(),
            self.stored(),
            self.real(1),
            self.condition(1),
        );
        let (p, q) = (self.name("fp"), self.name("fq"));
        let d = self.rng.below(3);
        let forms: &[(&str, &str)] = &[
            ("% = {0}({2});", "% = ({0})({2});"),
            (
                "% += NAME_apply({0}, {2}, #);",
                "d_to_add(&%, d_NAME_apply({0}, {2}, #));",
            ),
            (
                "double @ = {2};\n    % -= NAME_sum(NAME_q0, &@, {0}, 0.5, #);\n    % += @;",
                "D @ = {2};\n    d_to_sub(&%, d_NAME_sum(d_NAME_q0, &@, {0}, K(0.5), #));\n    d_to_add(&%, @);",
            ),
            (
                "% *= tanh(NAME_sum(NAME_q1, x, {0}, {2}, #));",
                "d_to_mul(&%, d_tanh(d_NAME_sum(d_NAME_q1, x, {0}, {2}, #)));",
            ),
            (
                "NAME_F @ = {0};\n    if ({3})\n        @ = {1};\n    % = @({2});",
                "d_NAME_F @ = {0};\n    if ({3})\n        @ = {1};\n    % = @({2});",
            ),
            (
                "double (*@)(double) = {0}, (*$)(double) = NULL;\n    while (@ != $ && {3}) {\n        $ = @;\n        % += (*$)({2});\n        @ = {1};\n        if (@ == tanh)\n            break;\n    }",
                "D (*@)(D) = {0}, (*$)(D) = 0;\n    while (@ != $ && {3}) {\n        $ = @;\n        d_to_add(&%, (*$)({2}));\n        @ = {1};\n        if (@ == d_tanh)\n            break;\n    }",
            ),
        ];
        let (plain, dual) = forms[self.rng.below(forms.len())];
        let fill = |form: &str| {
            (form.replace("NAME", &name).replace('%', &target))
                .replace('#', &d.to_string())
                .replace('@', &p)
                .replace('$', &q)
        };
        let text = Text::fill(&fill(plain), &fill(dual), &[&f, &g, &e, &c]);
        self.line(&text);
    }
}
