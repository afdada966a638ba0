//! Local variables are declared where they are used: at the assignment that gives them their first value, in the
//! beginning of a loop over them, or with the value 0 in front of the statement that names them first.
//!
//! The scope of a variable is the innermost block around all statements that name it. Within a loop a variable may keep
//! its value from one pass to the next, so that only an assignment that each pass makes first is a declaration there.
//! Other variables are declared in front of the outermost loop.

use super::{
    blocks::{Block, Blocks, Kind, Mention, ROOT, find_mentions},
    lines::Statement,
    operators::{Code, Infix, Name},
};
use std::collections::{BTreeMap, HashMap};

/// A local variable: its name, the names of its members, its declaration, and the value that it has before it is
/// assigned.
#[derive(Clone)]
pub(super) struct Local {
    pub(super) name: Name,
    pub(super) members: Vec<Name>,
    pub(super) declared: Code,
    pub(super) first: Code,
}

/// The most variables that are declared in one line.
const MOST_IN_LINE: usize = 8;

/// A declaration that stands alone, and the value that it has, if any.
type Declared = (Code, Option<Code>);

/// The place of a declaration.
struct Declaration {
    at: usize,
    how: How,
    /// The block in which it stands.
    scope: usize,
}

enum How {
    /// The statement is the assignment that becomes one, or has it in its head.
    In,
    /// In front of the statement, with the variable's first value.
    WithValue,
    /// In front of the statement, without a value.
    WithoutValue,
}

/// The statements of a function with declarations of its local variables; those that no statement names have none.
pub(super) fn declare_where_used(statements: Vec<Statement>, locals: Vec<Local>) -> Vec<Statement> {
    let jumps = |s: &Statement| matches!(s, Statement::Goto(_) | Statement::Label(_));
    let (blocks, mentions) = find_mentions(&statements, &by_name(&locals), locals.len());
    // A jump could pass over a declaration.
    let jumps = statements.iter().any(jumps);
    let mut before: HashMap<usize, Vec<Declared>> = HashMap::new();
    let mut within: HashMap<usize, Code> = HashMap::new();
    let mut scopes: Vec<Scopes> = Vec::new();
    for (local, mentions) in locals.into_iter().zip(mentions) {
        if mentions.is_empty() {
            continue;
        }
        let places = match jumps {
            true => vec![Declaration {
                at: 0,
                how: How::WithValue,
                scope: ROOT,
            }],
            false => places_of(&blocks, &statements, &local.name, mentions),
        };
        let ends = |place: &Declaration| (place.at, blocks.all[place.scope].end);
        scopes.push((local.clone(), places.iter().map(ends).collect()));
        for Declaration { at, how, .. } in places {
            let declared = local.declared.clone();
            let first = match how {
                How::In => {
                    within.insert(at, declared);
                    continue;
                }
                How::WithValue => Some(local.first.clone()),
                How::WithoutValue => None,
            };
            let at = in_front(&statements, at);
            before.entry(at).or_default().push((declared, first));
        }
    }
    let mut made = Vec::with_capacity(statements.len() + before.len());
    for (at, statement) in statements.into_iter().enumerate() {
        made.extend(lines(before.remove(&at).unwrap_or_default()));
        made.push(match within.remove(&at) {
            Some(declared) => with_declaration(statement, &declared),
            None => statement,
        });
    }
    let new = shared_names(scopes);
    made.into_iter().map(|s| s.renamed(&new)).collect()
}

/// A variable, and the statements from which to which it is declared.
type Scopes = (Local, Vec<(usize, usize)>);

/// Shorter names: variables of one name but for a number, such as `i` and `i_2`, share it if the scope of none begins
/// in that of another.
fn shared_names(all: Vec<Scopes>) -> HashMap<Name, Name> {
    fn base(name: &str) -> Option<&str> {
        let (base, number) = name.rsplit_once('_')?;
        (!number.is_empty() && number.bytes().all(|c| c.is_ascii_digit())).then_some(base)
    }
    // The ends of scopes by their beginnings, for each name that is a variable's own.
    let mut taken: HashMap<Name, BTreeMap<usize, usize>> = HashMap::new();
    for (local, scopes) in &all {
        taken.insert(local.name.clone(), scopes.iter().copied().collect());
    }
    let mut new = HashMap::new();
    for (local, scopes) in all {
        let Some((base, others)) = base(&local.name).and_then(|base| taken.get_key_value(base))
        else {
            continue;
        };
        let overlaps = |&(from, to): &(usize, usize)| {
            let before = others.range(..=to).next_back();
            before.is_some_and(|(_, &end)| end >= from)
        };
        if scopes.iter().any(overlaps) {
            continue;
        }
        let base = base.clone();
        taken.entry(base.clone()).or_default().extend(scopes);
        new.extend(local.renamed(&base));
    }
    new
}

impl Local {
    /// The names of the variable and its members, and those that they have if the variable has another name.
    pub(super) fn renamed<'l>(&'l self, to: &'l Name) -> impl Iterator<Item = (Name, Name)> + 'l {
        let members = self.members.iter().filter_map(move |member| {
            let member_of = member.strip_prefix(&*self.name)?;
            Some((member.clone(), format!("{to}{member_of}").into()))
        });
        [(self.name.clone(), to.clone())].into_iter().chain(members)
    }
}

/// The variables by their names and those of their members.
pub(super) fn by_name(locals: &[Local]) -> HashMap<Name, usize> {
    let all = locals.iter().enumerate();
    let names = all.flat_map(|(k, local)| {
        let names = local.members.iter().chain([&local.name]);
        names.map(move |name| (name.clone(), k))
    });
    names.collect()
}

/// The places at which a variable is declared: one, or one in each of several blocks that share no value.
fn places_of(
    blocks: &Blocks,
    statements: &[Statement],
    name: &Name,
    mentions: Vec<Mention>,
) -> Vec<Declaration> {
    let whole = mentions.clone();
    let mut places = Vec::new();
    // Mentions in one block, as far as they have no place yet.
    let mut open = vec![mentions];
    while let Some(some) = open.pop() {
        // Compilers complain of a variable that nothing reads.
        if !some.iter().any(|mention| mention.reads) {
            return vec![with_value(blocks, &whole)];
        }
        let scope = blocks.around_all(&some);
        if let Some(place) = first_value(blocks, statements, name, scope, some[0]) {
            places.push(place);
            continue;
        }
        let mut parts: Vec<(usize, Vec<Mention>)> = Vec::new();
        for mention in some {
            // The expressions of a head are named in front of each part.
            if mention.block == scope {
                return vec![with_value(blocks, &whole)];
            }
            let part = blocks.child_of(scope, mention.block);
            match parts.last_mut() {
                Some((of, some)) if *of == part => some.push(mention),
                _ => parts.push((part, vec![mention])),
            }
        }
        open.extend(parts.into_iter().map(|(_, part)| part));
    }
    places
}

/// The assignment that gives a variable its value before anything else in the block around all mentions, of which this
/// is the first one.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "other statements assign nothing"
)]
fn first_value(
    blocks: &Blocks,
    statements: &[Statement],
    name: &Name,
    scope: usize,
    mention: Mention,
) -> Option<Declaration> {
    let (block, first) = (mention.block, mention.statement);
    let is_head = matches!(statements[first], Statement::For(..));
    let begins = match &statements[first] {
        Statement::Expression(code) => Some(code),
        Statement::For(begin, ..) => begin.as_ref(),
        _ => None,
    };
    if !begins.is_some_and(|code| code.assigns(name)) {
        return None;
    }
    let Block {
        kind,
        parent,
        opener,
        ..
    } = blocks.all[block];
    match kind {
        Kind::Braces if scope == block && !is_head => Some(How::In),
        Kind::For if scope == block && is_head => Some(How::In),
        Kind::For if is_head && opener == first && scope == parent => {
            (blocks.all[parent].kind == Kind::Braces).then_some(How::WithoutValue)
        }
        Kind::Braces | Kind::For | Kind::Switch | Kind::Alone => None,
    }
    .map(|how| Declaration {
        at: first,
        how,
        scope,
    })
}

/// The declaration with a value of a variable that may keep its value from one pass of a loop to the next.
fn with_value(blocks: &Blocks, mentions: &[Mention]) -> Declaration {
    let mut scope = blocks.around_all(mentions);
    while blocks.all[scope].looped || blocks.all[scope].kind != Kind::Braces {
        scope = blocks.all[scope].parent;
    }
    Declaration {
        at: blocks.statement_in(scope, mentions[0]),
        how: How::WithValue,
        scope,
    }
}

/// The statement before which a line is put that shall stand in front of another one: conditions, origins and hints for
/// compilers stay next to their statement.
fn in_front(statements: &[Statement], mut at: usize) -> usize {
    let stays = |s: &Statement| matches!(s, Statement::Mark(_) | Statement::Text(_));
    while at > 0 && stays(&statements[at - 1]) {
        at -= 1;
    }
    at
}

/// The assignment, or that in the head of a loop, as a declaration.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "other statements assign nothing"
)]
fn with_declaration(statement: Statement, declared: &Code) -> Statement {
    match statement {
        Statement::Expression(code) => Statement::Expression(code.with_target(declared)),
        Statement::For(Some(begin), more, alone) => {
            Statement::For(Some(begin.with_target(declared)), more, alone)
        }
        other => other,
    }
}

/// Declarations that stand at one place: those of one type with first values share lines.
fn lines(variables: Vec<Declared>) -> Vec<Statement> {
    let mut groups: Vec<Vec<Declared>> = Vec::new();
    for variable in variables {
        let fits = |some: &&mut Vec<Declared>| {
            let (declared, first) = &some[0];
            first.is_some() == variable.1.is_some() && declared.has_declaration_of(&variable.0)
        };
        match groups.iter_mut().find(fits) {
            Some(some) => some.push(variable),
            None => groups.push(vec![variable]),
        }
    }
    let mut made = Vec::new();
    for chunk in groups.iter().flat_map(|some| some.chunks(MOST_IN_LINE)) {
        let items = chunk.iter().enumerate().map(|(k, (declared, first))| {
            let name = match k {
                0 => declared.clone(),
                _ => declared.clone().undeclared(),
            };
            match first {
                Some(first) => name.set(first.clone()),
                None => name,
            }
        });
        let line = items.reduce(|x, y| x.with(Infix::Comma, y));
        made.extend(line.map(Statement::from));
    }
    made
}

#[cfg(test)]
mod tests {
    use super::{Local, declare_where_used};
    use crate::c::{
        lines::{Lines, Statement},
        operators::{Code, Infix},
    };
    use cfg_core::ir::ScalarType::Integer;

    fn name(name: &str) -> Code {
        Code::name(name, Integer)
    }

    fn set(target: &str, value: impl Into<Code>) -> Statement {
        name(target).set(value).into()
    }

    fn read(of: &str) -> Statement {
        Code::call("f", [name(of)], Integer).into()
    }

    fn count(index: &str) -> Statement {
        let rest = [
            name(index).is(Infix::Lt, 9),
            name(index).with(Infix::AddTo, 1),
        ];
        Statement::For(Some(name(index).set(0)), rest.into(), false)
    }

    /// The lines of statements in which x and y are local variables.
    fn text(statements: Vec<Statement>) -> String {
        let local = |of: &str| Local {
            name: of.into(),
            members: Vec::new(),
            declared: name(of).declared("int"),
            first: 7.into(),
        };
        let mut lines = Lines::new(0);
        lines.extend(declare_where_used(statements, vec![local("x"), local("y")]));
        let text = lines.into_text();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        lines.join(" ")
    }

    #[test]
    fn first_values_are_declarations() {
        assert_eq!(text(vec![set("x", 1), read("x")]), "int x = 1; f(x);");
        assert_eq!(
            text(vec![read("x"), set("x", name("y")), set("x", 2)]),
            "int x = 7; f(x); int y = 7; x = y; x = 2;"
        );
        let loops = vec![count("x"), set("y", name("x")), read("y"), Statement::End];
        assert_eq!(
            text(loops),
            "for (int x = 0; x < 9; x += 1) { int y = x; f(y); }"
        );
    }

    /// A variable that a pass reads first has the value of the pass before.
    #[test]
    fn values_stay_from_pass_to_pass() {
        let kept = vec![
            Statement::Forever,
            Statement::If(name("a")),
            read("x"),
            set("x", 1),
            Statement::End,
            Statement::End,
        ];
        assert_eq!(
            text(kept),
            "int x = 7; for (;;) { if (a) { f(x); x = 1; } }"
        );
        // Under a condition it may have that value, too.
        let guarded = vec![
            Statement::Forever,
            Statement::Guard(name("a")),
            set("x", 1),
            read("x"),
            Statement::End,
        ];
        assert_eq!(text(guarded), "int x = 7; for (;;) { if (a) x = 1; f(x); }");
        // The condition behind a body is outside of it.
        let last = vec![
            Statement::Forever,
            Statement::Do,
            set("x", 1),
            Statement::EndDo(name("x")),
            Statement::End,
        ];
        assert_eq!(
            text(last),
            "int x = 7; for (;;) { do { x = 1; } while (x); }"
        );
    }

    /// Blocks that share no value have variables of their own.
    #[test]
    fn blocks_share_no_variable_for_nothing() {
        let arms = |in_second: Statement| {
            vec![
                Statement::If(name("a")),
                set("x", 1),
                read("x"),
                Statement::Else,
                in_second,
                read("x"),
                Statement::End,
            ]
        };
        assert_eq!(
            text(arms(set("x", 2))),
            "if (a) { int x = 1; f(x); } else { int x = 2; f(x); }"
        );
        assert_eq!(
            text(arms(read("x"))),
            "int x = 7; if (a) { x = 1; f(x); } else { f(x); f(x); }"
        );
    }

    /// Variables of one name but for a number share it where their scopes are apart.
    #[test]
    fn numbers_go_where_scopes_are_apart() {
        let locals = |names: &[&str]| {
            let local = |of: &&str| Local {
                name: (*of).into(),
                members: Vec::new(),
                declared: name(of).declared("int"),
                first: 7.into(),
            };
            names.iter().map(local).collect::<Vec<_>>()
        };
        let text = |statements: Vec<Statement>| {
            let mut lines = Lines::new(0);
            let locals = locals(&["i", "i_2", "i_3"]);
            lines.extend(declare_where_used(statements, locals));
            lines.into_text().replace(['\n', ' '], "")
        };
        let one = |i: &str| vec![count(i), read(i), Statement::End];
        let apart = text([one("i"), one("i_2"), one("i_3")].concat());
        assert_eq!(apart, "for(inti=0;i<9;i+=1){f(i);}".repeat(3));
        let mut nested = vec![count("i"), read("i")];
        nested.extend(one("i_2"));
        nested.push(Statement::End);
        nested.extend(one("i_3"));
        assert_eq!(
            text(nested),
            "for(inti=0;i<9;i+=1){f(i);for(inti_2=0;i_2<9;i_2+=1){f(i_2);}}for(inti=0;i<9;i+=1){f(i);}"
        );
    }

    /// The index that is read behind a loop has no value in front of it; jumps pass over no declaration.
    #[test]
    fn indices_and_jumps() {
        let behind = vec![count("x"), read("x"), Statement::End, read("x")];
        assert_eq!(
            text(behind),
            "int x; for (x = 0; x < 9; x += 1) { f(x); } f(x);"
        );
        let jump = vec![
            Statement::Goto("end".into()),
            set("x", 1),
            read("x"),
            Statement::Label("end".into()),
        ];
        assert_eq!(text(jump), "int x = 7; goto end; x = 1; f(x); end:;");
        let cases = vec![
            Statement::Switch(name("a")),
            Statement::Case(1),
            set("x", 1),
            read("x"),
            Statement::Break,
            Statement::End,
        ];
        assert_eq!(
            text(cases),
            "int x = 7; switch (a) { case 1: x = 1; f(x); break; }"
        );
    }
}
