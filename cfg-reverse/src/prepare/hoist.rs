//! Temporaries in front of a statement that would change its own subscripts, or of a call that would change its own
//! arguments.

use cfg_core::{
    edit::Mark,
    entity::{LocationId, VarId},
    ir::{Expr, Place, Program, Role, Routine, Stmt, StmtKind, Subscript, Variable},
    memory::{locations::Locations, named::Named},
};
use std::collections::{HashMap, HashSet};

use crate::{
    code::{names::Namer, temporaries::Temporaries, typing},
    memory::summary::Summary,
    prepare::{results, shallow},
};

/// True of calls, of deep assignments, and of assignments such as `k(k(1)) = 2`, after which the same subscripts may
/// name another element: the pop would restore the wrong one. Subscripts are compared by location, since their
/// variables may have other names.
pub(crate) fn needs_hoisting(routine: &Routine, kind: &StmtKind) -> bool {
    let Some((target, _)) = kind.assignment() else {
        return matches!(kind, StmtKind::Call { .. });
    };
    let variable = routine.variable(target.var);
    let visible = |u: &Variable| !matches!(u.role, Role::Local);
    let mut found = false;
    for e in target.subscript_exprs() {
        e.walk_places(&mut |p| {
            let u = routine.variable(p.var);
            found |=
                p.var == target.var || (u.ty == variable.ty && visible(u) && visible(variable));
        });
    }
    found || shallow::is_deep(kind)
}

pub(crate) struct Hoist<'a> {
    pub(super) program: &'a Program,
    pub(super) summary: &'a Summary,
    pub(super) globals: &'a Named,
    /// Locations of the variables that are not temporaries.
    pub(super) locations: &'a Locations,
    pub(super) routine: &'a mut Routine,
    pub(super) namer: &'a mut Namer,
    pub(super) temporaries: &'a mut Temporaries,
    pub(super) results: &'a mut results::Variables,
    pub(super) out: &'a mut Vec<Stmt>,
    /// The variables that keep subscripts of the statement, by the text of the subscript: the fields of one record
    /// share them.
    pub(super) subscripts: HashMap<String, VarId>,
}

impl Hoist<'_> {
    pub(super) fn statement(&mut self, statement: Stmt) {
        let mark = Mark::from_statement(&statement, None);
        let first = self.out.len();
        self.subscripts.clear();
        self.parts(statement);
        self.out[first..].iter_mut().for_each(|s| mark.put(s));
    }

    fn parts(&mut self, statement: Stmt) {
        let Stmt {
            mut kind,
            annotations,
            at: _,
            origin: _,
        } = statement;
        if shallow::is_deep(&kind) {
            let variables = self.routine.variables.clone();
            shallow::hoist(&variables, &mut kind, &mut |e| self.temporary(e));
        }
        if let StmtKind::Assign { target, .. } = &mut kind {
            let written = HashSet::from([self.locations.of_variable(target.var)]);
            self.fix_subscripts(target, &written);
        }
        let StmtKind::Call {
            callee,
            mut arguments,
            result,
        } = kind
        else {
            self.out.push(Stmt {
                annotations,
                ..Stmt::new(kind)
            });
            return;
        };
        let mut written = HashSet::new();
        let call = Stmt::new(StmtKind::Call {
            callee,
            arguments: arguments.clone(),
            result: result.clone(),
        });
        self.summary
            .each_written(self.program, self.globals, &call, &mut |v| {
                written.insert(self.locations.of_variable(v));
            });
        let called = self.program.routine(callee);
        for (p, argument) in called.parameter_ids().zip(arguments.iter_mut()) {
            match argument {
                Some(Expr::Place(place)) => self.fix_subscripts(place, &written),
                Some(e) => {
                    let real = called.variable(p).ty.is_real();
                    if real || reads_anything(e) {
                        let t = self.temporary(e.clone());
                        *argument = Some(Expr::var(t));
                    }
                }
                None => {}
            }
        }
        let after = result.map(|mut target| {
            self.fix_subscripts(&mut target, &written);
            let mut ty = typing::place_type(&self.routine.variables, &target);
            if called
                .result
                .is_some_and(|r| called.variable(r).rank() == 0)
            {
                // A scalar value is assigned to all elements of the target.
                ty.rank = 0;
            }
            if ty.rank > 0 && (called.body.is_some() || called.derivatives.is_some()) {
                let (globals, routine, namer) =
                    (self.globals, &mut *self.routine, &mut *self.namer);
                let found = (self.results).take(called, &arguments, globals, routine, namer);
                if let Some((t, shape)) = found {
                    self.out.extend(shape);
                    return (target, t);
                }
            }
            let t = self.temporaries.take(self.routine, self.namer, "r", ty);
            (target, t)
        });
        self.out.push(Stmt {
            annotations,
            ..Stmt::new(StmtKind::Call {
                callee,
                arguments,
                result: after.as_ref().map(|&(_, t)| Place::whole(t)),
            })
        });
        if let Some((target, t)) = after {
            self.out.push(Stmt::assign(target, Expr::var(t)));
        }
    }

    /// Assigns `e` to a temporary before the call.
    fn temporary(&mut self, e: Expr) -> VarId {
        let ty = typing::expr_type(&self.routine.variables, &e);
        let t = self.temporaries.take(self.routine, self.namer, "a", ty);
        self.out.push(Stmt::assign(Place::whole(t), e));
        t
    }

    /// Evaluates subscripts that the call may change before it.
    fn fix_subscripts(&mut self, place: &mut Place, written: &HashSet<LocationId>) {
        let locations = self.locations;
        let changes = |e: &Expr| {
            let mut found = false;
            e.walk_places(&mut |p| found |= written.contains(&locations.of_variable(p.var)));
            found
        };
        for e in place.subscripts.iter_mut().flat_map(Subscript::exprs_mut) {
            if changes(e) {
                let text = format!("{e:?}");
                let known = self.subscripts.get(&text).copied();
                let kept = known.unwrap_or_else(|| self.temporary(e.clone()));
                self.subscripts.insert(text, kept);
                *e = Expr::var(kept);
            }
        }
    }
}

fn reads_anything(e: &Expr) -> bool {
    let mut found = false;
    e.walk_places(&mut |_| found = true);
    found
}
