//! The accesses of a stretch of a structured graph: a routine from ENTRY to EXIT, the body of a loop, or what lies
//! between such a stretch and the next one.
//!
//! A location is *exposed* if some path through the stretch reads it before it surely overwrites it. With Sure(e) the
//! locations that every path from the start to the edge e overwrites,
//!
//! ```text
//! Sure-(v) = ⋂ Sure(e) over the edges e into v but back edges
//! Sure+(v) = Sure-(v) ∪ what v surely overwrites
//! ```
//!
//! Back edges may be left out: on them everything is overwritten that was so in front of the loop.

use cfg_core::{
    entity::{EdgeId, VarId, VertexId},
    flat::FlatStmt,
    ir::{
        Cfg, Expr, Extent, Intent, Place, Program, Role, Routine, ScalarType, Stmt, StmtKind,
        Variable, Vertex, VertexKind,
        visit::{PlaceRole, Visit, walk_place},
    },
    memory::{
        access::{Access, Accesses},
        effects::Effects,
        global_set::GlobalSet,
        locations::Locations,
        named::global_variables,
    },
    structure::Structure,
};
use fixedbitset::FixedBitSet;
use std::{collections::HashMap, ops::Range};

use crate::{
    code::expressions::as_place,
    gradient::turn::ranges::{Cells, Ranges},
    memory::increments::{Increments, added_operands},
};

/// Most sets of cells that are followed at a time.
const MOST_CELLS: usize = 32;

/// The accesses of a stretch, as sets of locations.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// Locations that may be read before they are surely overwritten, increments included.
    pub(super) exposed: FixedBitSet,
    /// Locations that are read other than by increments.
    pub(super) read: FixedBitSet,
    /// Locations that are written other than by increments.
    pub(super) assigned: FixedBitSet,
    /// Locations that are incremented.
    pub(super) incremented: FixedBitSet,
    /// Locations that calls increment.
    pub(super) added_by_calls: FixedBitSet,
    /// Cells that are overwritten on every path through the stretch.
    sure: Sure,
    /// The position at which the stretch begins.
    start: usize,
    /// True if the stretch pushes or pops.
    pub(super) has_tape: bool,
    /// True if the stretch has effects that are not known, such as output.
    pub(super) is_opaque: bool,
    /// True if the stretch may end the program.
    pub(super) stops: bool,
}

impl Facts {
    /// True if the stretch may write a location.
    pub(super) fn writes(&self, l: usize) -> bool {
        self.assigned.contains(l) || self.incremented.contains(l)
    }

    /// Adds the accesses of another stretch, in front of this one or behind it.
    pub(super) fn add(&mut self, other: &Self) {
        self.exposed.union_with(&other.exposed);
        self.read.union_with(&other.read);
        self.assigned.union_with(&other.assigned);
        self.incremented.union_with(&other.incremented);
        self.added_by_calls.union_with(&other.added_by_calls);
        self.has_tape |= other.has_tape;
        self.is_opaque |= other.is_opaque;
        self.stops |= other.stops;
    }

    /// True if the stretch may read or write a location.
    pub(super) fn accesses(&self, l: usize) -> bool {
        self.read.contains(l) || self.writes(l)
    }

    /// True if the stretch does nothing with a location but increment it.
    pub(super) fn only_increments(&self, l: usize) -> bool {
        !self.read.contains(l) && !self.assigned.contains(l)
    }
}

/// True if a statement of a routine pushes, pops, or passes a tape on.
pub(super) fn uses_tape(routine: &Routine, statement: &Stmt) -> bool {
    if let StmtKind::Call { arguments, .. } = &statement.kind {
        let places = arguments.iter().flatten().filter_map(as_place);
        let mut types = places.map(|place| routine.variable(place.var).ty);
        return types.any(ScalarType::is_tape);
    }
    matches!(statement.kind, StmtKind::Push { .. } | StmtKind::Pop { .. })
}

/// A graph, and how its statements access memory.
pub(super) struct Graph<'a> {
    pub(super) cfg: &'a Cfg,
    pub(super) structure: &'a Structure,
    pub(super) accesses: &'a Accesses<'a>,
    pub(super) locations: &'a Locations,
    pub(super) routine: &'a Routine,
    pub(super) increments: &'a Increments,
    pub(super) ranges: Ranges<'a>,
    pub(super) program: &'a Program,
    pub(super) effects: &'a Effects,
}

/// The cells that every path to a point overwrites.
#[derive(Clone, Debug, Default, PartialEq)]
struct Sure {
    locations: FixedBitSet,
    cells: Vec<Cells>,
}

impl Sure {
    fn intersect_with(&mut self, other: &Self) {
        self.locations.intersect_with(&other.locations);
        self.cells.retain(|cells| other.cells.contains(cells));
    }
}

impl Graph<'_> {
    /// The accesses of the vertices at these positions of [`Structure::order`], where `before` has been executed just
    /// before.
    pub(super) fn facts(&self, range: Range<usize>, before: Option<&Facts>) -> Facts {
        let empty = FixedBitSet::with_capacity(self.locations.len());
        let mut facts = Facts {
            exposed: empty.clone(),
            read: empty.clone(),
            assigned: empty.clone(),
            incremented: empty.clone(),
            added_by_calls: empty.clone(),
            sure: Sure {
                locations: empty,
                cells: Vec::new(),
            },
            start: range.start,
            ..Facts::default()
        };
        let start = before.map_or_else(|| facts.sure.clone(), |before| before.sure.clone());
        // The cells that are overwritten behind each vertex, and on the way out of each loop.
        let mut after: Vec<Option<Sure>> = vec![None; self.cfg.vertex_count()];
        let mut left: HashMap<VertexId, Sure> = HashMap::new();
        let order = &self.structure.order;
        for &v in &order[range.clone()] {
            let vertex = self.cfg.vertex(v);
            facts.sure = self.sure_before(v, &after, &left, &start);
            let outer = facts.sure.cells.len();
            self.vertex(v, vertex, &mut facts);
            if let (VertexKind::EndLoop, Some(header)) = (&vertex.kind, self.structure.partner(v)) {
                let mut sure = after[header.index()].clone().unwrap_or_default();
                for cells in &facts.sure.cells[..outer] {
                    self.add_cells(self.ranges.behind_loop(header, cells), &mut sure);
                }
                left.insert(header, sure);
            }
            after[v.index()] = Some(facts.sure.clone());
        }
        facts.sure = match order.get(range.end) {
            Some(&next) => self.sure_before(next, &after, &left, &start),
            None => facts.sure.clone(),
        };
        facts
    }

    /// True if routines that are called write no global but those that the routine names.
    pub(super) fn names_all_globals(&self) -> bool {
        let named: GlobalSet = global_variables(self.routine).map(|(_, g)| g).collect();
        let vertices = self.cfg.vertices();
        let mut callees = vertices
            .flat_map(|(_, vertex)| vertex.statements())
            .filter_map(|s| s.kind.callee());
        callees.all(|callee| self.effects.written(callee).minus(&named).is_empty())
    }

    fn sure_before(
        &self,
        v: VertexId,
        after: &[Option<Sure>],
        left: &HashMap<VertexId, Sure>,
        start: &Sure,
    ) -> Sure {
        let edges = self.cfg.in_edges(v).iter();
        let mut edges = edges.filter(|&&e| !self.structure.kind(e).loop_back);
        let on = |e: &EdgeId| {
            let from = self.cfg.edge(*e).from;
            let left = left
                .get(&from)
                .filter(|_| self.structure.kind(*e).loop_exit);
            left.or(after[from.index()].as_ref()).unwrap_or(start)
        };
        let Some(first) = edges.next() else {
            return start.clone();
        };
        let mut sure = on(first).clone();
        edges.for_each(|e| sure.intersect_with(on(e)));
        sure
    }

    fn add_cells(&self, cells: Option<Cells>, sure: &mut Sure) {
        let Some(cells) = cells.filter(|cells| !self.locations.is_shared(cells.variable)) else {
            return;
        };
        if self.ranges.are_all(self.routine, &cells) {
            let l = self.locations.of_variable(cells.variable);
            sure.locations.insert(l.index());
        } else if sure.cells.len() < MOST_CELLS && !sure.cells.contains(&cells) {
            sure.cells.push(cells);
        }
    }

    fn vertex(&self, v: VertexId, vertex: &Vertex, facts: &mut Facts) {
        for statement in vertex.statements() {
            self.statement(v, statement, facts);
        }
        // The bounds of a counted loop are evaluated in front of it; a condition behind the body is evaluated where no
        // less is overwritten.
        let mut walk = Walk {
            graph: self,
            v,
            facts,
        };
        walk.visit_decision(&vertex.kind);
        if let VertexKind::Loop { .. } = vertex.kind {
            // Subscripts have other values in the body.
            let cells = &mut facts.sure.cells;
            cells.retain(|cells| !self.ranges.depends_on(cells, v));
        }
    }

    fn statement(&self, v: VertexId, statement: &Stmt, facts: &mut Facts) {
        facts.has_tape |= uses_tape(self.routine, statement);
        facts.is_opaque |= matches!(FlatStmt::view(&statement.kind), FlatStmt::Opaque { .. });
        facts.stops |= matches!(statement.kind, StmtKind::Stop { .. });
        let shares = |a: VarId, b: VarId| self.locations.may_share(a, b);
        if let Some((target, added)) = added_operands(statement, shares) {
            let mut walk = Walk {
                graph: self,
                v,
                facts,
            };
            for e in added.into_iter().chain(target.subscript_exprs()) {
                walk.visit_expr(e, PlaceRole::Read);
            }
            return self.increment(v, target, facts);
        }
        if statement.kind.callee().is_none() {
            let mut walk = Walk {
                graph: self,
                v,
                facts,
            };
            return walk.visit_statement(statement);
        }
        let incremented = self.incremented_arguments(statement);
        self.accesses.each_access(statement, &mut |access| {
            if !incremented.contains(&access.variable()) {
                self.note(access, facts);
            }
        });
        for target in incremented.into_iter().map(Place::whole) {
            self.increment(v, &target, facts);
            let l = self.locations.of_variable(target.var);
            facts.added_by_calls.insert(l.index());
        }
        self.overwritten_arguments(statement, &mut |v| self.note(Access::Write(v), facts));
    }

    /// The arguments of constant shape of which a call overwrites all.
    fn overwritten_arguments(&self, statement: &Stmt, found: &mut impl FnMut(VarId)) {
        let StmtKind::Call {
            callee, arguments, ..
        } = &statement.kind
        else {
            return;
        };
        let called = self.program.routine(*callee);
        let surely = &self.effects.formals(*callee).surely_written;
        for (k, (formal, argument)) in called.parameter_ids().zip(arguments.iter()).enumerate() {
            let formal = called.variable(formal);
            if let Some(place) = argument.as_ref().and_then(as_place)
                && place.subscripts.is_empty()
                && (formal.intent() == Some(Intent::Out) || surely.contains(k))
                && self.routine.variable(place.var).shape == formal.shape
                && (formal.shape.iter())
                    .all(|dim| matches!(dim.extent, Extent::Fixed(Expr::Int(_))))
            {
                found(place.var);
            }
        }
    }

    /// The variables that a call does nothing with but increment.
    fn incremented_arguments(&self, statement: &Stmt) -> Vec<VarId> {
        let StmtKind::Call {
            callee,
            arguments,
            result,
        } = &statement.kind
        else {
            return Vec::new();
        };
        let called = self.program.routine(*callee);
        let mut incremented = Vec::new();
        let mut others: Vec<VarId> = result.iter().map(|place| place.var).collect();
        for (k, argument) in arguments.iter().enumerate() {
            let is_written = called.parameter(k).and_then(Variable::intent) == Some(Intent::InOut);
            match argument.as_ref().and_then(as_place) {
                Some(place) if is_written && self.increments.contains(*callee, k) => {
                    incremented.push(place.var);
                    let subscripts = place.subscript_exprs();
                    subscripts.for_each(|e| e.walk_places(&mut |p| others.push(p.var)));
                }
                Some(_) | None => {
                    let argument = argument.iter();
                    argument.for_each(|e| e.walk_places(&mut |p| others.push(p.var)));
                }
            }
        }
        // The callee may name a global beside the formal that it is bound to.
        incremented.retain(|&v| {
            let is_global = matches!(self.routine.variable(v).role, Role::Global(_));
            !is_global && !self.locations.is_shared(v) && !others.contains(&v)
        });
        incremented
    }

    /// Notes an increment of a place in a vertex.
    fn increment(&self, v: VertexId, target: &Place, facts: &mut Facts) {
        let l = self.locations.of_variable(target.var).index();
        facts.incremented.insert(l);
        if !self.is_overwritten(v, target, facts) {
            facts.exposed.insert(l);
        }
    }

    /// True if all cells of a place that is named in a vertex are overwritten on every path to it.
    fn is_overwritten(&self, v: VertexId, place: &Place, facts: &Facts) -> bool {
        let l = self.locations.of_variable(place.var).index();
        let (ranges, sure) = (&self.ranges, &facts.sure);
        sure.locations.contains(l)
            || !place.subscripts.is_empty()
                && !self.locations.is_shared(place.var)
                && (sure
                    .cells
                    .iter()
                    .any(|cells| ranges.contain(v, cells, place))
                    || ranges.is_written_earlier(facts.start, v, place))
    }

    fn note(&self, access: Access, facts: &mut Facts) {
        let v = access.variable();
        let l = self.locations.of_variable(v).index();
        match access {
            Access::Read(_) => {
                facts.read.insert(l);
                if !facts.sure.locations.contains(l) {
                    facts.exposed.insert(l);
                }
            }
            Access::Write(_) => {
                facts.assigned.insert(l);
                if !self.locations.is_shared(v) {
                    facts.sure.locations.insert(l);
                }
            }
            Access::MayWrite(_) => facts.assigned.insert(l),
        }
    }
}

/// Notes the accesses of a statement that is no call, or of a decision.
struct Walk<'g, 'a, 'f> {
    graph: &'g Graph<'a>,
    v: VertexId,
    facts: &'f mut Facts,
}

impl<'ir> Visit<'ir> for Walk<'_, '_, '_> {
    fn visit_place(&mut self, place: &'ir Place, role: PlaceRole) {
        walk_place(self, place);
        let (graph, facts) = (self.graph, &mut *self.facts);
        // A value that is pushed is only popped to its place again.
        if role.reads() && role != PlaceRole::Push {
            let l = graph.locations.of_variable(place.var).index();
            facts.read.insert(l);
            if !graph.is_overwritten(self.v, place, facts) {
                facts.exposed.insert(l);
            }
        }
        if role.writes() {
            let is_whole = place.subscripts.is_empty();
            graph.note(
                match is_whole {
                    true => Access::Write(place.var),
                    false => Access::MayWrite(place.var),
                },
                facts,
            );
            if !is_whole {
                graph.add_cells(graph.ranges.cells(place), &mut facts.sure);
            }
        }
    }

    fn visit_variable(&mut self, v: &'ir VarId, role: PlaceRole) {
        if role.reads() {
            self.graph.note(Access::Read(*v), self.facts);
        }
        if role.writes() {
            let access = match role == (PlaceRole::Define { whole: true }) {
                true => Access::Write(*v),
                false => Access::MayWrite(*v),
            };
            self.graph.note(access, self.facts);
        }
    }
}
