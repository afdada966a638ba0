//! The conditions under which each iteration of a loop may be reversed before the next one begins.
//!
//! With the parts F = P; L; S and R = S'; L'; P' of the sweeps, f and r the bodies of L and L', and *private* locations
//! that only this routine names:
//!
//! ```text
//! value written by r    private, not exposed in f; r, in S, in S'; and not in P', unless r restores it for P'
//! adjoint written by r  only incremented by r,
//!                       or of a private variable that is exposed neither in f nor in S: it is 0 between iterations,
//!                       or named by r with the index of L as a subscript, always in the same dimension
//! globals               routines that are called write no others than those that the gradient names
//! S' in front           S and S' use no tape; S' reads no value that f or S writes, and writes none that f; r, S or P'
//!                       reads
//! S' behind             each adjoint that r and S; S' share is incremented only, read only, or 0 between iterations
//! ```
//!
//! Where the loop runs plainly, and again in the place of L', its values are there once more. A *sum* is only
//! incremented by f, and not accessed by r.
//!
//! ```text
//! value written by f, r    a sum; or not exposed in f, not needed by P', and private or not written by S and S'
//! value that f or r reads  not written by S and S'
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
use std::{collections::HashMap, ops::Range};

use crate::{
    code::expressions::as_place,
    gradient::turn::facts::{Facts, Graph},
    plan::{draft::Draft, provisions::Provisions},
};

/// The ways in which the gradient may run through the iterations of a loop.
pub(super) struct Ways {
    /// The turn, behind the adjoint of the code that follows, is a place for both bodies.
    pub(super) before: bool,
    /// The turn, before the code that follows and its adjoint, is a place for both bodies.
    pub(super) behind: bool,
    /// The loop runs plainly, and both bodies run in the place of the reverse loop, without these sums.
    pub(super) again: Option<FixedBitSet>,
}

/// A loop, and the positions of it and of its end in the orders of both graphs.
pub(super) struct Parts {
    pub(super) header: VertexId,
    /// LOOP and ENDLOOP in the forward graph.
    pub(super) forward: Range<usize>,
    /// LOOP and ENDLOOP in the reverse graph.
    pub(super) reverse: Range<usize>,
    /// The number of vertices at the start of the reverse graph that are ENTRY, and the block that sets adjoints to 0.
    pub(super) zeros: usize,
}

impl Parts {
    /// Finds the images of a loop; none if the reverse graph has none.
    pub(super) fn divide(
        draft: &Draft<'_>,
        header: VertexId,
        [forward, reverse]: &[Graph<'_>; 2],
    ) -> Option<Self> {
        let end = draft.shape.partner(header);
        let id = draft.cfg.vertex(header).id;
        let find = |graph: &Graph<'_>, id: i64| {
            let mut vertices = graph.cfg.vertices();
            let (v, _) = vertices.find(|(_, vertex)| vertex.id == id)?;
            let partner = graph.structure.partner(v)?;
            let position = |v: VertexId| graph.structure.position[v.index()] as usize;
            Some(position(v)..position(partner))
        };
        let second = reverse
            .structure
            .order
            .get(1)
            .map(|&v| reverse.cfg.vertex(v).origin);
        let has_zeros = second
            .flatten()
            .is_some_and(|origin| origin.role == OriginRole::ReturnSave);
        Some(Self {
            header,
            forward: find(forward, id)?,
            reverse: find(reverse, -draft.cfg.vertex(end).id)?,
            zeros: 1 + usize::from(has_zeros),
        })
    }
}

/// The accesses of a loop, and of the reverse sweep between it and the one before.
struct Accessed {
    /// The body of the loop in the forward sweep, with its decision.
    f: Facts,
    /// The body of the reverse loop, behind `f`.
    r: Facts,
    /// The forward sweep behind the loop.
    s: Facts,
    /// The reverse sweep between the reverse loop and that of the loop before.
    rev: Facts,
}

/// The loops that are looked at, in the order of the forward sweep, with their accesses.
pub(super) struct Loops<'g, 'a> {
    graphs: &'g [Graph<'a>; 2],
    pub(super) parts: Vec<Parts>,
    accessed: Vec<Accessed>,
    /// The reverse sweep before the first reverse loop, without the first zeros.
    rev: Facts,
}

impl<'g, 'a> Loops<'g, 'a> {
    /// Finds the accesses of the loops with these parts.
    pub(super) fn find(graphs: &'g [Graph<'a>; 2], mut parts: Vec<Parts>) -> Self {
        parts.sort_by_key(|parts| parts.forward.start);
        let [forward, reverse] = graphs;
        let [end, reverse_end] = [forward, reverse].map(|graph| graph.structure.order.len());
        let accessed = parts.iter().enumerate().map(|(k, of)| {
            let f = forward.facts(of.forward.clone(), None);
            let next = k
                .checked_sub(1)
                .map_or(reverse_end, |k| parts[k].reverse.start);
            Accessed {
                r: reverse.facts(of.reverse.start + 1..of.reverse.end, Some(&f)),
                s: forward.facts(of.forward.end + 1..end, None),
                rev: reverse.facts(of.reverse.end + 1..next, None),
                f,
            }
        });
        let accessed: Vec<Accessed> = accessed.collect();
        let zeros = parts.first().map_or(0, |of| of.zeros);
        let first = parts.last().map_or(zeros, |of| of.reverse.start);
        Self {
            rev: reverse.facts(zeros..first, None),
            accessed,
            parts,
            graphs,
        }
    }

    /// The reverse sweep before and behind the reverse loop of a loop, in which other loops run again.
    fn reverse_sides(&self, k: usize) -> [Facts; 2] {
        let mut before = self.rev.clone();
        for of in self.accessed[k + 1..].iter().rev() {
            [&of.f, &of.r, &of.rev]
                .into_iter()
                .for_each(|facts| before.add(facts));
        }
        let mut behind = self.accessed[k].rev.clone();
        for of in self.accessed[..k].iter().rev() {
            [&of.f, &of.r, &of.rev]
                .into_iter()
                .for_each(|facts| behind.add(facts));
        }
        [before, behind]
    }

    /// The locations that the reverse sweep writes outside of the loops.
    pub(super) fn written_outside(&self) -> FixedBitSet {
        let mut written = FixedBitSet::with_capacity(self.graphs[1].locations.len());
        let parts = self.accessed.iter().map(|of| &of.rev);
        for facts in parts.chain([&self.rev]) {
            written.union_with(&facts.assigned);
            written.union_with(&facts.incremented);
        }
        written
    }
}

/// The ways through a loop, given by its number: none if its iterations are not independent.
pub(super) fn ways_through(
    draft: &Draft<'_>,
    provisions: &Provisions<'_>,
    loops: &Loops<'_, '_>,
    k: usize,
) -> Option<Ways> {
    let [forward, reverse] = loops.graphs;
    let parts = &loops.parts[k];
    let header = parts.header;
    let Accessed { f, r, s, .. } = &loops.accessed[k];
    let [s_rev, p_rev] = &loops.reverse_sides(k);
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
    let is_private = |v: VarId| routine.variable(v).role == Role::Local && !locations.is_shared(v);
    // No statement in the body of a counted loop writes its index (V142).
    let index = draft.cfg.vertex(header).kind.index();
    let index = index.filter(|&i| !r.writes(at(i)) && is_private(i));
    let body = parts.reverse.start + 1..parts.reverse.end;
    let by_index = index.map(|index| ByIndex::find(reverse, body, index));
    let is_by_index = |v: VarId| {
        by_index
            .as_ref()
            .is_some_and(|by_index| by_index.contains(v))
    };
    let needed = provisions.at(header);
    let (mut before, mut behind) = (!s.has_tape && !s_rev.has_tape, true);
    let mut at_turn = true;
    let mut sums = FixedBitSet::with_capacity(locations.len());
    let mut again = !f.is_opaque;
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
            let has_own_cells = !locations.is_shared(v);
            let is_sum = has_own_cells && r.only_increments(l);
            let is_apart = has_own_cells && is_by_index(v);
            if r.writes(l) && !is_sum && !is_zero_between && !is_apart {
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
        // The count of the reverse loop, or a bound that is popped in front of it.
        if !is_original && routine.variable(v).role == Role::Local && r.exposed.contains(l) {
            return None;
        }
        let is_needed = is_original && provisions.contains(&needed, &Place::whole(v));
        if r.writes(l) {
            if !is_private(v) || f.exposed.contains(l) || p_rev.exposed.contains(l) && !is_needed {
                return None;
            }
            at_turn &= !s.exposed.contains(l) && !s_rev.exposed.contains(l);
        }
        if s_rev.exposed.contains(l) && (f.writes(l) || s.writes(l)) {
            before = false;
        }
        if s_rev.writes(l) {
            let is_read =
                f.exposed.contains(l) || s.exposed.contains(l) || p_rev.exposed.contains(l);
            before &= is_private(v) && !is_read;
        }
        let is_sum = f.only_increments(l) && !f.added_by_calls.contains(l);
        if f.incremented.contains(l) && is_sum && !locations.is_shared(v) {
            sums.insert(l);
            again &= !r.accesses(l);
        } else if f.writes(l) || r.writes(l) {
            // The second run computes the same value again, which nothing may have overwritten.
            again &= !f.exposed.contains(l)
                && !is_needed
                && !p_rev.exposed.contains(l)
                && (is_private(v) || !s.writes(l) && !s_rev.writes(l));
        } else if f.exposed.contains(l) || r.exposed.contains(l) {
            again &= !s.writes(l) && !s_rev.writes(l);
        }
    }
    Some(Ways {
        before: before && at_turn,
        behind: behind && at_turn,
        again: again.then_some(sums),
    })
}

/// The variables that a stretch names only as elements with an index as a subscript, always in the same dimension: the
/// dimensions of each variable in which all its elements have that subscript.
struct ByIndex {
    index: VarId,
    dimensions: HashMap<VarId, u64>,
}

impl ByIndex {
    /// Looks at the vertices at some positions. Calls access whole variables.
    fn find(graph: &Graph<'_>, body: Range<usize>, index: VarId) -> Self {
        let mut found = Self {
            index,
            dimensions: HashMap::new(),
        };
        for &at in &graph.structure.order[body] {
            let vertex = graph.cfg.vertex(at);
            found.visit_vertex(at, vertex);
            for statement in vertex
                .statements()
                .iter()
                .filter(|s| s.kind.callee().is_some())
            {
                graph.accesses.each_access(statement, &mut |access| {
                    found.dimensions.insert(access.variable(), 0);
                });
            }
        }
        found
    }

    fn contains(&self, v: VarId) -> bool {
        self.dimensions
            .get(&v)
            .is_some_and(|&dimensions| dimensions != 0)
    }
}

impl<'ir> Visit<'ir> for ByIndex {
    fn visit_place(&mut self, place: &'ir Place, _: PlaceRole) {
        let is_index = |s: &Subscript| {
            let place = s.index().and_then(as_place);
            place.is_some_and(|place| place.var == self.index && place.subscripts.is_empty())
        };
        let subscripts = place.subscripts.iter().take(64).enumerate();
        let with_index = subscripts.filter(|(_, s)| is_index(s));
        let found = with_index.fold(0, |all, (k, _)| all | 1 << k);
        let dimensions = self.dimensions.entry(place.var).or_insert(u64::MAX);
        *dimensions &= found;
        walk_place(self, place);
    }
}
