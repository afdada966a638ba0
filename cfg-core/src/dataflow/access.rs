//! What statements and decisions read and write, in the order in which they do.

use crate::{
    entity::VarId,
    ir::{
        Expr, Intent, LoopTest, OpClass, Place, Program, Role, Routine, Selector, Stmt, StmtKind,
        Vertex, VertexKind,
    },
};

/// A read or write of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Some of it is read.
    Read(VarId),
    /// All of it is overwritten, or undefined from now on.
    Write(VarId),
    /// Some of it may be overwritten.
    MayWrite(VarId),
}

impl Access {
    /// The variable.
    pub fn variable(self) -> VarId {
        let (Self::Read(v) | Self::Write(v) | Self::MayWrite(v)) = self;
        v
    }
}

fn reads(e: &Expr, found: &mut impl FnMut(Access)) {
    match e {
        Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) => {}
        Expr::Place(place) => {
            found(Access::Read(place.var));
            subscripts(place, found);
        }
        Expr::Op(op, operands) => {
            // Inquiries ask about the shape, not the value; subscripts in their operand are evaluated.
            for (i, e) in operands.iter().enumerate() {
                match e {
                    Expr::Place(place) if i == 0 && op.class() == OpClass::Inquiry => {
                        subscripts(place, found);
                    }
                    e => reads(e, found),
                }
            }
        }
    }
}

fn subscripts(place: &Place, found: &mut impl FnMut(Access)) {
    for e in place.subscript_exprs() {
        reads(e, found);
    }
}

fn write(place: &Place, found: &mut impl FnMut(Access)) {
    found(if place.subscripts.is_empty() {
        Access::Write(place.var)
    } else {
        Access::MayWrite(place.var)
    });
}

/// The accesses of a statement of `routine`. Without a summary of the called routine a call reads and
/// may write every global that the routine names.
pub fn statement_accesses(
    program: &Program,
    routine: &Routine,
    statement: &Stmt,
    found: &mut impl FnMut(Access),
) {
    match &statement.kind {
        StmtKind::Assign { target, value } => {
            reads(value, found);
            subscripts(target, found);
            write(target, found);
        }
        StmtKind::Call {
            callee,
            arguments,
            result,
        } => {
            let formals = program
                .routines
                .get(callee.index())
                .map_or(&[][..], |r| r.variables.get(..r.parameters).unwrap_or(&[]));
            for (i, argument) in arguments.iter().enumerate() {
                match argument {
                    Some(Expr::Place(place)) => {
                        subscripts(place, found);
                        let intent = formals.get(i).and_then(|f| f.intent());
                        if intent != Some(Intent::Out) {
                            found(Access::Read(place.var));
                        }
                    }
                    Some(e) => reads(e, found),
                    None => {}
                }
            }
            if let Some(result) = result {
                subscripts(result, found);
            }
            let variables = routine.variables.iter().enumerate();
            let globals = || {
                let is_global =
                    |v: &&(usize, &crate::ir::Variable)| matches!(v.1.role, Role::Global(_));
                variables
                    .clone()
                    .filter(move |v| is_global(&v))
                    .map(|(i, _)| VarId::new(i))
            };
            globals().for_each(|v| found(Access::Read(v)));
            globals().for_each(|v| found(Access::MayWrite(v)));
            for (argument, formal) in arguments.iter().zip(formals) {
                if let Some(Expr::Place(place)) = argument {
                    // A formal of explicit shape may be smaller than the array that it is a view of.
                    let whole = place.subscripts.is_empty() && formal.rank() == 0;
                    match formal.intent() {
                        Some(Intent::Out) if whole => found(Access::Write(place.var)),
                        Some(Intent::Out | Intent::InOut) => found(Access::MayWrite(place.var)),
                        Some(Intent::In) | None => {}
                    }
                }
            }
            if let Some(result) = result {
                write(result, found);
            }
        }
        StmtKind::Push {
            tape,
            class: _,
            value,
        } => {
            reads(value, found);
            found(Access::Read(*tape));
            found(Access::MayWrite(*tape));
        }
        StmtKind::Pop {
            tape,
            class: _,
            target,
        } => {
            subscripts(target, found);
            found(Access::Read(*tape));
            found(Access::MayWrite(*tape));
            write(target, found);
        }
        StmtKind::Opaque {
            text: _,
            reads,
            writes,
        } => {
            for &v in reads {
                found(Access::Read(v));
            }
            for &v in writes {
                found(Access::MayWrite(v));
            }
        }
    }
}

/// The accesses of a LOOP's or BRANCH's decision; nothing for other vertices.
pub fn decision_accesses(vertex: &Vertex, found: &mut impl FnMut(Access)) {
    match &vertex.kind {
        VertexKind::Loop { form: _, test } => match &**test {
            LoopTest::Pre(e) | LoopTest::Post(e) => reads(e, found),
            LoopTest::Counted {
                index,
                first,
                last,
                step,
            } => {
                for e in [first, last, step] {
                    reads(e, found);
                }
                found(Access::Write(*index));
            }
        },
        VertexKind::Branch(selector) => match &**selector {
            Selector::Condition(e) => reads(e, found),
            Selector::Cases { value, arms: _ } => reads(value, found),
        },
        VertexKind::Entry
        | VertexKind::Exit
        | VertexKind::Block(_)
        | VertexKind::EndLoop
        | VertexKind::EndBranch => {}
    }
}
