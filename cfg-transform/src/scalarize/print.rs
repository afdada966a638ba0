//! Forms as text, for people and for tests.

use cfg_core::{
    entity::VarId,
    ir::{Expr, Program, Routine},
    text::{Name, Printer},
};
use std::fmt::{self, Write};

use super::form::{Action, Array, ArrayId, Form, Part, Step};

/// Writes the form of a statement of a routine, for people, a step per line. Arrays that steps make are `#1`, `#2`, in
/// the order in which the form has them.
///
/// # Errors
/// The errors of the output.
pub fn print(
    out: &mut impl Write,
    program: &Program,
    routine: &Routine,
    form: &Form,
) -> fmt::Result {
    let mut named = routine.clone();
    named.variables.extend(form.names.iter().cloned());
    let printer = Printer::new(program, &named);
    let mut made = 0;
    let array = |array: &Array| match array.variable {
        Some(v) => Name(&named.variable(v).name).to_string(),
        None => {
            made += 1;
            format!("#{made}")
        }
    };
    let mut all = Print {
        out,
        printer: &printer,
        routine: &named,
        arrays: form.arrays.iter().map(array).collect(),
    };
    all.steps(&form.steps, 0)
}

struct Print<'a, W> {
    out: &'a mut W,
    printer: &'a Printer<'a>,
    routine: &'a Routine,
    /// The names of the form's arrays.
    arrays: Vec<String>,
}

impl<W: Write> Print<'_, W> {
    fn steps(&mut self, steps: &[Step], depth: usize) -> fmt::Result {
        steps.iter().try_for_each(|step| self.step(step, depth))
    }

    fn indent(&mut self, depth: usize) -> fmt::Result {
        write!(self.out, "{:1$}", "", 2 * depth)
    }

    /// Writes a line.
    fn line(&mut self, depth: usize, text: fmt::Arguments<'_>) -> fmt::Result {
        self.indent(depth)?;
        writeln!(self.out, "{text}")
    }

    fn array(&self, array: ArrayId) -> String {
        self.arrays[array.index()].clone()
    }

    fn name(&self, v: VarId) -> String {
        Name(&self.routine.variable(v).name).to_string()
    }

    fn expr(&self, e: &Expr) -> String {
        self.printer.display_expr(e).to_string()
    }

    fn step(&mut self, step: &Step, depth: usize) -> fmt::Result {
        let inner = depth + 1;
        match step {
            Step::Let { name, value } => {
                let (name, value) = (self.name(*name), self.expr(value));
                self.line(depth, format_args!("{name} := {value}"))
            }
            Step::Section { array, place } => {
                let (array, place) = (
                    self.array(*array),
                    self.printer.display_place(place).to_string(),
                );
                self.line(depth, format_args!("{array} is {place}"))
            }
            Step::Transpose { array, of } => {
                let (array, of) = (self.array(*array), self.array(*of));
                self.line(depth, format_args!("{array} is {of} transposed"))
            }
            Step::Alias { array, of } => {
                let (array, of) = (self.array(*array), self.array(*of));
                self.line(depth, format_args!("{array} is {of}, which must be there"))
            }
            Step::Same { array, of } => {
                let (array, of) = (self.array(*array), self.array(*of));
                self.line(depth, format_args!("{array} is {of}"))
            }
            Step::Untaken { array } => {
                let array = self.array(*array);
                self.line(depth, format_args!("{array} is not taken"))
            }
            Step::ShapeOf {
                array,
                candidates,
                otherwise,
            } => {
                let array = self.array(*array);
                let names = candidates.iter().chain(otherwise);
                let names: Vec<String> = names.map(|&a| self.array(a)).collect();
                let names = names.join(", ");
                self.line(
                    depth,
                    format_args!("{array} has the shape of the first of {names}"),
                )
            }
            Step::Conform { a, b } => {
                let (a, b) = (self.array(*a), self.array(*b));
                self.line(depth, format_args!("{b} must conform with {a}"))
            }
            Step::Temporary { array, like } => {
                let (array, like) = (self.array(*array), self.array(*like));
                self.line(depth, format_args!("{array} is new, shaped like {like}"))
            }
            Step::Shaped { array, extents } => {
                let extents: Vec<String> = extents.iter().map(|e| self.expr(e)).collect();
                let (array, extents) = (self.array(*array), extents.join(", "));
                self.line(depth, format_args!("{array} is new, of extents {extents}"))
            }
            Step::Reallocate { array, like } => {
                let (array, like) = (self.array(*array), self.array(*like));
                self.line(depth, format_args!("{array} is allocated like {like}"))
            }
            Step::Fill { array, value } => {
                let (array, value) = (self.array(*array), self.expr(value));
                self.line(depth, format_args!("all of {array} := {value}"))
            }
            Step::Copy { to, from } => {
                let (to, from) = (self.array(*to), self.array(*from));
                self.line(depth, format_args!("all of {to} := {from}"))
            }
            Step::Reduce { op, name, of } => {
                let (name, of, op) = (self.name(*name), self.array(*of), op.name());
                self.line(depth, format_args!("{name} := {op}({of})"))
            }
            Step::Partials { op, array, of } => {
                let (array, of, op) = (self.array(*array), self.array(*of), op.name());
                self.line(depth, format_args!("all of {array} := {op}({of})"))
            }
            Step::Choose {
                condition,
                sense,
                lenient,
                taken,
                untaken,
            } => {
                let lenient = if *lenient { " for sure" } else { "" };
                let condition = self.expr(condition);
                self.line(depth, format_args!("if {condition} is {sense}{lenient}"))?;
                self.steps(taken, inner)?;
                if !untaken.is_empty() {
                    let arrays: Vec<String> = untaken.iter().map(|&a| self.array(a)).collect();
                    let arrays = arrays.join(", ");
                    self.line(depth, format_args!("else {arrays} not taken"))?;
                }
                Ok(())
            }
            Step::Decide {
                undecided,
                parts,
                decided,
            } => {
                for Part { test, steps } in parts {
                    match test {
                        Some(test) => {
                            let test = self.expr(test);
                            self.line(depth, format_args!("while {test} is {undecided}"))?;
                        }
                        None => self.line(depth, format_args!("then"))?,
                    }
                    self.steps(steps, inner)?;
                }
                self.line(depth, format_args!("if decided"))?;
                self.steps(decided, inner)
            }
            Step::Try {
                attempt,
                well,
                failed,
            } => {
                self.line(depth, format_args!("try"))?;
                self.steps(attempt, inner)?;
                self.line(depth, format_args!("if well"))?;
                self.steps(well, inner)?;
                self.line(depth, format_args!("if not"))?;
                self.steps(failed, inner)
            }
            Step::Loop(nest) => {
                let over = self.array(nest.over);
                self.indent(depth)?;
                write!(self.out, "for all of {over}")?;
                for (k, element) in nest.elements.iter().enumerate() {
                    let lead = if k == 0 { " with" } else { "," };
                    let (name, array) = (self.name(element.name), self.array(element.array));
                    write!(self.out, "{lead} {name} in {array}")?;
                }
                writeln!(self.out)?;
                match &nest.action {
                    Action::Store(value) => {
                        let value = self.expr(value);
                        self.line(inner, format_args!("{over} := {value}"))
                    }
                    Action::Fold { op, name, value } => {
                        let (name, value, op) = (self.name(*name), self.expr(value), op.name());
                        self.line(inner, format_args!("{name} := {op} with {value}"))
                    }
                }
            }
        }
    }
}
