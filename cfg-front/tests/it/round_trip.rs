//! Read, write, read gives the same program; so do adjoint and tangent programs.

use crate::{corpus, fixtures};
use cfg_core::ir::Program;
use cfg_front::xaif::{Options, read_xaif, to_string};
use cfg_reverse::{Options as Reversal, reverse, tangent};
use cfg_testkit::flat;
use cfg_testkit::reorder::as_declared;
use std::collections::BTreeSet;

fn json(program: &Program) -> String {
    let mut bytes = Vec::new();
    cfg_format::json::write(program, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[track_caller]
fn again(name: &str, program: &Program) {
    let text = to_string(program).unwrap();
    let (back, problems) = read_xaif(text.as_bytes(), &Options::default());
    let back = back.unwrap_or_else(|| panic!("{name}: {problems}\n{text}"));
    // Parameters come first.
    if back != as_declared(program) {
        // The JSON shows where.
        assert_eq!(json(&back), json(program), "{name}");
        panic!("{name}: the programs differ, their JSON does not");
    }
    assert_eq!(to_string(&back).unwrap(), text, "{name}");
}

fn programs() -> Vec<(String, Program)> {
    let mut documents = fixtures::documents();
    documents.extend(corpus::documents().unwrap_or_default());
    let read = |(name, bytes): (String, Vec<u8>)| {
        let program = read_xaif(&bytes, &Options::default()).0?;
        Some((name, program))
    };
    documents.into_iter().filter_map(read).collect()
}

#[test]
fn programs_of_documents() {
    for (name, program) in programs() {
        again(&name, &program);
    }
}

#[test]
fn derivatives() {
    let mut reversed = 0;
    for (name, program) in programs() {
        let Ok(valid) = cfg_core::validate::validate(program) else {
            panic!("{name} is not valid");
        };
        let Some(main) = valid.main else { continue };
        if let Ok(reversal) = reverse(&flat(&valid), main, &Reversal::default()) {
            again(&name, &reversal.program);
            reversed += 1;
        }
        if let Ok(tangent) = tangent(&flat(&valid), main) {
            again(&name, &tangent.program);
        }
    }
    assert!(reversed >= 8, "{reversed}");
}

/// Programs that do not come from XAIF: tapes, functions, general graphs, expressions as extents.
#[test]
fn programs_of_other_front_ends() {
    let folder = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let mut count = 0;
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    paths.sort();
    for path in paths {
        let Ok(bytes) = std::fs::read(&path) else {
            continue;
        };
        if path.extension().is_some_and(|e| e == "json")
            && let Ok(program) = cfg_format::json::read(&bytes)
        {
            count += 1;
            again(&path.display().to_string(), &program);
        }
    }
    assert!(count > 5, "{count}");
}

#[test]
fn changed_declarations_are_noticed() {
    let (name, program) = programs().into_iter().next().unwrap();
    let text = to_string(&program).unwrap();
    let symbol = text.find("<xaif:Symbol ").unwrap();
    let end = text[symbol..].find('>').unwrap() + symbol + 1;
    let more = format!(
        "{}<xaif:Symbol symbol_id=\"extra_1\" kind=\"variable\" type=\"real\"/>{}",
        &text[..symbol],
        &text[symbol..]
    );
    let broken = text.replacen("{cfgrev {", "{cfgrev [", 1);
    let _ = end;
    for changed in [more, broken] {
        let (back, problems) = read_xaif(changed.as_bytes(), &Options::default());
        assert!(back.is_none(), "{name}");
        assert!(problems.iter().any(|d| d.code == "F624"), "{problems}");
    }
}

/// Elements and attributes of a document.
fn words(text: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut elements, mut attributes) = (BTreeSet::new(), BTreeSet::new());
    for tag in text.split('<').skip(1) {
        let Some(tag) = tag.strip_prefix("xaif:") else {
            continue;
        };
        let element = tag.split([' ', '/', '>']).next().unwrap();
        elements.insert(element.to_owned());
        // Values are escaped, so every second part between quotes is outside of them.
        for outside in tag.split('"').step_by(2) {
            if let Some(attribute) = outside.strip_suffix('=') {
                let attribute = attribute.split_whitespace().last().unwrap();
                attributes.insert(attribute.to_owned());
            }
        }
    }
    (elements, attributes)
}

/// The writer uses exactly the elements and attributes that docs/xaif.md lists. All occur in the corpus, except
/// PostLoop, which the format has for loops with the test at their end.
#[test]
fn vocabulary() {
    let (mut elements, mut attributes) = (BTreeSet::new(), BTreeSet::new());
    let mut add = |program: &Program| {
        let (e, a) = words(&to_string(program).unwrap());
        elements.extend(e);
        attributes.extend(a);
    };
    for (_, program) in programs() {
        let valid = cfg_core::validate::validate(program).unwrap();
        add(&valid);
        if let Some(Ok(reversal)) = valid
            .main
            .map(|m| reverse(&flat(&valid), m, &Reversal::default()))
        {
            add(&reversal.program);
        }
    }
    let root = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    for name in [
        "optional",
        "paper_example",
        "state_machine",
        "whole_arrays",
        "loop_kinds",
    ] {
        if let Ok(bytes) = std::fs::read(root.join(format!("fixtures/{name}.json"))) {
            add(&cfg_format::json::read(&bytes).unwrap());
        }
    }
    let docs = std::fs::read_to_string(root.join("docs/xaif.md")).unwrap();
    let listed = |title: &str| -> BTreeSet<String> {
        let (_, rest) = docs.split_once(title).expect(title);
        let (paragraph, _) = rest.split_once("\n\n").expect("a paragraph");
        let words = paragraph.split('`').skip(1).step_by(2);
        words.map(str::to_owned).collect()
    };
    assert_eq!(elements, listed("Elements that are written:"));
    assert_eq!(attributes, listed("Attributes that are written:"));
    let Some(documents) = corpus::documents() else {
        return;
    };
    let (mut known, mut known_attributes) = (BTreeSet::new(), BTreeSet::new());
    for (_, bytes) in documents {
        let (e, a) = words(&String::from_utf8_lossy(&bytes));
        known.extend(e);
        known_attributes.extend(a);
    }
    let new: Vec<&String> = elements.difference(&known).collect();
    assert_eq!(new, ["PostLoop"]);
    let new: Vec<&String> = attributes.difference(&known_attributes).collect();
    assert_eq!(new, [""; 0]);
}

/// Texts with every kind of character that XML has no way to write, or changes on reading.
const ODD: [&str; 9] = [
    "\0",
    "\u{1}\u{8}",
    "a\u{b}\u{c}\u{e}b",
    "\u{1b}[31m",
    "\u{1f}\u{7f}\u{85}",
    "\u{fffe}",
    "x\u{ffff}y",
    "\t \n\r\n",
    "<&>'\"\u{d7ff}\u{e000}\u{fffd}\u{10000}\u{10ffff}",
];

#[test]
fn characters_that_xml_does_not_have_come_back() {
    use cfg_core::builder::{ProgramBuilder, RoutineBuilder};
    use cfg_core::ir::ScalarType::Real;
    let note = |text: &str, key: &str| {
        let value = serde_json::json!({ "xaif": { key: text }, text: [text] });
        let alone = serde_json::json!({ "xaif": { key: text } });
        [value, alone].map(|v| v.as_object().cloned().map(Box::new))
    };
    for odd in ODD {
        for which in 0..2 {
            // Names have no control characters.
            let name: String = odd.chars().filter(|c| !c.is_control()).collect();
            let mut p = ProgramBuilder::new();
            p.global(format!("g{name}"), Real);
            let mut f = RoutineBuilder::new(format!("f{name}"));
            f.annotate(note(odd, "symbol")[which].clone());
            let x = f.input(format!("x{name}"), Real);
            let y = f.inout(format!("y{name}"), Real);
            f.independents([x]).dependents([y]);
            f.note(note(odd, "line")[which].clone());
            f.opaque(odd, [x], [y]);
            f.opaque(format!("{odd}{{cfgrev {odd}}}"), [], []);
            f.note(note(odd, "statement")[which].clone());
            f.assign(y, y * x);
            p.add(f);
            let mut program: Program = p.into_program().expect("the builder is used right");
            program.annotations = note(odd, "program")[which].clone();
            let text = cfg_front::xaif::to_string(&program).expect("it can be written");
            let illegal = text.chars().find(|&c| {
                !matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
            });
            assert_eq!(illegal, None, "{odd:?}");
            let options = cfg_front::xaif::Options::default();
            let (back, problems) = cfg_front::xaif::read_xaif(text.as_bytes(), &options);
            assert!(!problems.has_errors(), "{odd:?}: {problems}");
            assert_eq!(back.as_ref(), Some(&program), "{odd:?}");
        }
    }
}

/// Annotations of any depth that JSON programs may have come back; all deeper ones are refused.
#[test]
fn deep_annotations_come_back_or_are_refused() {
    use cfg_core::builder::{ProgramBuilder, RoutineBuilder};
    use cfg_core::ir::ScalarType::Real;
    for depth in [1, 100, 126, 127, 128, 129, 200, 240] {
        let mut value = serde_json::json!("x");
        for _ in 0..depth {
            value = serde_json::json!([value]);
        }
        let mut f = RoutineBuilder::new("f");
        let y = f.inout("y", Real);
        f.independents([y]).dependents([y]);
        let note = serde_json::json!({ "deep": value });
        f.note(note.as_object().cloned().map(Box::new));
        f.assign(y, 1.0);
        let mut p = ProgramBuilder::new();
        p.add(f);
        let program = p.into_program().expect("the builder is used right");
        let mut json = Vec::new();
        cfg_format::json::write(&program, &mut json).expect("it can be written");
        assert_eq!(cfg_format::json::read(&json).expect("it is JSON"), program);
        let text = cfg_front::xaif::to_string(&program).expect("it can be written");
        let options = cfg_front::xaif::Options::default();
        let (back, problems) = cfg_front::xaif::read_xaif(text.as_bytes(), &options);
        assert_eq!(back.as_ref(), Some(&program), "{depth}: {problems}");
        for many in [260, 100_000] {
            let deeper = text.replace(
                "&quot;x&quot;",
                &format!("{}1{}", "[".repeat(many), "]".repeat(many)),
            );
            let (_, problems) = cfg_front::xaif::read_xaif(deeper.as_bytes(), &options);
            assert!(problems.has_errors(), "{depth} and {many}");
        }
    }
}

#[test]
fn a_program_that_stops_is_refused_at_its_statement() {
    let text = "subroutine f(in real x, out real y)\n  y := x\n  stop \"no\"\nend\n";
    let program = cfg_format::text::parse(text)
        .program
        .expect("it is a program");
    let problem = to_string(&program)
        .expect_err("XAIF cannot say it")
        .to_string();
    assert!(problem.contains("F625"), "{problem}");
    assert!(
        problem.contains("routine f, vertex 2, statement 2"),
        "{problem}"
    );
}
