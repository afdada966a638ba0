//! All entities that are named exist, and no expression is too deep. Violations are fatal, since all later checks rely
//! on both.

use super::checker::{At, Checker};
use crate::diagnostic::site::{Element, Part};
use crate::{
    codes,
    entity::{RoutineId, VarId},
    ir::{Expr, Extent, LoopTest, Place, Selector, StmtKind, VertexKind},
};

/// Returned if later checks of the routine would look for entities that do not exist.
pub(super) struct Stop;

pub(super) fn check(c: &mut Checker<'_>) -> Result<(), Stop> {
    let mut check = References { c, ok: true };
    check.check_declarations();
    check.check_graph();
    if check.ok { Ok(()) } else { Err(Stop) }
}

struct References<'a, 'p> {
    c: &'a mut Checker<'p>,
    ok: bool,
}

impl References<'_, '_> {
    fn check_declarations(&mut self) {
        let routine = self.c.routine;
        let at = |part| At::new(Element::Routine, part);
        for (i, &v) in routine.parameters.iter().enumerate() {
            self.check_var(at(Part::Parameters).index(i), v);
        }
        if let Some(v) = routine.result {
            self.check_var(at(Part::Result), v);
        }
        for (i, &v) in routine.independents.iter().enumerate() {
            self.check_var(at(Part::Independents).index(i), v);
        }
        for (i, &v) in routine.dependents.iter().enumerate() {
            self.check_var(at(Part::Dependents).index(i), v);
        }
        for (i, variable) in routine.variables.iter().enumerate() {
            let v = VarId::new(i);
            let site = At::new(Element::Variable(v), Part::Shape);
            for (k, dim) in variable.shape.iter().enumerate() {
                self.check_expr(site.index(k), &dim.lower);
                if let Extent::Fixed(extent) = &dim.extent {
                    self.check_expr(site.index(k), extent);
                }
            }
            if let Some(r) = variable.ty.named_record()
                && r.index() >= self.c.program.records.len()
            {
                let site = At::new(Element::Variable(v), Part::Type);
                self.dangling(site, format!("there is no record {r}"));
            }
            if let crate::ir::Role::Global(g) = variable.role
                && g.index() >= self.c.program.globals.len()
            {
                self.dangling(site, format!("there is no global {g}"));
            }
        }
        if let Some(external) = &routine.external {
            if let Some(value) = &external.value {
                self.check_expr(at(Part::ExternalValue), value);
            }
            for partial in external.partials.iter().flatten() {
                self.check_var(at(Part::Partials), partial.parameter);
                self.check_expr(at(Part::Partials), &partial.value);
            }
        }
        if let Some(derivatives) = &routine.derivatives {
            for r in [derivatives.tangent, derivatives.adjoint]
                .into_iter()
                .flatten()
            {
                self.check_callee(at(Part::Derivatives), r);
            }
        }
    }

    fn check_graph(&mut self) {
        let Some(cfg) = &self.c.routine.body else {
            return;
        };
        for (v, vertex) in cfg.vertices() {
            let at = |part| At::new(Element::Vertex(v), part);
            match &vertex.kind {
                VertexKind::Block(statements) => {
                    for (s, statement) in statements.iter().enumerate() {
                        self.check_statement(Element::Statement(v, s), &statement.kind);
                    }
                }
                VertexKind::Loop { form: _, test } => match &**test {
                    LoopTest::Pre(e) | LoopTest::Post(e) => self.check_expr(at(Part::Condition), e),
                    LoopTest::Counted {
                        index,
                        first,
                        last,
                        step,
                    } => {
                        self.check_var(at(Part::Index), *index);
                        self.check_expr(at(Part::First), first);
                        self.check_expr(at(Part::Last), last);
                        self.check_expr(at(Part::Step), step);
                    }
                },
                VertexKind::Branch(selector) => match &**selector {
                    Selector::Condition(e) => self.check_expr(at(Part::Condition), e),
                    Selector::Cases { value, arms: _ } => {
                        self.check_expr(at(Part::Selector), value);
                    }
                },
                VertexKind::Entry
                | VertexKind::Exit
                | VertexKind::EndLoop
                | VertexKind::EndBranch => {}
            }
        }
    }

    fn check_statement(&mut self, base: Element, kind: &StmtKind) {
        let at = |part| At::new(base, part);
        let target = at(Part::Target);
        match kind {
            StmtKind::Assign { target: t, value } => {
                self.check_place(target, t);
                self.check_expr(at(Part::Value), value);
            }
            StmtKind::Call {
                callee,
                arguments,
                result,
            } => {
                self.check_callee(At::whole(base), *callee);
                if let Some(result) = result {
                    self.check_place(target, result);
                }
                let list = at(Part::Arguments);
                for (i, argument) in arguments.iter().enumerate() {
                    if let Some(argument) = argument {
                        self.check_expr(list.index(i), argument);
                    }
                }
            }
            StmtKind::Push {
                tape,
                class: _,
                value,
            } => {
                self.check_var(At::whole(base), *tape);
                self.check_expr(at(Part::Value), value);
            }
            StmtKind::Pop {
                tape,
                class: _,
                target: t,
            } => {
                self.check_var(At::whole(base), *tape);
                self.check_place(target, t);
            }
            StmtKind::Opaque {
                text: _,
                reads,
                writes,
            } => {
                for (i, &v) in reads.iter().enumerate() {
                    self.check_var(at(Part::Reads).index(i), v);
                }
                for (i, &v) in writes.iter().enumerate() {
                    self.check_var(at(Part::Writes).index(i), v);
                }
            }
            StmtKind::Stop { text: _ } => {}
            StmtKind::Allocate { pointer, count, .. } | StmtKind::Resize { pointer, count } => {
                self.check_place(target, pointer);
                self.check_expr(at(Part::Value), count);
            }
            StmtKind::Free { pointer } => self.check_place(target, pointer),
        }
    }

    fn check_callee(&mut self, site: At, r: RoutineId) {
        if r.index() >= self.c.program.routines.len() {
            self.dangling(site, format!("there is no routine {r}"));
        }
    }

    fn check_var(&mut self, site: At, v: VarId) {
        if v.index() >= self.c.routine.variables.len() {
            self.dangling(site, format!("there is no variable {v}"));
        }
    }

    fn dangling(&mut self, site: At, message: String) {
        self.ok = false;
        self.c.error(
            site,
            &codes::DANGLING,
            message,
            "add it before it is named, or correct the index",
        );
    }

    fn check_place(&mut self, site: At, place: &Place) {
        let variables = self.c.routine.variables.len();
        let found = scan_place(place, variables, Expr::MAX_DEPTH);
        self.report(site, found);
    }

    fn check_expr(&mut self, site: At, e: &Expr) {
        let found = scan(e, self.c.routine.variables.len(), Expr::MAX_DEPTH);
        let sound = found.is_ok();
        self.report(site, found);
        if sound {
            self.null_records(site, e);
        }
    }

    /// The records to which null pointers of an expression that is not too deep would lead exist.
    fn null_records(&mut self, site: At, e: &Expr) {
        let records = self.c.program.records.len();
        let mut missing = None;
        e.walk(&mut |e| {
            if let Expr::Null(pointer) = e
                && let Some(r) = pointer.end().record()
                && r.index() >= records
            {
                missing = missing.or(Some(r));
            }
        });
        if let Some(r) = missing {
            self.dangling(site, format!("there is no record {r}"));
        }
    }

    fn report(&mut self, site: At, found: Result<(), Found>) {
        match found {
            Ok(()) => {}
            Err(Found::Variable(v)) => self.dangling(site, format!("there is no variable {v}")),
            Err(Found::TooDeep) => {
                self.ok = false;
                self.c.error(
                    site,
                    &codes::DEPTH,
                    format!("an expression has more than {} levels", Expr::MAX_DEPTH),
                    "assign parts of it to variables",
                );
            }
        }
    }
}

enum Found {
    Variable(VarId),
    TooDeep,
}

/// Recursion is at most `levels` deep.
fn scan(e: &Expr, variables: usize, levels: usize) -> Result<(), Found> {
    if levels == 0 {
        return Err(Found::TooDeep);
    }
    match e {
        Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) | Expr::Null(_) => Ok(()),
        Expr::Place(place) => scan_place(place, variables, levels),
        Expr::Addr(place) => match levels {
            1 => Err(Found::TooDeep),
            _ => scan_place(place, variables, levels - 1),
        },
        Expr::Op(_, operands) => operands
            .iter()
            .try_for_each(|e| scan(e, variables, levels - 1)),
    }
}

fn scan_place(place: &Place, variables: usize, levels: usize) -> Result<(), Found> {
    if place.var.index() >= variables {
        return Err(Found::Variable(place.var));
    }
    if place.is_plain() {
        let mut exprs = place.subscript_exprs();
        return exprs.try_for_each(|e| scan(e, variables, levels - 1));
    }
    for ((around, _), projection) in place.nesting().into_iter().zip(&place.subscripts) {
        if around >= levels {
            return Err(Found::TooDeep);
        }
        let mut exprs = projection.exprs();
        exprs.try_for_each(|e| scan(e, variables, levels - 1 - around))?;
    }
    Ok(())
}
