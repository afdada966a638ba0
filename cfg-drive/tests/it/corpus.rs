//! The programs of the corpus, and our own documents, against their reference Jacobians.

use crate::flat;
use cfg_drive::corpus::Status;
use cfg_drive::{Options, Tolerances, check, corpus};
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

/// Records of programs of a folder are split; pointers are not supported there.
#[test]
fn records_are_compared_and_pointers_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let record = "record P\n  real a\nend\nmain subroutine f(in real x, out real y)
  local record P t
  independent x
  dependent y
  t.a := x*x
  y := t.a
end
";
    let pointer = "main subroutine f(inout real x, out real y)
  local ^real p
  independent x
  dependent y
  p := addr(x)
  y := p^
end
";
    for (name, text) in [("record", record), ("pointer", pointer)] {
        let parsed = cfg_format::text::parse(text);
        let program = parsed
            .program
            .unwrap_or_else(|| panic!("{}", parsed.problems));
        let mut bytes = Vec::new();
        cfg_format::json::write(&program, &mut bytes).unwrap();
        std::fs::write(folder.path().join(format!("{name}.json")), bytes).unwrap();
    }
    let entries = corpus::corpus(folder.path(), &Options::default()).unwrap();
    let status: Vec<_> = (entries.iter())
        .map(|e| (e.name.as_str(), e.status == Status::Unsupported))
        .collect();
    assert_eq!(
        status,
        [("pointer", true), ("record", false)],
        "{entries:?}"
    );
}

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
    // Programs on which OpenAD's own adjoint failed are listed apart.
    let (_, apart) = table
        .split_once("\nPrograms on which")
        .expect("there are some");
    for entry in entries.iter().filter(|e| !e.openad_fails.is_empty()) {
        assert!(apart.contains(&format!("\n{} ", entry.name)), "{table}");
    }
}

/// Our own documents that are refused.
const REFUSED: [&str; 8] = [
    "common_lengths",
    "common_reinterpreted",
    "common_shapes",
    "hidden_call",
    "hidden_store",
    "module_which",
    "strings_unknown",
    "structure_argument",
];

/// Our own documents: adjoint and tangent agree with the references, or with each other if there are none.
#[test]
fn own_documents() {
    let folder = root().join("fixtures/xaif");
    let references = std::fs::read_to_string(folder.join("expected.jsonl")).unwrap();
    let entries = corpus::corpus(&folder, &Options::default()).unwrap();
    let table = corpus::table(&entries);
    for entry in &entries {
        let expected = if REFUSED.contains(&entry.name.as_str()) {
            Status::Unsupported
        } else if references.contains(&format!("\"name\": \"{}\"", entry.name)) {
            Status::Agrees
        } else {
            Status::NoReference
        };
        assert_eq!(entry.status, expected, "{table}");
        if expected != Status::Unsupported {
            assert_eq!(
                (entry.stacks, entry.order),
                (Some(true), Some(true)),
                "{entry:?}"
            );
        }
    }
    let agree = entries.iter().filter(|e| e.status == Status::Agrees);
    assert_eq!(agree.count(), references.lines().count(), "{table}");
}

/// The adjoint, the tangent and differences of our own documents with references agree.
#[test]
fn differences_of_own_documents() {
    let folder = root().join("fixtures/xaif");
    let references = std::fs::read_to_string(folder.join("expected.jsonl")).unwrap();
    let mut checked = 0;
    for line in references.lines() {
        let reference: corpus::Expected = serde_json::from_str(line).unwrap();
        // The shapes of `assumed_size` are not in the document. Differences see the rounding of 32-bit reals.
        if ["assumed_size", "kinds"].contains(&reference.name.as_str()) {
            continue;
        }
        let bytes = std::fs::read(folder.join(format!("{}.xaif", reference.name))).unwrap();
        let (program, problems) =
            cfg_front::xaif::read_xaif(&bytes, &cfg_front::xaif::Options::default());
        let program =
            cfg_core::validate::validate(program.unwrap_or_else(|| panic!("{problems}"))).unwrap();
        let x: Vec<String> = (1..=reference.n)
            .map(|i| format!("{:?}", i as f64 / 2.0))
            .collect();
        let y = vec!["0.0"; reference.m];
        let point = format!("{{\"x\": [{}], \"y\": [{}]}}", x.join(", "), y.join(", "));
        let main = program.main.unwrap();
        let outcome = check(
            &flat(&program),
            main,
            &Options::default(),
            |tangent| tangent.read_point(point.as_bytes()),
            Tolerances::default(),
        )
        .unwrap_or_else(|e| panic!("{}: {e}", reference.name));
        assert_ne!(
            outcome.agrees(),
            Some(false),
            "{}: {}",
            reference.name,
            outcome.remarks
        );
        checked += 1;
    }
    assert!(checked >= 6);
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
