//! Does a program compute with 32-bit reals?

use cfg_core::ir::{Expr, LoopTest, Op, Program, ScalarType, Selector, Stmt, StmtKind, VertexKind};

/// True if a variable, a constant or an operation of the program has 32 bits.
pub(crate) fn has_real32(program: &Program) -> bool {
    let globals = program.globals.iter().map(|g| &g.variable);
    let own = program.routines.iter().flat_map(|r| &r.variables);
    if globals.chain(own).any(|v| v.ty == ScalarType::Real32) {
        return true;
    }
    let mut found = false;
    // An operation works in 32 bits where a constant or a conversion makes an operand so.
    let mut look = |e: &Expr| {
        e.walk(&mut |e| found |= matches!(e, Expr::Real32(_) | Expr::Op(Op::ToReal32, _)));
    };
    for routine in &program.routines {
        if let Some(external) = &routine.external {
            external.value.iter().for_each(&mut look);
            let partials = external.partials.iter().flatten();
            partials.for_each(|p| look(&p.value));
        }
        for (_, vertex) in routine.body.iter().flat_map(|body| body.vertices()) {
            match &vertex.kind {
                VertexKind::Block(statements) => {
                    statements.iter().for_each(|s| each_expr(s, &mut look));
                }
                VertexKind::Loop { test, .. } => match test.as_ref() {
                    LoopTest::Pre(e) | LoopTest::Post(e) => look(e),
                    LoopTest::Counted {
                        first, last, step, ..
                    } => [first, last, step].into_iter().for_each(&mut look),
                },
                VertexKind::Branch(selector) => match selector.as_ref() {
                    Selector::Condition(e) | Selector::Cases { value: e, .. } => look(e),
                },
                VertexKind::Entry
                | VertexKind::Exit
                | VertexKind::EndLoop
                | VertexKind::EndBranch => {}
            }
        }
    }
    found
}

fn each_expr(statement: &Stmt, look: &mut impl FnMut(&Expr)) {
    match &statement.kind {
        StmtKind::Assign { target, value } => {
            target.subscript_exprs().for_each(&mut *look);
            look(value);
        }
        StmtKind::Call {
            arguments, result, ..
        } => {
            arguments.iter().flatten().for_each(&mut *look);
            let subscripts = result.iter().flat_map(|r| r.subscript_exprs());
            subscripts.for_each(look);
        }
        StmtKind::Push { value, .. } => look(value),
        StmtKind::Pop { target, .. } => target.subscript_exprs().for_each(look),
        StmtKind::Opaque { .. } => {}
    }
}
