//! The declarations of a document: scopes, symbols, alias and use-definition sets, routines.

pub(crate) mod strings;

use crate::xaif::{
    codes,
    notation::spelling::rank_of,
    read::xml::{At, Document, El, NodeId},
};
use cfg_core::{
    diagnostic::{CodeInfo, Diagnostic, Diagnostics},
    ir::ScalarType,
};
use std::collections::{HashMap, HashSet};

/// Position in [`Model::symbols`].
pub(crate) type SymbolId = usize;
/// Position in [`Model::scopes`].
pub(crate) type ScopeId = usize;

/// Collects problems; a document with thousands of them is not worth reporting in full.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    pub(crate) found: Diagnostics,
    errors: usize,
}

impl Sink {
    const MOST: usize = 100;

    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity == cfg_core::diagnostic::Severity::Error {
            self.errors += 1;
        }
        if self.found.0.len() < Self::MOST {
            self.found.push(diagnostic);
        }
    }

    pub(crate) fn failed(&self) -> bool {
        self.errors > 0
    }
}

/// A scope of the hierarchy.
#[derive(Debug)]
pub(crate) struct Scope {
    pub(crate) id: i64,
    pub(crate) parent: Option<ScopeId>,
    /// The routine whose own scope it is.
    pub(crate) routine: Option<usize>,
    /// The routine in whose scope it lies: its own or one around it.
    pub(crate) owner: Option<usize>,
}

/// The type of a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SymbolType {
    /// A type that can be computed with.
    Scalar(ScalarType),
    /// A type that is not supported, as the document calls it.
    Unsupported(String),
}

/// A declared symbol.
#[derive(Debug)]
pub(crate) struct Symbol {
    pub(crate) id: String,
    pub(crate) scope: ScopeId,
    pub(crate) node: NodeId,
    pub(crate) ty: SymbolType,
    pub(crate) rank: usize,
    /// Lower and upper bounds, first dimension first; empty if the document does not show them.
    pub(crate) bounds: Vec<(i64, Option<i64>)>,
    pub(crate) active: bool,
    pub(crate) variable: bool,
    /// A formal string, which is an integer to the program.
    pub(crate) string: bool,
}

/// A routine with a graph.
#[derive(Debug)]
pub(crate) struct RoutineDecl {
    pub(crate) node: NodeId,
    pub(crate) symbol: String,
    pub(crate) scope: ScopeId,
    /// Formals in order of position, with the element that declares each; those of types that are not
    /// computed with are left out.
    pub(crate) formals: Vec<(SymbolId, NodeId)>,
    /// The place in `formals` of each position.
    slots: Vec<Option<usize>>,
    pub(crate) structured: bool,
}

impl RoutineDecl {
    /// The place in `formals` of an argument position; `None` inside if it is left out, outside if there
    /// is no such position.
    pub(crate) fn slot(&self, position: i64) -> Option<Option<usize>> {
        let i = usize::try_from(position.checked_sub(1)?).ok()?;
        self.slots.get(i).copied()
    }
}

/// Everything that a document declares.
#[derive(Debug, Default)]
pub(crate) struct Model {
    pub(crate) scopes: Vec<Scope>,
    pub(crate) symbols: Vec<Symbol>,
    pub(crate) routines: Vec<RoutineDecl>,
    /// The string constants of the document in order.
    pub(crate) strings: Vec<String>,
    /// The module of each scope that is one's.
    pub(crate) modules: HashMap<ScopeId, String>,
    /// The symbols of modules, with the scopes that declare them.
    pub(crate) module_symbols: HashSet<(ScopeId, String)>,
    scope_by_id: HashMap<i64, ScopeId>,
    symbol_by_name: HashMap<(ScopeId, String), SymbolId>,
    routine_by_symbol: HashMap<(ScopeId, String), usize>,
    /// Ranges of virtual addresses: from, to, partial.
    pub(crate) aliases: HashMap<i64, Vec<(i64, i64, bool)>>,
    /// Statements that reach a use (or are reached by a definition).
    pub(crate) chains: HashMap<i64, Vec<i64>>,
}

/// A whole number in an attribute.
pub(crate) fn int_attribute(doc: &Document<'_>, n: NodeId, at: At, sink: &mut Sink) -> Option<i64> {
    let Some(text) = doc.attr(n, at) else {
        sink.push(doc.error(
            n,
            &codes::ATTRIBUTE,
            format!("attribute {} is missing", at.text()),
            format!("add {}=\"...\"", at.text()),
        ));
        return None;
    };
    match text.trim().parse() {
        Ok(value) => Some(value),
        Err(_) => {
            sink.push(doc.error(
                n,
                &codes::ATTRIBUTE,
                format!("{}=\"{text}\" is not a whole number", at.text()),
                "write a whole decimal number",
            ));
            None
        }
    }
}

/// An id in an attribute: a number or a name.
pub(crate) fn id_attribute(doc: &Document<'_>, n: NodeId, at: At, sink: &mut Sink) -> Option<i64> {
    let found = doc.id(n, at);
    if found.is_none() {
        let message = match doc.attr(n, at) {
            Some(text) => format!("{}=\"{text}\" is no id", at.text()),
            None => format!("attribute {} is missing", at.text()),
        };
        sink.push(doc.error(
            n,
            &codes::ATTRIBUTE,
            message,
            format!("write {}=\"...\", a name or a number below 2^52", at.text()),
        ));
    }
    found
}

/// A text attribute that must be there.
pub(crate) fn text_attribute(
    doc: &Document<'_>,
    n: NodeId,
    at: At,
    sink: &mut Sink,
) -> Option<String> {
    let value = doc.attr(n, at);
    if value.is_none() {
        sink.push(doc.error(
            n,
            &codes::ATTRIBUTE,
            format!("attribute {} is missing", at.text()),
            format!("add {}=\"...\"", at.text()),
        ));
    }
    value.map(|v| v.into_owned())
}

/// "unexpected element" for children that do not belong where they are.
pub(crate) fn unexpected_element(doc: &Document<'_>, n: NodeId) -> Diagnostic {
    let around = doc.parent(n).map_or("document", |p| doc.name(p).text());
    doc.error(
        n,
        &codes::ELEMENT,
        format!(
            "<{}> inside <{around}> is not supported",
            doc.name(n).text()
        ),
        "see `cfgrev explain xaif` for what is read",
    )
}

fn duplicate(doc: &Document<'_>, n: NodeId, info: &CodeInfo, what: &str) -> Diagnostic {
    doc.error(
        n,
        info,
        format!("{what} is declared twice"),
        "number the second one differently",
    )
}

impl Model {
    /// Reads the declarations of a document.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other elements of XAIF are treated alike"
    )]
    pub(crate) fn read(doc: &Document<'_>, sink: &mut Sink) -> Self {
        let mut model = Self::default();
        let root = doc.root();
        if doc.name(root) != El::CallGraph {
            sink.push(doc.error(
                root,
                &codes::NOT_XAIF,
                format!("the root element is <{}>", doc.name(root).text()),
                "the root of an XAIF document is <xaif:CallGraph>",
            ));
            return model;
        }
        for section in doc.children(root) {
            match doc.name(section) {
                El::ScopeHierarchy => model.scopes(doc, section, sink),
                El::AliasSetMap => model.alias_sets(doc, section, sink),
                El::DUUDSetMap => model.chain_sets(doc, section, sink),
                El::ControlFlowGraph => {}
                // Call edges repeat what the calls say; DO chains serve another analysis.
                El::DOSetMap | El::CallGraphEdge => {}
                _ => sink.push(unexpected_element(doc, section)),
            }
        }
        strings::formals(doc, &mut model);
        for section in doc.children(root) {
            if doc.name(section) == El::ControlFlowGraph {
                model.routine(doc, section, sink);
            }
        }
        model.owners();
        if model.routines.is_empty() && !sink.failed() {
            sink.push(doc.error(
                root,
                &codes::NOT_XAIF,
                "no ControlFlowGraph of the document has vertices",
                "a document has at least one routine",
            ));
        }
        model
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other elements of XAIF are treated alike"
    )]
    fn scopes(&mut self, doc: &Document<'_>, hierarchy: NodeId, sink: &mut Sink) {
        for scope in doc.children(hierarchy) {
            if doc.name(scope) != El::Scope {
                continue;
            }
            let Some(id) = id_attribute(doc, scope, At::VertexId, sink) else {
                continue;
            };
            let index = self.scopes.len();
            if self.scope_by_id.insert(id, index).is_some() {
                sink.push(duplicate(
                    doc,
                    scope,
                    &codes::DUPLICATE,
                    &format!("scope {id}"),
                ));
            }
            self.scopes.push(Scope {
                id,
                parent: None,
                routine: None,
                owner: None,
            });
            for table in doc.children(scope) {
                if doc.name(table) != El::SymbolTable {
                    sink.push(unexpected_element(doc, table));
                    continue;
                }
                for symbol in doc.children(table) {
                    if doc.name(symbol) == El::Symbol {
                        self.symbol(doc, symbol, index, sink);
                    } else {
                        sink.push(unexpected_element(doc, symbol));
                    }
                }
            }
        }
        for edge in doc.children(hierarchy) {
            match doc.name(edge) {
                El::Scope => {}
                El::ScopeEdge => {
                    let source = self.scope_of(doc, edge, At::Source, sink);
                    let target = self.scope_of(doc, edge, At::Target, sink);
                    if let (Some(source), Some(target)) = (source, target)
                        && self.scopes[source].parent.replace(target).is_some()
                    {
                        sink.push(duplicate(
                            doc,
                            edge,
                            &codes::DUPLICATE,
                            "the scope around this one",
                        ));
                    }
                }
                _ => sink.push(unexpected_element(doc, edge)),
            }
        }
        // Parents must not form a cycle: each scope is looked at once.
        let mut state = vec![0u8; self.scopes.len()];
        for start in 0..self.scopes.len() {
            let mut path = Vec::new();
            let mut at = Some(start);
            while let Some(scope) = at {
                match state[scope] {
                    0 => {
                        state[scope] = 1;
                        path.push(scope);
                        at = self.scopes[scope].parent;
                    }
                    1 => {
                        sink.push(doc.error(
                            hierarchy,
                            &codes::SYMBOL,
                            format!("scope {} lies inside of itself", self.scopes[scope].id),
                            "the scopes form a tree: remove a ScopeEdge",
                        ));
                        self.scopes[scope].parent = None;
                        break;
                    }
                    _ => break,
                }
            }
            for scope in path {
                state[scope] = 2;
            }
        }
    }

    fn symbol(&mut self, doc: &Document<'_>, node: NodeId, scope: ScopeId, sink: &mut Sink) {
        let Some(id) = text_attribute(doc, node, At::SymbolId, sink) else {
            return;
        };
        let kind = doc.attr(node, At::Kind).unwrap_or("variable".into());
        let ty = doc.attr(node, At::Type).unwrap_or("void".into());
        let fe_type = doc.attr(node, At::FeType).unwrap_or_default();
        let shape = doc.attr(node, At::Shape).unwrap_or("scalar".into());
        let variable = kind == "variable";
        let rank = match rank_of(&shape) {
            Some(rank) => rank,
            None => {
                if variable {
                    sink.push(doc.error(
                        node,
                        &codes::ATTRIBUTE,
                        format!("shape=\"{shape}\" is not known"),
                        "write scalar, vector, matrix, three_tensor ... seven_tensor",
                    ));
                }
                0
            }
        };
        let mut bounds = Vec::new();
        for child in doc.children(node) {
            if doc.name(child) != El::DimensionBounds {
                sink.push(unexpected_element(doc, child));
                continue;
            }
            let lower = match doc.attr(child, At::Lower) {
                Some(_) => int_attribute(doc, child, At::Lower, sink),
                None => Some(1),
            };
            let upper = match doc.attr(child, At::Upper) {
                Some(u) if !u.trim().is_empty() => int_attribute(doc, child, At::Upper, sink),
                _ => None,
            };
            bounds.push((lower.unwrap_or(1), upper));
        }
        // The front end writes the bounds in the order of its own (row-major) arrays, references in
        // Fortran's: `T(1, 1:2)` refers to a symbol declared with bounds (1:2), (1:1).
        bounds.reverse();
        if variable && !bounds.is_empty() && bounds.len() != rank {
            if bounds.len() > rank {
                sink.push(doc.error(
                    node,
                    &codes::SHAPE,
                    format!(
                        "shape=\"{shape}\" has {rank} dimensions, but there are bounds of {}",
                        bounds.len()
                    ),
                    "give the bounds of every dimension, or none",
                ));
            }
            // Bounds of some dimensions only, and the document does not tell which: none is used.
            bounds.clear();
        }
        let index = self.symbols.len();
        if self
            .symbol_by_name
            .insert((scope, id.clone()), index)
            .is_some()
        {
            sink.push(duplicate(
                doc,
                node,
                &codes::DUPLICATE,
                &format!("symbol {id}"),
            ));
        }
        self.symbols.push(Symbol {
            ty: symbol_type(&ty, &fe_type),
            active: doc
                .attr(node, At::Active)
                .is_some_and(|a| a == "1" || a == "true"),
            id,
            scope,
            node,
            rank,
            bounds,
            variable,
            string: false,
        });
    }

    fn alias_sets(&mut self, doc: &Document<'_>, map: NodeId, sink: &mut Sink) {
        for set in doc.children(map) {
            if doc.name(set) != El::AliasSet {
                sink.push(unexpected_element(doc, set));
                continue;
            }
            let Some(key) = id_attribute(doc, set, At::Key, sink) else {
                continue;
            };
            let mut ranges = Vec::new();
            for range in doc.children(set) {
                if doc.name(range) != El::AliasRange {
                    sink.push(unexpected_element(doc, range));
                    continue;
                }
                let from = int_attribute(doc, range, At::From, sink);
                let to = int_attribute(doc, range, At::To, sink);
                let partial = doc.attr(range, At::Partial).is_some_and(|p| p == "1");
                if let (Some(from), Some(to)) = (from, to) {
                    ranges.push((from, to, partial));
                }
            }
            self.aliases.insert(key, ranges);
        }
    }

    fn chain_sets(&mut self, doc: &Document<'_>, map: NodeId, sink: &mut Sink) {
        for set in doc.children(map) {
            if doc.name(set) != El::StmtIdSet {
                sink.push(unexpected_element(doc, set));
                continue;
            }
            let Some(key) = id_attribute(doc, set, At::Key, sink) else {
                continue;
            };
            let ids = doc
                .children(set)
                .filter_map(|s| doc.id(s, At::IdRef))
                .collect();
            self.chains.insert(key, ids);
        }
    }

    fn routine(&mut self, doc: &Document<'_>, node: NodeId, sink: &mut Sink) {
        let Some(symbol) = text_attribute(doc, node, At::SymbolId, sink) else {
            return;
        };
        let symbol_scope = self.scope_of(doc, node, At::ScopeId, sink);
        let scope = self.scope_of(doc, node, At::CfgScope, sink);
        // Graphs without contents stand for modules.
        if doc.children(node).next().is_none() {
            if let Some(scope) = scope {
                self.modules.insert(scope, symbol.clone());
            }
            if let Some(scope) = symbol_scope {
                self.module_symbols.insert((scope, symbol));
            }
            return;
        }
        let (Some(symbol_scope), Some(scope)) = (symbol_scope, scope) else {
            return;
        };
        let index = self.routines.len();
        if self.scopes[scope].routine.replace(index).is_some() {
            sink.push(duplicate(
                doc,
                node,
                &codes::DUPLICATE,
                &format!("a routine of scope {}", self.scopes[scope].id),
            ));
        }
        let key = (symbol_scope, symbol.clone());
        if self.routine_by_symbol.insert(key, index).is_some() {
            sink.push(duplicate(
                doc,
                node,
                &codes::DUPLICATE,
                &format!("the routine {symbol}"),
            ));
        }
        let mut formals: Vec<(i64, SymbolId, NodeId)> = Vec::new();
        for list in doc.children(node) {
            if doc.name(list) != El::ArgumentList {
                continue;
            }
            for formal in doc.children(list) {
                if doc.name(formal) != El::ArgumentSymbolReference {
                    sink.push(unexpected_element(doc, formal));
                    continue;
                }
                let position = int_attribute(doc, formal, At::Position, sink);
                let target = self.reference(doc, formal, sink);
                if let (Some(position), Some(target)) = (position, target) {
                    formals.push((position, target, formal));
                }
            }
        }
        formals.sort_by_key(|f| f.0);
        for (i, f) in formals.iter().enumerate() {
            if f.0 != i as i64 + 1 {
                sink.push(doc.error(
                    f.2,
                    &codes::ATTRIBUTE,
                    format!("position=\"{}\" where {} is due", f.0, i + 1),
                    "number the formal arguments 1, 2, ...",
                ));
                break;
            }
        }
        let mut kept = Vec::with_capacity(formals.len());
        let mut slots = Vec::with_capacity(formals.len());
        for (_, symbol, formal) in formals {
            let computed = matches!(self.symbols[symbol].ty, SymbolType::Scalar(_));
            slots.push(computed.then_some(kept.len()));
            if computed {
                kept.push((symbol, formal));
            }
        }
        let structured = !doc
            .attr(node, At::Structured)
            .is_some_and(|s| s == "0" || s == "false");
        self.routines.push(RoutineDecl {
            node,
            symbol,
            scope,
            formals: kept,
            slots,
            structured,
        });
    }

    /// A formal `x(1)` with an index other than 1 is of the age before `x(*)`: its bounds are those of the
    /// actual argument.
    pub(crate) fn assume_sizes(&mut self, beyond: &std::collections::BTreeSet<SymbolId>) {
        for &symbol in beyond {
            self.symbols[symbol].bounds.clear();
        }
    }

    /// The scope that an attribute names.
    pub(crate) fn scope_of(
        &self,
        doc: &Document<'_>,
        n: NodeId,
        at: At,
        sink: &mut Sink,
    ) -> Option<ScopeId> {
        let id = id_attribute(doc, n, at, sink)?;
        let found = self.scope_by_id.get(&id).copied();
        if found.is_none() {
            sink.push(doc.error(
                n,
                &codes::SYMBOL,
                format!("there is no scope {id}"),
                "name a Scope of the ScopeHierarchy",
            ));
        }
        found
    }

    /// The symbol that an element with `scope_id` and `symbol_id` names.
    pub(crate) fn reference(
        &self,
        doc: &Document<'_>,
        n: NodeId,
        sink: &mut Sink,
    ) -> Option<SymbolId> {
        let scope = self.scope_of(doc, n, At::ScopeId, sink)?;
        let id = text_attribute(doc, n, At::SymbolId, sink)?;
        let found = self.symbol_by_name.get(&(scope, id.clone())).copied();
        if found.is_none() {
            sink.push(doc.error(
                n,
                &codes::SYMBOL,
                format!("scope {} has no symbol {id}", self.scopes[scope].id),
                "declare the symbol in the SymbolTable of the scope",
            ));
        }
        found
    }

    /// The routine that an element with `scope_id` and `symbol_id` names, if its graph is there.
    pub(crate) fn callee(&self, doc: &Document<'_>, n: NodeId, sink: &mut Sink) -> Option<usize> {
        let scope = self.scope_of(doc, n, At::ScopeId, sink)?;
        let id = text_attribute(doc, n, At::SymbolId, sink)?;
        let found = self.routine_by_symbol.get(&(scope, id.clone())).copied();
        if found.is_none() {
            sink.push(doc.error(
                n,
                &codes::CALL,
                format!("there is no ControlFlowGraph of {id}"),
                "add the graph of the routine, or remove the call",
            ));
        }
        found
    }

    /// Finds the owner of every scope; each scope is looked at once.
    fn owners(&mut self) {
        let mut done = vec![false; self.scopes.len()];
        for start in 0..self.scopes.len() {
            let mut path = Vec::new();
            let mut at = Some(start);
            let mut owner = None;
            while let Some(s) = at {
                if done[s] {
                    owner = self.scopes[s].owner;
                    break;
                }
                path.push(s);
                if let Some(routine) = self.scopes[s].routine {
                    owner = Some(routine);
                    break;
                }
                at = self.scopes[s].parent;
            }
            for s in path {
                done[s] = true;
                self.scopes[s].owner = owner;
            }
        }
    }
}

fn symbol_type(ty: &str, fe_type: &str) -> SymbolType {
    SymbolType::Scalar(match (ty, fe_type) {
        ("real", "" | "F8") => ScalarType::Real,
        ("real", "F4") => ScalarType::Real32,
        ("integer", "" | "I1" | "I2" | "I4" | "I8" | "U1" | "U2" | "U4" | "U8") => {
            ScalarType::Integer
        }
        ("bool", _) => ScalarType::Logical,
        (_, "") => return SymbolType::Unsupported(ty.to_owned()),
        _ => return SymbolType::Unsupported(format!("{ty} ({fe_type})")),
    })
}

impl Model {
    /// True if two symbols have one type and shape.
    pub(crate) fn are_alike(&self, a: SymbolId, b: SymbolId) -> bool {
        let (a, b) = (&self.symbols[a], &self.symbols[b]);
        a.ty == b.ty && a.rank == b.rank && a.bounds == b.bounds
    }

    /// The number in `{Sym_Id#N}`, which counts all symbols of a scope of the front end.
    pub(crate) fn number(&self, doc: &Document<'_>, s: SymbolId) -> Option<i64> {
        let text = doc.attr(self.symbols[s].node, At::Annotation)?;
        let rest = text.split("Sym_Id#").nth(1)?;
        rest.split('}').next()?.parse().ok()
    }

    /// True of variables that stand for parts of structures.
    pub(crate) fn is_part(&self, s: SymbolId) -> bool {
        let id = self.symbols[s].id.to_ascii_lowercase();
        id.starts_with("oascalref") || id.starts_with("scalarizedref")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xaif::codes;

    /// A hundred problems are kept; an error beyond these still makes the reading fail.
    #[test]
    fn problems_are_kept_up_to_a_number() {
        let error = || Diagnostic::error(&codes::LIMIT, "", "");
        let mut sink = Sink::default();
        for _ in 0..99 {
            sink.push(error().warning());
        }
        for kept in [100, 100] {
            sink.push(error());
            assert_eq!(sink.found.0.len(), kept);
        }
        assert!(sink.failed());
        let mut warned = Sink::default();
        (0..100).for_each(|_| warned.push(error().warning()));
        assert!(!warned.failed());
        warned.push(error());
        assert!(warned.failed() && warned.found.0.len() == 100);
    }
}
