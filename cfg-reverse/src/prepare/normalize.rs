//! Brings a program into the normal form that the transformations read: no assignment changes the subscripts of its
//! target, actual arguments with derivatives are places whose subscripts the call cannot change, function results go
//! to variables of their own, and routines name the globals of their callees that the analyses must see
//! ([`crate::prepare::imports`]).
//!
//! Vertices and edges stay as they are; only statements are added.

use cfg_core::{
    entity::{RoutineId, VertexId},
    flat::FlatExpr,
    ir::{Expr, Op, Place, Program, Routine, Stmt, StmtKind, VertexKind},
    memory::{locations::Locations, named::Named},
    structure::Structure,
};
use fixedbitset::FixedBitSet;
use std::{collections::HashMap, sync::Arc};

use crate::{
    code::{names::Namer, routines::number_statements, temporaries::Temporaries},
    memory::summary::Summary,
    prepare::{
        branches,
        hoist::{Hoist, needs_hoisting},
        imports::import_globals,
        optional, products, results, subscripts,
    },
};

/// The constructs to be rewritten that the statements of a routine contain: each rewrite searches only routines that
/// have its construct.
#[derive(Clone, Copy, Debug, Default)]
struct Contains {
    /// Statements that need hoisting.
    hoisted: bool,
    /// Conditional expressions that are written as branches.
    conditionals: bool,
    /// Contains partials of the reduction `product`.
    partials: bool,
    /// Optional arguments that may be absent where they are handed on.
    optional: bool,
}

impl Contains {
    fn collect(program: &Program, routine: &Routine) -> Self {
        let mut all = Self::default();
        for statement in routine.statements() {
            all.add(program, routine, statement);
        }
        all
    }

    fn any(self) -> bool {
        self.hoisted | self.conditionals | self.partials | self.optional
    }

    fn add(&mut self, program: &Program, routine: &Routine, statement: &Stmt) {
        self.hoisted |= needs_hoisting(routine, &statement.kind);
        optional::each_handed_on(program, routine, statement, |_| self.optional = true);
        let mut expr = |e: &Expr| {
            e.walk(&mut |e| match FlatExpr::view(e) {
                FlatExpr::Op(Op::If, _) => self.conditionals = true,
                FlatExpr::Op(Op::ProductPartial, _) => self.partials = true,
                FlatExpr::Constant(_) | FlatExpr::Place(_) | FlatExpr::Op(..) => {}
            });
        };
        if let Some((target, value)) = statement.kind.assignment() {
            target.subscript_exprs().for_each(&mut expr);
            expr(value);
        } else if let StmtKind::Call {
            arguments, result, ..
        } = &statement.kind
        {
            arguments.iter().flatten().for_each(&mut expr);
            let subscripts = result.iter().flat_map(Place::subscript_exprs);
            subscripts.for_each(expr);
        }
    }
}

/// A routine in normal form, with the name table for what is added later.
pub(crate) struct Normal {
    pub(crate) routine: Routine,
    pub(crate) namer: Namer,
    /// True if the graph is another one than the original's.
    pub(crate) changed: bool,
    /// The constructs that the statements contained before.
    contains: Contains,
}

impl Normal {
    /// Writes partials of products over arrays, which have no derivative as expressions, as loops; true if there are any.
    pub(crate) fn expand(&mut self) -> bool {
        let loops = self.contains.partials && products::expand(&mut self.routine, &mut self.namer);
        self.changed |= loops;
        loops
    }

    /// Makes branches where an adjoint needs them, and expands the routine ([`Normal::expand`]); true if one of the two
    /// changes it. `program` is the one that was normalized.
    pub(crate) fn split(&mut self, program: &Program) -> bool {
        let branches =
            self.contains.conditionals && branches::split(&mut self.routine, &mut self.namer);
        let guarded = self.contains.optional && optional::guard(program, &mut self.routine);
        self.changed |= branches | guarded;
        self.expand() | branches | guarded
    }
}

impl Normal {
    /// Writes the values of integers in their place ([`subscripts`]).
    pub(crate) fn substitute(
        &mut self,
        program: &Program,
        summary: &Summary,
        tables: &FixedBitSet,
        structure: &Structure,
    ) {
        let routine = &mut self.routine;
        if subscripts::substitute(program, summary, tables, structure, routine) && !self.changed {
            number_statements(routine);
            self.changed = true;
        }
    }
}

/// Normalizes one routine.
pub(crate) fn normalize(program: &Program, summary: &Summary, id: RoutineId) -> Normal {
    let mut routine = program.routine(id).clone();
    let mut namer = Namer::with_shared(
        Arc::clone(&summary.names),
        routine.variables.iter().map(|v| v.name.as_str()),
    );
    import_globals(program, summary, id, &mut routine, &mut namer);
    let mut changed = false;
    let contains = Contains::collect(program, program.routine(id));
    if contains.any() {
        number_statements(&mut routine);
    }
    if contains.hoisted
        && let Some(mut cfg) = routine.body.take()
    {
        let mut temporaries = Temporaries::default();
        let mut results = results::Variables::default();
        let globals = Named::collect(&routine);
        let locations = Locations::divide(program, &routine);
        for v in (0..cfg.vertex_count()).map(VertexId::new) {
            let statements = cfg.vertex(v).statements();
            if !statements.iter().any(|s| needs_hoisting(&routine, &s.kind)) {
                continue;
            }
            if let VertexKind::Block(statements) = &mut cfg.vertex_mut(v).kind {
                let mut normal = Vec::with_capacity(statements.len());
                for statement in std::mem::take(statements) {
                    temporaries.reset();
                    let mut hoist = Hoist {
                        program,
                        summary,
                        globals: &globals,
                        locations: &locations,
                        routine: &mut routine,
                        namer: &mut namer,
                        temporaries: &mut temporaries,
                        results: &mut results,
                        out: &mut normal,
                        subscripts: HashMap::new(),
                    };
                    hoist.statement(statement);
                }
                *statements = normal;
                changed = true;
            }
        }
        routine.body = Some(cfg);
    }
    Normal {
        routine,
        namer,
        changed,
        contains,
    }
}

/// The program with normal forms in place of the routines that have one.
pub(crate) fn normal_program(program: &Program, normals: &mut [Option<Normal>]) -> Program {
    let routines = program
        .routines
        .iter()
        .zip(normals)
        .map(|(routine, normal)| match normal {
            Some(n) => std::mem::take(&mut n.routine),
            None => routine.clone(),
        })
        .collect();
    Program {
        routines,
        globals: program.globals.clone(),
        records: program.records.clone(),
        main: program.main,
        sources: program.sources.clone(),
        annotations: None,
    }
}
