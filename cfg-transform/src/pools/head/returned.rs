//! Results with pointers. A pointer to numbers becomes an array of the elements from its target on, a pointer to a
//! record without pointers becomes that record, and a record keeps only its fields without pointers.

use super::{
    super::{
        address::Address,
        arithmetic::{add, eq, sub},
        cells,
        plan::{CELL, OBJECT, Plan},
        writer::{Refused, Writer, field, section},
    },
    Made, flush_pieces,
    levels::has_pointers,
    nested::Loops,
    pieces::Piece,
};
use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{Dim, Expr, NameOrigin, NameRole, Op, Place, Role, ScalarType, Stmt, StmtKind, Variable},
};

/// The result at the entry of the program; for a pointer to numbers, the elements from its target to the end of the
/// object.
pub(super) fn declared(
    plan: &Plan<'_>,
    variable: &Variable,
    made: &mut Made,
) -> Result<Variable, Refused> {
    let found = match variable.ty.pointer().map(|pointer| pointer.pointee()) {
        _ if variable.rank() > 0 => None,
        Some(ty) if has_pointers(plan.program, ty) => None,
        Some(ty) if ty.record().is_some() => Some((ty, Vec::new())),
        Some(ty) => Some((ty, vec![Dim::deferred()])),
        None => (made.records.numbers(plan, variable.ty)).map(|ty| (ty, Vec::new())),
    };
    let (ty, shape) = found.ok_or_else(|| left_with(variable))?;
    Ok(Variable {
        ty,
        shape,
        role: Role::Local,
        ..variable.clone()
    })
}

fn left_with(variable: &Variable) -> Refused {
    Refused::new(
        format!(
            "the program is left with `{}`, which leads to pointers, or into records",
            variable.name
        ),
        "enter it by a routine that returns numbers",
    )
}

/// Copies the original's result `v`, which is in `given`, to `own`. The program stops if the result is a null pointer.
pub(super) fn copy(
    writer: &mut Writer<'_, '_>,
    (v, own): (VarId, VarId),
    given: VarId,
    pieces: &mut Vec<Piece>,
) -> Result<(), Refused> {
    let plan = writer.plan;
    let variable = writer.routine.variable(v);
    let (given, own) = (Place::whole(given), Place::whole(own));
    let Some(pointer) = variable.ty.pointer() else {
        let fields = cells::fields(plan.program, variable.ty);
        for field in fields.iter().filter(|field| field.ty.pointer().is_none()) {
            let loops = Loops::over(writer, field, pieces);
            writer.assign(loops.part(&own), loops.part(&given).into());
            loops.end(writer, Vec::new(), pieces);
        }
        return Ok(());
    };
    let object = Expr::from(field(&given, OBJECT));
    stop_if(writer, eq(object.clone(), Expr::Int(0)), "null", pieces);
    let class = plan.classes.variable(writer.id, v);
    let Some((node, pool)) = plan.pointee(class, pointer) else {
        // No object exists to which it could lead.
        return Ok(());
    };
    // With another layout, cells of other types would be among the elements.
    let mut layouts = plan.classes.layouts(node).iter();
    if !layouts.all(|ty| *ty == pointer.pointee()) {
        return Err(left_with(variable));
    }
    let last = writer.table_entry(plan.pools[pool].last, object.clone());
    if pointer.pointee().record().is_some() {
        let each = cells::cell_count(plan.program, pointer.pointee());
        let end = add(field(&given, CELL).into(), Expr::Int(each - 1));
        let others = Expr::op(Op::Ne, [last.into(), end]);
        stop_if(writer, others, "more than one record", pieces);
        let address = Address {
            pool,
            object,
            cell: field(&given, CELL).into(),
            inside: Vec::new(),
            fits: None,
            ty: pointer.pointee(),
            open: Vec::new(),
            dense: true,
        };
        return writer.cell_by_cell(pointer.pointee(), &own, address, false);
    }
    // The option `--size` replaces this value by the given size.
    let size = writer.declare_local(&format!("{}_size", variable.name), ScalarType::Integer);
    let origin = NameOrigin::new(NameRole::Temporary, &*variable.name);
    writer.out.variables[size.index()].origin = Some(Box::new(origin));
    let cell = Expr::from(field(&given, CELL));
    let count = add(sub(last.clone().into(), cell.clone()), Expr::Int(1));
    writer.assign(Place::whole(size), count.clone());
    let other = Expr::op(Op::Ne, [Expr::var(size), count]);
    stop_if(
        writer,
        other,
        "memory of another size than it is said to",
        pieces,
    );
    let array = writer.array_of_cells(pool, pointer.pointee())?;
    writer.assign(own, section(array, cell, last.into()).into());
    Ok(())
}

/// Stops the program if a condition shows that the result cannot be returned.
fn stop_if(writer: &mut Writer<'_, '_>, condition: Expr, what: &str, pieces: &mut Vec<Piece>) {
    let text = format!("{} returns {what}", writer.routine.name).into();
    flush_pieces(writer, pieces);
    let stop = vec![Stmt::new(StmtKind::Stop { text })];
    pieces.push(Piece::If(condition, stop));
}

/// True for a result that has another type at the entry of the program.
pub(super) fn is_changed(plan: &Plan<'_>, id: RoutineId, v: VarId) -> bool {
    let routine = plan.program.routine(id);
    routine.result == Some(v) && has_pointers(plan.program, routine.variable(v).ty)
}

/// The variable that takes the result of the original.
pub(super) fn given(writer: &mut Writer<'_, '_>, v: VarId) -> VarId {
    let variable = writer.routine.variable(v);
    let ty = writer.plan.lowered_type(variable.ty);
    writer.declare_local(&format!("{}_given", variable.name), ty)
}
