//! Documents of our own for features that at most one document of the corpus has. Values and Jacobians are by hand,
//! at x(i) = i/2, y = 0.

use crate::oracle;
use cfg_core::ir::{Control, Program, StmtKind, VertexType};
use cfg_front::xaif::{Options, read_xaif};
use std::path::{Path, PathBuf};

/// The documents of a folder in order of their names.
pub(crate) fn documents_in(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut list: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "xaif"))
        .map(|p| {
            let name = p.file_stem().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(&p).unwrap())
        })
        .collect();
    list.sort();
    assert!(!list.is_empty());
    list
}

/// The documents of this repository.
pub(crate) fn documents() -> Vec<(String, Vec<u8>)> {
    documents_in(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fixtures/xaif"))
}

fn bytes(name: &str) -> Vec<u8> {
    let found = documents().into_iter().find(|d| d.0 == name);
    found.unwrap_or_else(|| panic!("no fixture {name}")).1
}

fn read(name: &str) -> Program {
    let (program, problems) = read_xaif(&bytes(name), &Options::default());
    program.unwrap_or_else(|| panic!("{name}: {problems}"))
}

#[track_caller]
fn check(name: &str, values: &[f64], rows: &[&[f64]]) {
    let program = read(name);
    let (found, jacobian) =
        oracle::jacobian(&program, "x", "y").unwrap_or_else(|e| panic!("{name}: {e}\n{program}"));
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-14 * b.abs().max(1.0);
    assert_eq!(found.len(), values.len());
    for (i, (a, b)) in found.iter().zip(values).enumerate() {
        assert!(
            close(*a, *b),
            "{name}: y({}) = {a}, not {b}\n{program}",
            i + 1
        );
    }
    for (i, (a, b)) in jacobian.iter().zip(rows).enumerate() {
        for (j, (a, b)) in a.iter().zip(b.iter()).enumerate() {
            assert!(
                close(*a, *b),
                "{name}: dy({})/dx({}) = {a}, not {b}\n{program}",
                i + 1,
                j + 1
            );
        }
    }
}

#[test]
fn shared_vertices() {
    let (s, c) = 0.5f64.sin_cos();
    check(
        "shared",
        &[s * s + s, 2.0],
        &[&[2.0 * s * c + c, 2.0 * s * s], &[4.0, 4.0]],
    );
    // The sine is computed once: in one statement of its own.
    let program = read("shared");
    let text = program.to_string();
    assert_eq!(text.matches("sin(").count(), 1, "{text}");
}

#[test]
fn post_test_loops() {
    let (s, c) = 1f64.sin_cos();
    check("post_test", &[0.0625, s], &[&[0.5, 0.0], &[0.0, c]]);
}

#[test]
fn multi_way_branches() {
    check("select", &[1.5, 1.5], &[&[3.0, 0.0], &[1.0, 0.5]]);
}

#[test]
fn jumps() {
    check("jumps_that_nest", &[1.0, 1.0], &[&[2.0, 1.0], &[0.0, 1.0]]);
    let program = read("jumps_that_nest");
    let routine = &program.routines[0];
    assert_eq!(routine.control, Control::Structured);
    let body = routine.body.as_ref().unwrap();
    let ends = body
        .vertices()
        .filter(|(_, v)| v.vertex_type() == VertexType::EndBranch);
    assert_eq!(ends.count(), 2);

    check("jump_out_of_loop", &[0.5], &[&[1.0, 2.5]]);
    check(
        "exits",
        &[0.5, 2.0, 0.1875],
        &[&[1.0, 3.5], &[4.0, 0.0], &[1.5, 0.1875]],
    );
    check(
        "jump_into_loop",
        &[5.0, 0.0625],
        &[&[2.0, 0.0], &[0.0, 0.0625]],
    );
    check("short_circuit", &[0.5], &[&[1.0, 0.5]]);
    for name in [
        "jump_out_of_loop",
        "exits",
        "jump_into_loop",
        "short_circuit",
    ] {
        let (program, problems) = read_xaif(&bytes(name), &Options::default());
        assert_eq!(program.unwrap().routines[0].control, Control::General);
        assert!(problems.is_empty(), "{problems}");
    }
}

/// A document, its values and its Jacobian.
type Expected = (&'static str, [f64; 2], [[f64; 2]; 2]);

/// What `fixtures/xaif/jumps.py` prints.
const JUMPS: [Expected; 12] = [
    (
        "jump_loop",
        [3.1338432166187693, 1.5669216083093847],
        [
            [0.14340719720016182, 2.9836799578797097],
            [3.20554681521885, 1.4918399789398549],
        ],
    ),
    ("jump_break", [4.0, 2.0], [[8.0, 6.0], [8.0, 3.0]]),
    ("jump_return", [4.5, 4.5], [[9.0, 18.0], [9.0, 22.5]]),
    ("jump_continue", [3.5, 3.25], [[7.0, 10.5], [9.5, 4.125]]),
    (
        "jump_levels",
        [3.5, -0.950710991376569],
        [[7.0, 10.5], [276.74496729285187, 319.4776460660128]],
    ),
    (
        "jump_fall_through",
        [1.5, 2.25],
        [[3.0, 0.5], [13.5, 4.875]],
    ),
    (
        "jump_two_entries",
        [2.151043010211712, 0.3203289261874782],
        [
            [5.621791084343065, 4.116411318955791],
            [-0.28672711786839133, -0.41631771214093555],
        ],
    ),
    (
        "jump_two_entries_in_loop",
        [0.9375, 11.875],
        [[5.0, 1.8125], [33.75, 15.25]],
    ),
    (
        "jump_states",
        [0.9974949866040544, 3.5],
        [[0.2122116050031087, 0.10610580250155435], [5.0, 3.0]],
    ),
    (
        "jump_errors",
        [1.3414709848078965, 0.5],
        [[1.0, 1.0403023058681398], [0.0, 0.5]],
    ),
    (
        "jump_middle_test",
        [8.0, 14.5],
        [[16.0, 16.0], [81.0, 45.0]],
    ),
    (
        "jump_into_body",
        [2.0, 1.59375],
        [[4.0, 3.0], [8.0625, 2.0]],
    ),
];

/// Documents with jumps: values and Jacobians from a program in another language, with loops, break,
/// continue and return.
#[test]
fn jumps_of_all_kinds() {
    for (name, values, rows) in JUMPS {
        let program = read(name);
        let (found, jacobian) = oracle::jacobian(&program, "x", "y")
            .unwrap_or_else(|e| panic!("{name}: {e}\n{program}"));
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs().max(1.0);
        for i in 0..2 {
            assert!(close(found[i], values[i]), "{name}: {found:?}\n{program}");
            for j in 0..2 {
                assert!(
                    close(jacobian[i][j], rows[i][j]),
                    "{name}: {jacobian:?}\n{program}"
                );
            }
        }
    }
}

/// Structure that is taken away (every EndBranch becomes a block of a graph with jumps) is found again.
#[test]
fn structure_is_found_again() {
    let mut documents = documents();
    documents.extend(crate::corpus::documents().unwrap_or_default());
    let mut found = 0;
    for (name, bytes) in documents {
        let text = String::from_utf8(bytes.clone()).unwrap();
        if !text.contains("<xaif:EndBranch") || text.contains("structured=") {
            continue;
        }
        let Some(original) = read_xaif(&bytes, &Options::default()).0 else {
            continue;
        };
        let text = text
            .replace(
                "<xaif:ControlFlowGraph ",
                "<xaif:ControlFlowGraph structured=\"0\" ",
            )
            .replace("<xaif:EndBranch ", "<xaif:BasicBlock scope_id=\"1\" ");
        let (again, problems) = read_xaif(text.as_bytes(), &Options::default());
        let again = again.unwrap_or_else(|| panic!("{name}: {problems}"));
        for routine in &again.routines {
            assert_eq!(routine.control, Control::Structured, "{name}");
        }
        let expected = oracle::jacobian(&original, "x", "y");
        assert_eq!(oracle::jacobian(&again, "x", "y"), expected, "{name}");
        found += 1;
    }
    assert!(found >= 4, "{found}");
}

#[test]
fn functions() {
    check("functions", &[-3.25, 1.0], &[&[-1.0, -6.0], &[0.0, 3.0]]);
}

#[test]
fn loops() {
    check("loops", &[15.1875, 1.25], &[&[1.5, 0.0], &[7.5, 0.5]]);
}

#[test]
fn shared_storage() {
    check("common", &[0.5, 4.0], &[&[1.0, 0.5], &[0.0, 4.0]]);
    assert_eq!(read("common").globals.len(), 2);
}

#[test]
fn arguments() {
    check(
        "arguments",
        &[4.0, 3.0, 4.25, 1.0],
        &[
            &[0.0, 4.0, 0.0, 2.0],
            &[0.0, 0.0, 2.0, 0.0],
            &[1.0, 0.0, 0.0, 2.0],
            &[2.0, 0.0, 0.0, 0.0],
        ],
    );
}

#[test]
fn arrays() {
    check(
        "arrays",
        &[22.5, 1.25, 3.0, 0.75, 0.5, 3.0],
        &[
            &[33.0, 51.0],
            &[1.0, 2.0],
            &[0.0, 3.0],
            &[-1.0, 2.0],
            &[1.0, 0.0],
            &[0.0, 1.0],
        ],
    );
}

#[test]
fn conversions() {
    let tenth = f64::from(0.1f32);
    let angle = 0.5f64.atan2(0.75);
    check(
        "conversions",
        &[
            0.5 + tenth,
            -1.5,
            1.0,
            1.0,
            8.0,
            0.0,
            angle,
            -(0.5f64.sqrt()),
        ],
        &[
            &[1.0, 0.0],
            &[-3.0, 0.0],
            &[0.0, 1.0],
            &[0.0, 1.0],
            &[0.0, 0.0],
            &[0.0, -2.0],
            &[0.75 / 0.8125, -0.5 / 0.8125],
            &[-0.5 / 0.5f64.sqrt(), 0.0],
        ],
    );
}

#[test]
fn hidden_stores() {
    let (program, problems) = read_xaif(&bytes("hidden_store"), &Options::default());
    assert!(program.is_none());
    let problem = problems.iter().next().unwrap();
    assert_eq!(problem.code, "F616");
    assert!(problem.message.contains("K_3"), "{problem}");
    assert!(problem.message.contains("OPR_STID"), "{problem}");
}

#[test]
fn parts_of_structures_that_are_passed() {
    let (program, problems) = read_xaif(&bytes("structure_argument"), &Options::default());
    assert!(program.is_none());
    for problem in problems.iter() {
        assert_eq!(problem.code, "F612");
        assert!(problem.message.contains("oaScalRef0"), "{problem}");
    }
    assert_eq!(problems.iter().count(), 2);
}

#[test]
fn markers_stay_in_place() {
    check(
        "markers",
        &[0.5, 1f64.cos()],
        &[&[1.0, 0.0], &[0.0, -(1f64.sin())]],
    );
    let program = read("markers");
    let body = program.routines[0].body.as_ref().unwrap();
    let opaque: Vec<bool> = body
        .vertices()
        .flat_map(|(_, v)| v.statements())
        .map(|s| matches!(s.kind, StmtKind::Opaque { .. }))
        .collect();
    assert_eq!(opaque, [true, true, false, true, false, true]);
}

/// A test that a fixture with a test of its own cannot be forgotten.
#[test]
fn every_fixture_is_read_or_refused_on_purpose() {
    for (name, bytes) in documents() {
        let (program, problems) = read_xaif(&bytes, &Options::default());
        assert_eq!(
            program.is_some(),
            name != "structure_argument" && !REFUSED.iter().any(|r| r.0 == name),
            "{name}: {problems}"
        );
    }
}

#[test]
fn transformational_intrinsics() {
    let (a, b) = (0.5f64, 1.0f64);
    let s = a + b;
    check(
        "transformational",
        &[
            11.0 * s * s,
            6.0 * a.powi(3) + 12.0 * b.powi(3),
            3.0 * b * b,
            3.0 * b,
            4.0 * a * b,
            36.0 * (a.powi(4) + b.powi(4)),
            a,
            2.0 * a + 3.0 * b,
            3.0 * b * (2.0 * a + 3.0 * a),
        ],
        &[
            &[22.0 * s, 22.0 * s],
            &[18.0 * a * a, 36.0 * b * b],
            &[0.0, 6.0 * b],
            &[0.0, 3.0],
            &[4.0 * b, 4.0 * a],
            &[144.0 * a.powi(3), 144.0 * b.powi(3)],
            &[1.0, 0.0],
            &[2.0, 3.0],
            &[15.0 * b, 15.0 * a],
        ],
    );
}

/// What `fixtures/xaif/straight.py` writes.
#[test]
fn packing() {
    let (a, b) = (0.5f64, 1.0f64);
    check(
        "packing",
        &[
            a * (b + b * b + b.powi(3)),
            a * (a + b + b * b + b.powi(3)),
            b.powi(3),
            a * (b + b * b + b.powi(3)) + b.powi(3),
            2.0 * a * (b + b * b),
            a * a * b + b.powi(3),
            b + b * b,
            2.0 * a,
            a + b + a * b + b * b,
        ],
        &[
            &[b + b * b + b.powi(3), a * (1.0 + 2.0 * b + 3.0 * b * b)],
            &[
                2.0 * a + b + b * b + b.powi(3),
                a * (1.0 + 2.0 * b + 3.0 * b * b),
            ],
            &[0.0, 3.0 * b * b],
            &[
                b + b * b + b.powi(3),
                a * (1.0 + 2.0 * b + 3.0 * b * b) + 3.0 * b * b,
            ],
            &[2.0 * (b + b * b), 2.0 * a * (1.0 + 2.0 * b)],
            &[2.0 * a * b, a * a + 3.0 * b * b],
            &[0.0, 1.0 + 2.0 * b],
            &[2.0, 0.0],
            &[1.0 + b, 1.0 + a + 2.0 * b],
        ],
    );
}

#[test]
fn vector_subscripts() {
    let [a, b, c, d] = [0.5f64, 1.0, 1.5, 2.0];
    check(
        "vector_subscripts",
        &[
            d * a + c,
            d * d + 2.0 * a * a + 3.0 * c * c,
            2.0 * (d + a + c),
            d * 2.0 * a,
            d * c,
            21.0 * a,
            a + 2.0 * c + 2.0 * b,
        ],
        &[
            &[d, 0.0, 1.0, a],
            &[4.0 * a, 0.0, 6.0 * c, 2.0 * d],
            &[2.0, 0.0, 2.0, 2.0],
            &[2.0 * d, 0.0, 0.0, 2.0 * a],
            &[0.0, 0.0, d, c],
            &[21.0, 0.0, 0.0, 0.0],
            &[1.0, 2.0, 2.0, 0.0],
        ],
    );
}

#[test]
fn bits() {
    let (a, b) = (0.5f64, 1.0f64);
    check(
        "bits",
        &[8.0 * a, 7.0 * b, -6.0 * a * a, 15.0 * b, a.sin(), 10.0 * a],
        &[
            &[8.0, 0.0],
            &[0.0, 7.0],
            &[-12.0 * a, 0.0],
            &[0.0, 15.0],
            &[a.cos(), 0.0],
            &[10.0, 0.0],
        ],
    );
}

#[test]
fn matrices_for_other_formals() {
    // a = (x1, x2; 2 x1, 2 x2; 3 x1, 3 x2) by columns; v(6) = v(1) v(2), v(3) = 2 v(5), m(2, 2) = m(1, 3) m(2, 1).
    let (a, b) = (0.5f64, 1.0f64);
    check(
        "matrix_arguments",
        &[a, b, 6.0 * a, 3.0 * a * b, 3.0 * a, a * b],
        &[
            &[1.0, 0.0],
            &[0.0, 1.0],
            &[6.0, 0.0],
            &[3.0 * b, 3.0 * a],
            &[3.0, 0.0],
            &[b, a],
        ],
    );
}

#[test]
fn common_blocks_that_do_not_match() {
    let (program, problems) = read_xaif(&bytes("common_shapes"), &Options::default());
    assert!(program.is_none());
    let problem = problems.iter().next().unwrap();
    assert_eq!(problem.code, "F617", "{problem}");
}

/// What `fixtures/xaif/routines.py` writes: the Jacobians that it derives.
pub(crate) fn expected() -> Vec<(String, Vec<Vec<f64>>)> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../fixtures/xaif/expected.jsonl"
    );
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| {
            let entry: serde_json::Value = serde_json::from_str(line).unwrap();
            let rows = entry["jacobian"].as_array().unwrap().iter();
            let rows = rows.map(|row| {
                let row = row.as_array().unwrap().iter();
                row.map(|x| x.as_f64().unwrap()).collect()
            });
            (entry["name"].as_str().unwrap().to_owned(), rows.collect())
        })
        .collect()
}

/// Reals of the other kind, extents of changed variables, host association, COMMON, modules, strings.
#[test]
fn several_routines() {
    let mut compared = 0;
    for (name, rows) in expected() {
        // The extents of this document come with the point.
        if name == "assumed_size" {
            continue;
        }
        let program = read(&name);
        let (_, jacobian) = oracle::jacobian(&program, "x", "y")
            .unwrap_or_else(|e| panic!("{name}: {e}\n{program}"));
        assert_eq!(jacobian, rows, "{name}\n{program}");
        compared += 1;
    }
    assert!(compared >= 7);
}

#[test]
fn overlays_of_common_blocks() {
    let program = read("common_layout");
    let overlays: Vec<(&str, i64)> = program
        .globals
        .iter()
        .filter_map(|g| Some((g.variable.name.as_str(), g.overlay?.offset)))
        .collect();
    // The first block differs in names only, the second has a base of its own for the matrix and a vector
    // that begins inside of it.
    let names: Vec<&str> = program
        .globals
        .iter()
        .map(|g| g.variable.name.as_str())
        .collect();
    assert!(
        names.contains(&"common_two") && names.contains(&"common_three"),
        "{names:?}"
    );
    assert!(!names.contains(&"c") && !names.contains(&"d"), "{names:?}");
    for expected in [
        ("m", 0),
        ("u", 0),
        ("v", 2),
        ("p", 0),
        ("q", 3),
        ("r", 0),
        ("t", 2),
    ] {
        assert!(overlays.contains(&expected), "{expected:?}: {overlays:?}");
    }
}

/// Refused documents: code, what the message and the place must name.
const REFUSED: [(&str, &str, &str, &str); 7] = [
    (
        "common_reinterpreted",
        "F617",
        "K_25 shares storage in a way that is not supported: it is read where A_22, which has another type, is written",
        "Symbol K_25",
    ),
    (
        "common_lengths",
        "F617",
        "it may be the storage of A_22",
        "Symbol B_25",
    ),
    (
        "module_which",
        "F617",
        "G_27 shares storage in a way that is not supported: it may be G_22 or G_25, which are of different modules",
        "Symbol G_27",
    ),
    (
        "strings_unknown",
        "F616",
        "the formal HOW_3 is a string whose value is needed",
        "Argument 3 in SubroutineCall 2 in BasicBlock 2 of ControlFlowGraph head_22",
    ),
    (
        "hidden_call",
        "F616",
        "K_3 is read through a call, but only the opaque statement {WHIRL_Id#1} [passive: OPR_STID] can have set it",
        "VariableReference 1 in SubroutineCall 2 in BasicBlock 2 of ControlFlowGraph head_22",
    ),
    ("hidden_store", "F616", "K_3", "VariableReference"),
    ("common_shapes", "F617", "C_32", "Symbol C_32"),
];

#[test]
fn refused_documents() {
    for (name, code, message, element) in REFUSED {
        let (program, problems) = read_xaif(&bytes(name), &Options::default());
        assert!(program.is_none(), "{name}");
        let problem = problems
            .iter()
            .find(|p| p.message.contains(message))
            .unwrap_or_else(|| panic!("{name}: {problems}"));
        assert_eq!(problem.code, code, "{name}: {problem}");
        assert!(
            problem.at.line.is_some() && problem.at.column.is_some(),
            "{name}"
        );
        let place = problem.at.element.as_deref().unwrap_or_default();
        assert!(place.contains(element), "{name}: {place}");
    }
    // A variable that a marker of the callee sets is named too; one that does no harm is not.
    let (_, problems) = read_xaif(&bytes("hidden_call"), &Options::default());
    let found: Vec<&str> = problems
        .iter()
        .filter_map(|p| p.message.split(' ').next())
        .collect();
    assert_eq!(found, ["K_3", "N_4"], "{problems}");
}
