//! The values and types of literals: numbers, characters and texts.

use crate::{
    ast::ExprKind,
    preprocess::condition,
    types::{Arith, Int},
};

/// The bytes of a string, without the 0 at its end; `None` for wide characters.
pub(super) fn string(text: &str) -> Option<Vec<u8>> {
    condition::characters(text.strip_prefix('"')?.strip_suffix('"')?)
}

/// True of the texts of wide characters.
pub(super) fn is_wide(text: &str) -> bool {
    text.starts_with(['L', 'u', 'U']) && !text.starts_with("u8")
}

/// The type of a character.
pub(super) fn character(text: &str) -> Arith {
    match text.split_once('\'').map_or("", |(prefix, _)| prefix) {
        "u8" => Arith::Int(Int::UChar),
        "u" => Arith::Int(Int::UShort),
        "U" => Arith::Int(Int::UInt),
        _ => Arith::INT,
    }
}

/// The text of a number without the imaginary unit that compilers accept in its suffix.
pub(super) fn without_unit(text: &str) -> String {
    text.replacen(['i', 'j', 'I', 'J'], "", 1)
}

/// True of a real number with an imaginary unit. Complex integers are not supported.
pub(super) fn is_imaginary(text: &str) -> bool {
    text.contains(['i', 'j', 'I', 'J']) && text.contains(['.', 'e', 'E', 'p', 'P'])
}

/// The value of a number, and whether it is a long double; `None` if the text is no number of C.
pub(super) fn number(text: &str) -> Option<(ExprKind, bool)> {
    let lower = text.to_ascii_lowercase();
    let hex = lower.starts_with("0x");
    let real = lower.contains('.') || hex && lower.contains('p') || !hex && lower.contains('e');
    if !real {
        // The two letters of the suffix `ll` must be of one case.
        if text.contains("lL") || text.contains("Ll") {
            return None;
        }
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
        let kind = if suffix == 'f' {
            let value = hexadecimal(&digits[2..], 24, -149)? as f32;
            ExprKind::Float(Some(value).filter(|value| value.is_finite())?)
        } else {
            ExprKind::Real(hexadecimal(&digits[2..], 53, -1074)?)
        };
        return Some((kind, suffix == 'l'));
    }
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    Some(match suffix {
        // Parsed as `f32`, the number is rounded once.
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
                !ty.is_signed()
            } else {
                ty.is_signed() || !decimal
            }
    };
    let ty = all.into_iter().find(fits)?;
    Some(ExprKind::Int(value, Arith::Int(ty)))
}

/// A hexadecimal number, rounded once to `precision` bits, the last of which is worth at least 2 to the power
/// `least`.
fn hexadecimal(text: &str, precision: i64, least: i64) -> Option<f64> {
    let (digits, exponent) = text.split_once('p')?;
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let exponent = exponent.parse::<i32>().ok()?;
    let mut exponent = i64::from(exponent) - 4 * part.len() as i64;
    let mut value = 0u128;
    for digit in whole.chars().chain(part.chars()) {
        let digit = u128::from(digit.to_digit(16)?);
        if value >> 100 == 0 {
            value = value << 4 | digit;
        } else {
            // Digits beyond 128 bits only matter to rounding: one sticky bit says whether any is not 0.
            value |= u128::from(digit != 0);
            exponent += 4;
        }
    }
    if value == 0 {
        return Some(0.0);
    }
    // The number of bits in `value`.
    let bits = 128 - i64::from(value.leading_zeros());
    let kept = (bits + exponent - least).clamp(0, precision);
    let cut = (bits - kept).clamp(0, 127) as u32;
    let (mut kept, rest) = (value >> cut, value & ((1 << cut) - 1));
    let half = 1u128 << cut >> 1;
    if rest > half || rest == half && cut > 0 && kept & 1 == 1 {
        kept += 1;
    }
    let exponent = i32::try_from(exponent + i64::from(cut)).ok()?;
    // 2 to the exponent may not fit a double, so it is applied in two factors. Both products are exact, unless the
    // result is 0 or infinite.
    let first = exponent.clamp(-1000, 900);
    let rest = exponent.saturating_sub(first).clamp(-2000, 2000);
    let value = kept as f64 * 2f64.powi(first) * f64::exp2(f64::from(rest));
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
            ("1.00000000000001p0", Some(0x3ff0_0000_0000_0000)),
            ("1.00000000000018p0", Some(0x3ff0_0000_0000_0002)),
            (
                "1.000000000000080000000000000000000000000001p0",
                Some(0x3ff0_0000_0000_0001),
            ),
            ("1fffffffffffffp0", Some(0x433f_ffff_ffff_ffff)),
            ("3fffffffffffffp0", Some(0x4350_0000_0000_0000)),
            ("1.fffffffffffff8p1023", None),
            ("1.8p-1075", Some(1)),
        ] {
            let value = hexadecimal(text, 53, -1074);
            assert_eq!(value.map(f64::to_bits), bits, "{text}");
        }
        for (text, value) in [
            (
                "0x1.000001000000000000001p0f",
                Some(f32::from_bits(0x3f80_0001)),
            ),
            ("0x1.fffffefffffffffffp127f", Some(f32::MAX)),
            ("0x1.ffffffp127f", None),
            ("0x1.8p-150f", Some(f32::from_bits(1))),
            ("0x1p-150f", Some(0.0)),
        ] {
            let found = match number(text) {
                Some((ExprKind::Float(found), false)) => Some(found),
                _ => None,
            };
            assert_eq!(found.map(f32::to_bits), value.map(f32::to_bits), "{text}");
        }
    }
}
