//! Tangent against divided differences: runs at points to both sides, element by element.

use super::Differences;
use super::elements::{elements, set};
use crate::mode::Primal;
use crate::point::Point;
use crate::slot::Slot;
use cfg_core::diagnostic::{Diagnostic, Diagnostics};
use cfg_core::elemental::{Math, powi};
use cfg_exec::{RunReport, Value};

/// How much of the change of an element over a step may be rounding, in roundings of the step.
///
/// A moved point is rounded, which leaves up to 2ε/h of the step uncertain, and with it as much of each term of the change, times its
/// degree; terms that cancel may be far larger than the change that they leave. The change by a derivative that is wrongly 0 stays
/// visible at all steps in 64 bits, and at two of them in 32.
const CHANGE_ROUNDINGS: f64 = 1024.0;

/// Everything that the comparison with differences needs.
pub(super) struct Comparison<'a> {
    pub(super) primal: &'a mut Primal,
    pub(super) point: &'a Point,
    pub(super) independents: &'a [(Slot, Value)],
    pub(super) direction: &'a [f64],
    pub(super) dependents: &'a [Slot],
    pub(super) y_dot: &'a [f64],
    /// What gaps are relative to.
    pub(super) scales: Vec<f64>,
    /// Bounds of rounding that are too loose to measure by, if there are some: what lies within them may be rounding.
    pub(super) loose: Option<&'a [f64]>,
    pub(super) tolerance: f64,
    /// Relative and absolute error of an operation.
    pub(super) epsilon: f64,
    pub(super) tiny: f64,
    /// The first run that a limit has stopped.
    pub(super) stopped: Option<Diagnostic>,
}

/// The result of a comparison with differences.
pub(super) struct Compared {
    pub(super) differences: Differences,
    /// The kinks that the run at the point itself came across.
    pub(super) kinks: Vec<String>,
    /// The reason for which a run could not be made within the limits.
    pub(super) stopped: Option<Diagnostic>,
}

/// One element of the dependents, as far as some steps tell.
#[derive(Clone, Copy, Default)]
pub(super) struct Element {
    /// Smallest relative gap.
    best: Option<f64>,
    /// The differences to both sides disagree at every step looked at.
    kinked: bool,
    /// Some step was spoilt by another path.
    crossed: bool,
    /// The gap at the largest and at the smallest step that show it, if all partials are zero. Where the derivative
    /// really is zero (that of x^3 at 0, say), the gap vanishes with the step.
    vanishing: Option<Ends>,
    /// How fast the element changes to the side where it changes more, at the same steps. Where no gap is visible beside rounding,
    /// this tells a derivative of zero from one that no step can show.
    change: Option<Ends>,
}

/// A quantity at the largest step, and at the smallest one further down.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ends {
    first: f64,
    /// None as long as no smaller step would show a quantity as large as the first.
    last: Option<f64>,
}

impl Ends {
    /// Notes a quantity of a step where rounding may contribute so much.
    fn note(known: Option<Self>, found: f64, rounding: f64) -> Self {
        match known {
            None => Self {
                first: found,
                last: None,
            },
            // What does not vanish would be seen here as well.
            Some(Self { first, .. }) if found > 2.0 * rounding || first > 4.0 * rounding => Self {
                first,
                last: Some(found),
            },
            Some(known) => known,
        }
    }
}

/// Least factor by which the change of an element must shrink if that is to say that its derivative is zero: a little less than that
/// of two steps.
const LEAST_SHRINKING: f64 = 8.0;

impl Element {
    /// Notes the gap of a step where all partials are zero, and how fast the element changes.
    fn zero(&mut self, gap: f64, rounding: f64, change: f64) {
        self.change = Some(Ends::note(self.change, change, rounding));
        if self.vanishing.is_some() || gap > 2.0 * rounding {
            self.vanishing = Some(Ends::note(self.vanishing, gap, rounding));
        }
    }

    /// Judges an element whose partials are all zero by its steps: the gap, 0 if it vanishes with the step. A gap that one step
    /// alone shows tells nothing.
    fn settle(&mut self) {
        let ends = self.vanishing.or(self.change);
        let Some(Ends { first, last }) = ends else {
            return;
        };
        if let (Some(_), Some(last)) = (self.vanishing, last) {
            let vanishes = last <= 0.5 * first;
            self.best = Some(if vanishes { 0.0 } else { f64::INFINITY });
        } else if self.vanishing.is_none() {
            let shrinks =
                first.is_finite() && last.is_some_and(|last| last * LEAST_SHRINKING <= first);
            self.best = (first == 0.0 || shrinks).then_some(0.0);
        }
    }
}

impl Comparison<'_> {
    /// Makes the comparison.
    pub(super) fn run(mut self) -> Compared {
        let mut found = vec![Element::default(); self.y_dot.len()];
        let mut kinks = Vec::new();
        // A run with a trace takes more memory than the runs before: without it, nothing is compared.
        let base = self.run_at(self.point);
        if let Some((y, base)) = self.within_limits(base) {
            if self.loose.is_some() {
                // The direction is in proportion to the independents, so that derivatives are compared with values: of a root
                // that was iterated for, the derivative by where the iteration began is next to nothing.
                for (scale, y) in self.scales.iter_mut().zip(&y) {
                    *scale = scale.abs().max(y.abs());
                }
            }
            kinks.extend(base.events.iter().map(|e| {
                let place = self.primal.place(&e.site);
                format!("{} {} in {place}", e.op.name(), e.event.describe())
            }));
            for exponent in 2..=7 {
                // Not the platform's power: the steps are the same everywhere.
                let h = powi(Math::Portable)(0.1, exponent);
                self.step(h, &y, &base, &mut found);
            }
        }
        let mut result = Differences {
            gap: None,
            compared: 0,
            crossed: 0,
            unresolved: 0,
            agrees: None,
        };
        for (i, element) in found.iter_mut().enumerate() {
            element.settle();
            match element.best {
                Some(gap) if gap <= self.tolerance => {
                    result.compared += 1;
                    result.agrees.get_or_insert(true);
                    result.gap = Some(result.gap.unwrap_or(0.0).max(gap));
                }
                _ if element.kinked || element.crossed || !kinks.is_empty() => result.crossed += 1,
                Some(gap) if self.may_be_rounding(i, gap) => result.unresolved += 1,
                Some(gap) => {
                    result.compared += 1;
                    result.agrees = Some(false);
                    // A NaN must not vanish in the maximum.
                    let worse = result.gap.is_none_or(|g| gap.is_nan() || gap > g);
                    result.gap = if worse { Some(gap) } else { result.gap };
                }
                None => result.unresolved += 1,
            }
        }
        Compared {
            differences: result,
            kinks,
            stopped: self.stopped,
        }
    }

    /// True if the gap of an element lies within a loose bound of rounding.
    fn may_be_rounding(&self, element: usize, gap: f64) -> bool {
        let bound = self.loose.and_then(|loose| loose.get(element));
        bound.is_some_and(|bound| gap * self.scales[element].abs() <= self.tolerance * bound.abs())
    }

    /// The results of a run that was not stopped; notes the limit that has stopped it, if it is the first.
    fn within_limits<T>(&mut self, run: Result<T, Diagnostics>) -> Option<T> {
        let problems = match run {
            Ok(found) => return Some(found),
            Err(problems) => problems,
        };
        let limit = problems.0.into_iter().find(is_limit);
        self.stopped = self.stopped.take().or(limit);
        None
    }

    /// All elements of the dependents at a point.
    fn run_at(&mut self, point: &Point) -> Result<(Vec<f64>, RunReport), Diagnostics> {
        let (values, report) = self.primal.values(point, self.dependents)?;
        Ok((elements(&values), report))
    }

    fn step(&mut self, h: f64, y: &[f64], base: &RunReport, found: &mut [Element]) {
        let forward = self.moved(h);
        let backward = self.moved(-h);
        let runs = [self.run_at(&forward), self.run_at(&backward)];
        let limited = runs.iter().any(|run| {
            let problems = run.as_ref().err();
            problems.is_some_and(|d| d.0.iter().any(is_limit))
        });
        let [above, below] = runs.map(|run| self.within_limits(run));
        let (Some((above, up)), Some((below, down))) = (above, below) else {
            if limited {
                return;
            }
            // Outside of what the program accepts, such as an index that no longer exists.
            for element in found {
                element.crossed = true;
            }
            return;
        };
        let same = |run: &RunReport| {
            run.trace.len() == base.trace.len()
                && run.trace.iter().zip(&base.trace).all(|(a, b)| {
                    (a.routine, a.activation, a.vertex) == (b.routine, b.activation, b.vertex)
                })
        };
        let same = same(&up) && same(&down);
        let smooth = up.pieces == base.pieces && down.pieces == base.pieces;
        let count = self.y_dot.len().min(above.len()).min(below.len());
        for (i, element) in found.iter_mut().enumerate().take(count) {
            if !same {
                element.crossed = true;
                continue;
            }
            let scale = self.scales[i].abs();
            let used = [self.y_dot[i], scale, y[i], above[i], below[i]];
            if used.iter().any(|x| !x.is_finite()) {
                continue;
            }
            let size = above[i].abs().max(below[i].abs()).max(y[i].abs());
            let difference = (above[i] - below[i]) / (2.0 * h);
            let gap = (difference - self.y_dot[i]).abs();
            // What the rounding of the two values alone may contribute.
            let rounding = 2.0 * (self.epsilon * size + self.tiny) / h;
            if scale == 0.0 {
                let change = (above[i] - y[i]).abs().max((below[i] - y[i]).abs());
                let change = change / h;
                let rounding = rounding + CHANGE_ROUNDINGS * self.epsilon * change / h;
                if smooth {
                    element.zero(gap, rounding, change);
                } else {
                    element.crossed |= gap > 2.0 * rounding;
                }
                continue;
            }
            if gap == 0.0 {
                element.best = Some(0.0);
            }
            if rounding > self.tolerance * scale {
                continue;
            }
            let gap = gap / scale;
            if !smooth && gap > self.tolerance {
                // Another piece tells nothing of an element, unless it has nothing to do with that.
                element.crossed = true;
                continue;
            }
            element.best = Some(element.best.map_or(gap, |best| best.min(gap)));
            let sides = ((above[i] - y[i]) - (y[i] - below[i])).abs() / h;
            element.kinked = sides > self.tolerance.sqrt() * scale;
        }
    }

    /// The point moved by h along the direction.
    fn moved(&self, h: f64) -> Point {
        let mut point = self.point.clone();
        let mut at = 0;
        for (slot, value) in self.independents {
            let mut moved = value.clone();
            for i in 0..value.len() {
                let x = value.get_f64(i).unwrap_or(0.0) + h * self.direction[at];
                set(&mut moved, i, x);
                at += 1;
            }
            match slot {
                Slot::Parameter(v) => {
                    if let Some(k) = point.position(*v) {
                        point.arguments[k] = moved.into();
                    }
                }
                Slot::Global(g) => {
                    point.globals.retain(|(other, _)| other != g);
                    point.globals.push((*g, moved));
                }
                Slot::Result(_) => {}
            }
        }
        point
    }
}

/// True if a higher limit would have let a run go on.
fn is_limit(problem: &Diagnostic) -> bool {
    ["X208", "X209", "X210", "X211"].contains(&problem.code)
}

#[cfg(test)]
mod tests {
    use super::{Element, Ends};

    /// An element after steps with gaps and changes, where the rounding is 1.
    fn element(steps: &[(f64, f64)]) -> Element {
        let mut element = Element::default();
        (steps.iter()).for_each(|(gap, change)| element.zero(*gap, 1.0, *change));
        element
    }

    /// The first gap is noted if it is more than twice its rounding, and a smaller one behind it if the first is more than four
    /// times the rounding.
    #[test]
    fn gaps_of_zeros_are_noted_from_a_factor_on() {
        let noted = |gaps: &[f64]| {
            let steps: Vec<(f64, f64)> = gaps.iter().map(|gap| (*gap, 0.0)).collect();
            let Ends { first, last } = element(&steps).vanishing?;
            Some((first, last))
        };
        let more = 2.0_f64.next_up();
        assert_eq!(noted(&[2.0]), None);
        assert_eq!(noted(&[more]), Some((more, None)));
        assert_eq!(noted(&[more, 2.0]), Some((more, None)));
        assert_eq!(noted(&[more, more]), Some((more, Some(more))));
        let more = 4.0_f64.next_up();
        assert_eq!(noted(&[4.0, 1.0]), Some((4.0, None)));
        assert_eq!(noted(&[more, 1.0]), Some((more, Some(1.0))));
    }

    /// A gap vanishes if it shrinks by half; where none is visible, the change must shrink by a factor of eight, or be none.
    #[test]
    fn derivatives_of_zero_are_told_by_what_vanishes() {
        let settled = |steps: &[(f64, f64)]| {
            let mut element = element(steps);
            element.settle();
            element.best
        };
        assert_eq!(settled(&[(16.0, 1.0), (8.0, 1.0)]), Some(0.0));
        let more = 8.0_f64.next_up();
        assert_eq!(settled(&[(16.0, 1.0), (more, 0.0)]), Some(f64::INFINITY));
        assert_eq!(settled(&[(1.0, 16.0), (0.0, 50.0), (1.0, 2.0)]), Some(0.0));
        let less = 16.0_f64.next_down();
        assert_eq!(settled(&[(1.0, less), (0.0, 50.0), (1.0, 2.0)]), None);
        // Nothing changes, and a change that no other step would show.
        assert_eq!(settled(&[(0.0, 0.0), (0.0, 0.0)]), Some(0.0));
        assert_eq!(settled(&[(0.0, 4.0), (0.0, 0.0)]), None);
        // A gap that no other step would show.
        assert_eq!(settled(&[(3.0, 1e3), (0.0, 1.0)]), None);
        assert_eq!(settled(&[(0.5, f64::INFINITY), (0.5, 1.0)]), None);
        assert_eq!(settled(&[]), None);
    }
}
