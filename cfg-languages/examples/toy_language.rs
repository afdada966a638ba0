//! A front end for a small language: `docs/front-end.md` goes through it.
//!
//! A line is a statement. The builder makes blocks, loops and branches of them; validation, derivatives and places of
//! problems come for free, as spans tie every statement to its line.
#![expect(clippy::print_stdout, reason = "an example prints")]

use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
use cfg_core::diagnostic::{CodeInfo, Diagnostic, Diagnostics};
use cfg_core::entity::VarId;
use cfg_core::ir::{Expr, Program, ScalarType::Real, Span};
use cfg_languages::{Files, FrontEnd, NoFiles, ReadProgram, Request, Text};
use std::collections::BTreeMap;

cfg_core::diagnostic_codes! {
    /// All codes of the language.
    pub(crate) CODES of codes;
    LINE "Y001" "not a statement"
        "A line is `input X`, `output X`, `X = EXPRESSION`, `while CONDITION`, `if CONDITION`, `else` or `end`."
        "The message says which word of the line does not fit.";
}

/// The front end.
#[derive(Debug)]
pub(crate) struct Toy;

impl FrontEnd for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }
    fn title(&self) -> &'static str {
        "Toy"
    }
    fn about(&self) -> &'static str {
        "A small language of lines"
    }
    fn extensions(&self) -> &'static [&'static str] {
        &["toy"]
    }
    fn codes(&self) -> &'static [CodeInfo] {
        CODES
    }
    fn read(&self, request: &Request<'_>, _: &mut dyn Files) -> ReadProgram {
        match translate(request.text()) {
            Ok(program) => ReadProgram::new(Some(program), Diagnostics::default()),
            Err(problems) => ReadProgram::new(None, problems),
        }
    }
}

/// A word of a line, and its column.
type Word<'t> = (usize, &'t str);

/// The column of a word that does not fit, and why.
type Wrong = (usize, String);

/// The program of a text: one routine, named f.
fn translate(text: Text<'_>) -> Result<Program, Diagnostics> {
    let source = String::from_utf8_lossy(text.bytes);
    let mut program = ProgramBuilder::new();
    let number = program.source(text.name);
    let mut routine = Routine {
        f: RoutineBuilder::new("f"),
        variables: BTreeMap::new(),
        open: Vec::new(),
    };
    let mut problems = Diagnostics::default();
    let mut last = 1;
    for (line, text) in (1..).zip(source.lines()) {
        let at = [line, 1, line, text.len() as u32 + 1];
        if let Some(span) = Span::new(number, at) {
            routine.f.span(span);
        }
        if let Err(wrong) = routine.statement(&words(text)) {
            problems.push(problem(line, wrong));
        }
        last = line;
    }
    if !routine.open.is_empty() {
        problems.push(problem(last, (1, "an `end` is missing".to_owned())));
    }
    if problems.has_errors() {
        return Err(problems);
    }
    let f = program.add(routine.f);
    program.main(f);
    program.into_program()
}

fn problem(line: u32, (column, message): Wrong) -> Diagnostic {
    let mut problem = Diagnostic::error(&LINE, message, "");
    problem.at.line = Some(line as usize);
    problem.at.column = Some(column);
    problem
}

/// The words of a line, up to a comment: names and numbers, or a character of another kind.
fn words(line: &str) -> Vec<Word<'_>> {
    let code = line.split('#').next().unwrap_or_default();
    let mut words = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_part = |c: char| c.is_alphanumeric() || c == '.' || c == '_';
        let end = match is_part(first) {
            true => rest.find(|c| !is_part(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        words.push((code.len() - rest.len() + 1, &rest[..end]));
        rest = rest[end..].trim_start();
    }
    words
}

/// A loop or a branch that has been opened.
enum Open {
    While,
    If,
}

/// The routine that is being written.
struct Routine {
    f: RoutineBuilder,
    variables: BTreeMap<String, VarId>,
    open: Vec<Open>,
}

impl Routine {
    fn statement(&mut self, words: &[Word<'_>]) -> Result<(), Wrong> {
        match *words {
            [] => {}
            [(_, "input"), (_, name)] => {
                let v = self.f.input(name, Real);
                self.f.independents([v]);
                self.variables.insert(name.to_owned(), v);
            }
            [(_, "output"), (_, name)] => {
                let v = self.f.output(name, Real);
                self.f.dependents([v]);
                self.variables.insert(name.to_owned(), v);
            }
            [(column, "while"), ref condition @ ..] => {
                let condition = self.expression(column, condition)?;
                self.f.begin_while(condition);
                self.open.push(Open::While);
            }
            [(column, "if"), ref condition @ ..] => {
                let condition = self.expression(column, condition)?;
                self.f.begin_if(condition);
                self.open.push(Open::If);
            }
            [(_, "else")] if matches!(self.open.last(), Some(Open::If)) => self.f.begin_else(),
            [(column, "end")] => match self.open.pop() {
                Some(Open::While) => self.f.end_loop(),
                Some(Open::If) => self.f.end_if(),
                None => return Err((column, "nothing is open that could end".to_owned())),
            },
            [(_, name), (column, "="), ref value @ ..] => {
                let value = self.expression(column, value)?;
                let f = &mut self.f;
                let known = self.variables.entry(name.to_owned());
                let v = *known.or_insert_with(|| f.local(name, Real));
                f.assign(v, value);
            }
            [(column, word), ..] => return Err((column, format!("`{word}` begins no statement"))),
        }
        Ok(())
    }

    /// An expression behind the word in a column; operators wait for their right operands on a stack.
    fn expression(&self, mut column: usize, words: &[Word<'_>]) -> Result<Expr, Wrong> {
        let (mut values, mut waiting) = (Vec::new(), Vec::new());
        let mut is_value = false;
        for &(at, word) in words {
            column = at;
            match word {
                "(" | "sin" | "sqrt" if !is_value => waiting.push(word),
                "+" | "-" | "*" | "/" | ">" if is_value => {
                    apply(&mut values, &mut waiting, rank(word));
                    waiting.push(word);
                    is_value = false;
                }
                ")" if is_value => {
                    apply(&mut values, &mut waiting, 1);
                    if waiting.pop().is_none() {
                        return Err((column, "no bracket is open".to_owned()));
                    }
                }
                name if !is_value => {
                    values.push(match (self.variables.get(name), name.parse::<f64>()) {
                        (Some(v), _) => Expr::var(*v),
                        (None, Ok(number)) => Expr::from(number),
                        (None, Err(_)) => return Err((column, format!("`{name}` is no value"))),
                    });
                    is_value = true;
                }
                _ => return Err((column, format!("`{word}` needs an operator before it"))),
            }
        }
        apply(&mut values, &mut waiting, 1);
        match values.pop() {
            Some(value) if is_value && waiting.is_empty() => Ok(value),
            _ => Err((column, "the expression does not end here".to_owned())),
        }
    }
}

/// How strongly an operator binds; a bracket that is open does not.
fn rank(operator: &str) -> u8 {
    match operator {
        "(" => 0,
        ">" => 1,
        "+" | "-" => 2,
        "*" | "/" => 3,
        _ => 4,
    }
}

/// Applies the operators that wait and bind at least so strongly.
fn apply(values: &mut Vec<Expr>, waiting: &mut Vec<&str>, least: u8) {
    while let Some(operator) = waiting.pop_if(|operator| rank(operator) >= least) {
        let Some(b) = values.pop() else { return };
        let value = match (operator, rank(operator)) {
            ("sin", _) => sin(b),
            (_, 4) => sqrt(b),
            _ => {
                let Some(a) = values.pop() else { return };
                match operator {
                    "+" => a + b,
                    "-" => a - b,
                    "*" => a * b,
                    "/" => a / b,
                    _ => gt(a, b),
                }
            }
        };
        values.push(value);
    }
}

/// Heron's method for the square root of a, then a branch.
pub(crate) const SOURCE: &str = "\
input a
output y
y = a
while y*y - a > 0.000000000001
  y = (y + a/y) / 2
end
if y > 2
  y = sin(y)   # a > 4
else
  y = a*y
end
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    print!("{}", show(SOURCE)?);
    Ok(())
}

/// The program that is read, in the text form, and its derivative at two points.
pub(crate) fn show(source: &str) -> Result<String, Box<dyn std::error::Error>> {
    let text = Text {
        name: "heron.toy",
        bytes: source.as_bytes(),
    };
    let read = Toy.read(&Request::new(&[text]), &mut NoFiles);
    let program = read.parsed.program.ok_or(read.parsed.problems)?;
    let mut shown = String::new();
    cfg_core::text::program(&mut shown, &program)?;
    let program = cfg_core::flat::Flat::check(cfg_core::validate::validate(program)?)?;
    let f = program.main.ok_or("the reader marks the routine")?;
    let mut adjoint = cfg_drive::Adjoint::new(&program, f, &cfg_drive::Options::default())?;
    for a in ["2", "9"] {
        let point = adjoint.read_point(format!("{{\"a\": {a}}}").as_bytes())?;
        let seed = adjoint.default_seed(&point)?;
        let found = adjoint.gradient(&point, &seed)?;
        let [y, dy] = [&found.value, &found.gradient].map(|values| values[0].1.get_f64(0));
        let [y, dy] = [y, dy].map(Option::unwrap_or_default);
        shown += &format!("a = {a}: y = {y:.9}, dy/da = {dy:.9}\n");
    }
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::flat::Flat;
    use cfg_core::validate::validate;

    /// The program of a source, or all its problems as `LINE:COLUMN: message`.
    fn read(source: &str) -> Result<Flat, Vec<String>> {
        let text = Text {
            name: "f.toy",
            bytes: source.as_bytes(),
        };
        let read = Toy.read(&Request::new(&[text]), &mut NoFiles);
        let program = read.parsed.program.ok_or(read.parsed.problems);
        let valid = program.and_then(validate).and_then(Flat::check);
        valid.map_err(|problems| {
            let told = problems.iter().map(|d| match &d.at.source {
                Some(source) => format!("{source}: {}", d.message),
                None => {
                    let [line, column] = [d.at.line, d.at.column].map(Option::unwrap_or_default);
                    format!("{line}:{column}: {}", d.message)
                }
            });
            told.collect()
        })
    }

    #[test]
    fn derivatives_are_those_of_the_square_root() {
        let program = read(SOURCE).expect("it is right");
        let f = program.main.expect("it is marked");
        let options = cfg_drive::Options::default();
        let mut adjoint = cfg_drive::Adjoint::new(&program, f, &options).expect("it is reversed");
        let (two, three) = (2f64.sqrt(), 3f64);
        // y = a sqrt(a) up to 4, sin(sqrt(a)) from there.
        for (a, y, dy) in [
            (2, 2.0 * two, 1.5 * two),
            (9, three.sin(), three.cos() / 6.0),
        ] {
            let point = adjoint.read_point(format!("{{\"a\": {a}}}").as_bytes());
            let point = point.expect("it is right");
            let seed = adjoint.default_seed(&point).expect("there is one");
            let found = adjoint.gradient(&point, &seed).expect("it runs");
            for (values, expected) in [(&found.value, y), (&found.gradient, dy)] {
                let value = values[0].1.get_f64(0).expect("a number");
                assert!((value - expected).abs() < 1e-9, "{value} {expected}");
            }
        }
    }

    #[test]
    fn places_reach_the_adjoint() {
        let program = read(SOURCE).expect("it is right");
        let f = program.main.expect("it is marked");
        let reversal = cfg_reverse::reverse(&program, f, &cfg_reverse::Options::default());
        let reversal = reversal.expect("it is reversed");
        let routines = [reversal.forward, reversal.reverse].map(|r| reversal.program.routine(r));
        let statements = routines
            .into_iter()
            .flat_map(cfg_core::ir::Routine::statements);
        let lines = statements.filter_map(|s| Some(s.at.as_ref()?.line.get()));
        let lines: std::collections::BTreeSet<u32> = lines.collect();
        assert!([3, 5, 8, 10].iter().all(|line| lines.contains(line)));
    }

    #[test]
    fn mistakes_are_told_with_their_places() {
        for (source, place, message) in [
            (
                "output y\ny = 1 +",
                "2:7",
                "the expression does not end here",
            ),
            (
                "output y\ny = 1 2",
                "2:7",
                "`2` needs an operator before it",
            ),
            (
                "output y\ny = (1",
                "2:6",
                "the expression does not end here",
            ),
            ("output y\n  y = 1)", "2:8", "no bracket is open"),
            ("output y\ny = x*2", "2:5", "`x` is no value"),
            ("output y\ny =", "2:3", "the expression does not end here"),
            ("end", "1:1", "nothing is open that could end"),
            ("output y\nelse", "2:1", "`else` begins no statement"),
            ("output y\ny = 1\nwhile y > 1", "3:1", "an `end` is missing"),
            // Rules of programs are checked by the library.
            ("output y\ny = 1 > 2", "f.toy:2:1", ""),
        ] {
            let problems = read(source).expect_err("it is wrong");
            let expected = format!("{place}: {message}");
            assert!(
                problems.iter().any(|p| p.starts_with(&expected)),
                "{problems:?} {expected}"
            );
        }
        let two = read("y = +\nz = -").expect_err("both are wrong");
        assert_eq!(two.len(), 2, "{two:?}");
    }
}
