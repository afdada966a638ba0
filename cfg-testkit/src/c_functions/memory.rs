//! Arrays, memory from the library, pointers and structures.

use super::{Array, Text, Writer};

impl Writer<'_> {
    fn see(&mut self, name: String, length: usize, writable: bool) {
        self.arrays.push(Array {
            name,
            field: "",
            length,
            writable,
        });
    }

    /// The arrays of reals in sight with so many elements.
    pub(super) fn of_length(&self, least: usize, written: bool) -> Vec<Array> {
        (self.arrays.iter())
            .filter(|a| a.field.is_empty() && a.length >= least && (a.writable || !written))
            .cloned()
            .collect()
    }

    /// A local array, or another name for a part of one.
    pub(super) fn array(&mut self) {
        match self.rng.below(6) {
            0 => self.local_array(),
            1 => self.rows(),
            2 if self.depth == 1 => self.allocated(),
            3 => self.copied(),
            4 => self.chosen(),
            _ => self.part(),
        }
    }

    fn local_array(&mut self) {
        let name = self.name("v");
        let (a, b) = (self.real(1), self.real(1));
        let form = format!("{name}[3] = {{{{0}}, {{1}}, ");
        let (plain, dual) = (format!("double {form}0.5}};"), format!("D {form}K(0.5)}};"));
        self.line(&Text::fill(&plain, &dual, &[&a, &b]));
        self.see(name, 3, true);
    }

    fn rows(&mut self) {
        let name = self.name("v");
        let (a, b) = (self.real(1), self.real(1));
        self.line(&Text::both(
            &format!("double {name}[2][3];"),
            &format!("D {name}[2][3];"),
        ));
        let i = self.name("i");
        self.open(&Text::same(&format!(
            "for (int {i} = 0; {i} < 2; {i}++) {{"
        )));
        let form = format!(
            "{name}[{i}][0] = {{0}};\n        {name}[{i}][1] = {{1}};\n        {name}[{i}][2] = "
        );
        self.line(&Text::fill(
            &format!("{form}{i};"),
            &format!("{form}K({i});"),
            &[&a, &b],
        ));
        self.close();
        for row in 0..2 {
            self.see(format!("{name}[{row}]"), 3, true);
        }
        // The matrix under another name, as one sequence of elements.
        if self.rng.percent(50) {
            let whole = match self.rng.below(2) {
                0 => format!("(&{name}[0][0])"),
                _ => format!("({name}[0] + 0)"),
            };
            self.see(whole, 6, true);
        }
    }

    /// Memory from the library, initialised at once.
    fn allocated(&mut self) {
        let name = self.name("m");
        let (i, e) = (self.name("i"), self.real(1));
        let length = 2 + self.rng.below(4);
        match self.rng.below(3) {
            0 => self.line(&Text::both(
                &format!("double *{name} = calloc({length}, sizeof(double));"),
                &format!("D *{name} = calloc({length}, sizeof(D));"),
            )),
            which => {
                let size = [
                    "malloc({length} * sizeof *{name})",
                    "malloc(sizeof(*{name}) * (size_t){length})",
                ][which - 1];
                let size = size
                    .replace("{length}", &length.to_string())
                    .replace("{name}", &name);
                self.line(&Text::both(
                    &format!("double *{name} = {size};"),
                    &format!("D *{name} = {size};"),
                ));
                self.open(&Text::same(&format!(
                    "for (int {i} = 0; {i} < {length}; {i}++) {{"
                )));
                self.line(&Text::fill(
                    &format!("{name}[{i}] = {{0}} + {i};"),
                    &format!("{name}[{i}] = d_add({{0}}, K({i}));"),
                    &[&e],
                ));
                self.close();
            }
        }
        self.see(name, length, true);
    }

    fn copied(&mut self) {
        let (to, from) = (self.of_length(2, true), self.of_length(2, false));
        let (Some(to), Some(from)) = (self.rng.pick(&to).cloned(), self.rng.pick(&from).cloned())
        else {
            return;
        };
        let (to, from) = (to.name, from.name);
        let line = match self.rng.below(3) {
            0 => format!("memmove({to}, {from} + 1, sizeof *{to});"),
            1 => format!("memmove({to}, {from}, 2 * sizeof(*{to}));"),
            _ => format!("memset({to} + 1, 0, sizeof *{to});"),
        };
        self.line(&Text::same(&line));
    }

    /// A pointer to one of two arrays.
    fn chosen(&mut self) {
        let written = self.rng.percent(50);
        let fit = self.of_length(3, written);
        let (Some(a), Some(b)) = (self.rng.pick(&fit).cloned(), self.rng.pick(&fit).cloned())
        else {
            return;
        };
        let (name, c) = (self.name("r"), self.condition(1));
        let constant = if written { "" } else { "const " };
        let form = format!("*{name} = {{0}} ? {} : {} + 1;", a.name, b.name);
        self.line(&Text::fill(
            &format!("{constant}double {form}"),
            &format!("{constant}D {form}"),
            &[&c],
        ));
        self.see(name, 2, written);
    }

    fn part(&mut self) {
        let fit = self.of_length(3, false);
        let Some(of) = self.rng.pick(&fit).cloned() else {
            return;
        };
        let name = self.name("v");
        let from = self.rng.below(of.length - 1);
        let constant = if of.writable { "" } else { "const " };
        let place = match self.rng.below(2) {
            0 => format!("&{}[{from}]", of.name),
            _ => format!("{} + {from}", of.name),
        };
        self.line(&Text::both(
            &format!("{constant}double *{name} = {place};"),
            &format!("{constant}D *{name} = {place};"),
        ));
        self.see(name, of.length - from, of.writable);
    }

    /// Pointers that walk, and two that are exchanged.
    pub(super) fn walk(&mut self) {
        let fit = self.of_length(2, true);
        let Some(of) = self.rng.pick(&fit).cloned() else {
            return;
        };
        let (p, q, end) = (self.name("p"), self.name("q"), self.name("end"));
        let e = self.real(1);
        let target = self.reals[self.rng.below(self.reals.len())].clone();
        let fill = |form: &str| {
            (form.replace("ARRAY", &of.name).replace("END", &end))
                .replace("LENGTH", &of.length.to_string())
                .replace('P', &p)
                .replace('Q', &q)
                .replace('%', &target)
        };
        let forms: &[(&str, &str)] = &[
            (
                "for (double *P = ARRAY; P < ARRAY + LENGTH; P++)\n        *P = 0.5 * *P + {0};",
                "for (D *P = ARRAY; P < ARRAY + LENGTH; P++)\n        *P = d_add(d_mul(K(0.5), *P), {0});",
            ),
            (
                "const double *P = ARRAY, *const END = ARRAY + LENGTH;\n    while (P != END)\n        % += *P++;",
                "const D *P = ARRAY, *const END = ARRAY + LENGTH;\n    while (P != END)\n        d_to_add(&%, *P++);",
            ),
            (
                "double *P = ARRAY + LENGTH;\n    while (P-- > ARRAY)\n        *P *= tanh({0});",
                "D *P = ARRAY + LENGTH;\n    while (P-- > ARRAY)\n        d_to_mul(P, d_tanh({0}));",
            ),
            (
                "double *P = ARRAY;\n    *P++ += {0};\n    % -= P[-1] * P[0];",
                "D *P = ARRAY;\n    d_to_add(P++, {0});\n    d_to_sub(&%, d_mul(P[-1], P[0]));",
            ),
            (
                "double *P = ARRAY;\n    P += LENGTH - 1;\n    % = P[-(LENGTH - 1)] + *(P - 1) + (double)(P - ARRAY);",
                "D *P = ARRAY;\n    P += LENGTH - 1;\n    % = d_add(d_add(P[-(LENGTH - 1)], *(P - 1)), K((double)(P - ARRAY)));",
            ),
            (
                "double *P = ARRAY, *Q = x, *END;\n    for (int P_ = 0; P_ < 3; P_++) {\n        Q[1] = 0.5 * P[0] + {0};\n        END = P;\n        P = Q;\n        Q = END;\n    }\n    % += P[0];",
                "D *P = ARRAY, *Q = x, *END;\n    for (int P_ = 0; P_ < 3; P_++) {\n        Q[1] = d_add(d_mul(K(0.5), P[0]), {0});\n        END = P;\n        P = Q;\n        Q = END;\n    }\n    d_to_add(&%, P[0]);",
            ),
        ];
        let (plain, dual) = forms[self.rng.below(forms.len())];
        self.line(&Text::fill(&fill(plain), &fill(dual), &[&e]));
    }

    /// Structures: one or three of them, made, copied, changed by functions.
    pub(super) fn structures(&mut self) {
        let Some(ty) = self.file.structure.clone() else {
            return;
        };
        let file = self.file.name.clone();
        let (e, g) = (self.real(1), self.real(1));
        let target = self.reals[self.rng.below(self.reals.len())].clone();
        let known = self.rng.pick(&self.structures).cloned();
        match (self.rng.below(6), known) {
            (0, Some(p)) => self.line(&Text::fill(
                &format!("{target} += {file}_norm({p});"),
                &format!("d_to_add(&{target}, d_{file}_norm({p}));"),
                &[],
            )),
            (1, Some(p)) => self.line(&Text::fill(
                &format!("{file}_move(&{p}, {{0}});"),
                &format!("d_{file}_move(&{p}, {{0}});"),
                &[&e],
            )),
            (2, Some(p)) => self.line(&Text::fill(
                &format!("{p} = {file}_make({{0}}, x);"),
                &format!("{p} = d_{file}_make({{0}}, x);"),
                &[&e],
            )),
            (3, Some(p)) => {
                let q = self.name("st");
                self.line(&Text::both(
                    &format!("{ty} {q} = {p};"),
                    &format!("d_{ty} {q} = {p};"),
                ));
                self.see_structure(q);
            }
            (4, _) => {
                let (all, i) = (self.name("all"), self.name("i"));
                self.line(&Text::both(
                    &format!("{ty} {all}[3];"),
                    &format!("d_{ty} {all}[3];"),
                ));
                self.open(&Text::same(&format!(
                    "for (int {i} = 0; {i} < 3; {i}++) {{"
                )));
                let form = format!(
                    "{all}[{i}].u = {{0}};\n        {all}[{i}].c = {i};\n        {all}[{i}].w[0] = {{1}};\n        {all}[{i}].w[1] = "
                );
                self.line(&Text::fill(
                    &format!("{form}{i};"),
                    &format!("{form}K({i});"),
                    &[&e, &g],
                ));
                self.close();
                self.arrays.push(Array {
                    name: all.clone(),
                    field: ".u",
                    length: 3,
                    writable: true,
                });
                for k in 0..3 {
                    self.see_structure(format!("{all}[{k}]"));
                }
            }
            _ => {
                let p = self.name("st");
                self.line(&Text::fill(
                    &format!("{ty} {p} = {{{{0}}, 1, {{{{1}}, 0.5}}}};"),
                    &format!("d_{ty} {p} = {{{{0}}, 1, {{{{1}}, K(0.5)}}}};"),
                    &[&e, &g],
                ));
                self.see_structure(p);
            }
        }
    }

    fn see_structure(&mut self, name: String) {
        self.reals.push(format!("{name}.u"));
        self.see(format!("{name}.w"), 2, true);
        self.structures.push(name);
    }
}
