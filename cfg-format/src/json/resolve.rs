//! Resolution of names to entities: the second half of reading, when all declarations are known.
//!
//! A statement, loop test or selector with an unknown name is reported and replaced by a harmless one, so that the
//! rest of the program can still be checked.

mod names;
mod scope;

use super::{
    codes,
    context::{Context, Seg},
    token::quote,
    wire::{self, GlobalDraft},
};
use cfg_core::{
    entity::{EdgeId, GlobalId, RecordId, RoutineId, VarId},
    ir::{Expr, Global, Overlay, PointerType, Program, Record, Role, Routine, ScalarType},
};
use scope::Scope;
use std::collections::HashMap;

/// A program, with the facts that only its file has.
pub(super) struct Resolved {
    pub(super) program: Program,
    pub(super) in_labels: Vec<(RoutineId, EdgeId, i64)>,
    pub(super) broken: Vec<RoutineId>,
}

/// Resolves a whole program.
pub(super) fn program(wire: wire::Program, cx: &mut Context) -> Resolved {
    let mut drafts = wire.routines.unwrap_or_default();
    let named = std::mem::take(&mut cx.records).into_names();
    let mut records = wire.types.unwrap_or_default();
    let types = Types::new(&mut records, named, cx);
    let globals = cx.at_segment(Seg::Key("globals"), |cx| {
        globals(wire.globals.unwrap_or_default(), &types, cx)
    });
    let names: Vec<String> = drafts.iter().map(|d| d.routine.name.clone()).collect();
    let mut by_name = HashMap::with_capacity(names.len());
    for (i, name) in names.iter().enumerate() {
        if let Some(first) = by_name.insert(name.as_str(), i) {
            by_name.insert(name, first);
            if !name.is_empty() {
                duplicate_name("routine", name, &[Seg::Key("routines"), Seg::Index(i)], cx);
            }
        }
    }
    let called = std::mem::take(&mut cx.routines).into_names();
    let callees: Vec<Option<RoutineId>> = called
        .iter()
        .map(|name| by_name.get(&**name).map(|&i| RoutineId::new(i)))
        .collect();
    let routines = Routines {
        names: &names,
        called: &called,
        callees: &callees,
    };
    let main = wire
        .main
        .and_then(|r| cx.at_segment(Seg::Key("main"), |cx| routines.resolve(r, cx)));

    let mut resolved = Resolved {
        program: Program::default(),
        in_labels: Vec::new(),
        broken: Vec::new(),
    };
    // Of several globals with one name, the first counts.
    let global_ids: HashMap<&str, GlobalId> = (globals.iter().enumerate().rev())
        .map(|(i, g)| (g.variable.name.as_str(), GlobalId::new(i)))
        .collect();
    cx.path.push(Seg::Key("routines"));
    for (i, draft) in drafts.drain(..).enumerate() {
        let id = RoutineId::new(i);
        cx.path.push(Seg::Index(i));
        let mut scope = Scope::new(draft, &globals, &global_ids, &routines, &types, cx);
        scope.resolve_routine();
        if scope.broken {
            resolved.broken.push(id);
        }
        let labels = scope.in_labels.into_iter();
        resolved
            .in_labels
            .extend(labels.map(|(edge, label)| (id, edge, label)));
        resolved.program.routines.push(scope.routine);
        cx.path.pop();
    }
    cx.path.pop();
    resolved.program.globals = globals;
    resolved.program.records = records;
    resolved.program.main = main;
    resolved.program.sources = wire.sources.unwrap_or_default();
    resolved.program.annotations = wire.annotations.filter(|a| !a.is_empty()).map(Box::new);
    resolved
}

fn duplicate_name(what: &str, name: &str, path: &[Seg], cx: &mut Context) {
    let length = cx.path.len();
    cx.path.extend_from_slice(path);
    cx.report_at(
        Seg::Key("name"),
        &codes::DUPLICATE_NAME,
        format!("{what} {} is declared twice", quote(name)),
        "rename one of the two",
    );
    cx.path.truncate(length);
}

/// The records that types name.
struct Types {
    /// Names that types have, by provisional id, and the records of these names.
    named: Vec<(Box<str>, Option<RecordId>)>,
    /// Names of the records.
    known: Vec<String>,
}

impl Types {
    /// Resolves the types of the fields, and reports records of the same name.
    fn new(records: &mut [Record], named: Vec<Box<str>>, cx: &mut Context) -> Self {
        let known: Vec<String> = records.iter().map(|r| r.name.clone()).collect();
        let mut by_name = HashMap::with_capacity(known.len());
        for (i, name) in known.iter().enumerate() {
            if let Some(first) = by_name.insert(name.as_str(), i) {
                by_name.insert(name, first);
                if !name.is_empty() {
                    duplicate_name("record", name, &[Seg::Key("types"), Seg::Index(i)], cx);
                }
            }
        }
        let find = |name: Box<str>| {
            let found = by_name.get(&*name).map(|&i| RecordId::new(i));
            (name, found)
        };
        let named = named.into_iter().map(find).collect();
        let types = Self { named, known };
        for (i, record) in records.iter_mut().enumerate() {
            for (k, field) in record.fields.iter_mut().enumerate() {
                let path = [
                    Seg::Key("types"),
                    Seg::Index(i),
                    Seg::Key("fields"),
                    Seg::Index(k),
                ];
                types.resolve(&mut field.ty, &path, cx);
            }
        }
        types
    }

    /// Replaces the provisional record of a type, or reports it at the declaration.
    fn resolve(&self, ty: &mut ScalarType, path: &[Seg], cx: &mut Context) {
        match ty {
            ScalarType::Record(provisional) => {
                let found = self.record(*provisional, path, Seg::Key("type"), cx);
                *ty = found.map_or(ScalarType::Real, ScalarType::Record);
            }
            ScalarType::Pointer(pointer) => {
                self.pointer(pointer, path, Seg::Key("type"), cx);
            }
            ScalarType::Real
            | ScalarType::Real32
            | ScalarType::Integer
            | ScalarType::Logical
            | ScalarType::Sized(_)
            | ScalarType::Tape => {}
        }
    }

    /// Replaces the provisional record at the end of a pointer's type; false if there is none of the name.
    fn pointer(
        &self,
        pointer: &mut PointerType,
        path: &[Seg],
        member: Seg,
        cx: &mut Context,
    ) -> bool {
        let Some(provisional) = pointer.end().record() else {
            return true;
        };
        let found = self.record(provisional, path, member, cx);
        if let Some(found) = found {
            *pointer = pointer.with_record(found);
        }
        found.is_some()
    }

    /// The record that a provisional one stands for, or a report.
    fn record(
        &self,
        provisional: RecordId,
        path: &[Seg],
        member: Seg,
        cx: &mut Context,
    ) -> Option<RecordId> {
        let named = self.named.get(provisional.index());
        if let Some(&(_, Some(found))) = named {
            return Some(found);
        }
        let name = named.map_or("", |(name, _)| &**name);
        let length = cx.path.len();
        cx.path.extend_from_slice(path);
        let known = self.known.iter().map(String::as_str);
        let help = cx.suggest(name, known, "declare it in the program's `types`");
        cx.report_at(
            member,
            &codes::UNKNOWN_WORD,
            format!("unknown record {}", quote(name)),
            help,
        );
        cx.path.truncate(length);
        None
    }
}

fn globals(drafts: Vec<GlobalDraft>, types: &Types, cx: &mut Context) -> Vec<Global> {
    let names: Vec<String> = drafts
        .iter()
        .map(|d| d.global.variable.name.clone())
        .collect();
    let mut by_name = HashMap::with_capacity(names.len());
    for (i, name) in names.iter().enumerate() {
        if let Some(first) = by_name.insert(name.as_str(), i) {
            by_name.insert(name, first);
            if !name.is_empty() {
                duplicate_name("global", name, &[Seg::Index(i)], cx);
            }
        }
    }
    let resolve = |(i, draft): (usize, GlobalDraft)| {
        let mut global = draft.global;
        global.variable.role = Role::Global(GlobalId::new(i));
        types.resolve(&mut global.variable.ty, &[Seg::Index(i)], cx);
        for (k, value) in global.initial.iter_mut().flatten().enumerate() {
            if let Expr::Null(pointer) = value {
                let path = [Seg::Index(i), Seg::Key("initial"), Seg::Index(k)];
                types.pointer(pointer, &path, Seg::Index(1), cx);
            }
        }
        if let Some((base, offset)) = draft.overlay {
            match by_name.get(base.as_str()) {
                Some(&base) => {
                    let base = GlobalId::new(base);
                    global.overlay = Some(Overlay { base, offset });
                }
                None => {
                    let length = cx.path.len();
                    cx.path.extend([Seg::Index(i), Seg::Key("overlay")]);
                    unknown_global("global", &base, names.iter().map(String::as_str), cx);
                    cx.path.truncate(length);
                }
            }
        }
        global
    };
    drafts.into_iter().enumerate().map(resolve).collect()
}

fn unknown_global<'n>(
    member: &'static str,
    name: &str,
    known: impl Iterator<Item = &'n str>,
    cx: &mut Context,
) {
    let help = cx.suggest(name, known, "declare it in the program's `globals`");
    cx.report_at(
        Seg::Key(member),
        &codes::UNKNOWN_VARIABLE,
        format!("unknown global {}", quote(name)),
        help,
    );
}

/// The routines and the names by which calls find them.
struct Routines<'p> {
    /// Names of all routines.
    names: &'p [String],
    /// Names of the routines that are called, by provisional id.
    called: &'p [Box<str>],
    /// Routines that are called, by provisional id.
    callees: &'p [Option<RoutineId>],
}

impl Routines<'_> {
    /// The routine for a provisional id, or a report.
    fn resolve(&self, provisional: RoutineId, cx: &mut Context) -> Option<RoutineId> {
        let found = self.callees.get(provisional.index()).copied().flatten();
        if found.is_none() {
            let name = self.called.get(provisional.index()).map_or("", |n| &**n);
            let known = self.names.iter().map(String::as_str);
            let help = cx.suggest(name, known, "add the routine to the program");
            cx.report(
                &codes::UNKNOWN_ROUTINE,
                format!("unknown routine {}", quote(name)),
                help,
            );
        }
        found
    }
}

/// The tape of a push or pop without a name: the only parameter, local or result of type tape.
pub(super) fn only_tape(routine: &Routine) -> Option<VarId> {
    let is_tape = |&(_, v): &(usize, &cfg_core::ir::Variable)| {
        v.ty == ScalarType::Tape && !matches!(v.role, Role::Global(_))
    };
    let mut tapes = routine.variables.iter().enumerate().filter(is_tape);
    match (tapes.next(), tapes.next()) {
        (Some((v, _)), None) => Some(VarId::new(v)),
        _ => None,
    }
}
