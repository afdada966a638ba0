//! Comparisons of strings, and operations on constant ones.

use super::{
    Lower,
    intrinsics::{compare, stem},
    typed::Typed,
};
use crate::xaif::{
    codes,
    read::{
        model::{strings::is_constant, text_attribute},
        scan::{Home, Scan},
        xml::{At, El, NodeId},
    },
};
use cfg_core::ir::{Expr, Op, ScalarType, Stmt, StmtKind};

impl Lower<'_, '_> {
    /// True of string constants and of formals of type string that are computed with.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other elements of XAIF are treated alike"
    )]
    pub(crate) fn is_string(&self, n: NodeId) -> bool {
        let symbol = || {
            let reference = self.doc.child(n, El::SymbolReference)?;
            self.scan.symbol.get(&reference)
        };
        match self.doc.name(n) {
            El::Constant => is_constant(self.doc, n),
            El::VariableReference => symbol().is_some_and(|&s| self.model.symbols[s].string),
            _ => false,
        }
    }

    /// The number of a string constant.
    pub(crate) fn string_constant(&self, n: NodeId) -> Option<Typed> {
        if !is_constant(self.doc, n) {
            return None;
        }
        let text = self.doc.attr(n, At::Value)?;
        let number = self.model.string_number(&text)?;
        Some(Typed::leaf(Expr::Int(number), ScalarType::Integer))
    }

    /// An operation on strings.
    pub(crate) fn string_operation(
        &mut self,
        v: NodeId,
        nodes: &[NodeId],
        operands: Vec<Typed>,
    ) -> Option<Typed> {
        let doc = self.doc;
        let name = text_attribute(doc, v, At::Name, self.sink)?;
        let stem = stem(&name);
        let stem = stem.strip_prefix("string_").unwrap_or(&stem);
        let op = match stem {
            "eq" | "equal" => Some(Op::Eq),
            "ne" | "not_equal" => Some(Op::Ne),
            "lt" | "llt" | "less_than" => Some(Op::Lt),
            "le" | "lle" | "less_or_equal" => Some(Op::Le),
            "gt" | "lgt" | "greater_than" => Some(Op::Gt),
            "ge" | "lge" | "greater_or_equal" => Some(Op::Ge),
            _ => None,
        };
        if let (Some(op), true) = (op, nodes.iter().all(|&n| self.is_string(n))) {
            if let Some(&formal) = nodes.iter().find(|&&n| !is_constant(doc, n)) {
                let diagnostic = doc.error(
                    formal,
                    &codes::ASSUMED,
                    "the length of a string is not in the document; it is taken to be that of the constant that is passed",
                    "declare the formal argument character*(*) if it is shorter",
                );
                self.sink.push(diagnostic.warning());
            }
            return match compare(op, operands) {
                Ok(value) => Some(value),
                Err(failure) => {
                    self.refuse_intrinsic(v, &name, failure);
                    None
                }
            };
        }
        if stem == "present" {
            return self.lower_operation(v, operands);
        }
        if let ("len" | "len_trim" | "ichar" | "iachar", &[constant]) = (stem, nodes)
            && is_constant(doc, constant)
        {
            let text = doc.attr(constant, At::Value).unwrap_or_default();
            let value = match stem {
                "len" => i64::try_from(text.chars().count()).ok(),
                "len_trim" => i64::try_from(text.trim_end_matches(' ').chars().count()).ok(),
                _ => text.chars().next().map(|c| i64::from(u32::from(c))),
            };
            if let Some(value) = value {
                return Some(Typed::leaf(Expr::Int(value), ScalarType::Integer));
            }
        }
        self.report(
            v,
            &codes::INTRINSIC,
            format!("{name} of a string"),
            "strings can be compared, if they are constants or formals that get constants",
        );
        None
    }

    /// An assignment of a string to a variable without readers: it has no effect on numbers, and becomes an opaque
    /// statement.
    pub(crate) fn without_effect(&self, n: NodeId) -> Option<Stmt> {
        let doc = self.doc;
        let target = doc.child(n, El::AssignmentLHS)?;
        let target = doc.child(target, El::SymbolReference)?;
        let &symbol = self.scan.symbol.get(&target)?;
        let s = &self.model.symbols[symbol];
        let own = Scan::home(self.model, self.r, symbol) == Home::Own;
        let formals = &self.model.routines[self.r].formals;
        if s.active
            || !own
            || self.scan.read.contains(&symbol)
            || formals.iter().any(|f| f.0 == symbol)
        {
            return None;
        }
        let right = doc.child(n, El::AssignmentRHS)?;
        let mut calls = false;
        let mut strings = false;
        for v in doc.subtree(right) {
            calls |= doc.name(v) == El::FunctionCall;
            strings |= is_constant(doc, v)
                || doc.name(v) == El::SymbolReference
                    && self.scan.symbol.get(&v).is_some_and(|&s| {
                        let symbol = self.model.symbols[s].node;
                        doc.attr(symbol, At::Type).as_deref() == Some("string")
                    });
        }
        (strings && !calls).then(|| {
            Stmt::new(StmtKind::Opaque {
                text: "assignment of what is computed from strings".into(),
                reads: Box::default(),
                writes: self.known_variable(symbol).into_iter().collect(),
            })
        })
    }
}
