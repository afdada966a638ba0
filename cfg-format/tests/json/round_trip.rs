//! Written programs read back as the same programs.

use crate::programs;
use cfg_core::{
    entity::{GlobalId, RoutineId, VarId, VertexId},
    ir::*,
};
use cfg_format::json;
use cfg_testkit::{
    reorder::{as_declared, reorder},
    rng::Rng,
};
use serde_json::json;
use std::{num::NonZeroU32, sync::Arc};

fn written(program: &Program) -> String {
    let mut out = Vec::new();
    json::write(program, &mut out).unwrap_or_else(|e| panic!("{e}"));
    String::from_utf8(out).unwrap()
}

/// `Debug` shows every bit of a real but for NaN, and unlike `==` it takes NaN for equal.
fn assert_same(a: &Program, b: &Program, text: &str) {
    if format!("{a:?}") == format!("{b:?}") {
        return;
    }
    let (a, b) = (format!("{a:#?}"), format!("{b:#?}"));
    if let Some((a, b)) = a.lines().zip(b.lines()).find(|(a, b)| a != b) {
        panic!("{a} is not {b}\n{text}");
    }
    panic!("{text}");
}

#[test]
fn fixtures_survive() {
    for (path, text) in programs() {
        let program = json::read(&text).unwrap_or_else(|e| panic!("{path:?}\n{e}"));
        let first = written(&program);
        let again = json::read(first.as_bytes()).unwrap_or_else(|e| panic!("{path:?}\n{e}"));
        assert_same(&again, &program, &first);
        assert_eq!(written(&again), first);
    }
}

#[test]
fn random_valid_programs_survive() {
    for seed in 0..200 {
        let options = cfg_testkit::generate::Options::EXACT;
        let case = cfg_testkit::generate::generate(&options, seed).unwrap();
        let text = written(&case.program);
        let again = json::read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
        assert_same(&again, &case.program, &text);
    }
}

#[test]
fn random_programs_of_any_shape_survive() {
    for seed in 0..2000 {
        let program = random_program(seed);
        let text = written(&program);
        let again = json::read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_same(&again, &program, &text);
    }
}

/// Parameters come first in files, all else as it was.
#[test]
fn variables_in_any_order_survive() {
    for seed in 0..500 {
        let mut program = random_program(seed);
        let mut rng = Rng::new(seed);
        for routine in &mut program.routines {
            let mut order: Vec<VarId> = (0..routine.variables.len()).map(VarId::new).collect();
            rng.shuffle(&mut order);
            reorder(routine, &order);
        }
        let text = written(&program);
        let again = json::read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_same(&again, &as_declared(&program), &text);
        assert_eq!(written(&again), text);
    }
}

#[test]
fn members_come_in_any_order() {
    let text = r#"{"routines": [{
        "edges": [{"to": 3, "from": 2}, {"from": 1, "to": 2}],
        "vertices": [{"statements": [["=", "y", ["*", "g", ["[]", "x", "n"]]]], "type": "BASICBLOCK", "id": 2},
                     {"type": "EXIT", "id": 3}, {"type": "ENTRY", "id": 1}],
        "dependents": ["y"], "locals": [{"type": "integer", "name": "n"}],
        "parameters": [{"shape": [["+", "n", 1]], "intent": "in", "type": "real", "name": "x"},
                       {"intent": "out", "type": "real", "name": "y"}],
        "name": "f"}],
      "globals": [{"type": "real", "name": "g"}], "main": "f", "format": "cfgrev/1"}"#;
    let program = json::read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
    let f = &program.routines[0];
    let names: Vec<&str> = f.variables.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names, ["x", "y", "n", "g"]);
    assert_eq!(f.variables[3].role, Role::Global(GlobalId::new(0)));
    assert_eq!(f.parameters, [0, 1].map(VarId::new));
    assert_eq!(program.main, Some(RoutineId::new(0)));
    let body = f.body.as_ref().unwrap();
    assert_eq!(
        body.edge(cfg_core::entity::EdgeId::new(0)).from,
        VertexId::new(0)
    );
    assert_eq!(
        body.edge(cfg_core::entity::EdgeId::new(1)).from,
        VertexId::new(2)
    );
    assert_same(
        &json::read(written(&program).as_bytes()).unwrap(),
        &program,
        text,
    );
}

#[test]
fn the_deepest_programs_need_little_stack() {
    // Two arrays per level: an element whose subscript is a range.
    let mut deep = "\"i\"".to_owned();
    for _ in 0..Expr::MAX_DEPTH - 1 {
        deep = format!("[\"[]\", \"a\", [\":\", {deep}]]");
    }
    let nested = format!("{}{}", "[".repeat(240), "]".repeat(240));
    let text = format!(
        "{{\"format\": \"cfgrev/1\", \"annotations\": {{\"x\": {nested}}}, \"routines\": [{{\"name\": \"f\", \
         \"locals\": [{{\"name\": \"i\", \"type\": \"integer\"}}, {{\"name\": \"a\", \"type\": \"integer\", \
         \"shape\": [3]}}], \"vertices\": [{{\"id\": 1, \"type\": \"BASICBLOCK\", \"statements\": \
         [[\"=\", \"a\", {deep}]]}}], \"edges\": []}}]}}"
    );
    let work = move || {
        let program = json::read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
        let again = json::read(written(&program).as_bytes()).unwrap();
        assert_eq!(program, again);
    };
    // Half of the default stack of a thread.
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    thread.spawn(work).unwrap().join().unwrap();
}

#[test]
fn a_global_is_hidden_by_a_local() {
    let text = r#"{"format": "cfgrev/1", "globals": [{"name": "g", "type": "real"}],
        "routines": [{"name": "f", "locals": [{"name": "g", "type": "integer"}],
        "vertices": [{"id": 1, "type": "BASICBLOCK", "statements": [["=", "g", 1]]}], "edges": []}]}"#;
    let program = json::read(text.as_bytes()).unwrap();
    assert_eq!(program.routines[0].variables.len(), 1);
}

#[test]
fn constants_keep_their_type_and_bits() {
    let read = |text: &str| {
        let text = format!(
            "{{\"format\": \"cfgrev/1\", \"routines\": [{{\"name\": \"f\", \"external\": {{\"value\": {text}}}}}]}}"
        );
        let program = json::read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
        let again = json::read(written(&program).as_bytes()).unwrap();
        assert_same(&again, &program, &text);
        program.routines[0]
            .external
            .as_ref()
            .unwrap()
            .value
            .clone()
            .unwrap()
    };
    assert_eq!(read("1"), Expr::Int(1));
    assert_eq!(read("-9223372036854775808"), Expr::Int(i64::MIN));
    assert_eq!(read("9223372036854775807"), Expr::Int(i64::MAX));
    assert_eq!(read("9007199254740993"), Expr::Int(9_007_199_254_740_993));
    assert_eq!(read("1.0"), Expr::Real(1.0));
    assert_eq!(read("1e0"), Expr::Real(1.0));
    assert_eq!(read("10000000000000000000000.0"), Expr::Real(1e22));
    assert_eq!(read("0.1"), Expr::Real(0.1));
    assert_eq!(read("5e-324"), Expr::Real(f64::from_bits(1)));
    assert_eq!(read("1.7976931348623157e308"), Expr::Real(f64::MAX));
    assert!(matches!(read("-0.0"), Expr::Real(r) if r.to_bits() == (-0.0f64).to_bits()));
    assert!(matches!(read("[\"nan\"]"), Expr::Real(r) if r.is_nan()));
    assert_eq!(read("[\"inf\"]"), Expr::Real(f64::INFINITY));
    assert_eq!(read("[\"-inf\"]"), Expr::Real(f64::NEG_INFINITY));
    assert_eq!(read("[\"real32\", 0.1]"), Expr::Real32(0.1));
    assert_eq!(read("[\"real32\", 16777217.0]"), Expr::Real32(16_777_216.0));
    assert_eq!(
        read("[\"real32\", [\"-inf\"]]"),
        Expr::Real32(f32::NEG_INFINITY)
    );
    assert!(matches!(read("[\"real32\", [\"nan\"]]"), Expr::Real32(r) if r.is_nan()));
    assert_eq!(
        read("[\"real32\", 3]"),
        Expr::op(Op::ToReal32, [Expr::Int(3)])
    );
    assert_eq!(
        read("[\"as_real32\", 3.5]"),
        Expr::op(Op::ToReal32, [Expr::Real(3.5)])
    );
    assert_eq!(read("[\"-\", 3]"), Expr::op(Op::Neg, [Expr::Int(3)]));
    assert_eq!(read("[\"neg\", 3]"), Expr::op(Op::Neg, [Expr::Int(3)]));
    assert_eq!(
        read("[\"-\", 3, 4]"),
        Expr::op(Op::Sub, [Expr::Int(3), Expr::Int(4)])
    );
}

#[test]
fn every_operator_is_read_and_written() {
    for &op in Op::ALL {
        let (min, max) = op.arity();
        for count in min..=max.min(min + 2) {
            let value = Expr::op(op, vec![Expr::Int(7); count]);
            let external = External {
                value: Some(value),
                partials: None,
            };
            let program = Program {
                routines: vec![Routine {
                    name: "f".into(),
                    external: Some(Box::new(external)),
                    ..Routine::default()
                }],
                ..Program::default()
            };
            let text = written(&program);
            assert_same(&json::read(text.as_bytes()).unwrap(), &program, &text);
        }
    }
}

#[test]
fn what_cannot_be_written_is_an_error() {
    let program = |value| Program {
        routines: vec![Routine {
            name: "f".into(),
            external: Some(Box::new(External {
                value: Some(value),
                partials: None,
            })),
            ..Routine::default()
        }],
        ..Program::default()
    };
    let mut deep = Expr::Int(1);
    for _ in 0..Expr::MAX_DEPTH - 1 {
        deep = Expr::op(Op::Neg, [deep]);
    }
    json::write(&program(deep.clone()), std::io::sink()).unwrap();
    for (value, message) in [
        (
            Expr::op(Op::Neg, [deep]),
            "an expression has more than 100 levels",
        ),
        (Expr::var(VarId::new(5)), "variable x5 does not exist"),
    ] {
        let e = json::write(&program(value), std::io::sink()).unwrap_err();
        assert_eq!(e.kind(), std::io::ErrorKind::InvalidData);
        assert!(e.to_string().contains(message), "{e}");
        assert!(e.to_string().contains("J042"), "{e}");
    }
}

#[test]
fn a_failing_output_is_an_error() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let e = json::write(&random_program(1), Full).unwrap_err();
    assert_eq!(e.kind(), std::io::ErrorKind::StorageFull);
}

/// A program with some of everything that the format can say; seldom a valid one.
pub(crate) fn random_program(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let globals = rng.below(4);
    let routines = 1 + rng.below(3);
    let mut program = Program {
        annotations: annotations(&mut rng),
        main: rng.percent(50).then(|| RoutineId::new(rng.below(routines))),
        sources: (0..rng.below(3)).map(|s| format!("\"söu\n{s}")).collect(),
        ..Program::default()
    };
    for g in 0..globals {
        let mut variable = variable(&mut rng, format!("g{g}"), 0);
        variable.role = Role::Global(GlobalId::new(g));
        let initial = match rng.below(3) {
            0 => None,
            n => Some((0..rng.below(4) * n).map(|_| constant(&mut rng)).collect()),
        };
        let overlay = (g > 0 && rng.percent(20)).then(|| Overlay {
            base: GlobalId::new(0),
            offset: rng.between(-3, 9),
        });
        program.globals.push(Global {
            variable,
            initial,
            overlay,
        });
    }
    for r in 0..routines {
        let routine = random_routine(&mut rng, &program, r, routines);
        program.routines.push(routine);
    }
    program
}

fn random_routine(rng: &mut Rng, program: &Program, r: usize, routines: usize) -> Routine {
    let mut routine = Routine {
        name: if rng.percent(90) {
            format!("r{r}")
        } else {
            format!("\"röu\n{r}\u{1}")
        },
        annotations: annotations(rng),
        control: if rng.percent(20) {
            Control::General
        } else {
            Control::Structured
        },
        aliased: rng.percent(20),
        origin: origin(rng),
        at: at(rng),
        parameters: (0..rng.below(4)).map(VarId::new).collect(),
        ..Routine::default()
    };
    let parameters = routine.parameters.len();
    let mut names: Vec<usize> = (0..program.globals.len()).collect();
    rng.shuffle(&mut names);
    let total = parameters + 1 + rng.below(5);
    for v in 0..total {
        let mut variable = variable(rng, format!("v{v}"), total);
        if v < parameters {
            variable.role = Role::Parameter {
                intent: *rng.pick(&[Intent::In, Intent::Out, Intent::InOut]).unwrap(),
                optional: rng.percent(20),
            };
        }
        routine.variables.push(variable);
        // Globals among the locals and at the end, used or not.
        if v >= parameters
            && rng.percent(30)
            && let Some(g) = names.pop()
        {
            routine.variables.push(program.globals[g].variable.clone());
        }
    }
    let count = routine.variables.len();
    if rng.percent(40) {
        routine.result = Some(VarId::new(rng.below(count)));
    }
    for list in [&mut routine.independents, &mut routine.dependents] {
        *list = (0..rng.below(3))
            .map(|_| VarId::new(rng.below(count)))
            .collect();
    }
    if rng.percent(20) {
        routine.derivatives = Some(Box::new(Derivatives {
            tangent: rng.percent(50).then(|| RoutineId::new(rng.below(routines))),
            adjoint: rng.percent(50).then(|| RoutineId::new(rng.below(routines))),
        }));
    }
    if rng.percent(20) {
        let parameters = parameters.min(rng.below(3));
        routine.external = Some(Box::new(External {
            value: rng.percent(70).then(|| expr(rng, count, 3)),
            partials: rng.percent(80).then(|| {
                let partials = (0..parameters).map(|p| Partial {
                    parameter: VarId::new(p),
                    value: expr(rng, count, 2),
                });
                partials.collect()
            }),
        }));
    }
    if rng.percent(80) {
        routine.body = Some(graph(rng, count, routines));
    }
    routine
}

fn graph(rng: &mut Rng, variables: usize, routines: usize) -> Cfg {
    let n = rng.below(8);
    let mut ids: Vec<i64> = (1..=n as i64)
        .map(|i| if rng.percent(50) { i } else { -i * 1000 })
        .collect();
    if rng.percent(50) {
        rng.shuffle(&mut ids);
    }
    let mut vertices: Vec<Vertex> = ids
        .into_iter()
        .map(|id| Vertex {
            checkpoint: None,
            id,
            kind: kind(rng, variables, routines),
            origin: rng.percent(30).then(|| Origin {
                role: *rng.pick(&OriginRole::ALL).unwrap(),
                vertex: rng.between(-9, 9),
            }),
            at: at(rng),
            annotations: annotations(rng),
        })
        .collect();
    for vertex in &mut vertices {
        let memory = NonZeroU32::new(1 + rng.below(1000) as u32);
        let disk = rng.below(2) as u32 * rng.below(1000) as u32;
        let snapshots = memory.map(|memory| Checkpoint::Snapshots { memory, disk });
        vertex.checkpoint = match vertex.vertex_type() {
            VertexType::BasicBlock | VertexType::Loop if rng.percent(20) => {
                *rng.pick(&[Some(Checkpoint::Each), snapshots]).unwrap()
            }
            _ => None,
        };
    }
    let edges = if n == 0 { 0 } else { rng.below(12) };
    let edges = (0..edges)
        .map(|e| Edge {
            from: VertexId::new(rng.below(n)),
            to: VertexId::new(rng.below(n)),
            label: rng.percent(40).then(|| rng.between(-5, 5)),
            id: rng.percent(20).then_some(e as i64 + 100),
            annotations: annotations(rng),
        })
        .collect();
    Cfg::new(vertices, edges).unwrap()
}

fn kind(rng: &mut Rng, variables: usize, routines: usize) -> VertexKind {
    match rng.below(9) {
        0 => VertexKind::Entry,
        1 => VertexKind::Exit,
        2 => VertexKind::EndLoop,
        3 => VertexKind::EndBranch,
        4 => VertexKind::Branch(Box::new(Selector::Condition(expr(rng, variables, 3)))),
        5 => VertexKind::Branch(Box::new(Selector::Cases {
            value: expr(rng, variables, 2),
            arms: (0..rng.below(4))
                .map(|_| Arm {
                    label: rng.between(-3, 3),
                    cases: (0..rng.below(3))
                        .map(|_| {
                            let mut bound = || rng.percent(70).then(|| rng.bits() as i64);
                            CaseRange {
                                lower: bound(),
                                upper: bound(),
                            }
                        })
                        .collect(),
                    default: rng.percent(30),
                })
                .collect(),
        })),
        6 => VertexKind::Loop {
            form: if rng.percent(50) {
                LoopForm::Loop
            } else {
                LoopForm::ForLoop
            },
            test: Box::new(LoopTest::Counted {
                index: VarId::new(rng.below(variables)),
                first: expr(rng, variables, 2),
                last: expr(rng, variables, 2),
                step: if rng.percent(50) {
                    Expr::Int(1)
                } else {
                    expr(rng, variables, 1)
                },
            }),
        },
        7 => VertexKind::Loop {
            form: LoopForm::Loop,
            test: Box::new(if rng.percent(50) {
                LoopTest::Pre(expr(rng, variables, 2))
            } else {
                LoopTest::Post(expr(rng, variables, 2))
            }),
        },
        _ => VertexKind::Block(
            (0..rng.below(5))
                .map(|_| Stmt {
                    at: at(rng),
                    annotations: annotations(rng),
                    ..Stmt::new(statement(rng, variables, routines))
                })
                .collect(),
        ),
    }
}

fn statement(rng: &mut Rng, variables: usize, routines: usize) -> StmtKind {
    let some = |rng: &mut Rng| {
        (0..rng.below(3))
            .map(|_| VarId::new(rng.below(variables)))
            .collect()
    };
    let class = match rng.below(5) {
        0 => TapeClass::Integer,
        1 => TapeClass::Real,
        2 => TapeClass::Real32,
        3 => TapeClass::Control(ControlWidth::Count),
        4 => TapeClass::Disk,
        _ => TapeClass::Control(ControlWidth::Bits(1 + rng.below(63) as u8)),
    };
    match rng.below(7) {
        0 => StmtKind::Call {
            callee: RoutineId::new(rng.below(routines)),
            arguments: (0..rng.below(4))
                .map(|_| rng.percent(80).then(|| expr(rng, variables, 2)))
                .collect(),
            result: rng.percent(50).then(|| random_place(rng, variables, 2)),
        },
        1 => StmtKind::Push {
            tape: VarId::new(rng.below(variables)),
            class,
            value: expr(rng, variables, 2),
        },
        2 => StmtKind::Pop {
            tape: VarId::new(rng.below(variables)),
            class,
            target: random_place(rng, variables, 2),
        },
        3 => StmtKind::Opaque {
            text: "print \"héllo\"\n\t".into(),
            reads: some(rng),
            writes: some(rng),
        },
        4 => StmtKind::Stop {
            text: "no \"good\" \\ é\n".into(),
        },
        _ => StmtKind::Assign {
            target: random_place(rng, variables, 2),
            value: expr(rng, variables, 5),
        },
    }
}

/// Any span, in a source that may not exist.
fn at(rng: &mut Rng) -> At {
    let mut number = || 1 + rng.below(1 << 30) as u32;
    let span = Span::new(number() % 3, [number(), number(), number(), u32::MAX]);
    span.filter(|_| rng.percent(30)).map(Arc::new)
}

fn variable(rng: &mut Rng, name: String, variables: usize) -> Variable {
    let bound = |rng: &mut Rng| {
        if variables == 0 {
            Expr::Int(rng.between(-2, 9))
        } else {
            expr(rng, variables, 2)
        }
    };
    Variable {
        name,
        ty: *rng.pick(&ScalarType::ALL).unwrap(),
        shape: (0..rng.below(3))
            .map(|_| Dim {
                lower: if rng.percent(60) {
                    Expr::Int(1)
                } else {
                    bound(rng)
                },
                extent: if rng.percent(70) {
                    Extent::Fixed(bound(rng))
                } else {
                    Extent::Deferred
                },
            })
            .collect(),
        order: if rng.percent(30) {
            Order::Column
        } else {
            Order::Row
        },
        role: Role::Local,
        origin: origin(rng),
        at: at(rng),
        annotations: annotations(rng),
    }
}

fn origin(rng: &mut Rng) -> Option<Box<NameOrigin>> {
    rng.percent(20).then(|| {
        let links = (0..rng.below(3)).map(|k| format!("x.{k}")).collect();
        Box::new(NameOrigin {
            links,
            ..NameOrigin::new(NameRole::Adjoint, "x")
        })
    })
}

fn annotations(rng: &mut Rng) -> Annotations {
    if rng.percent(80) {
        return None;
    }
    let value =
        json!({ "line": 5, "nested": [{"a": null, "b": [true, -0.0, 1e300]}, "é\u{0}"], "~/": {} });
    value.as_object().cloned().map(Box::new)
}

fn constant(rng: &mut Rng) -> Expr {
    let bits = rng.bits();
    match rng.below(6) {
        0 => Expr::Int(bits as i64),
        1 => Expr::Int(rng.between(-10, 10)),
        2 => Expr::Logical(rng.percent(50)),
        3 => Expr::Real32(f32::from_bits(bits as u32)),
        4 => Expr::Real(rng.between(-100, 100) as f64 / 8.0),
        _ => Expr::Real(f64::from_bits(bits)),
    }
}

fn random_place(rng: &mut Rng, variables: usize, depth: usize) -> Place {
    let var = VarId::new(rng.below(variables));
    let count = if depth == 0 { 0 } else { rng.below(3) };
    let bound = |rng: &mut Rng| rng.percent(50).then(|| expr(rng, variables, depth - 1));
    let subscripts = (0..count)
        .map(|_| {
            if rng.percent(60) {
                Subscript::Index(expr(rng, variables, depth - 1))
            } else {
                let (lower, upper, stride) = (bound(rng), bound(rng), bound(rng));
                Subscript::Range(Box::new(Range {
                    lower,
                    upper,
                    stride,
                }))
            }
        })
        .collect();
    Place { var, subscripts }
}

fn expr(rng: &mut Rng, variables: usize, depth: usize) -> Expr {
    match rng.below(4) {
        0 => constant(rng),
        1 => Expr::Place(random_place(rng, variables, depth)),
        _ if depth == 0 => constant(rng),
        _ => {
            let op = *rng.pick(Op::ALL).unwrap();
            let (min, max) = op.arity();
            let count = min + rng.below(max.min(min + 2) - min + 1);
            let operands: Vec<Expr> = (0..count)
                .map(|_| expr(rng, variables, depth - 1))
                .collect();
            Expr::op(op, operands)
        }
    }
}
