//! Options of languages as data, and the values that a user gave.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

/// An option of a front end, from which a command line can be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionSpec {
    /// The key in [`OptionValues`], unique over all languages.
    pub id: &'static str,
    /// The letter behind one dash.
    pub short: Option<char>,
    /// The word behind two dashes.
    pub long: Option<&'static str>,
    /// The value that stands behind it.
    pub value: Value,
    /// A line of help, without a full stop.
    pub help: &'static str,
}

/// The value of an option; texts are what help calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// No value: only whether the option is given counts.
    Flag,
    /// A text.
    One(&'static str),
    /// The path of a file or folder.
    Path(&'static str),
    /// A text for each time that the option is given.
    Many(&'static str),
    /// Texts separated by commas; the option may be given again.
    List(&'static str),
}

/// The options that were given, with their values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OptionValues(BTreeMap<&'static str, Vec<OsString>>);

impl OptionValues {
    /// Gives an option these values.
    pub fn give(&mut self, option: &OptionSpec, values: impl IntoIterator<Item = OsString>) {
        self.0.entry(option.id).or_default().extend(values);
    }

    /// True if an option was given.
    pub fn is_given(&self, id: &str) -> bool {
        self.0.contains_key(id)
    }

    /// The texts that an option was given.
    pub fn texts(&self, id: &str) -> Vec<String> {
        let values = self.0.get(id).into_iter().flatten();
        values
            .filter_map(|v| v.to_str().map(str::to_owned))
            .collect()
    }

    /// The text of an option that has one.
    pub fn text(&self, id: &str) -> Option<&str> {
        self.0.get(id)?.first()?.to_str()
    }

    /// The path of an option that has one.
    pub fn path(&self, id: &str) -> Option<&Path> {
        self.0.get(id)?.first().map(Path::new)
    }
}
