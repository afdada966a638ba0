//! Finds, for a pointer that stops a run, the places where its object was made and where it ended.
//!
//! The tables of a pool have the beginning and end of each object ([`cfg_transform::pools`]), but not the statements
//! that wrote them: a program without faults pays nothing. When a pointer stops a run, the run is repeated by a
//! program with a check behind each statement that writes to the tables: whether the entry is that of the object at
//! fault.

use crate::options::Options;
use cfg_core::{
    diagnostic::{
        Diagnostics,
        site::{Element, Site},
    },
    elemental::Scalar,
    entity::{GlobalId, RoutineId, VarId, VertexId},
    flat::Flat,
    ir::{
        Expr, Global, NameOrigin, NameRole, Op, Place, Program, Role, ScalarType, Stmt, Subscript,
        Variable, VertexKind,
    },
    text,
    validate::validate,
};
use cfg_exec::{Argument, Pointed, RunOptions, Session};
use std::collections::HashSet;

/// The tables of a pool.
#[derive(Clone, Copy)]
struct Tables {
    first: GlobalId,
    last: GlobalId,
}

/// The findings of the second run; empty, unless it stops where the first run did.
#[derive(Default)]
struct Found {
    /// The last statement that made the object.
    made: Option<Site>,
    /// The last statement that wrote the end of the object: if the object has ended, the statement that ended it.
    ended: Option<Site>,
    /// Number of cells of the object, if it has not ended.
    cells: Option<i64>,
}

/// Adds to the problem of a pointer the kind of mistake, and the places where its object was made and ended.
/// `arguments` are those at the start of the run; `start` sets globals and arguments as at that start.
pub(crate) fn explained(
    program: &Program,
    routine: RoutineId,
    (arguments, options): (&[Argument], &Options),
    start: impl Fn(&mut Session, &mut [Argument]) -> Result<(), Diagnostics>,
    (mut problems, pointed): (Diagnostics, Pointed),
) -> Diagnostics {
    let Some(tables) = tables(program, pointed.array) else {
        return problems;
    };
    // Another failure of the second run, such as lack of memory, does not concern the user.
    let Ok(found) = again(
        program,
        routine,
        (arguments, options),
        start,
        (tables, pointed.object),
    ) else {
        return problems;
    };
    let Some(problem) = problems.0.first_mut() else {
        return problems;
    };
    let ended = found.ended.filter(|_| found.cells.is_none());
    // The message leaves open whether the pointer left its object, or the object has ended.
    let is_open = !pointed.of_other_type
        && !matches!(
            role(program, pointed.array),
            Some(NameRole::LastCells | NameRole::ScratchLastCells)
        );
    if let (true, Some(n)) = (is_open, found.cells) {
        let cells = if n == 1 { "cell" } else { "cells" };
        problem.message =
            format!("a pointer is used that leads outside of its object, which has {n} {cells}");
    } else if is_open && ended.is_some() {
        problem.message = "a pointer is used that leads to an object that has ended".to_owned();
    }
    let note = |message: &str, site: Option<Site>| {
        let site = site?;
        let words = text::site_text(program, &site);
        Some(problem.note(message).at_site(site).at_element(words))
    };
    let notes = [
        note("the object was made here", found.made),
        note("the object ended here", ended),
    ];
    problems.0.extend(notes.into_iter().flatten());
    problems
}

fn origin(program: &Program, g: GlobalId) -> Option<&NameOrigin> {
    program.global(g).variable.origin.as_deref()
}

/// The global that an adjoint or a tangent belongs to; for other globals, the global itself.
fn original(program: &Program, g: GlobalId) -> Option<GlobalId> {
    let mut g = g;
    // Each step leads to a global before: a derivative stands behind its original.
    while let Some(origin) = origin(program, g)
        && matches!(origin.role, NameRole::Adjoint | NameRole::Tangent)
    {
        let before = program.globals[..g.index()].iter();
        g = GlobalId::new(
            before
                .rev()
                .position(|other| other.variable.name == origin.of)
                .map(|k| g.index() - 1 - k)?,
        );
    }
    Some(g)
}

fn role(program: &Program, g: GlobalId) -> Option<&NameRole> {
    Some(&origin(program, original(program, g)?)?.role)
}

/// The tables of the pool that an array belongs to: they have its name as their origin.
fn tables(program: &Program, array: GlobalId) -> Option<Tables> {
    let pool = &origin(program, original(program, array)?)?.of;
    let of = |roles: [NameRole; 2]| {
        let globals = (0..program.globals.len()).map(GlobalId::new);
        let mut mine = globals.filter(|g| {
            origin(program, *g).is_some_and(|o| roles.contains(&o.role) && o.of == *pool)
        });
        mine.next()
    };
    Some(Tables {
        first: of([NameRole::FirstCells, NameRole::ScratchFirstCells])?,
        last: of([NameRole::LastCells, NameRole::ScratchLastCells])?,
    })
}

/// Makes the run again, up to the fault.
fn again(
    program: &Program,
    routine: RoutineId,
    (arguments, options): (&[Argument], &Options),
    start: impl Fn(&mut Session, &mut [Argument]) -> Result<(), Diagnostics>,
    (tables, object): (Tables, i64),
) -> Result<Found, Diagnostics> {
    let noting = Noting::new(program, tables, object);
    let (made, ended) = (noting.made, noting.ended);
    let (program, sites) = noting.program()?;
    let mut session = options.session(&options.compile(&program)?);
    let mut arguments = arguments.to_vec();
    start(&mut session, &mut arguments)?;
    let limits = RunOptions {
        // Each statement is followed by at most one more.
        fuel: options.run.fuel.saturating_mul(3),
        ..options.run.clone()
    };
    if session.run(routine, &mut arguments, &limits).is_ok() {
        return Ok(Found::default());
    }
    let integer = |g: GlobalId, k: i64| match session.global(g).get(usize::try_from(k).ok()?) {
        Some(Scalar::Integer(n)) => Some(n),
        _ => None,
    };
    let same = session.pointed().is_some_and(|now| now.object == object);
    let cells = match (integer(tables.first, object), integer(tables.last, object)) {
        (Some(first), Some(last)) if same => Some(last - first + 1),
        _ => return Ok(Found::default()),
    };
    let site = |g: GlobalId| {
        let number = usize::try_from(integer(g, 0)?).ok()?;
        sites.get(number.checked_sub(1)?).cloned()
    };
    Ok(Found {
        made: site(made),
        ended: site(ended),
        cells: cells.filter(|n| *n >= 0),
    })
}

/// The program with statements that note which of its statements made an object, and which ended it.
struct Noting {
    program: Program,
    tables: Tables,
    object: i64,
    made: GlobalId,
    ended: GlobalId,
    /// The statements that are noted, by their numbers from 1.
    sites: Vec<Site>,
}

impl Noting {
    fn new(program: &Program, tables: Tables, object: i64) -> Self {
        let mut program = program.clone();
        let names: HashSet<&str> = (program.globals.iter())
            .map(|g| &*g.variable.name)
            .collect();
        let unused = |name: &str| {
            let mut name = name.to_owned();
            while names.contains(&*name) {
                name.push('_');
            }
            name
        };
        let [made, ended] = ["made", "ended"].map(unused);
        let mut global = |name: String| {
            let g = GlobalId::new(program.globals.len());
            program.globals.push(Global {
                variable: Variable::new(name, ScalarType::Integer, Vec::new(), Role::Global(g)),
                initial: Some(Box::from([Expr::Int(0)])),
                overlay: None,
            });
            g
        };
        let (made, ended) = (global(made), global(ended));
        Self {
            program,
            tables,
            object,
            made,
            ended,
            sites: Vec::new(),
        }
    }

    /// The program, and the statements by their numbers from 1.
    fn program(mut self) -> Result<(Flat, Vec<Site>), Diagnostics> {
        for r in (0..self.program.routines.len()).map(RoutineId::new) {
            self.routine(r);
        }
        Ok((Flat::check(validate(self.program)?)?, self.sites))
    }

    fn routine(&mut self, r: RoutineId) {
        let Some(mut cfg) = self.program.routines[r.index()].body.take() else {
            return;
        };
        for v in (0..cfg.vertex_count()).map(VertexId::new) {
            let VertexKind::Block(statements) = &mut cfg.vertex_mut(v).kind else {
                continue;
            };
            let own = std::mem::take(statements);
            let mut noted = Vec::with_capacity(own.len());
            for (k, statement) in own.into_iter().enumerate() {
                let note = self.note(r, Element::Statement(v, k), &statement);
                noted.push(statement);
                noted.extend(note);
            }
            let VertexKind::Block(statements) = &mut cfg.vertex_mut(v).kind else {
                continue;
            };
            *statements = noted;
        }
        self.program.routines[r.index()].body = Some(cfg);
    }

    /// The check behind a statement that writes to the tables.
    fn note(&mut self, r: RoutineId, at: Element, statement: &Stmt) -> Option<Stmt> {
        let (target, _) = statement.kind.assignment()?;
        let [Subscript::Index(entry)] = &*target.subscripts else {
            return None;
        };
        let Role::Global(table) = self.program.routine(r).variable(target.var).role else {
            return None;
        };
        // The entry for the last cell of an object is written when the object is made, resized in place, and ended.
        let noted = match table {
            _ if table == self.tables.first => self.made,
            _ if table == self.tables.last => self.ended,
            _ => return None,
        };
        let is_object = Expr::op(Op::Eq, [entry.clone(), Expr::Int(self.object)]);
        self.sites.push(Site::whole(r, at));
        let number = Expr::Int(self.sites.len() as i64);
        let noted = self.uses(r, noted);
        let value = Expr::op(Op::If, [is_object, number, Expr::var(noted)]);
        Some(Stmt::assign(Place::whole(noted), value))
    }

    /// The variable that stands for a global in a routine.
    fn uses(&mut self, r: RoutineId, g: GlobalId) -> VarId {
        let global = &self.program.globals[g.index()].variable;
        let variables = &mut self.program.routines[r.index()].variables;
        if let Some(v) = variables.iter().position(|v| v.role == Role::Global(g)) {
            return VarId::new(v);
        }
        variables.push(Variable {
            role: Role::Global(g),
            ..global.clone()
        });
        VarId::new(variables.len() - 1)
    }
}
