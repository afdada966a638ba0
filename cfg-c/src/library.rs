//! Functions of the C library that are written in C. Those that a file calls are parsed behind it, as if they stood
//! at its end.

use crate::{
    SourceFile,
    ast::{DeclKind, ExprKind, Unit},
    lex::{Interner, Kind, Token, lex},
    math::{BUILTIN, How},
    preprocess::{Kept, NoFiles, preprocess},
    source::Sink,
};
use std::{collections::BTreeSet, rc::Rc};

const TEXT: &str = concat!(
    include_str!("library/math.c"),
    include_str!("library/texts.c")
);
/// The functions of complex numbers, for double and for float.
const COMPLEX: &str = concat!(
    include_str!("library/complex_double.h"),
    include_str!("library/complex.c"),
    include_str!("library/complex_float.h"),
    include_str!("library/complex.c")
);
/// The file name in positions of this text. Like the name of a header, it is in angle brackets.
const NAME: &str = "<math.c>";

/// The tokens of definitions of functions that the file names without defining them, the end token last; `None` if no
/// definition is missing. `tried` has the names that were looked up before: each is read once, even if the file
/// declares it as something else, so that the text does not define it.
pub(crate) fn called(
    unit: &Unit,
    tried: &mut BTreeSet<Rc<str>>,
    sink: &mut Sink,
) -> Option<Vec<Token>> {
    let mut missing: BTreeSet<Rc<str>> = BTreeSet::new();
    for e in &unit.exprs {
        if let ExprKind::Name(d) = e.kind {
            let decl = unit.decl(d);
            if decl.kind == DeclKind::Function
                && decl.how().is_some_and(How::is_written)
                && tried.insert(Rc::clone(&decl.name))
            {
                missing.insert(Rc::clone(&decl.name));
            }
        }
    }
    if missing.is_empty() {
        return None;
    }
    let file = sink.file(NAME);
    let mut tokens = lex(TEXT.as_bytes(), file, &mut Interner::default(), sink);
    let end = tokens.pop()?;
    let mut found = Vec::new();
    missing.retain(|name| {
        let definition = definition(&tokens, name);
        found.extend(definition.iter().flatten().cloned());
        definition.is_none()
    });
    if !missing.is_empty() {
        let tokens = of_complex(sink);
        let more = missing.iter().filter_map(|name| definition(&tokens, name));
        found.extend(more.flatten());
    }
    if found.is_empty() {
        return None;
    }
    found.push(end);
    Some(found)
}

/// The functions of complex numbers.
fn of_complex(sink: &mut Sink) -> Vec<Token> {
    let source = SourceFile::new("<complex.c>", COMPLEX.as_bytes());
    preprocess(&source, None, &mut NoFiles, &mut Kept::default(), sink).tokens
}

/// Removes the definitions of functions that read or write texts, until it is known which texts are only printed.
pub(crate) fn hold_back_texts(unit: &mut Unit) {
    for decl in &mut unit.decls {
        if decl.library == Some(How::Characters) {
            decl.definition = None;
        }
    }
}

/// Restores the definitions of functions that read or write texts.
pub(crate) fn define_texts(unit: &mut Unit) {
    for (f, function) in unit.functions.iter().enumerate() {
        let decl = &mut unit.decls[function.decl.index()];
        if decl.library == Some(How::Characters) {
            decl.definition = Some(f);
        }
    }
}

/// The definition of `qsort` or `bsearch`, the end last, under other names for it and for its types.
pub(crate) fn sort(
    function: &str,
    named: &impl Fn(&str) -> Rc<str>,
    sink: &mut Sink,
) -> Vec<Token> {
    let file = sink.file("<sort.c>");
    let text = include_str!("library/sort.c");
    let mut tokens = lex(text.as_bytes(), file, &mut Interner::default(), sink);
    let end = tokens.pop();
    let found = definition(&tokens, &Rc::from(function));
    let mut found: Vec<Token> = found.into_iter().flatten().chain(end).collect();
    for token in &mut found {
        if token.is(function) || token.is("element") || token.is("key") {
            token.text = named(&token.text);
        }
    }
    found
}

/// The definitions of a file, one after the other.
fn functions(tokens: &[Token]) -> impl Iterator<Item = &[Token]> {
    let mut depth = 0;
    tokens.split_inclusive(move |t| {
        depth += i32::from(t.is("{")) - i32::from(t.is("}"));
        depth == 0 && t.is("}")
    })
}

/// The definition of a name. A function for `long double` gets that for `double`: the two types are one here.
fn definition(tokens: &[Token], name: &Rc<str>) -> Option<Vec<Token>> {
    let named = |wanted: &str| {
        let at_name = |f: &[Token]| f.iter().position(|t| t.is("("))?.checked_sub(1);
        let mut all = functions(tokens).filter_map(|f| Some((f, at_name(f)?)));
        all.find(|(f, at)| f[*at].is(wanted))
    };
    let plain = name.strip_prefix(BUILTIN);
    let names = [
        Some(&**name),
        plain,
        name.strip_suffix('l'),
        plain.and_then(|p| p.strip_suffix('l')),
    ];
    let (function, at) = names.into_iter().flatten().find_map(named)?;
    let mut made = function.to_vec();
    debug_assert_eq!(made[at].kind, Kind::Ident);
    made[at].text = Rc::clone(name);
    Some(made)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{header_prototypes, math::written};

    #[test]
    fn every_function_that_is_said_to_be_written_is() {
        let mut sink = Sink::default();
        let mut tokens = lex(TEXT.as_bytes(), 0, &mut Interner::default(), &mut sink);
        tokens.pop();
        tokens.extend(of_complex(&mut sink));
        assert!(!sink.found.has_errors());
        let prototypes = header_prototypes::shared();
        for name in written() {
            for suffix in ["", "f", "l"] {
                let wanted: Rc<str> = format!("{name}{suffix}").into();
                if prototypes.get(&wanted).is_none() {
                    continue;
                }
                assert!(definition(&tokens, &wanted).is_some(), "{wanted}");
            }
        }
    }
}
