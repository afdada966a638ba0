//! Globals that functions name while their addresses are passed to them.

use super::{Array, File, LENGTH, Text, Writer};

impl File {
    /// A number and an array that every function may name, functions that change them, some also through pointers, and perhaps a pointer
    /// that is kept. Globals have the same names in both texts; [`Self::prefixed`] tells them apart in the end.
    pub(super) fn globals(&mut self, with_pointer: bool) {
        let name = &self.name;
        let plain = [
            "static double NAME_bank[] = {0.5, -0.25, 0.75, 0.125, -0.5}, NAME_total = 0.25;\n",
            "static void NAME_pour(double *to, const double *from, double by)\n{\n    *to += by * NAME_total;\n    \
             NAME_total = 0.5 * NAME_total + from[1];\n    NAME_bank[1] -= 0.25 * *to;\n}\n",
            "static double NAME_next(double by)\n{\n    static double kept = 0.5;\n    kept = 0.5 * kept + NAME_bank[0] * by;\n    \
             return NAME_total = tanh(NAME_total) + kept;\n}\n",
            "static double NAME_trade(double *a, double *b)\n{\n    double t = *a;\n    *a = *b + 0.125 * NAME_bank[2];\n    *b = t;\n    \
             return *a - NAME_total;\n}\n",
        ]
        .concat();
        let dual = [
            "static D NAME_bank[] = {{0.5, {0}}, {-0.25, {0}}, {0.75, {0}}, {0.125, {0}}, {-0.5, {0}}}, NAME_total = {0.25, {0}};\n",
            "static void d_NAME_pour(D *to, const D *from, D by)\n{\n    d_to_add(to, d_mul(by, NAME_total));\n    \
             NAME_total = d_add(d_mul(K(0.5), NAME_total), from[1]);\n    d_to_sub(&NAME_bank[1], d_mul(K(0.25), *to));\n}\n",
            "static D d_NAME_next(D by)\n{\n    static D kept = {0.5, {0}};\n    kept = d_add(d_mul(K(0.5), kept), d_mul(NAME_bank[0], by));\n    \
             return NAME_total = d_add(d_tanh(NAME_total), kept);\n}\n",
            "static D d_NAME_trade(D *a, D *b)\n{\n    D t = *a;\n    *a = d_add(*b, d_mul(K(0.125), NAME_bank[2]));\n    *b = t;\n    \
             return d_sub(*a, NAME_total);\n}\n",
        ]
        .concat();
        let text = Text::both(&plain.replace("NAME", name), &dual.replace("NAME", name));
        let pointer = Text::both(
            &format!("static double *{name}_here = {name}_bank + 1;"),
            &format!("static D *{name}_here = {name}_bank + 1;"),
        );
        self.line(0, &text);
        if with_pointer {
            self.line(0, &pointer);
        }
        self.globals = true;
        self.pointer = with_pointer;
    }

    /// The text over dual numbers with its own globals.
    pub(super) fn prefixed(&self) -> String {
        let mut text = self.text.dual.clone();
        for global in ["bank", "total", "here"] {
            let name = format!("{}_{global}", self.name);
            text = text.replace(&name, &format!("d_{name}"));
        }
        text
    }
}

impl Writer<'_> {
    /// Adds the globals to the variables in scope, at the beginning of each function.
    pub(super) fn see_globals(&mut self) {
        if !self.file.globals {
            return;
        }
        let name = self.file.name.clone();
        self.reals.push(format!("{name}_total"));
        let mut arrays = vec![("bank", LENGTH)];
        if self.file.pointer {
            arrays.push(("here", 2));
        }
        self.arrays
            .extend(arrays.into_iter().map(|(global, length)| Array {
                name: format!("{name}_{global}"),
                field: "",
                length,
                writable: true,
            }));
    }

    /// The address of a real or an element that may be written.
    fn address(&mut self) -> Text {
        if self.rng.percent(50) {
            let k = self.rng.below(self.reals.len());
            return Text::same(&format!("&{}", self.reals[k]));
        }
        match self.element(true) {
            Some(e) => Text::with("&{0}", &[&e]),
            None => Text::same("&s"),
        }
    }

    /// A call of a function that changes globals, or another place for the pointer that is kept.
    pub(super) fn call_with_globals(&mut self) {
        let name = self.file.name.clone();
        let target = self.reals[self.rng.below(self.reals.len())].clone();
        let (to, other, e) = (self.address(), self.address(), self.real(1));
        let from = ["x", "y", "NAME_bank", "NAME_bank + 2"][self.rng.below(4)];
        // The pointer is kept in a global, so it may only point to objects that outlive the call.
        let kept = ["NAME_bank", "x"][self.rng.below(1 + usize::from(self.main))];
        let k = self.rng.below(LENGTH - 1);
        let mut forms = vec![
            (
                format!("NAME_pour({{0}}, {from}, {{2}});"),
                format!("d_NAME_pour({{0}}, {from}, {{2}});"),
            ),
            (
                format!("{target} = NAME_next({{2}});"),
                format!("{target} = d_NAME_next({{2}});"),
            ),
            (
                format!("{target} = NAME_trade({{0}}, {{1}});"),
                format!("{target} = d_NAME_trade({{0}}, {{1}});"),
            ),
        ];
        if self.file.pointer {
            let form = format!("NAME_here = {kept} + {k};");
            forms.push((form.clone(), form));
        }
        let (plain, dual) = &forms[self.rng.below(forms.len())];
        let fill = |form: &str| form.replace("NAME", &name);
        let text = Text::fill(&fill(plain), &fill(dual), &[&to, &other, &e]);
        self.line(&text);
    }
}
