//! The schedule of binomial checkpointing.
//!
//! With s states, that in front of the first step included, and r repetitions of each step at most, b(s, r) =
//! C(s + r, s) steps can be reversed (A. Griewank, *Achieving logarithmic growth of temporal and spatial complexity in
//! reverse automatic differentiation*, 1992). To reverse m steps, let r be the least number with b(s, r) ≥ m. Then a
//! steps are run first, and the state behind them is kept, where the first a steps take s states and r - 1 further
//! repetitions, and the others s - 1 states and r repetitions:
//!
//! ```text
//! a = min(b(s, r - 1), m - b(s - 1, r - 1))
//! ```
//!
//! So l steps with c states take r l - C(c + r, c + 1) steps that are not recorded, which is the least possible
//! (A. Griewank, A. Walther, *Algorithm 799: Revolve*, 2000).

use cfg_core::{
    edit::{Editor, Tail},
    entity::VarId,
    ir::{
        Expr, Intent, LoopTest, NameOrigin, NameRole, Op, Place, Role, Routine, ScalarType, Stmt,
        Variable, VertexKind,
    },
};

/// The routine `(in m, in s, out a)`: of m ≥ 2 steps to be reversed from s ≥ 1 states, the one kept in front of
/// them included, run a steps before the next state is kept.
pub(crate) fn advance_routine(name: String) -> Routine {
    let mut routine = Routine {
        name,
        origin: Some(Box::new(NameOrigin::new(NameRole::Schedule, ""))),
        ..Routine::default()
    };
    let mut variable = |name: &str, role| {
        routine.add_variable(Variable::new(name, ScalarType::Integer, Vec::new(), role))
    };
    let parameter = |intent| Role::Parameter {
        intent,
        optional: false,
    };
    let m = variable("steps", parameter(Intent::In));
    let s = variable("states", parameter(Intent::In));
    let a = variable("first", parameter(Intent::Out));
    let r = variable("repetitions", Role::Local);
    let b = variable("reach", Role::Local);
    routine.parameters = vec![m, s, a];
    let read = Expr::var;
    let add = |x: Expr, y: Expr| Expr::op(Op::Add, [x, y]);
    let sub = |x: Expr, y: Expr| Expr::op(Op::Sub, [x, y]);
    // x*y/z, where the product is a multiple of z.
    let part = |x: Expr, y: Expr, z: Expr| Expr::op(Op::Div, [Expr::op(Op::Mul, [x, y]), z]);
    let set = |v: VarId, e: Expr| Stmt::assign(Place::whole(v), e);
    let mut graph = Editor::default();
    let mut tail = Tail(graph.add(VertexKind::Entry), None);
    let start = vec![set(r, Expr::Int(1)), set(b, add(read(s), Expr::Int(1)))];
    graph.append_block(&mut tail, start);
    let is_short = Expr::op(Op::Lt, [read(b), read(m)]);
    let header = graph.begin_loop(&mut tail, LoopTest::Pre(is_short));
    let more = vec![
        set(r, add(read(r), Expr::Int(1))),
        set(b, part(read(b), add(read(s), read(r)), read(r))),
    ];
    graph.append_block(&mut tail, more);
    graph.end_loop(&mut tail, header);
    // b(s, r - 1), and b(s - 1, r - 1) of it.
    let fewer = add(read(s), sub(read(r), Expr::Int(1)));
    let end = vec![
        set(b, part(read(b), read(r), add(read(s), read(r)))),
        set(
            a,
            Expr::op(
                Op::Min,
                [read(b), sub(read(m), part(read(b), read(s), fewer))],
            ),
        ),
    ];
    graph.append_block(&mut tail, end);
    graph.append(&mut tail, VertexKind::Exit);
    routine.body = Some(graph.finish());
    routine
}
