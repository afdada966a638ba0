//! Numbers.

use crate::{
    ast::ExprKind,
    preprocess::condition,
    types::{Arith, Int},
};

/// The characters of a string, as messages show them. Escapes of characters that have no other form stay as they are
/// written.
pub(super) fn string(text: &str) -> String {
    let inner = text.find('"').map_or("", |at| &text[at + 1..]);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut made = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            made.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => made.push('\n'),
            Some('t') => made.push('\t'),
            Some(c @ ('\\' | '"' | '\'' | '?')) => made.push(c),
            Some(other) => made.extend(['\\', other]),
            None => made.push('\\'),
        }
    }
    made
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
    let all = format!("{whole}{part}");
    let all = all.trim_start_matches('0');
    let value = if all.is_empty() {
        0
    } else {
        u64::from_str_radix(all, 16).ok()?
    };
    if value >= 1 << 53 {
        return None;
    }
    let exponent = exponent
        .parse::<i32>()
        .ok()?
        .checked_sub(4 * part.len() as i32)?;
    // Exact, unless the result is below the normal numbers.
    if !(-1000..=970).contains(&exponent) {
        return None;
    }
    Some(value as f64 * 2f64.powi(exponent))
}
