//! Programs with something broken in them.

use crate::{
    support::{Job, gradient_of, tangent_of},
    trial::Trial,
};
use cfg_core::{
    entity::{RoutineId, VertexId},
    ir::{Expr, Extent, LoopTest, Op, Place, Role, Selector, Stmt, StmtKind, VertexKind},
    validate::{ValidProgram, find_problems, validate},
};
use cfg_reverse::Options;
use cfg_testkit::rng::Rng;

/// Trials of a job's program, or of a derivative of it, after something has been broken in it. Programs that push are
/// not broken: a pop without its push takes bits of a trip count, whose width differs between executor and C.
pub(crate) fn trials(job: &Job, options: &Options, times: u64, rng: &mut Rng) -> Vec<Trial> {
    let pushes = |s: &cfg_core::ir::Stmt| matches!(s.kind, StmtKind::Push { .. });
    let bodies = job.program.routines.iter().filter_map(|r| r.body.as_ref());
    let mut statements = bodies
        .flat_map(|cfg| cfg.vertices())
        .flat_map(|(_, v)| v.statements());
    if statements.any(pushes) {
        return Vec::new();
    }
    let mut all = Vec::new();
    for k in 0..times {
        let breaks = if k % 2 == 0 { broken } else { shattered };
        let Ok(program) = validate(breaks(&job.program, rng)) else {
            continue;
        };
        let title = format!("{}, broken {k}", job.title);
        // A copy of a variable without a value is a warning only; a derivative may use that value and is then
        // refused.
        let is_unassigned = find_problems(program.program())
            .1
            .iter()
            .any(|d| d.code == "V152");
        // A derivative of the broken program ends in the same error, or in one of its own.
        let derived: Option<(String, ValidProgram, RoutineId)> = match rng.below(3) {
            _ if is_unassigned => None,
            0 => gradient_of(format!("{title}, gradient"), &program, job.routine, options),
            1 => tangent_of(format!("{title}, tangent"), &program, job.routine),
            _ => None,
        };
        if let Some((title, program, r)) = derived {
            let (arguments, globals) = job.arguments_of(&program, r, rng);
            all.extend(Trial::run(title, program, r, arguments, globals));
        }
        let (arguments, globals) = (job.arguments.clone(), job.globals.clone());
        all.extend(Trial::run(title, program, job.routine, arguments, globals));
    }
    all
}

/// The expressions of all statements and tests, in order.
fn each_expr(program: &mut cfg_core::ir::Program, visit: &mut impl FnMut(&mut Expr)) {
    each_statement(program, &mut |all| all.iter_mut().for_each(|e| visit(e)));
}

/// The expressions of each statement or test, in order.
fn each_statement(program: &mut cfg_core::ir::Program, visit: &mut impl FnMut(&mut [&mut Expr])) {
    for routine in &mut program.routines {
        let Some(cfg) = &mut routine.body else {
            continue;
        };
        for v in (0..cfg.vertex_count()).map(VertexId::new) {
            match &mut cfg.vertex_mut(v).kind {
                VertexKind::Block(statements) => {
                    for statement in statements {
                        let mut all: Vec<&mut Expr> = Vec::new();
                        match &mut statement.kind {
                            StmtKind::Assign { target, value } => {
                                all.extend(exprs(target));
                                all.push(value);
                            }
                            StmtKind::Push { value, .. } => all.push(value),
                            StmtKind::Pop { target, .. } => all.extend(exprs(target)),
                            StmtKind::Call {
                                arguments, result, ..
                            } => {
                                all.extend(arguments.iter_mut().flatten());
                                all.extend(result.iter_mut().flat_map(exprs));
                            }
                            StmtKind::Allocate { pointer, count, .. }
                            | StmtKind::Resize { pointer, count } => {
                                all.extend(exprs(pointer));
                                all.push(count);
                            }
                            StmtKind::Free { pointer } => all.extend(exprs(pointer)),
                            StmtKind::Opaque { .. } | StmtKind::Stop { .. } => {}
                        }
                        visit(&mut all);
                    }
                }
                VertexKind::Loop { test, .. } => match &mut **test {
                    LoopTest::Counted { first, last, .. } => visit(&mut [first, last]),
                    LoopTest::Pre(e) | LoopTest::Post(e) => visit(&mut [e]),
                },
                VertexKind::Branch(selector) => match &mut **selector {
                    Selector::Condition(e) | Selector::Cases { value: e, .. } => visit(&mut [e]),
                },
                _ => {}
            }
        }
    }
}

/// The expressions of the subscripts of a place.
fn exprs(place: &mut Place) -> impl Iterator<Item = &mut Expr> {
    place.subscripts.iter_mut().flat_map(|s| s.exprs_mut())
}

/// The integers of an expression, in order.
fn integers(e: &mut Expr, visit: &mut impl FnMut(&mut i64)) {
    match e {
        Expr::Int(n) => visit(n),
        Expr::Op(_, operands) => operands.iter_mut().for_each(|e| integers(e, visit)),
        Expr::Place(place) => {
            let all = place.subscripts.iter_mut().flat_map(|s| s.exprs_mut());
            all.for_each(|e| integers(e, visit));
        }
        Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) | Expr::Null(_) | Expr::Addr(_) => {}
    }
}

/// The program with one thing broken.
fn broken(program: &cfg_core::ir::Program, rng: &mut Rng) -> cfg_core::ir::Program {
    let mut made = program.clone();
    let kind = rng.between(0, 5);
    match kind {
        // A statement less.
        0 | 1 => {
            let mut blocks = Vec::new();
            for (r, routine) in made.routines.iter().enumerate() {
                for (v, vertex) in routine.body.iter().flat_map(|cfg| cfg.vertices()) {
                    for s in 0..vertex.statements().len() {
                        if matches!(vertex.statements()[s].kind, StmtKind::Assign { .. }) {
                            blocks.push((r, v, s));
                        }
                    }
                }
            }
            if let Some(&(r, v, s)) = blocks.get(rng.below(blocks.len().max(1))) {
                let cfg = made.routines[r].body.as_mut().unwrap();
                if let VertexKind::Block(statements) = &mut cfg.vertex_mut(v).kind {
                    statements.remove(s);
                }
            }
        }
        // The program stops.
        5 => {
            let r = rng.below(made.routines.len());
            if let Some(cfg) = &mut made.routines[r].body {
                let v = VertexId::new(rng.below(cfg.vertex_count()));
                if let VertexKind::Block(statements) = &mut cfg.vertex_mut(v).kind {
                    let text = "it \"stops\" \\ here: %d??/\n".into();
                    let at = rng.below(statements.len() + 1);
                    statements.insert(at, Stmt::new(StmtKind::Stop { text }));
                }
            }
        }
        // A local array is shorter.
        2 => {
            for routine in &mut made.routines {
                for variable in &mut routine.variables {
                    if variable.role == Role::Local && rng.below(2) == 0 {
                        for dim in &mut variable.shape {
                            if let Extent::Fixed(e) = &mut dim.extent {
                                *e = Expr::op(Op::Sub, [e.clone(), Expr::Int(1)]);
                            }
                        }
                    }
                }
            }
        }
        // An integer constant is changed.
        _ => {
            let mut count = 0;
            each_expr(&mut made, &mut |e| {
                integers(e, &mut |_| count += 1);
            });
            let by = [1, -1, 2, -2, 1000, i64::MAX, i64::MIN][rng.below(7)];
            let at = rng.below(count.max(1));
            count = 0;
            each_expr(&mut made, &mut |e| {
                integers(e, &mut |n| {
                    if at == count {
                        *n = n.wrapping_add(by);
                    }
                    count += 1;
                });
            });
        }
    }
    made
}

/// The program with several things broken in one statement.
fn shattered(program: &cfg_core::ir::Program, rng: &mut Rng) -> cfg_core::ir::Program {
    let mut made = program.clone();
    let mut counts = Vec::new();
    each_statement(&mut made, &mut |e| {
        let mut count = 0;
        e.iter_mut().for_each(|e| integers(e, &mut |_| count += 1));
        counts.push(count);
    });
    let several: Vec<usize> = (0..counts.len()).filter(|&k| counts[k] > 1).collect();
    let Some(&which) = several.get(rng.below(several.len().max(1))) else {
        return made;
    };
    let mut k = 0;
    each_statement(&mut made, &mut |e| {
        k += 1;
        if k - 1 != which {
            return;
        }
        for e in e {
            integers(e, &mut |n| {
                if rng.below(3) > 0 {
                    *n = n.wrapping_add([1, -1, 3, -3, 1000, i64::MAX, i64::MIN][rng.below(7)]);
                }
            });
        }
    });
    made
}
