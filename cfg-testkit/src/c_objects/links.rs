//! Objects that are kept and lead to each other by their initial values: to any depth, and in circles.

use super::{Place, Writer};
use std::fmt::Write as _;

/// The nodes that are variables of their own; two more are elements of an array.
const NODES: usize = 4;

impl Writer<'_> {
    /// A pointer to a node, or null.
    fn node(&mut self) -> String {
        let name = self.name.clone();
        match self.rng.below(NODES + 4) {
            k if k < NODES => format!("&{name}_n{k}"),
            k if k < NODES + 2 => format!("&{name}_pair[{}]", k - NODES),
            k if k == NODES + 2 => format!("{name}_pair + 1"),
            _ => "NULL".to_owned(),
        }
    }

    /// A pointer to numbers, of which one may be read.
    fn numbers(&mut self) -> String {
        let name = self.name.clone();
        match self.rng.below(7) {
            0 => format!("&{name}_row[2]"),
            1 => format!("{name}_row + 1"),
            2 => format!("{name}_row"),
            3 => format!("&{name}_inner.at[1]"),
            4 => format!("&{name}_inner.one"),
            5 => format!("&{name}_n0.value"),
            _ => format!("{name}_inner.at"),
        }
    }

    /// Nodes, numbers and functions that only initial values name.
    pub(super) fn linked_objects(&mut self) {
        let name = self.name.clone();
        let (a, b, c) = (
            self.real(Place::Kept),
            self.real(Place::Kept),
            self.real(Place::Kept),
        );
        let _ = write!(
            self.outside,
            "struct {name}_N {{ int key; struct {name}_N *next; double value; double *at; double (*apply)(double); }};\n\
             static double {name}_twice(double t) {{ return 2 * t; }}\n\
             static double {name}_row[4] = {{{a}, [2] = {b}, {c}}};\n\
             static struct {{ double one; double at[2]; }} {name}_inner = {{.at = {{{b}, {a}}}, .one = {c}}};\n\
             static struct {name}_N "
        );
        let heads = (0..NODES).map(|k| format!("{name}_n{k}"));
        let heads: Vec<String> = heads.chain([format!("{name}_pair[2]")]).collect();
        let _ = writeln!(self.outside, "{};", heads.join(", "));
        for k in 0..NODES {
            let node = self.linked_node();
            let _ = writeln!(self.outside, "static struct {name}_N {name}_n{k} = {node};");
        }
        let (one, other) = (self.linked_node(), self.linked_node());
        let list = match self.rng.below(2) {
            0 => format!("{{{one}, {other}}}"),
            _ => format!("{{[1] = {one}, [0] = {other}}}"),
        };
        let heads: Vec<String> = (0..3).map(|_| self.node()).collect();
        let rows: Vec<String> = (0..3).map(|_| self.numbers()).collect();
        let first = self.node();
        let _ = write!(
            self.outside,
            "static struct {name}_N {name}_pair[2] = {list};\n\
             static struct {name}_N *{name}_heads[] = {{{}}};\n\
             static double *{name}_rows[3] = {{{}}};\n\
             static struct {name}_N *{name}_made = &(struct {name}_N){{7, {first}, 0.25, (double[]){{0.5, {a}}}, {name}_twice}};\n",
            heads.join(", "),
            rows.join(", "),
        );
    }

    fn linked_node(&mut self) -> String {
        let name = self.name.clone();
        let (next, at, key) = (self.node(), self.numbers(), self.integer(Place::Kept));
        let apply = [
            "sin",
            "NULL",
            &format!("{name}_twice"),
            &format!("&{name}_twice"),
        ][self.rng.below(4)]
        .to_owned();
        let value = self.real(Place::Kept);
        match self.rng.below(4) {
            0 => format!("{{{key}, {next}, {value}, {at}, {apply}}}"),
            1 => format!("{{.next = {next}, .at = {at}, .apply = {apply}, .value = {value}}}"),
            2 => format!("{{{key}, .at = {at}, {apply}, .next = {next}, {value}}}"),
            _ => format!("{{.at = {at}, .value = {value}, .key = {key}}}"),
        }
    }

    /// Follows the pointers, and changes what they lead to.
    pub(super) fn walk_links(&mut self) {
        let name = self.name.clone();
        let starts = [
            format!("{name}_heads[1]"),
            format!("{name}_heads[0]"),
            format!("{name}_made"),
            format!("&{name}_n1"),
        ];
        for _ in 0..1 + self.rng.below(2) {
            let start = starts[self.rng.below(starts.len())].clone();
            let (p, i) = (self.own("p"), self.own("i"));
            let k = self.results;
            self.results += 4;
            self.line(&format!("struct {name}_N *{p} = {start};"));
            self.open(&format!("for (int {i} = 0; {p} && {i} < 4; {i}++) {{"));
            self.line(&format!("out[{k}] = 0.5 * out[{k}] + {p}->key;"));
            self.line(&format!(
                "out[{}] = 0.5 * out[{}] + {p}->value * v;",
                k + 1,
                k + 1
            ));
            self.open(&format!("if ({p}->at) {{"));
            self.line(&format!(
                "out[{}] = 0.5 * out[{}] + {p}->at[0];",
                k + 2,
                k + 2
            ));
            self.line(&format!("{p}->at[0] += 0.5 * v;"));
            self.close();
            self.open(&format!("if ({p}->apply) {{"));
            self.line(&format!(
                "out[{}] = 0.5 * out[{}] + {p}->apply(v);",
                k + 3,
                k + 3
            ));
            self.close();
            self.line(&format!("{p} = {p}->next;"));
            self.close();
        }
        let row = self.rng.below(3);
        self.result(&format!("*{name}_rows[{row}]"), false);
        self.result(&format!("{name}_row[2]"), false);
        self.result(&format!("{name}_made->at[1]"), false);
    }
}
