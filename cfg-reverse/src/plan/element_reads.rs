//! The elements of arrays that adjoints read, so that assignments can be found which overwrite none of them
//! ([`cfg_analysis::antidependence`]).
//!
//! Calls, sections, and adjoints of carried regions may read any cell. Subscripts, bounds, tests and steps that the
//! reverse sweep evaluates are read in front of their vertex. Selectors that are evaluated again only because their
//! operands are recorded do not count: they get their marker back if an operand is not recorded.

use cfg_analysis::{antidependence::Access, tbr::ReverseSweep};
use cfg_core::{
    dataflow::Position,
    entity::{LocationId, VarId},
    flat::FlatStmt,
    ir::{Expr, Place, Stmt, visit::each_place},
};
use std::collections::BTreeMap;

use crate::{
    plan::{adjoints::StatementCode, draft::Draft, shape::Shape},
    prepare::context::Context,
};

/// Most pairs of reads and assignments of one array that are compared.
const MOST_PAIRS: usize = 1 << 12;

/// Most reads of one array that are compared with an assignment.
const MOST_READS: usize = 64;

/// An array of which elements are assigned.
#[derive(Debug)]
struct Array {
    variable: VarId,
    /// The reads of adjoints: elements, or a variable, any cell of which may be read. None if there are many, or if
    /// callers need the values.
    reads: Option<Vec<Access>>,
    /// The number of assignments to elements.
    writes: usize,
}

/// The elements that adjoints read, by location of the array.
#[derive(Debug, Default)]
pub(crate) struct ElementReads {
    arrays: BTreeMap<u32, Array>,
}

impl ElementReads {
    /// The elements that the adjoints of a routine read; none are known in a general graph. `sweep`: all other reads.
    pub(crate) fn find(context: &Context, draft: &Draft<'_>, sweep: &impl ReverseSweep) -> Self {
        let mut found = Self::default();
        if let Shape::Structured(_) = draft.shape {
            let found = &mut found;
            let mut search = Search {
                draft,
                found,
                named: Vec::new(),
            };
            search.find_assigned();
            if !search.found.arrays.is_empty() {
                search.read_by_adjoints();
                search.read_otherwise(context, sweep);
            }
        }
        found
    }

    /// The reads of a location by adjoints, if they are known.
    pub(crate) fn reads_of(&self, location: LocationId) -> Option<&[Access]> {
        let array = self.arrays.get(&(location.index() as u32))?;
        array.reads.as_deref()
    }
}

struct Search<'a, 'p> {
    draft: &'a Draft<'p>,
    found: &'a mut ElementReads,
    /// The locations of the elements that the adjoint of one statement names.
    named: Vec<u32>,
}

impl Search<'_, '_> {
    /// Gives a list to each array of which an element is assigned.
    fn find_assigned(&mut self) {
        let draft = self.draft;
        for (_, vertex) in draft.cfg.vertices() {
            for statement in vertex.statements() {
                if let Some((target, _)) = statement.kind.assignment()
                    && target.is_element()
                    && !draft.locations.replaces(target)
                {
                    let location = draft.locations.of_variable(target.var).index() as u32;
                    let array = self.found.arrays.entry(location).or_insert(Array {
                        variable: target.var,
                        reads: Some(Vec::new()),
                        writes: 0,
                    });
                    array.writes += 1;
                }
            }
        }
    }

    /// Adds a read of a location.
    fn add(&mut self, location: u32, read: Access) {
        let Some(array) = self.found.arrays.get_mut(&location) else {
            return;
        };
        let Some(reads) = &mut array.reads else {
            return;
        };
        // An earlier read of the same place in the block comes before all that comes behind this one.
        let is_known = reads.iter().rev().any(|known| {
            let is_earlier = known.at.statement < read.at.statement
                || known.at.statement == read.at.statement && (known.is_before || !read.is_before);
            known.at.vertex == read.at.vertex && is_earlier && known.place == read.place
        });
        if !is_known {
            reads.push(read);
        }
        if reads.len() > MOST_READS || reads.len().saturating_mul(array.writes) > MOST_PAIRS {
            array.reads = None;
        }
    }

    /// Adds a read of any cell of a location.
    fn add_any(&mut self, location: u32, at: Position, is_before: bool) {
        if let Some(array) = self.found.arrays.get(&location) {
            let place = Place::whole(array.variable);
            self.add(
                location,
                Access {
                    at,
                    is_before,
                    place,
                },
            );
        }
    }

    /// Adds what an expression reads that is evaluated in front of a statement.
    fn read_in(&mut self, e: &Expr, at: Position) {
        e.walk_places(&mut |place| self.read(at, true, place));
    }

    fn read_by_adjoints(&mut self) {
        let draft = self.draft;
        for (v, vertex) in draft.cfg.vertices() {
            let rows = draft.code.row(v).iter().zip(draft.adjoints.row(v));
            for (s, (code, adjoint)) in rows.enumerate().take(vertex.statements().len()) {
                let at = Position {
                    vertex: v,
                    statement: s,
                };
                self.named.clear();
                let is_plain = self.read_by(at, false, &adjoint.before_pops)
                    & self.read_by(at, adjoint.after_pops, &adjoint.code);
                self.read_beside(at, code, is_plain);
            }
        }
    }

    /// Adds what statements of the adjoint of a statement read; false if some of them read more than they name.
    fn read_by(&mut self, at: Position, is_before: bool, statements: &[Stmt]) -> bool {
        let mut is_plain = true;
        for statement in statements {
            let mut read = |e: &Expr| e.walk_places(&mut |place| self.read(at, is_before, place));
            match FlatStmt::view(&statement.kind) {
                FlatStmt::Assign { target, value } => {
                    read(value);
                    target.subscript_exprs().for_each(read);
                }
                FlatStmt::Push { value, .. } => read(value),
                FlatStmt::Pop { target, .. } => target.subscript_exprs().for_each(read),
                // A formal array may reach cells behind an element.
                FlatStmt::Call { arguments, .. } => {
                    is_plain = false;
                    arguments.iter().flatten().for_each(|e| {
                        e.walk_places(&mut |p| self.read(at, is_before, &Place::whole(p.var)));
                    });
                }
                FlatStmt::Opaque { .. } | FlatStmt::Stop { .. } => is_plain = false,
            }
        }
        is_plain
    }

    fn read(&mut self, at: Position, is_before: bool, place: &Place) {
        if place.var.index() < self.draft.originals {
            let location = self.draft.locations.of_variable(place.var).index() as u32;
            self.named.push(location);
            let place = place.clone();
            self.add(
                location,
                Access {
                    at,
                    is_before,
                    place,
                },
            );
        }
    }

    /// Adds reads of the locations that the adjoint of a statement reads without naming them.
    fn read_beside(&mut self, at: Position, code: &StatementCode, is_plain: bool) {
        for (list, is_before) in [(&code.reads_before, true), (&code.reads_after, false)] {
            for &l in list.as_slice() {
                if !(is_plain && self.named.contains(&l)) {
                    self.add_any(l, at, is_before);
                }
            }
        }
    }

    /// Adds reads that no adjoint of a statement makes, in front of the vertex at or behind which they are made.
    fn read_otherwise(&mut self, context: &Context, sweep: &impl ReverseSweep) {
        let draft = self.draft;
        let start = |vertex| Position {
            vertex,
            statement: 0,
        };
        for (v, vertex) in draft.cfg.vertices() {
            let at = start(v);
            // Pops evaluate subscripts.
            each_place(&context.program, vertex, &mut |place| {
                place.subscript_exprs().for_each(|e| self.read_in(e, at));
            });
            sweep.decision_reads(v, &mut |e| self.read_in(e, at));
        }
        draft
            .steps
            .each_evaluated(&mut |v, e| self.read_in(e, start(v)));
        for region in &draft.carried.regions {
            for &l in region.reads.as_slice() {
                self.add_any(l, start(region.first), true);
            }
        }
        for v in draft.globals.variables_in(&draft.at_entry) {
            let location = draft.locations.of_variable(v).index() as u32;
            if let Some(array) = self.found.arrays.get_mut(&location) {
                array.reads = None;
            }
        }
    }
}
