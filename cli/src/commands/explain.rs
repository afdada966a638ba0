//! `cfgrev explain`: what a diagnostic means.

use crate::output::to_stdout;
use crate::{Outcome, input::Usage, registry::areas};
use cfg_core::diagnostic::CodeInfo;
use cfg_core::diagnostic::similar::did_you_mean;

/// A page: its name, what it is about, and the text or some sections of it.
type Page = (
    &'static str,
    &'static str,
    &'static str,
    &'static [&'static str],
);

/// The pages that messages refer to.
const PAGES: &[Page] = &[
    (
        "operators",
        "expressions and their operators",
        FORMAT,
        &["Expressions", "Operators"],
    ),
    (
        "statements",
        "statements and calls",
        FORMAT,
        &["Statements", "Calls"],
    ),
    (
        "vertices",
        "graphs, their vertices and edges",
        FORMAT,
        &["Graphs", "Vertices"],
    ),
    (
        "points",
        "points, seeds and results",
        FORMAT,
        &["Points, seeds, results"],
    ),
    ("format", "the whole program format", FORMAT, &[]),
    (
        "text",
        "programs as text",
        include_str!("../../pages/text.md"),
        &[],
    ),
    (
        "elementals",
        "elementary functions: values, partial derivatives, corners",
        include_str!("../../pages/elementals.md"),
        &[],
    ),
    (
        "xaif",
        "what is read and written of XAIF",
        include_str!("../../pages/xaif.md"),
        &[],
    ),
    (
        "c",
        "what is read of C",
        include_str!("../../pages/c.md"),
        &[],
    ),
    (
        "limits",
        "what is refused",
        include_str!("../../pages/limits.md"),
        &[],
    ),
];

const FORMAT: &str = include_str!("../../pages/format.md");

/// The sections of a text that have these headings, or all of it.
fn sections(text: &str, headings: &[&str]) -> String {
    if headings.is_empty() {
        return text.to_owned();
    }
    let parts = text.split("\n## ").skip(1);
    let wanted = parts.filter(|part| {
        let heading = part.lines().next().unwrap_or_default();
        headings.contains(&heading)
    });
    wanted
        .map(|part| format!("## {}\n", part.trim_end()))
        .collect::<Vec<_>>()
        .join("\n")
}

pub(crate) fn run(code: Option<&str>) -> anyhow::Result<Outcome> {
    let mut all: Vec<&CodeInfo> = areas().iter().flat_map(|area| area.codes).collect();
    all.sort_by_key(|info| info.code);
    let Some(code) = code else {
        to_stdout(|out| {
            for info in &all {
                writeln!(out, "{}  {}", info.code, info.title)?;
            }
            for (name, about, ..) in PAGES {
                writeln!(out, "{name}  {about}")?;
            }
            Ok(())
        })?;
        return Ok(Outcome::Done);
    };
    let name = code.trim().to_ascii_lowercase();
    if let Some((_, _, text, headings)) = PAGES.iter().find(|page| page.0 == name) {
        to_stdout(|out| out.write_all(sections(text, headings).as_bytes()))?;
        return Ok(Outcome::Done);
    }
    let wanted = code.trim().to_ascii_uppercase();
    let Some(info) = all.iter().find(|info| info.code == wanted) else {
        let near = did_you_mean(&name, PAGES.iter().map(|page| page.0));
        let otherwise = || "`cfgrev explain` lists all codes and pages".to_owned();
        return Err(Usage(format!(
            "no diagnostic has the code {code}, and no page this name; {}",
            near.unwrap_or_else(otherwise)
        ))
        .into());
    };
    to_stdout(|out| {
        writeln!(out, "{}: {}\n", info.code, info.title)?;
        writeln!(out, "Rule: {}\n", info.rule)?;
        writeln!(out, "{}", info.explanation)
    })?;
    Ok(Outcome::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_their_sections() {
        for (name, _, text, headings) in PAGES {
            let page = sections(text, headings);
            assert!(page.len() > 200, "{name}");
            for heading in *headings {
                assert!(
                    page.contains(&format!("## {heading}\n")),
                    "{name}: {heading}"
                );
            }
        }
    }
}
