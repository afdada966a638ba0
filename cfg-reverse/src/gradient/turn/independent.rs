//! The conditions under which each iteration of a loop may be reversed before the next one begins.
//!
//! With the parts F = P; L; S and R = S'; L'; P' of the sweeps, f and r the bodies of L and L', and *private* locations
//! that only this routine names:
//!
//! ```text
//! value written by r    private, not exposed in f; r, in S, in S'; and not in P', unless r restores it for P'
//! adjoint written by r  only incremented by r,
//!                       or of a private variable that is exposed neither in f nor in S, so that it is 0 between iterations,
//!                       or named by r with the index of L as a subscript, always in the same dimension
//! globals               routines that are called write no others than those that the gradient names
//! S' in front           S and S' use no tape; S' reads no value that f or S writes, and writes none that f; r, S, P' read
//! S' behind             each adjoint that r and S; S' share is incremented only, read only, or 0 between iterations
//! ```
//!
//! A value that r reads is at the end of f what it is at the start of r: the reverse sweep restores, before it comes to
//! r, all that it reads there.

use cfg_core::{
    entity::{VarId, VertexId},
    ir::{
        OriginRole, Place, Role, Subscript,
        visit::{PlaceRole, Visit, walk_place},
    },
};
use fixedbitset::FixedBitSet;
use std::ops::Range;

use crate::{
    code::expressions::as_place,
    gradient::turn::facts::{Facts, Graph},
    plan::{draft::Draft, provisions::Provisions},
};

/// The place of the adjoint of what follows the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The adjoint of what follows runs before the loop.
    Before,
    /// The adjoint of what follows runs behind what follows.
    Behind,
}

/// The positions of a loop and of its end in the orders of both graphs.
pub(super) struct Parts {
    /// LOOP and ENDLOOP in the forward graph.
    pub(super) forward: Range<usize>,
    /// LOOP and ENDLOOP in the reverse graph.
    pub(super) reverse: Range<usize>,
    /// The number of vertices at the start of the reverse graph that are ENTRY, and the block that sets adjoints to 0.
    pub(super) zeros: usize,
}

impl Parts {
    /// Finds the images of a loop; none if the reverse graph has none.
    pub(super) fn divide(draft: &Draft<'_>, header: VertexId, [forward, reverse]: &[Graph<'_>; 2]) -> Option<Self> {
        let end = draft.shape.partner(header);
        let id = draft.cfg.vertex(header).id;
        let find = |graph: &Graph<'_>, id: i64| {
            let mut vertices = graph.cfg.vertices();
            let (v, _) = vertices.find(|(_, vertex)| vertex.id == id)?;
            let partner = graph.structure.partner(v)?;
            let position = |v: VertexId| graph.structure.position[v.index()] as usize;
            Some(position(v)..position(partner))
        };
        let second = reverse.structure.order.get(1).map(|&v| reverse.cfg.vertex(v).origin);
        let has_zeros = second.flatten().is_some_and(|origin| origin.role == OriginRole::ReturnSave);
        Some(Self {
            forward: find(forward, id)?,
            reverse: find(reverse, -draft.cfg.vertex(end).id)?,
            zeros: 1 + usize::from(has_zeros),
        })
    }
}

/// The accesses of the parts of both sweeps.
struct Sides {
    /// The body of the loop in the forward sweep, with its decision.
    f: Facts,
    /// The body of the reverse loop, behind `f`.
    r: Facts,
    /// The forward sweep behind the loop.
    s: Facts,
    /// The reverse sweep before the loop, without the first zeros.
    s_rev: Facts,
    /// The reverse sweep behind the loop.
    p_rev: Facts,
}

/// The place of the adjoint of what follows, if the iterations are independent; and the locations that the reverse sweep
/// outside of the loop writes.
pub(super) fn order(
    draft: &Draft<'_>,
    provisions: &Provisions<'_>,
    header: VertexId,
    [forward, reverse]: &[Graph<'_>; 2],
    parts: &Parts,
) -> Option<(Order, FixedBitSet)> {
    let end = |graph: &Graph<'_>| graph.structure.order.len();
    let f = forward.facts(parts.forward.clone(), None);
    let sides = Sides {
        r: reverse.facts(parts.reverse.start + 1..parts.reverse.end, Some(&f)),
        s: forward.facts(parts.forward.end + 1..end(forward), None),
        s_rev: reverse.facts(parts.zeros..parts.reverse.start, None),
        p_rev: reverse.facts(parts.reverse.end + 1..end(reverse), None),
        f,
    };
    let Sides { f, r, s, s_rev, p_rev } = &sides;
    if f.stops || r.stops || s.stops || s_rev.stops {
        return None;
    }
    let locations = forward.locations;
    let routine = forward.routine;
    let at = |v: VarId| locations.of_variable(v).index();
    let primals = draft.scope.derivative.iter().enumerate();
    let mut primal_of = vec![None; routine.variables.len()];
    for (v, b) in primals.filter_map(|(v, b)| Some((v, (*b)?))) {
        primal_of[b.index()] = Some(VarId::new(v));
    }
    let is_private = |v: VarId| {
        routine.variable(v).role == Role::Local && !locations.is_shared(v)
    };
    let index = draft.cfg.vertex(header).kind.index();
    let index = index.filter(|&i| forward.is_steady(parts.forward.start + 1..parts.forward.end, i) && !r.writes(at(i)) && is_private(i));
    let body = parts.reverse.start + 1..parts.reverse.end;
    let is_by_iteration = |v| index.is_some_and(|index| is_named_by_index(reverse, body.clone(), v, index));
    let needed = provisions.at(header);
    let (mut before, mut behind) = (!s.has_tape && !s_rev.has_tape, true);
    for v in (0..routine.variables.len()).map(VarId::new) {
        if v == draft.tape {
            continue;
        }
        let l = at(v);
        if let Some(primal) = primal_of[v.index()] {
            let p = at(primal);
            let is_zero_between = is_private(v)
                && is_private(primal)
                && !f.exposed.contains(p)
                && !s.exposed.contains(p);
            let is_private = !locations.is_shared(v);
            let is_sum = is_private && r.only_increments(l);
            if r.writes(l) && !is_sum && !is_zero_between && !(is_private && is_by_iteration(v)) {
                return None;
            }
            let others = [s, s_rev];
            let meets = r.writes(l) && others.iter().any(|of| of.accesses(l))
                || r.accesses(l) && others.iter().any(|of| of.writes(l));
            let commutes = r.only_increments(l) && others.iter().all(|of| of.only_increments(l));
            behind &= !meets || commutes || is_zero_between;
            continue;
        }
        // Adjoints read no more than their statements do, so that `r` finds what `f` has computed.
        let is_original = v.index() < draft.originals;
        let is_exposed_inside = f.exposed.contains(l) || !is_original && r.exposed.contains(l);
        if r.writes(l) {
            let is_restored = is_original && provisions.contains(&needed, &Place::whole(v));
            if !is_private(v)
                || is_exposed_inside
                || s.exposed.contains(l)
                || s_rev.exposed.contains(l)
                || p_rev.exposed.contains(l) && !is_restored
            {
                return None;
            }
        }
        if s_rev.exposed.contains(l) && (f.writes(l) || s.writes(l)) {
            before = false;
        }
        if s_rev.writes(l) {
            let is_read = is_exposed_inside || s.exposed.contains(l) || p_rev.exposed.contains(l);
            before &= is_private(v) && !is_read;
            // The adjoint loop reads a temporary that is set in front of it.
            behind &= is_original || !r.exposed.contains(l);
        }
    }
    let order = match (before, behind) {
        (true, _) => Order::Before,
        (false, true) => Order::Behind,
        (false, false) => return None,
    };
    let written = (0..locations.len()).filter(|&l| s_rev.writes(l) || p_rev.writes(l));
    Some((order, written.collect()))
}

/// True if the vertices at some positions name a variable only as elements with an index as a subscript, always in the
/// same dimension.
fn is_named_by_index(graph: &Graph<'_>, body: Range<usize>, v: VarId, index: VarId) -> bool {
    let mut named = ByIndex {
        v,
        index,
        dimensions: u64::MAX,
    };
    for &at in &graph.structure.order[body] {
        named.visit_vertex(at, graph.cfg.vertex(at));
    }
    named.dimensions != 0
}

/// The dimensions in which all elements of a variable have an index as a subscript.
struct ByIndex {
    v: VarId,
    index: VarId,
    dimensions: u64,
}

impl<'ir> Visit<'ir> for ByIndex {
    fn visit_place(&mut self, place: &'ir Place, role: PlaceRole) {
        if place.var == self.v {
            let is_index = |s: &Subscript| s.index().and_then(as_place) == Some(&Place::whole(self.index));
            let subscripts = place.subscripts.iter().take(64).enumerate();
            let found = subscripts.filter(|(_, s)| is_index(s));
            self.dimensions &= found.fold(0, |all, (k, _)| all | 1 << k);
            if matches!(role, PlaceRole::Bind { .. }) {
                self.dimensions = 0;
            }
        }
        walk_place(self, place);
    }
}
