//! Random functions of C, each with the same function over dual numbers.
//!
//! Both are written side by side, statement by statement: reals are `double` in the one and `D`, a value with a derivative in
//! each direction, in the other, whose operators are functions (`prelude.c`). The second, compiled, is an oracle that
//! shares nothing with the front end or the reversal. Side effects stand only where C gives them an order.

mod ends;
mod expression;
mod functions;
mod given;
mod globals;
mod memory;
mod optional;
mod statement;
mod views;

use crate::rng::Rng;
use std::fmt::Write as _;

/// The elements of each array parameter.
pub const LENGTH: usize = 5;

/// The directions of derivatives: the elements of `x` and `y`, and `a`.
pub const DIRECTIONS: usize = 2 * LENGTH + 1;

/// The operators over dual numbers, in C.
pub const PRELUDE: &str = include_str!("c_functions/prelude.c");

/// A random function `double NAME(int n, double *x, const double *y, double a, unsigned h, const int *k)`, some with a callback, with the functions
/// that it calls, and arguments for it.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name of the function; all others of the text have it as a prefix.
    pub name: String,
    /// The functions in C, as the front end reads them.
    pub text: String,
    /// The same over dual numbers; names have the prefix `d_`.
    pub dual: String,
    /// Functions that the file only declares, and the callback `NAME_cb` if there is one, in C.
    pub elsewhere: String,
    /// The function has two parameters more, a callback and `void *data`, which are not in the point.
    pub callback: bool,
    /// The elements of `x`.
    pub x: [f64; LENGTH],
    /// The elements of `y`.
    pub y: [f64; LENGTH],
    /// The value of `a`.
    pub a: f64,
    /// The elements, which are constants, of the last parameter `const double *w` of some functions; the inner `None`
    /// is a null pointer.
    pub w: Option<Option<[f64; 2]>>,
    /// The value of `h`.
    pub h: u32,
    /// The elements of `k`, which are subscripts.
    pub k: [usize; LENGTH],
    /// True if a value is stored as a `float` on the way, and derivatives with it.
    pub single: bool,
}

impl Function {
    /// The arguments as a POINT.
    pub fn point(&self) -> String {
        let (n, x, y, a, h, k) = (LENGTH, self.x, self.y, self.a, self.h, self.k);
        let w = match self.w {
            Some(Some(w)) => format!(",\"w\":{w:?}"),
            Some(None) => ",\"w\":null".to_owned(),
            None => String::new(),
        };
        format!("{{\"n\":{n},\"x\":{x:?},\"y\":{y:?},\"a\":{a:?},\"h\":{h},\"k\":{k:?}{w}}}")
    }

    /// A file with `main` that runs functions and prints a line for each, numbers with 17 digits: its value, `x`
    /// behind it, 1 if a derivative is not unique at this point, and the derivatives of the value plus 1, 2, ... times the
    /// elements of `x` in all directions.
    pub fn driver(all: &[Self]) -> String {
        let mut text = format!("#define DIRECTIONS {DIRECTIONS}\n{PRELUDE}\n");
        let mut main = String::from("int main(void)\n{\n");
        for f in all {
            for part in [&f.text, &f.elsewhere, &f.dual] {
                text.push_str(part);
            }
            let optional = |given: &str| match f.w {
                Some(Some(_)) => format!(", {given}"),
                Some(None) => ", NULL".to_owned(),
                None => String::new(),
            };
            let more = |prefix: &str, w: &str| match f.callback {
                true => format!("{}, {prefix}{}_cb, NULL", optional(w), f.name),
                false => optional(w),
            };
            let (name, a, h) = (&f.name, f.a, f.h);
            let list = |values: &[f64]| {
                let texts = values.iter().map(|v| format!("{v:?}"));
                texts.collect::<Vec<_>>().join(", ")
            };
            let k = f.k.map(|k| k.to_string()).join(", ");
            let (x, y, w) = (list(&f.x), list(&f.y), f.w.flatten().unwrap_or_default());
            let _ = write!(
                main,
                "    {{\n        double x[] = {{{x}}}, y[] = {{{y}}}, w[] = {{{w}}}, value;\n        int k[] = {{{k}}};\n        \
                 D dw[] = {{K(w[0]), K(w[1])}}, dx[{LENGTH}], dy[{LENGTH}], result;\n        \
                 for (int i = 0; i < {LENGTH}; i++) {{\n            dx[i] = along(x[i], i);\n            \
                 dy[i] = along(y[i], {LENGTH} + i);\n        }}\n        kink = 0;\n        \
                 result = d_{name}({LENGTH}, dx, dy, along({a:?}, {last}), {h}u, k{of_dual});\n        \
                 value = {name}({LENGTH}, x, y, {a:?}, {h}u, k{of_plain});\n        \
                 report({LENGTH}, value, x, result, dx);\n    }}\n",
                w = list(&w),
                last = 2 * LENGTH,
                of_dual = more("d_", "dw"),
                of_plain = more("", "w"),
            );
        }
        text.push_str(&main);
        text.push_str("    return 0;\n}\n");
        text
    }
}

/// The random function of a seed.
pub fn function(seed: u64) -> Function {
    made(seed, true)
}

/// The random function of a seed whose text has no structures.
pub fn function_without_structures(seed: u64) -> Function {
    made(seed, false)
}

fn made(seed: u64, structures: bool) -> Function {
    let mut rng = Rng::new(seed);
    let name = format!("f{seed}");
    let headers = [
        "assert", "math", "stddef", "stdint", "stdio", "stdlib", "string",
    ];
    let includes = headers.map(|h| format!("#include <{h}.h>\n")).concat();
    let mut file = File {
        text: Text::both(&includes, ""),
        name: name.clone(),
        ..File::default()
    };
    if rng.percent(40) {
        // A function with given derivatives and pointer parameters keeps the front end from treating pointers as
        // values, so the two are not combined.
        let with_pointer = rng.percent(25) && seed % 5 != 3;
        file.globals(with_pointer);
    }
    if rng.percent(40) {
        let r = format!("{name}_r");
        file.line(
            0,
            &Text::both(
                &format!(
                    "static double {r}(double a, int d)\n{{\n    if (d <= 0)\n        return a;\n    return 0.5 * {r}(0.75 * a, d - 1) + sin(a);\n}}\n"
                ),
                &format!(
                    "static D d_{r}(D a, int d)\n{{\n    if (d <= 0)\n        return a;\n    return d_add(d_mul(K(0.5), d_{r}(d_mul(K(0.75), a), d - 1)), d_sin(a));\n}}\n"
                ),
            ),
        );
        file.recursive = Some(r);
    }
    if structures && rng.percent(50) {
        file.structure();
    }
    if structures && seed % 2 == 1 {
        file.functions();
    }
    if structures && seed % 3 == 2 {
        file.views();
    }
    if seed % 4 >= 2 {
        file.ends();
    }
    if seed % 5 == 3 {
        file.given();
    }
    if seed % 7 == 4 {
        file.callback();
    }
    if structures && seed % 4 == 1 {
        file.optional();
    }
    for k in 0..rng.below(3) {
        file.callee(&mut rng, k);
    }
    let restrict = if rng.percent(40) { " restrict " } else { "" };
    let head = format!(
        "int n, double *{restrict}x, const double *{restrict}y, double a, unsigned h, const int *k"
    );
    let more = match file.callback {
        true => ", double (*cb)(double, void *), void *data",
        false => "",
    };
    let last = if file.optional {
        ", const double *w"
    } else {
        ""
    };
    let mut writer = Writer::new(&mut rng, &mut file, true);
    writer.body(&format!("double {name}({head}{last}{more})"), 14);
    let single = writer.single;
    let mut real = |low: f64, high: f64| (rng.real(low, high) * 64.0).round() / 64.0;
    let x = std::array::from_fn(|_| real(-1.5, 1.5));
    let y = std::array::from_fn(|_| real(-1.5, 1.5));
    let a = real(-1.5, 1.5);
    let w = file.optional.then(|| {
        let given = [real(-1.5, 1.5), real(-1.5, 1.5)];
        (seed % 8 == 1).then_some(given)
    });
    Function {
        name,
        dual: file.prefixed(),
        text: file.text.plain,
        elsewhere: file.elsewhere,
        callback: file.callback,
        x,
        y,
        a,
        w,
        h: rng.bits() as u32,
        k: std::array::from_fn(|_| rng.below(LENGTH)),
        single: single || file.single,
    }
}

/// A piece of C, and the same over dual numbers.
#[derive(Clone, Debug, Default)]
struct Text {
    plain: String,
    dual: String,
}

impl Text {
    fn same(text: &str) -> Self {
        Self::both(text, text)
    }

    fn both(plain: &str, dual: &str) -> Self {
        Self {
            plain: plain.to_owned(),
            dual: dual.to_owned(),
        }
    }

    /// One form for both, with `{0}`, `{1}`, ... replaced.
    fn with(form: &str, parts: &[&Self]) -> Self {
        Self::fill(form, form, parts)
    }

    /// Forms for both, with `{0}`, `{1}`, ... replaced.
    fn fill(plain: &str, dual: &str, parts: &[&Self]) -> Self {
        let mut made = Self::both(plain, dual);
        for (k, part) in parts.iter().enumerate() {
            let hole = format!("{{{k}}}");
            made.plain = made.plain.replace(&hole, &part.plain);
            made.dual = made.dual.replace(&hole, &part.dual);
        }
        made
    }
}

/// A function that may be called, with the needs of its arguments.
#[derive(Clone, Debug)]
struct Callee {
    name: String,
    /// The elements that it reads and writes of its first array, and reads of its second.
    reach: usize,
}

/// The text of a file.
#[derive(Default)]
struct File {
    name: String,
    text: Text,
    callees: Vec<Callee>,
    /// There are globals.
    globals: bool,
    /// One of them is a pointer.
    pointer: bool,
    /// A function that calls itself.
    recursive: Option<String>,
    /// A type of structures, with functions that take one.
    structure: Option<String>,
    /// There are functions to be stored and passed.
    functions: bool,
    /// There is a type of structures with pointers.
    views: bool,
    /// There are functions that may end the program.
    ends: bool,
    /// There are functions with given derivatives.
    given: bool,
    /// The function itself has a callback.
    callback: bool,
    /// The function itself has a pointer that may be null.
    optional: bool,
    /// Functions that are not in the file.
    elsewhere: String,
    single: bool,
}

impl File {
    fn line(&mut self, depth: usize, text: &Text) {
        for (out, line) in [
            (&mut self.text.plain, &text.plain),
            (&mut self.text.dual, &text.dual),
        ] {
            for _ in 0..depth {
                out.push_str("    ");
            }
            out.push_str(line);
            out.push('\n');
        }
    }

    /// A type of structures, and functions that take them by value and by pointer.
    fn structure(&mut self) {
        let s = format!("{}_S", self.name);
        let form = [
            "typedef struct {\n    REAL u;\n    int c;\n    REAL w[2];\n} TYPE;\n",
            "static REAL NAME_norm(TYPE p)\n{\n    p.u = SUM(p.u, p.w[1]);\n    return PRODUCT(p.u, SUM(p.u, p.w[0]));\n}\n",
            "static void NAME_move(TYPE *p, REAL by)\n{\n    p->u = SUM(p->u, by);\n    p->w[p->c & 1] = PRODUCT(p->w[1], by);\n    p->c++;\n}\n",
            "static TYPE NAME_make(REAL u, const REAL *w)\n{\n    TYPE made = {.u = u, .w = {w[1], w[0]}};\n    return made;\n}\n",
        ]
        .concat();
        let fill = |real: &str, prefix: &str, sum: &str, product: &str| {
            (form.replace("NAME", &format!("{prefix}{}", self.name)))
                .replace("TYPE", &format!("{prefix}{s}"))
                .replace("REAL", real)
                .replace("SUM", sum)
                .replace("PRODUCT", product)
        };
        let plain = format!(
            "#define {0}_SUM(a, b) ((a) + (b))\n#define {0}_PRODUCT(a, b) ((a) * (b))\n",
            self.name
        ) + &fill(
            "double",
            "",
            &format!("{}_SUM", self.name),
            &format!("{}_PRODUCT", self.name),
        );
        let dual = fill("D", "d_", "d_add", "d_mul");
        self.line(0, &Text { plain, dual });
        self.structure = Some(s);
    }

    /// A function for others to call: a random one, or one that calls itself.
    fn callee(&mut self, rng: &mut Rng, k: usize) {
        let name = format!("{}_g{k}", self.name);
        let reach = 2 + rng.below(2);
        let mut writer = Writer::new(rng, self, false);
        writer.reach = reach;
        writer.body(
            &format!("static double {name}(int n, double *x, const double *y, double a)"),
            5,
        );
        self.single |= writer.single;
        self.callees.push(Callee { name, reach });
    }
}

/// An array that is in sight.
#[derive(Clone, Debug)]
struct Array {
    name: String,
    /// The field of the elements, with the dot, of an array of structures.
    field: &'static str,
    length: usize,
    writable: bool,
}

/// An integer variable that is in sight.
#[derive(Clone, Debug)]
struct Int {
    name: String,
    /// It is below this number and not negative, if that is known.
    below: Option<usize>,
    /// True if statements may assign it.
    free: bool,
    unsigned: bool,
}

/// The state of a function that is written.
struct Writer<'a> {
    rng: &'a mut Rng,
    file: &'a mut File,
    depth: usize,
    reals: Vec<String>,
    /// Reals that are stored as `float`.
    floats: Vec<String>,
    arrays: Vec<Array>,
    ints: Vec<Int>,
    /// Structures, which have a field `c`.
    structures: Vec<String>,
    /// The loops around, innermost last: true if `continue` makes progress.
    loops: Vec<bool>,
    fresh: usize,
    /// The elements of array parameters.
    reach: usize,
    /// True for the function that is differentiated, which calls the others.
    main: bool,
    single: bool,
    left: usize,
}

impl<'a> Writer<'a> {
    fn new(rng: &'a mut Rng, file: &'a mut File, main: bool) -> Self {
        Self {
            rng,
            file,
            depth: 0,
            reals: vec!["a".to_owned()],
            floats: Vec::new(),
            arrays: Vec::new(),
            ints: Vec::new(),
            structures: Vec::new(),
            loops: Vec::new(),
            fresh: 0,
            reach: LENGTH,
            main,
            single: false,
            left: 0,
        }
    }

    fn line(&mut self, text: &Text) {
        self.file.line(self.depth, text);
    }

    fn open(&mut self, text: &Text) {
        self.line(text);
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.line(&Text::same("}"));
    }

    fn name(&mut self, of: &str) -> String {
        self.fresh += 1;
        format!("{of}{}", self.fresh)
    }

    /// A function with this head and about so many statements.
    fn body(&mut self, head: &str, statements: usize) {
        let dual = head.replace("double", "D").replace(
            &format!(" {}", self.file.name),
            &format!(" d_{}", self.file.name),
        );
        for (name, writable) in [("x", true), ("y", false)] {
            self.arrays.push(Array {
                name: name.to_owned(),
                field: "",
                length: self.reach,
                writable,
            });
        }
        self.see_globals();
        self.ints.push(Int {
            name: "n".to_owned(),
            below: None,
            free: false,
            unsigned: false,
        });
        if self.main {
            self.ints.push(Int {
                name: "h".to_owned(),
                below: None,
                free: true,
                unsigned: true,
            });
        }
        self.line(&Text::both(head, &dual));
        self.open(&Text::same("{"));
        let s = "s".to_owned();
        let start = self.real(2);
        self.line(&Text::fill("double s = {0};", "D s = {0};", &[&start]));
        self.reals.push(s);
        self.left = statements;
        while self.left > 0 {
            self.statement();
        }
        let last = self.real(2);
        self.line(&Text::fill(
            "return s + {0};",
            "return d_add(s, {0});",
            &[&last],
        ));
        self.close();
    }
}
