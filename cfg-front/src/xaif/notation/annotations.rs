//! The parts of a document that are kept in annotations: `{"xaif": {...}}`.

use cfg_core::ir::Annotations;
use serde_json::{Map, Value};

/// The annotations `{"xaif": {...}}`.
pub(crate) fn xaif_annotations(entries: Vec<(&str, Value)>) -> Annotations {
    let inner: Map<String, Value> = entries
        .into_iter()
        .map(|(k, v)| (k.to_owned(), v))
        .collect();
    if inner.is_empty() {
        return None;
    }
    let mut map = Map::new();
    map.insert("xaif".to_owned(), Value::Object(inner));
    Some(Box::new(map))
}
