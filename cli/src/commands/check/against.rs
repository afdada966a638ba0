//! The program that was read against the C file as it is compiled.

use super::super::{Prepared, in_text};
use crate::args::{Against, Check, Math};
use crate::codes;
use crate::compiled::system_compiler;
use crate::input::{Session, Usage};
use cfg_cc::{Comparison, Difference, Number};
use cfg_core::diagnostic::{Diagnostic, Diagnostics};
use cfg_drive::{Engine, Options, Primal, Real};
use cfg_format::json::values::{self, NamedValues};
use cfg_languages::{CSource, titles};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// The program that was read against the file as it is compiled.
#[derive(JsonSchema, Serialize)]
pub(super) struct Original {
    /// Numbers that were compared: the result, parameters that are written, globals.
    compared: usize,
    /// The first that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    differs: Option<Differs>,
    /// Why nothing was compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// All numbers have the same bits; null if nothing was compared, or if C leaves the value open.
    pub(super) agrees: Option<bool>,
}

/// A number that differs.
#[derive(JsonSchema, Serialize)]
struct Differs {
    /// The place, as in C.
    place: String,
    /// The value by the program that was read.
    read: Leaf,
    /// The value by the file as it is compiled.
    compiled: Leaf,
}

/// A number.
#[derive(JsonSchema, Serialize)]
#[serde(untagged)]
enum Leaf {
    Real(Real),
    Integer(i64),
    Unsigned(u64),
}

impl From<Number> for Leaf {
    fn from(number: Number) -> Self {
        match number {
            Number::Real(x) => Self::Real(Real(x)),
            Number::Integer(i) => Self::Integer(i),
            Number::Unsigned(u) => Self::Unsigned(u),
        }
    }
}

impl Original {
    fn not_compared(reason: &str) -> Self {
        Self {
            compared: 0,
            differs: None,
            reason: Some(reason.to_owned()),
            agrees: None,
        }
    }
}

/// Compares, and reports what differs, or why there is no comparison; `None` if there is nothing to compare with.
pub(super) fn original(
    args: &Check,
    prepared: &Prepared,
    session: &Session,
) -> anyhow::Result<Option<Original>> {
    let is_compiled = session.language.get().is_compiled();
    match args.against {
        Some(Against::None) => return Ok(None),
        Some(Against::Cc) if !is_compiled => {
            let compiled = titles(|front_end| front_end.is_compiled());
            let message =
                format!("--against cc is for files in {compiled}: others have no compiler");
            return Err(Usage(message).into());
        }
        None if !is_compiled => return Ok(None),
        Some(Against::Cc) | None => {}
    }
    if args.what.limits.math == Math::Portable {
        let reason = "--math portable has other values than the C library";
        return Ok(Some(Original::not_compared(reason)));
    }
    let source = session.original.borrow();
    let Some(source) = source.as_ref() else {
        return Ok(None);
    };
    // Globals are compared only in programs without pointers: with them, values of variables whose address is taken
    // are in pools, not in the globals.
    let read = read_values(args, prepared, !session.had_pointers())?;
    let original = cfg_cc::Original {
        files: &source.files,
        signature: &source.signature,
        flags: &source.flags,
        point: &values::read(&prepared.text.bytes)?,
        read: &read,
        empty_is_null: session.had_pointers(),
        by_executor: engine(args, prepared).is_none(),
        max_memory: prepared.options.run.max_memory,
    };
    let compared = original.compare(&system_compiler(&args.what.engine.compiling));
    Ok(Some(match compared {
        Ok(comparison) => told(comparison, source, session),
        Err(problems) if problems.iter().any(|p| p.code == cfg_cc::STOPPED) => {
            return Err(problems.into());
        }
        Err(problems) => {
            let reason = problems.0.first().map(|p| p.message.clone());
            let warnings = problems.0.into_iter().map(Diagnostic::warning);
            session.report(&Diagnostics(warnings.collect()));
            Original::not_compared(&reason.unwrap_or_default())
        }
    }))
}

/// The engine for the values to compare: compiled code with flags of the user may have other bits, so the executor
/// runs then.
fn engine(args: &Check, prepared: &Prepared) -> Option<Arc<dyn Engine>> {
    let engine = prepared.options.engine.clone();
    engine.filter(|_| args.what.engine.compiling.cc_flags.is_none())
}

/// The values after a run, at the point, of the program that was read.
fn read_values(
    args: &Check,
    prepared: &Prepared,
    globals: bool,
) -> Result<NamedValues, Diagnostics> {
    let Prepared {
        program,
        routine,
        options,
        text,
        ..
    } = prepared;
    let options = Options {
        events: false,
        engine: engine(args, prepared),
        ..options.clone()
    };
    let read_point = |primal: &Primal| primal.read_point(&text.bytes).map_err(in_text(text));
    cfg_drive::left((program, *routine), globals, &options, read_point)
}

/// Reports the difference that a comparison has found.
fn told(comparison: Comparison, source: &CSource, session: &Session) -> Original {
    let Comparison {
        compared,
        difference,
    } = comparison;
    let Some(Difference {
        place,
        read,
        compiled,
    }) = difference
    else {
        return Original {
            compared,
            differs: None,
            reason: None,
            agrees: Some(true),
        };
    };
    // Where C leaves the order of evaluation open, and the reader has warned of it, a difference proves nothing.
    let open = source.warnings.iter().find(|w| cfg_c::OPEN.contains(w));
    let message = format!("the file as compiled gives {place} = {compiled}, as read {read}");
    let problem = match open {
        Some(code) => {
            let help = format!("the reader has warned of this with {code}: mend that first");
            Diagnostic::error(&codes::READ_OTHERWISE, message, help).warning()
        }
        None => {
            let help = "please report it with the file and POINT; `cfgrev explain P400` says what else it may be";
            Diagnostic::error(&codes::READ_OTHERWISE, message, help)
        }
    };
    session.report(&problem.into());
    Original {
        compared,
        differs: Some(Differs {
            place,
            read: read.into(),
            compiled: compiled.into(),
        }),
        reason: None,
        agrees: open.is_none().then_some(false),
    }
}
