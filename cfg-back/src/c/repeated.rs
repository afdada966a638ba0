//! Assignments that give a variable the value that it has already, such as those of a reverse sweep that stands right
//! behind the statements whose values it computes again (value numbering within a block).

use super::{
    lines::Statement,
    names::variable_of,
    operators::{
        Infix, Name, Node,
        Prefix::{Address, Decrement, Dereference, Increment},
        node::last,
    },
};
use std::collections::HashMap;

/// Functions of C's library that change nothing that a program sees.
const PURE: [&str; 14] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt",
    "pow", "fabs",
];

/// The most values that are known at a time, so that this takes time in proportion to the statements.
const MOST: usize = 16;

/// The statements without assignments of values that variables have.
pub(super) fn without_repeated(statements: Vec<Statement>) -> Vec<Statement> {
    let mut known: HashMap<Name, Vec<Node>> = HashMap::new();
    let mut made = Vec::with_capacity(statements.len());
    for statement in statements {
        if let Statement::Expression(code) = &statement {
            if follow(&mut known, code.nodes()) {
                continue;
            }
        } else if !matches!(statement, Statement::Mark(_) | Statement::Comment(_)) {
            // Other statements may lie on other paths.
            known.clear();
        }
        made.push(statement);
    }
    made
}

/// Follows an expression to the values that are known behind it; true if it assigns a value that its target has.
fn follow(known: &mut HashMap<Name, Vec<Node>>, nodes: &[Node]) -> bool {
    match nodes {
        [Node::Name(target), value @ .., Node::Infix(operator)] if is_scalar(*operator, value) => {
            if *operator == Infix::Set && known.get(target).is_some_and(|v| v == value) {
                return true;
            }
            known.retain(|name, value| name != target && !names(value, variable_of(target)));
            let is_kept = *operator == Infix::Set && !names(value, variable_of(target));
            if is_kept && known.len() < MOST {
                known.insert(target.clone(), value.to_vec());
            }
        }
        _ if nodes.iter().any(is_effect) => known.clear(),
        _ => known.retain(|name, value| {
            let changes = |n: &str| n == variable_of(name) || names(value, n);
            let is_changed = |node: &Node| matches!(node, Node::Name(n) if changes(variable_of(n)));
            !loads(value) && !nodes.iter().any(is_changed)
        }),
    }
    false
}

/// True of the operator and the value of an assignment to a variable, if no function is called that may do more.
fn is_scalar(operator: Infix, value: &[Node]) -> bool {
    let assigns = [Infix::Set, Infix::AddTo, Infix::SubFrom, Infix::MulBy];
    let is_one = !value.is_empty() && last(value) == 0;
    assigns.contains(&operator) && is_one && !value.iter().any(is_effect)
}

/// True of a function that may change something, and of the address of what may be changed.
fn is_effect(node: &Node) -> bool {
    let calls = matches!(node, Node::Call(name, _) if !PURE.contains(&&**name));
    let steps = matches!(node, Node::Prefix(Address | Increment | Decrement));
    calls || steps || matches!(node, Node::Infix(Infix::Comma))
}

/// True if a value is read through a pointer or from an array.
fn loads(value: &[Node]) -> bool {
    let load = |node: &Node| {
        let follows = matches!(
            node,
            Node::Element | Node::Member(_) | Node::Prefix(Dereference)
        );
        // A member behind a pointer.
        follows || matches!(node, Node::Name(name) if name.contains("->"))
    };
    value.iter().any(load)
}

fn names(value: &[Node], of: &str) -> bool {
    let is_it = |node: &Node| matches!(node, Node::Name(name) if variable_of(name) == of);
    value.iter().any(is_it)
}

#[cfg(test)]
mod tests {
    use super::without_repeated;
    use crate::c::{
        lines::{Lines, Statement},
        operators::{Code, Infix},
    };
    use cfg_core::ir::ScalarType::Integer;

    fn name(name: &str) -> Code {
        Code::name(name, Integer)
    }

    fn text(statements: Vec<Code>) -> String {
        let mut lines = Lines::new(0);
        let statements = statements.into_iter().map(Statement::from).collect();
        lines.extend(without_repeated(statements));
        lines.into_text().replace('\n', " ")
    }

    #[test]
    fn values_that_variables_have_are_not_assigned_again() {
        let [a, b, c, x] = ["a", "b", "c", "x"].map(name);
        let twice = || {
            a.clone()
                .set(b.clone().with(Infix::Add, x.clone().at(c.clone())))
        };
        let between = |other: Code| text(vec![twice(), other, twice()]);
        let one = "a = b + x[c];";
        let other = name("y").set(1);
        assert_eq!(between(other), format!("{one} y = 1; "));
        for changed in [
            b.clone().set(1),
            a.clone().with(Infix::AddTo, 1),
            name("y").at(1).set(1),
            Code::call("f", [name("y")], Integer),
            name("y").set(Code::call("f", [name("y")], Integer)),
            c.clone().prefix(crate::c::operators::Prefix::Increment),
        ] {
            assert_eq!(between(changed.clone()), format!("{one} {changed}; {one} "));
        }
        let pure = name("y").set(Code::call("sin", [name("y")], Integer));
        assert_eq!(between(pure), format!("{one} y = sin(y); "));
        let member = || a.clone().set(name("u.p"));
        assert_eq!(
            text(vec![member(), name("u").set(b), member()]),
            "a = u.p; u = b; a = u.p; "
        );
        assert_eq!(
            text(vec![a.clone().set(a.clone().with(Infix::Add, 1)); 2]),
            "a = a + 1; a = a + 1; "
        );
    }
}
