//! Random statements. Loops end after a few passes, whatever they compute.

use super::{Int, Text, Writer};

impl Writer<'_> {
    /// One statement, or several that belong together.
    pub(super) fn statement(&mut self) {
        self.left = self.left.saturating_sub(1);
        let deep = self.depth > 4;
        let calls = if self.main && !self.file.callees.is_empty() {
            14
        } else {
            0
        };
        let blocks = if deep { 0 } else { 1 };
        let weights = [
            26,
            18,
            10,
            10,
            10 * blocks,
            14 * blocks,
            7 * blocks,
            5 * blocks,
            5,
            calls,
            6 * blocks,
            4 * blocks,
            5 * blocks,
            4 * blocks,
            3,
            6,
            4,
            10 * blocks,
            if self.file.structure.is_some() { 12 } else { 0 },
            if self.file.functions { 14 } else { 0 },
            if self.file.views { 16 } else { 0 },
            if self.file.ends { 20 } else { 0 },
            if self.file.given || self.file.callback {
                14
            } else {
                0
            },
            if self.file.globals { 10 } else { 0 },
            if self.file.optional && self.main {
                20
            } else {
                0
            },
        ];
        match self.rng.weighted(&weights) {
            0 => self.assign_real(),
            1 => self.assign_element(),
            2 => self.declare_real(),
            3 => self.integers(),
            4 => self.branch(),
            5 => self.counted_loop(),
            6 => self.while_loop(),
            7 => self.switch(),
            8 => self.leave(),
            9 => self.call(),
            10 => self.array(),
            11 => self.jump_forward(),
            12 => self.jump_backward(),
            13 => self.two_entries(),
            14 => self.hash(),
            15 => self.side_effects(),
            16 => self.single_precision(),
            17 => self.walk(),
            18 => self.structures(),
            19 => self.call_stored(),
            20 => self.view(),
            21 => self.end(),
            22 => self.call_given(),
            23 => self.call_with_globals(),
            _ => self.may_be_null(),
        }
    }

    /// Statements in a scope of their own: variables declared there leave the generator's tables at its end.
    pub(super) fn scope(&mut self, most: usize) {
        let structures = self.structures.len();
        let seen = (
            self.reals.len(),
            self.floats.len(),
            self.arrays.len(),
            self.ints.len(),
        );
        for _ in 0..1 + self.rng.below(most) {
            self.statement();
        }
        self.reals.truncate(seen.0);
        self.floats.truncate(seen.1);
        self.arrays.truncate(seen.2);
        self.ints.truncate(seen.3);
        self.structures.truncate(structures);
    }

    fn assign(&mut self, target: &Text, e: &Text) {
        let forms: &[(&str, &str)] = &[
            ("{0} = {1};", "{0} = {1};"),
            ("{0} += {1};", "d_to_add(&{0}, {1});"),
            ("{0} -= {1};", "d_to_sub(&{0}, {1});"),
            ("{0} *= tanh({1});", "d_to_mul(&{0}, d_tanh({1}));"),
            (
                "{0} /= 2.0 + cos({1});",
                "d_to_div(&{0}, d_add(K(2.0), d_cos({1})));",
            ),
        ];
        let (plain, dual) = forms[self.rng.weighted(&[10, 6, 4, 3, 2])];
        let text = Text::fill(plain, dual, &[target, e]);
        self.line(&text);
    }

    fn assign_real(&mut self) {
        let k = self.rng.below(self.reals.len());
        let target = Text::same(&self.reals[k].clone());
        let e = self.real(3);
        self.assign(&target, &e);
    }

    fn assign_element(&mut self) {
        if let Some(target) = self.element(true) {
            let e = self.real(2);
            self.assign(&target, &e);
        }
    }

    fn declare_real(&mut self) {
        let name = self.name("t");
        let e = self.real(2);
        let (plain, dual) = (
            format!("double {name} = {{0}};"),
            format!("D {name} = {{0}};"),
        );
        self.line(&Text::fill(&plain, &dual, &[&e]));
        self.reals.push(name);
    }

    fn integers(&mut self) {
        let free: Vec<String> = (self.ints.iter())
            .filter(|i| i.free && !i.unsigned)
            .map(|i| i.name.clone())
            .collect();
        if free.is_empty() || self.rng.percent(40) {
            let name = self.name("j");
            let ty = ["int", "long", "short", "int64_t"][self.rng.below(4)];
            let e = self.int(2);
            self.line(&Text::with(&format!("{ty} {name} = {{0}} % 11;"), &[&e]));
            self.ints.push(Int {
                name,
                below: None,
                free: true,
                unsigned: false,
            });
            return;
        }
        let name = &free[self.rng.below(free.len())];
        let e = self.int(2);
        self.line(&Text::with(&format!("{name} = {{0}} % 11;"), &[&e]));
    }

    fn branch(&mut self) {
        let c = self.condition(2);
        self.open(&Text::with("if ({0}) {", &[&c]));
        self.scope(3);
        while self.rng.percent(25) {
            let c = self.condition(1);
            self.depth -= 1;
            self.open(&Text::with("} else if ({0}) {", &[&c]));
            self.scope(2);
        }
        if self.rng.percent(50) {
            self.depth -= 1;
            self.open(&Text::same("} else {"));
            self.scope(2);
        }
        self.close();
    }

    fn with_int(&mut self, name: &str, below: Option<usize>, statements: usize) {
        self.ints.push(Int {
            name: name.to_owned(),
            below,
            free: false,
            unsigned: false,
        });
        self.loops.push(true);
        self.scope(statements);
        self.loops.pop();
        self.ints.retain(|i| i.name != name);
    }

    /// A `for` whose counter lies below a number in all passes, of many forms.
    fn counted_loop(&mut self) {
        let i = self.name("i");
        let n = match self.main {
            true => "n".to_owned(),
            false => self.reach.to_string(),
        };
        let length = self.reach;
        let heads = [
            format!("for (int {i} = 0; {i} < {n}; {i}++) {{"),
            format!("for (int {i} = 0; {i} < {n}; ++{i}) {{"),
            format!("for (unsigned {i} = {n}; {i}-- > 0; ) {{"),
            format!("for (unsigned {i} = {n} - 1; {i} < (unsigned){n}; {i}--) {{"),
            format!("for (size_t {i} = 1; {i} < (size_t){n}; {i} += 2) {{"),
            format!("for (long {i} = {n} - 1; {i} >= 0; --{i}) {{"),
            format!("for (int {i} = {n} - 1; {i} > 0; {i} -= 2) {{"),
            format!("for (unsigned char {i} = 0; {i} != {n}; {i}++) {{"),
            format!("for (int {i} = 0; {i} < 2.5; {i}++) {{"),
            format!("for (int {i} = 0, j{i} = {n} - 1; {i} < j{i}; {i}++, j{i}--) {{"),
            format!("for (int {i} = 0; {i} < {n} && {i} * {i} < 9; {i}++) {{"),
            format!("for (int {i} = h & 1; {i} <= {n} - 1; {i} = {i} + 1) {{"),
            format!(
                "for (int {i} = 0; ; {i}++) {{\n        if ({i} == {n} - 1)\n            break;"
            ),
            format!("int {i};\n    for ({i} = 0; {i} < {n} - 1; {i}++) {{"),
        ];
        let mut k = self.rng.below(heads.len());
        if (k == 11 && !self.main) || (k == 8 && length < 3) {
            k = 0;
        }
        let outside = k == 13;
        self.open(&Text::same(&heads[k]));
        self.with_int(&i, Some(length), 3);
        self.close();
        if outside {
            self.ints.push(Int {
                name: i,
                below: None,
                free: false,
                unsigned: false,
            });
        }
    }

    fn while_loop(&mut self) {
        let k = self.name("w");
        let passes = 1 + self.rng.below(4);
        let c = self.condition(1);
        let fit = |form: &str| form.replace('@', &k);
        self.line(&Text::same(&format!("int {k} = {passes};")));
        let form = self.rng.below(5);
        match form {
            0 => self.open(&Text::same(&fit("while (@-- > 0) {"))),
            1 => self.open(&Text::with(&fit("while (@-- && {0}) {"), &[&c])),
            2 => self.open(&Text::with(
                &fit("while (--@ > 0 || ({0} && @ > -2)) {"),
                &[&c],
            )),
            _ => self.open(&Text::same("do {")),
        }
        self.with_int(&k, None, 3);
        match form {
            0..=2 => self.close(),
            3 => {
                self.depth -= 1;
                self.line(&Text::same(&fit("} while (--@ > 0);")));
            }
            _ => {
                self.depth -= 1;
                self.line(&Text::with(&fit("} while ({0} && @-- > 0);"), &[&c]));
            }
        }
    }

    fn switch(&mut self) {
        let e = self.int(2);
        self.open(&Text::with("switch (({0} % 5 + 5) % 5) {", &[&e]));
        let mut labels = vec!["case 0:", "case 1:", "case 2:\n        case 4:", "default:"];
        while labels.len() > 1 {
            let label = labels.remove(self.rng.below(labels.len()));
            self.open(&Text::same(&format!("{label} {{")));
            self.scope(2);
            self.close();
            if self.rng.percent(60) {
                self.line(&Text::same("break;"));
            }
        }
        self.close();
    }

    /// Leaves the loop, the pass, or the function.
    fn leave(&mut self) {
        let c = self.condition(1);
        let way = match self.loops.last() {
            Some(true) => ["break;", "continue;"][self.rng.below(2)],
            Some(false) => "break;",
            None => "",
        };
        if way.is_empty() || self.rng.percent(20) {
            let e = self.real(1);
            self.open(&Text::with("if ({0}) {", &[&c]));
            self.line(&Text::fill("return {0};", "return {0};", &[&e]));
            self.close();
            return;
        }
        self.line(&Text::with(&format!("if ({{0}})\n        {way}"), &[&c]));
    }

    /// Calls a function whose arrays may overlap.
    fn call(&mut self) {
        let k = self.rng.below(self.file.callees.len());
        let callee = self.file.callees[k].clone();
        let part = |writer: &mut Self, written: bool| {
            let fit: Vec<super::Array> = (writer.arrays.iter())
                .filter(|a| {
                    a.field.is_empty() && a.length >= callee.reach && (a.writable || !written)
                })
                .cloned()
                .collect();
            let array = fit[writer.rng.below(fit.len())].clone();
            let from = writer.rng.below(array.length - callee.reach + 1);
            match writer.rng.below(3) {
                0 if from > 0 => format!("&{}[{from}]", array.name),
                _ if from == 0 => array.name,
                _ => format!("{} + {from}", array.name),
            }
        };
        let (x, y) = (part(self, true), part(self, false));
        let e = self
            .rng
            .pick(&self.reals.clone())
            .cloned()
            .unwrap_or_default();
        let t = self.name("c");
        let reach = callee.reach;
        let name = &callee.name;
        self.line(&Text::both(
            &format!("double {t} = {name}({reach}, {x}, {y}, {e});"),
            &format!("D {t} = d_{name}({reach}, {x}, {y}, {e});"),
        ));
        self.reals.push(t);
    }

    fn jump_forward(&mut self) {
        let label = self.name("out");
        let c = self.condition(1);
        self.line(&Text::with(
            &format!("if ({{0}})\n        goto {label};"),
            &[&c],
        ));
        self.open(&Text::same("{"));
        self.scope(2);
        self.close();
        self.line(&Text::same(&format!("{label}:;")));
    }

    fn jump_backward(&mut self) {
        let (label, k) = (self.name("again"), self.name("b"));
        self.line(&Text::same(&format!("int {k} = 0;")));
        self.line(&Text::same(&format!("{label}:;")));
        self.open(&Text::same("{"));
        let loops = std::mem::take(&mut self.loops);
        self.scope(2);
        self.loops = loops;
        self.close();
        let c = self.condition(1);
        self.line(&Text::with(
            &format!("if ({k}++ < 2 && {{0}})\n        goto {label};"),
            &[&c],
        ));
    }

    /// A loop that is entered at two places, by a jump or a `switch`.
    fn two_entries(&mut self) {
        let (label, k) = (self.name("mid"), self.name("e"));
        let loops = std::mem::take(&mut self.loops);
        let c = self.condition(1);
        self.line(&Text::same(&format!("int {k} = 0;")));
        if self.rng.percent(50) {
            self.line(&Text::with(
                &format!("if ({{0}})\n        goto {label};"),
                &[&c],
            ));
            self.open(&Text::same(&format!("while ({k}++ < 3) {{")));
            self.open(&Text::same("{"));
            self.scope(2);
            self.close();
            self.line(&Text::same(&format!("{label}:;")));
            self.open(&Text::same("{"));
            self.scope(2);
            self.close();
            self.close();
        } else {
            let e = self.int(1);
            self.open(&Text::with("switch (({0} % 3 + 3) % 3) {", &[&e]));
            self.open(&Text::same("case 0: do {"));
            for case in ["", "case 1:;", "case 2:;"] {
                self.line(&Text::same(case));
                self.open(&Text::same("{"));
                self.scope(1);
                self.close();
            }
            self.depth -= 1;
            self.line(&Text::same(&format!("}} while ({k}++ < 2);")));
            self.close();
        }
        self.loops = loops;
    }

    /// Arithmetic without sign, which wraps around.
    fn hash(&mut self) {
        if !self.main {
            return;
        }
        let e = self.int(1);
        let forms = [
            "h = h * 1664525u + (unsigned){0};",
            "h ^= h << 13;",
            "h ^= h >> 17;",
            "h = (h << 5 | h >> 27) - (unsigned){0};",
            "h += (unsigned char)(h * 3u);",
            "h = ~h / 3u;",
        ];
        let k = self.rng.below(forms.len());
        self.line(&Text::with(forms[k], &[&e]));
        let target = self.reals[self.rng.below(self.reals.len())].clone();
        self.line(&Text::fill(
            &format!("{target} += (double)(h % 1000u) * 0.001;"),
            &format!("d_to_add(&{target}, K((double)(h % 1000u) * 0.001));"),
            &[],
        ));
    }

    /// Side effects in subscripts, conditions and calls.
    fn side_effects(&mut self) {
        let q = self.name("q");
        let (e, c) = (self.real(1), self.condition(1));
        let length = self.reach;
        let target = self.reals[self.rng.below(self.reals.len())].clone();
        let first = self.rng.below(length - 1);
        self.line(&Text::same(&format!("int {q} = {first};")));
        let forms: &[(&str, &str)] = &[
            ("x[@++] = {0};", "x[@++] = {0};"),
            ("x[++@] += {0};", "d_to_add(&x[++@], {0});"),
            ("% += x[@++];", "d_to_add(&%, x[@++]);"),
            ("% = x[@ += 1] * 0.5;", "% = d_mul(x[@ += 1], K(0.5));"),
            (
                "if (@++ < 2 && {1})\n        % = x[@];",
                "if (@++ < 2 && {1})\n        % = x[@];",
            ),
            ("% = @++ & 1 ? {0} : x[@];", "% = @++ & 1 ? {0} : x[@];"),
            (
                "@ = @ > 0 ? @ - 1 : 0, % -= x[@];",
                "@ = @ > 0 ? @ - 1 : 0, d_to_sub(&%, x[@]);",
            ),
        ];
        let (plain, dual) = forms[self.rng.below(forms.len())];
        let fit = |form: &str| form.replace('@', &q).replace('%', &target);
        // A target that is named on the right would make the order of evaluation undefined in C.
        self.line(&Text::fill(&fit(plain), &fit(dual), &[&e, &c]));
    }

    fn single_precision(&mut self) {
        if !self.main || self.rng.percent(70) {
            return;
        }
        let name = self.name("z");
        let e = self.real(2);
        self.single = true;
        self.line(&Text::fill(
            &format!("float {name} = {{0}};"),
            &format!("D {name} = d_float({{0}});"),
            &[&e],
        ));
        self.floats.push(name);
    }
}
