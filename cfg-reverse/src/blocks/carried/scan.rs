//! The statements of a region: what it overwrites, and the scalars whose derivatives go in and come out.
//!
//! *Exposed* is a place whose value before the region may be read in it, or may be its value behind the region: the
//! least solution of the equations of liveness over the region, for differentiable reads. Inputs are the exposed
//! places that are active, and the active places that the region reads and does not assign; outputs are those that the
//! region assigns, and whose derivatives are wanted behind it. What may depend on an input is found by reachability,
//! insensitive to the flow.

use cfg_analysis::differentiable::differentiable_places;
use cfg_core::{
    dataflow::Position,
    entity::{EdgeId, VarId, VertexId},
    flat::{FlatExpr, FlatStmt},
    ir::{Expr, Op, Place, Role, ScalarType},
};
use cfg_transform::lower::increment;
use std::collections::{HashMap, HashSet};

use crate::{
    blocks::carried::live::Live,
    code::typing::place_rank,
    plan::{
        carried::{Input, Region, Scalar},
        draft::Draft,
        shape::Shape,
    },
    prepare::context::Context,
};

/// Most inputs of a region.
const MOST_INPUTS: usize = 4;

/// Most places with derivatives, and most statements, of a region.
const MOST_PLACES: usize = 64;
const MOST_STATEMENTS: usize = 256;

/// An assignment to a place with a derivative.
struct Assigned {
    target: usize,
    /// The places that the value depends on differentiably, by number.
    reads: u64,
}

struct Scan<'a, 'p> {
    draft: &'a Draft<'p>,
    /// The scalars that the region assigns, and the elements, one of each array.
    scalars: HashSet<VarId>,
    elements: HashMap<VarId, &'p Place>,
    places: Vec<Scalar>,
    /// The assignments to places with derivatives, by vertex.
    assigned: Vec<Vec<Assigned>>,
    /// The places, by number, that some statement reads where they are not varied.
    constant: u64,
    ty: Option<ScalarType>,
}

/// Reads the statements of the vertices between two edges; none if the region cannot be carried.
pub(crate) fn scan(
    context: &Context,
    draft: &Draft<'_>,
    live: &Live<'_>,
    (vertices, entry, exit): (Vec<VertexId>, EdgeId, EdgeId),
) -> Option<Region> {
    let mut scan = Scan {
        draft,
        scalars: HashSet::new(),
        elements: HashMap::new(),
        places: Vec::new(),
        assigned: Vec::with_capacity(vertices.len()),
        constant: 0,
        ty: None,
    };
    let written = scan.written(&vertices)?;
    scan.derivatives(&vertices)?;
    scan.sums(&vertices);
    let after = live.on(draft.cfg, exit);
    let routine = context.program.routine(draft.id);
    let mut at_exit = 0;
    for (k, of) in scan.places.iter().enumerate() {
        let place = &of.place;
        let is_live = !place.subscripts.is_empty() || after.contains(place.var.index());
        at_exit |= u64::from(of.is_written && is_live) << k;
    }
    scan.expose(&vertices, at_exit);
    // Where a value that comes in is not varied, no statement in front of the region takes its adjoint.
    let is_taken = |(k, of): (usize, &Scalar)| scan.constant & (1 << k) == 0 || !of.is_exposed;
    if !scan.places.iter().enumerate().all(is_taken) {
        return None;
    }
    let outputs = (0..scan.places.len()).filter(|&k| {
        let v = scan.places[k].place.var;
        at_exit & (1 << k) != 0
            && draft.scope.wanted.contains(v.index())
            && draft.scope.derivative[v.index()].is_some()
    });
    let outputs: Vec<usize> = outputs.collect();
    let mut inputs = Vec::new();
    for (k, of) in scan.places.iter().enumerate() {
        let is_active = draft.scope.active.contains(of.place.var.index());
        if !is_active || of.is_sum || of.is_written && !of.is_exposed {
            continue;
        }
        let varied = scan.varied(1 << k);
        if outputs.iter().any(|o| varied & (1 << o) != 0) {
            inputs.push(Input { place: k, varied });
        }
    }
    let is_optional = |place: &Place| {
        let role = routine.variable(place.var).role;
        matches!(role, Role::Parameter { optional: true, .. })
    };
    let mut named = scan.places.iter().map(|of| &of.place).chain(&written);
    // The ends of the region access the elements on each way through it: a subscript must be right there, too.
    let sure = surely_accessed(draft, &vertices);
    let is_sure = |place: &Place| place.subscripts.is_empty() || sure.contains(&place);
    if !named.clone().all(is_sure) {
        return None;
    }
    let fits = !inputs.is_empty() && inputs.len() <= MOST_INPUTS && !named.any(is_optional);
    fits.then_some(Region {
        vertices,
        entry,
        exit,
        written,
        ty: scan.ty?,
        places: scan.places,
        inputs,
        outputs,
    })
}

/// The elements that each way through a region accesses: those of its blocks, selectors and tests outside of loops and
/// branches, without operands that are evaluated on a condition.
fn surely_accessed<'p>(draft: &Draft<'p>, vertices: &[VertexId]) -> Vec<&'p Place> {
    let mut found = Vec::new();
    let (Shape::Structured(structure), Some(first)) = (draft.shape, vertices.first()) else {
        return found;
    };
    let around = structure.parent[first.index()];
    let mut open: Vec<&'p Expr> = Vec::new();
    for &v in vertices
        .iter()
        .filter(|v| structure.parent[v.index()] == around)
    {
        let vertex = draft.cfg.vertex(v);
        open.extend(vertex.kind.exprs());
        for statement in vertex.statements() {
            if let Some((target, value)) = statement.kind.assignment() {
                open.push(value);
                open.extend(target.subscript_exprs());
                found.push(target);
            }
        }
    }
    while let Some(e) = open.pop() {
        match FlatExpr::view(e) {
            FlatExpr::Constant(_) => {}
            FlatExpr::Place(place) => {
                open.extend(place.subscript_exprs());
                found.push(place);
            }
            FlatExpr::Op(Op::And | Op::Or | Op::If, operands) => open.extend(operands.first()),
            FlatExpr::Op(_, operands) => open.extend(operands),
        }
    }
    found
}

impl<'p> Scan<'_, 'p> {
    /// The places that the region assigns: scalars, and at most one element of an array. None if it does anything but
    /// assign scalars to cells that have one name each.
    fn written(&mut self, vertices: &[VertexId]) -> Option<Vec<Place>> {
        let cfg = self.draft.cfg;
        let variables = &self.draft.scope.routine.variables;
        let mut written = Vec::new();
        let mut statements = 0;
        for &v in vertices {
            let vertex = cfg.vertex(v);
            if let Some(index) = vertex.kind.index()
                && self.scalars.insert(index)
            {
                written.push(Place::whole(index));
            }
            for statement in vertex.statements() {
                statements += 1;
                let target = match FlatStmt::view(&statement.kind) {
                    FlatStmt::Assign { target, .. } => target,
                    FlatStmt::Stop { .. } => continue,
                    FlatStmt::Call { .. }
                    | FlatStmt::Push { .. }
                    | FlatStmt::Pop { .. }
                    | FlatStmt::Opaque { .. } => return None,
                };
                if place_rank(variables, target) > 0 {
                    return None;
                }
                if target.subscripts.is_empty() {
                    if self.scalars.insert(target.var) {
                        written.push(target.clone());
                    }
                } else if *self.elements.entry(target.var).or_insert_with(|| {
                    written.push(target.clone());
                    target
                }) != target
                {
                    return None;
                }
            }
        }
        let is_shared = |p: &Place| self.draft.locations.is_shared(p.var);
        let is_steady = |p: &&Place| self.is_steady(p);
        let fits = statements <= MOST_STATEMENTS
            && !written.iter().any(is_shared)
            && self.elements.values().all(is_steady);
        fits.then_some(written)
    }

    /// True if the region does not change the subscripts of a place.
    fn is_steady(&self, place: &Place) -> bool {
        let mut steady = true;
        for e in place.subscript_exprs() {
            e.walk_places(&mut |p| {
                steady &= !self.scalars.contains(&p.var) && !self.elements.contains_key(&p.var);
            });
        }
        steady
    }

    /// True if an array of which the region assigns an element is read elsewhere.
    fn is_mixed(&self, e: &Expr) -> bool {
        let mut mixed = false;
        e.walk_places(&mut |p| mixed |= self.elements.get(&p.var).is_some_and(|own| *own != p));
        mixed
    }

    fn is_written(&self, place: &Place) -> bool {
        self.scalars.contains(&place.var) || self.elements.contains_key(&place.var)
    }

    /// The number of a place with a derivative.
    fn number(&mut self, place: &Place) -> Option<usize> {
        if let Some(k) = self.places.iter().position(|of| of.place == *place) {
            return Some(k);
        }
        let variables = &self.draft.scope.routine.variables;
        let ty = variables[place.var.index()].ty;
        let fits = place_rank(variables, place) == 0
            && self.is_steady(place)
            && *self.ty.get_or_insert(ty) == ty
            && self.places.len() < MOST_PLACES;
        fits.then(|| {
            let is_written = self.is_written(place);
            self.places.push(Scalar {
                place: place.clone(),
                is_written,
                is_exposed: false,
                is_sum: is_written,
            });
            self.places.len() - 1
        })
    }

    /// Finds the places with derivatives, and the assignments to them.
    fn derivatives(&mut self, vertices: &[VertexId]) -> Option<()> {
        let (cfg, scope) = (self.draft.cfg, &self.draft.scope);
        for &vertex in vertices {
            let mut assigned = Vec::new();
            if cfg.vertex(vertex).kind.exprs().any(|e| self.is_mixed(e)) {
                return None;
            }
            for (statement, s) in cfg.vertex(vertex).statements().iter().enumerate() {
                let FlatStmt::Assign { target, value } = FlatStmt::view(&s.kind) else {
                    continue;
                };
                if self.is_mixed(value) || target.subscript_exprs().any(|e| self.is_mixed(e)) {
                    return None;
                }
                if !scope.routine.variable(target.var).ty.is_real() {
                    continue;
                }
                let at = Position { vertex, statement };
                let mut found: Vec<&Place> = Vec::new();
                differentiable_places(&scope.routine, value, &mut |p| {
                    if self.is_written(p) || scope.contributes_at(at, p.var) {
                        found.push(p);
                    }
                });
                let mut reads = 0;
                for place in found {
                    let k = self.number(place)?;
                    let is_active = scope.active.contains(place.var.index());
                    self.constant |=
                        u64::from(is_active && !scope.contributes_at(at, place.var)) << k;
                    reads |= 1 << k;
                }
                let target = self.number(target)?;
                assigned.push(Assigned { target, reads });
            }
            self.assigned.push(assigned);
        }
        Some(())
    }

    /// Finds the places that the region only adds to: they are read nowhere else.
    fn sums(&mut self, vertices: &[VertexId]) {
        let cfg = self.draft.cfg;
        for &v in vertices {
            let vertex = cfg.vertex(v);
            for e in vertex.kind.exprs() {
                self.is_read(e);
            }
            for statement in vertex.statements() {
                let FlatStmt::Assign { target, value } = FlatStmt::view(&statement.kind) else {
                    continue;
                };
                target.subscript_exprs().for_each(|e| self.is_read(e));
                let is_target = |e: &Expr| matches!(e, Expr::Place(p) if p == target);
                match increment(value, is_target) {
                    Some((added, _)) => self.is_read(added),
                    None => {
                        self.is_read(value);
                        self.is_no_sum(target);
                    }
                }
            }
        }
    }

    fn is_read(&mut self, e: &Expr) {
        e.walk_places(&mut |p| self.is_no_sum(p));
    }

    fn is_no_sum(&mut self, place: &Place) {
        if let Some(of) = self.places.iter_mut().find(|of| of.place == *place) {
            of.is_sum = false;
        }
    }

    /// Finds the exposed places; `at_exit` has those that are live behind the region.
    fn expose(&mut self, vertices: &[VertexId], at_exit: u64) {
        let cfg = self.draft.cfg;
        let number: HashMap<VertexId, usize> =
            vertices.iter().enumerate().map(|(k, &v)| (v, k)).collect();
        let mut before = vec![0u64; vertices.len()];
        loop {
            let mut is_same = true;
            for (k, &v) in vertices.iter().enumerate().rev() {
                // The only edge out of the region leads to what is live behind it.
                let after = |v: &VertexId| number.get(v).map_or(at_exit, |&k| before[k]);
                let mut set = cfg.successors(v).fold(0, |set, v| set | after(&v));
                for assigned in self.assigned[k].iter().rev() {
                    set = set & !(1 << assigned.target) | assigned.reads;
                }
                is_same &= set == before[k];
                before[k] = set;
            }
            if is_same {
                break;
            }
        }
        let exposed = before.first().copied().unwrap_or(0);
        for (k, of) in self.places.iter_mut().enumerate() {
            of.is_exposed = exposed & (1 << k) != 0;
        }
    }

    /// The places that may depend on some others.
    fn varied(&self, from: u64) -> u64 {
        let mut varied = from;
        loop {
            let mut now = varied;
            for assigned in self.assigned.iter().flatten() {
                if assigned.reads & now != 0 {
                    now |= 1 << assigned.target;
                }
            }
            if now == varied {
                return varied;
            }
            varied = now;
        }
    }
}
