//! How a front end attaches: a small language, read line by line, becomes a program with the builder, and
//! everything else (validation, adjoint, execution) comes for free.
//!
//! The language has a statement per line and expressions in postfix notation, so that its reader fits on
//! two pages. Blocks are opened and closed with the builder's `begin_...` and `end_...` calls, which nest
//! without limit; each statement carries its line as an annotation, which comes out at the matching
//! statements of every program made from this one.
#![expect(clippy::print_stdout, reason = "an example prints")]

use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
use cfg_core::entity::{RoutineId, VarId};
use cfg_core::flat::Flat;
use cfg_core::ir::{Expr, ScalarType::Real};
use cfg_drive::{Adjoint, Options};
use std::collections::BTreeMap;
use std::error::Error;

/// Heron's method for the square root of a, then a branch.
const SOURCE: &str = "\
input a
output y
y = a
while y y * a - 1e-12 >
  y = y a y / + 2 /
end
if y 2 >
  y = y sin
else
  y = y a *
end
";

fn main() -> Result<(), Box<dyn Error>> {
    let (program, f) = translate(SOURCE)?;
    let mut shown = String::new();
    cfg_core::text::routine(&mut shown, &program, program.routine(f))?;
    println!("{shown}");
    for a in [2.0, 9.0] {
        let (value, derivative) = derivative(&program, f, a)?;
        println!("a = {a}: y = {value}, dy/da = {derivative}");
    }
    Ok(())
}

/// The value and the derivative of y at a.
fn derivative(program: &Flat, f: RoutineId, a: f64) -> Result<(f64, f64), Box<dyn Error>> {
    let mut adjoint = Adjoint::new(program, f, &Options::default())?;
    let point = adjoint.point(format!("{{\"a\": {a}}}").as_bytes())?;
    let seed = adjoint.default_seed(&point)?;
    let found = adjoint.gradient(&point, &seed)?;
    let (value, gradient) = (&found.value[0].1, &found.gradient[0].1);
    Ok((
        value.get_f64(0).unwrap_or(f64::NAN),
        gradient.get_f64(0).unwrap_or(f64::NAN),
    ))
}

/// What is open: a loop, or a branch.
enum Open {
    While,
    If,
}

/// Translates a text to a valid program with one routine.
fn translate(source: &str) -> Result<(Flat, RoutineId), Box<dyn Error>> {
    let mut f = RoutineBuilder::new("f");
    let mut variables: BTreeMap<String, VarId> = BTreeMap::new();
    let mut open = Vec::new();
    for (number, line) in source.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let wrong = |why: &str| format!("line {}: {why}: {line}", number + 1);
        let position = [("line".to_owned(), (number as u64 + 1).into())];
        f.note(Some(Box::new(position.into_iter().collect())));
        match *words {
            [] => {}
            ["input", name] => {
                let v = f.input(name, Real);
                f.independents([v]);
                variables.insert(name.to_owned(), v);
            }
            ["output", name] => {
                let v = f.output(name, Real);
                f.dependents([v]);
                variables.insert(name.to_owned(), v);
            }
            ["while", ref condition @ ..] => {
                f.begin_while(expression(condition, &variables).map_err(|e| wrong(&e))?);
                open.push(Open::While);
            }
            ["if", ref condition @ ..] => {
                f.begin_if(expression(condition, &variables).map_err(|e| wrong(&e))?);
                open.push(Open::If);
            }
            ["else"] => f.begin_else(),
            ["end"] => match open.pop() {
                Some(Open::While) => f.end_loop(),
                Some(Open::If) => f.end_if(),
                None => return Err(wrong("nothing is open").into()),
            },
            [name, "=", ref value @ ..] => {
                let value = expression(value, &variables).map_err(|e| wrong(&e))?;
                let target = match variables.get(name) {
                    Some(v) => *v,
                    None => f.local(name, Real),
                };
                variables.insert(name.to_owned(), target);
                f.assign(target, value);
            }
            _ => return Err(wrong("not a statement").into()),
        }
    }
    // Everything that can be wrong with a program is reported here, all at once: this front end has no
    // checks of its own for what is open, undefined, or of the wrong type.
    let mut program = ProgramBuilder::new();
    let f = program.add(f);
    Ok((Flat::check(program.finish()?)?, f))
}

/// An expression in postfix notation.
fn expression(words: &[&str], variables: &BTreeMap<String, VarId>) -> Result<Expr, String> {
    let mut stack: Vec<Expr> = Vec::new();
    for word in words {
        let mut pop = || stack.pop().ok_or(format!("{word} lacks an operand"));
        let next = match *word {
            "+" => pop().and_then(|b| Ok(pop()? + b))?,
            "-" => pop().and_then(|b| Ok(pop()? - b))?,
            "*" => pop().and_then(|b| Ok(pop()? * b))?,
            "/" => pop().and_then(|b| Ok(pop()? / b))?,
            ">" => pop().and_then(|b| Ok(gt(pop()?, b)))?,
            "sin" => sin(pop()?),
            name => match (variables.get(name), name.parse::<f64>()) {
                (Some(v), _) => Expr::var(*v),
                (None, Ok(number)) => Expr::from(number),
                (None, Err(_)) => return Err(format!("{name} is unknown")),
            },
        };
        stack.push(next);
    }
    match (stack.pop(), stack.is_empty()) {
        (Some(value), true) => Ok(value),
        _ => Err("this is not one expression".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_those_of_the_square_root() {
        main().expect("it runs");
        let (program, f) = translate(SOURCE).expect("it is right");
        // y = a sqrt(a) up to 2, sin(sqrt(a)) from there.
        let (y, dy) = derivative(&program, f, 2.0).expect("it runs");
        assert!((y - 2.0 * 2f64.sqrt()).abs() < 1e-12, "{y}");
        assert!((dy - 1.5 * 2f64.sqrt()).abs() < 1e-9, "{dy}");
        let (y, dy) = derivative(&program, f, 9.0).expect("it runs");
        assert!((y - 3f64.sin()).abs() < 1e-12, "{y}");
        assert!((dy - 3f64.cos() / 6.0).abs() < 1e-9, "{dy}");
    }

    #[test]
    fn positions_reach_the_adjoint() {
        let (program, f) = translate(SOURCE).expect("it is right");
        let reversal = cfg_reverse::reverse(&program, f, &cfg_reverse::Options::default());
        let reversal = reversal.expect("it is reversed");
        let mut json = Vec::new();
        cfg_format::json::write(&reversal.program, &mut json).expect("it is written");
        let json = String::from_utf8(json).expect("it is text");
        assert!(json.matches("\"line\"").count() > 2 * 6, "{json}");
    }

    #[test]
    fn mistakes_are_told() {
        for (source, message) in [
            ("output y\ny = 1 +", "line 2: + lacks an operand: y = 1 +"),
            (
                "output y\ny = 1 2",
                "line 2: this is not one expression: y = 1 2",
            ),
            ("end", "line 1: nothing is open: end"),
            ("output y\nwhile y 1 >", "has no end"),
            ("output y\ny = y 1 +", "y"),
        ] {
            let problem = translate(source).expect_err("it is wrong").to_string();
            assert!(problem.contains(message), "{problem}");
        }
    }
}
