//! Loops whose iterations are promised to be independent, and accesses that disprove it.
//!
//! The promise is `$AD II-LOOP` in C, an annotation of the LOOP elsewhere ([`INDEPENDENT`]). It is disproved if an
//! iteration surely reads a real cell that another one overwrites:
//!
//! ```text
//! s := s*x             s is read before the iteration assigns it
//! x[i] := x[i - 1]     the iteration before assigns x[i - 1]
//! for j = 1, m         the iteration before assigns all u[j]
//!   u[j] := u[j]*a
//! ```
//!
//! Only accesses in blocks that each iteration executes count, and those in inner counted loops whose bounds are those
//! of all iterations: of such a loop, the first pass. Sums `s := s + e` have no order, so that the read of s counts for
//! nothing there, nor does one by which another scalar gets its value, as in `t := s; t := t + e; s := t`. A promise
//! that is not disproved has no effect: [`crate::gradient`] finds by itself which iterations are independent.
//!
//! Source: II-LOOP in L. Hascoët, V. Pascual, *The Tapenade AD tool*, INRIA RR-7957.

use cfg_core::{
    diagnostic::{
        Diagnostic, Diagnostics,
        site::{Element, Site},
    },
    elemental::integer::trips,
    entity::{RoutineId, VarId, VertexId},
    flat::{Flat, FlatExpr},
    ir::{
        Cfg, Expr, INDEPENDENT, LoopTest, Op, Place, Routine, Stmt, Subscript, VertexKind,
        visit::{PlaceRole, Visit, walk_expr, walk_place, walk_statement},
    },
    memory::{
        access::{Access, Accesses, decision_accesses},
        effects::Effects,
        locations::offset,
    },
    structure::Structure,
    text,
};
use fixedbitset::FixedBitSet;

use crate::{
    code::expressions::{as_place, with_variables},
    codes,
};

/// Refuses loops whose promise is disproved.
///
/// # Errors
/// R315: an iteration reads a cell that another one overwrites.
pub(crate) fn check_promises(flat: &Flat) -> Result<(), Diagnostics> {
    let is_promised = |routine: &Routine| promised_loops(routine).next().is_some();
    if !flat.routines.iter().any(is_promised) {
        return Ok(());
    }
    let effects = Effects::summarise(flat);
    let mut problems = Diagnostics::default();
    for (r, routine) in flat.routines.iter().enumerate() {
        let Some(cfg) = routine.body.as_ref().filter(|_| is_promised(routine)) else {
            continue;
        };
        let Ok(structure) = Structure::compute(cfg) else {
            continue;
        };
        let accesses = Accesses::resolve(flat, &effects, routine);
        for header in promised_loops(routine) {
            let Some(body) = Body::collect(routine, cfg, &structure, &accesses, header) else {
                continue;
            };
            if let Some(v) = body.find_carried() {
                let name = &routine.variable(v).name;
                let message = format!(
                    "iterations are promised to be independent, but one reads a value of `{name}` that another one assigns"
                );
                let site = Site::whole(RoutineId::new(r), Element::Vertex(header));
                let problem =
                    Diagnostic::error(&codes::PROMISED, message, codes::PROMISED.explanation);
                let words = text::site_text(flat, &site);
                problems
                    .0
                    .push(problem.at_element(words).at_site_in(flat, site));
            }
        }
    }
    match problems.0.is_empty() {
        true => Ok(()),
        false => Err(problems),
    }
}

/// The loops of a routine whose iterations are promised to be independent.
fn promised_loops(routine: &Routine) -> impl Iterator<Item = VertexId> {
    let vertices = routine.body.iter().flat_map(Cfg::vertices);
    let promised = vertices.filter(|(_, vertex)| {
        let annotation = (vertex.annotations.as_ref()).and_then(|all| all.get(INDEPENDENT));
        annotation.is_some_and(|value| value.as_bool() == Some(true))
    });
    promised.map(|(v, _)| v)
}

/// The accesses of an iteration.
struct Body {
    index: VarId,
    stride: Option<i64>,
    /// The number of iterations, if it is known.
    trips: Option<i64>,
    /// Variables that an iteration may assign, the index among them.
    changed: FixedBitSet,
    /// The places that are surely read before the iteration may assign them, with the same variable for the indices of
    /// inner loops with the same bounds.
    read: Vec<Place>,
    /// The places that are surely assigned, likewise.
    assigned: Vec<Place>,
}

/// A distance between iterations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Distance {
    /// All iterations access the same cell.
    Any,
    /// The cell that one iteration accesses is that of the iteration so many values of the index later.
    Fixed(i64),
    Unknown,
}

impl Body {
    /// The accesses of the iterations of a loop; `None` if the loop does not count.
    fn collect(
        routine: &Routine,
        cfg: &Cfg,
        structure: &Structure,
        accesses: &Accesses<'_>,
        header: VertexId,
    ) -> Option<Self> {
        let Some(LoopTest::Counted {
            index,
            first,
            last,
            step,
        }) = cfg.vertex(header).kind.test()
        else {
            return None;
        };
        let bounds = first.constant().zip(last.constant()).zip(step.constant());
        let trips = bounds.and_then(|((first, last), step)| trips(first, last, step).ok());
        let end = structure.partner(header)?;
        let [from, to] = [header, end].map(|v| structure.position[v.index()] as usize);
        let inside = structure.order.get(from + 1..to)?;
        let mut changed = FixedBitSet::with_capacity(routine.variables.len());
        changed.insert(index.index());
        let mut note = |access: Access| match access {
            Access::Write(v) | Access::MayWrite(v) => changed.insert(v.index()),
            Access::Read(_) => {}
        };
        for &v in inside {
            let vertex = cfg.vertex(v);
            decision_accesses(vertex, &mut note);
            for statement in vertex.statements() {
                accesses.each_access(statement, &mut note);
            }
        }
        let mut body = Self {
            index: *index,
            stride: step.constant(),
            trips,
            changed,
            read: Vec::new(),
            assigned: Vec::new(),
        };
        // The bounds of inner loops of all iterations, and the loops that are open, each with its index and the number
        // of its bounds, or `None` where not every iteration comes.
        let mut bounds: Vec<[&Expr; 3]> = Vec::new();
        let mut open: Vec<Option<(VarId, usize)>> = Vec::new();
        let mut touched: Vec<Vec<Option<Place>>> = vec![Vec::new(); routine.variables.len()];
        for &v in inside {
            let vertex = cfg.vertex(v);
            match &vertex.kind {
                VertexKind::Loop { test, .. } => open.push(match &**test {
                    LoopTest::Counted {
                        index,
                        first,
                        last,
                        step,
                    } if [first, last, step].iter().all(|e| body.is_fixed(e)) => {
                        let own = [first, last, step];
                        let known = bounds.iter().position(|other| *other == own);
                        let number = known.unwrap_or_else(|| {
                            bounds.push(own);
                            bounds.len() - 1
                        });
                        Some((*index, number))
                    }
                    LoopTest::Counted { .. } | LoopTest::Pre(_) | LoopTest::Post(_) => None,
                }),
                VertexKind::Branch(_) => open.push(None),
                VertexKind::EndLoop | VertexKind::EndBranch => {
                    open.pop();
                }
                VertexKind::Entry | VertexKind::Exit | VertexKind::Block(_) => {}
            }
            let around: Option<Vec<_>> = open.iter().copied().collect();
            let unified = |place: &Place| {
                let around = around.as_ref()?;
                let rename = |v: VarId| {
                    let inner = around.iter().rev().find(|(index, _)| *index == v);
                    inner.map_or(v, |(_, n)| VarId::new(routine.variables.len() + n))
                };
                as_place(&with_variables(&Expr::Place(place.clone()), &rename)).cloned()
            };
            for statement in vertex.statements() {
                for place in read_places(routine, statement) {
                    let Some(unified) = unified(place) else {
                        continue;
                    };
                    let earlier = &touched[place.var.index()];
                    let is_own = |other: &Option<Place>| {
                        (other.as_ref()).is_none_or(|other| !body.differ(&unified, other))
                    };
                    if !earlier.iter().any(is_own) {
                        body.read.push(unified);
                    }
                }
                let target = statement.kind.assignment().map(|(target, _)| target);
                let assigned = target.and_then(|place| Some((place, unified(place)?)));
                // A sum has a part from earlier iterations still.
                if !is_sum(statement) {
                    accesses.each_access(statement, &mut |access| match access {
                        Access::Write(v) | Access::MayWrite(v) => {
                            let own = assigned.as_ref().filter(|(place, _)| place.var == v);
                            touched[v.index()].push(own.map(|(_, unified)| unified.clone()));
                        }
                        Access::Read(_) => {}
                    });
                }
                body.assigned.extend(assigned.map(|(_, unified)| unified));
            }
        }
        Some(body)
    }

    /// True if the expression has the same value in all iterations, but for the indices of inner loops.
    fn is_fixed(&self, e: &Expr) -> bool {
        let mut is_fixed = true;
        e.walk_places(&mut |place| {
            is_fixed &= !self.changed.contains(place.var.index());
        });
        is_fixed
    }

    /// The constant that a subscript adds to the index.
    fn offset(&self, subscript: &Subscript) -> Option<i64> {
        let (base, constant) = offset(subscript.index()?);
        match base {
            Some(Expr::Place(place)) if place.var == self.index => Some(constant),
            Some(_) | None => None,
        }
    }

    /// True if one iteration surely finds different cells at two places of a variable.
    fn differ(&self, a: &Place, b: &Place) -> bool {
        let pairs = a.subscripts.iter().zip(&*b.subscripts);
        a.subscripts.len() == b.subscripts.len()
            && pairs.into_iter().any(|(a, b)| {
                let offsets = self.offset(a).zip(self.offset(b));
                let constant = |subscript: &Subscript| subscript.index()?.constant();
                let constants = || constant(a).zip(constant(b));
                offsets.or_else(constants).is_some_and(|(a, b)| a != b)
            })
    }

    /// The distance at which an iteration finds the cell of place `a` at place `b`.
    fn distance(&self, a: &Place, b: &Place) -> Distance {
        if a.var != b.var || a.subscripts.len() != b.subscripts.len() {
            return Distance::Unknown;
        }
        let mut distance = Distance::Any;
        for (a, b) in a.subscripts.iter().zip(&*b.subscripts) {
            match self.offset(a).zip(self.offset(b)) {
                Some((a, b)) => {
                    let own = a.checked_sub(b).map_or(Distance::Unknown, Distance::Fixed);
                    if distance != Distance::Any && distance != own {
                        return Distance::Unknown;
                    }
                    distance = own;
                }
                None => {
                    let indices = a.index().zip(b.index());
                    if !indices.is_some_and(|(x, y)| x == y && self.is_fixed(x)) {
                        return Distance::Unknown;
                    }
                }
            }
        }
        distance
    }

    /// A variable of which one iteration reads a cell that another one assigns.
    fn find_carried(&self) -> Option<VarId> {
        let is_carried =
            |read: &Place, assigned: &Place| match (self.distance(read, assigned), self.stride) {
                (Distance::Any, _) => self.trips.is_none_or(|n| n > 1),
                (Distance::Fixed(0) | Distance::Unknown, _) | (_, None | Some(0)) => false,
                (Distance::Fixed(d), Some(stride)) => {
                    let passes = d
                        .checked_div(stride)
                        .filter(|_| d.checked_rem(stride) == Some(0));
                    passes.is_some_and(|k| self.trips.is_none_or(|n| k.saturating_abs() < n))
                }
            };
        let found = self.read.iter().find(|read| {
            let mut assigned = self.assigned.iter();
            assigned.any(|assigned| is_carried(read, assigned))
        });
        found.map(|read| read.var)
    }
}

/// True of a sum `s := s + e` in any form in which s is added once, or subtracted.
fn is_sum(statement: &Stmt) -> bool {
    let Some((target, value)) = statement.kind.assignment() else {
        return false;
    };
    let names = |e: &Expr| {
        let mut found = false;
        e.walk_places(&mut |place| found |= place.var == target.var);
        found
    };
    let mut is_added = false;
    let mut open = vec![value];
    while let Some(e) = open.pop() {
        match FlatExpr::view(e) {
            FlatExpr::Place(place) if place == target => is_added = true,
            FlatExpr::Op(Op::Add | Op::Sub | Op::Neg | Op::ToReal | Op::ToReal32, operands) => {
                open.extend(operands);
            }
            FlatExpr::Op(Op::Fma, operands) if !operands[..2].iter().any(names) => {
                open.extend(&operands[2..]);
            }
            FlatExpr::Op(..) | FlatExpr::Place(_) if names(e) => return false,
            FlatExpr::Op(..) | FlatExpr::Place(_) | FlatExpr::Constant(_) => {}
        }
    }
    is_added
}

/// The real places that an assignment surely reads, but for the target of a sum, and but for scalars by which another
/// scalar gets its value; none for other statements.
fn read_places<'p>(routine: &Routine, statement: &'p Stmt) -> Vec<&'p Place> {
    let Some((target, _)) = statement.kind.assignment() else {
        return Vec::new();
    };
    let mut read = Reads(Vec::new());
    walk_statement(&mut read, statement);
    let is_scalar = |place: &Place| routine.variable(place.var).rank() == 0;
    let is_sum = is_sum(statement);
    read.0.retain(|place| {
        let is_passed_on = is_scalar(target) && is_scalar(place) && place.var != target.var;
        routine.variable(place.var).ty.is_real() && !is_passed_on && !(is_sum && *place == target)
    });
    read.0
}

/// Places that are surely read: not those that a conditional expression may leave out.
struct Reads<'p>(Vec<&'p Place>);

impl<'p> Visit<'p> for Reads<'p> {
    fn visit_expr(&mut self, e: &'p Expr, role: PlaceRole) {
        if !matches!(e, Expr::Op(Op::If, _)) {
            walk_expr(self, e, role);
        }
    }

    fn visit_place(&mut self, place: &'p Place, role: PlaceRole) {
        if role.reads() {
            self.0.push(place);
        }
        walk_place(self, place);
    }
}
