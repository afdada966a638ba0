//! COMMON blocks that comments name: each routine has symbols of its own for the members, in the order of its
//! declaration. Where the declarations differ the members are laid out in bytes, and what lies over each
//! other is one storage. Cells of different types never are: a program that reads a cell as another type than
//! it was written is refused, any other computes the same with a storage for each type.

use crate::xaif::read::{
    model::{Model, SymbolId, SymbolType},
    scan::Scan,
    xml::{At, Document, El},
};
use cfg_core::ir::ScalarType;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The declarations of each block, in the order of the document.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    pub(crate) declarations: BTreeMap<String, Vec<Vec<SymbolId>>>,
    members: HashSet<SymbolId>,
}

impl Blocks {
    pub(crate) fn collect(doc: &Document<'_>, model: &Model) -> Self {
        let mut blocks = Self::default();
        let mut current: Option<(String, Vec<SymbolId>)> = None;
        // In the order of the numbers; without numbers, in that of the document.
        let mut order: Vec<(usize, i64, SymbolId)> = (0..model.symbols.len())
            .map(|s| (model.symbols[s].scope, model.number(doc, s).unwrap_or(0), s))
            .collect();
        order.sort_unstable();
        for (scope, _, s) in order {
            let symbol = &model.symbols[s];
            let first = doc.common_block(symbol.node).filter(|_| symbol.variable);
            let follows = current.as_ref().is_some_and(|(_, members)| {
                let last = members[members.len() - 1];
                let next = model.number(doc, last).map(|n| n.saturating_add(1));
                symbol.variable
                    && model.symbols[last].scope == scope
                    && next == model.number(doc, s)
            });
            if first.is_some() || !follows {
                blocks.close(current.take());
            }
            match (first, &mut current) {
                (Some(name), _) => current = Some((name.to_owned(), vec![s])),
                (None, Some((_, members))) => members.push(s),
                (None, None) => {}
            }
        }
        blocks.close(current);
        blocks
    }

    fn close(&mut self, block: Option<(String, Vec<SymbolId>)>) {
        if let Some((name, members)) = block {
            self.members.extend(&members);
            self.declarations.entry(name).or_default().push(members);
        }
    }

    /// True of members of blocks.
    pub(crate) fn contains(&self, s: SymbolId) -> bool {
        self.members.contains(&s)
    }
}

/// True if declarations differ in names only.
pub(crate) fn same(model: &Model, declarations: &[&Vec<SymbolId>]) -> bool {
    declarations.windows(2).all(|pair| {
        pair[0].len() == pair[1].len()
            && pair[0]
                .iter()
                .zip(pair[1])
                .all(|(&a, &b)| model.are_alike(a, b))
    })
}

/// A member in its block.
#[derive(Clone, Copy, Debug)]
struct Member {
    symbol: SymbolId,
    ty: ScalarType,
    /// Bytes of an element.
    width: i64,
    from: i64,
    to: i64,
}

/// Members of one type that share cells: each with its offset in elements, and the number of elements of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cluster {
    pub(crate) block: String,
    pub(crate) ty: ScalarType,
    pub(crate) cells: i64,
    pub(crate) members: Vec<(SymbolId, i64, i64)>,
}

/// The storages that members of a block share.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// Members that are the same cells under the same shape.
    pub(crate) same: Vec<Vec<SymbolId>>,
    /// Members that share cells otherwise. The first member of each list of [`Layout::same`] stands for all.
    pub(crate) clusters: Vec<Cluster>,
}

/// The reason for which members cannot be laid out.
pub(crate) struct Conflict {
    pub(crate) symbol: SymbolId,
    pub(crate) why: String,
}

/// Bytes of an element, if the document tells.
fn width(doc: &Document<'_>, model: &Model, s: SymbolId) -> Option<(ScalarType, i64)> {
    let symbol = &model.symbols[s];
    let SymbolType::Scalar(ty) = symbol.ty else {
        return None;
    };
    let fe_type = doc.attr(symbol.node, At::FeType)?;
    let bytes = fe_type.get(1..)?.parse().ok()?;
    matches!(bytes, 1 | 2 | 4 | 8).then_some((ty, bytes))
}

/// Lays out a declaration; `None` if a type or a bound is not known, or if it is not clear where a member
/// starts, because compilers disagree whether they leave a gap before it.
fn lay_out(doc: &Document<'_>, model: &Model, declaration: &[SymbolId]) -> Option<Vec<Member>> {
    let mut at = 0i64;
    let mut members = Vec::with_capacity(declaration.len());
    for &symbol in declaration {
        let (ty, width) = width(doc, model, symbol)?;
        let s = &model.symbols[symbol];
        if s.bounds.len() != s.rank || at % width != 0 {
            return None;
        }
        let elements = s.bounds.iter().try_fold(1i64, |n, &(lower, upper)| {
            let extent = upper?.checked_sub(lower)?.checked_add(1)?.max(0);
            n.checked_mul(extent)
        })?;
        let to = at.checked_add(elements.checked_mul(width)?)?;
        members.push(Member {
            symbol,
            ty,
            width,
            from: at,
            to,
        });
        at = to;
    }
    Some(members)
}

/// Lays out a block of which declarations differ; `None` if that is not possible: then members are matched by name.
pub(crate) fn layout(
    doc: &Document<'_>,
    model: &Model,
    scan: &Scan,
    name: &str,
    declarations: &[&Vec<SymbolId>],
    used: impl Fn(SymbolId) -> bool,
) -> Option<Result<Layout, Conflict>> {
    let mut members = Vec::new();
    let mut length = None;
    for declaration in declarations {
        let list = lay_out(doc, model, declaration)?;
        let end = list.last()?.to;
        // A named block has one length. If not, a member that a routine does not use may be missing.
        if *length.get_or_insert(end) != end {
            return None;
        }
        members.extend(list.into_iter().filter(|m| used(m.symbol) && m.to > m.from));
    }
    let mut by_type: BTreeMap<(ScalarType, i64), Vec<Member>> = BTreeMap::new();
    for &member in &members {
        by_type
            .entry((member.ty, member.width))
            .or_default()
            .push(member);
    }
    if by_type.len() > 1
        && let Some(conflict) = reinterpreted(doc, model, scan, &by_type)
    {
        return Some(Err(conflict));
    }
    let mut layout = Layout::default();
    for mut list in by_type.into_values() {
        list.sort_by_key(|m| (m.from, std::cmp::Reverse(m.to), m.symbol));
        one_type(model, name, &list, &mut layout);
    }
    Some(Ok(layout))
}

/// Members of one type, in order of their places.
fn one_type(model: &Model, name: &str, list: &[Member], layout: &mut Layout) {
    let mut rest = list;
    while let Some(first) = rest.first() {
        let mut end = first.to;
        let count = rest
            .iter()
            .take_while(|m| {
                let inside = m.from < end;
                end = if inside { end.max(m.to) } else { end };
                inside
            })
            .count();
        let (cluster, later) = rest.split_at(count.max(1));
        rest = later;
        let mut leaders: Vec<(Member, Vec<SymbolId>)> = Vec::new();
        for member in cluster {
            // Members at one place are neighbours. A shape that is not among the last ones gets a storage over the
            // same cells, which is the same to the program.
            let found = leaders.iter_mut().rev().take(8).find(|(l, _)| {
                (l.from, l.to) == (member.from, member.to)
                    && model.are_alike(l.symbol, member.symbol)
            });
            match found {
                Some((_, group)) => group.push(member.symbol),
                None => leaders.push((*member, vec![member.symbol])),
            }
        }
        if leaders.len() > 1 {
            layout.clusters.push(Cluster {
                block: name.to_owned(),
                ty: first.ty,
                cells: (end - first.from) / first.width,
                members: leaders
                    .iter()
                    .map(|(l, _)| {
                        let at = (l.from - first.from) / first.width;
                        (l.symbol, at, (l.to - l.from) / l.width)
                    })
                    .collect(),
            });
        }
        layout
            .same
            .extend(leaders.into_iter().map(|l| l.1).filter(|g| g.len() > 1));
    }
}

/// A member that is read where one of another type is written.
fn reinterpreted(
    doc: &Document<'_>,
    model: &Model,
    scan: &Scan,
    by_type: &BTreeMap<(ScalarType, i64), Vec<Member>>,
) -> Option<Conflict> {
    let (read, written) = accesses(doc, model, scan);
    // A sweep over the ends of intervals: at each point the set of types in which the cell is written.
    let mut events: Vec<(i64, bool, usize, Member)> = Vec::new();
    for (k, list) in by_type.values().enumerate() {
        for &m in list {
            events.push((m.from, true, k, m));
            events.push((m.to, false, k, m));
        }
    }
    events.sort_by_key(|&(at, starts, _, m)| (at, starts, m.symbol));
    let mut readers: Vec<BTreeSet<SymbolId>> = vec![BTreeSet::new(); by_type.len()];
    let mut writers = readers.clone();
    for (_, starts, k, m) in events {
        for (set, of) in [(&read, &mut readers), (&written, &mut writers)] {
            if set.contains(&m.symbol) {
                if starts {
                    of[k].insert(m.symbol);
                } else {
                    of[k].remove(&m.symbol);
                }
            }
        }
        if !starts {
            continue;
        }
        for other in (0..by_type.len()).filter(|&o| o != k) {
            for (reader, writer) in [(k, other), (other, k)] {
                if let (Some(&r), Some(&w)) = (readers[reader].first(), writers[writer].first()) {
                    let why = format!(
                        "it is read where {}, which has another type, is written",
                        model.symbols[w].id
                    );
                    return Some(Conflict { symbol: r, why });
                }
            }
        }
    }
    None
}

/// Symbols that are read, and symbols that are written; an argument counts as read.
fn accesses(
    doc: &Document<'_>,
    model: &Model,
    scan: &Scan,
) -> (HashSet<SymbolId>, HashSet<SymbolId>) {
    let (mut read, mut written) = (HashSet::new(), HashSet::new());
    for (decl, routine) in model.routines.iter().zip(&scan.routines) {
        written.extend(routine.written.iter().chain(&routine.side_effects));
        for call in &routine.calls {
            for &(i, symbol, _) in &call.arguments {
                if scan.writes_formal[call.callee].get(i) == Some(&true) {
                    written.extend(symbol);
                }
            }
        }
        for n in doc.subtree(decl.node) {
            if doc.name(n) == El::VariableReference {
                let symbols = doc.children(n).filter_map(|s| scan.symbol.get(&s));
                read.extend(symbols);
            }
        }
    }
    (read, written)
}
