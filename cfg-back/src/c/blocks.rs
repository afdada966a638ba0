//! The blocks of a list of statements, and where these name variables.

use super::{lines::Statement, operators::Name};
use std::collections::HashMap;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Statements between braces, or the whole function.
    Braces,
    /// The head of a `for` with its body.
    For,
    /// Labels of a `switch` with their statements.
    Switch,
    /// One statement without braces.
    Alone,
}

#[derive(Clone, Copy)]
pub(super) struct Block {
    pub(super) kind: Kind,
    /// The block around it, and the statement there to which it belongs.
    pub(super) parent: usize,
    pub(super) opener: usize,
    pub(super) looped: bool,
    /// The statement with which it ends.
    pub(super) end: usize,
}

/// The blocks of a list of statements.
pub(super) struct Blocks {
    pub(super) all: Vec<Block>,
    /// The open ones, the innermost last.
    open: Vec<usize>,
}

/// The function itself.
pub(super) const ROOT: usize = 0;

impl Blocks {
    fn innermost(&self) -> usize {
        self.open.last().copied().unwrap_or(ROOT)
    }

    fn open(&mut self, kind: Kind, opener: usize, loops: bool) {
        let parent = self.innermost();
        let looped = loops || self.all[parent].looped;
        self.open.push(self.all.len());
        self.all.push(Block {
            kind,
            parent,
            opener,
            looped,
            end: usize::MAX,
        });
    }

    /// Ends the innermost block at a statement; its opener.
    fn close(&mut self, at: usize) -> usize {
        let Some(block) = self.open.pop() else {
            return 0;
        };
        self.all[block].end = at;
        self.all[block].opener
    }

    /// A statement has ended, and with it all that consists of this one statement.
    fn end_statement(&mut self, at: usize) {
        let heads = |kind| matches!(kind, Kind::Alone | Kind::For);
        while self.open.len() > 1 && heads(self.all[self.innermost()].kind) {
            self.close(at);
        }
    }

    /// The innermost block around two blocks.
    pub(super) fn around(&self, mut one: usize, mut other: usize) -> usize {
        // Blocks are numbered as they begin, so the one that is numbered later is not around the other.
        while one != other {
            match one > other {
                true => one = self.all[one].parent,
                false => other = self.all[other].parent,
            }
        }
        one
    }

    /// The innermost block around all mentions.
    pub(super) fn around_all(&self, mentions: &[Mention]) -> usize {
        let blocks = mentions.iter().map(|mention| mention.block);
        blocks
            .reduce(|one, other| self.around(one, other))
            .unwrap_or(ROOT)
    }

    /// The block directly in another one that a block is, or is inside of.
    pub(super) fn child_of(&self, scope: usize, mut block: usize) -> usize {
        while self.all[block].parent != scope {
            block = self.all[block].parent;
        }
        block
    }

    /// The statement of a block that is this statement of an inner block, or has it inside.
    pub(super) fn statement_in(&self, block: usize, mention: Mention) -> usize {
        let (mut inner, mut statement) = (mention.block, mention.statement);
        while inner != block {
            statement = self.all[inner].opener;
            inner = self.all[inner].parent;
        }
        statement
    }
}

/// A statement that names a variable.
#[derive(Clone, Copy)]
pub(super) struct Mention {
    pub(super) block: usize,
    pub(super) statement: usize,
    /// True if the statement reads the variable.
    pub(super) reads: bool,
}

/// The blocks of statements, and for each of so many variables where it is named.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "most statements neither begin nor end a block"
)]
pub(super) fn find_mentions(
    statements: &[Statement],
    by_name: &HashMap<Name, usize>,
    count: usize,
) -> (Blocks, Vec<Vec<Mention>>) {
    let root = Block {
        kind: Kind::Braces,
        parent: ROOT,
        opener: 0,
        looped: false,
        end: usize::MAX,
    };
    let mut blocks = Blocks {
        all: vec![root],
        open: vec![ROOT],
    };
    let mut mentions: Vec<Vec<Mention>> = vec![Vec::new(); count];
    for (at, statement) in statements.iter().enumerate() {
        // Expressions in the heads of blocks belong to what is around these.
        let opener = match statement {
            Statement::Else | Statement::ElseIf(_) | Statement::End | Statement::EndDo(_) => {
                blocks.close(at)
            }
            Statement::For(..) => {
                blocks.open(Kind::For, at, true);
                at
            }
            _ => at,
        };
        let block = blocks.innermost();
        let names = statement.names().map(|name| (name, false));
        let reads = statement.reads().into_iter().map(|name| (name, true));
        for (name, reads) in names.chain(reads) {
            if let Some(&k) = by_name.get(name) {
                mentions[k].push(Mention {
                    block,
                    statement: opener,
                    reads,
                });
            }
        }
        match statement {
            Statement::If(_) | Statement::Block => blocks.open(Kind::Braces, at, false),
            Statement::Else | Statement::ElseIf(_) => blocks.open(Kind::Braces, opener, false),
            Statement::While(_) | Statement::Forever | Statement::Do => {
                blocks.open(Kind::Braces, at, true);
            }
            Statement::For(_, _, alone) => {
                if !alone {
                    blocks.open(Kind::Braces, at, true);
                }
            }
            Statement::Switch(_) => blocks.open(Kind::Switch, at, false),
            Statement::Guard(_) | Statement::Otherwise => blocks.open(Kind::Alone, at, false),
            Statement::Mark(_) | Statement::Comment(_) | Statement::Text(_) => {}
            _ => blocks.end_statement(at),
        }
    }
    (blocks, mentions)
}
