//! `cfgrev schema`: JSON Schemas of the program format, and of what commands print.

use super::{bench, check, gradient, jacobian, run as primal, tangent};
use crate::Outcome;
use crate::args::Documents;
use crate::output::to_stdout;
use crate::report::JsonDiagnostic;
use cfg_drive::corpus;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::Value;

pub(crate) fn run(of: Documents) -> anyhow::Result<Outcome> {
    let schema = match of {
        Documents::Program => cfg_format::json::schema(),
        Documents::Run => printed::<primal::Output<'_>>("cfgrev run"),
        Documents::Gradient => printed::<gradient::Output<'_>>("cfgrev gradient"),
        Documents::Tangent => printed::<tangent::Output<'_>>("cfgrev tangent --at"),
        Documents::Jacobian => printed::<jacobian::Output<'_>>("cfgrev jacobian"),
        Documents::Bench => printed::<bench::Output<'_>>("cfgrev bench --format json"),
        Documents::Check => printed::<check::Output<'_>>("cfgrev check"),
        Documents::Corpus => printed::<corpus::Line<'_>>("cfgrev corpus --format json, a line"),
        Documents::Diagnostics => printed::<JsonDiagnostic<'_>>("--diagnostics json, a line"),
    };
    to_stdout(|out| {
        serde_json::to_writer_pretty(&mut *out, &schema)?;
        writeln!(out)
    })?;
    Ok(Outcome::Done)
}

/// The schema of what a type is written as.
fn printed<T: JsonSchema>(title: &str) -> Value {
    let generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let mut schema = generator.into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    schema.to_value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::diagnostic::Severity;

    /// The schema of diagnostics has every severity that is printed.
    #[test]
    fn severities_are_those_that_are_printed() {
        let all = [Severity::Error, Severity::Warning, Severity::Note];
        let schema = printed::<JsonDiagnostic<'_>>("a line");
        assert_eq!(
            schema["properties"]["severity"]["enum"],
            serde_json::json!(all.map(Severity::name))
        );
    }
}
