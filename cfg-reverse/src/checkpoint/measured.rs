//! Copies of forward sweeps that count the bits that they would record, rather than recording them.
//!
//! A loop under a limit of memory runs its first step so: it computes what the step computes, and then the record of a
//! step is known before states are kept beside it. Steps may record more than the first one does.

use cfg_core::{
    entity::{RoutineId, VarId},
    flat::FlatStmt,
    ir::{
        Cfg, ControlWidth, Expr, NameOrigin, NameRole, Op, Place, Program, Routine, ScalarType,
        Stmt, StmtKind, TapeClass, Variable,
    },
};

use std::collections::HashMap;

use crate::{code::names::Namer, partials::conform::extents};

/// The copies that are wanted. They follow one another in the program.
pub(crate) struct Measured {
    first: usize,
    sweeps: Vec<RoutineId>,
    /// The place of each in the list.
    places: HashMap<RoutineId, usize>,
}

impl Measured {
    /// No copies, of which the first one will have this number.
    pub(crate) fn numbered_from(first: usize) -> Self {
        Self {
            first,
            sweeps: Vec::new(),
            places: HashMap::new(),
        }
    }

    /// The number of the copy of a forward sweep, which is wanted from here on.
    pub(super) fn copy_of(&mut self, sweep: RoutineId) -> RoutineId {
        let number = *self.places.entry(sweep).or_insert_with(|| {
            self.sweeps.push(sweep);
            self.sweeps.len() - 1
        });
        RoutineId::new(self.first + number)
    }

    /// Adds the copies. `originals` has the routine of each forward sweep that keeps states: copies run that, and
    /// count nothing.
    pub(crate) fn write(
        mut self,
        out: &mut Program,
        namer: &mut Namer,
        originals: &HashMap<RoutineId, RoutineId>,
    ) {
        let mut next = 0;
        while let Some(&sweep) = self.sweeps.get(next) {
            next += 1;
            let mut routine = out.routine(sweep).clone();
            routine.name = namer.fresh_name(format!("{}_bits", routine.name));
            let original = routine.origin.as_ref().map(|origin| origin.of.clone());
            let origin = NameOrigin::new(NameRole::Measured, original.unwrap_or_default());
            routine.origin = Some(Box::new(origin));
            let is_parameter = |v: &VarId| routine.variable(*v).ty == ScalarType::Tape;
            let tape = routine.parameter_ids().find(is_parameter);
            if let Some(tape) = tape {
                self.count_bits(&mut routine, tape, originals);
            }
            out.routines.push(routine);
        }
    }

    /// Counts in the parameter of the tape, as an integer, what the routine would push on that.
    fn count_bits(
        &mut self,
        routine: &mut Routine,
        tape: VarId,
        originals: &HashMap<RoutineId, RoutineId>,
    ) {
        let variables = &mut routine.variables;
        let is_tape = |a: &Option<Expr>| a.as_ref() == Some(&Expr::var(tape));
        let vertices = routine.body.iter_mut().flat_map(Cfg::vertices_mut);
        for statement in vertices.filter_map(|v| v.kind.statements_mut()).flatten() {
            let counting = match FlatStmt::view(&statement.kind) {
                FlatStmt::Push {
                    tape: end,
                    class,
                    value,
                } if end == tape => {
                    let bits = bits_of(variables, class, value);
                    let sum = Expr::op(Op::Add, [Expr::var(tape), bits]);
                    Some(Stmt::assign(Place::whole(tape), sum).kind)
                }
                FlatStmt::Call {
                    callee,
                    arguments,
                    result,
                } if arguments.iter().any(is_tape) => {
                    let original = originals.get(&callee).copied();
                    let kept = arguments
                        .iter()
                        .filter(|a| original.is_none() || !is_tape(a));
                    Some(StmtKind::Call {
                        callee: original.unwrap_or_else(|| self.copy_of(callee)),
                        arguments: kept.cloned().collect(),
                        result: result.cloned(),
                    })
                }
                FlatStmt::Assign { .. }
                | FlatStmt::Call { .. }
                | FlatStmt::Push { .. }
                | FlatStmt::Pop { .. }
                | FlatStmt::Opaque { .. }
                | FlatStmt::Stop { .. } => None,
            };
            if let Some(kind) = counting {
                statement.kind = kind;
            }
        }
        let counter = &mut variables[tape.index()];
        counter.ty = ScalarType::Integer;
        counter.origin = None;
    }
}

/// The bits that a push takes on the tape, at most.
fn bits_of(variables: &[Variable], class: TapeClass, value: &Expr) -> Expr {
    let each = match class {
        TapeClass::Control(ControlWidth::Bits(bits)) => i64::from(bits),
        TapeClass::Control(ControlWidth::Count) | TapeClass::Integer | TapeClass::Real => 64,
        TapeClass::Disk => 0,
        TapeClass::Real32 => 32,
    };
    let extents = extents(variables, value, &[]).into_iter();
    extents.fold(Expr::Int(each), |bits, n| Expr::op(Op::Mul, [bits, n]))
}
