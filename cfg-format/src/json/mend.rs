//! Suggestions for corrected text, made from the user's own.
//!
//! Mistakes are found while the text is read, when the meaning of names is not yet known, and a token does not show
//! the text around it. So a problem notes its [`Cure`], and the text is examined again after everything has been read.

use super::{
    context::{Cure, Note},
    infix::{self, Named},
    locate::offsets_of,
    scan::{after_number, after_string},
    words,
};
use cfg_core::{
    diagnostic::Diagnostics,
    ir::{Program, Routine},
};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};

/// The most cures that are written out: more help than anybody reads would only cost time.
const MOST: usize = 1000;

/// The length of the longest suggestion.
const LONGEST: usize = 160;

/// Writes the cures into the help of the problems, before these are put in order.
pub(super) fn write(
    problems: &mut Diagnostics,
    notes: &[Note],
    text: &str,
    program: Option<&Program>,
) {
    let notes = &notes[..notes.len().min(MOST)];
    let pointers: Vec<String> = notes
        .iter()
        .map(|note| {
            let problem = problems.0.get(note.problem);
            let pointer = problem.and_then(|d| d.at.pointer.as_deref());
            let above = (0..note.above).fold(pointer.unwrap_or_default(), |pointer, _| {
                pointer.rsplit_once('/').map_or("", |p| p.0)
            });
            above.to_owned()
        })
        .collect();
    if pointers.is_empty() {
        return;
    }
    let places: Vec<&str> = pointers.iter().map(String::as_str).collect();
    let offsets = offsets_of(text.as_bytes(), &places);
    let mut scopes: BTreeMap<Option<usize>, Scope<'_>> = BTreeMap::new();
    for ((note, pointer), offset) in notes.iter().zip(&pointers).zip(offsets) {
        let routine = routine_of(pointer);
        let scope = scopes
            .entry(routine)
            .or_insert_with(|| Scope::new(program, routine));
        let names = |name: &str| scope.meaning(name);
        let written = short_value(&text[offset..])
            .and_then(|text| suggestion(note.cure, text, &names))
            .filter(|s| s.len() <= LONGEST);
        if let (Some(written), Some(problem)) = (written, problems.0.get_mut(note.problem)) {
            problem.help = written;
        }
    }
}

/// The routine that a pointer leads into.
fn routine_of(pointer: &str) -> Option<usize> {
    let rest = pointer.strip_prefix("/routines/")?;
    rest.split('/').next()?.parse().ok()
}

/// The names that a routine sees.
struct Scope<'p> {
    variables: HashSet<&'p str>,
    routines: HashSet<&'p str>,
}

impl<'p> Scope<'p> {
    fn new(program: Option<&'p Program>, routine: Option<usize>) -> Self {
        let routines = program.map_or(&[][..], |p| &p.routines);
        let globals = program.map_or(&[][..], |p| &p.globals).iter();
        let mut variables: HashSet<&str> = globals.map(|g| g.variable.name.as_str()).collect();
        let own = routine.and_then(|r| routines.get(r));
        let own = own.map_or(&[][..], |r: &Routine| &r.variables).iter();
        variables.extend(own.map(|v| v.name.as_str()));
        Self {
            variables,
            routines: routines.iter().map(|r| r.name.as_str()).collect(),
        }
    }

    fn meaning(&self, name: &str) -> Named {
        if self.variables.contains(name) {
            Named::Variable
        } else if self.routines.contains(name) {
            Named::Routine
        } else {
            Named::Unknown
        }
    }
}

/// The value that a text starts with, if it is short.
fn short_value(text: &str) -> Option<&str> {
    let bytes = &text.as_bytes()[..text.len().min(4 * LONGEST)];
    let mut depth = 0usize;
    let mut i = 0;
    while i < bytes.len() {
        i = match bytes[i] {
            b'"' => after_string(bytes, i),
            b'[' | b'{' => {
                depth += 1;
                i + 1
            }
            b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                i + 1
            }
            b if b.is_ascii_whitespace() || matches!(b, b',' | b':') => {
                i += 1;
                continue;
            }
            _ => after_number(bytes, i),
        };
        if depth == 0 {
            return text.get(..i);
        }
    }
    None
}

/// The help that takes the place of the general help, if the text can be mended.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "JSON has no further kinds of values"
)]
fn suggestion(cure: Cure, text: &str, names: infix::Names<'_>) -> Option<String> {
    let value: Value = serde_json::from_str(text).ok()?;
    let shown = infix::to_text;
    match cure {
        Cure::Expression => {
            let text = value.as_str()?;
            let written = infix::expression(text, names)?;
            Some(match &written {
                Value::Array(items) => match items[0].as_str() {
                    Some("[]") => format!("an element is written {}", shown(&written)),
                    Some("call") => {
                        let call = shown(&written);
                        format!("assign the result of the call first, [\"=\", \"t\", {call}]")
                    }
                    _ => format!(
                        "a string names a variable; the expression is written {}",
                        shown(&written)
                    ),
                },
                _ => format!("write {} without quotes", shown(&written)),
            })
        }
        Cure::Statement => {
            let text = value.as_str()?;
            match infix::statement(text, names) {
                Some(written) => Some(format!("write {}", shown(&written))),
                None => control_word(text).map(str::to_owned),
            }
        }
        Cure::Operation => operation(value.as_array()?, names),
        Cure::StatementArray => statement_array(value.as_array()?, names),
        Cure::Assignment => {
            let [Value::String(sign), target, value @ ..] = value.as_array()?.as_slice() else {
                return None;
            };
            if let ([], [target, value]) = (value, target.as_array().map_or(&[][..], Vec::as_slice))
            {
                let written = vec![sign.as_str().into(), target.clone(), value.clone()];
                return Some(format!("write {}", shown(&written.into())));
            }
            if let ([], Some(text)) = (value, target.as_str()) {
                return infix::statement(text, names).map(|s| format!("write {}", shown(&s)));
            }
            let value = in_order(value, names)?;
            let written = Value::from(vec![sign.as_str().into(), target.clone(), value]);
            Some(format!("write {}", shown(&written)))
        }
        Cure::Call => {
            let [_, callee, arguments @ ..] = value.as_array()?.as_slice() else {
                return None;
            };
            let text = callee.as_str().filter(|_| arguments.is_empty());
            let written = match text.and_then(|text| infix::statement(text, names)) {
                Some(written) => written,
                None => vec!["call".into(), callee.clone(), arguments.to_vec().into()].into(),
            };
            Some(format!("write {}", shown(&written)))
        }
        Cure::List => {
            let item = match value.as_str().map(|text| infix::statement(text, names)) {
                Some(Some(statement)) => statement,
                _ => value,
            };
            Some(format!("write {}", shown(&vec![item].into())))
        }
        Cure::Edge => {
            let ends: Vec<String> = ["from", "to", "label"]
                .iter()
                .zip(value.as_array()?)
                .map(|(name, value)| format!("\"{name}\": {}", shown(value)))
                .collect();
            (ends.len() > 1).then(|| format!("write {{{}}}", ends.join(", ")))
        }
    }
}

/// The cure for an array that does not begin with an operator.
fn operation(items: &[Value], names: infix::Names<'_>) -> Option<String> {
    let shown = infix::to_text;
    let head = items.first()?.as_str()?;
    if let [_] = items {
        return Some(match infix::expression(head, names) {
            Some(written) => format!("write {}", shown(&written)),
            None => format!("a variable stands without brackets: {}", shown(&items[0])),
        });
    }
    let infix = infix::operator(head)
        .is_none()
        .then(|| in_order(items, names));
    if let Some(written) = infix.flatten() {
        return Some(format!("the operator stands first: {}", shown(&written)));
    }
    match names(head) {
        Named::Variable => {
            let element = [&["[]".into()][..], items].concat();
            Some(format!("an element is written {}", shown(&element.into())))
        }
        Named::Routine => {
            let call = vec!["call".into(), items[0].clone(), items[1..].to_vec().into()];
            let call = shown(&call.into());
            Some(format!(
                "assign the result of the call first, [\"=\", \"t\", {call}]"
            ))
        }
        Named::Unknown => {
            let ours = infix::operator(head)?;
            let written = [&[ours.into()][..], &items[1..]].concat();
            Some(format!("write {}", shown(&written.into())))
        }
    }
}

/// The cure for a statement that begins with none of the words of statements.
fn statement_array(items: &[Value], names: infix::Names<'_>) -> Option<String> {
    let write = |items: Vec<Value>| Some(format!("write {}", infix::to_text(&items.into())));
    let head = items.first()?.as_str()?;
    let rest = &items[1..];
    if rest.is_empty() {
        return match infix::statement(head, names) {
            Some(written) => Some(format!("write {}", infix::to_text(&written))),
            None => control_word(head).map(str::to_owned),
        };
    }
    let signs = ["=", ":=", "<-", "=="];
    match (head, rest) {
        (":=" | "<-" | "==" | "assign" | "set" | "let", [target, value]) => {
            write(vec!["=".into(), target.clone(), value.clone()])
        }
        ("+=" | "-=" | "*=" | "/=", [target, value]) => {
            let value = vec![head[..1].into(), target.clone(), value.clone()];
            write(vec!["=".into(), target.clone(), value.into()])
        }
        (_, [Value::String(sign), value @ ..]) if signs.contains(&sign.as_str()) => {
            let value = in_order(value, names)?;
            write(vec!["=".into(), items[0].clone(), value])
        }
        _ if names(head) == Named::Routine => {
            write(vec!["call".into(), items[0].clone(), rest.to_vec().into()])
        }
        (_, [value]) if names(head) == Named::Variable => {
            write(vec!["=".into(), items[0].clone(), value.clone()])
        }
        _ => control_word(head).map(str::to_owned),
    }
}

/// The expression meant by an array with its operators between the operands; a single element means itself.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "JSON has no further kinds of values"
)]
fn in_order(items: &[Value], names: infix::Names<'_>) -> Option<Value> {
    match items {
        [] => None,
        [one] => {
            let written = one.as_str().and_then(|text| infix::expression(text, names));
            Some(written.unwrap_or_else(|| one.clone()))
        }
        [Value::String(sign), operand] if sign == "-" => {
            Some(vec![sign.as_str().into(), operand.clone()].into())
        }
        [left, Value::String(op), right] if between(op).is_some() => {
            Some(vec![between(op)?.into(), left.clone(), right.clone()].into())
        }
        // A flat list with the operator in front.
        [Value::String(op), _, _] if between(op).is_some() => Some(items.to_vec().into()),
        _ => {
            // Names and numbers only: as text, which has precedences.
            let words: Option<Vec<String>> = items
                .iter()
                .map(|item| match item {
                    Value::String(word) => Some(word.clone()),
                    Value::Number(number) => Some(number.to_string()),
                    _ => None,
                })
                .collect();
            let odd = |i: usize| items[i].as_str().and_then(between).is_some();
            let alternate = items.len() % 2 == 1 && (1..items.len()).step_by(2).all(odd);
            infix::expression(&words.filter(|_| alternate)?.join(" "), names)
        }
    }
}

/// Our word for an operator that other notations write between its operands.
fn between(word: &str) -> Option<&'static str> {
    let is_sign = !word.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '[' | ':'));
    let is_word = matches!(word, "and" | "or" | "mod");
    (is_sign || is_word).then(|| infix::operator(word))?
}

/// Advice on how a word of control flow is written in a graph.
fn control_word(text: &str) -> Option<&'static str> {
    let word = text.trim().split(|c: char| !c.is_alphanumeric()).next()?;
    words::control_word(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::codes;
    use cfg_core::diagnostic::Diagnostic;

    fn names(name: &str) -> Named {
        match name {
            "a" | "x" | "s" => Named::Variable,
            "f" => Named::Routine,
            _ => Named::Unknown,
        }
    }

    #[test]
    fn suggestions() {
        for (cure, text, part) in [
            (
                Cure::Expression,
                r#""a(i)""#,
                r#"an element is written ["[]", "a", "i"]"#,
            ),
            (Cure::Expression, r#""s + x""#, r#"written ["+", "s", "x"]"#),
            (
                Cure::Expression,
                r#""f(x)""#,
                r#"["=", "t", ["call", "f", ["x"]]]"#,
            ),
            (Cure::Expression, r#""1.0""#, "write 1.0 without quotes"),
            (
                Cure::Operation,
                r#"["a", "i"]"#,
                r#"an element is written ["[]", "a", "i"]"#,
            ),
            (
                Cure::Operation,
                r#"["s", "+", ["sin", "x"]]"#,
                r#"["+", "s", ["sin", "x"]]"#,
            ),
            (
                Cure::Operation,
                r#"["s", "+", "x", "*", 2]"#,
                r#"["+", "s", ["*", "x", 2]]"#,
            ),
            (Cure::Operation, r#"["x"]"#, r#"without brackets: "x""#),
            (Cure::Operation, r#"["sin(x)"]"#, r#"write ["sin", "x"]"#),
            (
                Cure::Operation,
                r#"["pow", "x", 2]"#,
                r#"write ["**", "x", 2]"#,
            ),
            (Cure::Operation, r#"["f", "x"]"#, r#"["call", "f", ["x"]]"#),
            (
                Cure::Statement,
                r#""s = a(i)""#,
                r#"write ["=", "s", ["[]", "a", "i"]]"#,
            ),
            (Cure::Statement, r#""if (x > 0)""#, "BRANCH"),
            (
                Cure::StatementArray,
                r#"["s", "=", "x"]"#,
                r#"write ["=", "s", "x"]"#,
            ),
            (
                Cure::StatementArray,
                r#"["s", "=", "s", "+", "x"]"#,
                r#"write ["=", "s", ["+", "s", "x"]]"#,
            ),
            (
                Cure::StatementArray,
                r#"["+=", "s", "x"]"#,
                r#"write ["=", "s", ["+", "s", "x"]]"#,
            ),
            (
                Cure::StatementArray,
                r#"["f", "x"]"#,
                r#"write ["call", "f", ["x"]]"#,
            ),
            (
                Cure::StatementArray,
                r#"["s", ["sin", "x"]]"#,
                r#"write ["=", "s", ["sin", "x"]]"#,
            ),
            (
                Cure::StatementArray,
                r#"["s = 1"]"#,
                r#"write ["=", "s", 1]"#,
            ),
            (Cure::StatementArray, r#"["while", "x"]"#, "LOOP"),
            (
                Cure::Assignment,
                r#"["=", "s", "s", "+", "x"]"#,
                r#"write ["=", "s", ["+", "s", "x"]]"#,
            ),
            (
                Cure::Assignment,
                r#"["=", "s", "+", "s", "x"]"#,
                r#"write ["=", "s", ["+", "s", "x"]]"#,
            ),
            (
                Cure::Assignment,
                r#"["=", "s = 1"]"#,
                r#"write ["=", "s", 1]"#,
            ),
            (
                Cure::Call,
                r#"["call", "f", "x", 1]"#,
                r#"write ["call", "f", ["x", 1]]"#,
            ),
            (Cure::List, r#"["=", "s", 1]"#, r#"write [["=", "s", 1]]"#),
            (Cure::List, r#""x""#, r#"write ["x"]"#),
            (Cure::List, r#""s = 1""#, r#"write [["=", "s", 1]]"#),
            (
                Cure::Edge,
                "[1, 2, 0]",
                r#"write {"from": 1, "to": 2, "label": 0}"#,
            ),
        ] {
            let found = suggestion(cure, text, &names).unwrap_or_default();
            assert!(found.contains(part), "{text}: {found}");
        }
    }

    #[test]
    fn values_are_cut_out() {
        assert_eq!(short_value(r#""a]" , 2"#), Some(r#""a]""#));
        assert_eq!(short_value(r#"["a", [1]], 2"#), Some(r#"["a", [1]]"#));
        assert_eq!(short_value("12, 3"), Some("12"));
        assert_eq!(short_value(&format!("[{}", "1,".repeat(1000))), None);
        assert_eq!((short_value(""), short_value("]")), (None, None));
        for (length, is_short) in [(4 * LONGEST, true), (4 * LONGEST + 1, false)] {
            let text = format!("[{}]", " ".repeat(length - 2));
            assert_eq!(short_value(&text).is_some(), is_short, "{length}");
        }
    }

    /// The help of as many problems, each with the element of a list that is at its position, once cures are written.
    fn cured(text: &str, count: usize) -> Vec<String> {
        let problem = |k: usize| {
            let problem = Diagnostic::error(&codes::NUMBER, "a problem", "");
            problem.at_pointer(format!("/{k}"))
        };
        let mut problems = Diagnostics((0..count).map(problem).collect());
        let note = |problem: usize| Note {
            problem,
            cure: Cure::Expression,
            above: 0,
        };
        let notes: Vec<Note> = (0..count).map(note).collect();
        write(&mut problems, &notes, text, None);
        problems.0.into_iter().map(|problem| problem.help).collect()
    }

    /// Cures are written for as many problems as the limit says, and up to a length.
    #[test]
    fn limits_on_both_sides() {
        let text = format!("[{}]", vec!["\"s + x\""; MOST + 1].join(", "));
        let help = cured(&text, MOST + 1);
        let written = |k: usize| !help[k].is_empty();
        assert!(written(0) && written(MOST - 1) && !written(MOST));
        let help = |n: usize| cured(&format!("[\"s + {}\"]", "x".repeat(n)), 1).remove(0);
        let most = LONGEST - (help(1).len() - 1);
        assert_eq!(help(most).len(), LONGEST);
        assert_eq!(help(most + 1), "");
    }
}
