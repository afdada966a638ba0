//! Random changes to valid programs: none panics, and accepted programs keep the rules, as far as another check can
//! tell.

use crate::testing::{Rng, random_routine};
use cfg_core::{
    entity::{EdgeId, GlobalId, RoutineId, VarId, VertexId},
    ir::{
        Cfg, Dim, Expr, Extent, Global, Intent, Op, OpClass, Overlay, Place, Program, Role,
        Routine, ScalarType, Stmt, StmtKind, Subscript, TapeClass, Variable, Vertex, VertexKind,
    },
    typing::{Type, type_of},
    validate::find_problems,
};
use cfg_testkit::golden::{golden, pattern};
use std::collections::{BTreeMap, BTreeSet};

/// Two random routines, of which the second calls the first, and a global.
fn seed(rng: &mut Rng) -> Program {
    let length = 5 + rng.below(25);
    let callee = random_routine(rng, length, true);
    let mut caller = random_routine(rng, length, true);
    "g".clone_into(&mut caller.name);
    let t = |name: &str, rank| {
        let shape = vec![Dim::with_extent(Expr::Int(3)); rank];
        Variable::new(name, ScalarType::Integer, shape, Role::Local)
    };
    let (a, b) = (
        caller.add_variable(t("p", 0)),
        caller.add_variable(t("q", 1)),
    );
    caller.add_variable(Variable::new(
        "tape",
        ScalarType::Tape,
        Vec::new(),
        Role::Local,
    ));
    let global = Variable::new(
        "w",
        ScalarType::Real,
        Vec::new(),
        Role::Global(GlobalId::new(0)),
    );
    caller.add_variable(global.clone());
    let call = Stmt::new(StmtKind::Call {
        callee: RoutineId::new(0),
        arguments: [
            Expr::Int(1),
            Place::element(b, [Expr::Int(2)]).into(),
            Expr::var(a),
        ]
        .map(Some)
        .into(),
        result: None,
    });
    if let Some(block) = blocks(&caller).first().copied()
        && let Some(cfg) = &mut caller.body
        && let VertexKind::Block(statements) = &mut cfg.vertex_mut(block).kind
    {
        statements.insert(0, call);
    }
    Program {
        routines: vec![callee, caller],
        globals: vec![Global {
            variable: global,
            initial: None,
            overlay: None,
        }],
        ..Program::default()
    }
}

fn blocks(routine: &Routine) -> Vec<VertexId> {
    let vertices = routine.body.iter().flat_map(Cfg::vertices);
    vertices
        .filter(|(_, v)| matches!(v.kind, VertexKind::Block(_)))
        .map(|(v, _)| v)
        .collect()
}

fn random_expr(rng: &mut Rng, depth: usize) -> Expr {
    let v = VarId::new(rng.below(14));
    match rng.below(if depth == 0 { 6 } else { 9 }) {
        0 => Expr::Int(rng.below(5) as i64 - 2),
        1 => Expr::Real(1.5),
        2 => Expr::Real32(0.5),
        3 => Expr::Logical(true),
        4 | 5 => Expr::var(v),
        6 => Place::element(v, [random_expr(rng, depth - 1)]).into(),
        7 => Expr::Place(Place {
            var: v,
            subscripts: Box::new([Subscript::Range(Box::default())]),
        }),
        _ => {
            let op = Op::ALL[rng.below(Op::ALL.len())];
            let count = rng.below(4);
            Expr::op(
                op,
                (0..count)
                    .map(|_| random_expr(rng, depth - 1))
                    .collect::<Vec<_>>(),
            )
        }
    }
}

fn random_statement(rng: &mut Rng) -> Stmt {
    let v = VarId::new(rng.below(14));
    let e = random_expr(rng, 3);
    let classes = [TapeClass::Integer, TapeClass::Real, TapeClass::Real32];
    let class = classes[rng.below(3)];
    Stmt::new(match rng.below(6) {
        0 | 1 => StmtKind::Assign {
            target: Place::whole(v),
            value: e,
        },
        2 => StmtKind::Push {
            tape: v,
            class,
            value: e,
        },
        3 => StmtKind::Pop {
            tape: v,
            class,
            target: Place::element(VarId::new(rng.below(14)), [e]),
        },
        4 => StmtKind::Call {
            callee: RoutineId::new(rng.below(3)),
            arguments: (0..rng.below(5))
                .map(|_| Some(random_expr(rng, 1)))
                .collect(),
            result: (rng.below(2) == 0).then(|| Place::whole(v)),
        },
        5 => StmtKind::Stop { text: "?".into() },
        _ => StmtKind::Opaque {
            text: "?".into(),
            reads: Box::new([v]),
            writes: Box::new([VarId::new(rng.below(14))]),
        },
    })
}

fn mutate(rng: &mut Rng, program: &mut Program) {
    let which = rng.below(2);
    let types = ScalarType::ALL;
    let routine = &mut program.routines[which];
    let n = routine.variables.len();
    let x = rng.below(n);
    let variable = &mut routine.variables[x];
    match rng.below(16) {
        0 => variable.ty = types[rng.below(types.len())],
        1 => variable.shape.push(Dim::with_extent(random_expr(rng, 2))),
        2 => {
            variable.shape.pop();
        }
        3 => {
            let intents = [Intent::In, Intent::Out, Intent::InOut];
            variable.role = Role::Parameter {
                intent: intents[rng.below(3)],
                optional: rng.below(4) == 0,
            };
        }
        4 => variable.role = Role::Global(GlobalId::new(rng.below(2))),
        5 => variable.name = ["", "a", "x\u{7}", "l1"][rng.below(4)].into(),
        6 => {
            if let Some(dim) = variable.shape.first_mut() {
                dim.extent = Extent::Deferred;
            }
        }
        7 => match rng.below(3) {
            0 => routine.parameters.truncate(rng.below(n)),
            1 => routine.parameters.push(VarId::new(rng.below(n + 1))),
            _ => routine.parameters.reverse(),
        },
        8 => routine.result = Some(VarId::new(rng.below(n + 1))),
        9 => routine.independents.push(VarId::new(rng.below(n + 1))),
        10 => routine.dependents.push(VarId::new(rng.below(n + 1))),
        11 => {
            program.globals[0].overlay = Some(Overlay {
                base: GlobalId::new(rng.below(2)),
                offset: rng.below(3) as i64 - 1,
            });
        }
        12 => program.globals[0].initial = Some(Box::new([random_expr(rng, 1)])),
        13 => {
            let list = blocks(routine);
            if let (false, Some(cfg)) = (list.is_empty(), &mut routine.body) {
                let v = list[rng.below(list.len())];
                if let VertexKind::Block(statements) = &mut cfg.vertex_mut(v).kind {
                    let at = rng.below(statements.len() + 1);
                    statements.insert(at, random_statement(rng));
                }
            }
        }
        14 => {
            if let Some(cfg) = routine.body.take() {
                let (mut vertices, edges) = cfg.into_parts();
                let v = rng.below(vertices.len());
                if let VertexKind::Loop { test, .. } = &mut vertices[v].kind {
                    **test = cfg_core::ir::LoopTest::Pre(random_expr(rng, 2));
                } else if let VertexKind::Branch(selector) = &mut vertices[v].kind {
                    **selector = cfg_core::ir::Selector::Condition(random_expr(rng, 2));
                } else {
                    let id = vertices[v].id;
                    vertices[v] = Vertex::new(id, VertexKind::Block(vec![random_statement(rng)]));
                }
                routine.body = Cfg::new(vertices, edges);
            }
        }
        _ => {
            if let Some(cfg) = routine.body.take() {
                let (vertices, mut edges) = cfg.into_parts();
                let e = EdgeId::new(rng.below(edges.len())).index();
                edges[e].to = VertexId::new(rng.below(vertices.len()));
                routine.body = Cfg::new(vertices, edges);
            }
        }
    }
}

/// Rules that are easy to state again: types of assignments and conditions, places that are written,
/// arguments.
fn keeps_rules(program: &Program) -> bool {
    let scalar =
        |routine: &Routine, e: &Expr, ty| type_of(&routine.variables, e) == Ok(Type::scalar(ty));
    program.routines.iter().all(|routine| {
        let written = |v: VarId| routine.variable(v).intent() != Some(Intent::In);
        let mut ok = true;
        for (_, vertex) in routine.body.iter().flat_map(Cfg::vertices) {
            for s in vertex.statements() {
                ok &= match &s.kind {
                    StmtKind::Assign { target, value } => {
                        let left = type_of(&routine.variables, &Expr::Place(target.clone()));
                        let right = type_of(&routine.variables, value);
                        written(target.var)
                            && matches!((left, right), (Ok(a), Ok(b))
                                if a.ty == b.ty && a.ty != ScalarType::Tape && (b.rank == 0 || a.rank == b.rank))
                    }
                    StmtKind::Call {
                        callee, arguments, ..
                    } => {
                        let callee = program.routine(*callee);
                        let formals = callee.parameter_ids().map(|p| callee.variable(p));
                        arguments.len() == callee.parameters.len()
                            && arguments.iter().flatten().zip(formals).all(|(e, p)| {
                                type_of(&routine.variables, e).is_ok_and(|t| t.ty == p.ty)
                                    && (!p.intent().is_some_and(Intent::writes)
                                        || matches!(e, Expr::Place(place) if written(place.var)))
                            })
                    }
                    StmtKind::Push { tape, value, .. } => {
                        routine.variable(*tape).ty == ScalarType::Tape
                            && type_of(&routine.variables, value).is_ok()
                    }
                    StmtKind::Pop { tape, target, .. } => {
                        routine.variable(*tape).ty == ScalarType::Tape && written(target.var)
                    }
                    StmtKind::Opaque { writes, .. } => writes.iter().all(|&v| written(v)),
                    StmtKind::Stop { .. } => true,
 StmtKind::Allocate { pointer, .. } | StmtKind::Resize { pointer, .. } => written(pointer.var),
 StmtKind::Free { .. } => true,
                };
            }
            if let VertexKind::Branch(selector) = &vertex.kind
                && let cfg_core::ir::Selector::Condition(e) = &**selector
            {
                ok &= scalar(routine, e, ScalarType::Logical);
            }
            if let VertexKind::Loop { test, .. } = &vertex.kind {
                ok &= match &**test {
                    cfg_core::ir::LoopTest::Pre(e) | cfg_core::ir::LoopTest::Post(e) => {
                        scalar(routine, e, ScalarType::Logical)
                    }
                    cfg_core::ir::LoopTest::Counted { first, last, step, .. } => [first, last, step]
                        .iter()
                        .all(|e| scalar(routine, e, ScalarType::Integer)),
                };
            }
        }
        let is_parameter =
            |v: &VarId| matches!(routine.variable(*v).role, Role::Parameter { .. });
        let mut listed = routine.parameters.clone();
        listed.sort_unstable();
        let all = (0..routine.variables.len()).map(VarId::new);
        ok && listed.into_iter().eq(all.filter(is_parameter))
    })
}

#[test]
fn no_change_panics_or_slips_through() {
    let mut rng = Rng::new(77);
    let (mut accepted, mut refused) = (0, 0);
    let mut codes = BTreeSet::new();
    let mut messages: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..4000 {
        let mut program = seed(&mut rng);
        for _ in 0..1 + rng.below(3) {
            mutate(&mut rng, &mut program);
        }
        let (structures, mut found) = find_problems(&program);
        cfg_format::json::add_pointers(&program, &mut found);
        assert_eq!(structures.len(), program.routines.len());
        codes.extend(found.iter().map(|p| p.code));
        for p in found.iter() {
            *messages
                .entry(pattern(p.code, &p.message, &p.help))
                .or_default() += 1;
        }
        if found.has_errors() {
            refused += 1;
            for p in found.iter() {
                assert!(!p.message.is_empty() && !p.help.is_empty());
                assert!(
                    p.at.site.is_some()
                        && p.at.pointer.as_ref().is_some_and(|p| p.starts_with('/')),
                    "{p}"
                );
            }
        } else {
            accepted += 1;
            assert!(keeps_rules(&program), "{program:?}");
        }
    }
    assert!(accepted > 50 && refused > 1000, "{accepted} {refused}");
    assert!(codes.len() > 25, "{codes:?}");
    // The messages and their numbers, which show a rule that reaches further or less far than before.
    let lines = messages.iter().map(|(what, n)| format!("{n:6} {what}\n"));
    let counts: String = lines.collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/validate/messages.txt");
    golden(path, &format!("{accepted:6} programs are right\n{counts}"));
}

#[test]
fn every_operator_on_every_pair_of_types_has_a_type_or_a_reason() {
    let all: Vec<Type> = ScalarType::ALL
        .iter()
        .flat_map(|&ty| (0..3).map(move |rank| Type { ty, rank }))
        .collect();
    for &op in Op::ALL {
        for &a in &all {
            for &b in &all {
                for operands in [&[a][..], &[a, b], &[a, b, b]] {
                    let found = cfg_core::typing::apply(op, operands);
                    if let Ok(t) = found {
                        assert_ne!(t.ty, ScalarType::Tape);
                        // Elementwise: no rank beyond those of the operands.
                        if op.class() == OpClass::Elemental {
                            let most = operands.iter().map(|t| t.rank).max();
                            assert_eq!(Some(t.rank), most, "{op:?}");
                        }
                    }
                }
            }
        }
    }
}
