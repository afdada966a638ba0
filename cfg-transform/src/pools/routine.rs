//! A routine with its pointers lowered: its variables, the cells of variables that live in pools, and its graph.

use super::{
    arithmetic::{add, all, either, le, mul, sub},
    cells,
    classes::{bounds, is_measured_through_pointers},
    plan::{CELL, OBJECT, Plan},
    writer::{Mode, Refused, Writer, field, internal_error},
};
use crate::codes;
use cfg_core::{
    diagnostic::{
        Diagnostic, Diagnostics,
        site::{Element, Site},
    },
    edit::Editor,
    entity::{GlobalId, RoutineId, VarId, VertexId},
    ir::{
        Expr, Extent, Intent, Op, Place, Role, Routine, ScalarType, StatementOrigin, Stmt,
        Variable, VertexKind,
    },
    text,
};
use std::collections::HashSet;

/// The routine with its pointers lowered; its first statement is the assignment of `reset`.
pub(super) fn lowered(
    plan: &Plan<'_>,
    id: RoutineId,
    reset: &[(GlobalId, Expr)],
) -> Result<Routine, Diagnostics> {
    let routine = plan.program.routine(id);
    let mut problems = Diagnostics::default();
    let mut refuse = |refused: Refused, site: Site| {
        problems.push(refusal(plan, refused, site));
    };
    let mut out = Routine {
        body: None,
        ..routine.clone()
    };
    for (v, variable) in out.variables.iter_mut().enumerate() {
        let v = VarId::new(v);
        if plan.is_moved(id, v) {
            match variable.role {
                Role::Global(_) => variable.ty = plan.lowered_type(variable.ty),
                Role::Local => *variable = moved(variable, plan),
                Role::Parameter { optional, .. } => {
                    *variable = moved(variable, plan);
                    variable.role = Role::Parameter {
                        intent: Intent::In,
                        optional,
                    };
                }
            }
        } else {
            variable.ty = plan.lowered_type(variable.ty);
        }
    }
    if let Some(v) = routine.result
        && plan.is_moved(id, v)
    {
        let message = "the address of the result of a function is taken";
        let help = "take that of a local variable, and assign it to the result at the end";
        refuse(
            Refused::new(message, help),
            Site::whole(id, Element::Variable(v)),
        );
    }
    for (v, variable) in routine.variables.iter().enumerate() {
        let v = VarId::new(v);
        if plan.is_moved(id, v) {
            continue;
        }
        if is_measured_through_pointers(plan.program, routine, variable) {
            refuse(
                measured_through_pointers(variable),
                Site::whole(id, Element::Variable(v)),
            );
        } else if let Some(of) = extent_that_moved(plan, id, variable) {
            let message = format!(
                "the address of `{}` is taken, from which `{}` has its extents",
                routine.variable(of).name,
                variable.name
            );
            let help = "assign it to another variable, and take the address of that";
            refuse(
                Refused::new(message, help),
                Site::whole(id, Element::Variable(v)),
            );
        }
    }
    // The targets of pointers are independents of the entering routine instead.
    let stays = |v: &VarId| {
        let ty = routine.variable(*v).ty;
        !plan.is_moved(id, *v) && ty.pointer().is_none() && plan.program.has_reals(ty)
    };
    out.independents.retain(stays);
    out.dependents.retain(stays);
    let mut writer = Writer::new(plan, id, out);
    writer.assign_all(reset);
    let mut prologue = std::mem::take(&mut writer.block);
    for v in in_order_of_shapes(plan, id) {
        if let Err(refused) = writer.keep_shape(v) {
            refuse(refused, Site::whole(id, Element::Variable(v)));
        }
        prologue.append(&mut writer.block);
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let Some(cfg) = &routine.body else {
        return Ok(writer.out);
    };
    let mut own: Vec<VarId> = Vec::new();
    for (v, variable) in routine.variables.iter().enumerate() {
        let v = VarId::new(v);
        if variable.role == Role::Local && plan.is_moved(id, v) {
            writer.allocate_local(v).map_err(|refused| {
                Diagnostics(vec![refusal(
                    plan,
                    refused,
                    Site::whole(id, Element::Variable(v)),
                )])
            })?;
            own.push(v);
        }
    }
    prologue.append(&mut writer.block);
    for &v in own.iter().rev() {
        writer.release_local(v);
    }
    let epilogue = std::mem::take(&mut writer.block);
    let mut graph = Editor::take_apart(cfg.clone());
    let mut number = 0;
    for (v, vertex) in graph.vertices.iter_mut().enumerate() {
        let v = VertexId::new(v);
        if let VertexKind::Block(statements) = &mut vertex.kind {
            *statements = writer.lower_statements(v, statements, &mut number, &mut problems);
        } else if let Err(refused) = writer.lower_decision(&mut vertex.kind) {
            problems.push(refusal(plan, refused, Site::whole(id, Element::Vertex(v))));
        }
    }
    if problems.has_errors() {
        return Err(problems);
    }
    if let (Some(entry), Some(exit)) = (cfg.entry(), cfg.exit()) {
        graph.insert_behind(entry.index(), prologue);
        graph.insert_before(exit.index(), epilogue);
    }
    let mut routine = writer.out;
    routine.body = Some(graph.finish());
    Ok(routine)
}

/// A variable that lives in a pool although the bounds of a variable that does not need its value.
fn extent_that_moved(plan: &Plan<'_>, id: RoutineId, variable: &Variable) -> Option<VarId> {
    let mut found = None;
    for e in bounds(variable) {
        e.walk(&mut |e| {
            if let Expr::Place(place) = e
                && plan.is_moved(id, place.var)
            {
                found.get_or_insert(place.var);
            }
        });
    }
    found
}

/// The variables that live in pools, each behind the variables that its bounds name.
fn in_order_of_shapes(plan: &Plan<'_>, id: RoutineId) -> Vec<VarId> {
    let routine = plan.program.routine(id);
    let variables = (0..routine.variables.len()).map(VarId::new);
    let mut open: Vec<VarId> = variables.filter(|&v| plan.is_moved(id, v)).collect();
    open.reverse();
    let mut order = Vec::with_capacity(open.len());
    let (mut begun, mut ended) = (HashSet::new(), HashSet::new());
    while let Some(v) = open.pop() {
        if ended.contains(&v) {
            continue;
        }
        if begun.insert(v) {
            open.push(v);
            for e in bounds(routine.variable(v)) {
                e.walk_places(&mut |place| {
                    if plan.is_moved(id, place.var) && !begun.contains(&place.var) {
                        open.push(place.var);
                    }
                });
            }
            continue;
        }
        ended.insert(v);
        order.push(v);
    }
    order
}

/// The refusal of bounds that read through pointers, which a declaration cannot do.
pub(super) fn measured_through_pointers(variable: &Variable) -> Refused {
    Refused::new(
        format!(
            "an extent or bound of `{}` is found through pointers",
            variable.name
        ),
        "pass the number in an integer parameter, and declare the array by that",
    )
}

/// The diagnostic for a refusal at a site.
pub(super) fn refusal(plan: &Plan<'_>, refused: Refused, site: Site) -> Diagnostic {
    let element = text::site_text(plan.program, &site);
    Diagnostic::error(&codes::NOT_POOLED, refused.message, refused.help)
        .at_site_in(plan.program, site)
        .at_element(element)
}

/// The declaration that replaces a variable in a pool: its object and first cell.
fn moved(variable: &Variable, plan: &Plan<'_>) -> Variable {
    Variable {
        ty: ScalarType::Record(plan.pointer),
        shape: Vec::new(),
        ..variable.clone()
    }
}

impl Writer<'_, '_> {
    /// The statements of a block.
    fn lower_statements(
        &mut self,
        v: VertexId,
        statements: &[Stmt],
        number: &mut usize,
        problems: &mut Diagnostics,
    ) -> Vec<Stmt> {
        let mut all = Vec::with_capacity(statements.len());
        for (s, statement) in statements.iter().enumerate() {
            self.found.clear();
            if let Err(refused) = self.lower_statement(statement) {
                let site = Site::whole(self.id, Element::Statement(v, s));
                problems.push(refusal(self.plan, refused, site));
            }
            for mut made in self.block.drain(..) {
                made.at.clone_from(&statement.at);
                made.annotations.clone_from(&statement.annotations);
                made.origin = match self.routine.origin {
                    None => StatementOrigin::from_number(*number),
                    Some(_) => statement.origin,
                };
                all.push(made);
            }
            *number += 1;
        }
        all
    }

    /// The test of a LOOP or the selector of a BRANCH.
    fn lower_decision(&mut self, kind: &mut VertexKind) -> Result<(), Refused> {
        let moved = |index| self.plan.is_moved(self.id, index);
        if kind.index().is_some_and(moved) {
            return Err(Refused::new(
                "the address of the index of a counted loop is taken",
                "take that of a copy",
            ));
        }
        self.found.clear();
        for e in kind.exprs_mut() {
            *e = self.lower_expr(e, Mode::InPlace)?;
        }
        Ok(())
    }

    /// Finds the bounds of a variable that lives in a pool; bounds that are not constant are evaluated at entry and
    /// kept.
    fn keep_shape(&mut self, v: VarId) -> Result<(), Refused> {
        let variable = self.routine.variable(v);
        if matches!(variable.role, Role::Parameter { optional: true, .. }) {
            return Err(Refused::new(
                format!(
                    "the address of the optional parameter `{}` is taken",
                    variable.name
                ),
                "pass a pointer, which may be null",
            ));
        }
        let mut shape = Vec::with_capacity(variable.rank());
        for (k, dim) in variable.shape.iter().enumerate() {
            let name = format!("{}_extent{}", variable.name, k + 1);
            let extent = match &dim.extent {
                Extent::Fixed(extent) => match extent.constant() {
                    Some(n) => Expr::Int(n.max(0)),
                    None => {
                        let extent = self.lower_expr(extent, Mode::Ahead)?;
                        self.keep_value(Expr::op(Op::Max, [extent, Expr::Int(0)]), &name)
                    }
                },
                Extent::Deferred => {
                    let rows = self.rows_to_the_end(v).ok_or_else(|| {
                        Refused::new(
                            format!(
                                "pointers lead to `{}`, which has deferred extents",
                                variable.name
                            ),
                            "declare its extents, or allocate it",
                        )
                    })?;
                    self.keep_value(rows, &name)
                }
            };
            let lower = match dim.lower.constant() {
                Some(n) => Expr::Int(n),
                None => {
                    let lower = self.lower_expr(&dim.lower, Mode::Ahead)?;
                    self.keep_value(lower, &format!("{}_lower{}", variable.name, k + 1))
                }
            };
            shape.push((lower, extent));
        }
        self.shapes.insert(v, shape);
        Ok(())
    }

    /// The number of rows of a parameter whose arguments reach to the ends of their objects.
    fn rows_to_the_end(&mut self, v: VarId) -> Option<Expr> {
        if !self.plan.whole.contains(&(self.id, v)) {
            return None;
        }
        let (variable, plan) = (self.routine.variable(v), self.plan);
        let of_row = cells::elements(variable.shape[1..].iter());
        let of_row = of_row.saturating_mul(cells::cell_count(plan.program, variable.ty));
        let class = plan.classes.variable(self.id, v);
        let last = plan.pools[plan.pool(class)?].last;
        let (object, cell) = self.home_of(v);
        let end = add(self.table_entry(last, object).into(), Expr::Int(1));
        Some(Expr::op(Op::Div, [sub(end, cell), Expr::Int(of_row)]))
    }

    fn keep_value(&mut self, e: Expr, name: &str) -> Expr {
        let v = self.declare_local(name, ScalarType::Integer);
        self.assign(Place::whole(v), e);
        Expr::var(v)
    }

    /// Gives a local variable its cells, from the end of the pool down.
    fn allocate_local(&mut self, v: VarId) -> Result<(), Refused> {
        let plan = self.plan;
        let class = plan.classes.variable(self.id, v);
        let number = plan
            .pool(class)
            .ok_or_else(|| internal_error("a variable without a pool"))?;
        let ty = self.routine.variable(v).ty;
        let each = cells::cell_count(plan.program, ty);
        let shape = self.shapes.get(&v).cloned().unwrap_or_default();
        let size = shape
            .into_iter()
            .fold(Expr::Int(each), |n, (_, extent)| mul(n, extent));
        self.take_cells((number, ty), &Place::whole(v), size);
        Ok(())
    }

    /// Gives a variable `size` cells for elements of a type, and assigns their object and first cell to `at`.
    pub(super) fn take_cells(&mut self, (pool, ty): (usize, ScalarType), at: &Place, size: Expr) {
        let plan = self.plan;
        let pool = &plan.pools[pool];
        let (object, cell) = (field(at, OBJECT), field(at, CELL));
        let (bottom, variables) = (self.counter(pool.bottom), self.counter(pool.variables));
        let (top, objects) = (self.counter(pool.top), self.counter(pool.objects));
        let new = sub(variables.clone().into(), Expr::Int(1));
        self.assign(object.clone(), new);
        self.assign(cell.clone(), sub(bottom.clone().into(), size));
        // Without room, the assignment to an entry that does not exist is the run-time error.
        let room = all(vec![
            le(top.into(), cell.clone().into()),
            Expr::op(Op::Lt, [objects.into(), object.clone().into()]),
        ]);
        let entry = either(room, object.clone().into(), Expr::Int(-1));
        let entry = self.hoist(entry, "entry", Mode::Ahead);
        let entry = self.table_entry(pool.last, entry);
        self.assign(entry, sub(bottom.clone().into(), Expr::Int(1)));
        let entry = self.table_entry(pool.first, object.clone().into());
        self.assign(entry, cell.clone().into());
        self.record_layout(pool, ty, object.clone().into());
        self.assign(variables, object.into());
        self.assign(bottom, cell.into());
    }

    /// Ends a local variable, the last one that got cells.
    fn release_local(&mut self, v: VarId) {
        let class = self.plan.classes.variable(self.id, v);
        if let Some(number) = self.plan.pool(class) {
            self.give_back(number, &Place::whole(v));
        }
    }

    pub(super) fn give_back(&mut self, pool: usize, at: &Place) {
        let plan = self.plan;
        let pool = &plan.pools[pool];
        let (object, cell) = (field(at, OBJECT), field(at, CELL));
        let (bottom, variables) = (self.counter(pool.bottom), self.counter(pool.variables));
        let last = self.table_entry(pool.last, object.clone().into());
        self.assign(bottom, add(last.clone().into(), Expr::Int(1)));
        self.assign(variables, add(object.into(), Expr::Int(1)));
        self.assign(last, sub(cell.into(), Expr::Int(2)));
    }
}
