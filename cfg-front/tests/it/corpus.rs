//! Every program of the corpus is read, or refused for the reason on record.

use cfg_front::xaif::{Options, read_xaif};
use std::path::PathBuf;

/// The corpus folder, if there is one.
pub(crate) fn folder() -> Option<PathBuf> {
    let root = std::env::var_os("CFGREV_CORPUS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus"),
        PathBuf::from,
    );
    let folder = root.join("openad");
    folder.is_dir().then_some(folder)
}

/// The documents of the corpus in order of their names.
pub(crate) fn documents() -> Option<Vec<(String, Vec<u8>)>> {
    let mut list: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder()?)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "xaif"))
        .map(|p| {
            let name = p.file_stem().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(&p).unwrap())
        })
        .collect();
    list.sort();
    Some(list)
}

/// Programs that are refused, and what the diagnostic must name.
const REFUSED: [(&str, &str, &str); 6] = [
    (
        "Loop_simple_12",
        "F616",
        "J_4 is read, but only the opaque statement {WHIRL_Id#38} [passive: OPR_STID]",
    ),
    (
        "Loop_simple_3",
        "F616",
        "ASTRING_3 is read, but only the opaque statement {WHIRL_Id#23} [cassignstmt]",
    ),
    (
        "argArrayIndexOverwrite7",
        "F616",
        "A_3 is read, but only the opaque statement {WHIRL_Id#12} [passive: OPR_ISTORE]",
    ),
    (
        "argumentConversion_indexOverwrite",
        "F616",
        "I_22 is read, but only the opaque statement {WHIRL_Id#13} [passive: OPR_STID]",
    ),
    (
        "intMaxVal",
        "F616",
        "I_3 is read, but only the opaque statement {WHIRL_Id#13} [passive: OPR_ISTORE]",
    ),
    ("transfer", "F613", "there is no intrinsic transfer"),
];

#[test]
fn all_programs() {
    let Some(documents) = documents() else {
        eprintln!("skipped: no corpus (set CFGREV_CORPUS)");
        return;
    };
    let show = std::env::var_os("CFGREV_SHOW").is_some();
    for (name, bytes) in documents {
        let (program, problems) = read_xaif(&bytes, &Options::default());
        if show {
            println!("===== {name}\n{problems}");
            if let Some(program) = &program {
                println!("{program}");
            }
        }
        match REFUSED.iter().find(|r| r.0 == name) {
            Some((_, code, message)) => {
                assert!(program.is_none(), "{name} must be refused");
                let first = problems.iter().next().unwrap();
                assert_eq!(first.code, *code, "{name}: {first}");
                assert!(first.message.contains(message), "{name}: {first}");
                assert!(first.at.line.is_some() && first.at.element.is_some());
            }
            None => {
                assert!(!problems.has_errors(), "{name}: {problems}");
                let program = program.unwrap();
                assert!(program.main.is_some(), "{name}: {problems}");
            }
        }
    }
}
