//! docs/format.md against the format.

use cfg_core::ir::*;
use cfg_format::json;
use cfg_testkit::golden::golden_line;
use std::{collections::BTreeSet, sync::LazyLock};

/// The page, of which the row of the smooth functions of one real is written from the table of operators.
fn page() -> &'static str {
    static PAGE: LazyLock<String> = LazyLock::new(|| {
        let path = crate::fixtures().join("../docs/format.md");
        let smooth =
            |op: &&Op| op.info().operands == Operands::Real && !op.info().corners.contains("jump");
        let functions = Op::ALL.iter().filter(smooth);
        let names: Vec<String> = functions.map(|op| format!("`{}`", op.name())).collect();
        let row = format!(
            "| {} | 1 | real; of trigonometric functions in radians |",
            names.join(", ")
        );
        golden_line(&path, "| `sqrt`, ", &row);
        std::fs::read_to_string(path).unwrap()
    });
    &PAGE
}

#[test]
fn every_operator_and_word_is_described() {
    let page = page();
    let operators = page
        .split("\n## Operators")
        .nth(1)
        .unwrap()
        .split("\n## ")
        .next()
        .unwrap();
    let quoted = |text: &str| -> BTreeSet<String> {
        text.split('`')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect()
    };
    let described = quoted(operators);
    for op in Op::ALL {
        // A conversion is named by its first word, and the type behind it.
        let name = op
            .typed_conversion()
            .map_or(op.name(), |(how, _)| how.name());
        assert!(described.contains(name), "operator {name} is not described");
    }
    let words = quoted(page);
    for ty in VertexType::ALL {
        assert!(page.contains(ty.name()), "{}", ty.name());
    }
    for role in OriginRole::ALL {
        assert!(words.contains(role.name()), "{}", role.name());
    }
    for ty in ScalarType::ALL {
        assert!(
            words.contains(&format!("\"{}\"", ty.name())),
            "{}",
            ty.name()
        );
    }
}

#[test]
fn every_member_is_described() {
    let page = page();
    let schema = json::schema();
    let definitions = schema["$defs"]
        .as_object()
        .unwrap()
        .values()
        .chain([&schema]);
    for definition in definitions {
        let members = definition["properties"].as_object().into_iter().flatten();
        for (member, _) in members {
            let forms = [format!("`{member}`"), format!("\"{member}\"")];
            assert!(
                forms.iter().any(|f| page.contains(f)),
                "member {member} is not described"
            );
        }
    }
}

#[test]
fn numbers_of_operands_are_right() {
    let page = page();
    let operators = page
        .split("\n## Operators")
        .nth(1)
        .unwrap()
        .split("\n## ")
        .next()
        .unwrap();
    let mut checked = 0;
    for row in operators.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        for name in cells[1].split('`').skip(1).step_by(2) {
            let Some(op) = Op::from_name(name) else {
                let others = ["as_real32", "to", "wrap", "saturate", "const"];
                assert!(others.contains(&name), "{name} is no operator");
                continue;
            };
            let expected = match (name, op.arity()) {
                ("-", _) => "1 or 2".to_owned(),
                (_, (min, usize::MAX)) => format!("{min} or more"),
                (_, (1, 2)) => "1 or 2".to_owned(),
                (_, (min, max)) if min == max => min.to_string(),
                (_, (min, max)) => format!("{min} to {max}"),
            };
            assert_eq!(cells[2], expected, "{name}");
            checked += 1;
        }
    }
    assert_eq!(
        checked,
        (Op::ALL.iter().filter(|op| op.typed_conversion().is_none())).count() - 1,
        "all but neg, which stands with -"
    );
}

#[test]
fn the_examples_are_programs() {
    let page = page();
    let mut examples = 0;
    for block in page.split("```json\n").skip(1) {
        let text = block.split("```").next().unwrap();
        json::read_valid(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        examples += 1;
    }
    assert_eq!(examples, 3);
}
