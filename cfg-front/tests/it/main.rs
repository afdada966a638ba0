//! Tests of the XAIF front end on documents of its own and on the corpus.

mod corpus;
mod fixtures;
mod hostile;
mod oracle;
