//! Random array expressions: `fill`, sections, reductions, conditional expressions, `transpose`. Adjoint against
//! tangent, and the tangent against divided differences.

use super::*;
use crate::flat;
use cfg_core::entity::VarId;
use cfg_testkit::rng::Rng;

/// The arrays of rank 1 have extent 4, those of rank 2 extents 2 and 3; `p` and `q` are passive.
struct Names {
    x: VarId,
    a: VarId,
    p: VarId,
    m: VarId,
    q: VarId,
    n: VarId,
    none: VarId,
    /// A local of fixed shape, once it is assigned.
    v: Option<VarId>,
}

struct Writer<'a> {
    rng: &'a mut Rng,
    names: &'a Names,
    /// True where sections may stand: not in the arms of array conditions.
    sections: bool,
}

impl Writer<'_> {
    fn pick(&mut self, n: usize) -> usize {
        self.rng.below(n)
    }

    fn condition(&mut self) -> Expr {
        let (k, sense) = (1 + self.pick(3) as i64, self.pick(2));
        let op = [Op::Gt, Op::Lt][sense];
        Expr::op(op, [Expr::from(self.names.x.at(k)), Expr::Real(0.5)])
    }

    fn extents(&mut self, rank: usize) -> Vec<Expr> {
        match (rank, self.pick(2)) {
            (1, 0) => vec![Expr::Int(4)],
            (1, _) => vec![Expr::var(self.names.n)],
            (_, 0) => vec![Expr::Int(2), Expr::Int(3)],
            (_, _) => vec![
                Expr::op(Op::Sub, [Expr::var(self.names.n), Expr::Int(2)]),
                Expr::Int(3),
            ],
        }
    }

    fn fill(&mut self, rank: usize, depth: usize) -> Expr {
        let value = self.write(0, depth);
        let extents = self.extents(rank);
        Expr::op(Op::Fill, std::iter::once(value).chain(extents))
    }

    fn leaf(&mut self, rank: usize) -> Expr {
        let Names { x, a, p, m, q, .. } = *self.names;
        match (rank, self.pick(4)) {
            (0, 0) => Expr::Real(0.7),
            (0, k) => Expr::from(x.at(k as i64)),
            (1, 0) => Expr::var(self.names.v.unwrap_or(p)),
            (1, 1) if self.sections => {
                // The elements of `a` backwards, or its first ones twice.
                let [first, last, step] = [[4, 1, -1], [1, 4, 1]][self.pick(2)];
                Expr::from(a.at([strided(first, last, step)]))
            }
            (1, _) => Expr::var(a),
            (_, 0) => Expr::var(q),
            (_, _) => Expr::var(m),
        }
    }

    fn write(&mut self, rank: usize, depth: usize) -> Expr {
        if depth == 0 {
            return self.leaf(rank);
        }
        let depth = depth - 1;
        let choice = self.pick(12);
        match (rank, choice) {
            (0, 0..=2) => {
                let of = 1 + self.pick(2);
                let op = [Op::Sum, Op::Sum, Op::Product, Op::MaxVal, Op::MinVal][self.pick(5)];
                let operand = self.write(of, depth);
                sin(Expr::op(op, [operand]))
            }
            (0, 3) => {
                // No elements at all.
                let value = self.write(0, depth);
                let none = Expr::op(Op::Fill, [value, Expr::var(self.names.none)]);
                Expr::op(Op::Sum, [none])
            }
            (1 | 2, 0..=2) => self.fill(rank, depth),
            (2, 3) => {
                // From rows and columns exchanged.
                let value = self.write(0, depth);
                let turned = Expr::op(Op::Fill, [value, Expr::Int(3), Expr::Int(2)]);
                let turned = match self.pick(2) {
                    0 => turned,
                    _ => turned * Expr::op(Op::Transpose, [Expr::var(self.names.m)]),
                };
                Expr::op(Op::Transpose, [turned])
            }
            (_, 4 | 5) => {
                let condition = self.condition();
                let mut arms = [rank, rank].map(|rank| self.write(rank, depth));
                if self.pick(2) == 0 {
                    arms[self.pick(2)] = self.write(0, depth);
                }
                let [yes, no] = arms;
                Expr::op(Op::If, [condition, yes, no])
            }
            (1 | 2, 6) => {
                let all = Expr::var([self.names.p, self.names.q][rank - 1]);
                let condition = Expr::op(Op::Gt, [all, Expr::Real(0.1)]);
                let before = std::mem::replace(&mut self.sections, false);
                let arms = [rank, rank * self.pick(2)].map(|rank| self.write(rank, depth));
                self.sections = before;
                let [yes, no] = arms;
                Expr::op(Op::If, [condition, yes, no])
            }
            (_, 7) => {
                let op = [Op::Sin, Op::Neg, Op::Tanh, Op::Exp][self.pick(4)];
                let operand = self.write(rank, depth);
                Expr::op(op, [Expr::op(Op::Sin, [operand])])
            }
            (_, _) => {
                let op = [
                    Op::Add,
                    Op::Sub,
                    Op::Mul,
                    Op::Max,
                    Op::Min,
                    Op::Add,
                    Op::Fma,
                ][self.pick(7)];
                let count = match op {
                    Op::Sub => 2,
                    Op::Fma => 3,
                    _ => 2 + self.pick(2),
                };
                // One at least has the rank.
                let whole = self.pick(count);
                let operands: Vec<Expr> = (0..count)
                    .map(|k| match k == whole || self.pick(2) == 0 {
                        true => self.write(rank, depth),
                        false => self.write(0, depth),
                    })
                    .collect();
                Expr::op(op, operands)
            }
        }
    }
}

fn program(seed: u64) -> (ValidProgram, RoutineId) {
    let mut f = RoutineBuilder::new("f");
    let mut names = Names {
        x: f.input("x", Real.array([3])),
        a: f.input("a", Real.array([4])),
        p: f.input("p", Real.array([4])),
        m: f.input("m", Real.array([2, 3])),
        q: f.input("q", Real.array([2, 3])),
        n: f.input("n", Integer),
        none: f.input("none", Integer),
        v: None,
    };
    let y = f.output("y", Real);
    let v = f.local("v", Real.array([4]));
    let w = f.local("w", Real.array([Dim::deferred()]));
    f.independents([names.x, names.a, names.m]).dependents([y]);
    let mut rng = Rng::new(seed);
    let mut write = |names: &Names, rank, depth| {
        let rng = &mut rng;
        let sections = true;
        Writer {
            rng,
            names,
            sections,
        }
        .write(rank, depth)
    };
    f.assign(v, write(&names, 1, 3));
    names.v = Some(v);
    f.assign(w, write(&names, 1, 2));
    f.assign(y, Expr::op(Op::Sum, [Expr::var(w)]));
    f.assign(w, write(&names, 1, 2));
    f.assign(v, v + write(&names, 1, 3));
    let last = write(&names, 0, 4);
    f.assign(
        y,
        y + Expr::op(Op::Sum, [Expr::var(w)]) + Expr::op(Op::Sum, [Expr::var(v)]) + last,
    );
    finish(f)
}

#[test]
fn random_array_expressions() {
    let (mut agree, mut refused) = (0, 0);
    for seed in 0..400 {
        let (program, f) = program(seed);
        for point in [
            r#"{"x": [0.8, 0.3, -0.6], "a": [0.5, 1.2, -0.7, 0.9], "p": [0.4, -0.3, 0.8, 1.1],
                "m": [[0.3, 0.6, -0.2], [1.1, 0.7, 0.45]], "q": [[0.2, -0.5, 0.9], [0.35, 0.05, 1.3]],
                "n": 4, "none": 0}"#,
            r#"{"x": [0.2, 0.9, 0.7], "a": [1.5, 0.2, 0.6, -0.9], "p": [-0.4, 0.3, 0.15, -1.1],
                "m": [[1.3, -0.6, 0.2], [0.1, 0.75, -0.45]], "q": [[0.25, 0.5, -0.9], [-0.35, 1.05, 0.3]],
                "n": 4, "none": -2}"#,
        ] {
            let found = check(
                &flat(&program),
                f,
                &Options::default(),
                |t| t.read_point(point.as_bytes()),
                Tolerances::default(),
            );
            match found {
                Ok(found) if found.agrees() != Some(false) => agree += 1,
                Err(why) if why.to_string().contains("R301") => refused += 1,
                other => {
                    let mut listing = String::new();
                    let _ = cfg_core::text::program(&mut listing, program.program());
                    panic!("seed {seed}: {other:?}\n{listing}");
                }
            }
        }
    }
    // Expressions that take their shape from many conditional expressions are refused.
    assert!(refused * 20 < agree, "{refused} refused, {agree} agree");
}

/// Operators with very many operands: the generated expressions keep to the limit on levels.
#[test]
fn wide_expressions() {
    for n in [99, 120, 1000] {
        let element = |x: VarId, k: usize| Expr::from(x.at(1 + k as i64 % 3));
        let wide = |op, of: &dyn Fn(usize) -> Expr| Expr::op(op, (0..n).map(of));
        let mut f = RoutineBuilder::new("f");
        let x = f.input("x", Real.array([3]));
        let y = f.output("y", Real.array([7]));
        f.independents([x]).dependents([y]);
        let plain = |k| element(x, k);
        let signs = |k| match k % 2 {
            0 => element(x, k),
            _ => -element(x, k),
        };
        f.assign(y.at(1), wide(Op::Add, &plain));
        f.assign(y.at(2), wide(Op::Mul, &plain));
        f.assign(y.at(3), wide(Op::Max, &plain));
        f.assign(
            y.at(4),
            wide(Op::Min, &|k| element(x, k) * (1.0 + k as f64)),
        );
        f.assign(y.at(5), wide(Op::Add, &signs));
        f.assign(y.at(6), wide(Op::Add, &|k| sin(element(x, k))));
        // Deep, and everything in one variable.
        let deep = |x: Expr, k: i64| {
            let larger = Expr::op(Op::Gt, [x.clone(), Expr::Real(k as f64 - 40.0)]);
            Expr::op(Op::If, [larger, x.clone(), Expr::Real(0.5)])
        };
        let mut nested = element(x, 0);
        for k in 0..97 {
            let Expr::Op(op, operands) = deep(element(x, 0), k) else {
                continue;
            };
            nested = Expr::op(op, [operands[0].clone(), nested, operands[1].clone()]);
        }
        f.assign(y.at(7), nested);
        let (program, f) = finish(f);
        let found = checked(&program, f, r#"{"x": [1.01, 0.99, 1.02]}"#);
        assert_eq!(found.agrees(), Some(true), "{found:?}");
    }
}

/// Functions that return arrays: extents that are constant, parameters, globals, or those of arguments.
#[test]
fn functions_that_return_arrays() {
    let mut program = ProgramBuilder::new();
    let g = program.global("g", Integer);
    program.initialize(g, [3]);
    let size = |v: VarId| Expr::op(Op::Size, [Expr::var(v), Expr::Int(1)]);
    let mut functions = Vec::new();
    for k in 0..4 {
        let mut fa = RoutineBuilder::new(format!("fa{k}"));
        let n = fa.input("n", Integer);
        let u = fa.input("u", Real.array([Dim::deferred()]));
        let extent = match k {
            0 => Expr::Int(3),
            1 => n - 1,
            2 => Expr::var(fa.global(program.program(), g)),
            _ => size(u),
        };
        let r = fa.result("r", Real.array([Dim::with_extent(extent)]));
        fa.assign(r, u * u);
        fa.assign(r, r * u.at(1));
        functions.push(program.add(fa));
    }
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real.array([3]));
    let y = f.output("y", Real);
    let w = f.local("w", Real.array([3]));
    let m = f.local("m", Real.array([2, 3]));
    let i = f.local("i", Integer);
    f.independents([x]).dependents([y]);
    f.assign(y, 0.0);
    f.assign(w, x);
    f.assign(m, 1.0);
    for fa in functions {
        f.for_loop(i, 1, 2, |f| {
            f.call_function(w, fa, [Expr::Int(4), Expr::var(w)]);
            f.call_function(m.at((2, full())), fa, [Expr::Int(4), sin(w)]);
            f.assign(
                y,
                y + Expr::op(Op::Sum, [Expr::var(w)]) + Expr::op(Op::Product, [Expr::var(m)]),
            );
            f.assign(w, x * 0.9);
        });
    }
    let f = program.add(f);
    let program = program.finish().expect("the builder is used right");
    let found = checked(&program, f, r#"{"x": [0.9, 0.8, 1.1]}"#);
    assert_eq!(found.agrees(), Some(true), "{found:?}");
    assert_eq!(found.differences.compared, 1, "{found:?}");
}

/// A shape that only the function knows: refused, also as the routine that is differentiated.
#[test]
fn results_of_deferred_extents() {
    let mut program = ProgramBuilder::new();
    let mut fa = RoutineBuilder::new("fa");
    let u = fa.input("u", Real.array([3]));
    let r = fa.result("r", Real.array([Dim::deferred()]));
    fa.independents([u]).dependents([r]);
    fa.assign(r, u * u);
    let fa = program.add(fa);
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real.array([3]));
    let y = f.output("y", Real);
    let w = f.local("w", Real.array([3]));
    f.independents([x]).dependents([y]);
    f.call_function(w, fa, [Expr::var(x)]);
    f.assign(y, Expr::op(Op::Sum, [Expr::var(w)]));
    let f = program.add(f);
    let program = program.finish().expect("the builder is used right");
    for main in [f, fa] {
        let options = cfg_reverse::Options::default();
        let reverse = cfg_reverse::reverse(&flat(&program), main, &options).err();
        let tangent = cfg_reverse::tangent(&flat(&program), main).err();
        for refused in [reverse, tangent] {
            let refused = refused.expect("it is refused").to_string();
            assert!(refused.contains("R310"), "{refused}");
        }
    }
}

/// A place is the same place wherever it is written, whatever constants its subscripts have.
#[test]
fn subscripts_with_nan_constants() {
    let k = r#"["+",["modulo",["int",["if",[">","x",0.0],6.0,["nan"]]],4],1]"#;
    let block = format!(
        r#"["=","a",["*","x",["[]","p",[":",1,4]]]],["=",["[]","a",{k}],["*",["[]","a",{k}],"x"]],
        ["=",["[]","a",{k}],["sin",["[]","a",{k}]]],["=",["[]","a",2],["*",["[]","a",{k}],["[]","a",2]]],
        ["=","y",["+",["sum",["*","a","p"]],["[]","a",{k}]]]"#
    );
    let f = super::given::routine(
        "f",
        &["in real x", "in real p:4", "out real y"],
        &["real a:4"],
        &block,
        r#","independents":["x","p"],"dependents":["y"]"#,
    );
    let program = super::given::program(&[], &[f]).expect("it is valid");
    let f = program.program().main.expect("there is one");
    for blocks in [
        cfg_reverse::Blocks::Statement,
        cfg_reverse::Blocks::Preaccumulate,
        cfg_reverse::Blocks::Auto,
    ] {
        let mut options = Options::default();
        options.reversal.blocks = blocks;
        let read = |t: &Primal| t.read_point(br#"{"x": 0.7, "p": [1.25, -0.5, 2, 0.75]}"#);
        let found = check(&flat(&program), f, &options, read, Default::default());
        let found = found.expect("it can be checked");
        assert_eq!(found.agrees(), Some(true), "{blocks:?}: {found:?}");
    }
}
