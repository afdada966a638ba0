//! The result of a check in words.

use super::{Checked, differences::Crossing};
use crate::codes;
use cfg_core::{diagnostic::Diagnostic, ir::Program, text};

/// Adds remarks about disagreements, and about parts that could not be compared.
pub(super) fn remark(
    checked: &mut Checked,
    program: &Program,
    crossing: Option<Crossing>,
    stopped: Option<Diagnostic>,
) {
    let d = checked.dot_product;
    let mut failures = Vec::new();
    if d.agrees == Some(false) {
        failures.push(format!(
            "adjoint {:e} and tangent {:e} differ by {:e} of their scale",
            d.adjoint, d.tangent, d.gap
        ));
    }
    if checked.differences.agrees == Some(false) {
        failures.push(format!(
            "tangent and divided differences differ by {:e} of their scale",
            checked.differences.gap.unwrap_or(f64::NAN)
        ));
    }
    if !checked.stack.empty {
        failures.push("the reverse sweep has left values on the tape".to_owned());
    }
    for message in failures {
        checked.remarks.push(Diagnostic::error(
            &codes::DISAGREE,
            message,
            "see `cfgrev explain P432`",
        ));
    }
    if d.not_finite > 0 {
        let message = format!(
            "{} elements of the dependents have derivatives that are infinite or NaN: adjoint and tangent \
             were compared in this, and nothing else was checked of them",
            d.not_finite
        );
        let help = "choose a point at which values and derivatives are finite";
        let warning = Diagnostic::error(&codes::NOT_FINITE, message, help).warning();
        checked.remarks.push(warning);
    }
    let d = &checked.differences;
    if d.crossed > 0 {
        let met = match &crossing {
            Some(Crossing { what, .. }) => format!(" ({what})"),
            None => String::new(),
        };
        let message = format!(
            "{} elements were not compared with differences, which cross a branch or a kink{met}",
            d.crossed
        );
        let help = "move the point a little to have the comparison made";
        let mut warning = Diagnostic::error(&codes::CROSSED, message, help).warning();
        if let Some(Crossing { site, .. }) = crossing {
            let words = text::site_text(program, &site);
            warning = warning.at_element(words).at_site_in(program, site);
        }
        checked.remarks.push(warning);
    }
    if let Some(problem) = stopped {
        let what = match d.compared {
            0 => "no difference was computed",
            _ => "not every difference was computed",
        };
        let message = format!("{what}: [{}] {}", problem.code, problem.message);
        let warning = Diagnostic::error(&codes::NOT_RUN, message, problem.help).warning();
        checked.remarks.push(Diagnostic {
            at: problem.at,
            ..warning
        });
    } else if d.agrees.is_none() && checked.dot_product.agrees.is_some() {
        let message = format!(
            "no difference could be compared: {} cross a branch or a kink, {} drown in rounding, still \
             come nearer with the smallest step, or are not finite",
            d.crossed, d.unresolved
        );
        let help = match (d.crossed, d.unresolved) {
            (0, _) => {
                "choose a point at which the dependents are not much larger than what changes with the independents (arguments of sin or fmod \
                 in the thousands, sums of large numbers), compute in double in place of float, or try --fd-tolerance 1e-3"
            }
            _ => {
                "choose a point away from the kink or branch that P430 names: numbers that are not equal, not 0, no multiples of a period"
            }
        };
        let warning = Diagnostic::error(&codes::NOTHING_COMPARED, message, help).warning();
        checked.remarks.push(warning);
    }
}
