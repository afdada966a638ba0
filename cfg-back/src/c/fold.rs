//! Lines of a width that people read.

/// The columns of a line.
const WIDTH: usize = 100;

/// The mark of lines in which a statement goes on.
pub(super) const CONTINUED: &str = "\u{2}";

/// The code with lines that are too long broken behind commas and before operators; what goes on in the next line is
/// indented further. Directives, comments and literals stay whole.
pub(super) fn fold_code(text: &str) -> String {
    fold(text, ("", "        "), true)
}

/// The same, with [`CONTINUED`] first in lines in which a statement goes on.
pub(super) fn fold_and_mark(text: &str) -> String {
    fold(text, (CONTINUED, "        "), true)
}

/// The comment with lines that are too long broken between words; what goes on in the next line stands below the first
/// word.
pub(super) fn fold_comment(text: &str) -> String {
    fold(text, ("", "   "), false)
}

fn fold(text: &str, (mark, more): (&str, &str), is_code: bool) -> String {
    let mut made = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let code = line.trim_start();
        let indent = &line[..line.len() - code.len()];
        let whole = is_code && ["#", "/*"].iter().any(|start| code.starts_with(start));
        let (mut rest, mut lead) = (code, indent.to_owned());
        while !whole
            && lead.len() + rest.trim_end().chars().count() > WIDTH
            && let Some(at) = place_to_break(rest, WIDTH.saturating_sub(lead.len()), is_code)
        {
            made.push_str(&lead);
            made.push_str(&rest[..at]);
            made.push('\n');
            rest = &rest[at + 1..];
            lead = format!("{indent}{more}");
            made.push_str(mark);
        }
        made.push_str(&lead);
        made.push_str(rest);
    }
    made
}

/// The space within the width where a line is broken: in its second half the last one between the fewest brackets, else
/// the first one behind it.
fn place_to_break(text: &str, width: usize, is_code: bool) -> Option<usize> {
    let (mut quote, mut escaped, mut depth) = (None, false, 0_i64);
    let mut found: Option<(i64, usize, usize)> = None;
    for (column, (at, c)) in text.char_indices().enumerate() {
        if escaped {
            escaped = false;
        } else if quote.is_some() && c == '\\' {
            escaped = true;
        } else if quote == Some(c) {
            quote = None;
        } else if quote.is_some() {
            continue;
        } else if is_code && (c == '"' || c == '\'') {
            quote = Some(c);
        } else if is_code && matches!(c, '(' | '{' | '[') {
            depth += 1;
        } else if is_code && matches!(c, ')' | '}' | ']') {
            depth -= 1;
        } else if c == ' ' && may_break(text, at, is_code) {
            if column > width {
                return Some(found.map_or(at, |(_, _, at)| at));
            }
            if found.is_none_or(|(least, column, _)| depth <= least || column < width / 2) {
                found = Some((depth, column, at));
            }
        }
    }
    found.map(|(_, _, at)| at)
}

fn may_break(text: &str, at: usize, is_code: bool) -> bool {
    let (before, behind) = (&text[..at], &text[at + 1..]);
    if !is_code {
        return at > 2;
    }
    let operators = ["&& ", "|| ", "? ", ": ", "+ ", "- ", "* ", "/ "];
    before.ends_with([',', '='])
        || operators
            .iter()
            .any(|operator| behind.starts_with(operator))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_outside_of_literals() {
        let long = format!("    f({}, \"{}\", b);\n", "a".repeat(60), "b, ".repeat(20));
        let expected = format!(
            "    f({},\n            \"{}\", b);\n",
            "a".repeat(60),
            "b, ".repeat(20)
        );
        assert_eq!(fold_code(&long), expected);
        let short = "    f(a, b);\n#define F(a, b) a\n";
        assert_eq!(fold_code(short), short);
        let directive = format!("#define F {}\n", "a, ".repeat(50));
        assert_eq!(fold_code(&directive), directive);
        let words = format!("/* {}*/", "word ".repeat(25));
        let broken = fold_comment(&words);
        assert!(broken.lines().all(|line| line.len() <= WIDTH), "{broken}");
        assert_eq!(broken.replace("\n  ", ""), words);
    }
}
