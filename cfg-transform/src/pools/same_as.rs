//! Routines that are entered with pointers to the same objects: a new routine, without the parameters that lead to the
//! objects of others, calls the original.
//!
//! If a front end has made arrays of pointers, such a parameter is a section of another one.

use super::{
    given::enter_by,
    head::{instead_of, rename_extents},
};
use cfg_core::{
    diagnostic::Diagnostics,
    edit::Editor,
    entity::{RoutineId, VarId},
    ir::{Expr, Intent, Op, Place, Range, Role, Routine, Stmt, StmtKind, Subscript, Variable},
    validate::ValidProgram,
};
use std::collections::{BTreeMap, HashSet};

/// A parameter that leads to the same object as another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SameAs {
    /// The parameter: a pointer, or an array with an open extent on which no other extent depends.
    pub pointer: VarId,
    /// The parameter with the object, of the same type and form.
    pub of: VarId,
    /// The number of elements between them.
    pub offset: i64,
}

/// The program with a new routine in place of `routine`, and the number of the new one. The new routine has the name
/// and the parameters of `routine`, without those that lead to the objects of others. In lists of independents and
/// dependents, the other parameters replace them. The other routines keep their numbers.
///
/// # Errors
/// A parameter is of another type than the other, or arguments overlap in a routine that is not `aliased`.
pub fn same_as(
    program: &ValidProgram,
    routine: RoutineId,
    pointers: &[SameAs],
) -> Result<(ValidProgram, RoutineId), Diagnostics> {
    let head = head(program.routine(routine), routine, pointers);
    enter_by(program.program().clone(), routine, head, "apart")
}

fn head(original: &Routine, id: RoutineId, pointers: &[SameAs]) -> Routine {
    let mut out = instead_of(original);
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
            true if variable.rank() > 0 => continue,
            true => Role::Local,
            false => with_sections(original, v, pointers),
        };
        let variable = Variable {
            role,
            ..variable.clone()
        };
        ids.entry(v).or_insert_with(|| out.add_variable(variable));
    }
    rename_extents(&mut out, &ids);
    // The other parameter may be listed already, and several parameters may lead to it.
    let list = |list: &[VarId]| {
        let mut seen = HashSet::new();
        let there = list.iter().map(|v| of.get(v).map_or(*v, |same| same.of));
        let there = there.filter(|v| seen.insert(*v));
        there.map(|v| ids[&v]).collect()
    };
    out.independents = list(&original.independents);
    out.dependents = list(&original.dependents);
    out.result = original.result.map(|v| ids[&v]);
    let values = pointers.iter();
    let values = values.filter(|same| original.variable(same.pointer).rank() == 0);
    let assigned = values.map(|same| {
        let from = Expr::var(ids[&same.of]);
        let value = match same.offset {
            0 => from,
            offset => Expr::op(Op::Shift, [from, Expr::Int(offset)]),
        };
        Stmt::assign(Place::whole(ids[&same.pointer]), value)
    });
    let mut block: Vec<Stmt> = assigned.collect();
    let arguments = original.parameter_ids().map(|v| {
        Some(match of.get(&v) {
            Some(same) if original.variable(v).rank() > 0 => {
                section(original.variable(same.of), ids[&same.of], same.offset)
            }
            Some(_) | None => Expr::var(ids[&v]),
        })
    });
    block.push(Stmt::new(StmtKind::Call {
        callee: id,
        arguments: arguments.collect(),
        result: original.result.map(|v| Place::whole(ids[&v])),
    }));
    out.body = Some(Editor::line([block]));
    out
}

/// The role of a parameter of which others may be sections: a write to a section is a write to it.
fn with_sections(original: &Routine, v: VarId, pointers: &[SameAs]) -> Role {
    let role = original.variable(v).role;
    let Role::Parameter { optional, .. } = role else {
        return role;
    };
    let mut sections = pointers.iter().filter(|same| same.of == v);
    let writes = |same: &SameAs| {
        let variable = original.variable(same.pointer);
        variable.rank() > 0 && variable.intent().is_some_and(Intent::writes)
    };
    match sections.any(writes) {
        true => Role::Parameter {
            intent: Intent::InOut,
            optional,
        },
        false => role,
    }
}

/// The elements of an array of one dimension from a given element on.
fn section(variable: &Variable, v: VarId, offset: i64) -> Expr {
    let lower = variable.shape.first().map(|dim| dim.lower.clone());
    let first = Expr::op(Op::Add, [lower.unwrap_or(Expr::Int(1)), Expr::Int(offset)]);
    let range = Range {
        lower: Some(first),
        upper: None,
        stride: None,
    };
    Expr::Place(Place {
        var: v,
        subscripts: [Subscript::Range(Box::new(range))].into(),
    })
}
