//! The programs of the corpus, and our own documents, against their reference Jacobians.

use cfg_drive::corpus::Status;
use cfg_drive::{Options, corpus};
use std::path::PathBuf;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The five whose values only a marker sets, and one that reinterprets the bits of a real.
const UNSUPPORTED: [&str; 6] = [
    "Loop_simple_12",
    "Loop_simple_3",
    "argArrayIndexOverwrite7",
    "argumentConversion_indexOverwrite",
    "intMaxVal",
    "transfer",
];

#[test]
fn openad() {
    let Some(folder) = cfg_testkit::needs::corpus("openad") else {
        return;
    };
    let entries = corpus::corpus(&folder, &Options::default()).unwrap();
    let table = corpus::table(&entries);
    println!("{table}");
    for entry in &entries {
        let unsupported = UNSUPPORTED.contains(&entry.name.as_str());
        assert_eq!(
            entry.status == Status::Unsupported,
            unsupported,
            "{entry:?}"
        );
        assert_ne!(entry.status, Status::Differs, "{entry:?}");
        // The stack checker and the order of visits, with separate and with merged blocks. The output of one
        // program is an integer: there is nothing to reverse.
        let reversed = (!unsupported && entry.name != "int_f_arg").then_some(true);
        assert_eq!(
            (entry.stacks, entry.order),
            (reversed, reversed),
            "{entry:?}"
        );
    }
    let agree = entries.iter().filter(|e| e.status == Status::Agrees);
    assert!(agree.count() >= 98, "{table}");
    // Those on which OpenAD's own adjoint is recorded as failing stand apart.
    let (_, apart) = table
        .split_once("\nPrograms on which")
        .expect("there are some");
    for entry in entries.iter().filter(|e| !e.openad_fails.is_empty()) {
        assert!(apart.contains(&format!("\n{} ", entry.name)), "{table}");
    }
}

/// Our own documents have no references here: adjoint and tangent agree.
#[test]
fn own_documents() {
    let entries = corpus::corpus(&root().join("fixtures/xaif"), &Options::default()).unwrap();
    let table = corpus::table(&entries);
    for entry in &entries {
        let expected = match entry.name.as_str() {
            // A value that only a marker sets, one of a structure.
            "hidden_store" | "structure_argument" | "common_shapes" => Status::Unsupported,
            _ => Status::NoReference,
        };
        assert_eq!(entry.status, expected, "{table}");
        if expected == Status::NoReference {
            assert_eq!(
                (entry.stacks, entry.order),
                (Some(true), Some(true)),
                "{entry:?}"
            );
        }
    }
}

#[test]
fn references_are_compared() {
    let folder = std::env::temp_dir().join(format!("cfgrev-corpus-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let markers = std::fs::read(root().join("fixtures/xaif/markers.xaif")).unwrap();
    for name in ["right", "wrong", "other_size", "absent"] {
        std::fs::write(folder.join(format!("{name}.xaif")), &markers).unwrap();
    }
    std::fs::write(folder.join("cut.xaif"), &markers[..markers.len() / 2]).unwrap();
    let sine = -(1f64.sin());
    let expected = format!(
        "{{\"name\": \"right\", \"n\": 2, \"m\": 2, \"jacobian\": [[1, 0], [0, {sine:?}]]}}\n\
         {{\"name\": \"wrong\", \"n\": 2, \"m\": 2, \"jacobian\": [[1, 0.001], [0, {sine:?}]]}}\n\
         {{\"name\": \"other_size\", \"n\": 1, \"m\": 2, \"jacobian\": [[1], [0]]}}\n"
    );
    std::fs::write(folder.join("expected.jsonl"), expected).unwrap();
    let entries = corpus::corpus(&folder, &Options::default()).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let found: Vec<(&str, Status)> = entries
        .iter()
        .map(|e| (e.name.as_str(), e.status))
        .collect();
    assert_eq!(
        found,
        [
            ("absent", Status::NoReference),
            ("cut", Status::Unsupported),
            ("other_size", Status::NoReference),
            ("right", Status::Agrees),
            ("wrong", Status::Differs),
        ]
    );
    assert!(entries[1].why.starts_with("F601"), "{:?}", entries[1]);
    assert_eq!(
        corpus::summary(&entries),
        "5 programs: 1 agree, 1 differ, 1 unsupported, 2 without reference"
    );
}
