//! Variables that are copies of others share a name: in `y = f(); x = y;` nothing names y behind the copy, and nothing
//! names x in front of it, so that `x = f();` is enough (copy coalescing, Chaitin, SIGPLAN 1982).

use super::{
    blocks::{Blocks, Kind, Mention, find_mentions},
    lines::Statement,
    operators::Name,
    scoped::{Local, by_name},
};
use std::collections::HashMap;

/// Where a variable is named.
#[derive(Clone, Copy)]
struct Life {
    first: Mention,
    /// The last statement.
    last: usize,
    /// The innermost block around all statements.
    scope: usize,
    /// True if a copy is its first value that another variable shares.
    is_shared: bool,
}

/// The statements without copies of variables that can share a name. Variables without a statement have none left.
pub(super) fn coalesce(statements: Vec<Statement>, locals: &[Local]) -> Vec<Statement> {
    let jumps = |s: &Statement| matches!(s, Statement::Goto(_) | Statement::Label(_));
    if statements.iter().any(jumps) {
        return statements;
    }
    let by_name = by_name(locals);
    let (blocks, mentions) = find_mentions(&statements, &by_name, locals.len());
    let life = |mentions: &Vec<Mention>| {
        let (&first, last) = (mentions.first()?, mentions.last()?.statement);
        let scope = blocks.around_all(mentions);
        Some(Life {
            first,
            last,
            scope,
            is_shared: false,
        })
    };
    let mut lives: Vec<Option<Life>> = mentions.iter().map(life).collect();
    // Variables with the copies whose names they share.
    let mut shared: Vec<(usize, usize)> = Vec::new();
    let mut kept = vec![true; statements.len()];
    for (at, statement) in statements.iter().enumerate() {
        let Statement::Expression(code) = statement else {
            continue;
        };
        let copy = code.copied().and_then(|(x, y)| {
            let (x, y) = (*by_name.get(x)?, *by_name.get(y)?);
            Some((x, y, lives[x]?, lives[y]?))
        });
        let Some((x, y, to, from)) = copy else {
            continue;
        };
        // The value before the first assignment is that of both.
        let is_one_type = locals[x].declared.has_declaration_of(&locals[y].declared)
            && locals[x].first == locals[y].first;
        if is_one_type && can_share(&blocks, &statements, &locals[y].name, at, (to, from)) {
            lives[x] = Some(Life {
                first: from.first,
                last: to.last,
                scope: blocks.around(to.scope, from.scope),
                is_shared: true,
            });
            lives[y] = None;
            shared.push((y, x));
            kept[at] = false;
        }
    }
    let mut new: HashMap<Name, Name> = HashMap::new();
    for (y, x) in shared.into_iter().rev() {
        // The copy may share the name of one of its own, further below.
        let name = &locals[x].name;
        let name = new.get(name).unwrap_or(name).clone();
        new.extend(locals[y].renamed(&name));
    }
    let statements = statements.into_iter().zip(kept);
    let statements = statements.filter(|(_, is_kept)| *is_kept);
    statements.map(|(s, _)| s.renamed(&new)).collect()
}

/// True if the variable that a statement copies ends with it, and its copy begins. In a loop each pass must give the
/// variable its value before it reads any.
fn can_share(
    blocks: &Blocks,
    statements: &[Statement],
    name: &Name,
    at: usize,
    (to, from): (Life, Life),
) -> bool {
    let block = to.first.block;
    if to.is_shared || to.first.statement != at || to.scope != block || from.last != at {
        return false;
    }
    let first = &statements[from.first.statement];
    let is_first_value = || matches!(first, Statement::Expression(code) if code.assigns(name));
    let Some(of) = blocks.all.get(block).filter(|of| of.kind == Kind::Braces) else {
        return false;
    };
    !of.looped
        || from.scope == block && from.first.block == block && !from.is_shared && is_first_value()
}

#[cfg(test)]
mod tests {
    use super::coalesce;
    use crate::c::{
        lines::{Lines, Statement},
        operators::Code,
        scoped::Local,
    };
    use cfg_core::ir::ScalarType::Integer;

    fn name(name: &str) -> Code {
        Code::name(name, Integer)
    }

    fn set(target: &str, value: Code) -> Statement {
        name(target).set(value).into()
    }

    fn call(of: &str) -> Code {
        Code::call("f", [name(of)], Integer)
    }

    fn text(statements: Vec<Statement>) -> String {
        let local = |of: &str| Local {
            name: of.into(),
            members: Vec::new(),
            declared: name(of).declared(if of == "long" { "long" } else { "int" }),
            first: 0.into(),
        };
        let locals = ["x", "y", "z", "long"].map(local);
        let mut lines = Lines::new(0);
        lines.extend(coalesce(statements, &locals));
        let text = lines.into_text();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        lines.join(" ")
    }

    #[test]
    fn copies_share_names() {
        let chain = vec![
            set("z", call("a")),
            set("y", name("z")),
            set("x", name("y")),
            set("b", call("x")),
        ];
        assert_eq!(text(chain), "x = f(a); b = f(x);");
        // Originals that are needed later stay, and copies of another type or of what is no local variable.
        let both = vec![
            set("y", call("a")),
            set("x", name("y")),
            set("b", call("y")),
            set("b", call("x")),
        ];
        assert_eq!(text(both), "y = f(a); x = y; b = f(y); b = f(x);");
        let again = vec![
            set("x", call("a")),
            set("y", call("a")),
            set("x", name("y")),
            set("b", call("x")),
        ];
        assert_eq!(text(again), "x = f(a); y = f(a); x = y; b = f(x);");
        let types = vec![set("y", call("a")), set("long", name("y"))];
        assert_eq!(text(types), "y = f(a); long = y;");
        let other = vec![set("x", name("a")), set("b", call("x"))];
        assert_eq!(text(other), "x = a; b = f(x);");
    }

    /// The value of another path, or of the pass before, is another one.
    #[test]
    fn copies_on_one_path_or_in_one_pass() {
        let path = vec![
            set("y", call("a")),
            Statement::If(name("c")),
            set("x", name("y")),
            Statement::End,
            set("b", call("x")),
        ];
        assert_eq!(text(path), "y = f(a); if (c) { x = y; } b = f(x);");
        let inside = vec![
            set("y", call("a")),
            Statement::If(name("c")),
            set("x", name("y")),
            set("b", call("x")),
            Statement::End,
        ];
        assert_eq!(text(inside), "x = f(a); if (c) { b = f(x); }");
        let pass = vec![
            Statement::Forever,
            set("b", call("y")),
            set("x", name("y")),
            set("x", call("x")),
            Statement::End,
        ];
        assert_eq!(text(pass), "for (;;) { b = f(y); x = y; x = f(x); }");
        let in_pass = vec![
            Statement::Forever,
            set("y", call("b")),
            set("x", name("y")),
            set("b", call("x")),
            Statement::End,
        ];
        assert_eq!(text(in_pass), "for (;;) { x = f(b); b = f(x); }");
        let before = vec![
            set("y", call("a")),
            Statement::Forever,
            set("x", name("y")),
            set("x", call("x")),
            Statement::End,
        ];
        assert_eq!(text(before), "y = f(a); for (;;) { x = y; x = f(x); }");
    }
}
