//! Random expressions, without side effects except in some conditions and subscripts.

use super::{Text, Writer};

impl Writer<'_> {
    /// A real expression of at most this depth.
    pub(super) fn real(&mut self, depth: usize) -> Text {
        if depth == 0 {
            return self.leaf();
        }
        let weights = [20, 14, 10, 12, 6, 24, 4, 7, 3];
        match self.rng.weighted(&weights) {
            0 => self.leaf(),
            1 => self.binary("{0} + {1}", "d_add({0}, {1})", depth),
            2 => self.binary("{0} - {1}", "d_sub({0}, {1})", depth),
            3 => self.binary("{0} * {1}", "d_mul({0}, {1})", depth),
            4 => self.binary(
                "{0} / (1.5 + {1} * {1})",
                "d_div({0}, d_add(K(1.5), d_mul({1}, {1})))",
                depth,
            ),
            5 => self.function(depth),
            6 => {
                let a = self.real(depth - 1);
                Text::fill("-{0}", "d_neg({0})", &[&parenthesised(&a)])
            }
            7 => {
                let (c, a, b) = (
                    self.condition(depth - 1),
                    self.real(depth - 1),
                    self.real(depth - 1),
                );
                Text::fill("({0} ? {1} : {2})", "({0} ? {1} : {2})", &[&c, &a, &b])
            }
            _ => self.pure_call(depth),
        }
    }

    fn binary(&mut self, plain: &str, dual: &str, depth: usize) -> Text {
        let (a, b) = (self.real(depth - 1), self.real(depth - 1));
        let made = Text::fill(plain, dual, &[&parenthesised(&a), &parenthesised(&b)]);
        // The right operand of a quotient occurs twice in the text.
        parenthesised(&made)
    }

    fn function(&mut self, depth: usize) -> Text {
        let (a, b) = (self.real(depth - 1), self.real(depth - 1));
        let forms: &[(&str, &str)] = &[
            ("sin({0})", "d_sin({0})"),
            ("cos({0})", "d_cos({0})"),
            ("tanh({0})", "d_tanh({0})"),
            ("atan({0})", "d_atan({0})"),
            ("erf({0})", "d_erf({0})"),
            ("exp(-fabs({0}))", "d_exp(d_neg(d_fabs({0})))"),
            ("log(2.5 + sin({0}))", "d_log(d_add(K(2.5), d_sin({0})))"),
            (
                "sqrt(1.25 + fabs({0}))",
                "d_sqrt(d_add(K(1.25), d_fabs({0})))",
            ),
            (
                "pow(1.5 + cos({0}), 2.5)",
                "d_pow(d_add(K(1.5), d_cos({0})), 2.5)",
            ),
            ("fmin({0}, {1})", "d_fmin({0}, {1})"),
            ("fmax({0}, {1})", "d_fmax({0}, {1})"),
            ("hypot({0}, {1})", "d_hypot({0}, {1})"),
        ];
        let (plain, dual) = forms[self.rng.below(forms.len())];
        Text::fill(plain, dual, &[&a, &b])
    }

    /// A call of a function that changes nothing, and calls itself.
    fn pure_call(&mut self, depth: usize) -> Text {
        let (a, n) = (self.real(depth - 1), self.rng.below(4));
        let Some(name) = self.file.recursive.clone() else {
            return a;
        };
        Text::fill(
            &format!("{name}({{0}}, {n})"),
            &format!("d_{name}({{0}}, {n})"),
            &[&a],
        )
    }

    fn leaf(&mut self) -> Text {
        match self.rng.weighted(&[40, 36, 12, 8, 4]) {
            0 => {
                let k = self.rng.below(self.reals.len());
                Text::same(&self.reals[k])
            }
            1 => self.element(false).unwrap_or_else(|| Text::same("a")),
            2 => {
                let value = self.rng.between(-12, 12) as f64 / 8.0;
                Text::both(&format!("({value:?})"), &format!("K({value:?})"))
            }
            3 => {
                let e = self.int(1);
                Text::fill(
                    "(double)({0} % 7) * 0.125",
                    "K((double)({0} % 7) * 0.125)",
                    &[&e],
                )
            }
            _ => match self.floats.len() {
                0 => Text::same("a"),
                n => {
                    let k = self.rng.below(n);
                    Text::both(&format!("(double){}", self.floats[k]), &self.floats[k])
                }
            },
        }
    }

    /// An element of an array; with `written`, of one that may be assigned.
    pub(super) fn element(&mut self, written: bool) -> Option<Text> {
        let fit: Vec<usize> = (0..self.arrays.len())
            .filter(|&k| !written || self.arrays[k].writable)
            .collect();
        let k = *self.rng.pick(&fit)?;
        let array = self.arrays[k].clone();
        let subscript = self.subscript(array.length);
        Some(Text::fill(
            &format!("{}[{{0}}]{}", array.name, array.field),
            &format!("{}[{{0}}]{}", array.name, array.field),
            &[&subscript],
        ))
    }

    /// A subscript below a number.
    pub(super) fn subscript(&mut self, length: usize) -> Text {
        let known: Vec<String> = (self.ints.iter())
            .filter(|i| i.below.is_some_and(|below| below <= length))
            .map(|i| i.name.clone())
            .collect();
        match self.rng.weighted(&[5, 8, 2, 2]) {
            1 if !known.is_empty() => Text::same(&known[self.rng.below(known.len())]),
            2 if self.main && length >= super::LENGTH => {
                let inner = self.rng.below(super::LENGTH);
                Text::same(&format!("k[{inner}]"))
            }
            3 => {
                let e = self.int(1);
                Text::with(&format!("(unsigned)({{0}}) % {length}u"), &[&e])
            }
            _ => Text::same(&self.rng.below(length).to_string()),
        }
    }

    /// An integer expression whose value is small, and does not overflow.
    pub(super) fn int(&mut self, depth: usize) -> Text {
        if depth == 0 || self.rng.percent(30) {
            if self.rng.percent(30) {
                return Text::same(&self.rng.between(0, 6).to_string());
            }
            let k = self.rng.below(self.ints.len());
            let int = &self.ints[k];
            let text = match int.unsigned {
                // The variable may have any value: the remainder makes it small.
                true => format!("(int)({} % 17u)", int.name),
                false => int.name.clone(),
            };
            return Text::same(&text);
        }
        let (a, b) = (self.int(depth - 1), self.int(depth - 1));
        let forms = [
            "({0} + {1})",
            "({0} - {1})",
            "({0} * {1}) % 13",
            "({0} & {1})",
            "({0} | 1)",
            "({0} ^ {1})",
            "({0} > {1})",
            "({0} == {1} ? {1} : 2)",
            "({0} / 3)",
            "!{0}",
            "(~{0} & 7)",
        ];
        let text = Text::with(forms[self.rng.below(forms.len())], &[&a, &b]);
        if self.rng.percent(8) {
            let e = self.real(depth - 1);
            return Text::fill(
                "(int)fmin(3.0, fmax(-3.0, {0}))",
                "(int)fmin(3.0, fmax(-3.0, {0}.v))",
                &[&parenthesised(&e)],
            );
        }
        Text::with("({0})", &[&text])
    }

    /// A condition. One operand of it may have a side effect on an integer that nothing else in it names.
    pub(super) fn condition(&mut self, depth: usize) -> Text {
        match self.rng.weighted(&[24, 20, 6, 6, 4, 6]) {
            0 => {
                let (a, b) = (self.real(depth.min(1)), self.real(depth.min(1)));
                let op = ["<", ">", "<=", ">="][self.rng.below(4)];
                let dual = format!("({{0}}).v {op} ({{1}}).v");
                Text::fill(
                    &format!("({{0}} {op} {{1}})"),
                    &format!("({dual})"),
                    &[&a, &b],
                )
            }
            1 => {
                let (a, b) = (self.int(1), self.int(1));
                let op = ["<", ">", "<=", ">=", "==", "!="][self.rng.below(6)];
                Text::with(&format!("({{0}} {op} {{1}})"), &[&a, &b])
            }
            2 if depth > 0 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                Text::with("({0} && {1})", &[&a, &b])
            }
            3 if depth > 0 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                Text::with("({0} || {1})", &[&a, &b])
            }
            4 if depth > 0 => {
                let a = self.condition(depth - 1);
                Text::with("!({0})", &[&a])
            }
            _ => {
                let a = self.int(1);
                Text::with("({0} & 1)", &[&a])
            }
        }
    }
}

/// The same in parentheses, unless it binds like a name.
fn parenthesised(text: &Text) -> Text {
    let simple = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '[' | ']');
    if text.plain.chars().all(simple) {
        return text.clone();
    }
    Text::both(&format!("({})", text.plain), &text.dual)
}
