//! How the reverse sweep knows the trip count of each loop: from a counter that the forward sweep records, or from
//! the bounds of a counted loop, evaluated again.

use cfg_core::{
    entity::{RoutineId, VarId, VertexId},
    flat::{Constant, FlatExpr},
    graph::loops::LoopForest,
    ir::{Cfg, Expr, LoopTest, Op, Program, Role, Routine, Vertex, VertexKind, visit::each_place},
    memory::{locations::Locations, loop_writes::LoopWrites},
    structure::Structure,
};
use fixedbitset::FixedBitSet;
use std::ops::RangeInclusive;

use crate::{memory::summary::Summary, plan::written::Written, prepare::context::Context};

/// The way in which a loop's trip count comes to the reverse sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LoopPlan {
    /// Count the iterations, push the count.
    pub(crate) counter: bool,
    /// The reverse loop of a counted loop runs over the values of its index.
    pub(crate) index: bool,
    /// The body may change `first` and the index is needed, so the value of `first` goes on the tape.
    pub(crate) first: bool,
    /// The body may change `step` and the index is needed, so the value of `step` goes on the tape.
    pub(crate) step: bool,
}

impl LoopPlan {
    /// A loop with a condition.
    pub(crate) const CONDITION: Self = Self {
        counter: true,
        index: false,
        first: false,
        step: false,
    };

    /// The plan of a counted loop. The flags say which of first, last and step may change in the body; `read`: the
    /// index may be read.
    pub(crate) fn counted([first, last, step]: [bool; 3], counters: bool, read: bool) -> Self {
        let counter = counters || first || last || step;
        let index = read || !counter;
        Self {
            counter,
            index,
            first: first && index,
            step: step && index,
        }
    }
}

/// True if a bound of a loop has too many levels to be part of the reverse loop's bounds.
pub(crate) fn is_deep(bound: &Expr) -> bool {
    bound.depth() > Expr::MAX_DEPTH / 2
}

/// The header of a LOOP: the index and the bounds, if it is a counted one.
struct Header<'g> {
    at: VertexId,
    counted: Option<(VarId, [Bound<'g>; 3])>,
}

/// First, last or step.
#[derive(Clone, Copy)]
enum Bound<'g> {
    Constant,
    Variable(VarId),
    Other(&'g Expr),
}

impl<'g> Bound<'g> {
    fn classify(e: &'g Expr) -> Self {
        match FlatExpr::view(e) {
            FlatExpr::Constant(Constant::Int(_)) => Self::Constant,
            FlatExpr::Place(place) if place.subscripts.is_empty() => Self::Variable(place.var),
            FlatExpr::Constant(Constant::Real(_) | Constant::Real32(_) | Constant::Logical(_))
            | FlatExpr::Place(_)
            | FlatExpr::Op(..) => Self::Other(e),
        }
    }

    /// True if the bound is too deep to be part of the reverse loop's bounds; it is recorded instead.
    fn is_deep(self) -> bool {
        matches!(self, Self::Other(e) if is_deep(e))
    }

    fn each_variable(self, visit: &mut impl FnMut(VarId)) {
        match self {
            Self::Constant => {}
            Self::Variable(v) => visit(v),
            Self::Other(e) => e.walk_places(&mut |p| visit(p.var)),
        }
    }
}

fn headers(cfg: &Cfg) -> Vec<Header<'_>> {
    fn header((at, vertex): (VertexId, &Vertex)) -> Option<Header<'_>> {
        let VertexKind::Loop { test, .. } = &vertex.kind else {
            return None;
        };
        let counted = match test.as_ref() {
            LoopTest::Counted {
                index,
                first,
                last,
                step,
            } => Some((*index, [first, last, step].map(Bound::classify))),
            LoopTest::Pre(_) | LoopTest::Post(_) => None,
        };
        Some(Header { at, counted })
    }
    cfg.vertices().filter_map(header).collect()
}

/// The indices of all counted loops.
pub(crate) fn indices(cfg: &Cfg) -> impl Iterator<Item = VarId> {
    cfg.vertices().filter_map(|(_, vertex)| vertex.kind.index())
}

/// The indices of LOOPs whose values something may read: all but locals that share no storage and occur
/// nowhere else.
pub(crate) fn named_indices(
    program: &Program,
    routine: &Routine,
    cfg: &Cfg,
    indices: impl IntoIterator<Item = VarId>,
    locations: &Locations,
) -> FixedBitSet {
    let n = routine.variables.len();
    let mut named = FixedBitSet::with_capacity(n);
    let mut open = FixedBitSet::with_capacity(n);
    for index in indices {
        let (i, variable) = (index.index(), routine.variable(index));
        let alone = matches!(variable.role, Role::Local) && !locations.is_shared(index);
        if alone && routine.result != Some(index) {
            open.insert(i);
        } else {
            named.insert(i);
        }
    }
    let mut left = open.count_ones(..);
    for (_, vertex) in cfg.vertices() {
        if left == 0 {
            break;
        }
        each_place(program, vertex, &mut |p| {
            let i = p.var.index();
            if open.contains(i) && !named.put(i) {
                left -= 1;
            }
        });
    }
    named
}

/// A number of iterations that no run reaches.
const ENDLESS: i128 = 1 << 62;

/// With steps no larger than this, a loop needs more iterations than any run has to cross the range of integers.
const SMALL: i128 = 1 << 10;

/// The least and the largest value that an integer expression may have.
fn range(e: &Expr) -> (i128, i128) {
    const MIN: i128 = i64::MIN as i128;
    const MAX: i128 = i64::MAX as i128;
    let (low, high) = match FlatExpr::view(e) {
        FlatExpr::Constant(Constant::Int(n)) => (i128::from(n), i128::from(n)),
        FlatExpr::Op(Op::Size | Op::Trips, _) => (0, MAX),
        FlatExpr::Op(Op::Add, operands) => {
            let ranges = operands.iter().map(range);
            // Clamped at every step, the sum cannot overflow an `i128`.
            let sums = ranges.reduce(|(a, b), (c, d)| ((a + c).max(MIN), (b + d).min(MAX)));
            sums.unwrap_or((MIN, MAX))
        }
        FlatExpr::Op(Op::Sub, operands) => match operands {
            [a, b] => {
                let ((a, b), (c, d)) = (range(a), range(b));
                (a - d, b - c)
            }
            _ => (MIN, MAX),
        },
        FlatExpr::Op(Op::Neg, operands) => match operands {
            [a] => {
                let (a, b) = range(a);
                (-b, -a)
            }
            _ => (MIN, MAX),
        },
        FlatExpr::Constant(Constant::Real(_) | Constant::Real32(_) | Constant::Logical(_))
        | FlatExpr::Place(_)
        | FlatExpr::Op(..) => (MIN, MAX),
    };
    (low.max(MIN), high.min(MAX))
}

/// True if all that the FORLOOP over the values of an index computes is known to fit 64 bits: it begins at
/// `first + (n-1)*step` and ends at `first - step`. `complete`: the loop is left at its header only.
pub(crate) fn runs_backwards(first: &Expr, last: &Expr, step: &Expr, complete: bool) -> bool {
    let Expr::Int(step) = step else { return false };
    let step = i128::from(*step);
    let ((low, high), (least, most)) = (range(first), range(last));
    if step.abs() > SMALL {
        // With large steps the loop must stay on one side of 0: the distance of two values on one side fits 64 bits.
        return step > i128::from(i64::MIN) && if step > 0 { low >= 0 } else { high <= 0 };
    }
    let fits = |x: i128| i64::try_from(x).is_ok();
    // A first value near the edge of the range would mean a complete loop that is longer than any run.
    let far = if step > 0 {
        least >= -ENDLESS
    } else {
        most <= ENDLESS
    };
    (fits(low - step) && fits(high - step)) || (complete && far)
}

/// Decides how each loop is counted. `changed`: the statements differ from those that the summary describes.
pub(crate) fn plan_loops(
    context: &Context,
    id: RoutineId,
    cfg: &Cfg,
    structure: &Structure,
    locations: &Locations,
    changed: bool,
) -> Vec<Option<LoopPlan>> {
    let program = &context.program;
    let routine = program.routine(id);
    let headers = headers(cfg);
    let counted = || headers.iter().filter_map(|h| h.counted.as_ref());
    let indices = counted().map(|(index, _)| *index);
    let named = named_indices(program, routine, cfg, indices, locations);
    let mut written = Written::new(locations, routine.variables.len());
    for bound in counted().flat_map(|(_, bounds)| bounds) {
        bound.each_variable(&mut |v| written.follow(v));
    }
    written.find(context, id, cfg, structure, changed);
    let changes = |bound: Bound<'_>, range: &RangeInclusive<u32>| {
        let mut found = false;
        bound.each_variable(&mut |v| found |= written.is_written_in(v, range));
        found
    };
    let mut plans = vec![None; cfg.vertex_count()];
    for Header { at, counted } in headers {
        plans[at.index()] = Some(match counted {
            Some((index, bounds)) => {
                let end = structure.partner(at).unwrap_or(at);
                let position = |v: VertexId| structure.position[v.index()];
                let body = position(at)..=position(end);
                let changing = bounds.map(|bound| bound.is_deep() || changes(bound, &body));
                let read = named.contains(index.index());
                LoopPlan::counted(changing, context.counters, read)
            }
            None => LoopPlan::CONDITION,
        });
    }
    plans
}

/// For the counted loop at each vertex, which of first, last and step are not evaluated again because its body may
/// change them or because they are deep. Only loops that are kept have an entry.
pub(crate) fn changing_bounds(
    program: &Program,
    summary: &Summary,
    routine: &Routine,
    cfg: &Cfg,
    forest: &LoopForest,
) -> Vec<[bool; 3]> {
    let writes = LoopWrites::collect(program, &summary.effects, routine, cfg, forest);
    let mut changing = vec![[false; 3]; cfg.vertex_count()];
    for (h, vertex) in cfg.vertices() {
        if let VertexKind::Loop { test, .. } = &vertex.kind
            && let LoopTest::Counted {
                first, last, step, ..
            } = test.as_ref()
            && let Some(l) = forest.headed_by(h.index())
        {
            changing[h.index()] = [first, last, step].map(|e| {
                let mut found = false;
                e.walk_places(&mut |p| found |= writes.inside(l, p.var).next().is_some());
                found || is_deep(e)
            });
        }
    }
    changing
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::{
        builder::RoutineBuilder,
        ir::ScalarType::{Integer, Real},
    };

    #[test]
    fn ranges_are_those_of_the_operands() {
        let mut f = RoutineBuilder::new("f");
        let n = Expr::from(f.input("n", Integer));
        let v = f.input("v", Real.array([n.clone()]));
        let size = || Expr::op(Op::Size, [v.into(), Expr::Int(1)]);
        let (min, max) = (i128::from(i64::MIN), i128::from(i64::MAX));
        for (e, expected) in [
            (Expr::Int(-7), (-7, -7)),
            (n.clone(), (min, max)),
            (size(), (0, max)),
            (size() + 3, (3, max)),
            (size() - 3, (-3, max - 3)),
            (2 - size(), (2 - max, 2)),
            (-size(), (-max, 0)),
            (n.clone() + 1, (min + 1, max)),
            (n.clone() - 1, (min, max - 1)),
            (-n.clone(), (min + 1, max)),
            (size() + size() - 1, (-1, max - 1)),
            (n.clone() * 2, (min, max)),
            (
                Expr::op(Op::Trips, [Expr::Int(1), n.clone(), Expr::Int(1)]),
                (0, max),
            ),
            (Expr::op(Op::Add, [Expr::Int(2), Expr::Int(3)]), (5, 5)),
            (Expr::op(Op::Sub, [Expr::Int(2), Expr::Int(3)]), (-1, -1)),
            (Expr::op(Op::Add, [size(), Expr::Int(-3)]), (-3, max - 3)),
            (n.clone() - n.clone(), (min, max)),
        ] {
            assert_eq!(range(&e), expected, "{e:?}");
        }
    }

    /// A changing range is counted; first value and step are recorded only if they change and the index is read.
    #[test]
    fn loops_count_if_their_range_changes_or_they_are_asked_to() {
        for (changing, counters, read, [counter, index, first, step]) in [
            ([false; 3], false, false, [false, true, false, false]),
            ([false; 3], false, true, [false, true, false, false]),
            ([false; 3], true, false, [true, false, false, false]),
            ([false; 3], true, true, [true, true, false, false]),
            (
                [true, false, false],
                false,
                false,
                [true, false, false, false],
            ),
            ([true, false, false], false, true, [true, true, true, false]),
            (
                [false, true, false],
                false,
                false,
                [true, false, false, false],
            ),
            (
                [false, true, false],
                false,
                true,
                [true, true, false, false],
            ),
            (
                [false, false, true],
                false,
                false,
                [true, false, false, false],
            ),
            ([false, false, true], false, true, [true, true, false, true]),
            ([true; 3], true, true, [true; 4]),
        ] {
            let expected = LoopPlan {
                counter,
                index,
                first,
                step,
            };
            let found = LoopPlan::counted(changing, counters, read);
            assert_eq!(found, expected, "{changing:?} {counters} {read}");
        }
    }

    /// The FORLOOP computes the last value that the index has and the one before the first.
    #[test]
    fn loops_run_backwards_over_their_values_if_these_fit() {
        let mut f = RoutineBuilder::new("f");
        let n = Expr::from(f.input("n", Integer));
        let v = f.input("v", Real.array([n.clone()]));
        let size = || Expr::op(Op::Size, [v.into(), Expr::Int(1)]);
        let int = Expr::Int;
        for (first, last, step, early, complete) in [
            (int(1), n.clone(), int(1), true, true),
            (int(i64::MIN), n.clone(), int(1), false, false),
            (int(i64::MIN + 1), n.clone(), int(1), true, true),
            (int(i64::MIN + 2), n.clone(), int(3), false, false),
            (int(i64::MIN), size(), int(1), false, true),
            (int(i64::MIN + 3), n.clone(), int(3), true, true),
            (int(i64::MAX), n.clone(), int(-1), false, false),
            (int(i64::MAX - 1), n.clone(), int(-1), true, true),
            (int(i64::MAX), int(0), int(-1), false, true),
            (n.clone(), n.clone(), int(1), false, false),
            (n.clone(), size(), int(1), false, true),
            (n.clone(), int(-1 << 62), int(1), false, true),
            (n.clone(), int((-1 << 62) - 1), int(1), false, false),
            (n.clone(), int(1 << 62), int(-1), false, true),
            (n.clone(), int((1 << 62) + 1), int(-1), false, false),
            (size(), n.clone(), int(1), true, true),
            (size() - 1, n.clone(), int(1), true, true),
            (size(), n.clone(), int(-1), false, false),
            (size() - 1, n.clone(), int(-1), true, true),
            // Steps above [`SMALL`].
            (int(0), n.clone(), int(1025), true, true),
            (int(-1), n.clone(), int(1025), false, false),
            (int(-1), n.clone(), int(1024), true, true),
            (int(0), n.clone(), int(-1025), true, true),
            (int(1), n.clone(), int(-1025), false, false),
            (int(0), n.clone(), int(i64::MIN), false, false),
            (int(0), n.clone(), int(i64::MIN + 1), true, true),
            (int(1), n.clone(), n.clone(), false, false),
        ] {
            let found = [false, true].map(|all| runs_backwards(&first, &last, &step, all));
            assert_eq!(found, [early, complete], "{first:?} {last:?} {step:?}");
        }
    }

    /// Bounds are evaluated again up to half of the levels that expressions may have.
    #[test]
    fn bounds_on_both_sides_of_the_limit() {
        for (levels, expected) in [
            (Expr::MAX_DEPTH / 2, false),
            (Expr::MAX_DEPTH / 2 + 1, true),
        ] {
            let e = (1..levels).fold(Expr::Int(1), |e, _| Expr::op(Op::Neg, [e]));
            assert_eq!(e.depth(), levels);
            assert_eq!(is_deep(&e), expected, "{levels}");
        }
    }
}
