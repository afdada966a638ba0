//! What is named exists, and no expression is too deep: fatal, everything later relies on it.

use super::checker::{Base, Checker, Site, arguments_field, target_field};
use crate::{
    codes,
    entity::{RoutineId, VarId},
    ir::{Expr, Extent, LoopTest, Place, Selector, StmtKind, VertexKind},
};

/// Later checks of the routine would look for what is not there.
pub(super) struct Stop;

pub(super) fn check(c: &mut Checker<'_>) -> Result<(), Stop> {
    let mut check = References { c, ok: true };
    check.declarations();
    check.graph();
    if check.ok { Ok(()) } else { Err(Stop) }
}

struct References<'a, 'p> {
    c: &'a mut Checker<'p>,
    ok: bool,
}

impl References<'_, '_> {
    fn declarations(&mut self) {
        let routine = self.c.routine;
        let at = |field| Site::new(Base::Routine, field);
        if routine.parameters > routine.variables.len() {
            self.dangling(
                at("/parameters"),
                format!(
                    "the routine has {} parameters but {} variables",
                    routine.parameters,
                    routine.variables.len()
                ),
            );
        }
        if let Some(v) = routine.result {
            self.var(at("/result"), v);
        }
        for (i, &v) in routine.independents.iter().enumerate() {
            self.var(at("/independents").index(i), v);
        }
        for (i, &v) in routine.dependents.iter().enumerate() {
            self.var(at("/dependents").index(i), v);
        }
        for (i, variable) in routine.variables.iter().enumerate() {
            let v = VarId::new(i);
            let site = Site::new(Base::Variable(v), "/shape");
            for (k, dim) in variable.shape.iter().enumerate() {
                self.expr(site.index(k), &dim.lower);
                if let Extent::Fixed(extent) = &dim.extent {
                    self.expr(site.index(k), extent);
                }
            }
            if let crate::ir::Role::Global(g) = variable.role
                && g.index() >= self.c.program.globals.len()
            {
                self.dangling(site, format!("there is no global {g}"));
            }
        }
        if let Some(external) = &routine.external {
            if let Some(value) = &external.value {
                self.expr(at("/external/value"), value);
            }
            for partial in external.partials.iter().flatten() {
                self.var(at("/external/partials"), partial.parameter);
                self.expr(at("/external/partials"), &partial.value);
            }
        }
        if let Some(derivatives) = &routine.derivatives {
            for r in [derivatives.tangent, derivatives.adjoint]
                .into_iter()
                .flatten()
            {
                self.callee(at("/derivatives"), r);
            }
        }
    }

    fn graph(&mut self) {
        let Some(cfg) = &self.c.routine.body else {
            return;
        };
        for (v, vertex) in cfg.vertices() {
            let at = |field| Site::new(Base::Vertex(v), field);
            match &vertex.kind {
                VertexKind::Block(statements) => {
                    for (s, statement) in statements.iter().enumerate() {
                        self.statement(Base::Statement(v, s), &statement.kind);
                    }
                }
                VertexKind::Loop { form: _, test } => match &**test {
                    LoopTest::Pre(e) | LoopTest::Post(e) => self.expr(at("/condition"), e),
                    LoopTest::Counted {
                        index,
                        first,
                        last,
                        step,
                    } => {
                        self.var(at("/index"), *index);
                        self.expr(at("/first"), first);
                        self.expr(at("/last"), last);
                        self.expr(at("/step"), step);
                    }
                },
                VertexKind::Branch(selector) => match &**selector {
                    Selector::Condition(e) => self.expr(at("/condition"), e),
                    Selector::Cases { value, arms: _ } => self.expr(at("/selector"), value),
                },
                VertexKind::Entry
                | VertexKind::Exit
                | VertexKind::EndLoop
                | VertexKind::EndBranch => {}
            }
        }
    }

    fn statement(&mut self, base: Base, kind: &StmtKind) {
        let at = |field| Site::new(base, field);
        let target = at(target_field(kind));
        match kind {
            StmtKind::Assign { target: t, value } => {
                self.place(target, t);
                self.expr(at("/2"), value);
            }
            StmtKind::Call {
                callee,
                arguments,
                result,
            } => {
                self.callee(at(""), *callee);
                if let Some(result) = result {
                    self.place(target, result);
                }
                let list = at(arguments_field(result.is_some()));
                for (i, argument) in arguments.iter().enumerate() {
                    if let Some(argument) = argument {
                        self.expr(list.index(i), argument);
                    }
                }
            }
            StmtKind::Push {
                tape,
                class: _,
                value,
            } => {
                self.var(at(""), *tape);
                self.expr(at("/2"), value);
            }
            StmtKind::Pop {
                tape,
                class: _,
                target: t,
            } => {
                self.var(at(""), *tape);
                self.place(target, t);
            }
            StmtKind::Opaque {
                text: _,
                reads,
                writes,
            } => {
                for (i, &v) in reads.iter().enumerate() {
                    self.var(at("/2/reads").index(i), v);
                }
                for (i, &v) in writes.iter().enumerate() {
                    self.var(at("/2/writes").index(i), v);
                }
            }
        }
    }

    fn callee(&mut self, site: Site, r: RoutineId) {
        if r.index() >= self.c.program.routines.len() {
            self.dangling(site, format!("there is no routine {r}"));
        }
    }

    fn var(&mut self, site: Site, v: VarId) {
        if v.index() >= self.c.routine.variables.len() {
            self.dangling(site, format!("there is no variable {v}"));
        }
    }

    fn dangling(&mut self, site: Site, message: String) {
        self.ok = false;
        self.c.error(
            site,
            &codes::DANGLING,
            message,
            "add it before it is named, or correct the index",
        );
    }

    fn place(&mut self, site: Site, place: &Place) {
        let variables = self.c.routine.variables.len();
        let found = scan_place(place, variables, Expr::MAX_DEPTH);
        self.report(site, found);
    }

    fn expr(&mut self, site: Site, e: &Expr) {
        let found = scan(e, self.c.routine.variables.len(), Expr::MAX_DEPTH);
        self.report(site, found);
    }

    fn report(&mut self, site: Site, found: Result<(), Found>) {
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
        Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) => Ok(()),
        Expr::Place(place) => scan_place(place, variables, levels),
        Expr::Op(_, operands) => operands
            .iter()
            .try_for_each(|e| scan(e, variables, levels - 1)),
    }
}

fn scan_place(place: &Place, variables: usize, levels: usize) -> Result<(), Found> {
    if place.var.index() >= variables {
        return Err(Found::Variable(place.var));
    }
    let mut exprs = place.subscript_exprs();
    exprs.try_for_each(|e| scan(e, variables, levels - 1))
}
