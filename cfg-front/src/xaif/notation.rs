//! The notation of documents, for the reader and the writer: names, spellings, annotations.

pub(crate) mod annotations;
pub(crate) mod legal;
pub(crate) mod names;
pub(crate) mod spelling;
pub(crate) mod tapes;

/// The namespace of XAIF.
pub(crate) const NAMESPACE: &str = "http://www.mcs.anl.gov/XAIF";
