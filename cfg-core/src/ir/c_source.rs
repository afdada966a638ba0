//! Declarations of a source in C, to which emitted C keeps: the head of each function, and the type of each global
//! that other files know. Declarations are annotations, under `c`. The annotations of the program have the members of
//! structures that were left out.
//!
//! In the text of a declaration `@` is the name, `$` the structure, `#` the extents behind the first one.

use super::Annotations;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The member of annotations.
const C: &str = "c";

/// The text of a declaration, or the reason for which emitted C cannot keep to it.
pub type CDeclaration = Result<String, String>;

/// The head of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CHead {
    /// The declaration of the result.
    pub result: CDeclaration,
    /// The parameters, in the order of the source.
    pub parameters: Vec<CParameter>,
    /// The reason for which another file cannot have a copy of the function, for instance static variables, of which
    /// both would have their own.
    pub unshared: Option<String>,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CParameter {
    /// The name.
    pub name: String,
    /// The variable of the routine; `None` for a parameter that the routine does not use.
    pub variable: Option<String>,
    /// The declaration.
    pub declared: CDeclaration,
}

/// A global that other files know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CGlobal {
    /// The name.
    pub name: String,
    /// The declaration.
    pub declared: CDeclaration,
}

/// Members of structures that the program does not have because nothing uses them, globals whose values callers do
/// not give, and parameters that they need not give.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CLeftOut {
    /// The gaps of the members that were left out, by the names of records: the number of the field behind the gap,
    /// and its size in bytes.
    pub gaps: BTreeMap<String, Vec<(usize, u64)>>,
    /// Names such as `p.next` or `p.part.name` that a POINT may give although nothing reads them, by the names of
    /// routines.
    pub members: BTreeMap<String, BTreeSet<String>>,
    /// Names of globals whose initial values are set by the first call: a POINT cannot give them.
    pub started: BTreeSet<String>,
    /// Pointer parameters that are null if a POINT does not name them, by the names of routines.
    pub null: BTreeMap<String, BTreeSet<String>>,
}

fn written(declared: &CDeclaration) -> Value {
    match declared {
        Ok(text) => json!(text),
        Err(why) => json!({ "refused": why }),
    }
}

fn read(value: &Value) -> Option<CDeclaration> {
    let text = |v: &Value| v.as_str().map(str::to_owned);
    match value.as_object() {
        Some(map) => Some(Err(text(map.get("refused")?)?)),
        None => text(value).map(Ok),
    }
}

fn put(annotations: &mut Annotations, value: Value) {
    let all = annotations.get_or_insert_with(Box::default);
    all.insert(C.to_owned(), value);
}

fn found(annotations: &Annotations) -> Option<&Map<String, Value>> {
    annotations.as_ref()?.get(C)?.as_object()
}

impl CHead {
    /// Notes the head among the annotations of its routine.
    pub fn note(&self, annotations: &mut Annotations) {
        let parameters = self.parameters.iter().map(|p| {
            let declared = written(&p.declared);
            json!({ "name": p.name, "variable": p.variable, "declared": declared })
        });
        let parameters: Vec<Value> = parameters.collect();
        let mut value = json!({ "result": written(&self.result), "parameters": parameters });
        if let Some(why) = &self.unshared {
            value["unshared"] = json!(why);
        }
        put(annotations, value);
    }

    /// The head that the annotations of a routine have.
    pub fn from_annotations(annotations: &Annotations) -> Option<Self> {
        let noted = found(annotations)?;
        let parameter = |value: &Value| {
            Some(CParameter {
                name: value.get("name")?.as_str()?.to_owned(),
                variable: value.get("variable")?.as_str().map(str::to_owned),
                declared: read(value.get("declared")?)?,
            })
        };
        let parameters = noted.get("parameters")?.as_array()?.iter().map(parameter);
        Some(Self {
            result: read(noted.get("result")?)?,
            parameters: parameters.collect::<Option<_>>()?,
            unshared: noted
                .get("unshared")
                .and_then(Value::as_str)
                .map(str::to_owned),
        })
    }
}

impl CGlobal {
    /// Notes the declaration among the annotations of its variable.
    pub fn note(&self, annotations: &mut Annotations) {
        let value = json!({ "name": self.name, "declared": written(&self.declared) });
        put(annotations, value);
    }

    /// The declaration that the annotations of a variable have.
    pub fn from_annotations(annotations: &Annotations) -> Option<Self> {
        let noted = found(annotations)?;
        Some(Self {
            name: noted.get("name")?.as_str()?.to_owned(),
            declared: read(noted.get("declared")?)?,
        })
    }
}

impl CLeftOut {
    /// Notes members that are left out, if any, among the annotations of the program.
    pub fn note(&self, annotations: &mut Annotations) {
        if *self != Self::default() {
            let mut noted = json!({ "gaps": self.gaps, "unused": self.members });
            if !self.started.is_empty() {
                noted["started"] = json!(self.started);
            }
            if !self.null.is_empty() {
                noted["null"] = json!(self.null);
            }
            put(annotations, noted);
        }
    }

    /// The names in the annotations of a program.
    pub fn from_annotations(annotations: &Annotations) -> Self {
        let part = |name: &str| {
            found(annotations)
                .and_then(|noted| noted.get(name))
                .cloned()
        };
        let read = |name: &str| part(name).unwrap_or_default();
        Self {
            gaps: serde_json::from_value(read("gaps")).unwrap_or_default(),
            members: serde_json::from_value(read("unused")).unwrap_or_default(),
            started: serde_json::from_value(read("started")).unwrap_or_default(),
            null: serde_json::from_value(read("null")).unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_is_found() {
        let parameter = |name: &str, declared: CDeclaration| CParameter {
            name: name.to_owned(),
            variable: declared.is_ok().then(|| format!("{name}_2")),
            declared,
        };
        let head = CHead {
            result: Ok("void @".to_owned()),
            parameters: vec![
                parameter("n", Ok("int @".to_owned())),
                parameter("q", Err("it is a union".to_owned())),
            ],
            unshared: Some("`w` is static".to_owned()),
        };
        let mut annotations = None;
        head.note(&mut annotations);
        assert_eq!(CHead::from_annotations(&annotations), Some(head));
        assert_eq!(CGlobal::from_annotations(&annotations), None);
        let global = CGlobal {
            name: "w".to_owned(),
            declared: Ok("double @".to_owned()),
        };
        global.note(&mut annotations);
        assert_eq!(CGlobal::from_annotations(&annotations), Some(global));
        assert_eq!(
            (
                CHead::from_annotations(&annotations),
                CHead::from_annotations(&None)
            ),
            (None, None)
        );
        let names = |all: &[&str]| all.iter().map(ToString::to_string).collect();
        let left_out = CLeftOut {
            gaps: [("spring".to_owned(), vec![(0, 24), (2, 8)])].into(),
            members: [("f".to_owned(), names(&["p.next", "p.part.name"]))].into(),
            started: names(&["table"]),
            null: [("f".to_owned(), names(&["w"]))].into(),
        };
        left_out.note(&mut annotations);
        assert_eq!(CLeftOut::from_annotations(&annotations), left_out);
        assert_eq!(CLeftOut::from_annotations(&None), CLeftOut::default());
    }
}
