//! The elements of arrays that adjoints read, so that assignments can be found which overwrite none of them
//! ([`cfg_analysis::antidependence`]).
//!
//! An array has no list, since any of its cells may be read, if a call, a section, a subscript, a bound, a test, a step
//! or the adjoint of a carried region reads it, or if callers need its values. Selectors that are evaluated again only
//! because their operands are recorded do not count: they get their marker back if an operand is not recorded.

use cfg_analysis::antidependence::Access;
use cfg_core::{
    dataflow::Position,
    entity::LocationId,
    flat::FlatStmt,
    ir::{Expr, LoopTest, Place, Stmt, visit::each_place},
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
    /// The elements that adjoints read; none if any cell may be read.
    reads: Option<Vec<Access>>,
    /// The number of assignments to elements.
    writes: usize,
}

impl Default for Array {
    fn default() -> Self {
        Self {
            reads: Some(Vec::new()),
            writes: 0,
        }
    }
}

/// The elements that adjoints read, by location of the array.
#[derive(Debug, Default)]
pub(crate) struct ElementReads {
    arrays: BTreeMap<u32, Array>,
}

impl ElementReads {
    /// The elements that the adjoints of a routine read. In a general graph, any cell may be read.
    pub(crate) fn find(context: &Context, draft: &Draft<'_>) -> Self {
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
                search.read_otherwise(context);
            }
        }
        found
    }

    /// The elements of a location that adjoints read; none if any cell may be read.
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
                    self.found.arrays.entry(location).or_default().writes += 1;
                }
            }
        }
    }

    /// Any cell of a place may be read.
    fn any_of(&mut self, place: &Place) {
        let (locations, arrays) = (&self.draft.locations, &mut self.found.arrays);
        locations.each_location(place, &mut |l| {
            if let Some(array) = arrays.get_mut(&(l.index() as u32)) {
                array.reads = None;
            }
        });
    }

    fn any_in(&mut self, e: &Expr) {
        e.walk_places(&mut |place| self.any_of(place));
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
                self.read_beside(code, is_plain);
            }
        }
    }

    /// Adds what statements of the adjoint of a statement read; false if some of them read more than they name.
    fn read_by(&mut self, at: Position, is_before: bool, statements: &[Stmt]) -> bool {
        let mut is_plain = true;
        for statement in statements {
            let mut read = |e: &Expr| e.walk_places(&mut |p| self.read(at, is_before, p));
            match FlatStmt::view(&statement.kind) {
                FlatStmt::Assign { target, value } => {
                    read(value);
                    target.subscript_exprs().for_each(read);
                }
                FlatStmt::Push { value, .. } => read(value),
                FlatStmt::Pop { target, .. } => target.subscript_exprs().for_each(read),
                FlatStmt::Call { arguments, .. } => {
                    is_plain = false;
                    arguments.iter().flatten().for_each(|e| self.any_in(e));
                }
                FlatStmt::Opaque { .. } | FlatStmt::Stop { .. } => is_plain = false,
            }
        }
        is_plain
    }

    fn read(&mut self, at: Position, is_before: bool, place: &Place) {
        if place.var.index() >= self.draft.originals {
            return;
        }
        if !place.is_element() {
            return self.any_of(place);
        }
        let location = self.draft.locations.of_variable(place.var).index() as u32;
        let Some(array) = self.found.arrays.get_mut(&location) else {
            return;
        };
        let Some(reads) = &mut array.reads else {
            return;
        };
        self.named.push(location);
        // An earlier read of the same element in the block comes before all that comes behind this one.
        let is_known = reads.iter().rev().any(|known| {
            let is_earlier = known.at.statement < at.statement || known.is_before || !is_before;
            known.at.vertex == at.vertex && is_earlier && known.place == *place
        });
        if !is_known {
            reads.push(Access {
                at,
                is_before,
                place: place.clone(),
            });
        }
        if reads.len() > MOST_READS || reads.len().saturating_mul(array.writes) > MOST_PAIRS {
            array.reads = None;
        }
    }

    /// Any cell may be read of the arrays that the code of an adjoint reads without naming an element.
    fn read_beside(&mut self, code: &StatementCode, is_plain: bool) {
        let lists = [&code.reads_before, &code.reads_after];
        for &l in lists.into_iter().flat_map(|list| list.as_slice()) {
            if let Some(array) = self.found.arrays.get_mut(&l) {
                if !(is_plain && self.named.contains(&l)) {
                    array.reads = None;
                }
            }
        }
    }

    /// Reads that no adjoint of a statement makes.
    fn read_otherwise(&mut self, context: &Context) {
        let draft = self.draft;
        for (v, vertex) in draft.cfg.vertices() {
            each_place(&context.program, vertex, &mut |place| {
                place.subscript_exprs().for_each(|e| self.any_in(e));
            });
            if let Some(LoopTest::Counted {
                first, last, step, ..
            }) = vertex.kind.test()
            {
                [first, last, step].into_iter().for_each(|e| self.any_in(e));
            }
            if draft.free.contains(v.index()) {
                vertex.kind.exprs().for_each(|e| self.any_in(e));
            }
        }
        draft.steps.each_evaluated(&mut |e| self.any_in(e));
        for region in &draft.carried.regions {
            for l in region.reads.as_slice() {
                if let Some(array) = self.found.arrays.get_mut(l) {
                    array.reads = None;
                }
            }
        }
        for v in draft.globals.variables_in(&draft.at_entry) {
            self.any_of(&Place::whole(v));
        }
    }
}
