//! Things that routines share: global variables, which lie over each other where COMMON says so, and names of
//! parameters.

use super::shapes;
use crate::xaif::{
    notation::{
        annotations::xaif_annotations,
        names::{fresh_name, short_name},
    },
    read::{
        model::{Model, Sink, SymbolId, SymbolType},
        scan::{Home, Scan, common::Cluster, storage::Storage},
        xml::{Document, El},
    },
};
use cfg_core::{
    entity::GlobalId,
    ir::{Dim, Expr, Global, Order, Overlay, Program, Role, Variable},
};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Routines that some expression calls.
pub(crate) fn functions(doc: &Document<'_>, scan: &Scan) -> BTreeSet<usize> {
    scan.callee
        .iter()
        .filter(|(n, _)| doc.name(**n) == El::FunctionCall)
        .map(|(_, r)| *r)
        .collect()
}

/// Names of formals and of variables of hosts, which become parameters.
pub(crate) fn parameter_names(model: &Model, scan: &Scan) -> Vec<Vec<String>> {
    let mut all = Vec::with_capacity(model.routines.len());
    for (decl, routine) in model.routines.iter().zip(&scan.routines) {
        let mut taken = HashSet::new();
        let formals = decl.formals.iter().map(|f| f.0);
        all.push(
            formals
                .chain(routine.host.iter().copied())
                .map(|s| {
                    let id = &model.symbols[s].id;
                    fresh_name(&mut taken, &short_name(id), id)
                })
                .collect(),
        );
    }
    all
}

/// The global variables of the program, by leading symbol.
pub(crate) fn globals(
    doc: &Document<'_>,
    model: &Model,
    scan: &Scan,
    storage: &Storage,
    parameters: &[Vec<String>],
    program: &mut Program,
    sink: &mut Sink,
) -> HashMap<SymbolId, Variable> {
    // Members of each storage, and the parameter names that its own must not hide.
    let mut members: BTreeMap<SymbolId, BTreeSet<SymbolId>> = BTreeMap::new();
    let mut hides: HashMap<SymbolId, HashSet<&str>> = HashMap::new();
    for (r, routine) in scan.routines.iter().enumerate() {
        for &symbol in &routine.used {
            if Scan::home(model, r, symbol) != Home::Global || !model.symbols[symbol].variable {
                continue;
            }
            let leader = storage.leader(symbol);
            members.entry(leader).or_default().insert(symbol);
            let names = hides.entry(leader).or_default();
            names.extend(parameters[r].iter().map(String::as_str));
        }
    }
    let mut wishes: HashMap<String, usize> = HashMap::new();
    for &leader in members.keys() {
        *wishes
            .entry(short_name(&model.symbols[leader].id))
            .or_default() += 1;
    }
    let mut taken = HashSet::new();
    let mut found = HashMap::new();
    // Bases come before the variables that lie over them, as validation demands.
    let bases: Vec<Option<Base>> = storage
        .clusters
        .iter()
        .map(|cluster| base(model, cluster, &members, &mut taken, program))
        .collect();
    let first: BTreeSet<SymbolId> = bases
        .iter()
        .filter_map(|b| match b {
            Some(Base::Member(leader)) => Some(*leader),
            Some(Base::Added(_)) | None => None,
        })
        .collect();
    let (bases_first, others): (Vec<SymbolId>, Vec<SymbolId>) =
        members.keys().partition(|leader| first.contains(leader));
    for leader in bases_first.into_iter().chain(others) {
        let symbol = &model.symbols[leader];
        // A global of a type that is not computed with gets no variable; using it is an error.
        let SymbolType::Scalar(ty) = symbol.ty else {
            continue;
        };
        let short = short_name(&symbol.id);
        let clear = wishes.get(&short) == Some(&1)
            && hides
                .get(&leader)
                .is_none_or(|h| !h.contains(short.as_str()));
        let wish = if clear { &short } else { &symbol.id };
        let name = fresh_name(&mut taken, wish, &symbol.id);
        let id = GlobalId::new(program.globals.len());
        let role = Role::Global(id);
        let shape = shapes::declared(doc, model, leader, role, sink);
        let mut variable = Variable::new(name, ty, shape, role);
        variable.order = Order::Column;
        let symbols: Vec<&str> = members[&leader]
            .iter()
            .map(|&m| model.symbols[m].id.as_str())
            .collect();
        variable.annotations = xaif_annotations(vec![("symbols", json!(symbols))]);
        found.insert(leader, variable.clone());
        program.globals.push(Global {
            variable,
            initial: None,
            overlay: None,
        });
    }
    for (cluster, base) in storage.clusters.iter().zip(bases) {
        if let Some(base) = base {
            overlay(cluster, base, &found, program);
        }
    }
    found
}

/// The variable that the members of a cluster lie over.
enum Base {
    /// The member that has all cells.
    Member(SymbolId),
    /// A global that has been added, since no member has all cells.
    Added(GlobalId),
}

/// The base of a cluster; `None` if at most one of its variables has a supported type.
fn base(
    model: &Model,
    cluster: &Cluster,
    members: &BTreeMap<SymbolId, BTreeSet<SymbolId>>,
    taken: &mut HashSet<String>,
    program: &mut Program,
) -> Option<Base> {
    let computed = |s: SymbolId| {
        members.contains_key(&s) && matches!(model.symbols[s].ty, SymbolType::Scalar(_))
    };
    let mut present = cluster.members.iter().filter(|m| computed(m.0));
    let whole = present
        .clone()
        .find(|m| m.1 == 0 && m.2 == cluster.cells)
        .map(|m| Base::Member(m.0));
    present.nth(1)?;
    Some(whole.unwrap_or_else(|| {
        let id = GlobalId::new(program.globals.len());
        let block = cluster.block.trim_matches('_').to_ascii_lowercase();
        let wish = format!("common_{block}");
        let name = fresh_name(taken, &wish, &format!("{wish}_{}", id.index()));
        let shape = vec![Dim::with_extent(Expr::Int(cluster.cells))];
        let mut variable = Variable::new(name, cluster.ty, shape, Role::Global(id));
        variable.order = Order::Column;
        variable.annotations = xaif_annotations(vec![("common", json!(cluster.block))]);
        program.globals.push(Global {
            variable,
            initial: None,
            overlay: None,
        });
        Base::Added(id)
    }))
}

/// Lays the variables of a cluster over its base.
fn overlay(
    cluster: &Cluster,
    base: Base,
    found: &HashMap<SymbolId, Variable>,
    program: &mut Program,
) {
    let global = |symbol: SymbolId| match found.get(&symbol)?.role {
        Role::Global(id) => Some(id),
        Role::Local | Role::Parameter { .. } => None,
    };
    let base = match base {
        Base::Member(symbol) => global(symbol),
        Base::Added(id) => Some(id),
    };
    let Some(base) = base else { return };
    for &(symbol, offset, _) in &cluster.members {
        if let Some(id) = global(symbol).filter(|&id| id != base) {
            program.globals[id.index()].overlay = Some(Overlay { base, offset });
        }
    }
}
