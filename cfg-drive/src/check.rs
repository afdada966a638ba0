//! Checks of derivatives: adjoint against tangent, tangent against divided differences.
//!
//! This check runs programs at a point; the command `cfgrev check` prints its results. The static check of pushes and
//! pops on all paths is the crate `tape-check`.
//!
//! **Dot product.** For a random seed ȳ and direction ẋ, ȳ·(F′ẋ) and (F′ᵀȳ)·ẋ are the same number,
//! computed by two different programs. They may differ by rounding, which is small relative to s, the same
//! product with the absolute values of seed, direction and every local partial. s is computed by a third
//! program, the tangent program with absolute partials (`absolute.rs`). Seeds are scaled so that each element
//! of the dependents contributes about as much to s; otherwise an error in a small one would hide behind
//! a large one. In two cases absolute partials are of no use: a routine given by the user has none, and in an
//! iteration they may grow so far beyond all derivatives that any derivative would agree. Then s is Σ|ȳẏ| + Σ|x̄ẋ|,
//! which is smaller. If the numbers differ by more than this s explains, rounding is measured: both programs are
//! linear in seed and direction, so if the results for two parts of a seed, or of a direction, do not add up to the
//! result for the whole, the lack is rounding, and no error of a derivative. In the second case differences are
//! relative to the larger of value and derivative, and a difference within the bound decides nothing.
//!
//! **Differences.** Each element of F′ẋ is compared with (F(x + hẋ) − F(x − hẋ))/2h for steps h from 1e-2 to
//! 1e-7, relative to its own share of s; the best step counts, but a gap that the smallest step still halves proves
//! nothing. A step is not used where the two runs visit
//! other vertices than the run at x, or are on another piece of a function with kinks or jumps (`abs`,
//! `floor`, comparisons, ...), nor where the rounding of F alone would exceed the tolerance. If
//! the differences to the two sides of x do not agree, there is a kink between; that is reported and does
//! not fail. If nothing at all could be compared, the check has no answer.
//!
//! **Underflow.** Results below the smallest normal number have an absolute error that does not depend on their size.
//! Each element of F, F′ẋ and F′ᵀȳ is granted this error.
//!
//! **32-bit reals.** For programs with an operation, constant or variable of 32 bits, the tolerances are at least
//! 1e-4 and 1e-2.
//!
//! **Infinities and NaN.** For derivatives that are not finite only one comparison makes sense: adjoint and tangent
//! must give the same infinity, or both NaN. These elements are counted and left out of everything else.

mod differences;
mod dot_product;
mod elements;
mod random;
mod remarks;

use crate::absolute::absolute;
use crate::mode::{Adjoint, Gradient, Primal, Tangent, of_generated};
use crate::options::Options;
use crate::point::Point;
use crate::single_precision::has_real32;
use crate::singular::{are_finite, singular};
use cfg_core::diagnostic::{Diagnostics, Severity};
use cfg_core::entity::RoutineId;
use cfg_core::flat::Flat;
use cfg_exec::Value;
use differences::{Compared, Comparison, Element};
use dot_product::Products;
use elements::{collect_elements, flat, map};
use random::Random;
use remarks::remark;

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

/// The comparison of adjoint and tangent by the dot product test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DotProduct {
    /// The product (F′ᵀȳ)·ẋ, by the adjoint.
    pub adjoint: f64,
    /// The product ȳ·(F′ẋ), by the tangent.
    pub tangent: f64,
    /// The sum of absolute values s, relative to which the two are compared.
    pub scale: f64,
    /// |adjoint − tangent| / scale, less what underflow explains; NaN if these are not finite.
    pub gap: f64,
    /// The number of elements of the dependents whose derivatives are infinite or NaN.
    pub not_finite: usize,
    /// True if the gap is within the tolerance, and derivatives that are not finite are the same in both; `None` if
    /// the adjoint or the tangent is not finite because of a singular point.
    pub agrees: Option<bool>,
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
    /// Elements whose differences drown in rounding at every step, or still come nearer with the smallest
    /// one, or whose value or derivative is infinite or NaN.
    pub unresolved: usize,
    /// False if an element that was compared disagrees; `None` if none was compared.
    pub agrees: Option<bool>,
}

/// The stacks of the tape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// Values pushed in the gradient run; only the executor counts.
    pub pushes: Option<u64>,
    /// Values popped in the gradient run; only the executor counts.
    pub pops: Option<u64>,
    /// True if nothing was left on any tape.
    pub empty: bool,
    /// Problems that the static stack checker has found: paths on which a pop does not meet its push.
    pub problems: usize,
    /// True if the stacks are empty and there are no problems.
    pub agrees: bool,
}

/// The results of all checks.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The comparison of adjoint and tangent.
    pub dot_product: DotProduct,
    /// The comparison of tangent and divided differences.
    pub differences: Differences,
    /// The result of the stack checks.
    pub stack: Stack,
    /// Remarks and failures, for people.
    pub remarks: Diagnostics,
}

impl Checked {
    /// False if any check disagrees, `None` if none does but no difference could be compared, and otherwise true.
    pub fn agrees(&self) -> Option<bool> {
        let all = [self.dot_product.agrees, self.differences.agrees];
        match self.stack.agrees && all.iter().all(|agrees| *agrees != Some(false)) {
            true => self.dot_product.agrees.and(self.differences.agrees),
            false => Some(false),
        }
    }
}

/// Checks the derivatives of a routine at a point.
///
/// # Errors
/// The program cannot be differentiated, or a run fails. Disagreement is no error: see [`Checked::agrees`].
pub fn check(
    program: &Flat,
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
    let generated = cfg_reverse::tangent_with(program, routine, (&options.reversal).into())?;
    let bounds = absolute(&generated).map(|program| cfg_reverse::Tangent {
        program,
        ..generated.clone()
    });
    let mut tangent = Tangent::compile(generated, &plain)?;
    let mut adjoint = Adjoint::new(program, routine, &plain)?;
    let mut primal = Primal::new(
        program,
        routine,
        &Options {
            trace: true,
            events: true,
            // Only the executor sees branches and kinks.
            engine: None,
            ..options.clone()
        },
    )?;
    let point = read_point(&primal)?;

    let mut random = Random::new();
    let (independents, _held) = primal.independents_at(&point)?;
    let direction = random.direction(&independents);
    let run = tangent.tangent(&point, &direction)?;
    // Memory for the independents (directions, their absolute values, moved points) and for the dependents (values,
    // seeds, the state of each element).
    let count = |lengths: &mut dyn Iterator<Item = usize>| lengths.sum::<usize>() as u64;
    let inputs = count(&mut independents.iter().map(|(_, v)| v.len()));
    let outputs = count(&mut run.tangent.iter().map(|(_, v)| v.len()));
    let of_each = 8 + size_of::<Element>().div_ceil(8) as u64;
    let words = (5 * inputs).saturating_add(outputs.saturating_mul(of_each));
    let _room = plain.lease(words, program.routine(routine))?;
    let x_dot = flat(&direction);
    let y_dot = collect_elements(&run.tangent);
    // |F'||ẋ|, element by element.
    let scales = match bounds {
        Some(bounds) => {
            let sizes: Vec<Value> = direction.iter().map(|v| map(v, f64::abs)).collect();
            let mut bounds = Tangent::compile(bounds, &plain)?;
            Some(collect_elements(&bounds.tangent(&point, &sizes)?.tangent))
        }
        None => None,
    };
    let is_loose = match &scales {
        Some(scales) if !measures(scales, &y_dot) => {
            let parts = random.parts(&direction);
            let [a, b] = parts.map(|part| tangent.tangent(&point, &part));
            is_accurate(
                &y_dot,
                &collect_elements(&a?.tangent),
                &collect_elements(&b?.tangent),
            )
        }
        Some(_) | None => false,
    };
    let (scales, loose) = if is_loose {
        (None, scales)
    } else {
        (scales, None)
    };
    let precision = Precision::for_program(program);
    let tolerances = precision.at_least(tolerances);
    let seed = random.seed(&run.tangent, scales.as_deref().unwrap_or(&y_dot));
    let (mut dot_product, gradient) = Products {
        adjoint: &mut adjoint,
        tangent: &mut tangent,
        point: &point,
        direction: &direction,
        x_dot: &x_dot,
        tangents: &run.tangent,
        y_dot: &y_dot,
        scales: scales.as_deref(),
        tiny: precision.tiny,
        tolerance: tolerances.dot_product,
    }
    .compare(&mut random, seed)?;
    let mut found = of_generated(tape_check::check_program(adjoint.program()).problems);
    let stack = Stack::new(&gradient, &found);
    let is_finite = are_finite(&gradient.gradient) && y_dot.iter().all(|y| y.is_finite());
    if !is_finite && are_finite(&gradient.value) {
        let at = singular((program, routine), &plain, &point, None);
        if at.is_some() && dot_product.agrees == Some(false) && !dot_product.gap.is_finite() {
            dot_product.agrees = None;
        }
        found.0.extend(at);
    }
    let dependents = primal.dependents_at(&point)?;
    let Compared {
        differences,
        crossing,
        stopped,
    } = Comparison {
        primal: &mut primal,
        point: &point,
        independents: &independents,
        direction: &x_dot,
        dependents: &dependents,
        y_dot: &y_dot,
        scales: scales.as_deref().unwrap_or(&y_dot).to_vec(),
        loose: loose.as_deref(),
        tolerance: tolerances.differences,
        epsilon: precision.epsilon,
        tiny: precision.tiny,
        stopped: None,
        left: None,
    }
    .run();
    let mut checked = Checked {
        dot_product,
        differences,
        stack,
        remarks: found,
    };
    remark(&mut checked, program, crossing, stopped);
    Ok(checked)
}

/// Largest ratio of a bound of rounding to a derivative at which the bound still tells a wrong derivative from a
/// right one: beyond it, the tolerance of the dot product exceeds a thousandth of the derivative.
const MOST_LOOSE: f64 = 1e7;

/// True if the bounds of rounding are within [`MOST_LOOSE`] of some derivative. In an iteration the bounds grow with
/// each pass, even if the derivatives do not: in the end any derivative would agree.
fn measures(scales: &[f64], y_dot: &[f64]) -> bool {
    let mut known = (scales.iter().zip(y_dot))
        .filter(|(s, y)| s.is_finite() && y.is_finite() && **y != 0.0)
        .peekable();
    known.peek().is_none() || known.any(|(s, y)| *s <= MOST_LOOSE * y.abs())
}

/// True if some derivative is much larger than its rounding, measured by the lack of the derivatives in two parts of
/// a direction. Otherwise all derivatives are remainders of larger numbers that cancel, and only the bounds of
/// rounding can measure them.
fn is_accurate(whole: &[f64], a: &[f64], b: &[f64]) -> bool {
    let mut all = whole.iter().zip(a.iter().zip(b));
    all.any(|(y, (a, b))| *y != 0.0 && (a + b - y).abs() * MOST_LOOSE < y.abs())
}

/// Errors of an operation in the reals that a program computes with.
struct Precision {
    single: bool,
    /// The relative error of one operation.
    epsilon: f64,
    /// The absolute error of one operation.
    tiny: f64,
}

impl Precision {
    fn for_program(program: &Flat) -> Self {
        let single = has_real32(program);
        let (epsilon, tiny) = if single {
            (f64::from(f32::EPSILON), f64::from(f32::MIN_POSITIVE))
        } else {
            (f64::EPSILON, f64::MIN_POSITIVE)
        };
        Self {
            single,
            epsilon,
            tiny,
        }
    }

    /// The given tolerances, or larger ones if the program's precision requires them.
    fn at_least(&self, given: Tolerances) -> Tolerances {
        let (dot_product, differences) = if self.single {
            (1e-4, 1e-2)
        } else {
            (0.0, 0.0)
        };
        Tolerances {
            dot_product: given.dot_product.max(dot_product),
            differences: given.differences.max(differences),
        }
    }
}

impl Stack {
    fn new(gradient: &Gradient, found: &Diagnostics) -> Self {
        let problems = found
            .iter()
            .filter(|d| d.severity == Severity::Error)
            .count();
        let (tape, empty) = (gradient.tape.as_ref(), gradient.tapes_are_empty);
        Self {
            pushes: tape.map(|tape| tape.pushes),
            pops: tape.map(|tape| tape.pops),
            empty,
            problems,
            agrees: empty && problems == 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bounds of rounding measure up to ten million times a derivative.
    #[test]
    fn bounds_measure_up_to_a_factor() {
        assert!(measures(&[3e7], &[-3.0]));
        assert!(!measures(&[3.0e7f64.next_up()], &[-3.0]));
        // One derivative near its bound is enough; derivatives that are 0 or not finite do not count.
        assert!(measures(&[1e9, 1.0], &[1.0, 1.0]));
        assert!(measures(&[f64::INFINITY, 1.0], &[1.0, 0.0]));
    }

    /// A derivative is accurate if it is more than ten million times the lack of its parts.
    #[test]
    fn derivatives_are_accurate_from_a_factor_on() {
        let whole = 1e7;
        assert!(!is_accurate(&[whole], &[whole + 1.0], &[0.0]));
        assert!(is_accurate(&[whole], &[whole + 0.5], &[0.0]));
        assert!(is_accurate(&[whole], &[whole], &[0.0]));
        assert!(!is_accurate(&[0.0], &[0.0], &[0.0]));
    }
}
