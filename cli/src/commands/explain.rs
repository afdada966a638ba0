//! `cfgrev explain`: what a diagnostic means.

use crate::output::to_stdout;
use crate::{Outcome, codes, input::Usage};
use cfg_core::diagnostic::CodeInfo;

/// Every code of every crate.
const TABLES: &[&[CodeInfo]] = &[
    cfg_core::json::CODES,
    cfg_core::validate::codes::CODES,
    bb_preaccum::codes::CODES,
    cfg_reverse::codes::CODES,
    cfg_exec::CODES,
    cfg_drive::CODES,
    cfg_front::xaif::CODES,
    tape_check::codes::CODES,
    codes::CODES,
];

pub(crate) fn run(code: Option<&str>) -> anyhow::Result<Outcome> {
    let mut all: Vec<&CodeInfo> = TABLES.iter().copied().flatten().collect();
    all.sort_by_key(|info| info.code);
    let Some(code) = code else {
        to_stdout(|out| {
            for info in &all {
                writeln!(out, "{}  {}", info.code, info.title)?;
            }
            Ok(())
        })?;
        return Ok(Outcome::Done);
    };
    let wanted = code.trim().to_ascii_uppercase();
    let Some(info) = all.iter().find(|info| info.code == wanted) else {
        return Err(Usage(format!(
            "no diagnostic has the code {code}; `cfgrev explain` lists them all"
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
    fn codes_are_unique_and_explained() {
        let mut seen = std::collections::BTreeSet::new();
        for info in TABLES.iter().copied().flatten() {
            assert!(seen.insert(info.code), "{} is used twice", info.code);
            assert_eq!(info.code.len(), 4, "{}", info.code);
            for text in [info.title, info.rule, info.explanation] {
                assert!(!text.is_empty(), "{}", info.code);
            }
        }
    }
}
