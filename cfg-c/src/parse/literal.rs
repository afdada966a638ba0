//! Numbers.

use crate::{
    ast::ExprKind,
    preprocess::condition,
    types::{Arith, Int},
};

/// The bytes of a string, without the 0 at its end; `None` where they are not known.
pub(super) fn string(text: &str) -> Option<Vec<u8>> {
    condition::characters(text.strip_prefix('"')?.strip_suffix('"')?)
}

/// The value of a number, and whether it is a long double; `None` if it is none of C.
pub(super) fn number(text: &str) -> Option<(ExprKind, bool)> {
    let lower = text.to_ascii_lowercase();
    let hex = lower.starts_with("0x");
    let real = lower.contains('.') || hex && lower.contains('p') || !hex && lower.contains('e');
    if !real {
        let (value, suffix) = condition::integer(text)?;
        let decimal = !text.starts_with('0') || text.len() == 1;
        return Some((integer(i128::from(value), &suffix, decimal)?, false));
    }
    let (digits, suffix) = match lower.as_bytes().last()? {
        b'f' if !hex || lower.contains('p') => (&lower[..lower.len() - 1], 'f'),
        b'l' => (&lower[..lower.len() - 1], 'l'),
        _ => (&lower[..], ' '),
    };
    if hex {
        let value = hexadecimal(&digits[2..])?;
        let kind = if suffix == 'f' {
            ExprKind::Float(value as f32)
        } else {
            ExprKind::Real(value)
        };
        return Some((kind, suffix == 'l'));
    }
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    Some(match suffix {
        // Rounded once.
        'f' => (ExprKind::Float(digits.parse().ok()?), false),
        _ => (ExprKind::Real(digits.parse().ok()?), suffix == 'l'),
    })
}

/// The first type of the list of C99 6.4.4.1 that has the value.
fn integer(value: i128, suffix: &str, decimal: bool) -> Option<ExprKind> {
    let unsigned = suffix.contains('u');
    let longs = suffix.matches('l').count();
    let all = [
        Int::Int,
        Int::UInt,
        Int::Long,
        Int::ULong,
        Int::LLong,
        Int::ULLong,
    ];
    let fits = |ty: &Int| {
        let long = match ty {
            Int::Int | Int::UInt => 0,
            Int::Long | Int::ULong => 1,
            _ => 2,
        };
        long >= longs
            && ty.contains(value)
            && if unsigned {
                !ty.signed()
            } else {
                ty.signed() || !decimal
            }
    };
    let ty = all.into_iter().find(fits)?;
    Some(ExprKind::Int(value, Arith::Int(ty)))
}

/// A hexadecimal number, if its digits fit into 53 bits.
fn hexadecimal(text: &str) -> Option<f64> {
    let (digits, exponent) = text.split_once('p')?;
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let part = part.trim_end_matches('0');
    let all = format!("{whole}{part}");
    let all = all.trim_start_matches('0');
    if all.is_empty() {
        return Some(0.0);
    }
    let value = u64::from_str_radix(all, 16).ok()?;
    if value >= 1 << 53 {
        return None;
    }
    let exponent = exponent
        .parse::<i32>()
        .ok()?
        .checked_sub(4 * part.len() as i32)?;
    // The first factor is exact, so that the result is rounded once at most.
    let first = exponent.clamp(-1000, 970);
    let rest = exponent.saturating_sub(first).clamp(-2000, 2000);
    let (first, rest) = (2f64.powi(first), f64::exp2(f64::from(rest)));
    let value = value as f64 * first * rest;
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_numbers_are_rounded_once() {
        for (text, bits) in [
            ("1p0", Some(0x3ff0_0000_0000_0000)),
            ("1.80p-1", Some(0x3fe8_0000_0000_0000)),
            ("1.00000000000000000p3", Some(0x4020_0000_0000_0000)),
            ("1p1023", Some(0x7fe0_0000_0000_0000)),
            ("1.fffffffffffffp1023", Some(0x7fef_ffff_ffff_ffff)),
            ("1p1024", None),
            ("0p5000", Some(0)),
            ("1p-1021", Some(0x0020_0000_0000_0000)),
            ("1p-1074", Some(1)),
            ("1.8p-1074", Some(2)),
            ("1p-1075", Some(0)),
            ("1p-4000", Some(0)),
            ("1.00000000000001p0", None),
            ("1fffffffffffffp0", Some(0x433f_ffff_ffff_ffff)),
            ("20000000000000p0", None),
        ] {
            assert_eq!(hexadecimal(text).map(f64::to_bits), bits, "{text}");
        }
    }
}
