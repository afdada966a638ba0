//! Translation of the notation of other languages to the format's: `a(i) + 2*x` is
//! `["+", ["[]", "a", "i"], ["*", 2, "x"]]`.
//!
//! The translation serves suggestions only and never gets into a program. Only short texts with little nesting are
//! translated.

use super::expression::ELSEWHERE;
use cfg_core::ir::Op;
use serde_json::Value;

/// Longest text that is translated, in bytes.
const LONGEST: usize = 200;

/// Deepest nesting that is followed.
const DEEPEST: usize = 30;

/// The meaning of a name in front of parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    Variable,
    Routine,
    /// A name that is neither a variable nor a routine.
    Unknown,
}

/// A function with the meaning of names at the place of a text.
pub(super) type Names<'n> = &'n dyn Fn(&str) -> Named;

/// The expression in the format's notation; `None` if the text is none, or is a name alone.
pub(super) fn expression(text: &str, names: Names<'_>) -> Option<Value> {
    let mut reader = Reader::new(text, names)?;
    let value = reader.parse_conditional()?;
    (reader.at_end() && !is_name(&value)).then_some(value)
}

/// The statement in the format's notation: an assignment or a call.
pub(super) fn statement(text: &str, names: Names<'_>) -> Option<Value> {
    let text = text.trim().trim_end_matches(';');
    let mut reader = Reader::new(text, names)?;
    reader.take("call");
    let target = reader.parse_postfix()?;
    if reader.at_end() {
        return (head(&target) == Some("call")).then_some(target);
    }
    for (sign, op) in [("+=", "+"), ("-=", "-"), ("*=", "*"), ("/=", "/")] {
        if reader.take(sign) {
            let change = reader.parse_conditional()?;
            let value = Value::from(vec![op.into(), target.clone(), change]);
            return (reader.at_end()).then(|| Value::from(vec!["=".into(), target, value]));
        }
    }
    if !["=", ":=", "<-"].iter().any(|sign| reader.take(sign)) {
        return None;
    }
    let value = reader.parse_conditional()?;
    reader
        .at_end()
        .then(|| Value::from(vec!["=".into(), target, value]))
}

/// Our word for an operator of another language, or of this one.
pub(super) fn operator(word: &str) -> Option<&'static str> {
    if word == "-" {
        return Some("-");
    }
    let ours = Op::from_name(word).map(Op::name);
    ours.or_else(|| {
        ELSEWHERE
            .iter()
            .find(|(other, _)| *other == word)
            .map(|e| e.1)
    })
}

/// The JSON text of a value, with a blank after each comma, as people write it.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other values are treated alike"
)]
pub(super) fn to_text(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(to_text).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

fn is_name(value: &Value) -> bool {
    value.is_string()
}

/// The first element of an array, if that is a string.
fn head(value: &Value) -> Option<&str> {
    value.as_array()?.first()?.as_str()
}

struct Reader<'t> {
    rest: &'t str,
    depth: usize,
    names: Names<'t>,
}

/// Operators with two operands, weakest first; those of one level are read from the left.
const LEVELS: [&[(&str, &str)]; 5] = [
    &[("||", "or"), ("or ", "or"), (".or.", "or")],
    &[("&&", "and"), ("and ", "and"), (".and.", "and")],
    &[
        ("==", "=="),
        ("!=", "!="),
        ("<=", "<="),
        (">=", ">="),
        ("/=", "!="),
        ("<>", "!="),
        ("<", "<"),
        (">", ">"),
        ("=", "=="),
    ],
    &[("+", "+"), ("-", "-")],
    &[("*", "*"), ("/", "/"), ("%", "mod")],
];

impl<'t> Reader<'t> {
    fn new(text: &'t str, names: Names<'t>) -> Option<Self> {
        let plain = text.len() <= LONGEST && !text.contains(char::is_control);
        plain.then(|| Self {
            rest: text.trim(),
            depth: 0,
            names,
        })
    }

    fn at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// Skips this sign and the blanks behind it. A word must end where the sign ends.
    fn take(&mut self, sign: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(sign) else {
            return false;
        };
        let word = sign.ends_with(char::is_alphanumeric);
        if word && rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '(') {
            return false;
        }
        self.rest = rest.trim_start();
        true
    }

    fn parse_conditional(&mut self) -> Option<Value> {
        if self.depth == DEEPEST {
            return None;
        }
        self.depth += 1;
        let test = self.parse_binary(0)?;
        let value = if self.take("?") {
            let yes = self.parse_conditional()?;
            if !self.take(":") {
                return None;
            }
            let no = self.parse_conditional()?;
            Value::from(vec!["if".into(), test, yes, no])
        } else {
            test
        };
        self.depth -= 1;
        Some(value)
    }

    fn parse_binary(&mut self, level: usize) -> Option<Value> {
        let Some(operators) = LEVELS.get(level) else {
            return self.parse_unary();
        };
        let mut left = if level == 2 && (self.take("not ") || self.take("!")) {
            Value::from(vec!["not".into(), self.parse_binary(level)?])
        } else {
            self.parse_binary(level + 1)?
        };
        while let Some((sign, op)) = operators.iter().find(|(sign, _)| {
            let longer = ["**", "/="].iter().any(|longer| {
                longer.len() > sign.len()
                    && longer.starts_with(sign)
                    && self.rest.starts_with(longer)
            });
            self.rest.starts_with(sign) && !longer
        }) {
            self.rest = self.rest[sign.len()..].trim_start();
            let right = self.parse_binary(level + 1)?;
            match left.as_array_mut() {
                // A sum of three has three operands.
                Some(operands)
                    if matches!(*op, "+" | "*") && operands[0] == *op && operands.len() > 2 =>
                {
                    operands.push(right);
                }
                _ => left = Value::from(vec![(*op).into(), left, right]),
            }
        }
        Some(left)
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other values are treated alike"
    )]
    fn parse_unary(&mut self) -> Option<Value> {
        if self.depth == DEEPEST {
            return None;
        }
        self.depth += 1;
        let value = if self.take("-") {
            match self.parse_unary()? {
                Value::Number(n) => number(&format!("-{n}"))?,
                operand => Value::from(vec!["-".into(), operand]),
            }
        } else if self.take("+") {
            self.parse_unary()?
        } else if self.take("!") || self.take("not ") || self.take(".not.") {
            Value::from(vec!["not".into(), self.parse_unary()?])
        } else {
            let base = self.parse_postfix()?;
            if self.take("**") || self.take("^") {
                Value::from(vec!["**".into(), base, self.parse_unary()?])
            } else {
                base
            }
        };
        self.depth -= 1;
        Some(value)
    }

    /// A number, a name with or without subscripts or arguments, or an expression in parentheses.
    fn parse_postfix(&mut self) -> Option<Value> {
        if self.take("(") {
            let value = self.parse_conditional()?;
            return self.take(")").then_some(value);
        }
        if self
            .rest
            .starts_with(|c: char| c.is_ascii_digit() || c == '.')
        {
            return self.parse_number();
        }
        let end = self
            .rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if name.is_empty() {
            return None;
        }
        self.rest = rest.trim_start();
        let mut list = Vec::new();
        let mut lists = 0;
        while let Some(close) = [("(", ")"), ("[", "]")].iter().find(|p| self.take(p.0)) {
            lists += 1;
            if self.take(close.1) {
                continue;
            }
            loop {
                list.push(self.parse_subscript()?);
                if self.take(close.1) {
                    break;
                }
                if !self.take(",") {
                    return None;
                }
            }
        }
        if lists == 0 {
            return Some(match name {
                "true" | "false" => Value::from(name == "true"),
                _ => name.into(),
            });
        }
        let mut items: Vec<Value> = Vec::new();
        match (self.names)(name) {
            Named::Routine => items.extend(["call".into(), name.into(), list.into()]),
            Named::Unknown if operator(name).is_some() => {
                items.push(operator(name)?.into());
                items.append(&mut list);
            }
            Named::Variable | Named::Unknown if list.is_empty() => return None,
            Named::Variable | Named::Unknown => {
                items.extend(["[]".into(), name.into()]);
                items.append(&mut list);
            }
        }
        Some(items.into())
    }

    /// An index or a range.
    fn parse_subscript(&mut self) -> Option<Value> {
        let lower = if self.rest.starts_with(':') {
            Value::Null
        } else {
            self.parse_conditional()?
        };
        if !self.take(":") {
            return Some(lower);
        }
        let upper = if self.rest.starts_with([',', ')', ']']) {
            Value::Null
        } else {
            self.parse_conditional()?
        };
        Some(Value::from(vec![":".into(), lower, upper]))
    }

    /// A number as C, Fortran or Python write it.
    fn parse_number(&mut self) -> Option<Value> {
        let bytes = self.rest.as_bytes();
        let mut end = 0;
        while end < bytes.len() {
            let sign = matches!(bytes[end], b'+' | b'-')
                && end > 0
                && matches!(bytes[end - 1], b'e' | b'E' | b'd' | b'D');
            let digit = matches!(bytes[end], b'0'..=b'9' | b'.' | b'e' | b'E' | b'd' | b'D');
            if !(digit || sign) {
                break;
            }
            end += 1;
        }
        let (text, rest) = self.rest.split_at(end);
        let value = number(text)?;
        self.rest = rest.trim_start();
        Some(value)
    }
}

/// A number in the format's notation.
pub(super) fn number(text: &str) -> Option<Value> {
    if let Ok(integer) = text.parse::<i64>() {
        return Some(integer.into());
    }
    let real: f64 = text.replace(['d', 'D'], "e").parse().ok()?;
    real.is_finite().then(|| Value::from(real))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(name: &str) -> Named {
        match name {
            "a" | "m" | "sum" => Named::Variable,
            "f" => Named::Routine,
            _ => Named::Unknown,
        }
    }

    #[test]
    fn expressions_of_other_languages() {
        for (text, ours) in [
            ("a(i)", r#"["[]", "a", "i"]"#),
            ("a[i]", r#"["[]", "a", "i"]"#),
            ("a[i][j]", r#"["[]", "a", "i", "j"]"#),
            ("m(i, j+1)", r#"["[]", "m", "i", ["+", "j", 1]]"#),
            ("b(2)", r#"["[]", "b", 2]"#),
            ("sum(2)", r#"["[]", "sum", 2]"#),
            ("a(1:n)", r#"["[]", "a", [":", 1, "n"]]"#),
            ("a(:)", r#"["[]", "a", [":", null, null]]"#),
            ("s + x", r#"["+", "s", "x"]"#),
            ("s+x*y", r#"["+", "s", ["*", "x", "y"]]"#),
            ("a*b*c", r#"["*", "a", "b", "c"]"#),
            ("x - y - z", r#"["-", ["-", "x", "y"], "z"]"#),
            ("(x + y)/2", r#"["/", ["+", "x", "y"], 2]"#),
            ("-m", r#"["-", "m"]"#),
            ("-x**2", r#"["-", ["**", "x", 2]]"#),
            ("x^2^3", r#"["**", "x", ["**", 2, 3]]"#),
            ("2**-1", r#"["**", 2, -1]"#),
            ("sin(x)", r#"["sin", "x"]"#),
            ("fabs(x)", r#"["abs", "x"]"#),
            ("pow(x, 2)", r#"["**", "x", 2]"#),
            ("1.5e-3*x", r#"["*", 0.0015, "x"]"#),
            ("1d0", "1.0"),
            ("1.", "1.0"),
            (".5", "0.5"),
            ("-3", "-3"),
            ("true", "true"),
            ("i < n", r#"["<", "i", "n"]"#),
            ("i /= n", r#"["!=", "i", "n"]"#),
            ("i = n", r#"["==", "i", "n"]"#),
            (
                "i < n && x > 0",
                r#"["and", ["<", "i", "n"], [">", "x", 0]]"#,
            ),
            ("i < n or p", r#"["or", ["<", "i", "n"], "p"]"#),
            ("!p", r#"["not", "p"]"#),
            ("not p", r#"["not", "p"]"#),
            ("!(i < n)", r#"["not", ["<", "i", "n"]]"#),
            (
                "x > 0 ? x : -x",
                r#"["if", [">", "x", 0], "x", ["-", "x"]]"#,
            ),
            ("f(x)", r#"["call", "f", ["x"]]"#),
            ("i % 2", r#"["mod", "i", 2]"#),
        ] {
            let found = expression(text, &names).map(|v| to_text(&v));
            assert_eq!(found.as_deref(), Some(ours), "{text}");
        }
        let deep = "(".repeat(100) + "x";
        for text in [
            "", "x", "x y", "a(", "a)", "1x", "+", "a(i,)", "x.y", "été", "\u{1}", &deep,
        ] {
            assert_eq!(expression(text, &names), None, "{text}");
        }
        assert_eq!(expression(&"x+".repeat(200), &names), None);
    }

    #[test]
    fn statements_of_other_languages() {
        for (text, ours) in [
            ("y = x", r#"["=", "y", "x"]"#),
            ("y := 2*x;", r#"["=", "y", ["*", 2, "x"]]"#),
            ("y <- 1", r#"["=", "y", 1]"#),
            ("s += a(i)", r#"["=", "s", ["+", "s", ["[]", "a", "i"]]]"#),
            (
                "a(i) = a(i)*x",
                r#"["=", ["[]", "a", "i"], ["*", ["[]", "a", "i"], "x"]]"#,
            ),
            ("call f(x, 1)", r#"["call", "f", ["x", 1]]"#),
            ("f(x)", r#"["call", "f", ["x"]]"#),
        ] {
            let found = statement(text, &names).map(|v| to_text(&v));
            assert_eq!(found.as_deref(), Some(ours), "{text}");
        }
        for text in ["", "x", "x ==", "return", "x + y", "a(i)", "y = "] {
            assert_eq!(statement(text, &names), None, "{text}");
        }
    }

    /// Reading ends without a panic for any text.
    #[test]
    fn any_text() {
        let pieces = [
            "a", "(", ")", "[", "]", "+", "-", "*", "**", "1", ".", "e", "?", ":", ",", " ", "é",
            "!", "=",
        ];
        let mut state: u64 = 1;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..12 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                text += pieces[(state % pieces.len() as u64) as usize];
            }
            let _ = (expression(&text, &names), statement(&text, &names));
        }
    }

    /// Texts are read up to a length, and up to a nesting of either kind, and not beyond.
    #[test]
    fn limits_on_both_sides() {
        for (length, is_read) in [(LONGEST, true), (LONGEST + 1, false)] {
            let text = format!("{:<length$}", "x + 1");
            assert_eq!(expression(&text, &names).is_some(), is_read, "{length}");
        }
        // Parentheses take two levels each, and a minus one.
        for (open, close, most) in [("(", ")", DEEPEST / 2 - 1), ("-", "", DEEPEST - 2)] {
            for (n, is_read) in [(most, true), (most + 1, false)] {
                let text = format!("{}x + 1{}", open.repeat(n), close.repeat(n));
                assert_eq!(expression(&text, &names).is_some(), is_read, "{text}");
            }
        }
    }
}
