//! Are the derivatives right? Adjoint against tangent, tangent against divided differences.
//!
//! **Dot product.** For a random seed ȳ and direction ẋ, ȳ·(F′ẋ) and (F′ᵀȳ)·ẋ are the same number,
//! computed by two different programs. They may differ by rounding, which is small relative to s, the same
//! product with the absolute values of seed, direction and every local partial. s is computed by a third
//! program, the tangent program with absolute partials (`absolute.rs`). Seeds are scaled so that each element
//! of the dependents contributes about as much to s; otherwise an error in a small one would hide behind
//! a large one. Where a routine given by the user stands in the way of absolute partials, s is
//! Σ|ȳẏ| + Σ|x̄ẋ|, which is smaller; if the numbers differ by more than that explains, rounding is measured: both
//! programs are linear in seed and direction, so what the results for the two parts of a seed, or of a direction, lack
//! in being the result for the whole is rounding, and no error of a derivative.
//!
//! **Differences.** Each element of F′ẋ is compared with (F(x + hẋ) − F(x − hẋ))/2h for steps h from 1e-2 to
//! 1e-7, relative to its own share of s; the best step counts. A step is not used where the two runs visit
//! other vertices than the run at x, or are on another piece of a function with kinks or jumps (`abs`,
//! `floor`, comparisons, ...), nor where the rounding of F alone would exceed the tolerance. If
//! the differences to the two sides of x do not agree, there is a kink between; that is reported and does
//! not fail. If nothing at all could be compared, the check has no answer.
//!
//! **Underflow.** Results below the smallest normal number have an absolute error, whatever their size. So
//! much is granted to each element of F, F′ẋ and F′ᵀȳ.
//!
//! **32-bit reals.** Programs with an operation, constant or variable of 32 bits are held to 1e-4 and 1e-2, if
//! the tolerances given are smaller.
//!
//! **Infinities and NaN.** Of derivatives that are not finite, only this can be compared: that adjoint and
//! tangent give the same infinity, or both NaN. The elements concerned are counted and left out of
//! everything else.

use crate::absolute::absolute;
use crate::codes;
use crate::mode::{Adjoint, Gradient, Named, Options, Primal, Tangent};
use crate::point::Point;
use crate::single::has_real32;
use crate::slot::Slot;
use cfg_core::diagnostic::{Diagnostic, Diagnostics, Severity};
use cfg_core::elemental::{Math, Scalar, powi};
use cfg_core::entity::RoutineId;
use cfg_core::ir::ScalarType;
use cfg_core::validate::ValidProgram;
use cfg_exec::{RunReport, Value};

/// Largest relative gaps that are put down to rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerances {
    /// Between adjoint and tangent.
    pub dot_product: f64,
    /// Between tangent and divided differences.
    pub differences: f64,
}

impl Default for Tolerances {
    fn default() -> Self {
        Self {
            dot_product: 1e-10,
            differences: 1e-5,
        }
    }
}

/// Adjoint against tangent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DotProduct {
    /// (F′ᵀȳ)·ẋ.
    pub adjoint: f64,
    /// ȳ·(F′ẋ).
    pub tangent: f64,
    /// The sum of absolute values that they are measured by.
    pub scale: f64,
    /// |adjoint − tangent| / scale, less what underflow explains; NaN if these are not finite.
    pub gap: f64,
    /// Elements of the dependents whose derivatives are infinite or NaN, so that only this was compared.
    pub not_finite: usize,
    /// True if the gap is within the tolerance, and what is not finite is the same.
    pub agrees: bool,
}

/// Tangent against divided differences.
#[derive(Clone, Debug, PartialEq)]
pub struct Differences {
    /// Largest relative gap of an element that could be compared; `None` if there was none.
    pub gap: Option<f64>,
    /// Elements that were compared.
    pub compared: usize,
    /// Elements at which the differences cross a branch or a kink.
    pub crossed: usize,
    /// Elements whose differences drown in rounding at every step, or whose value or derivative is
    /// infinite or NaN.
    pub unresolved: usize,
    /// False if an element that was compared disagrees; `None` if none was compared.
    pub agrees: Option<bool>,
}

/// The stacks of the tape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// Values pushed in the gradient run.
    pub pushes: u64,
    /// Values popped in the gradient run.
    pub pops: u64,
    /// True if nothing was left on any tape.
    pub empty: bool,
    /// Problems that the static stack checker has found: paths on which a pop does not meet its push.
    pub problems: usize,
    /// True if the stacks are empty and there are no problems.
    pub agrees: bool,
}

/// All checks.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// Adjoint against tangent.
    pub dot_product: DotProduct,
    /// Tangent against differences.
    pub differences: Differences,
    /// The tape.
    pub stack: Stack,
    /// Remarks and failures, for people.
    pub remarks: Diagnostics,
}

impl Checked {
    /// False if anything disagrees. True if nothing does and there was something to compare; `None` if no
    /// difference could be compared.
    pub fn agrees(&self) -> Option<bool> {
        if self.dot_product.agrees && self.stack.agrees {
            self.differences.agrees
        } else {
            Some(false)
        }
    }
}

/// Checks the derivatives of a routine at a point.
///
/// # Errors
/// What cannot be differentiated; what goes wrong in a run. Disagreement is no error: see
/// [`Checked::agrees`].
pub fn check(
    program: &ValidProgram,
    routine: RoutineId,
    options: &Options,
    read_point: impl FnOnce(&Primal) -> Result<Point, Diagnostics>,
    tolerances: Tolerances,
) -> Result<Checked, Diagnostics> {
    let plain = Options {
        trace: false,
        events: false,
        ..options.clone()
    };
    let generated = cfg_reverse::tangent(program, routine)?;
    let bounds = absolute(&generated).map(|program| cfg_reverse::Tangent {
        program,
        ..generated.clone()
    });
    let mut tangent = Tangent::of(generated, &plain)?;
    let mut adjoint = Adjoint::new(program, routine, &plain)?;
    let mut primal = Primal::new(
        program,
        routine,
        &Options {
            trace: true,
            events: true,
            ..options.clone()
        },
    )?;
    let point = read_point(&primal)?;

    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (independents, _held) = primal.independents_at(&point)?;
    let direction = random.direction(&independents);
    let run = tangent.tangent(&point, &direction)?;
    // Of the independents, directions, their sizes and moved points; of the dependents, values, seeds, and what is
    // known of each element.
    let count = |lengths: &mut dyn Iterator<Item = usize>| lengths.sum::<usize>() as u64;
    let inputs = count(&mut independents.iter().map(|(_, v)| v.len()));
    let outputs = count(&mut run.tangent.iter().map(|(_, v)| v.len()));
    let of_each = 8 + size_of::<Element>().div_ceil(8) as u64;
    let words = (5 * inputs).saturating_add(outputs.saturating_mul(of_each));
    let _room = plain.lease(words, program.routine(routine))?;
    let y_dot = elements(&run.tangent);
    // |F'||ẋ|, element by element.
    let scales = match bounds {
        Some(bounds) => {
            let sizes: Vec<Value> = direction.iter().map(|v| map(v, f64::abs)).collect();
            let mut bounds = Tangent::of(bounds, &plain)?;
            Some(elements(&bounds.tangent(&point, &sizes)?.tangent))
        }
        None => None,
    };
    let mut seed = random.seed(&run.tangent, scales.as_deref().unwrap_or(&y_dot));
    let mut gradient = adjoint.gradient(&point, &seed)?;

    let single = has_real32(program);
    let tolerances = Tolerances {
        dot_product: tolerances.dot_product.max(if single { 1e-4 } else { 0.0 }),
        differences: tolerances.differences.max(if single { 1e-2 } else { 0.0 }),
    };
    let (epsilon, tiny) = if single {
        (f64::from(f32::EPSILON), f64::from(f32::MIN_POSITIVE))
    } else {
        (f64::EPSILON, f64::MIN_POSITIVE)
    };
    let x_dot = flat(&direction);
    let products = |gradient: &Gradient, seed: &[Value]| {
        let y_bar = flat(seed);
        let x_bar = elements(&gradient.gradient);
        let bound = scales.as_ref().map(|s| dot(&y_bar, s, f64::abs));
        // One that has overflowed measures nothing.
        let scale = bound
            .filter(|s| s.is_finite())
            .unwrap_or_else(|| dot(&y_bar, &y_dot, f64::abs) + dot(&x_bar, &x_dot, f64::abs));
        let sizes = y_bar.iter().chain(&x_dot).map(|x| x.abs());
        let underflow = sizes.sum::<f64>() * tiny;
        dot_product(
            dot(&x_bar, &x_dot, |x| x),
            dot(&y_bar, &y_dot, |x| x),
            scale,
            underflow,
            tolerances.dot_product,
        )
    };
    let mut dot_product = products(&gradient, &seed);
    if !dot_product.agrees && scales.is_none() && dot_product.gap.is_finite() {
        let y_bar = flat(&seed);
        let parts = random
            .parts(&seed)
            .map(|part| adjoint.gradient(&point, &part));
        let [a, b] = parts;
        let lacking = lack(&a?.gradient, &b?.gradient, &gradient.gradient, &x_dot);
        let parts = random
            .parts(&direction)
            .map(|part| tangent.tangent(&point, &part));
        let [a, b] = parts;
        let rounding = lacking + lack(&a?.tangent, &b?.tangent, &run.tangent, &y_bar);
        dot_product.grant(MANY * rounding, tolerances.dot_product);
    }
    let not_finite = y_dot.iter().filter(|d| !d.is_finite()).count();
    if not_finite > 0 && not_finite < y_dot.len() {
        // Infinities hide all the rest.
        clear_seed(&mut seed, &y_dot);
        gradient = adjoint.gradient(&point, &seed)?;
        let rest = products(&gradient, &seed);
        dot_product = DotProduct {
            agrees: rest.agrees && dot_product.agrees,
            ..rest
        };
    }
    dot_product.not_finite = not_finite;
    let found = tape_check::check_program(adjoint.program()).problems;
    let problems = found
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .count();
    let empty = gradient.tape.leftovers.iter().all(|l| l.is_empty());
    let stack = Stack {
        pushes: gradient.tape.pushes,
        pops: gradient.tape.pops,
        empty,
        problems,
        agrees: empty && problems == 0,
    };
    let dependents = primal.dependents_at(&point)?;
    let Compared {
        differences,
        kinks,
        stopped,
    } = Comparison {
        primal: &mut primal,
        point: &point,
        independents: &independents,
        direction: &x_dot,
        dependents: &dependents,
        y_dot: &y_dot,
        scales: scales.as_deref().unwrap_or(&y_dot),
        tolerance: tolerances.differences,
        epsilon,
        tiny,
        stopped: None,
    }
    .run();
    let mut checked = Checked {
        dot_product,
        differences,
        stack,
        remarks: found,
    };
    remark(&mut checked, &kinks, stopped);
    Ok(checked)
}

/// Says in words what does not agree or could not be compared.
fn remark(checked: &mut Checked, kinks: &[String], stopped: Option<Diagnostic>) {
    let d = checked.dot_product;
    let mut failures = Vec::new();
    if !d.agrees {
        failures.push(format!(
            "adjoint {:e} and tangent {:e} differ by {:e} of their scale",
            d.adjoint, d.tangent, d.gap
        ));
    }
    if checked.differences.agrees == Some(false) {
        failures.push(format!(
            "tangent and divided differences differ by {:e} of their scale",
            checked.differences.gap.unwrap_or(f64::NAN)
        ));
    }
    if !checked.stack.empty {
        failures.push("the reverse sweep has left values on the tape".to_owned());
    }
    for message in failures {
        checked.remarks.push(Diagnostic::error(
            &codes::DISAGREE,
            message,
            "see `cfgrev explain P432`",
        ));
    }
    if d.not_finite > 0 {
        let message = format!(
            "{} elements of the dependents have derivatives that are infinite or NaN: adjoint and tangent \
             were compared in this, and nothing else was checked of them",
            d.not_finite
        );
        let help = "choose a point at which values and derivatives are finite";
        let warning = Diagnostic::error(&codes::NOT_FINITE, message, help).warning();
        checked.remarks.push(warning);
    }
    let d = &checked.differences;
    if d.crossed > 0 {
        let met = match kinks.first() {
            Some(kink) => format!(" ({kink})"),
            None => String::new(),
        };
        let message = format!(
            "{} elements were not compared with differences, which cross a branch or a kink{met}",
            d.crossed
        );
        let help = "move the point a little to have the comparison made";
        let warning = Diagnostic::error(&codes::CROSSED, message, help).warning();
        checked.remarks.push(warning);
    }
    if let Some(problem) = stopped {
        let what = match d.compared {
            0 => "no difference was computed",
            _ => "not every difference was computed",
        };
        let message = format!("{what}: [{}] {}", problem.code, problem.message);
        let warning = Diagnostic::error(&codes::NOT_RUN, message, problem.help).warning();
        checked.remarks.push(Diagnostic {
            at: problem.at,
            ..warning
        });
    } else if d.agrees.is_none() {
        let message = format!(
            "no difference could be compared: {} cross a branch or a kink, {} drown in rounding or are not \
             finite",
            d.crossed, d.unresolved
        );
        let help = "choose another point; `cfgrev explain P434` says what makes a good one";
        let warning = Diagnostic::error(&codes::NOTHING_COMPARED, message, help).warning();
        checked.remarks.push(warning);
    }
}

/// What two results for parts lack in being the one for the whole, weighted.
fn lack(a: &Named, b: &Named, whole: &Named, weights: &[f64]) -> f64 {
    let (a, b, whole) = (elements(a), elements(b), elements(whole));
    let missing = a.iter().zip(&b).zip(&whole).map(|((a, b), w)| a + b - w);
    dot(&missing.collect::<Vec<_>>(), weights, f64::abs)
}

/// How many times the rounding that was measured once is put down to rounding.
const MANY: f64 = 64.0;

impl DotProduct {
    /// Puts so much of the difference down to rounding.
    fn grant(&mut self, rounding: f64, tolerance: f64) {
        let difference = (self.adjoint - self.tangent).abs() - rounding;
        if difference.is_finite() {
            self.gap = self.gap.min(difference.max(0.0) / self.scale);
            self.agrees = self.gap <= tolerance;
        }
    }
}

fn dot_product(
    adjoint: f64,
    tangent: f64,
    scale: f64,
    underflow: f64,
    tolerance: f64,
) -> DotProduct {
    let difference = (adjoint - tangent).abs();
    // Of nothing, no part can be wrong.
    let gap = if difference == 0.0 || difference <= underflow {
        0.0
    } else {
        (difference - underflow) / scale
    };
    let same = adjoint == tangent || (adjoint.is_nan() && tangent.is_nan());
    DotProduct {
        adjoint,
        tangent,
        scale,
        gap,
        not_finite: 0,
        agrees: gap <= tolerance || same,
    }
}

/// Everything that the comparison with differences needs.
struct Comparison<'a> {
    primal: &'a mut Primal,
    point: &'a Point,
    independents: &'a [(Slot, Value)],
    direction: &'a [f64],
    dependents: &'a [Slot],
    y_dot: &'a [f64],
    scales: &'a [f64],
    tolerance: f64,
    /// Relative and absolute error of an operation.
    epsilon: f64,
    tiny: f64,
    /// The first run that a limit has stopped.
    stopped: Option<Diagnostic>,
}

/// What a comparison has found.
struct Compared {
    differences: Differences,
    /// The kinks that the run at the point itself came across.
    kinks: Vec<String>,
    /// Why a run could not be made within the limits.
    stopped: Option<Diagnostic>,
}

/// What is known of one element after some steps.
#[derive(Clone, Copy, Default)]
struct Element {
    /// Smallest relative gap.
    best: Option<f64>,
    /// The differences to both sides disagree at every step looked at.
    kinked: bool,
    /// Some step was spoilt by another path.
    crossed: bool,
    /// If all partials are zero: the gap at the largest and at the smallest step. Where the derivative
    /// really is zero (that of x^3 at 0, say), the gap vanishes with the step.
    vanishing: Option<(f64, f64)>,
}

impl Element {
    /// Notes the gap of a step where all partials are zero.
    fn zero(&mut self, gap: f64, rounding: f64) {
        let visible = gap > 2.0 * rounding;
        self.vanishing = match self.vanishing {
            None => visible.then_some((gap, gap)),
            // A gap that does not vanish would be seen here as well.
            Some((first, _)) if visible || first > 4.0 * rounding => Some((first, gap)),
            known => known,
        };
    }
}

impl Comparison<'_> {
    fn run(mut self) -> Compared {
        let mut found = vec![Element::default(); self.y_dot.len()];
        let mut kinks = Vec::new();
        // A run with a trace takes more memory than the runs before: without it, nothing is compared.
        let base = self.run_at(self.point);
        if let Some((y, base)) = self.within_limits(base) {
            kinks.extend(
                base.events
                    .iter()
                    .map(|e| format!("{} {} in {}", e.op.name(), e.event.describe(), e.element)),
            );
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
        for element in &mut found {
            if let Some((first, last)) = element.vanishing {
                let vanishes = last <= 0.5 * first;
                element.best = Some(if vanishes { 0.0 } else { f64::INFINITY });
            }
            match element.best {
                Some(gap) if gap <= self.tolerance => {
                    result.compared += 1;
                    result.agrees.get_or_insert(true);
                    result.gap = Some(result.gap.unwrap_or(0.0).max(gap));
                }
                _ if element.kinked || element.crossed || !kinks.is_empty() => result.crossed += 1,
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

    /// What a run has given; notes the limit that has stopped it, if it is the first.
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
            if gap == 0.0 {
                element.best = Some(0.0);
            }
            // What the rounding of the two values alone may contribute.
            let rounding = 2.0 * (self.epsilon * size + self.tiny) / h;
            if scale == 0.0 {
                if smooth {
                    element.zero(gap, rounding);
                } else {
                    element.crossed |= gap > 2.0 * rounding;
                }
                continue;
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
                    if let Some(argument) = point.arguments.get_mut(v.index()) {
                        *argument = moved.into();
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

/// Zero for elements whose derivatives are not finite.
fn clear_seed(seed: &mut [Value], derivatives: &[f64]) {
    let mut derivatives = derivatives.iter();
    for value in seed {
        for i in 0..value.len() {
            if derivatives.next().is_some_and(|d| !d.is_finite()) {
                set(value, i, 0.0);
            }
        }
    }
}

fn dot(a: &[f64], b: &[f64], of: impl Fn(f64) -> f64) -> f64 {
    // Zero times infinity is no contribution: strong products everywhere else, too.
    let products = a.iter().zip(b).filter(|(x, _)| **x != 0.0);
    products.map(|(x, y)| of(x * y)).sum()
}

fn elements(values: &Named) -> Vec<f64> {
    values.iter().flat_map(|(_, v)| all(v)).collect()
}

fn flat(values: &[Value]) -> Vec<f64> {
    values.iter().flat_map(all).collect()
}

fn all(value: &Value) -> impl Iterator<Item = f64> + '_ {
    (0..value.len()).map(|i| value.get_f64(i).unwrap_or(f64::NAN))
}

fn map(value: &Value, of: impl Fn(f64) -> f64) -> Value {
    let mut mapped = value.clone();
    for i in 0..value.len() {
        set(&mut mapped, i, of(value.get_f64(i).unwrap_or(0.0)));
    }
    mapped
}

fn set(value: &mut Value, i: usize, x: f64) {
    match value.ty() {
        ScalarType::Real32 => value.set(i, Scalar::Real32(x as f32)),
        _ => value.set(i, Scalar::Real(x)),
    };
}

/// True if a number is normal in the type of a value.
fn normal(value: &Value, x: f64) -> bool {
    match value.ty() {
        ScalarType::Real32 => (x as f32).is_normal(),
        _ => x.is_normal(),
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every machine.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Between 1/2 and 1 in size, of either sign; a multiple of 1/64, so that it is exact in 32 bits.
    fn number(&mut self) -> f64 {
        let bits = self.bits();
        let size = 0.5 + f64::from((bits % 33) as u8) / 64.0;
        if bits >> 63 == 0 { size } else { -size }
    }

    /// Two parts of each element that add up to it, the first the larger one.
    fn parts(&mut self, whole: &[Value]) -> [Vec<Value>; 2] {
        let (mut first, mut second) = (whole.to_vec(), whole.to_vec());
        for (k, value) in whole.iter().enumerate() {
            for i in 0..value.len() {
                let x = value.get_f64(i).unwrap_or(0.0);
                let part = x * self.number().abs();
                set(&mut first[k], i, part);
                set(&mut second[k], i, x - part);
            }
        }
        [first, second]
    }

    /// In proportion to the independents, so that one relative step suits all of them.
    fn direction(&mut self, independents: &[(Slot, Value)]) -> Vec<Value> {
        let mut direction = Vec::with_capacity(independents.len());
        for (_, value) in independents {
            let mut d = value.clone();
            for i in 0..value.len() {
                let x = value.get_f64(i).unwrap_or(0.0).abs();
                let size = if normal(value, x) { x } else { 1.0 };
                set(&mut d, i, self.number() * size);
            }
            direction.push(d);
        }
        direction
    }

    /// In inverse proportion to the scales of the dependents.
    fn seed(&mut self, dependents: &Named, scales: &[f64]) -> Vec<Value> {
        let mut scales = scales.iter();
        let mut seed = Vec::with_capacity(dependents.len());
        for (_, value) in dependents {
            let mut s = value.clone();
            for i in 0..value.len() {
                let scale = scales.next().map_or(1.0, |s| s.abs());
                // Far from overflow, so that products with partials do not overflow either.
                let most = match value.ty() {
                    ScalarType::Real32 => f64::from(f32::MAX).sqrt(),
                    _ => f64::MAX.sqrt(),
                };
                let size = if scale > 0.0 && scale.is_finite() {
                    (1.0 / scale).clamp(1.0 / most, most)
                } else {
                    1.0
                };
                set(&mut s, i, self.number() * size);
            }
            seed.push(s);
        }
        seed
    }
}
