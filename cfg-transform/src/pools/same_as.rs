//! A routine that is entered with pointers to the same objects: one without the parameters that lead where others do, which calls it.

use super::head::{
    pieces::{Piece, graph},
    rename_extents,
};
use crate::names::unused;
use cfg_core::{
    diagnostic::Diagnostics,
    entity::{RoutineId, VarId},
    ir::{Control, Expr, Op, Place, Role, Routine, Stmt, StmtKind, Variable},
    validate::{ValidProgram, validate},
};
use std::collections::{BTreeMap, HashSet};

/// A parameter that leads where another one does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SameAs {
    /// The parameter, a pointer.
    pub pointer: VarId,
    /// The parameter where it leads, a pointer of the same type.
    pub of: VarId,
    /// The number of elements between them.
    pub offset: i64,
}

/// The program with a routine in the place of `routine` that has its name and its parameters but those that lead where others do, and the
/// number of that. Of independents and dependents others stand for those. The other routines keep their numbers.
///
/// # Errors
/// A parameter is no pointer, or not of the type of the other.
pub fn same_as(
    program: &ValidProgram,
    routine: RoutineId,
    pointers: &[SameAs],
) -> Result<(ValidProgram, RoutineId), Diagnostics> {
    let mut made = program.program().clone();
    let names = made.routines.iter().map(|r| r.name.clone());
    let mut taken: HashSet<String> = names.collect();
    let head = head(program.routine(routine), routine, pointers);
    let body = &mut made.routines[routine.index()];
    body.name = unused(format!("{}.apart", body.name), &mut taken);
    let id = RoutineId::new(made.routines.len());
    made.routines.push(head);
    if made.main == Some(routine) {
        made.main = Some(id);
    }
    Ok((validate(made)?, id))
}

fn head(original: &Routine, id: RoutineId, pointers: &[SameAs]) -> Routine {
    let mut out = Routine {
        name: original.name.clone(),
        control: Control::Structured,
        at: original.at.clone(),
        annotations: original.annotations.clone(),
        origin: original.origin.clone(),
        ..Routine::default()
    };
    let of: BTreeMap<VarId, &SameAs> = pointers.iter().map(|s| (s.pointer, s)).collect();
    let globals = (0..original.variables.len()).map(VarId::new);
    let globals = globals.filter(|&v| matches!(original.variable(v).role, Role::Global(_)));
    let mut ids: BTreeMap<VarId, VarId> = BTreeMap::new();
    for v in original
        .parameter_ids()
        .chain(original.result)
        .chain(globals)
    {
        let variable = original.variable(v);
        let role = match of.contains_key(&v) {
            true => Role::Local,
            false => variable.role,
        };
        let variable = Variable {
            role,
            ..variable.clone()
        };
        ids.entry(v).or_insert_with(|| out.add_variable(variable));
    }
    rename_extents(&mut out, &ids);
    let list = |list: &[VarId]| {
        let mut seen = HashSet::new();
        let there = list.iter().map(|v| of.get(v).map_or(*v, |same| same.of));
        let there = there.filter(|v| seen.insert(*v));
        there.map(|v| ids[&v]).collect()
    };
    out.independents = list(&original.independents);
    out.dependents = list(&original.dependents);
    out.result = original.result.map(|v| ids[&v]);
    let assigned = pointers.iter().map(|same| {
        let from = Expr::var(ids[&same.of]);
        let value = match same.offset {
            0 => from,
            offset => Expr::op(Op::Shift, [from, Expr::Int(offset)]),
        };
        Stmt::assign(Place::whole(ids[&same.pointer]), value)
    });
    let mut block: Vec<Stmt> = assigned.collect();
    let arguments = original.parameter_ids().map(|v| Some(Expr::var(ids[&v])));
    block.push(Stmt::new(StmtKind::Call {
        callee: id,
        arguments: arguments.collect(),
        result: original.result.map(|v| Place::whole(ids[&v])),
    }));
    out.body = graph(vec![Piece::Block(block)]);
    out
}
