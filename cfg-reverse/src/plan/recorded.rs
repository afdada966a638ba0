//! The amount that routines record, and whether one way of writing them ever records more than another.
//!
//! The amount that a run records is the sum over the vertices that it visits, so one way never records more than
//! another if no path from ENTRY to EXIT has a positive sum of differences. Longest paths prove it: lengths `at` with
//! `at[to] >= at[from] + difference[to]` for all edges bound every walk, and exist if there is no positive cycle (R.
//! Bellman, On a routing problem, Quart. Appl. Math. 16, 1958). If loops have one entry, one pass in topological
//! order finds the lengths, and back edges are only checked. A call adds the bound of its callee; a recursive call
//! adds 0, and the callee's bound must then turn out to be 0.

use cfg_core::{
    entity::{RoutineId, VertexId},
    ir::{ControlWidth, Expr, Extent, Place, Stmt, StmtKind, TapeClass, Variable},
};
use fixedbitset::FixedBitSet;

use crate::{
    code::{routines::tape_class, typing},
    plan::{at_exit::dying, draft::Draft, provisions::Provisions},
    prepare::context::Context,
};

/// Bits that a routine pushes itself, without those for control. Control takes the same bits however blocks are
/// written, but for one case: a branch whose selector is evaluated again only if statements keep the variables that
/// it reads.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    /// Bits that are pushed in each vertex.
    pub(crate) vertices: Vec<u64>,
    /// Bits that are pushed at the end of the routine.
    pub(crate) end: u64,
}

impl Recorded {
    /// True if anything is pushed.
    pub(crate) fn is_any(&self) -> bool {
        self.end > 0 || self.vertices.iter().any(|&bits| bits > 0)
    }
}

/// Bits of a value on the tape.
pub(crate) fn width(class: TapeClass) -> u64 {
    match class {
        TapeClass::Integer | TapeClass::Real | TapeClass::Disk => 64,
        TapeClass::Real32 => 32,
        TapeClass::Control(ControlWidth::Bits(bits)) => bits.into(),
        TapeClass::Control(ControlWidth::Count) => 0,
    }
}

/// Bits that a place takes on the tape; `unknown`: the elements of an array whose extents are not known.
pub(crate) fn bits(draft: &Draft<'_>, place: &Place, unknown: u64) -> u64 {
    let variables = &draft.scope.routine.variables;
    let variable = &variables[place.var.index()];
    if place.subscripts.is_empty() {
        return bits_of(variable, unknown);
    }
    let elements = match typing::place_rank(variables, place) {
        0 => 1,
        _ => unknown,
    };
    elements.saturating_mul(width(tape_class(variable.ty)))
}

/// Bits that all of a variable takes on the tape; `unknown`: its elements, if its extents are not known.
fn bits_of(variable: &Variable, unknown: u64) -> u64 {
    let extents = variable.shape.iter().map(|dim| match &dim.extent {
        Extent::Fixed(Expr::Int(n)) => Some(u64::try_from(*n).unwrap_or(0)),
        Extent::Fixed(_) | Extent::Deferred => None,
    });
    let known = extents.reduce(|a, b| Some(a?.saturating_mul(b?)));
    let elements = known.unwrap_or(Some(1)).unwrap_or(unknown);
    elements.saturating_mul(width(tape_class(variable.ty)))
}

/// Bits that the statements of a forward sweep push themselves.
pub(crate) fn pushed(statements: &[Stmt]) -> u64 {
    let mut bits = 0;
    for statement in statements {
        if let StmtKind::Push { class, .. } = statement.kind {
            bits += width(class);
        }
    }
    bits
}

/// The bits that a routine records; an array whose extents are not known counts as `unknown` elements.
pub(crate) fn recorded(
    context: &Context,
    draft: &Draft<'_>,
    provisions: &Provisions<'_>,
    unknown: u64,
) -> Recorded {
    let vertices = draft.cfg.vertices().map(|(v, _)| {
        let code = draft.code.row(v).iter();
        let own = code.filter_map(|code| code.forward.as_deref().map(pushed));
        let mut sum: u64 = own.sum();
        provisions.each_save(v, |_, place| {
            sum = sum.saturating_add(bits(draft, place, unknown));
        });
        for &(_, k) in provisions.callee_globals.saves(v) {
            let g = provisions.callee_globals.saved[k];
            let variable = &context.program.global(g).variable;
            sum = sum.saturating_add(bits_of(variable, unknown));
        }
        sum
    });
    let mut vertices: Vec<u64> = vertices.collect();
    for (k, region) in draft.carried.regions.iter().enumerate() {
        let saved = provisions.before_region(k).iter();
        let saved: u64 = saved.map(|place| bits(draft, place, unknown)).sum();
        vertices[region.first.index()] += saved + pushed(&region.pushes);
    }
    let dying = dying(context, draft, provisions);
    let places = dying.iter().flat_map(|(_, places, _)| places);
    Recorded {
        vertices,
        end: places.map(|place| bits(draft, place, unknown)).sum(),
    }
}

/// The calls of forward sweeps: where, and which routine.
pub(crate) fn calls(context: &Context, draft: &Draft<'_>) -> Vec<(VertexId, RoutineId)> {
    let mut calls = Vec::new();
    for (v, vertex) in draft.cfg.vertices() {
        for (statement, code) in vertex.statements().iter().zip(draft.code.row(v)) {
            if let StmtKind::Call { callee, .. } = statement.kind
                && let Some((sweep, _)) = context.sweeps[callee.index()]
                && let Some(
                    [
                        Stmt {
                            kind: StmtKind::Call { callee: called, .. },
                            ..
                        },
                    ],
                ) = code.forward.as_deref()
                && *called == sweep
            {
                calls.push((v, callee));
            }
        }
    }
    calls
}

/// A comparison of two ways of writing the routines of a program.
pub(crate) struct Comparison {
    /// The number of bits that a vertex records more, without its callees, by routine and vertex.
    more: Vec<Vec<i64>>,
    /// Routines because of which some run may record more: those that record more on a path or a cycle of their own,
    /// and their callees.
    blamed: FixedBitSet,
}

impl Comparison {
    /// Prepares a comparison; `reachable`: the routines, callees first where there is no recursion, the main one last.
    pub(crate) fn new(
        reachable: &[RoutineId],
        drafts: &[Option<Draft<'_>>],
        calls: &[Vec<(VertexId, RoutineId)>],
        now: &[Option<Recorded>],
        then: &[Option<Recorded>],
    ) -> Self {
        let mut comparison = Self {
            more: vec![Vec::new(); drafts.len()],
            blamed: FixedBitSet::with_capacity(drafts.len()),
        };
        let mut bounds: Vec<Option<i64>> = vec![None; drafts.len()];
        let mut assumed = FixedBitSet::with_capacity(drafts.len());
        for &r in reachable {
            let r = r.index();
            let (Some(draft), Some(now), Some(then)) = (&drafts[r], &now[r], &then[r]) else {
                bounds[r] = Some(0);
                continue;
            };
            let pairs = now.vertices.iter().zip(&then.vertices);
            let more: Vec<i64> = pairs.map(|(&a, &b)| difference(a, b)).collect();
            let mut with_calls = more.clone();
            for &(v, callee) in &calls[r] {
                let bound = bounds[callee.index()];
                assumed.set(callee.index(), assumed[callee.index()] || bound.is_none());
                let sum = &mut with_calls[v.index()];
                *sum = sum.saturating_add(bound.unwrap_or(0));
            }
            comparison.more[r] = more;
            let end = difference(now.end, then.end);
            bounds[r] = Some(match longest(draft, &with_calls) {
                Some(bound) => bound.saturating_add(end),
                None => {
                    comparison.blamed.insert(r);
                    0
                }
            });
        }
        for r in assumed.ones().chain(reachable.last().map(|r| r.index())) {
            if bounds[r].is_some_and(|bound| bound > 0) {
                comparison.blamed.insert(r);
            }
        }
        for &r in reachable.iter().rev() {
            if comparison.blamed[r.index()] {
                for &(_, callee) in &calls[r.index()] {
                    if bounds[callee.index()].is_some_and(|bound| bound > 0) {
                        comparison.blamed.insert(callee.index());
                    }
                }
            }
        }
        comparison
    }

    /// True if no run records more.
    pub(crate) fn is_never_more(&self) -> bool {
        self.blamed.is_clear()
    }

    /// True if it is, in part, due to this routine that some run may record more.
    pub(crate) fn is_blamed(&self, r: RoutineId) -> bool {
        self.blamed[r.index()]
    }

    /// True if it is, in part, due to this vertex that some run may record more.
    pub(crate) fn is_due_to(&self, r: RoutineId, v: VertexId) -> bool {
        let more = self.more[r.index()].get(v.index());
        self.blamed[r.index()] && more.is_some_and(|&more| more > 0)
    }
}

/// The longest path from ENTRY to EXIT, by lengths of vertices; none if there may be a positive cycle.
fn longest(draft: &Draft<'_>, lengths: &[i64]) -> Option<i64> {
    let cfg = draft.cfg;
    // Lengths to the end of each vertex.
    let mut at: Vec<Option<i64>> = vec![None; cfg.vertex_count()];
    let entry = cfg.entry();
    for &v in draft.shape.order() {
        let before = cfg.predecessors(v).filter_map(|u| at[u.index()]).max();
        let start = if Some(v) == entry { Some(0) } else { before };
        at[v.index()] = start.map(|start| start.saturating_add(lengths[v.index()]));
    }
    let bounds = cfg.edges().all(|(_, edge)| {
        at[edge.from.index()].is_none_or(|from| {
            let through = from.saturating_add(lengths[edge.to.index()]);
            at[edge.to.index()].is_some_and(|to| to >= through)
        })
    });
    if bounds {
        at[draft.exit().index()]
    } else {
        None
    }
}

fn difference(a: u64, b: u64) -> i64 {
    let signed = |x: u64| i64::try_from(x).unwrap_or(i64::MAX);
    signed(a) - signed(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::{
        entity::VarId,
        ir::{Dim, Role, ScalarType},
    };

    /// Pushes alone take bits; counts, whose width is not known, are taken as 0.
    #[test]
    fn values_take_the_bits_of_their_class() {
        let all = [
            (TapeClass::Real, 64),
            (TapeClass::Integer, 64),
            (TapeClass::Real32, 32),
            (TapeClass::Control(ControlWidth::Bits(3)), 3),
            (TapeClass::Control(ControlWidth::Count), 0),
        ];
        for (class, bits) in all {
            assert_eq!(width(class), bits, "{class:?}");
        }
        let push = |class| {
            Stmt::new(StmtKind::Push {
                tape: VarId::new(0),
                class,
                value: Expr::Int(1),
            })
        };
        let mut statements: Vec<Stmt> = all.iter().map(|&(class, _)| push(class)).collect();
        statements.push(Stmt::assign(Place::whole(VarId::new(0)), Expr::Int(1)));
        assert_eq!(pushed(&statements), 64 + 64 + 32 + 3);
        assert_eq!(pushed(&[]), 0);
    }

    /// Arrays without constant extents count as so many elements as the caller says.
    #[test]
    fn variables_take_the_bits_of_their_elements() {
        let fixed = |n| Dim::with_extent(Expr::Int(n));
        let open = || Dim::with_extent(Expr::var(VarId::new(0)));
        for (ty, shape, expected) in [
            (ScalarType::Real, Vec::new(), 64),
            (ScalarType::Logical, Vec::new(), 1),
            (ScalarType::Real32, vec![fixed(3)], 96),
            (ScalarType::Real, vec![fixed(3), fixed(4)], 768),
            (ScalarType::Real, vec![fixed(3), fixed(-4)], 0),
            (ScalarType::Real, vec![open()], 640),
            (ScalarType::Real, vec![Dim::deferred()], 640),
            (ScalarType::Real, vec![fixed(3), open()], 640),
            (ScalarType::Real, vec![open(), fixed(3)], 640),
        ] {
            let variable = Variable::new("v", ty, shape, Role::Local);
            assert_eq!(bits_of(&variable, 10), expected, "{variable:?}");
        }
    }

    /// Numbers that are too large count as the largest.
    #[test]
    fn differences_have_signs() {
        let found = [(5, 3), (3, 5), (4, 4), (u64::MAX, 0)].map(|(a, b)| difference(a, b));
        assert_eq!(found, [2, -2, 0, i64::MAX]);
    }
}
