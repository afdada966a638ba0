//! Evaluates integer constant expressions of `#if` (C99 6.10.1).

use crate::lex::{Kind, Token};

/// Most levels of parentheses, signs and conditional operators.
const MAX_DEPTH: usize = 200;

struct Reader<'t> {
    tokens: &'t [Token],
    at: usize,
    depth: usize,
}

/// A value, and whether it is unsigned.
type Value = (i64, bool);

/// The value of the tokens; names that are left count as 0.
pub(super) fn value(tokens: &[Token]) -> Result<i64, String> {
    let mut reader = Reader {
        tokens,
        at: 0,
        depth: 0,
    };
    let (value, _) = reader.conditional(true)?;
    match tokens.get(reader.at) {
        None => Ok(value),
        Some(t) => Err(format!("{} does not belong into the condition", t.text)),
    }
}

/// The value of an integer literal, and its suffixes in lower case.
pub(crate) fn integer(text: &str) -> Option<(u64, String)> {
    let lower = text.to_ascii_lowercase();
    let end = lower.trim_end_matches(['u', 'l']).len();
    let (digits, suffix) = lower.split_at(end);
    if !matches!(suffix, "" | "u" | "l" | "ul" | "lu" | "ll" | "ull" | "llu") {
        return None;
    }
    let value = if let Some(hex) = digits.strip_prefix("0x") {
        u64::from_str_radix(hex, 16)
    } else if let Some(binary) = digits.strip_prefix("0b") {
        u64::from_str_radix(binary, 2)
    } else if digits.len() > 1 && digits.starts_with('0') {
        u64::from_str_radix(digits, 8)
    } else {
        digits.parse()
    };
    Some((value.ok()?, suffix.to_owned()))
}

/// The value of a character literal.
pub(crate) fn character(text: &str) -> Option<i64> {
    let (prefix, inner) = text.strip_suffix('\'')?.split_once('\'')?;
    if let Some(digits) = inner.strip_prefix("\\x").filter(|_| !prefix.is_empty()) {
        return u32::from_str_radix(digits, 16).ok().map(i64::from);
    }
    let bytes = characters(inner)?;
    match (&bytes[..], std::str::from_utf8(&bytes)) {
        // `char` is signed.
        (&[byte], _) if prefix.is_empty() => Some(i64::from(byte as i8)),
        (&[byte], _) => Some(i64::from(byte)),
        (_, Ok(text)) if !prefix.is_empty() => {
            let mut characters = text.chars();
            let first = characters.next()?;
            characters
                .next()
                .is_none()
                .then(|| i64::from(u32::from(first)))
        }
        _ => None,
    }
}

/// The bytes between quotes, UTF-8 outside of ASCII; `None` for an escape that C does not have, or for bytes that are
/// no UTF-8.
pub(crate) fn characters(inner: &str) -> Option<Vec<u8>> {
    let mut made = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c == char::REPLACEMENT_CHARACTER {
            return None;
        }
        if c != '\\' {
            made.extend(c.encode_utf8(&mut [0; 4]).bytes());
            continue;
        }
        let escape = rest.chars().next()?;
        // Behind the letter come at most `most` digits to the base.
        let (skipped, most, base) = match escape {
            '0'..='7' => (0, 3, 8),
            'x' => (1, usize::MAX, 16),
            'u' => (1, 4, 16),
            'U' => (1, 8, 16),
            _ => {
                made.push(match escape {
                    'n' => b'\n',
                    't' => b'\t',
                    'r' => b'\r',
                    'a' => 7,
                    'b' => 8,
                    'f' => 12,
                    'v' => 11,
                    '\\' | '\'' | '"' | '?' => escape as u8,
                    _ => return None,
                });
                rest = &rest[1..];
                continue;
            }
        };
        let digits = &rest[skipped..];
        let count = digits.chars().take_while(|c| c.is_digit(base)).take(most);
        let count = count.count();
        let value = u32::from_str_radix(&digits[..count], base).ok()?;
        match escape {
            'u' | 'U' if count < most => return None,
            'u' | 'U' => made.extend(char::from_u32(value)?.encode_utf8(&mut [0; 4]).bytes()),
            _ => made.push(u8::try_from(value).ok()?),
        }
        rest = &digits[count..];
    }
    Some(made)
}

fn level(op: &str) -> Option<u8> {
    Some(match op {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | ">" | "<=" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => return None,
    })
}

impl Reader<'_> {
    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.at).map(|t| &*t.text)
    }

    /// Evaluates an expression with conditional operators. `live` is false if the value is not used: then a division
    /// by 0 is no error.
    fn conditional(&mut self, live: bool) -> Result<Value, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("the condition nests more than {MAX_DEPTH} deep"));
        }
        let condition = self.binary(1, live)?;
        let result = if self.peek() == Some("?") {
            self.at += 1;
            let yes = self.conditional(live && condition.0 != 0)?;
            if self.peek() != Some(":") {
                return Err("a : is missing in the condition".to_owned());
            }
            self.at += 1;
            let no = self.conditional(live && condition.0 == 0)?;
            (if condition.0 != 0 { yes.0 } else { no.0 }, yes.1 || no.1)
        } else {
            condition
        };
        self.depth -= 1;
        Ok(result)
    }

    fn binary(&mut self, least: u8, live: bool) -> Result<Value, String> {
        let mut left = self.unary(live)?;
        while let Some((op, n)) = self.peek().and_then(|op| Some((op.to_owned(), level(op)?))) {
            if n < least {
                break;
            }
            self.at += 1;
            let live = live
                && match &*op {
                    "&&" => left.0 != 0,
                    "||" => left.0 == 0,
                    _ => true,
                };
            // Recursion is bounded by the ten levels of precedence.
            let right = self.binary(n + 1, live)?;
            left = apply(&op, left, right, live)?;
        }
        Ok(left)
    }

    fn unary(&mut self, live: bool) -> Result<Value, String> {
        let mut signs = Vec::new();
        while let Some(op @ ("-" | "+" | "!" | "~")) = self.peek() {
            signs.push(op.to_owned());
            self.at += 1;
        }
        let Some(token) = self.tokens.get(self.at) else {
            return Err("the condition breaks off".to_owned());
        };
        self.at += 1;
        let mut value = match token.kind {
            Kind::Number => {
                let read = integer(&token.text);
                let (value, suffix) =
                    read.ok_or_else(|| format!("{} is no integer", token.text))?;
                (
                    value as i64,
                    suffix.contains('u') || value > i64::MAX as u64,
                )
            }
            Kind::Char => (
                character(&token.text).ok_or("a character is not understood")?,
                false,
            ),
            Kind::Ident => (0, false),
            Kind::Punct if token.is("(") => {
                let value = self.conditional(live)?;
                if self.peek() != Some(")") {
                    return Err("a parenthesis is not closed in the condition".to_owned());
                }
                self.at += 1;
                value
            }
            Kind::Punct | Kind::Str | Kind::Other | Kind::Directive | Kind::Mark(_) | Kind::End => {
                return Err(format!("{} does not belong into the condition", token.text));
            }
        };
        for sign in signs.iter().rev() {
            value = match &**sign {
                "-" => (value.0.wrapping_neg(), value.1),
                "!" => (i64::from(value.0 == 0), false),
                "~" => (!value.0, value.1),
                _ => value,
            };
        }
        Ok(value)
    }
}

fn apply(op: &str, (a, au): Value, (b, bu): Value, live: bool) -> Result<Value, String> {
    let unsigned = au || bu;
    let (ua, ub) = (a as u64, b as u64);
    let less = |a: i64, b: i64| {
        if unsigned {
            (a as u64) < b as u64
        } else {
            a < b
        }
    };
    let truth = |t: bool| Ok((i64::from(t), false));
    let value = match op {
        "||" => return truth(a != 0 || b != 0),
        "&&" => return truth(a != 0 && b != 0),
        "==" => return truth(a == b),
        "!=" => return truth(a != b),
        "<" => return truth(less(a, b)),
        ">" => return truth(less(b, a)),
        "<=" => return truth(!less(b, a)),
        ">=" => return truth(!less(a, b)),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "<<" => return Ok((a.wrapping_shl(b as u32), au)),
        ">>" if au => return Ok((ua.wrapping_shr(b as u32) as i64, au)),
        ">>" => return Ok((a.wrapping_shr(b as u32), au)),
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" | "%" if b == 0 => {
            if live {
                return Err("the condition divides by 0".to_owned());
            }
            0
        }
        "/" if unsigned => (ua / ub) as i64,
        "%" if unsigned => (ua % ub) as i64,
        "/" => a.wrapping_div(b),
        _ => a.wrapping_rem(b),
    };
    Ok((value, unsigned))
}
