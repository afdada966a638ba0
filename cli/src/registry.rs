//! The registry of codes: which crate has which range.

use crate::codes;
use cfg_core::diagnostic::CodeInfo;
use cfg_languages::{BACK_ENDS, FRONT_ENDS};

/// The codes of one crate, or of one part of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Area {
    /// The module that has the codes.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests name it"))]
    pub(crate) owner: &'static str,
    /// The first and the last code that it may use, and others outside that range.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests check it"))]
    pub(crate) range: (&'static str, &'static str, &'static [&'static str]),
    /// The codes of this area.
    pub(crate) codes: &'static [CodeInfo],
}

const fn area(
    owner: &'static str,
    range: (&'static str, &'static str, &'static [&'static str]),
    codes: &'static [CodeInfo],
) -> Area {
    Area {
        owner,
        range,
        codes,
    }
}

/// The codes of everything but front ends and back ends.
const AREAS: &[Area] = &[
    area("cfg_core", ("V101", "V199", &[]), cfg_core::codes::CODES),
    area(
        "bb_preaccum",
        ("L101", "L199", &[]),
        bb_preaccum::codes::CODES,
    ),
    area("cfg_exec", ("X201", "X299", &[]), cfg_exec::CODES),
    area(
        "cfg_reverse",
        ("R301", "R399", &[]),
        cfg_reverse::codes::CODES,
    ),
    area("cfgrev", ("P397", "P409", &["P499"]), codes::CODES),
    area("cfg_languages", ("P410", "P410", &[]), cfg_languages::CODES),
    area("cfg_drive", ("P411", "P498", &[]), cfg_drive::CODES),
    area("cfg_transform", ("M501", "M599", &[]), cfg_transform::CODES),
    area("cfg_cc", ("B901", "B999", &[]), cfg_cc::CODES),
    area(
        "tape_check",
        ("T701", "T799", &[]),
        tape_check::codes::CODES,
    ),
];

/// Every code of every crate, front end and back end.
pub(crate) fn areas() -> Vec<Area> {
    let front_ends = FRONT_ENDS.iter().map(|of| (of.name(), of.codes()));
    let back_ends = BACK_ENDS.iter().map(|of| (of.name(), of.codes()));
    let of_languages = front_ends.chain(back_ends).filter_map(|(name, codes)| {
        let all = || codes.iter().map(|info| info.code);
        let (first, last) = (all().min()?, all().max()?);
        Some(area(name, (first, last, &[]), codes))
    });
    AREAS.iter().copied().chain(of_languages).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn codes_are_unique_and_explained() {
        let mut seen = BTreeSet::new();
        for info in areas().iter().flat_map(|area| area.codes) {
            assert!(seen.insert(info.code), "{} is used twice", info.code);
            assert_eq!(info.code.len(), 4, "{}", info.code);
            for text in [info.title, info.rule, info.explanation] {
                assert!(!text.is_empty(), "{}", info.code);
            }
        }
    }

    #[test]
    fn each_crate_keeps_to_its_range() {
        let all = areas();
        for (k, area) in all.iter().enumerate() {
            let (first, last, others) = area.range;
            assert!(!area.codes.is_empty(), "{}", area.owner);
            for info in area.codes {
                let inside = (first..=last).contains(&info.code) || others.contains(&info.code);
                assert!(
                    inside,
                    "{} of {} is not in {first} to {last}",
                    info.code, area.owner
                );
            }
            for other in &all[..k] {
                let (theirs, end, more) = other.range;
                let apart = last < theirs || end < first;
                let taken = (others.iter()).any(|c| (theirs..=end).contains(c) || more.contains(c))
                    || more.iter().any(|c| (first..=last).contains(c));
                assert!(
                    apart && !taken,
                    "{} and {} overlap",
                    area.owner,
                    other.owner
                );
            }
        }
    }
}
