//! `cfgrev check`: are the derivatives right?

use super::results::Object;
use super::{Prepared, evaluation, in_text};
use crate::Outcome;
use crate::args::Check;
use crate::input::Session;
use crate::output::to_stdout;
use cfg_drive::{Checked, Real, Tolerances};
use serde::Serialize;

#[derive(Serialize)]
struct DotProduct {
    adjoint: Real,
    tangent: Real,
    scale: Real,
    gap: Real,
    #[serde(skip_serializing_if = "is_zero")]
    not_finite: usize,
    agrees: bool,
}

#[derive(Serialize)]
struct Differences {
    gap: Option<Real>,
    compared: usize,
    crossed: usize,
    unresolved: usize,
    agrees: bool,
}

#[derive(Serialize)]
struct Stack {
    pushes: u64,
    pops: u64,
    empty: bool,
    problems: usize,
    agrees: bool,
}

pub(crate) fn run(args: &Check, session: &Session) -> anyhow::Result<Outcome> {
    let Prepared {
        program,
        routine,
        options,
    } = evaluation(&args.what, &[], session)?;
    let text = session.read_value("POINT", &args.what.at.point, false)?;
    let checked = {
        let _progress = session.progress("checking");
        cfg_drive::check(
            &program,
            routine,
            &options,
            |tangent| tangent.point(&text.bytes).map_err(in_text(&text)),
            Tolerances {
                dot_product: args.tolerance,
                differences: args.fd_tolerance,
            },
        )?
    };
    session.report(&checked.remarks);
    write(&program.routine(routine).name, &checked)?;
    Ok(if checked.agrees() {
        Outcome::Done
    } else {
        Outcome::Failed
    })
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

fn write(routine: &str, checked: &Checked) -> anyhow::Result<()> {
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
    to_stdout(|out| {
        let mut object = Object::new(out);
        object.member("routine", &routine)?;
        object.member("dot_product", &dot_product)?;
        object.member("differences", &differences)?;
        object.member("stack", &stack)?;
        object.member("agrees", &checked.agrees())?;
        object.end()?;
        writeln!(out)
    })
}
