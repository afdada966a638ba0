//! The routine by which a program is entered: there, pointers are arrays of the elements that they lead to.
//!
//! The routine has the name and the parameters of the original, which it calls. An array that is passed becomes an
//! object, an empty array null. The final contents of the objects are copied back. Pointers to pointers are given as
//! several arrays: `levels`.

mod copies;
mod levels;
mod nested;
pub(super) mod pieces;
mod returned;

use super::{
    address::Address,
    arithmetic::{add, either, eq, mul, sub},
    cells,
    classes::is_measured_through_pointers,
    plan::{CELL, Kind, OBJECT, Plan},
    routine::{measured_through_pointers, refusal},
    writer::{Refused, Writer, field, internal_error, section},
};
use cfg_core::{
    diagnostic::{
        Diagnostics,
        site::{Element, Site},
    },
    entity::{GlobalId, RoutineId, VarId},
    ir::{
        Control, Expr, Extent, Intent, Op, Place, Record, Role, Routine, ScalarType, Stmt,
        StmtKind, Variable,
    },
};
use copies::Copies;
use levels::{FlatRecords, Level};
use nested::Nested;
use pieces::{Piece, graph_of_pieces};
use std::collections::{BTreeMap, HashSet};

/// Routines and records that the entering routines need.
pub(super) struct Made {
    copies: Copies,
    records: FlatRecords,
}

impl Made {
    /// Nothing yet; routines are numbered from here on.
    pub(super) fn from(next: usize) -> Self {
        Self {
            copies: Copies::from(next),
            records: FlatRecords::default(),
        }
    }

    /// The routines, in the order of their numbers, and the records, which stand behind those of the plan; `name`
    /// makes a new name.
    pub(super) fn into_parts(
        self,
        name: impl FnMut(String) -> String,
    ) -> (Vec<Routine>, Vec<Record>) {
        (self.copies.routines(name), self.records.made)
    }

    fn flat(&mut self, plan: &Plan<'_>, ty: ScalarType) -> ScalarType {
        self.records.flat(plan, ty)
    }
}

/// The way in which a parameter is handed to the original.
enum Handed {
    /// As it is.
    Itself,
    /// As cells in a pool, whose place `at` has: the parameter lives there.
    Moved { at: VarId, pool: usize },
    /// A pointer to the cells.
    Pointer {
        at: VarId,
        pool: usize,
        given: VarId,
    },
    /// A pointer through which nothing is read or written.
    Unused { given: VarId },
    /// With pointers that lead to further pointers.
    Nested(Box<Nested>),
}

/// True if a routine has to be entered through another one.
pub(super) fn is_needed(plan: &Plan<'_>, id: RoutineId) -> bool {
    let routine = plan.program.routine(id);
    let parameters = routine.parameter_ids();
    !plan.fixed.is_empty()
        || parameters.clone().any(|v| plan.is_moved(id, v))
        || (parameters.chain(routine.result))
            .any(|v| levels::has_pointers(plan.program, routine.variable(v).ty))
}

/// The routine by which `id` is entered. Routines that it needs are added to `made`. Its first statements are the
/// parts in `begin`: the flag of initial values, if there is one, and assignments to numbers of pools.
pub(super) fn head(
    plan: &Plan<'_>,
    id: RoutineId,
    written: &HashSet<GlobalId>,
    begin: (Option<GlobalId>, &[(GlobalId, Expr)]),
    made: &mut Made,
) -> Result<Routine, Diagnostics> {
    let head = make(plan, id, written, begin, made);
    head.map_err(|(refused, v)| {
        let element = v.map_or(Element::Routine, Element::Variable);
        Diagnostics(vec![refusal(plan, refused, Site::whole(id, element))])
    })
}

type Failure = (Refused, Option<VarId>);

fn make(
    plan: &Plan<'_>,
    id: RoutineId,
    written: &HashSet<GlobalId>,
    begin: (Option<GlobalId>, &[(GlobalId, Expr)]),
    made: &mut Made,
) -> Result<Routine, Failure> {
    let original = plan.program.routine(id);
    let mut out = instead_of(original);
    // The parameters in their order, then globals that extents name or lists contain.
    let mut ids: BTreeMap<VarId, VarId> = BTreeMap::new();
    let named = original.parameter_ids().chain(original.result);
    let listed = original.independents.iter().chain(&original.dependents);
    let globals = (0..original.variables.len()).map(VarId::new);
    let globals = globals.filter(|&v| matches!(original.variable(v).role, Role::Global(_)));
    let mut nested: BTreeMap<VarId, Vec<Level>> = BTreeMap::new();
    let own = original.variables.iter().map(|v| v.name.clone());
    let mut names: HashSet<String> = own.chain(globals_names(plan)).collect();
    for v in named.chain(listed.copied()).chain(globals) {
        if ids.contains_key(&v) {
            continue;
        }
        let failed = |refused| (refused, Some(v));
        let variable = original.variable(v);
        if is_measured_through_pointers(plan.program, original, variable) {
            return Err(failed(measured_through_pointers(variable)));
        }
        let is_parameter = matches!(variable.role, Role::Parameter { .. });
        if is_parameter && levels::are_needed(plan.program, variable) {
            let next = out.variables.len();
            ids.insert(v, VarId::new(next));
            let found = levels::levels(plan, (id, v), written, next, made, &mut names);
            for (variable, level) in found.map_err(failed)? {
                out.add_variable(variable);
                nested.entry(v).or_default().push(level);
            }
            continue;
        }
        let variable = match returned::is_changed(plan, id, v) {
            true => returned::declared(plan, variable, made),
            false => parameter(plan, id, v, written),
        };
        let variable = variable.map_err(failed)?;
        ids.insert(v, out.add_variable(variable));
    }
    rename_extents(&mut out, &ids);
    let list = |list: &[VarId], written: bool| -> Vec<VarId> {
        let each = list.iter().flat_map(|v| match nested.get(v) {
            Some(levels) => active(&out, plan, levels, written),
            None => vec![ids[v]],
        });
        each.collect()
    };
    let independents = list(&original.independents, false);
    let dependents = list(&original.dependents, true);
    // Arrays that no statement writes are no dependents if others are.
    let is_computed = |v: &VarId| match out.variable(*v).role {
        Role::Parameter { intent, .. } => intent.writes(),
        Role::Local | Role::Global(_) => true,
    };
    out.dependents = match dependents.iter().any(is_computed) {
        true => dependents.into_iter().filter(is_computed).collect(),
        false => dependents,
    };
    out.independents = independents;
    out.result = original.result.map(|v| ids[&v]);
    active_globals_stay(plan, id)?;
    let mut writer = Writer::new(plan, id, out);
    let mut pieces = Vec::new();
    let (ready, reset) = begin;
    writer.assign_all(reset);
    globals_ready(&mut writer, ready, &mut pieces).map_err(|refused| (refused, None))?;
    let mut handed = Vec::new();
    for v in original.parameter_ids() {
        let how = match nested.remove(&v) {
            Some(levels) => nested::take(&mut writer, original.variable(v), levels, &mut pieces)
                .map(|nested| Handed::Nested(Box::new(nested))),
            None => take(&mut writer, v, ids[&v], &mut made.copies, &mut pieces),
        };
        let how = how.map_err(|refused| (refused, Some(v)))?;
        handed.push((v, how));
    }
    let arguments = handed.iter().map(|(v, how)| {
        Some(Expr::var(match how {
            Handed::Itself => ids[v],
            Handed::Moved { at, .. } => *at,
            Handed::Pointer { given, .. } | Handed::Unused { given } => *given,
            Handed::Nested(nested) => nested.given,
        }))
    });
    let arguments = arguments.collect();
    let changed = (original.result).filter(|&v| returned::is_changed(plan, id, v));
    let changed = changed.map(|v| (v, returned::given(&mut writer, v)));
    let call = Stmt::new(StmtKind::Call {
        callee: id,
        arguments,
        result: (original.result)
            .map(|v| Place::whole(changed.map_or_else(|| ids[&v], |(_, given)| given))),
    });
    writer.block.push(call);
    if let Some((v, given)) = changed {
        returned::copy(&mut writer, (v, ids[&v]), given, &mut pieces)
            .map_err(|refused| (refused, Some(v)))?;
    }
    for (v, how) in handed.iter().rev() {
        give_back(&mut writer, ids[v], how, &mut made.copies, &mut pieces)
            .map_err(|refused| (refused, Some(*v)))?;
    }
    flush_pieces(&mut writer, &mut pieces);
    let mut out = writer.out;
    out.body = Some(graph_of_pieces(pieces));
    Ok(out)
}

/// Refuses independent or dependent globals to which pointers lead.
fn active_globals_stay(plan: &Plan<'_>, id: RoutineId) -> Result<(), Failure> {
    let original = plan.program.routine(id);
    for v in original.independents.iter().chain(&original.dependents) {
        if matches!(original.variable(*v).role, Role::Global(_)) && plan.is_moved(id, *v) {
            let message = "pointers lead to a global that is independent or dependent";
            let help = "copy it to a global of its own, and name that";
            return Err((Refused::new(message, help), Some(*v)));
        }
    }
    Ok(())
}

/// A routine by which a program is entered in place of another one, without variables and statements.
pub(super) fn instead_of(original: &Routine) -> Routine {
    Routine {
        name: original.name.clone(),
        control: Control::Structured,
        at: original.at.clone(),
        annotations: original.annotations.clone(),
        origin: original.origin.clone(),
        ..Routine::default()
    }
}

/// Renames the variables in extents of a routine.
pub(super) fn rename_extents(out: &mut Routine, ids: &BTreeMap<VarId, VarId>) {
    for variable in &mut out.variables {
        for dim in &mut variable.shape {
            let renamed = |e: &Expr| {
                e.map(&mut |mut e| {
                    if let Expr::Place(place) = &mut e
                        && let Some(v) = ids.get(&place.var)
                    {
                        place.var = *v;
                    }
                    e
                })
            };
            dim.lower = renamed(&dim.lower);
            if let Extent::Fixed(extent) = &mut dim.extent {
                *extent = renamed(extent);
            }
        }
    }
}

/// The declaration of a parameter, result or global where the program is entered.
fn parameter(
    plan: &Plan<'_>,
    id: RoutineId,
    v: VarId,
    written: &HashSet<GlobalId>,
) -> Result<Variable, Refused> {
    let original = plan.program.routine(id);
    let variable = original.variable(v);
    if let Role::Global(g) = variable.role {
        return Ok(plan.globals[g.index()].variable.clone());
    }
    let Some(pointer) = variable.ty.pointer() else {
        let role = match variable.role {
            Role::Parameter { .. } => variable.role,
            Role::Local | Role::Global(_) => Role::Local,
        };
        return Ok(Variable {
            role,
            ..variable.clone()
        });
    };
    let pointee = pointer.pointee();
    let is_in = matches!(
        variable.role,
        Role::Parameter {
            intent: Intent::In,
            optional: false
        }
    );
    if !is_in || variable.rank() > 0 || plan.is_moved(id, v) {
        return Err(Refused::new(
            format!(
                "the program is entered with `{}`, a pointer that may change",
                variable.name
            ),
            "let the routine that is entered take pointers by value, as `in` scalars; what they lead to may change",
        ));
    }
    let class = plan.classes.variable(id, v);
    let pool = plan
        .pointee(class, pointer)
        .map(|(_, pool)| &plan.pools[pool]);
    let arrays = pool.into_iter().flat_map(|pool| pool.arrays.values());
    let writes = arrays.clone().any(|g| written.contains(g));
    let intent = match writes {
        true => Intent::InOut,
        false => Intent::In,
    };
    Ok(levels::objects(variable, pointee, intent, ""))
}

/// The levels with reals. If only results can be meant, the levels that are given back, unless there is none.
fn active(out: &Routine, plan: &Plan<'_>, levels: &[Level], written: bool) -> Vec<VarId> {
    let reals = levels.iter().filter(|l| plan.program.has_reals(l.ty));
    let reals: Vec<VarId> = reals.map(|level| level.own).collect();
    let is_written = |v: &VarId| out.variable(*v).intent().is_some_and(Intent::writes);
    let given_back: Vec<VarId> = reals.iter().copied().filter(is_written).collect();
    if written && !given_back.is_empty() {
        return given_back;
    }
    reals
}

fn globals_names<'a>(plan: &'a Plan<'_>) -> impl Iterator<Item = String> + 'a {
    plan.globals.iter().map(|g| g.variable.name.clone())
}

/// Writes the table entries of globals that live in pools, and their initial values.
fn globals_ready(
    writer: &mut Writer<'_, '_>,
    ready: Option<GlobalId>,
    pieces: &mut Vec<Piece>,
) -> Result<(), Refused> {
    let plan = writer.plan;
    for (&g, &(object, cell)) in &plan.fixed {
        let Some(number) = plan.pool(g.index()) else {
            continue;
        };
        let global = plan.program.global(g);
        let variable = &global.variable;
        let each = cells::cell_count(plan.program, variable.ty);
        let size = each.saturating_mul(cells::elements(variable.shape.iter()));
        if cell < 1 {
            return Err(Refused::new(
                format!("the global `{}` has no room in its pool", variable.name),
                "make the pools larger: `--heap CELLS`",
            ));
        }
        let pool = &plan.pools[number];
        let entry = writer.table_entry(pool.first, Expr::Int(object));
        writer.assign(entry, Expr::Int(cell));
        let entry = writer.table_entry(pool.last, Expr::Int(object));
        writer.assign(entry, Expr::Int(cell + size - 1));
        writer.record_layout(pool, variable.ty, Expr::Int(object));
        let Some(initial) = &global.initial else {
            continue;
        };
        let own = |array| section(array, Expr::Int(cell), Expr::Int(cell + size - 1));
        if variable.ty.record().is_some() && initial.iter().all(is_zero) {
            for (&kind, &g) in &pool.arrays {
                let array = writer.name_global(g);
                writer.clear_cells(own(array), kind);
            }
            continue;
        }
        if variable.ty.record().is_some() {
            return Err(Refused::new(
                format!(
                    "pointers lead to the global `{}`, a record with initial values",
                    variable.name
                ),
                "assign the values where the program begins",
            ));
        }
        let array = writer.array_of_cells(number, variable.ty)?;
        match &**initial {
            _ if variable.ty.pointer().is_some() => {
                // The only constant is null.
                writer.clear_cells(own(array), Kind::Pointer);
            }
            [value] => writer.assign(own(array), value.clone()),
            values => {
                for (k, value) in values.iter().enumerate() {
                    let index = Expr::Int(cell + k as i64);
                    writer.assign(Place::element(array, [index]), value.clone());
                }
            }
        }
    }
    if let Some(ready) = ready {
        let flag = writer.counter(ready);
        writer.assign(flag.clone(), Expr::Logical(true));
        let body = std::mem::take(&mut writer.block);
        let condition = Expr::op(Op::Not, [flag.into()]);
        pieces.push(Piece::If(condition, body));
    }
    Ok(())
}

/// True for constants that are 0, false or null.
fn is_zero(e: &Expr) -> bool {
    match e {
        Expr::Int(0) | Expr::Logical(false) | Expr::Null(_) => true,
        Expr::Real(x) => x.to_bits() == 0,
        Expr::Real32(x) => x.to_bits() == 0,
        Expr::Op(..) => e.sized_constant().is_some_and(|(_, cell)| cell == 0),
        Expr::Int(_) | Expr::Logical(_) | Expr::Addr(_) | Expr::Place(_) => false,
    }
}

/// Gives a parameter its cells, and copies its contents there.
fn take(
    writer: &mut Writer<'_, '_>,
    v: VarId,
    own: VarId,
    copies: &mut Copies,
    pieces: &mut Vec<Piece>,
) -> Result<Handed, Refused> {
    let plan = writer.plan;
    let original = plan.program.routine(writer.id);
    let variable = original.variable(v);
    let class = plan.classes.variable(writer.id, v);
    let record = ScalarType::Record(plan.pointer);
    if plan.is_moved(writer.id, v) {
        let pool = plan
            .pool(class)
            .ok_or_else(|| internal_error("a variable without a pool"))?;
        let at = writer.declare_local(&format!("{}_at", variable.name), record);
        let each = Expr::Int(cells::cell_count(plan.program, variable.ty));
        let count = count(writer, own);
        let size = mul(count.clone(), each);
        writer.take_cells((pool, variable.ty), &Place::whole(at), size);
        if variable.intent() != Some(Intent::Out) {
            copy(writer, (own, at, pool), count, true, copies, pieces)?;
        }
        return Ok(Handed::Moved { at, pool });
    }
    let Some(pointer) = variable.ty.pointer() else {
        return Ok(Handed::Itself);
    };
    let given = writer.declare_local(&format!("{}_pointer", variable.name), record);
    let Some((_, pool)) = plan.pointee(class, pointer) else {
        // Its target is never used, but the pointer may be tested for null and compared with others.
        let size = Expr::op(Op::Size, [Expr::var(own)]);
        let object = either(eq(size, Expr::Int(0)), Expr::Int(0), object_of(own));
        writer.assign(field(&Place::whole(given), OBJECT), object);
        writer.assign(field(&Place::whole(given), CELL), Expr::Int(0));
        return Ok(Handed::Unused { given });
    };
    let at = writer.declare_local(&format!("{}_at", variable.name), record);
    let each = Expr::Int(cells::cell_count(plan.program, pointer.pointee()));
    let count = count(writer, own);
    let size = mul(count.clone(), each);
    writer.take_cells((pool, pointer.pointee()), &Place::whole(at), size);
    let (at_place, given_place) = (Place::whole(at), Place::whole(given));
    for name in [OBJECT, CELL] {
        let empty = eq(count.clone(), Expr::Int(0));
        let value = either(empty, Expr::Int(0), field(&at_place, name).into());
        writer.assign(field(&given_place, name), value);
    }
    copy(writer, (own, at, pool), count, true, copies, pieces)?;
    Ok(Handed::Pointer { at, pool, given })
}

/// The number of an object without a pool, unique among such objects.
fn object_of(own: VarId) -> Expr {
    Expr::Int(own.index() as i64 + 1)
}

/// Copies the contents of a parameter back, and ends its cells.
fn give_back(
    writer: &mut Writer<'_, '_>,
    own: VarId,
    how: &Handed,
    copies: &mut Copies,
    pieces: &mut Vec<Piece>,
) -> Result<(), Refused> {
    let (at, pool) = match *how {
        Handed::Itself | Handed::Unused { .. } => return Ok(()),
        Handed::Nested(ref nested) => return nested::give_back(writer, nested, pieces),
        Handed::Moved { at, pool } | Handed::Pointer { at, pool, .. } => (at, pool),
    };
    if writer
        .out
        .variable(own)
        .intent()
        .is_some_and(Intent::writes)
    {
        let count = count(writer, own);
        copy(writer, (own, at, pool), count, false, copies, pieces)?;
    }
    writer.give_back(pool, &Place::whole(at));
    Ok(())
}

/// Number of elements of a parameter.
fn count(writer: &Writer<'_, '_>, own: VarId) -> Expr {
    match writer.out.variable(own).rank() {
        0 => Expr::Int(1),
        _ => Expr::op(Op::Size, [Expr::var(own)]),
    }
}

/// Copies a parameter to its cells, or back.
fn copy(
    writer: &mut Writer<'_, '_>,
    (own, at, pool): (VarId, VarId, usize),
    count: Expr,
    to_pool: bool,
    copies: &mut Copies,
    pieces: &mut Vec<Piece>,
) -> Result<(), Refused> {
    let variable = writer.out.variable(own).clone();
    let cell: Expr = field(&Place::whole(at), CELL).into();
    if variable.ty.record().is_some() {
        return records(writer, (own, at, pool), count, to_pool, pieces);
    }
    let array = writer.array_of_cells(pool, variable.ty)?;
    let cells = match variable.rank() {
        0 => Place::element(array, [cell]),
        _ => {
            let last = sub(add(cell.clone(), count.clone()), Expr::Int(1));
            section(array, cell, last)
        }
    };
    let own = Place::whole(own);
    if variable.rank() > 1 {
        let (from, to) = match to_pool {
            true => (own, cells),
            false => (cells, own),
        };
        let arguments = [count, from.into(), to.into()].map(Some).into();
        let callee = copies.routine_for(variable.ty);
        writer.block.push(Stmt::new(StmtKind::Call {
            callee,
            arguments,
            result: None,
        }));
        return Ok(());
    }
    match to_pool {
        true => writer.assign(cells, own.into()),
        false => writer.assign(own, cells.into()),
    }
    Ok(())
}

/// Copies a record, or an array of records in a loop.
fn records(
    writer: &mut Writer<'_, '_>,
    (own, at, pool): (VarId, VarId, usize),
    count: Expr,
    to_pool: bool,
    pieces: &mut Vec<Piece>,
) -> Result<(), Refused> {
    let variable = writer.out.variable(own).clone();
    if variable.rank() > 1 {
        return Err(Refused::new(
            format!(
                "the program is entered with `{}`, records in more than one dimension to which pointers lead",
                variable.name
            ),
            "pass them in one dimension",
        ));
    }
    let plan = writer.plan;
    let each = cells::cell_count(plan.program, variable.ty);
    let place = Place::whole(at);
    let mut address = Address {
        pool,
        object: field(&place, OBJECT).into(),
        cell: field(&place, CELL).into(),
        inside: Vec::new(),
        fits: None,
        ty: variable.ty,
        open: Vec::new(),
        dense: true,
    };
    if variable.rank() == 0 {
        return writer.cell_by_cell(variable.ty, &Place::whole(own), address, to_pool);
    }
    flush_pieces(writer, pieces);
    let index = writer.declare_local("element", ScalarType::Integer);
    let before = sub(Expr::var(index), Expr::Int(1));
    address.cell = add(address.cell, mul(before.clone(), Expr::Int(each)));
    let lower = Expr::op(Op::LBound, [Expr::var(own), Expr::Int(1)]);
    let element = Place::element(own, [add(before, lower)]);
    writer.cell_by_cell(variable.ty, &element, address, to_pool)?;
    let body = vec![Piece::Block(std::mem::take(&mut writer.block))];
    pieces.push(Piece::Loop {
        index,
        last: count,
        body,
    });
    Ok(())
}

fn flush_pieces(writer: &mut Writer<'_, '_>, pieces: &mut Vec<Piece>) {
    if !writer.block.is_empty() {
        pieces.push(Piece::Block(std::mem::take(&mut writer.block)));
    }
}
