//! The command `cfgrev check`, which says whether the derivatives are right.

mod against;

use super::results::write_object;
use super::{Prepared, evaluation, in_text};
use crate::Outcome;
use crate::args::Check;
use crate::input::Session;
use crate::output::to_stdout;
use against::Original;
use cfg_drive::{Checked, Real, Tolerances};
use schemars::JsonSchema;
use serde::Serialize;

/// What `cfgrev check` prints.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Output<'r> {
    /// The routine.
    routine: &'r str,
    /// Adjoint against tangent.
    dot_product: DotProduct,
    /// Tangent against divided differences.
    differences: Differences,
    /// What was pushed and popped, and what the static stack checker says.
    stack: Stack,
    /// The program that was read against the C file as it is compiled; not with `--against none`, and not of other languages.
    #[serde(skip_serializing_if = "Option::is_none")]
    original: Option<Original>,
    /// False (exit code 1) if one of these is; null (3) if one of the first three is; otherwise true (0).
    agrees: Option<bool>,
}

/// Adjoint against tangent.
#[derive(JsonSchema, Serialize)]
struct DotProduct {
    /// The product of the adjoint with the direction.
    adjoint: Real,
    /// The product of the seed with the tangent.
    tangent: Real,
    /// The dot product with absolute values.
    scale: Real,
    /// The difference of the two products, in parts of the scale.
    gap: Real,
    /// Elements whose derivatives are infinite or NaN, if there are any.
    #[serde(skip_serializing_if = "is_zero")]
    not_finite: usize,
    /// The gap is within the tolerance; null where the function is not differentiable (P436).
    agrees: Option<bool>,
}

/// Tangent against divided differences.
#[derive(JsonSchema, Serialize)]
struct Differences {
    /// Largest relative gap; null if no element could be compared.
    gap: Option<Real>,
    /// Elements that were compared.
    compared: usize,
    /// Elements whose differences cross a branch or a kink.
    crossed: usize,
    /// Elements whose differences drown in rounding, still come nearer with the smallest step, or are not finite.
    unresolved: usize,
    /// What was compared is within the tolerance; null if nothing was.
    agrees: Option<bool>,
}

/// The stack of a run: the numbers of pushes and pops.
#[derive(JsonSchema, Serialize)]
struct Stack {
    /// The number of values pushed; it is not counted with `--engine cc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pushes: Option<u64>,
    /// The number of values popped; it is not counted with `--engine cc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pops: Option<u64>,
    /// Nothing was left.
    empty: bool,
    /// Problems that the static stack checker found.
    problems: usize,
    /// Nothing was left, and there are no problems.
    agrees: bool,
}

pub(crate) fn run(args: &Check, session: &Session) -> anyhow::Result<Outcome> {
    let prepared = evaluation(&args.what, &[], (false, false), session)?;
    let original = {
        let _progress = session.progress("comparing with the file as compiled");
        against::original(args, &prepared, session)?
    };
    let Prepared {
        program,
        routine,
        options,
        text,
        ..
    } = prepared;
    let checked = {
        let _progress = session.progress("checking");
        cfg_drive::check(
            &program,
            routine,
            &options,
            |primal| primal.read_point(&text.bytes).map_err(in_text(&text)),
            Tolerances {
                dot_product: args.tolerance,
                differences: args.fd_tolerance,
            },
        )?
    };
    session.report(&checked.remarks);
    let agrees = match &original {
        Some(original) if original.agrees == Some(false) => Some(false),
        Some(_) | None => checked.agrees(),
    };
    write(&program.routine(routine).name, &checked, original, agrees)?;
    Ok(match agrees {
        Some(true) => Outcome::Done,
        Some(false) => Outcome::Failed,
        None => Outcome::Unknown,
    })
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

fn write(
    routine: &str,
    checked: &Checked,
    original: Option<Original>,
    agrees: Option<bool>,
) -> anyhow::Result<()> {
    let d = &checked.dot_product;
    let dot_product = DotProduct {
        adjoint: Real(d.adjoint),
        tangent: Real(d.tangent),
        scale: Real(d.scale),
        gap: Real(d.gap),
        not_finite: d.not_finite,
        agrees: d.agrees,
    };
    let d = &checked.differences;
    let differences = Differences {
        gap: d.gap.map(Real),
        compared: d.compared,
        crossed: d.crossed,
        unresolved: d.unresolved,
        agrees: d.agrees,
    };
    let s = &checked.stack;
    let stack = Stack {
        pushes: s.pushes,
        pops: s.pops,
        empty: s.empty,
        problems: s.problems,
        agrees: s.agrees,
    };
    let output = Output {
        routine,
        dot_product,
        differences,
        stack,
        original,
        agrees,
    };
    to_stdout(|out| {
        write_object(out, &output)?;
        writeln!(out)
    })
}
