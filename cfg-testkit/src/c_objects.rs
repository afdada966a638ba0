//! Random functions of C about objects: initial values of all kinds, sizes, places in structures, and what initial values lead to.
//!
//! Each function writes the leaves of its objects to an array, one after the other, so that the compiled function
//! tells the value of every leaf. Lists in braces are drawn by numbers of leaves: a value goes to the largest part
//! that begins behind the last one.

mod initial;
mod links;
mod objects;
mod sizes;
mod types;

use crate::rng::Rng;
use std::fmt::Write as _;
use types::Structure;

/// The passes of each loop.
pub const PASSES: usize = 3;

/// A random function `void NAME(double v, int n, double *out)`, with what it needs.
#[derive(Clone, Debug)]
pub struct Objects {
    /// The name of the function; all others of the text have it as a prefix.
    pub name: String,
    /// The text of the file.
    pub text: String,
    /// The elements of `out`, which are 0 at first.
    pub results: usize,
    /// The value of `v`.
    pub v: f64,
}

impl Objects {
    /// The arguments as a POINT.
    pub fn point(&self) -> String {
        let (v, n, out) = (self.v, PASSES, vec![0.0; self.results]);
        format!("{{\"v\":{v:?},\"n\":{n},\"out\":{out:?}}}")
    }

    /// A file with `main` that runs functions and prints the bits of `out`, a line for each.
    pub fn driver(all: &[Self]) -> String {
        let mut text =
            String::from("#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n");
        let mut main = String::from("int main(void)\n{\n    uint64_t bits;\n");
        for f in all {
            text.push_str(&f.text);
            let (name, v, n, results) = (&f.name, f.v, PASSES, f.results);
            let _ = write!(
                main,
                "    {{\n        double out[{results}] = {{0}};\n        {name}({v:?}, {n}, out);\n        \
                 for (int i = 0; i < {results}; i++) {{\n            memcpy(&bits, &out[i], 8);\n            \
                 printf(\"%llx \", (unsigned long long)bits);\n        }}\n        puts(\"\");\n    }}\n"
            );
        }
        text + &main + "    return 0;\n}\n"
    }
}

/// The random function of a seed.
pub fn objects(seed: u64) -> Objects {
    let name = format!("f{seed}");
    let mut rng = Rng::new(seed);
    let v = rng.coarse();
    let mut writer = Writer::new(&mut rng, name.clone());
    writer.file();
    let headers = ["float", "limits", "math", "stddef", "stdint"];
    let mut text = headers.map(|h| format!("#include <{h}.h>\n")).concat();
    text.push_str(&writer.outside);
    let results = writer.results.max(1);
    let _ = write!(
        text,
        "void {name}(double v, int n, double *out)\n{{\n{}}}\n",
        writer.inside
    );
    Objects {
        name,
        text,
        results,
        v,
    }
}

/// The kind of variable that an initial value is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A static or global variable: only constants are allowed.
    Kept,
    /// A local variable: any expression is allowed.
    Local,
}

/// The state of a file that is written.
struct Writer<'a> {
    rng: &'a mut Rng,
    /// The prefix of all names of the file.
    name: String,
    /// The text before the function, and its statements.
    outside: String,
    inside: String,
    depth: usize,
    structures: Vec<Structure>,
    /// Local variables that are structures, by the number of the structure.
    values: Vec<(usize, String)>,
    /// The elements of `out` that are written.
    results: usize,
    fresh: usize,
    /// An integer that the initial value at hand may change, once.
    counter: Option<String>,
    /// Ranges of leaves of the initial value at hand that must not be initialised again.
    fixed: Vec<(usize, usize)>,
}

impl<'a> Writer<'a> {
    fn new(rng: &'a mut Rng, name: String) -> Self {
        Self {
            rng,
            name,
            outside: String::new(),
            inside: String::new(),
            depth: 1,
            structures: Vec::new(),
            values: Vec::new(),
            results: 0,
            fresh: 0,
            counter: None,
            fixed: Vec::new(),
        }
    }

    fn file(&mut self) {
        self.draw_structures();
        let linked = self.rng.percent(35);
        if linked {
            self.linked_objects();
        }
        for _ in 0..self.rng.below(3) {
            self.global();
        }
        for _ in 0..3 + self.rng.below(4) {
            match self.rng.weighted(&[4, 3, 2, 3, 2, 2, 2]) {
                0 => self.local(),
                1 => self.in_loop(),
                2 => self.kept(),
                3 => self.literal(),
                4 => self.texts(),
                5 => self.scalars(),
                _ => self.sizes(),
            }
        }
        if linked {
            self.walk_links();
        }
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.inside.push_str("    ");
        }
        self.inside.push_str(text);
        self.inside.push('\n');
    }

    fn open(&mut self, text: &str) {
        self.line(text);
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    /// A name of the function.
    fn own(&mut self, stem: &str) -> String {
        self.fresh += 1;
        format!("{stem}{}", self.fresh)
    }

    /// A name of the file.
    fn shared(&mut self, stem: &str) -> String {
        let own = self.own(stem);
        format!("{}_{own}", self.name)
    }

    /// Writes a value to the next element of `out`; in a loop, together with what it was in the passes before.
    fn result(&mut self, value: &str, repeated: bool) {
        let k = self.results;
        self.results += 1;
        let before = match repeated {
            true => format!("0.5 * out[{k}] + "),
            false => String::new(),
        };
        self.line(&format!("out[{k}] = {before}(double)({value});"));
    }
}
