//! The JSON Schema of the format, generated from the types that read it.

use super::wire;
use schemars::SchemaGenerator;
use serde_json::{Value, json};

/// The schema's identity; it changes with the version of the format only.
pub const SCHEMA_ID: &str = "https://github.com/cfgrev/cfgrev/schema/cfgrev-1.schema.json";

/// The JSON Schema (draft 2020-12) of program files.
///
/// The schema describes the shape of a file only. [`super::read`] and [`cfg_core::validate`] check names, types of
/// expressions and the structure of graphs.
pub fn schema() -> Value {
    let mut schema = SchemaGenerator::default().into_root_schema_for::<wire::Program>();
    schema.insert("$id".to_owned(), json!(SCHEMA_ID));
    schema.insert("title".to_owned(), json!("cfgrev/1 program"));
    schema.to_value()
}
