//! Kinks, singular points and the ends of domains: the operands at which derivatives need care.

use crate::ir::{Domain, Op};

/// The way in which operands are special for the derivative of an elemental operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Event {
    /// The function is not defined here: its value is NaN, though no operand is.
    OutsideDomain,
    /// Value or slope jumps here: the derivative is that of the branch taken, one of several.
    Kink,
    /// The value or a partial derivative is infinite, or a partial does not exist (NaN).
    Singular,
}

impl Event {
    /// The event in words.
    pub fn describe(self) -> &'static str {
        match self {
            Self::OutsideDomain => "outside the domain",
            Self::Kink => "at a kink or jump",
            Self::Singular => "at a singular point",
        }
    }
}

fn whole(x: f64) -> bool {
    x == x.trunc() && x.is_finite()
}

/// The special point, if any, of an elemental operator at these *real* operands; `None` almost always. For a power
/// with an integer exponent it is [`event_powi`]; `polygamma` takes its integer as a real. Other operators
/// over integers have no derivative and are not to be asked about.
///
/// NaN operands are no event, since the operation that made the NaN was one; overflow is none either. The second
/// operand of a strong product is a partial derivative: if it is not finite, and the first operand is neither 0 nor
/// infinite, the derivative stops being finite at this product.
pub fn event(op: Op, args: &[f64]) -> Option<Event> {
    use Event::{Kink, OutsideDomain, Singular};
    if let (Op::StrongMul, &[a, b]) = (op, args) {
        let stops = a.is_finite() && a != 0.0 && !b.is_finite();
        return stops.then_some(Singular);
    }
    if args.iter().any(|x| x.is_nan()) {
        return None;
    }
    let when = |holds: bool, event: Event| holds.then_some(event);
    // Outside the domain beyond a bound, singular on it.
    let bounded = |inside: bool, edge: bool| match (inside, edge) {
        (_, true) => Some(Singular),
        (true, false) => None,
        (false, false) => Some(OutsideDomain),
    };
    match (op.info().domain, args) {
        (Domain::From(least), &[x]) => return bounded(x > least, x == least),
        (Domain::Within(most), &[x]) => return bounded(x.abs() < most, x.abs() == most),
        (Domain::Finite, &[x]) => return when(x.is_infinite(), OutsideDomain),
        (Domain::Except(point), &[x]) => return when(x == point, Singular),
        (Domain::Poles, &[.., x]) => {
            let outside = x == f64::NEG_INFINITY && op != Op::Lgamma;
            return if outside || op == Op::Polygamma && args[0] < 0.0 {
                Some(OutsideDomain)
            } else {
                when(x <= 0.0 && whole(x), Singular)
            };
        }
        _ => {}
    }
    match (op, args) {
        (Op::Abs | Op::ToLogical, &[x]) => when(x == 0.0, Kink),
        (Op::Floor | Op::Ceil, &[x]) => when(whole(x), Kink),
        (Op::Trunc | Op::Convert(..), &[x]) => when(whole(x) && x != 0.0, Kink),
        (Op::Round, &[x]) => when((x - x.trunc()).abs() == 0.5, Kink),
        (Op::Div, &[_, y]) => when(y == 0.0, Singular),
        (Op::Pow, &[x, y]) => {
            if x < 0.0 && x.is_finite() && y.is_finite() && !whole(y) {
                Some(OutsideDomain)
            } else {
                when(x == 0.0 && y < 1.0, Singular)
            }
        }
        (Op::Atan2, &[y, x]) => {
            if y == 0.0 && x == 0.0 {
                Some(Singular)
            } else {
                when(y == 0.0 && x < 0.0, Kink)
            }
        }
        (Op::Hypot, &[x, y]) => when(x == 0.0 && y == 0.0, Singular),
        (Op::Min | Op::Max, &[first, ref rest @ ..]) => {
            let (mut best, mut tied) = (first, false);
            for &x in rest {
                let better = if op == Op::Min { x < best } else { x > best };
                tied = !better && (tied || x == best);
                if better {
                    best = x;
                }
            }
            when(tied, Kink)
        }
        (Op::Sign, &[x, y]) => when(x == 0.0 || y == 0.0, Kink),
        (Op::Mod | Op::Modulo, &[x, y]) => {
            if y == 0.0 || x.is_infinite() {
                Some(OutsideDomain)
            } else {
                // `trunc` of the quotient is continuous at 0, so `mod` has no kink there; `floor` jumps.
                when(x % y == 0.0 && (op == Op::Modulo || x != 0.0), Kink)
            }
        }
        (Op::PosDiff | Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge, &[x, y]) => {
            when(x == y, Kink)
        }
        _ => None,
    }
}

/// The smooth piece of an operator with kinks or jumps on which these *real* operands lie: two runs in which all
/// pieces are the same differ smoothly. `None` for operators that are smooth where they are defined; `NaN`
/// operands lie on a piece too.
pub fn piece(op: Op, args: &[f64]) -> Option<u64> {
    let bits = |x: f64| Some(if x == 0.0 { 0 } else { x.to_bits() });
    let which = |first: bool| Some(first.into());
    match (op, args) {
        (Op::Abs, &[x]) => which(x < 0.0),
        (Op::ToLogical, &[x]) => which(x == 0.0),
        (Op::Floor, &[x]) => bits(x.floor()),
        (Op::Ceil, &[x]) => bits(x.ceil()),
        (Op::Trunc | Op::Convert(..), &[x]) => bits(x.trunc()),
        (Op::Round, &[x]) => bits(x.round()),
        // The value jumps across the half-line x < 0, y = 0.
        (Op::Atan2, &[y, x]) => which(x < 0.0 && y.is_sign_negative()),
        (Op::Min | Op::Le, &[x, y]) => which(x <= y),
        (Op::Max | Op::Ge, &[x, y]) => which(x >= y),
        (Op::PosDiff | Op::Gt, &[x, y]) => which(x > y),
        (Op::Lt, &[x, y]) => which(x < y),
        (Op::Eq | Op::Ne, &[x, y]) => which(x == y),
        (Op::Sign, &[x, y]) => Some(u64::from(x < 0.0) + 2 * u64::from(y.is_sign_negative())),
        (Op::Mod, &[x, y]) => bits(whole_quotient(x, y, false)),
        (Op::Modulo, &[x, y]) => bits(whole_quotient(x, y, true)),
        _ => None,
    }
}

/// The exact value of trunc(x/y) or floor(x/y); where that is not known to the last place, any number that belongs to
/// this x alone.
fn whole_quotient(x: f64, y: f64, down: bool) -> f64 {
    if (x / y).abs() < 9_007_199_254_740_992.0 {
        let rest = x % y;
        let whole = ((x - rest) / y).round();
        let below = down && rest != 0.0 && (rest < 0.0) != (y < 0.0);
        if below { whole - 1.0 } else { whole }
    } else {
        x
    }
}

/// The special point, as in [`event`], of a power with a real base and an integer exponent.
pub fn event_powi(x: f64, n: i64) -> Option<Event> {
    (x == 0.0 && n < 0).then_some(Event::Singular)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two operands are on one piece exactly if no jump or kink is between them.
    #[test]
    fn pieces_end_at_jumps_and_kinks() {
        let cases: &[(Op, f64, &[f64], &[f64])] = &[
            (Op::Floor, 0.0, &[1.0, 1.5], &[0.999, 2.0]),
            (Op::Ceil, 0.0, &[0.5, 1.0], &[-0.5, 1.001]),
            (
                Op::Round,
                0.0,
                &[0.5, 1.4],
                &[0.49, 1.5, 3.0, 1e300, 1.7e308],
            ),
            (Op::Trunc, 0.0, &[-0.9, 0.9], &[-1.0, 1.0]),
            (Op::Abs, 0.0, &[0.0, 3.0], &[-1e-300]),
            (Op::Min, 2.0, &[1.0, 2.0], &[2.5]),
            (Op::Max, 2.0, &[2.0, 3.0], &[1.5]),
            (Op::PosDiff, 2.0, &[-1.0, 2.0], &[2.5]),
            (Op::Lt, 2.0, &[1.0, 1.5], &[2.0]),
            (Op::Mod, 3.0, &[-0.1, 0.1, 2.9], &[3.0, -3.0, 1e16, 1.7e308]),
            (Op::Modulo, 3.0, &[0.1, 2.9], &[-0.1, 3.0, 1e16, 1.7e308]),
            (
                Op::Modulo,
                -0.7,
                &[0.1, 0.6],
                &[-0.1, 0.8, 1.7e308, 1.69e308],
            ),
            // The rounded quotient of 1 and 0.1 is 10, the exact one less.
            (Op::Mod, 0.1, &[0.95, 1.0], &[1.001]),
        ];
        for &(op, y, same, others) in cases {
            let unary = matches!(op, Op::Floor | Op::Ceil | Op::Round | Op::Trunc | Op::Abs);
            let of = |x: f64| {
                let args = [x, y];
                let found = piece(op, if unary { &args[..1] } else { &args });
                found.unwrap_or_else(|| panic!("{op:?}"))
            };
            assert!(
                same.iter().all(|&x| of(x) == of(same[0])),
                "{op:?} {same:?}"
            );
            let mut all: Vec<u64> = others.iter().map(|&x| of(x)).collect();
            assert!(!all.contains(&of(same[0])), "{op:?} {others:?}");
            if matches!(op, Op::Round | Op::Mod | Op::Modulo) {
                all.sort_unstable();
                all.dedup();
                assert_eq!(all.len(), others.len(), "{op:?} {others:?}");
            }
        }
        assert_eq!(piece(Op::Sin, &[1.0]), None);
        assert!(piece(Op::Floor, &[f64::NAN]).is_some());
    }
}
