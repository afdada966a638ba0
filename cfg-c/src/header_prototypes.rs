//! The prototypes that the headers of the C library declare.

use crate::{
    SourceFile,
    ast::Unit,
    parse::parse,
    preprocess::{self, NoFiles, headers},
    prototypes::Prototypes,
    reach::Reached,
    source::Sink,
};
use std::{cell::LazyCell, rc::Rc};

thread_local! {
    static SHARED: LazyCell<Rc<Prototypes>> = LazyCell::new(|| Rc::new(read()));
}

/// The prototypes of all headers; the headers are parsed once per thread.
pub(crate) fn shared() -> Rc<Prototypes> {
    SHARED.with(|shared| Rc::clone(shared))
}

/// Reads the headers.
fn read() -> Prototypes {
    let mut sink = Sink::default();
    let text = headers::all();
    let source = SourceFile::new(headers::ALL, text.as_bytes());
    let kept = &mut preprocess::Kept::default();
    let read = preprocess::preprocess(&source, None, &mut NoFiles, kept, &mut sink);
    let reached = Reached::whole(read.tokens);
    let Unit { decls, .. } = parse(&reached, &Prototypes::default(), &mut sink);
    debug_assert!(!sink.found.has_errors(), "{}", sink.found);
    Prototypes::from_declarations(decls, &sink.files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math;

    #[test]
    fn every_function_of_a_header_is_read_or_refused_by_its_name() {
        let prototypes = read();
        for name in prototypes.names() {
            assert!(math::how(name).is_some(), "{name}");
        }
        for name in math::names() {
            assert!(prototypes.get(name).is_some(), "{name}");
        }
    }
}
