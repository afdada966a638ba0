//! The programs: one or more for each rule.

use crate::testing::graph;
use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder, expr::*},
    entity::{GlobalId, RecordId, RoutineId, VarId, VertexId},
    ir::{
        Cfg, Control, ControlWidth, Dim, Edge, Expr, External, Intent, LoopForm, LoopTest, Op,
        Overlay, Partial, Place, PointerType, Program, Role, ScalarType,
        ScalarType::{Integer, Logical, Real, Real32, Tape},
        Selector, Span, Stmt, TapeClass, Variable, VertexKind,
    },
};

/// A program of one routine.
fn one(write: impl FnOnce(&mut RoutineBuilder)) -> Program {
    let mut f = RoutineBuilder::new("f");
    write(&mut f);
    let mut p = ProgramBuilder::new();
    p.add(f);
    p.into_program().unwrap()
}

/// A routine whose graph is listed: see [`graph`].
fn listed(letters: &str, edges: &[(usize, usize, i64)]) -> Program {
    one(|f| f.body(graph(letters, edges), Control::Structured))
}

/// `g(a in real, b out real, n in integer optional, m(2) in real)` and a caller.
fn calling(call: impl FnOnce(&mut RoutineBuilder, RoutineId)) -> Program {
    let mut p = ProgramBuilder::new();
    let mut g = RoutineBuilder::new("g");
    g.input("a", Real);
    let b = g.output("b", Real);
    g.optional("n", Integer, Intent::In);
    g.assign(b, 1.0);
    let g = p.add(g);
    let mut f = RoutineBuilder::new("f");
    call(&mut f, g);
    p.add(f);
    p.into_program().unwrap()
}

/// `h(v(2) in, w(:) in)`.
fn calling_arrays(call: impl FnOnce(&mut RoutineBuilder, RoutineId)) -> Program {
    let mut p = ProgramBuilder::new();
    let mut h = RoutineBuilder::new("h");
    h.input("v", Real.array([2]));
    h.input("w", Real.array([Dim::deferred()]));
    let h = p.add(h);
    let mut f = RoutineBuilder::new("f");
    call(&mut f, h);
    p.add(f);
    p.into_program().unwrap()
}

fn edit(mut program: Program, change: impl FnOnce(&mut Program)) -> Program {
    change(&mut program);
    program
}

/// An external function `real f(real x)`.
fn external(value: impl FnOnce(VarId) -> External) -> Program {
    one(|f| {
        let x = f.input("x", Real);
        f.result("y", Real);
        let value = value(x);
        f.external(value);
    })
}

fn with_global(write: impl FnOnce(&mut ProgramBuilder, GlobalId)) -> Program {
    let mut p = ProgramBuilder::new();
    let g = p.global("g", Real.array([3]));
    write(&mut p, g);
    p.into_program().unwrap()
}

/// Wrong programs: the code, the fault in a word, the program.
pub(super) fn cases() -> Vec<(&'static str, &'static str, Program)> {
    let straight: &[(usize, usize, i64)] = &[(1, 2, -1), (2, 3, -1)];
    let a_branch: &[(usize, usize, i64)] = &[(1, 2, -1), (2, 3, 1), (2, 3, 0), (3, 4, -1)];
    let mut list = vec![
        ("V101", "no entry", listed("bbX", straight)),
        (
            "V101",
            "two entries",
            listed("EEX", &[(1, 3, -1), (2, 3, -1)]),
        ),
        ("V102", "no exit", listed("Ebb", straight)),
        (
            "V102",
            "two exits",
            listed("EcXX", &[(1, 2, -1), (2, 3, 1), (2, 4, 0)]),
        ),
        (
            "V103",
            "block with two successors",
            listed("EbX", &[(1, 2, -1), (2, 3, -1), (2, 3, -1)]),
        ),
        (
            "V104",
            "cut off",
            listed("EXbb", &[(1, 2, -1), (3, 4, -1), (4, 3, -1)]),
        ),
        (
            "V105",
            "dead end",
            listed("EXbb", &[(1, 2, -1), (3, 4, -1), (4, 3, -1)]),
        ),
        (
            "V106",
            "loop without label",
            listed("El)X", &[(1, 2, -1), (2, 3, -1), (3, 2, -1), (2, 4, -1)]),
        ),
        (
            "V106",
            "branch without label",
            listed("Ec]X", &[(1, 2, -1), (2, 3, 1), (2, 3, -1), (3, 4, -1)]),
        ),
        (
            "V107",
            "label twice",
            listed("Ec]X", &[(1, 2, -1), (2, 3, 1), (2, 3, 1), (3, 4, -1)]),
        ),
        (
            "V108",
            "exit edge labelled",
            listed("El)X", &[(1, 2, -1), (2, 3, 1), (3, 2, -1), (2, 4, 2)]),
        ),
        (
            "V108",
            "block's edge labelled",
            listed("EbX", &[(1, 2, -1), (2, 3, 7)]),
        ),
        (
            "V108",
            "third arm of two-way",
            listed(
                "Ec]X",
                &[(1, 2, -1), (2, 3, 1), (2, 3, 0), (2, 3, 2), (3, 4, -1)],
            ),
        ),
        (
            "V109",
            "arm without edge",
            edit(listed("Es]X", a_branch), |p| {
                arms(p, 2, |arms| arms.push(arms[0].clone()));
            }),
        ),
        (
            "V109",
            "edge without arm",
            edit(listed("Es]X", a_branch), |p| {
                arms(p, 2, |arms| arms[0].label = 9);
            }),
        ),
        (
            "V110",
            "overlap",
            edit(listed("Es]X", a_branch), |p| {
                arms(p, 2, |arms| arms[0].cases = Box::new([(0..=4).into()]));
            }),
        ),
        (
            "V110",
            "empty range",
            edit(listed("Es]X", a_branch), |p| {
                arms(p, 2, |arms| {
                    arms[0].cases = Box::new([cfg_core::ir::CaseRange {
                        lower: Some(9),
                        upper: Some(8),
                    }]);
                });
            }),
        ),
        (
            "V110",
            "no cases",
            edit(listed("Es]X", a_branch), |p| {
                arms(p, 2, |arms| arms[0].cases = Box::default());
            }),
        ),
        (
            "V111",
            "two defaults",
            edit(listed("Es]X", a_branch), |p| {
                arms(p, 2, |arms| arms.iter_mut().for_each(|a| a.default = true));
            }),
        ),
        (
            "V112",
            "interleaved loops",
            listed(
                "Ell))X",
                &[
                    (1, 2, -1),
                    (2, 3, 1),
                    (3, 4, 1),
                    (4, 2, -1),
                    (2, 5, -1),
                    (5, 3, -1),
                    (3, 6, -1),
                ],
            ),
        ),
        (
            "V112",
            "mismatched ends",
            listed(
                "Elc])X",
                &[
                    (1, 2, -1),
                    (2, 3, 1),
                    (3, 4, 1),
                    (3, 5, 0),
                    (4, 6, -1),
                    (5, 2, -1),
                    (2, 4, -1),
                ],
            ),
        ),
        (
            "V113",
            "two entries",
            listed(
                "Ec]]c]cX",
                &[
                    (1, 2, -1),
                    (2, 3, 1),
                    (2, 4, 0),
                    (3, 5, -1),
                    (5, 4, 1),
                    (5, 6, 0),
                    (4, 7, -1),
                    (7, 3, 1),
                    (7, 6, 0),
                    (6, 8, -1),
                ],
            ),
        ),
        (
            "V112",
            "a cycle without LOOP",
            listed(
                "E]c]cX",
                &[
                    (1, 2, -1),
                    (2, 3, -1),
                    (3, 2, 1),
                    (3, 5, 0),
                    (5, 4, 1),
                    (5, 4, 0),
                    (4, 6, -1),
                ],
            ),
        ),
        (
            "V114",
            "id 0",
            edit(listed("EbX", straight), |p| vertex(p, 2).id = 0),
        ),
        (
            "V114",
            "id twice",
            edit(listed("EbX", straight), |p| vertex(p, 2).id = 1),
        ),
        (
            "V114",
            "edge id twice",
            edges_with(|edges| edges[0].id = Some(1)),
        ),
        (
            "V115",
            "ENDLOOP to block",
            listed(
                "El)bX",
                &[(1, 2, -1), (2, 3, 1), (3, 4, -1), (4, 2, -1), (2, 5, -1)],
            ),
        ),
    ];
    list.extend(declarations());
    list.extend(expressions());
    list.extend(statements());
    list
}

fn vertex(p: &mut Program, id: usize) -> &mut cfg_core::ir::Vertex {
    let cfg = p.routines[0].body.as_mut().unwrap();
    cfg.vertex_mut(VertexId::new(id - 1))
}

fn arms(p: &mut Program, id: usize, change: impl FnOnce(&mut Vec<cfg_core::ir::Arm>)) {
    let VertexKind::Branch(selector) = &mut vertex(p, id).kind else {
        panic!("vertex {id} is no branch")
    };
    let Selector::Cases { arms, .. } = &mut **selector else {
        panic!("vertex {id} is two-way")
    };
    let mut list = std::mem::take(arms).into_vec();
    change(&mut list);
    *arms = list.into_boxed_slice();
}

fn edges_with(change: impl FnOnce(&mut Vec<Edge>)) -> Program {
    let (vertices, mut edges) = graph("EbX", &[(1, 2, -1), (2, 3, -1)]).into_parts();
    change(&mut edges);
    let cfg = Cfg::new(vertices, edges).unwrap();
    one(|f| f.body(cfg, Control::Structured))
}

fn declarations() -> Vec<(&'static str, &'static str, Program)> {
    vec![
        (
            "V120",
            "variable in an expression",
            one(|f| {
                let y = f.output("y", Real);
                f.assign(y, VarId::new(7));
            }),
        ),
        (
            "V120",
            "parameter",
            edit(three(), |p| p.routines[0].parameters.push(VarId::new(7))),
        ),
        (
            "V120",
            "callee",
            one(|f| f.call::<Expr>(RoutineId::new(3), [])),
        ),
        (
            "V120",
            "main",
            edit(one(|_| {}), |p| p.main = Some(RoutineId::new(5))),
        ),
        (
            "V121",
            "empty",
            one(|f| {
                f.local("", Real);
            }),
        ),
        (
            "V121",
            "control characters",
            one(|f| {
                f.local("a\nb", Real);
            }),
        ),
        (
            "V121",
            "long",
            one(|f| {
                f.local("a".repeat(1001), Real);
            }),
        ),
        (
            "V122",
            "variables",
            one(|f| {
                f.local("a", Real);
                f.local("a", Integer);
            }),
        ),
        (
            "V122",
            "routines",
            edit(one(|_| {}), |p| p.routines.push(p.routines[0].clone())),
        ),
        ("V123", "global with another shape", {
            let mut p = ProgramBuilder::new();
            let g = p.global("g", Real.array([3]));
            let mut f = RoutineBuilder::new("f");
            f.variable(Variable::new("g", Real, vec![], Role::Global(g)));
            p.add(f);
            p.into_program().unwrap()
        }),
        (
            "V124",
            "neither",
            edit(one(|_| {}), |p| p.routines[0].body = None),
        ),
        (
            "V124",
            "both",
            edit(one(|_| {}), |p| {
                p.routines[0].external = Some(Box::default());
            }),
        ),
        (
            "V125",
            "array",
            one(|f| {
                f.inout("tape", Tape.array([2]));
            }),
        ),
        (
            "V125",
            "in an expression",
            one(|f| {
                let t = f.inout("tape", Tape);
                let y = f.output("y", Real);
                f.assign(y, t);
            }),
        ),
        (
            "V125",
            "push on a real",
            one(|f| {
                let y = f.inout("y", Real);
                f.push(y, TapeClass::Real, 1.0);
            }),
        ),
        (
            "V126",
            "real extent",
            one(|f| {
                f.local("a", Real.array([Expr::Real(2.0)]));
            }),
        ),
        (
            "V126",
            "local in an extent",
            one(|f| {
                let n = f.local("n", Integer);
                f.local("a", Real.array([n]));
            }),
        ),
        (
            "V126",
            "shapes in a circle",
            one(|f| {
                let (a, b) = (VarId::new(0), VarId::new(1));
                f.input("a", Real.array([size(b, 1)]));
                f.input("b", Real.array([size(a, 1)]));
            }),
        ),
        (
            "V126",
            "global",
            with_global(|p, _| {
                p.global("h", Real.array([Dim::deferred()]));
            }),
        ),
        (
            "V127",
            "parameter",
            edit(
                one(|f| {
                    f.output("y", Real);
                }),
                |p| p.routines[0].result = Some(VarId::new(0)),
            ),
        ),
        (
            "V128",
            "integer",
            one(|f| {
                let n = f.input("n", Integer);
                f.independents([n]);
            }),
        ),
        (
            "V128",
            "out",
            one(|f| {
                let y = f.output("y", Real);
                f.independents([y]).dependents([y]);
            }),
        ),
        (
            "V128",
            "twice",
            one(|f| {
                let y = f.output("y", Real);
                f.dependents([y, y]);
            }),
        ),
        ("V129", "type", with_global(|p, g| p.initialize(g, [1]))),
        (
            "V129",
            "number",
            with_global(|p, g| p.initialize(g, [1.0, 2.0])),
        ),
        (
            "V130",
            "too large",
            with_global(|p, g| {
                let h = p.global("h", Real.array([3]));
                p.overlay(h, Overlay { base: g, offset: 1 });
            }),
        ),
        (
            "V130",
            "type",
            with_global(|p, g| {
                let h = p.global("h", Integer);
                p.overlay(h, Overlay { base: g, offset: 1 });
            }),
        ),
        (
            "V131",
            "type",
            external(|_| External {
                value: Some(Expr::Int(1)),
                partials: None,
            }),
        ),
        (
            "V131",
            "partial twice",
            external(|x| External {
                value: Some(sin(x)),
                partials: Some(vec![
                    Partial {
                        parameter: x,
                        value: cos(x),
                    },
                    Partial {
                        parameter: x,
                        value: cos(x),
                    },
                ]),
            }),
        ),
        (
            "V153",
            "adjoint without result",
            derived(|f| {
                f.input("x", Real);
                f.inout("x_b", Real);
            }),
        ),
        (
            "V153",
            "adjoint that is out",
            derived(|f| {
                f.input("x", Real);
                f.output("y", Real);
                f.output("x_b", Real);
                f.inout("y_b", Real);
            }),
        ),
    ]
}

/// A function with an adjoint routine of its own.
fn derived(write: impl FnOnce(&mut RoutineBuilder)) -> Program {
    let mut p = ProgramBuilder::new();
    let mut b = RoutineBuilder::new("f_b");
    write(&mut b);
    let b = p.add(b);
    let mut f = RoutineBuilder::new("f");
    f.input("x", Real);
    f.result("y", Real);
    f.derivatives(cfg_core::ir::Derivatives {
        tangent: None,
        adjoint: Some(b),
    });
    f.external(External::default());
    p.add(f);
    p.into_program().unwrap()
}

fn expressions() -> Vec<(&'static str, &'static str, Program)> {
    fn value(e: impl FnOnce(VarId, VarId, VarId) -> Expr) -> Program {
        one(|f| {
            let x = f.input("x", Real);
            let a = f.input("a", Real.array([3]));
            let y = f.output("y", Real);
            let e = e(x, a, y);
            f.assign(y, e);
        })
    }
    vec![
        (
            "V132",
            "deep",
            one(|f| {
                let y = f.output("y", Real);
                let mut e = Expr::Real(1.0);
                for _ in 0..100 {
                    e = -e;
                }
                f.statement(Stmt::assign(Place::whole(y), e));
            }),
        ),
        (
            "V133",
            "sin of two",
            value(|x, _, _| Expr::op(Op::Sin, [x.into(), x.into()])),
        ),
        ("V134", "sin of an integer", value(|_, _, _| sin(1))),
        (
            "V134",
            "real and real32",
            value(|x, _, _| x + Expr::Real32(1.0)),
        ),
        (
            "V134",
            "deep inside",
            value(|x, a, _| x * (x + a.at(cond(lt(x, 1), 1, 2)) * exp(lt(x, 1)))),
        ),
        ("V135", "ranks", value(|x, a, _| x + a)),
        (
            "V135",
            "extents",
            one(|f| {
                let a = f.inout("a", Real.array([3]));
                let b = f.input("b", Real.array([4]));
                f.assign(a, b);
                f.assign(a, a + b);
                f.assign(a, a + b.at(range(1, 3)));
            }),
        ),
        (
            "V135",
            "filled with another extent",
            one(|f| {
                let a = f.inout("a", Real.array([3]));
                let fill = |n: i64| Expr::op(Op::Fill, [Expr::Real(0.0), Expr::Int(n)]);
                f.assign(a, fill(3));
                f.assign(a, a + fill(4));
            }),
        ),
        (
            "V136",
            "two subscripts",
            value(|_, a, _| a.at((1, 2)).into()),
        ),
        ("V136", "real subscript", value(|x, a, _| a.at(x).into())),
        ("V137", "beyond", value(|_, a, _| a.at(4) * 2.0)),
        ("V138", "dimension", value(|_, a, _| real(size(a, 2)))),
        (
            "V138",
            "not optional",
            value(|x, _, _| cond(present(x), 1.0, 2.0)),
        ),
    ]
}

fn statements() -> Vec<(&'static str, &'static str, Program)> {
    let mut list = vec![
        (
            "V139",
            "integer to real",
            one(|f| {
                let y = f.output("y", Real);
                f.assign(y, 1);
            }),
        ),
        (
            "V139",
            "real to integer",
            one(|f| {
                let y = f.output("y", Integer);
                f.assign(y, 1.0);
            }),
        ),
        (
            "V140",
            "assigned",
            one(|f| {
                let x = f.input("x", Real);
                f.assign(x, 1.0);
            }),
        ),
        (
            "V140",
            "popped",
            one(|f| {
                let x = f.input("x", Real);
                let t = f.inout("tape", Tape);
                f.pop(t, TapeClass::Real, x);
            }),
        ),
        (
            "V140",
            "opaque",
            one(|f| {
                let x = f.input("x", Real);
                f.opaque("read x", [], [x]);
            }),
        ),
        (
            "V141",
            "real condition",
            one(|f| {
                let x = f.input("x", Real);
                f.if_then(x, |_| {});
            }),
        ),
        (
            "V141",
            "real bound",
            one(|f| {
                let x = f.input("x", Real);
                let i = f.local("i", Integer);
                f.for_loop(i, 1, x, |_| {});
            }),
        ),
        (
            "V142",
            "real index",
            one(|f| {
                let i = f.local("i", Real);
                f.for_loop(i, 1, 2, |_| {});
            }),
        ),
        (
            "V142",
            "written in the body",
            one(|f| {
                let i = f.local("i", Integer);
                f.for_loop(i, 1, 2, |f| f.if_then(lt(i, 5), |f| f.assign(i, i + 1)));
            }),
        ),
        (
            "V142",
            "nested with the same index",
            one(|f| {
                let i = f.local("i", Integer);
                f.for_loop(i, 1, 2, |f| f.for_loop(i, 1, 2, |_| {}));
            }),
        ),
        ("V142", "written by a call", {
            let mut p = ProgramBuilder::new();
            let g = p.global("g", Integer);
            let mut inner = RoutineBuilder::new("inner");
            let i = inner.global(p.program(), g);
            inner.assign(i, 1);
            let inner = p.add(inner);
            let mut outer = RoutineBuilder::new("outer");
            outer.call::<Expr>(inner, []);
            let outer = p.add(outer);
            let mut f = RoutineBuilder::new("f");
            let i = f.global(p.program(), g);
            f.for_loop(i, 1, 2, |f| f.call::<Expr>(outer, []));
            p.add(f);
            p.into_program().unwrap()
        }),
        (
            "V142",
            "written under another name, after inner loops have ended",
            {
                let mut p = ProgramBuilder::new();
                let [g, other, h] = ["g", "other", "h"].map(|name| p.global(name, Integer));
                p.overlay(other, Overlay { base: g, offset: 0 });
                let mut inner = RoutineBuilder::new("inner");
                let [i, j] = [other, h].map(|g| inner.global(p.program(), g));
                inner.assign(i, 1);
                inner.assign(j, 1);
                let inner = p.add(inner);
                let mut f = RoutineBuilder::new("f");
                let [i, k, j] = [g, other, h].map(|g| f.global(p.program(), g));
                f.for_loop(i, 1, 2, |f| {
                    f.for_loop(j, 1, 2, |f| f.call::<Expr>(inner, []));
                    f.call::<Expr>(inner, []);
                    f.for_loop(k, 1, 2, |_| {});
                    f.assign(j, 3);
                    f.assign(k, 3);
                });
                f.call::<Expr>(inner, []);
                f.assign(i, 3);
                p.add(f);
                p.into_program().unwrap()
            },
        ),
        (
            "V143",
            "step",
            one(|f| {
                let i = f.local("i", Integer);
                f.for_step(i, 1, 2, 0, |_| {});
            }),
        ),
        (
            "V143",
            "stride",
            one(|f| {
                let a = f.inout("a", Real.array([3]));
                f.assign(a.at(strided(1, 3, 0)), 1.0);
            }),
        ),
        (
            "V144",
            "condition",
            edit(one(|f| f.while_loop(false, |_| {})), |p| {
                vertex(p, 2).kind = VertexKind::Loop {
                    form: LoopForm::ForLoop,
                    test: Box::new(LoopTest::Pre(Expr::Logical(false))),
                };
            }),
        ),
        (
            "V151",
            "real as integer",
            one(|f| {
                let t = f.inout("tape", Tape);
                f.push(t, TapeClass::Integer, 1.0);
            }),
        ),
        (
            "V151",
            "bits",
            one(|f| {
                let t = f.inout("tape", Tape);
                f.push(t, TapeClass::Control(ControlWidth::Bits(64)), 1);
            }),
        ),
        (
            "V151",
            "logical in 2 bits",
            one(|f| {
                let t = f.inout("tape", Tape);
                let b = f.local("b", Logical);
                f.pop(t, TapeClass::Control(ControlWidth::Bits(2)), b);
            }),
        ),
        (
            "V152",
            "never assigned",
            one(|f| {
                let y = f.output("y", Real);
                let t = f.local("t", Real);
                f.assign(y, t * 2.0);
                f.assign(t, 1.0);
            }),
        ),
        (
            "V152",
            "in a condition",
            one(|f| {
                let y = f.output("y", Real);
                f.while_loop(lt(y, 1), |f| f.assign(y, 1.0));
            }),
        ),
        (
            "V152",
            "in the other arm",
            one(|f| {
                let y = f.output("y", Real);
                let t = f.local("t", Real);
                f.assign(y, 0.0);
                f.if_else(lt(y, 1), |f| f.assign(t, 1.0), |f| f.assign(y, sin(t)));
            }),
        ),
        (
            "V154",
            "an out parameter",
            one(|f| {
                f.output("y", Real);
            }),
        ),
        (
            "V154",
            "a result that is only read",
            one(|f| {
                let x = f.inout("x", Real);
                let r = f.result("r", Real);
                f.assign(x, r);
            }),
        ),
        (
            "V154",
            "a dependent",
            one(|f| {
                let x = f.inout("x", Real);
                let y = f.inout("y", Real);
                f.independents([x]).dependents([y]);
                f.assign(x, x * x);
            }),
        ),
        (
            "V155",
            "an exponent, a summand, a part of one",
            one(|f| {
                let x = f.inout("x", Real);
                let half = || Expr::op(Op::Div, [Expr::Int(1), Expr::Int(2)]);
                f.assign(x, Expr::op(Op::Pow, [Expr::var(x), half()]));
                f.assign(x, Expr::op(Op::Add, [half(), Expr::var(x)]));
                let twice = Expr::op(Op::Mul, [Expr::Int(2), half()]);
                f.assign(x, Expr::op(Op::ToReal, [twice]));
            }),
        ),
        (
            "V152",
            "copied",
            one(|f| {
                let y = f.output("y", Real);
                let t = f.local("t", Real);
                f.assign(y, t);
            }),
        ),
    ];
    list.extend(vec![
        (
            "V145",
            "two of three",
            calling(|f, g| {
                let x = f.inout("x", Real);
                let y = f.local("y", Real);
                f.call(g, [x, y]);
            }),
        ),
        (
            "V145",
            "not optional",
            calling(|f, g| {
                let x = f.inout("x", Real);
                f.call_with(g, vec![None, Some(x.into()), None], None);
            }),
        ),
        (
            "V146",
            "integer for real",
            calling(|f, g| {
                let x = f.inout("x", Real);
                f.call_with(g, vec![Some(1.into()), Some(x.into()), None], None);
            }),
        ),
        (
            "V146",
            "real32 for real",
            calling(|f, g| {
                let x = f.inout("x", Real32);
                f.call_with(g, vec![Some(1.0.into()), Some(x.into()), None], None);
            }),
        ),
        (
            "V147",
            "array for scalar",
            calling(|f, g| {
                let x = f.inout("x", Real.array([3]));
                f.call_with(g, vec![Some(x.into()), Some(x.at(1).into()), None], None);
            }),
        ),
        (
            "V147",
            "scalar for array",
            calling_arrays(|f, h| {
                let x = f.inout("x", Real);
                let a = f.local("a", Real.array([3]));
                f.call(h, [x, a]);
            }),
        ),
        (
            "V147",
            "rank of a deferred shape",
            calling_arrays(|f, h| {
                let a = f.inout("a", Real.array([3, 3]));
                f.call(h, [a, a]);
            }),
        ),
        (
            "V147",
            "too small",
            calling_arrays(|f, h| {
                let a = f.inout("a", Real.array([1]));
                f.call(h, [a, a]);
            }),
        ),
        (
            "V148",
            "expression for out",
            calling(|f, g| {
                let x = f.inout("x", Real);
                f.call_with(g, vec![Some(x.into()), Some(x + 1.0), None], None);
            }),
        ),
        (
            "V140",
            "in parameter for out",
            calling(|f, g| {
                let x = f.input("x", Real);
                f.call_with(g, vec![Some(x.into()), Some(x.into()), None], None);
            }),
        ),
        (
            "V149",
            "no result",
            calling(|f, g| {
                let x = f.inout("x", Real);
                let y = f.inout("y", Real);
                f.call_with(
                    g,
                    vec![Some(x.into()), Some(y.into()), None],
                    Some(x.into()),
                );
            }),
        ),
        (
            "V150",
            "same variable",
            calling(|f, g| {
                let x = f.inout("x", Real);
                f.call_with(g, vec![Some(x.into()), Some(x.into()), None], None);
            }),
        ),
        ("V150", "element and section", {
            let mut p = ProgramBuilder::new();
            let mut g = RoutineBuilder::new("g");
            g.output("a", Real.array([Dim::deferred()]));
            g.input("b", Real);
            let g = p.add(g);
            let mut f = RoutineBuilder::new("f");
            let i = f.input("i", Integer);
            let a = f.inout("a", Real.array([5, 5]));
            f.call(g, [a.at((full(), i)), a.at((2, i))]);
            p.add(f);
            p.into_program().unwrap()
        }),
        ("V156", "unknown source", with_span(3, [1, 2, 1, 5])),
        ("V156", "end before start", with_span(0, [4, 2, 4, 1])),
        (
            "V157",
            "left out",
            edit(three(), |p| p.routines[0].parameters.truncate(1)),
        ),
        (
            "V157",
            "twice",
            edit(three(), |p| p.routines[0].parameters.push(VarId::new(0))),
        ),
        (
            "V157",
            "a local",
            edit(three(), |p| p.routines[0].parameters.push(VarId::new(1))),
        ),
    ]);
    list.extend(records());
    list.extend(pointers());
    list
}

/// A program in the text form, which may break rules of validation.
fn written(text: &str) -> Program {
    let parsed = cfg_format::text::parse(text);
    assert!(parsed.program.is_some(), "{}", parsed.problems);
    parsed.program.unwrap()
}

/// Record types, and a routine with these lines.
fn with_records(types: &str, head: &str, lines: &str) -> Program {
    written(&format!("{types}\nsubroutine f({head})\n{lines}\nend\n"))
}

const POINT: &str = "record P\n  real x\n  real v[2]\nend\n";

/// Programs that break rules of records.
fn records() -> Vec<(&'static str, &'static str, Program)> {
    let typed = |types: &str| with_records(types, "out real y", "  y := 0.0");
    let used = |head, lines| with_records(POINT, head, lines);
    vec![
        ("V158", "no fields", typed("record P\nend")),
        ("V158", "a tape", typed("record P\n  tape t\nend")),
        (
            "V158",
            "contains itself",
            typed("record P\n  real x\n  record Q q[2]\nend\nrecord Q\n  record P p\nend"),
        ),
        ("V158", "a dot", typed("record P\n  real \"a.b\"\nend")),
        ("V158", "too many", {
            let mut types = "record P0\n  real x, y\nend\n".to_owned();
            for i in 1..20 {
                let inner = i - 1;
                types.push_str(&format!("record P{i}\n  record P{inner} a, b\nend\n"));
            }
            typed(&types)
        }),
        ("V158", "too deep", {
            let mut types = "record P0\n  real x\nend\n".to_owned();
            for i in 1..102 {
                let inner = i - 1;
                types.push_str(&format!("record P{i}\n  record P{inner} a\nend\n"));
            }
            typed(&types)
        }),
        ("V158", "unknown record", {
            edit(typed(POINT), |p| {
                p.records[0].fields[0].ty = ScalarType::Record(RecordId::new(7));
            })
        }),
        ("V120", "unknown record", {
            edit(used("in record P p, out real y", "  y := 0.0"), |p| {
                p.routines[0].variables[0].ty = ScalarType::Record(RecordId::new(7));
            })
        }),
        ("V122", "two fields", typed("record P\n  real x, x\nend")),
        (
            "V126",
            "extent of a field",
            typed("record P\n  real x[:]\nend"),
        ),
        (
            "V159",
            "no such field",
            used("in record P p, out real y", "  y := p.z"),
        ),
        (
            "V159",
            "no record",
            used("in real x, out real y", "  y := x.z"),
        ),
        (
            "V136",
            "subscripts of a field",
            used("in record P p, out real y", "  y := p.v[1, 2]"),
        ),
        ("V136", "a subscript deep inside", {
            used(
                "in record P p, in record P a[3], out real y",
                "  y := a[1].v[p.x]",
            )
        }),
        (
            "V137",
            "a field out of bounds",
            used("in record P p, out real y", "  y := p.v[3]"),
        ),
        (
            "V134",
            "a record in an operation",
            used("in record P p, out real y", "  y := p + 1.0"),
        ),
        (
            "V139",
            "a record for a real",
            used("in record P p, out real y", "  y := p"),
        ),
        (
            "V140",
            "a field of an in parameter",
            used("in record P p", "  p.x := 1.0"),
        ),
        ("V146", "another record", {
            written(&format!(
                "{POINT}record Q\n  real x\n  real v[2]\nend\n\nsubroutine g(in record Q q)\nend\n\nsubroutine f(in record P p)\n  call g(p)\nend\n"
            ))
        }),
        ("V147", "an element for an array of records", {
            written(&format!(
                "{POINT}\nsubroutine g(in record P q[2])\nend\n\nsubroutine f(in record P p[3])\n  call g(p[2])\nend\n"
            ))
        }),
        ("V150", "a record and its field", {
            written(&format!(
                "{POINT}\nsubroutine g(inout record P q, inout real x)\nend\n\nsubroutine f(inout record P p)\n  call g(p, p.x)\nend\n"
            ))
        }),
        ("V151", "a record on the tape", {
            used("inout tape t, in record P p", "  push[real] p")
        }),
        ("V129", "initial values of a record", {
            edit(written(&format!("{POINT}global record P g\n")), |p| {
                p.globals[0].initial = Some([Expr::Real(1.0)].into());
            })
        }),
        ("V129", "an initial value for another field", {
            edit(written(&format!("{POINT}global record P g\n")), |p| {
                let one = Expr::Real(1.0);
                p.globals[0].initial = Some([Expr::Int(1), one.clone(), one].into());
            })
        }),
        ("V139", "another record", {
            let types = format!("{POINT}record Q\n  real x\n  real v[2]\nend\n");
            with_records(&types, "in record P p, out record Q q", "  q := p")
        }),
        ("V160", "a global with a name like a field", {
            written(&format!("{POINT}global record P p\nglobal real \"p.x\"\n"))
        }),
        ("V160", "an overlay", {
            written(&format!(
                "{POINT}global record P g\nglobal record P h overlays g at 0\n"
            ))
        }),
        (
            "V160",
            "broadcast",
            used("in record P p, out record P a[3]", "  a := p"),
        ),
        ("V160", "column order", used("in record P a[3] column", "")),
        (
            "V160",
            "deferred",
            used("in record P p[3]", "  local record P a[:]\n  a := p"),
        ),
        ("V160", "an array as result", {
            written(&format!(
                "{POINT}\nfunction f(in record P p) result record P r[2]\n  r[1] := p\n  r[2] := p\nend\n"
            ))
        }),
        ("V160", "external", {
            written(&format!(
                "{POINT}\nexternal function f(in record P p) result real r\n  value 1.0\nend\n"
            ))
        }),
        ("V160", "a name like a field", {
            used("in record P p, out real \"p.x\"", "  \"p.x\" := p.x")
        }),
    ]
}

/// Programs that break rules of pointers.
fn pointers() -> Vec<(&'static str, &'static str, Program)> {
    const NODE: &str = "record Node\n  real v[3]\n  ^record Node next\nend\n";
    let used = |head, lines| with_records(NODE, head, lines);
    let local = |lines: &str| {
        let lines = format!("  local ^real p\n  local real a[3]\n  local integer i\n{lines}");
        with_records("", "in ^integer n, out real y", &lines)
    };
    let mut missing = local("  y := 1.0");
    let to_nothing = PointerType::to(ScalarType::Record(RecordId::new(7))).unwrap();
    missing.routines[0].variables[2].ty = ScalarType::Pointer(to_nothing);
    let mut null = local("  y := 1.0\n  p := null(real)");
    let cfg = null.routines[0].body.as_mut().unwrap();
    for vertex in cfg.vertices_mut() {
        if let VertexKind::Block(statements) = &mut vertex.kind {
            statements[1] = Stmt::assign(Place::whole(VarId::new(2)), Expr::Null(to_nothing));
        }
    }
    vec![
        ("V120", "a pointer to a record that is not there", missing),
        ("V120", "null of a record that is not there", null),
        ("V158", "a pointer to a record that is not there", {
            edit(used("out real y", "  y := 0.0"), |p| {
                p.records[0].fields[1].ty = ScalarType::Pointer(to_nothing);
            })
        }),
        (
            "V139",
            "a pointer to another type",
            local("  y := 1.0\n  p := n"),
        ),
        ("V139", "a pointer for a number", local("  y := n")),
        ("V152", "a pointer that is not set", local("  y := p^")),
        (
            "V152",
            "a pointer that is freed and not set",
            local("  y := 1.0\n  free p"),
        ),
        ("V162", "a number", local("  y := a[1]^")),
        ("V162", "an array of pointers", {
            used("in ^real p[3], out real y", "  y := p^")
        }),
        (
            "V162",
            "two subscripts",
            local("  p := addr(y)\n  y := p^[1, 2]"),
        ),
        (
            "V162",
            "a range",
            local("  p := addr(y)\n  y := sum(p^[1:2])"),
        ),
        (
            "V162",
            "a shifted number",
            local("  p := shift(y, 1)\n  y := 1.0"),
        ),
        (
            "V134",
            "shifted by a real",
            local("  p := shift(addr(y), 1.0)\n  y := 1.0"),
        ),
        (
            "V162",
            "the distance of numbers",
            local("  i := distance(1, 2)\n  y := 1.0"),
        ),
        (
            "V162",
            "pointers to two types",
            local("  y := if(n == addr(y), 1.0, 2.0)"),
        ),
        (
            "V162",
            "a pointer and a number",
            local("  y := if(n < 2, 1.0, 2.0)"),
        ),
        ("V134", "a sum of pointers", local("  y := real(n + 1)")),
        ("V162", "free of a number", local("  y := 1.0\n  free y")),
        ("V162", "an array of pointers is allocated", {
            used("out ^real p[3]", "  allocate p, 2")
        }),
        (
            "V134",
            "half an element",
            local("  allocate p, 0.5\n  y := 1.0"),
        ),
        (
            "V140",
            "an in parameter is allocated",
            used("in ^real p", "  allocate p, 2"),
        ),
        ("V146", "a pointer to another type is passed", {
            written(
                "subroutine g(in ^real p)\nend\n\nsubroutine f(in ^integer n)\n  call g(n)\nend\n",
            )
        }),
        (
            "V151",
            "a pointer on the tape",
            used("inout tape t, in ^real p", "  push[integer] p"),
        ),
        ("V163", "deferred extents", {
            used(
                "in real x[3], out real y",
                "  local real a[:]\n  local ^real p\n  a := x\n  p := addr(a)\n  y := p^",
            )
        }),
        ("V163", "column order", {
            written(
                "record P\n  real x\n  real y\nend\n\nsubroutine f(inout record P a[3] column, out real y)\n  local ^real p\n  p := addr(a[2].x)\n  y := p^\nend\n",
            )
        }),
        ("V163", "a section", local("  p := addr(a[1:2])\n  y := p^")),
        ("V163", "a field of each of many", {
            used(
                "in record Node a[3], out real y",
                "  local ^real p\n  p := addr(a.v)\n  y := p^",
            )
        }),
        ("V163", "the index of a loop", {
            local(
                "  local ^integer q\n  y := 1.0\n  q := addr(i)\n  for i = 1, 3\n    y := y*2.0\n  end",
            )
        }),
        ("V163", "a global index", {
            written(
                "global integer i\n\nsubroutine g(out real y)\n  uses i\n  y := 1.0\n  for i = 1, 3\n    y := y*2.0\n  end\nend\n\nsubroutine f(out ^integer p)\n  uses i\n  p := addr(i)\nend\n",
            )
        }),
        ("V163", "external", {
            written("external function f(in ^real p) result real r\n  value 1.0\nend\n")
        }),
        ("V165", "snapshots of a block", {
            local("  @2 {checkpoint 5}\n  y := 1.0")
        }),
        ("V165", "a branch", {
            local("  y := 1.0\n  if y > 0.0 {checkpoint}\n    y := 2.0\n  end")
        }),
        ("V165", "a FORLOOP", {
            local("  y := 1.0\n  forloop i = 1, 3 {checkpoint 5}\n    y := 2.0\n  end")
        }),
    ]
}

/// A parameter, a local, a parameter.
fn three() -> Program {
    one(|f| {
        let a = f.input("a", Real);
        let b = f.local("b", Real);
        let c = f.output("c", Real);
        f.assign(b, a);
        f.assign(c, b);
    })
}

/// A program whose statement has this span, in one source.
fn with_span(source: u32, places: [u32; 4]) -> Program {
    let mut p = ProgramBuilder::new();
    p.source("f.c");
    let mut f = RoutineBuilder::new("f");
    let y = f.output("y", Real);
    f.span(Span::new(source, places).unwrap());
    f.assign(y, 1.0);
    p.add(f);
    p.into_program().unwrap()
}
