//! The test at the entry of a derivative of a routine whose parameters may overlap: it compares the cells that callers
//! pass, and chooses between the version that is right under overlap and the one for arguments that are apart.
//!
//! Let P(p) be the cells of a parameter p, and D(p) those of its derivative. The arguments are apart if
//!
//! - P(p) and P(q) share no cell for any p and q one of which is written, nor P(p) and a global of the file if one of
//!   the two is written;
//! - D(p) and D(q) share no cell, for any p and q of which the function increments adjoints, or one of which is written
//!   if D are tangents.
//!
//! Only cells of one type can be the same. If P(p) and P(q) share cells, one of them is written, and D(p) or D(q) is
//! null, the promise is broken that null means, and the function returns status 4. A forward sweep, which is not
//! given D, takes D to share cells where P does, and leaves its choice on the tape for its reverse sweep.

use super::{
    Count, GlobalNames, Several,
    adapter::Session,
    faults,
    file::{File, Made},
    parameters::{Given, Interface, Passed},
    pooled::Pooled,
    sweep::{Called, Sweep},
};
use cfg_core::{
    entity::{GlobalId, RoutineId, VarId},
    flat::Flat,
    ir::{Intent, ParameterRole, ScalarType, Signature},
};
use std::collections::BTreeSet;

/// More pairs than these are not compared: such a function has one version.
const MOST_PAIRS: usize = 300;

/// The name of the function that compares two ranges, and the texts of its arguments for a range.
const SHARE: &str = "cfgrev_share";

/// Cells that a caller passes.
struct Cells {
    /// The pointer, and their size in bytes.
    texts: String,
    /// The types of numbers in them.
    types: BTreeSet<ScalarType>,
    written: bool,
    has_derivative: bool,
    /// The derivative, and the condition under which it is null although it may not be under overlap.
    derivative: Option<String>,
    is_null: Option<String>,
}

/// The names of the variables of a test.
struct Test {
    /// True if the arguments are apart.
    apart: String,
    /// True if a derivative is null that may not be; none if that cannot be.
    null: Option<String>,
    /// The statements.
    text: String,
}

impl Interface<'_> {
    /// The test of a sweep; `count`: the name of the number of directions, of a function in several. `None` if some
    /// extents are computed, or there are too many pairs.
    fn test(
        &mut self,
        original: RoutineId,
        sweep: Sweep,
        count: Option<&str>,
        globals: &GlobalNames,
    ) -> Option<Test> {
        let all = self.cells(sweep, count)?;
        let [apart, null] = ["apart", "null"].map(|name| self.fresh(name));
        let (mut text, mut pairs, mut tests_null) = (String::new(), 0, false);
        for (k, b) in all.iter().enumerate() {
            for a in &all[..k] {
                if a.types.is_disjoint(&b.types) {
                    continue;
                }
                pairs += 1;
                let writes = a.written || b.written;
                // Derivatives share cells where their parameters do; the forward sweep is not given them.
                let derivatives = sweep == Sweep::Forward && a.has_derivative && b.has_derivative;
                if writes || derivatives {
                    let nulls = [&a.is_null, &b.is_null].into_iter().flatten();
                    let nulls: Vec<&str> = nulls.map(String::as_str).collect();
                    tests_null |= !nulls.is_empty();
                    text += &format!("if ({SHARE}({}, {}))", a.texts, b.texts);
                    text += &match nulls.is_empty() {
                        true => format!("\n    {apart} = false;\n"),
                        false => format!(
                            " {{\n    {apart} = false;\n    {null} |= {};\n}}\n",
                            nulls.join(" || ")
                        ),
                    };
                }
                if let (Some(d), Some(e)) = (&a.derivative, &b.derivative)
                    && (writes || sweep != Sweep::Tangent)
                {
                    text += &format!("if ({SHARE}({d}, {e}))\n    {apart} = false;\n");
                }
            }
        }
        for cells in &all {
            if self.meets_globals(original, cells, globals) {
                let own = &globals.variables.own;
                let own = format!("&{own}, sizeof {own}");
                text += &format!(
                    "if ({SHARE}({}, {own}))\n    {apart} = false;\n",
                    cells.texts
                );
                pairs += 1;
            }
        }
        let null = tests_null.then_some(null);
        let flags = [
            Some(format!("{apart} = true")),
            null.as_ref().map(|n| format!("{n} = false")),
        ];
        let flags: Vec<String> = flags.into_iter().flatten().collect();
        (pairs <= MOST_PAIRS).then(|| Test {
            text: format!("bool {};\n{text}", flags.join(", ")),
            apart,
            null,
        })
    }

    /// The cells that callers pass for parameters, and for the result where it is an array.
    fn cells(&self, sweep: Sweep, count: Option<&str>) -> Option<Vec<Cells>> {
        let derivative: Option<fn(VarId) -> ParameterRole> = match sweep {
            Sweep::Forward => None,
            Sweep::Gradient | Sweep::Reverse => Some(ParameterRole::Adjoint),
            Sweep::Tangent => Some(ParameterRole::Tangent),
        };
        let routine = self.routine;
        let arrays = routine.result.filter(|&r| routine.variable(r).rank() > 0);
        let mut all = Vec::new();
        for v in routine.parameter_ids().chain(arrays) {
            let variable = routine.variable(v);
            let item = self.item(ParameterRole::Primal(v))?;
            // Without extents it was compared with nothing.
            if item.passed == Passed::Value || variable.ty.is_tape() || self.is_left_out(v) {
                continue;
            }
            let name = item.name.clone();
            let elements = self.elements(v)?;
            let range = |name: &str, factor: &str| {
                format!("{name}, (size_t)({elements}){factor} * sizeof *{name}")
            };
            let given = derivative.and_then(|role| self.item(role(v)));
            let given = given.filter(|item| item.passed != Passed::Value);
            let factor = count
                .map(|nd| format!(" * (size_t){nd}"))
                .unwrap_or_default();
            let leaves = self.file.program_for_callers().leaves(variable.ty);
            let writes = |intent: Intent| intent.writes();
            all.push(Cells {
                texts: range(&name, ""),
                types: leaves.iter().map(|leaf| leaf.ty).collect(),
                written: variable.intent().is_none_or(writes),
                has_derivative: self.file.program_for_callers().has_reals(variable.ty),
                derivative: given.map(|item| range(&item.name, &factor)),
                is_null: given
                    .filter(|item| item.given == Given::OrNull)
                    .map(|item| format!("!{}", item.name)),
            });
        }
        Some(all)
    }

    /// True if the routine uses a global of the file's own that has the type of these cells, and one of the two is
    /// written.
    fn meets_globals(&self, original: RoutineId, cells: &Cells, globals: &GlobalNames) -> bool {
        let (file, mut found) = (self.file, false);
        let effects = &file.effects;
        effects.named(original).each(|g| {
            let owner: GlobalId = file.program.storage(g).0;
            let is_own = !globals.variables.external.contains_key(&owner)
                && file.globals.member(owner).is_some();
            let writes = cells.written || effects.written(original).contains(g);
            found |= is_own && writes && cells.types.contains(&file.program.global(g).variable.ty);
        });
        found
    }
}

/// The choice between two versions in a function.
pub(super) struct Choice {
    sweep: Sweep,
    /// The function of the file for arguments that are apart.
    pub(super) made: Made,
    test: Test,
    /// The variable that has the choice of the forward sweep.
    chosen: String,
}

impl Choice {
    /// The choice of a function; `None` if it has one version.
    pub(super) fn new(
        interface: &mut Interface<'_>,
        original: RoutineId,
        called: Called<'_>,
        count: &str,
        globals: &GlobalNames,
    ) -> Option<Self> {
        let count = called.several.map(|_| count);
        Some(Self {
            sweep: called.sweep,
            made: interface.file.made_function(called.apart?, false)?,
            test: interface.test(original, called.sweep, count, globals)?,
            chosen: interface.fresh("chosen"),
        })
    }

    /// The lines that stand before all others: the test, and returns with status 4 where promises are broken.
    pub(super) fn at_entry(&self, file: &File<'_>, session: &Session, name: &str) -> String {
        let (tape, chosen, apart) = (&session.tape, &self.chosen, &self.test.apart);
        let stopped = |condition: &str, message: String| {
            let lines = session.fail(&message);
            let lines = lines.lines().map(|line| format!("    {line}\n"));
            format!("if ({condition}) {{\n{}}}\n", lines.collect::<String>())
        };
        let mut lines = String::new();
        let is_reverse = self.sweep == Sweep::Reverse;
        if is_reverse {
            if file.checks {
                let top = format!("{tape}->top.integer");
                let empty = format!("!{top} || {top} == {tape}->integer_begin");
                lines += &stopped(&empty, faults::empty_tape(name));
            }
            lines += &format!("const bool {chosen} = cfgrev_pop_integer(&{tape}->top) != 0;\n");
        }
        lines += &self.test.text;
        if let Some(null) = &self.test.null {
            lines += &stopped(null, faults::null_under_overlap(name));
        }
        if is_reverse {
            lines += &stopped(
                &format!("{chosen} && !{apart}"),
                faults::other_overlap(name),
            );
        }
        lines
    }

    /// The calls of the version for arguments that are apart and of the other one, of which one is made; `indent` is
    /// not empty behind a condition.
    pub(super) fn call(&self, [apart, other]: [&str; 2], indent: &str) -> String {
        let condition = match self.sweep {
            Sweep::Reverse => &self.chosen,
            Sweep::Gradient | Sweep::Forward | Sweep::Tangent => &self.test.apart,
        };
        let lines = format!(
            "{indent}if ({condition})\n{indent}    {apart}\n{indent}else\n{indent}    {other}\n"
        );
        // The condition before has no `else`.
        match indent.is_empty() {
            true => lines,
            false => format!("{{\n{lines}}}\n"),
        }
    }

    /// The lines that leave the choice on the tape.
    pub(super) fn record(&self, tape: &str, status: &str) -> String {
        format!(
            "if (!{status} && cfgrev_room_integer(&{tape}->top, {tape}, 1))\n    \
                 {status} = 1;\n\
             if (!{status})\n    \
                 cfgrev_push_integer(&{tape}->top, {});\n",
            self.test.apart
        )
    }
}

/// True if a test at the entry can tell whether arguments overlap.
fn has_test(
    file: &File<'_>,
    globals: &GlobalNames,
    original: RoutineId,
    called: Called<'_>,
) -> bool {
    let several = called.several.map(|_| "nd");
    let mut interface = Interface::for_sweep(file, original, called.sweep, several.is_some());
    let test = interface.test(original, called.sweep, several, globals);
    test.is_some()
}

/// The routines of the version for arguments that do not overlap.
#[derive(Clone, Copy, Debug)]
pub struct Apart<'a, const N: usize> {
    /// The forward sweep, the reverse sweep and the gradient, or the tangent.
    pub routines: &'a [RoutineId],
    /// The reverse sweep and the gradient, or the tangent, in several directions.
    pub several: Option<&'a [Several; N]>,
}

/// A routine in several directions, with that of the other version, the k-th there, if it takes the same.
pub(super) fn in_directions<'a, const N: usize>(
    program: &Flat,
    several: &'a Several,
    sweep: Sweep,
    apart: Option<Apart<'a, N>>,
    k: usize,
) -> Called<'a> {
    let globals = |of: &Several| -> Vec<GlobalId> { of.globals.iter().map(|(_, g)| *g).collect() };
    let other = apart.and_then(|of| of.several?.get(k));
    let position = |of: &Several| match of.count {
        Count::Parameter(p) => Ok(program.routine(of.routine).parameter_position(p)),
        Count::Fixed(n) => Err(n),
    };
    let same = |other: &&Several| {
        globals(other) == globals(several) && position(other) == position(several)
    };
    Called {
        routine: several.routine,
        sweep,
        several: Some(several),
        apart: other.filter(same).map(|of| of.routine),
    }
}

/// True if every function can choose between two versions: a test can tell whether arguments overlap, and the routines
/// of both versions take the same.
pub(super) fn can_choose(
    file: &File<'_>,
    globals: &GlobalNames,
    original: RoutineId,
    sweeps: &[(Called<'_>, &str)],
) -> bool {
    let takes = |r: RoutineId| -> Vec<Option<ParameterRole>> {
        let roles = Signature::from_origins(file.program, r)
            .parameters
            .into_iter();
        // The numbers of other parameters are those of the version.
        let is_own = |role: &ParameterRole| matches!(role, ParameterRole::Own(_));
        roles
            .map(|role| Some(role).filter(|role| !is_own(role)))
            .collect()
    };
    let chooses = |(called, _): &(Called<'_>, &str)| {
        called.apart.is_some_and(|apart| {
            takes(apart) == takes(called.routine) && has_test(file, globals, original, *called)
        })
    };
    !Pooled::any(file.program) && sweeps.iter().all(chooses)
}
