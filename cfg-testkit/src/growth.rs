//! Families of programs of any size, to measure how time, memory and output grow.

use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder, expr::*},
    entity::{GlobalId, VarId, VertexId},
    ir::{
        Arm, CaseRange, Cfg, Control, Edge, Expr, Intent, Op, Place, Program, Role,
        ScalarType::{Integer, Real},
        Selector, Stmt, Variable, Vertex, VertexKind,
    },
    validate::ValidProgram,
};

/// A kind of programs, one for each size.
#[derive(Clone, Copy)]
pub struct Family {
    /// The parts of the program whose number is n.
    pub name: &'static str,
    /// The program of a size.
    pub program: fn(usize) -> ValidProgram,
    /// A size at which it is reversed in about a tenth of a second or more.
    pub size: usize,
    /// Basic blocks are preaccumulated where that pays.
    pub auto: bool,
}

/// All families.
pub const FAMILIES: [Family; 32] = [
    family("globals, a routine for each", 4_000, routines),
    family("globals, all in the calling routine too", 4_000, all_named),
    family(
        "chain of routines with a global each",
        4_000,
        chain_of_calls,
    ),
    family("ring of routines with a global each", 4_000, ring_of_calls),
    family("chain, each call in two arms", 4_000, calls_in_arms),
    family("tree of routines with a global each", 4_000, tree_of_calls),
    family("globals needed across calls", 4_000, needed_across_calls),
    family("chain of loops over a global each", 4_000, |n| {
        loops_over_globals(n, false)
    }),
    family(
        "chain of loops over a global each, callees first",
        4_000,
        |n| loops_over_globals(n, true),
    ),
    family("nest of loops over a global each", 2_000, nest_over_globals),
    family("scalar independents", 10_000, independents),
    family("factors of a product", 10_000, factors),
    family("factors, under equal subscripts", 10_000, symbolic_factors),
    auto("references to array elements, auto", 5_000, references),
    auto("statements of independent elements, auto", 5_000, elements),
    auto("blocks that differ, auto", 400, blocks),
    family("calls of one routine", 10_000, calls),
    family("arguments of a call", 5_000, arguments),
    family("optional arguments that are handed on", 2_000, handed_on),
    family("calls that hand on an optional argument", 5_000, hand_on),
    family(
        "functions whose results have shapes of their own",
        2_000,
        result_shapes,
    ),
    family("nested loops", 10_000, nested_loops),
    family("nested branches", 10_000, nested_branches),
    family("arms of a switch", 10_000, switch),
    family(
        "blocks before a switch with as many arms that do not meet",
        5_000,
        blocks_before_a_switch,
    ),
    family("jumps", 10_000, jumps),
    family("loops with one bound, under jumps", 1_000, one_bound),
    family(
        "nested loops, all of which each leaves",
        2_000,
        left_at_once,
    ),
    family("terms of a sum", 20_000, terms),
    family("variables", 10_000, variables),
    family("statements", 20_000, statements),
    family("routines", 4_000, passive_routines),
];

const fn family(name: &'static str, size: usize, program: fn(usize) -> ValidProgram) -> Family {
    let auto = false;
    Family {
        name,
        program,
        size,
        auto,
    }
}

const fn auto(name: &'static str, size: usize, program: fn(usize) -> ValidProgram) -> Family {
    Family {
        auto: true,
        ..family(name, size, program)
    }
}

/// A routine `f(in real x, inout real y)` with its independent and dependent.
fn main_routine() -> (RoutineBuilder, VarId, VarId) {
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real);
    let y = f.inout("y", Real);
    f.independents([x]).dependents([y]);
    (f, x, y)
}

fn finish(program: ProgramBuilder) -> ValidProgram {
    program.finish().expect("the generator is right")
}

fn of_one_routine(f: RoutineBuilder) -> ValidProgram {
    let mut program = ProgramBuilder::new();
    program.add(f);
    finish(program)
}

fn globals(program: &mut ProgramBuilder, n: usize) -> Vec<GlobalId> {
    let globals = (0..n).map(|k| program.global(format!("g{k}"), Real));
    globals.collect()
}

/// Names a global that the routine has not named before.
fn name(program: &ProgramBuilder, f: &mut RoutineBuilder, g: GlobalId) -> VarId {
    let mut variable: Variable = program.program().global(g).variable.clone();
    variable.role = Role::Global(g);
    f.variable(variable)
}

/// The work of each routine on its global: the old value is overwritten, and the reverse sweep needs it.
fn work(f: &mut RoutineBuilder, x: VarId, g: VarId) {
    f.assign(g, g * sin(x));
    f.assign(x, x * g);
}

/// `r_k(inout real x)` with the k-th global; `more` writes the calls.
fn with_globals(
    n: usize,
    more: impl Fn(usize, &mut RoutineBuilder, VarId, &[cfg_core::entity::RoutineId]),
) -> ValidProgram {
    let mut program = ProgramBuilder::new();
    let (mut f, x, y) = main_routine();
    let globals = globals(&mut program, n);
    let main = program.declare("f");
    let routines: Vec<_> = (0..n).map(|k| program.declare(format!("r{k}"))).collect();
    f.assign(y, x);
    f.call(routines[0], [y]);
    program.define(main, f);
    for (k, (&r, &g)) in routines.iter().zip(&globals).enumerate() {
        let mut f = RoutineBuilder::new(format!("r{k}"));
        let x = f.inout("x", Real);
        let g = name(&program, &mut f, g);
        work(&mut f, x, g);
        more(k, &mut f, x, &routines);
        f.assign(x, x * g);
        program.define(r, f);
    }
    finish(program)
}

fn chain_of_calls(n: usize) -> ValidProgram {
    with_globals(n, |k, f, x, routines| {
        if let Some(&next) = routines.get(k + 1) {
            f.call(next, [x]);
        }
    })
}

fn ring_of_calls(n: usize) -> ValidProgram {
    with_globals(n, |k, f, x, routines| {
        let next = routines[(k + 1) % routines.len()];
        f.if_then(lt(x, 1.0), |f| f.call(next, [x]));
    })
}

fn calls_in_arms(n: usize) -> ValidProgram {
    with_globals(n, |k, f, x, routines| {
        if let Some(&next) = routines.get(k + 1) {
            let arm = |f: &mut RoutineBuilder| f.call(next, [x]);
            f.if_else(lt(x, 1.0), arm, arm);
        }
    })
}

fn tree_of_calls(n: usize) -> ValidProgram {
    with_globals(n, |k, f, x, routines| {
        for next in [2 * k + 1, 2 * k + 2] {
            if let Some(&next) = routines.get(next) {
                f.call(next, [x]);
            }
        }
    })
}

fn calls_of_all(n: usize, named: bool, passes: usize) -> ValidProgram {
    let mut program = ProgramBuilder::new();
    let (mut f, x, y) = main_routine();
    let globals = globals(&mut program, n);
    let main = program.declare("f");
    f.assign(y, x);
    let own: Vec<VarId> = match named {
        true => (globals.iter().map(|&g| name(&program, &mut f, g))).collect(),
        false => Vec::new(),
    };
    for &g in &own {
        f.assign(g, x);
    }
    let mut calls = Vec::new();
    for (k, &g) in globals.iter().enumerate() {
        let mut r = RoutineBuilder::new(format!("r{k}"));
        let x = r.inout("x", Real);
        let g = name(&program, &mut r, g);
        work(&mut r, x, g);
        calls.push(program.add(r));
    }
    for _ in 0..passes {
        calls.iter().for_each(|&r| f.call(r, [y]));
    }
    for &g in &own {
        f.assign(y, y * g);
    }
    program.define(main, f);
    finish(program)
}

fn routines(n: usize) -> ValidProgram {
    calls_of_all(n, false, 1)
}

fn all_named(n: usize) -> ValidProgram {
    calls_of_all(n, true, 1)
}

fn needed_across_calls(n: usize) -> ValidProgram {
    calls_of_all(n, false, 2)
}

/// A chain of routines, each of which calls the next in a counted loop over a global.
fn loops_over_globals(n: usize, callees_first: bool) -> ValidProgram {
    let mut program = ProgramBuilder::new();
    let (mut f, x, y) = main_routine();
    let indices: Vec<_> = (0..n)
        .map(|k| program.global(format!("i{k}"), Integer))
        .collect();
    let mut routines: Vec<_> = (0..n).map(|k| program.declare(format!("r{k}"))).collect();
    if callees_first {
        routines.reverse();
    }
    for (k, (&r, &i)) in routines.iter().zip(&indices).enumerate() {
        let mut f = RoutineBuilder::new(program.program().routine(r).name.clone());
        let x = f.inout("x", Real);
        let i = name(&program, &mut f, i);
        f.for_loop(i, 1, 2, |f| {
            f.assign(x, x * sin(x));
            if let Some(&next) = routines.get(k + 1) {
                f.call(next, [x]);
            }
        });
        program.define(r, f);
    }
    f.assign(y, x);
    f.call(routines[0], [y]);
    program.add(f);
    finish(program)
}

/// Nested counted loops, each over a global, and as many calls of a routine that writes another one.
fn nest_over_globals(n: usize) -> ValidProgram {
    let mut program = ProgramBuilder::new();
    let (mut f, x, y) = main_routine();
    let other = program.global("other", Integer);
    let mut r = RoutineBuilder::new("r");
    let formal = r.inout("x", Real);
    let i = name(&program, &mut r, other);
    r.for_loop(i, 1, 2, |r| r.assign(formal, formal * sin(formal)));
    let r = program.add(r);
    f.assign(y, x);
    for k in 0..n {
        let i = program.global(format!("i{k}"), Integer);
        let i = name(&program, &mut f, i);
        f.begin_for(i, 1, 2, 1);
        f.call(r, [y]);
    }
    for _ in 0..n {
        f.end_loop();
    }
    program.add(f);
    finish(program)
}

fn passive_routines(n: usize) -> ValidProgram {
    let mut program = ProgramBuilder::new();
    let (mut f, x, y) = main_routine();
    let main = program.declare("f");
    f.assign(y, x);
    for k in 0..n {
        let mut r = RoutineBuilder::new(format!("r{k}"));
        let x = r.inout("x", Real);
        r.assign(x, x * sin(x));
        let r = program.add(r);
        f.call(r, [y]);
    }
    program.define(main, f);
    finish(program)
}

fn independents(n: usize) -> ValidProgram {
    let mut f = RoutineBuilder::new("f");
    let x: Vec<VarId> = (0..n).map(|k| f.input(format!("x{k}"), Real)).collect();
    let y = f.inout("y", Real);
    f.independents(x.iter().copied()).dependents([y]);
    for &x in &x {
        f.assign(y, y * sin(x));
    }
    of_one_routine(f)
}

/// One expression over the elements of an array.
fn of_elements(n: usize, op: Op, subscript: impl Fn(VarId, i64) -> Expr) -> ValidProgram {
    let mut f = RoutineBuilder::new("f");
    let m = f.input("m", Integer);
    let x = f.input("x", Real.array([4 * n as i64]));
    let y = f.inout("y", Real);
    f.independents([x]).dependents([y]);
    let operands = (1..=n as i64).map(|k| Expr::from(x.at(subscript(m, k))));
    f.assign(y, Expr::op(op, operands));
    of_one_routine(f)
}

fn factors(n: usize) -> ValidProgram {
    of_elements(n, Op::Mul, |_, k| k.into())
}

fn symbolic_factors(n: usize) -> ValidProgram {
    of_elements(n, Op::Mul, |m, k| m + k)
}

fn terms(n: usize) -> ValidProgram {
    of_elements(n, Op::Add, |_, k| k.into())
}

fn references(n: usize) -> ValidProgram {
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real.array([n as i64]));
    let y = f.inout("y", Real);
    f.independents([x]).dependents([y]);
    for k in 1..=n as i64 {
        f.assign(y, y + x.at(k) * sin(x.at(k)));
    }
    of_one_routine(f)
}

fn elements(n: usize) -> ValidProgram {
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real.array([n as i64 + 1]));
    let y = f.inout("y", Real.array([n as i64]));
    f.independents([x]).dependents([y]);
    for k in 1..=n as i64 {
        f.assign(y.at(k), x.at(k) * x.at(k + 1));
    }
    of_one_routine(f)
}

/// Blocks of twelve statements each, of 4 096 kinds.
fn blocks(n: usize) -> ValidProgram {
    let (mut f, x, y) = main_routine();
    for k in 0..n {
        f.if_then(lt(y, x), |f| {
            for bit in 0..12 {
                match k >> bit & 1 {
                    0 => f.assign(y, y * x),
                    _ => f.assign(y, sin(y * x) + y),
                }
            }
        });
    }
    of_one_routine(f)
}

fn calls(n: usize) -> ValidProgram {
    let mut program = ProgramBuilder::new();
    let mut r = RoutineBuilder::new("r");
    let x = r.inout("x", Real);
    r.assign(x, x * sin(x));
    let r = program.add(r);
    let (mut f, x, y) = main_routine();
    f.assign(y, x);
    for _ in 0..n {
        f.call(r, [y]);
    }
    program.add(f);
    finish(program)
}

/// A call whose actual arguments are the elements of an array.
fn arguments(n: usize) -> ValidProgram {
    let mut program = ProgramBuilder::new();
    let mut r = RoutineBuilder::new("r");
    let formals: Vec<VarId> = (0..n).map(|k| r.inout(format!("a{k}"), Real)).collect();
    formals.iter().for_each(|&a| r.assign(a, a * sin(a)));
    let r = program.add(r);
    let (mut f, x, y) = main_routine();
    let all = f.local("all", Real.array([n as i64]));
    f.assign(all, x);
    f.call(r, (1..=n as i64).map(|k| all.at(k)));
    for k in 1..=n as i64 {
        f.assign(y, y * all.at(k));
    }
    program.add(f);
    finish(program)
}

/// A routine with optional arguments that hands them all on to another one.
fn handed_on(n: usize) -> ValidProgram {
    let mut program = ProgramBuilder::new();
    let mut last = None;
    for name in ["r", "q"] {
        let mut r = RoutineBuilder::new(name);
        let y = r.inout("y", Real);
        let formals: Vec<VarId> = (0..n)
            .map(|k| r.optional(format!("a{k}"), Real, Intent::InOut))
            .collect();
        r.assign(y, y * sin(y));
        if let Some(callee) = last {
            r.call(callee, [y].into_iter().chain(formals));
        }
        last = Some(program.add(r));
    }
    let (mut f, x, y) = main_routine();
    f.assign(y, x);
    if let Some(callee) = last {
        let absent = std::iter::repeat_n(None, n);
        let arguments = std::iter::once(Some(y.into())).chain(absent);
        f.call_with(callee, arguments.collect(), None);
    }
    program.add(f);
    finish(program)
}

/// Calls in one block, each of which hands on an optional argument.
fn hand_on(n: usize) -> ValidProgram {
    let mut program = ProgramBuilder::new();
    let mut q = RoutineBuilder::new("q");
    let y = q.inout("y", Real);
    q.optional("a", Real, Intent::InOut);
    q.assign(y, y * sin(y));
    let q = program.add(q);
    let mut r = RoutineBuilder::new("r");
    let y = r.inout("y", Real);
    let a = r.optional("a", Real, Intent::InOut);
    (0..n).for_each(|_| r.call(q, [y, a]));
    let r = program.add(r);
    let (mut f, x, y) = main_routine();
    f.assign(y, x);
    f.call_with(r, vec![Some(y.into()), None], None);
    program.add(f);
    finish(program)
}

fn result_shapes(n: usize) -> ValidProgram {
    let mut program = ProgramBuilder::new();
    let (mut f, x, y) = main_routine();
    for k in 1..=n as i64 {
        let mut g = RoutineBuilder::new(format!("g{k}"));
        let u = g.input("u", Real);
        let r = g.result("r", Real.array([k]));
        g.assign(r, u);
        let g = program.add(g);
        let t = f.local(format!("t{k}"), Real.array([k]));
        f.call_function(t, g, [x]);
        f.assign(y, y * t.at(1));
    }
    program.add(f);
    finish(program)
}

/// A routine with many outputs, all dependents.
pub fn outputs(n: usize) -> ValidProgram {
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real);
    let all: Vec<VarId> = (0..n).map(|k| f.output(format!("y{k}"), Real)).collect();
    all.iter().for_each(|&y| f.assign(y, sin(x)));
    f.independents([x]).dependents(all);
    of_one_routine(f)
}

fn nested_loops(n: usize) -> ValidProgram {
    let (mut f, x, y) = main_routine();
    for _ in 0..n {
        f.begin_while(lt(y, x));
        f.assign(y, y * x);
    }
    for _ in 0..n {
        f.end_loop();
    }
    of_one_routine(f)
}

fn nested_branches(n: usize) -> ValidProgram {
    let (mut f, x, y) = main_routine();
    for _ in 0..n {
        f.begin_if(lt(y, x));
        f.assign(y, y * x);
    }
    for _ in 0..n {
        f.end_if();
    }
    of_one_routine(f)
}

fn switch(n: usize) -> ValidProgram {
    let (mut f, x, y) = main_routine();
    let k = f.input("k", Integer);
    f.cases(k, |arms| {
        for label in 0..n as i64 {
            arms.arm([label], |f| f.assign(y, y * x));
        }
        arms.default(|f| f.assign(y, x));
    });
    of_one_routine(f)
}

/// A routine of blocks and branches; the first vertex is ENTRY, the last EXIT.
fn general(
    successors: &[Vec<usize>],
    statements: impl Fn(usize, VarId, VarId) -> Vec<Stmt>,
    condition: impl Fn(usize, VarId) -> Expr,
    selector: impl Fn(usize, VarId) -> Expr,
) -> ValidProgram {
    let (mut f, x, y) = main_routine();
    let k = f.local("k", Integer);
    let mut edges = Vec::new();
    let mut vertices = Vec::new();
    for (v, list) in successors.iter().enumerate() {
        let kind = match list.len() {
            0 => VertexKind::Exit,
            1 if v == 0 => VertexKind::Entry,
            1 if v == 1 => VertexKind::Block(vec![
                Stmt::assign(Place::whole(k), Expr::Int(0)),
                Stmt::assign(Place::whole(y), x.into()),
            ]),
            1 => VertexKind::Block(statements(v, k, y)),
            2 => VertexKind::Branch(Box::new(Selector::Condition(condition(v, k)))),
            many => VertexKind::Branch(Box::new(Selector::Cases {
                value: selector(v, k),
                arms: (0..many as i64)
                    .map(|label| arm(label, label == 0))
                    .collect(),
            })),
        };
        let labelled = list.len() > 1;
        for (label, &w) in list.iter().enumerate() {
            let label = labelled.then_some(label as i64);
            edges.push(Edge::new(VertexId::new(v), VertexId::new(w), label));
        }
        vertices.push(Vertex::new(v as i64 + 1, kind));
    }
    f.body(
        Cfg::new(vertices, edges).expect("the ids are different"),
        Control::General,
    );
    of_one_routine(f)
}

fn arm(label: i64, default: bool) -> Arm {
    let only = CaseRange {
        lower: Some(label),
        upper: Some(label),
    };
    Arm {
        label,
        cases: Box::new([only]),
        default,
    }
}

fn step(_: usize, k: VarId, y: VarId) -> Vec<Stmt> {
    vec![
        Stmt::assign(Place::whole(k), k + 1),
        Stmt::assign(Place::whole(y), sin(y)),
    ]
}

/// Branches one after the other, each of which jumps over the next two blocks.
fn jumps(n: usize) -> ValidProgram {
    let mut all = vec![vec![1], vec![2]];
    let end = 2 * n + 2;
    for v in 0..n {
        let branch = 2 + 2 * v;
        all.push(vec![branch + 1, (branch + 5).min(end)]);
        all.push(vec![branch + 2]);
    }
    all.push(Vec::new());
    general(&all, step, |_, k| lt(k, 3), |_, k| k.into())
}

/// Blocks one after the other, the last of which leads to a switch; one of its arms leads elsewhere than the others.
fn blocks_before_a_switch(n: usize) -> ValidProgram {
    let switch = n + 2;
    let mut all: Vec<Vec<usize>> = (1..=switch).map(|next| vec![next]).collect();
    let mut arms = vec![switch + 1; n.max(3)];
    if let Some(last) = arms.last_mut() {
        *last = switch + 2;
    }
    all.push(arms);
    all.push(vec![switch + 2]);
    all.push(Vec::new());
    general(&all, step, |_, k| lt(k, 3), |_, k| k.into())
}

/// Counted loops one after the other, over a range up to a variable that is assigned before each; each may be left for
/// the next but one.
fn one_bound(n: usize) -> ValidProgram {
    let (mut f, x, y) = main_routine();
    let [i, m] = ["i", "m"].map(|name| f.local(name, Integer));
    f.assign(y, x);
    let ends: Vec<_> = (0..n).map(|_| f.label()).collect();
    for k in 0..n {
        f.assign(m, 2);
        f.for_loop(i, 1, m, |f| {
            f.assign(y, sin(y));
            f.if_then(lt(y, -5.0), |f| f.goto(ends[(k + 1).min(n - 1)]));
        });
        f.place_label(ends[k]);
    }
    of_one_routine(f)
}

/// Nested loops, from each of which an edge leaves them all.
fn left_at_once(n: usize) -> ValidProgram {
    let mut all = vec![vec![1], vec![2]];
    // A header, a block and a branch for each.
    let header = |k: usize| 2 + 3 * k;
    let end = header(n);
    for k in 0..n {
        let outwards = if k == 0 { end } else { header(k - 1) };
        let inwards = if k + 1 < n { header(k + 1) } else { header(k) };
        all.push(vec![outwards, header(k) + 1]);
        all.push(vec![header(k) + 2]);
        all.push(vec![inwards, end]);
    }
    all.push(Vec::new());
    general(&all, step, |_, k| lt(k, 3), |_, k| k.into())
}

/// A square mesh of about n nodes, each of which jumps to its neighbours, entered at two corners:
/// irreducible. A run visits about 2 n nodes and leaves from the one at which it is then.
pub fn mesh(n: usize) -> ValidProgram {
    let side = n.isqrt().max(2);
    let nodes = side * side;
    // ENTRY, a block, a branch to two corners; then a block and a branch for each node; EXIT.
    let block = |row: usize, column: usize| 3 + 2 * (row * side + column);
    let exit = 3 + 2 * nodes;
    let mut all = vec![
        vec![1],
        vec![2],
        vec![block(0, 0), block(side - 1, side - 1)],
    ];
    for row in 0..side {
        for column in 0..side {
            all.push(vec![block(row, column) + 1]);
            let mut near = vec![exit];
            near.extend((column > 0).then(|| block(row, column - 1)));
            near.extend((row > 0).then(|| block(row - 1, column)));
            near.extend((column + 1 < side).then(|| block(row, column + 1)));
            near.extend((row + 1 < side).then(|| block(row + 1, column)));
            all.push(near);
        }
    }
    all.push(Vec::new());
    let neighbours: Vec<usize> = (all.iter())
        .map(|list| list.len().saturating_sub(1))
        .collect();
    general(
        &all,
        step,
        |_, k| lt(k, 3),
        |v, k| {
            let turn = Expr::op(
                Op::Mod,
                [k * (k + 7) + v as i64, (neighbours[v] as i64).into()],
            );
            cond(gt(k, 2 * nodes as i64), 0, 1 + turn)
        },
    )
}

fn variables(n: usize) -> ValidProgram {
    let (mut f, x, y) = main_routine();
    let mut last = x;
    for k in 0..n {
        let v = f.local(format!("v{k}"), Real);
        f.assign(v, last * sin(last));
        last = v;
    }
    f.assign(y, last);
    of_one_routine(f)
}

fn statements(n: usize) -> ValidProgram {
    let (mut f, x, y) = main_routine();
    for _ in 0..n {
        f.assign(y, y * sin(x));
    }
    of_one_routine(f)
}

/// The program of a family, as it is read from a file.
pub fn text(family: &Family, n: usize) -> Vec<u8> {
    let program: &Program = &(family.program)(n);
    let mut program = program.clone();
    program.main = program.find_routine("f");
    let mut text = Vec::new();
    cfg_format::json::write(&program, &mut text).expect("memory takes everything");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_grow_with_their_size() {
        for family in &FAMILIES {
            let [one, two] = [64, 128].map(|n| text(family, n).len() as f64);
            assert!((1.5..2.2).contains(&(two / one)), "{}", family.name);
        }
    }
}
