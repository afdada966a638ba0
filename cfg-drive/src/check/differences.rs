//! Tangent against divided differences: runs at points to both sides, element by element.

use super::Differences;
use super::elements::{collect_elements, set};
use crate::mode::Primal;
use crate::point::Point;
use crate::slot::Slot;
use cfg_core::diagnostic::{
    Diagnostic, Diagnostics,
    site::{self, Site},
};
use cfg_core::elemental::{Math, powi};
use cfg_exec::{RunReport, Value, Visited};

/// The part of an element's change over a step that may be rounding, in units of the rounding of the step.
///
/// A moved point is rounded, so up to 2ε/h of the step is uncertain, and the same part of each term of the change,
/// times its degree. Terms that cancel may be far larger than the resulting change, hence the large factor. With it,
/// the change due to a derivative that is wrongly 0 stays visible at all steps in 64 bits, and at two of them in 32.
const CHANGE_ROUNDINGS: f64 = 1024.0;

/// Everything that the comparison with differences needs.
pub(super) struct Comparison<'a> {
    pub(super) primal: &'a mut Primal,
    pub(super) point: &'a Point,
    pub(super) independents: &'a [(Slot, Value)],
    pub(super) direction: &'a [f64],
    pub(super) dependents: &'a [Slot],
    pub(super) y_dot: &'a [f64],
    /// The scale of each element, to which gaps are relative.
    pub(super) scales: Vec<f64>,
    /// Bounds of rounding that are too loose to be scales, if there are any: a gap within them may be rounding.
    pub(super) loose: Option<&'a [f64]>,
    pub(super) tolerance: f64,
    /// Relative and absolute error of an operation.
    pub(super) epsilon: f64,
    pub(super) tiny: f64,
    /// The first run that a limit has stopped.
    pub(super) stopped: Option<Diagnostic>,
    /// The first branch at which a run has left the path of the run at the point.
    pub(super) left: Option<Site>,
}

/// The result of a comparison with differences.
pub(super) struct Compared {
    pub(super) differences: Differences,
    /// The kink or jump met by the run at the point itself, or the branch at which neighbouring runs take another
    /// way.
    pub(super) crossing: Option<Crossing>,
    /// The problem of a run that exceeded the limits.
    pub(super) stopped: Option<Diagnostic>,
}

/// A place at which a program is not smooth, and the kind of it.
pub(super) struct Crossing {
    pub(super) what: String,
    pub(super) site: Site,
}

/// The state of one element of the dependents after some steps.
#[derive(Clone, Copy, Default)]
pub(super) struct Element {
    /// Smallest relative gap.
    best: Option<f64>,
    /// The relative gap at the last step.
    last: Option<f64>,
    /// True if the gap at the last step is less than half that of the step before: smaller steps would tell more.
    shrinks: bool,
    /// True if the differences to both sides disagree at every step so far.
    kinked: bool,
    /// True if some step led to another path.
    crossed: bool,
    /// The gaps that exceed their rounding.
    visible: Visible,
    /// The size of the derivative at the last visible gap: that of the tangent or of the difference, whichever is
    /// larger.
    derivative: f64,
}

/// The *visible* gaps of an element, those that exceed their rounding, over the steps.
///
/// If all partials are zero and the derivative really is zero (that of x^3 at 0, say), the gap vanishes with the
/// step. A forgotten derivative leaves a gap that lasts, whatever else vanishes. With partials that are not zero, a
/// gap that lasts is a forgotten derivative, too, however small it is relative to the sum of absolute values: in a
/// recursion whose terms cancel, that sum grows without bound.
#[derive(Clone, Copy, Default)]
struct Visible {
    /// The first gap.
    first: Option<f64>,
    /// The last gap, with its sign.
    last: Option<f64>,
    /// The last gap that was about equal to that of the step before; none if it has shrunk since.
    lasting: Option<f64>,
    /// The number of times that a gap was about equal to that of the step before; 0 if it has shrunk since.
    repeated: u32,
    /// True if the first gap has shrunk.
    vanishes: bool,
    /// The slope of the element on the side where it changes more, at the largest and at the smallest step. If no gap
    /// is visible, the two tell a derivative of zero from one that no step can show.
    change: Option<(f64, f64)>,
}

/// Least factor by which the slope of an element must shrink to prove, by itself, that the derivative is zero: a
/// hundredth of the factor between the steps.
const LEAST_SHRINKING: f64 = 1e3;

/// Largest relative difference of the gaps at two steps that count as one derivative. A gap that vanishes with the
/// step as h^p differs by more from p = 0.05 on.
const LASTING: f64 = 0.1;

impl Visible {
    /// Notes the gap of a step, with its sign, and the slope of the element.
    fn note(&mut self, gap: f64, rounding: f64, change: f64) {
        self.change = Some((self.change.map_or(change, |(first, _)| first), change));
        // A gap that is not visible is at most this large.
        let least = 2.0 * rounding;
        let at_most = gap.abs().max(least);
        let shrinks = |from: f64| at_most <= 0.5 * from;
        self.vanishes |= self.first.is_some_and(shrinks);
        self.lasting = self.lasting.filter(|from| !shrinks(*from));
        if self.lasting.is_none() {
            self.repeated = 0;
        }
        if gap.abs() > least {
            self.first.get_or_insert(gap.abs());
            if let Some(before) = self.last.replace(gap)
                && (gap / before - 1.0).abs() <= LASTING
            {
                self.lasting = Some(gap.abs());
                self.repeated += 1;
            }
        }
    }

    /// The gap of an element whose partials are all zero: 0 if it vanishes with the step, infinite if it lasts,
    /// otherwise `known`.
    fn settled(&self, known: Option<f64>) -> Option<f64> {
        match (self.first, self.change) {
            (Some(_), _) if self.lasting.is_some() => Some(f64::INFINITY),
            (Some(_), _) => self.vanishes.then_some(0.0),
            (None, Some((first, last))) if first.is_finite() && last * LEAST_SHRINKING <= first => {
                Some(0.0)
            }
            (None, _) => known,
        }
    }
}

/// The position at which two paths part; none if they are the same.
fn left_at(base: &[Visited], other: &[Visited]) -> Option<usize> {
    let key = |at: &Visited| (at.routine, at.activation, at.vertex);
    let same = (base.iter().zip(other)).take_while(|(a, b)| key(a) == key(b));
    let same = same.count();
    (base.len() != other.len() || same < base.len()).then_some(same)
}

/// The number of times that a gap must be about equal to that of the step before, so that it is no rounding.
const REPEATED: u32 = 2;

impl Element {
    /// The gap that several steps show, relative to the derivative; `None` if it is within the tolerance.
    fn lasting(&self, tolerance: f64) -> Option<f64> {
        let lasting = self
            .visible
            .lasting
            .filter(|_| self.visible.repeated >= REPEATED)?;
        let gap = lasting / self.derivative;
        (gap > tolerance).then_some(gap)
    }
}

impl Comparison<'_> {
    /// Makes the comparison.
    pub(super) fn run(mut self) -> Compared {
        let mut found = vec![Element::default(); self.y_dot.len()];
        let mut kink = None;
        // A run with a trace takes more memory than the runs before: without it, nothing is compared.
        let base = self.run_at(self.point);
        if let Some((y, base)) = self.within_limits(base) {
            if self.loose.is_some() {
                // The direction is in proportion to the independents, so derivatives and values are comparable, and
                // the value bounds the scale from below: the derivative of a root found by iteration, with respect to
                // the starting point, is almost 0.
                for (scale, y) in self.scales.iter_mut().zip(&y) {
                    *scale = scale.abs().max(y.abs());
                }
            }
            kink = base.events.first().map(|e| Crossing {
                what: format!("{} {}", e.op.name(), e.event.describe()),
                site: e.site.clone(),
            });
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
            if self.scales[i] == 0.0 {
                element.best = element.visible.settled(element.best);
            } else if !element.crossed && kink.is_none() {
                element.best = element.lasting(self.tolerance).or(element.best);
            }
            match element.best {
                Some(gap) if gap <= self.tolerance => {
                    result.compared += 1;
                    result.agrees.get_or_insert(true);
                    result.gap = Some(result.gap.unwrap_or(0.0).max(gap));
                }
                _ if element.kinked || element.crossed || kink.is_some() => result.crossed += 1,
                Some(gap) if element.shrinks || self.may_be_rounding(i, gap) => {
                    result.unresolved += 1;
                }
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
        let left = self.left.map(|site| Crossing {
            what: "a branch that goes another way".to_owned(),
            site,
        });
        Compared {
            differences: result,
            crossing: kink.or(left),
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
        Ok((collect_elements(&values), report))
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
            // The moved point is outside of the domain of the program; an index may no longer exist, for example.
            for element in found {
                element.crossed = true;
            }
            return;
        };
        let left = [&up, &down].map(|run| left_at(&base.trace, &run.trace));
        let same = left == [None, None];
        let last = |k: usize| base.trace.get(k.checked_sub(1)?);
        let branch = left.into_iter().flatten().min().and_then(last);
        let branch = branch.map(|at| Site::whole(at.routine, site::Element::Vertex(at.vertex)));
        self.left = self.left.take().or(branch);
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
            let signed = difference - self.y_dot[i];
            let gap = signed.abs();
            if gap == 0.0 {
                element.best = Some(0.0);
            }
            // The possible contribution of the rounding of the two values.
            let rounding = 2.0 * (self.epsilon * size + self.tiny) / h;
            let change = (above[i] - y[i]).abs().max((below[i] - y[i]).abs()) / h;
            let uncertain = CHANGE_ROUNDINGS * self.epsilon * (change / h + scale);
            let sides = ((above[i] - y[i]) - (y[i] - below[i])).abs() / h;
            if scale == 0.0 {
                let rounding = rounding + uncertain;
                if smooth {
                    element.visible.note(signed, rounding, change);
                } else {
                    element.crossed |= gap > 2.0 * rounding;
                }
                continue;
            }
            let derivative = difference.abs().max(self.y_dot[i].abs());
            if smooth && sides <= self.tolerance.sqrt() * derivative {
                element.visible.note(signed, rounding + uncertain, change);
                element.derivative = derivative;
            }
            if rounding > self.tolerance * scale {
                continue;
            }
            let gap = gap / scale;
            if !smooth && gap > self.tolerance {
                // Another piece of a kinked function says nothing about an element, unless the element does not
                // depend on it.
                element.crossed = true;
                continue;
            }
            element.best = Some(element.best.map_or(gap, |best| best.min(gap)));
            let before = element.last.replace(gap);
            element.shrinks = before.is_some_and(|before| gap <= 0.5 * before);
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
    use super::Visible;

    /// The visible gaps after steps with a rounding of 1 and these gaps and slopes.
    fn noted(steps: &[(f64, f64)]) -> Visible {
        let mut visible = Visible::default();
        (steps.iter()).for_each(|(gap, change)| visible.note(*gap, 1.0, *change));
        visible
    }

    /// A gap is visible if it is more than twice its rounding, and vanishes if it shrinks by half.
    #[test]
    fn gaps_of_zeros_vanish_from_a_factor_on() {
        let settled = |gaps: &[f64]| {
            let steps: Vec<(f64, f64)> = gaps.iter().map(|gap| (*gap, 1.0)).collect();
            noted(&steps).settled(None)
        };
        let more = 2.0_f64.next_up();
        assert_eq!(noted(&[(2.0, 0.0)]).first, None);
        assert_eq!(noted(&[(-more, 0.0)]).first, Some(more));
        assert_eq!(settled(&[16.0, -8.0]), Some(0.0));
        assert_eq!(settled(&[16.0, 8.0_f64.next_up()]), None);
        // The next gap may be as large as twice its rounding.
        assert_eq!(settled(&[4.0, 0.0]), Some(0.0));
        assert_eq!(settled(&[4.0_f64.next_down(), 0.0]), None);
        // Steps behind one that shows less are compared as well.
        assert_eq!(settled(&[16.0, 12.0, 8.0]), Some(0.0));
        assert_eq!(settled(&[16.0, 4.0, 64.0]), Some(0.0));
    }

    /// A gap that lasts from one step to another is a derivative, unless it shrinks after all.
    #[test]
    fn gaps_that_last_are_derivatives() {
        let settled = |gaps: &[f64]| {
            let steps: Vec<(f64, f64)> = gaps.iter().map(|gap| (*gap, 1.0)).collect();
            noted(&steps).settled(Some(0.0))
        };
        let wrong = Some(f64::INFINITY);
        assert_eq!(settled(&[10.0, 10.5]), wrong);
        assert_eq!(settled(&[-10.0, -9.5, 0.0, -9.75]), wrong);
        assert_eq!(settled(&[1e9, 1e7, 1e5, 1e4, 9.5e3]), wrong);
        assert_eq!(settled(&[1e9, 10.0, 9.5, 5.5]), wrong);
        assert_eq!(settled(&[10.0, 9.5, 4.75]), Some(0.0));
        assert_eq!(settled(&[10.0, -10.0]), None);
        assert_eq!(settled(&[10.0, 8.5]), None);
        assert_eq!(settled(&[10.0, 11.5]), None);
    }

    /// Where no gap is visible, the change must shrink by a factor of a thousand.
    #[test]
    fn derivatives_of_zero_are_told_by_changes_that_vanish() {
        let settled = |steps: &[(f64, f64)]| noted(steps).settled(None);
        assert_eq!(settled(&[(1.0, 1e3), (0.0, 5e3), (1.0, 1.0)]), Some(0.0));
        let less = 1e3_f64.next_down();
        assert_eq!(settled(&[(1.0, less), (0.0, 5e3), (1.0, 1.0)]), None);
        assert_eq!(settled(&[(0.5, f64::INFINITY)]), None);
        assert_eq!(settled(&[]), None);
        assert_eq!(noted(&[(0.5, 1.0)]).settled(Some(0.0)), Some(0.0));
    }
}
