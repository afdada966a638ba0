//! The document as an arena of elements: parsed in one pass, without recursion, without entities.
//!
//! quick-xml delivers events that borrow from the text. The arena keeps five numbers per element and three per
//! attribute, so a document takes about as much memory as its text once more.

use crate::xaif::{codes, notation::NAMESPACE};
use cfg_core::diagnostic::{CodeInfo, Diagnostic};
use quick_xml::{
    NsReader,
    events::{BytesStart, Event},
    name::{Namespace, NamespaceError, ResolveResult},
};
use std::{borrow::Cow, collections::HashMap};

/// Defines an enum of names with the conversion from text.
macro_rules! names {
    ($(#[$doc:meta])* $enum:ident { $($variant:ident $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $enum { $($variant,)* Other }

        impl $enum {
            fn from_name(text: &str) -> Self {
                match text { $($text => Self::$variant,)* _ => Self::Other }
            }

            pub(crate) fn text(self) -> &'static str {
                match self { $(Self::$variant => $text,)* Self::Other => "?" }
            }
        }
    };
}

names! {
    /// An element's name.
    El {
        AliasRange "AliasRange", AliasSet "AliasSet", AliasSetMap "AliasSetMap", Argument "Argument",
        ArgumentList "ArgumentList", ArgumentSymbolReference "ArgumentSymbolReference",
        ArrayElementReference "ArrayElementReference", Assignment "Assignment",
        AssignmentLHS "AssignmentLHS", AssignmentRHS "AssignmentRHS", BasicBlock "BasicBlock",
        BooleanOperation "BooleanOperation", Bound "Bound", Branch "Branch", CallGraph "CallGraph",
        CallGraphEdge "CallGraphEdge", Condition "Condition", Constant "Constant",
        ControlFlowEdge "ControlFlowEdge", ControlFlowGraph "ControlFlowGraph",
        DimensionBounds "DimensionBounds", DOSetMap "DOSetMap", DUUDSetMap "DUUDSetMap",
        EndBranch "EndBranch", EndLoop "EndLoop", Entry "Entry", Exit "Exit",
        ExpressionEdge "ExpressionEdge", ForLoop "ForLoop", FunctionCall "FunctionCall", Index "Index",
        IndexTriplet "IndexTriplet", Initialization "Initialization", Intrinsic "Intrinsic",
        Marker "Marker", Mod "Mod", ModLocal "ModLocal", OnEntry "OnEntry", PostLoop "PostLoop",
        PreLoop "PreLoop", Read "Read", ReadLocal "ReadLocal", Scope "Scope", ScopeEdge "ScopeEdge",
        ScopeHierarchy "ScopeHierarchy", SideEffectReference "SideEffectReference",
        StatementId "StatementId", StmtIdSet "StmtIdSet", Stride "Stride",
        SubroutineCall "SubroutineCall", Symbol "Symbol", SymbolReference "SymbolReference",
        SymbolTable "SymbolTable", Update "Update", VariableReference "VariableReference",
        VariableReferenceEdge "VariableReferenceEdge",
    }
}

names! {
    /// An attribute's name.
    At {
        Active "active", Alias "alias", Annotation "annotation", CfgScope "controlflowgraph_scope_id",
        ConditionValue "condition_value", Deref "deref", Deriv "deriv", DuUd "du_ud", EdgeId "edge_id", FeType "feType",
        From "from_virtual_address", FormalArgCount "formalArgCount",
        HasConditionValue "has_condition_value", IdRef "idRef", Intent "intent", Key "key",
        Kind "kind", LineNumber "lineNumber", Lower "lower", Name "name", Partial "partial",
        Position "position", ProgramName "program_name", RShape "rShape", RType "rType", Reversal "reversal",
        ScopeId "scope_id", Shape "shape", Source "source", StatementId "statement_id",
        Structured "structured", SymbolId "symbol_id", Target "target", To "to_virtual_address",
        Type "type", Upper "upper", Value "value", VertexId "vertex_id",
    }
}

/// An element of a [`Document`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId(u32);

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    name: El,
    /// The byte offset of the element's `<`.
    offset: u32,
    attrs: u32,
    parent: u32,
    child: u32,
    next: u32,
}

#[derive(Clone, Copy, Debug)]
struct Attr {
    name: At,
    escaped: bool,
    start: u32,
    len: u32,
}

/// A parsed document.
#[derive(Debug)]
pub(crate) struct Document<'t> {
    text: &'t str,
    nodes: Vec<Node>,
    attrs: Vec<Attr>,
    /// Numbers of the ids that are no numbers.
    ids: HashMap<Box<str>, i64>,
    /// COMMON blocks that a comment names, by the element after it.
    blocks: HashMap<NodeId, Box<str>>,
}

/// The front end names a COMMON block in a comment before the symbol of its first member, and nowhere else.
const COMMON: &str = "COMMON name =";

/// Ids from here on are those of names; numbers in documents are smaller.
const NAMED: i64 = 1 << 52;

/// True of attributes that hold or name an id.
fn is_id(at: At) -> bool {
    matches!(
        at,
        At::VertexId
            | At::EdgeId
            | At::Source
            | At::Target
            | At::ScopeId
            | At::CfgScope
            | At::StatementId
            | At::IdRef
            | At::Key
            | At::Alias
            | At::DuUd
    )
}

/// The text of a document.
pub(crate) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Box<Diagnostic>> {
    let help =
        "convert the file to UTF-8 and say encoding=\"UTF-8\" (or nothing) in its first line";
    let fail = |(line, column), message: String| {
        Box::new(Diagnostic::error(&codes::ENCODING, message, help).at_line(line, column))
    };
    if u32::try_from(bytes.len()).map_or(true, |n| n == NONE) {
        let message = format!("the document has {} bytes", bytes.len());
        let help = "split the program into several documents";
        return Err(Box::new(
            Diagnostic::error(&codes::LIMIT, message, help).at_line(1, 1),
        ));
    }
    if matches!(
        bytes,
        [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..] | [0, b'<', ..] | [b'<', 0, ..] | [0, 0, ..]
    ) {
        return Err(fail((1, 1), "the document is UTF-16 or UTF-32".to_owned()));
    }
    let bytes = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes);
    let encoding = declared_encoding(bytes);
    match encoding.to_ascii_lowercase().as_str() {
        "" | "utf-8" | "utf8" | "us-ascii" | "ascii" => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Cow::Borrowed(text)),
            Err(e) => {
                let byte = bytes.get(e.valid_up_to()).copied().unwrap_or_default();
                let named = Some(encoding.as_str()).filter(|n| !n.is_empty());
                let message = format!("byte {byte:#04x} is not {}", named.unwrap_or("UTF-8"));
                Err(fail(line_column(bytes, e.valid_up_to()), message))
            }
        },
        // The first 256 code points of Unicode are those of ISO-8859-1.
        "iso-8859-1" | "iso8859-1" | "latin1" | "latin-1" => {
            Ok(Cow::Owned(bytes.iter().map(|&b| char::from(b)).collect()))
        }
        _ => Err(fail(
            (1, 1),
            format!("encoding {encoding:?} is not supported"),
        )),
    }
}

/// The encoding that the XML declaration names; empty if none.
fn declared_encoding(bytes: &[u8]) -> String {
    let Some(rest) = bytes.strip_prefix(b"<?xml") else {
        return String::new();
    };
    let Some(end) = rest.windows(2).position(|pair| pair == b"?>") else {
        return String::new();
    };
    let declaration: String = rest[..end].iter().map(|&b| char::from(b)).collect();
    let Some(rest) = declaration.split("encoding").nth(1) else {
        return String::new();
    };
    let rest = rest.trim_start().trim_start_matches('=').trim_start();
    let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        return String::new();
    };
    rest[1..].split(quote).next().unwrap_or_default().to_owned()
}

/// True of XAIF, with or without a namespace declared.
fn is_xaif(namespace: &ResolveResult<'_>) -> bool {
    match namespace {
        ResolveResult::Bound(Namespace(uri)) => *uri == NAMESPACE,
        ResolveResult::Unbound => true,
        ResolveResult::Unknown(_) => false,
    }
}

/// True of `Property` and `PropertyList`, in which tools keep data of their own.
fn is_property(tag: &BytesStart<'_>, namespace: &ResolveResult<'_>) -> bool {
    let name = tag.local_name();
    is_xaif(namespace) && matches!(name.as_ref(), "Property" | "PropertyList")
}

/// Line and column, both from 1, of a byte.
fn line_column(text: &[u8], offset: usize) -> (usize, usize) {
    let before = &text[..offset.min(text.len())];
    let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
    let start = before
        .iter()
        .rposition(|&b| b == b'\n')
        .map_or(0, |i| i + 1);
    (line, before.len() - start + 1)
}

impl<'t> Document<'t> {
    /// Parses a document.
    pub(crate) fn parse(text: &'t str) -> Result<Self, Box<Diagnostic>> {
        let mut document = Self {
            text,
            nodes: Vec::new(),
            attrs: Vec::new(),
            ids: HashMap::new(),
            blocks: HashMap::new(),
        };
        let mut reader = NsReader::from_str(text);
        reader.config_mut().check_comments = true;
        // Open elements, each with its last child.
        let mut open: Vec<(u32, u32)> = Vec::new();
        // Levels of properties around, which are not read.
        let mut skipped = 0usize;
        loop {
            let offset = reader.buffer_position() as usize;
            let event = reader.read_resolved_event();
            let malformed = |at: usize, message: String| document.malformed(at, message);
            let (namespace, event) = match event {
                Ok(e) => e,
                Err(e) => {
                    let at = (reader.error_position() as usize).max(offset);
                    return Err(document.unreadable(at, &e));
                }
            };
            if skipped > 0 {
                match event {
                    Event::Start(_) => skipped += 1,
                    Event::End(_) => skipped -= 1,
                    Event::Eof => {
                        return Err(malformed(
                            offset,
                            "the document ends inside of a property".to_owned(),
                        ));
                    }
                    Event::Empty(_)
                    | Event::Text(_)
                    | Event::CData(_)
                    | Event::Comment(_)
                    | Event::Decl(_)
                    | Event::PI(_)
                    | Event::DocType(_)
                    | Event::GeneralRef(_) => {}
                }
                continue;
            }
            match event {
                Event::Start(tag) if is_property(&tag, &namespace) => skipped = 1,
                Event::Empty(tag) if is_property(&tag, &namespace) => {}
                Event::Start(tag) => {
                    let id = document.element(&tag, &namespace, offset, &mut open)?;
                    open.push((id, NONE));
                }
                Event::Empty(tag) => {
                    document.element(&tag, &namespace, offset, &mut open)?;
                }
                Event::End(_) => {
                    open.pop();
                }
                Event::Text(content) => {
                    let content: &str = &content;
                    if let Some(at) = content.find(|c: char| !c.is_ascii_whitespace()) {
                        return Err(malformed(
                            offset + at,
                            "text where only elements belong".to_owned(),
                        ));
                    }
                }
                Event::CData(content) if content.bytes().all(|b| b.is_ascii_whitespace()) => {}
                Event::CData(_) | Event::GeneralRef(_) => {
                    return Err(malformed(
                        offset,
                        "text where only elements belong".to_owned(),
                    ));
                }
                Event::DocType(_) => {
                    return Err(document.problem(
                        offset,
                        &codes::DOCTYPE,
                        "the document has a document type declaration",
                        "remove the <!DOCTYPE ...>; XAIF needs no entities",
                    ));
                }
                Event::Eof => break,
                Event::Comment(content) => {
                    let content: &str = &content;
                    if let Some(name) = content.trim().strip_prefix(COMMON) {
                        let next = NodeId(document.nodes.len() as u32);
                        document.blocks.insert(next, name.trim().into());
                    }
                }
                Event::Decl(_) | Event::PI(_) => {}
            }
        }
        if let Some(&(id, _)) = open.last() {
            let node = document.nodes[id as usize];
            return Err(document.malformed(
                document.text.len(),
                format!("the document ends inside of <{}>", node.name.text()),
            ));
        }
        if document.nodes.is_empty() {
            return Err(document.malformed(0, "the document has no element".to_owned()));
        }
        Ok(document)
    }

    /// An error of the XML parser.
    fn unreadable(&self, at: usize, e: &quick_xml::Error) -> Box<Diagnostic> {
        if let quick_xml::Error::Namespace(
            NamespaceError::TooManyBindings(_) | NamespaceError::TooDeeplyNested(_),
        ) = e
        {
            return self.problem(
                at,
                &codes::LIMIT,
                "elements or namespaces are nested too deeply",
                "a document of a program is a few levels deep; write it again",
            );
        }
        self.malformed(at, e.to_string())
    }

    /// Appends an element and links it to its parent and siblings.
    fn element(
        &mut self,
        tag: &BytesStart<'_>,
        namespace: &ResolveResult<'_>,
        offset: usize,
        open: &mut [(u32, u32)],
    ) -> Result<u32, Box<Diagnostic>> {
        let local = tag.local_name();
        let local = local.as_ref();
        if !is_xaif(namespace) {
            return Err(self.problem(
                offset,
                &codes::NOT_XAIF,
                format!("<{}> is not of the XAIF namespace", tag.name().as_ref()),
                format!("declare xmlns:xaif=\"{NAMESPACE}\" at the root and write xaif: before every element"),
            ));
        }
        let name = El::from_name(local);
        if name == El::Other {
            return Err(self.problem(
                offset,
                &codes::ELEMENT,
                format!("unknown element <{local}>"),
                "see `cfgrev explain xaif` for the elements that are read",
            ));
        }
        let id = self.nodes.len() as u32;
        let parent = open.last().map_or(NONE, |o| o.0);
        match open.last_mut() {
            Some((parent, last)) => {
                if *last == NONE {
                    self.nodes[*parent as usize].child = id;
                } else {
                    self.nodes[*last as usize].next = id;
                }
                *last = id;
            }
            None if id > 0 => {
                return Err(self.malformed(offset, "a second root element".to_owned()));
            }
            None => {}
        }
        self.nodes.push(Node {
            name,
            offset: offset as u32,
            attrs: self.attrs.len() as u32,
            parent,
            child: NONE,
            next: NONE,
        });
        for attribute in tag.attributes() {
            let attribute = match attribute {
                Ok(a) => a,
                Err(e) => return Err(self.malformed(offset, e.to_string())),
            };
            let at = At::from_name(attribute.key.local_name().as_ref());
            let raw: &str = &attribute.value;
            let escaped = raw.contains('&');
            if escaped && let Err(e) = quick_xml::escape::unescape(raw) {
                return Err(self.malformed(offset, e.to_string()));
            }
            if at == At::Other {
                continue;
            }
            // The value is a slice of the text, as events of a slice reader borrow.
            let start = (raw.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
            if self.text.get(start..start.wrapping_add(raw.len())) != Some(raw) {
                return Err(self.malformed(offset, "an attribute that cannot be read".to_owned()));
            }
            if is_id(at) {
                self.name_id(raw);
            }
            self.attrs.push(Attr {
                name: at,
                escaped,
                start: start as u32,
                len: raw.len() as u32,
            });
        }
        Ok(id)
    }

    fn malformed(&self, offset: usize, message: String) -> Box<Diagnostic> {
        self.problem(
            offset,
            &codes::MALFORMED,
            message,
            "write the file again, or correct it at this place",
        )
    }

    fn problem(
        &self,
        offset: usize,
        info: &CodeInfo,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Box<Diagnostic> {
        let (line, column) = line_column(self.text.as_bytes(), offset);
        Box::new(Diagnostic::error(info, message, help).at_line(line, column))
    }

    /// The outermost element.
    pub(crate) fn root(&self) -> NodeId {
        NodeId(0)
    }

    fn node(&self, n: NodeId) -> Node {
        self.nodes[n.0 as usize]
    }

    /// An element's name.
    pub(crate) fn name(&self, n: NodeId) -> El {
        self.node(n).name
    }

    /// The elements directly inside.
    pub(crate) fn children(&self, n: NodeId) -> impl Iterator<Item = NodeId> + Clone + '_ {
        let first = self.node(n).child;
        std::iter::successors((first != NONE).then_some(NodeId(first)), |&c| {
            let next = self.node(c).next;
            (next != NONE).then_some(NodeId(next))
        })
    }

    /// The first element of that name directly inside.
    pub(crate) fn child(&self, n: NodeId, name: El) -> Option<NodeId> {
        self.children(n).find(|&c| self.name(c) == name)
    }

    /// The element around.
    pub(crate) fn parent(&self, n: NodeId) -> Option<NodeId> {
        let parent = self.node(n).parent;
        (parent != NONE).then_some(NodeId(parent))
    }

    /// This element and everything inside, in the order of the document.
    pub(crate) fn subtree(&self, n: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let mut end = n.0 + 1;
        // Elements are numbered in document order: the subtree ends before the next element that is not
        // inside, which is a sibling of this element or of one around it.
        let mut at = Some(n);
        while let Some(a) = at {
            let next = self.node(a).next;
            if next != NONE {
                end = next;
                break;
            }
            at = self.parent(a);
            if at.is_none() {
                end = self.nodes.len() as u32;
            }
        }
        (n.0..end).map(NodeId)
    }

    /// The value of an attribute.
    pub(crate) fn attr(&self, n: NodeId, name: At) -> Option<Cow<'t, str>> {
        let (raw, escaped) = self.raw(n, name)?;
        Some(if escaped {
            quick_xml::escape::unescape(raw).unwrap_or(Cow::Borrowed(raw))
        } else {
            Cow::Borrowed(raw)
        })
    }

    /// The value as it is written, and whether something in it is escaped.
    fn raw(&self, n: NodeId, name: At) -> Option<(&'t str, bool)> {
        let start = self.node(n).attrs as usize;
        let end = self
            .nodes
            .get(n.0 as usize + 1)
            .map_or(self.attrs.len(), |next| next.attrs as usize);
        let attr = self.attrs[start..end].iter().find(|a| a.name == name)?;
        let raw = &self.text[attr.start as usize..(attr.start + attr.len) as usize];
        Some((raw, attr.escaped))
    }

    /// Gives a number to an id that is a name.
    fn name_id(&mut self, raw: &str) {
        let text = raw.trim();
        if !text.is_empty() && text.parse::<i64>().is_err() && !self.ids.contains_key(text) {
            let number = NAMED + self.ids.len() as i64;
            self.ids.insert(text.into(), number);
        }
    }

    /// The id in an attribute: a number below 2^52, or the number of a name.
    pub(crate) fn id(&self, n: NodeId, name: At) -> Option<i64> {
        let raw = self.raw(n, name)?.0.trim();
        match raw.parse::<i64>() {
            Ok(number) => Some(number).filter(|&i| i < NAMED),
            Err(_) => self.ids.get(raw).copied(),
        }
    }

    /// The name of an id that is no number.
    pub(crate) fn id_name(&self, n: NodeId, name: At) -> Option<Cow<'t, str>> {
        self.attr(n, name)
            .filter(|text| text.trim().parse::<i64>().is_err())
    }

    /// The COMMON block whose first member this symbol is.
    pub(crate) fn common_block(&self, n: NodeId) -> Option<&str> {
        self.blocks.get(&n).map(|name| &**name)
    }

    /// True if comments name COMMON blocks.
    pub(crate) fn names_common_blocks(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// Line and column of an element.
    pub(crate) fn position(&self, n: NodeId) -> (usize, usize) {
        line_column(self.text.as_bytes(), self.node(n).offset as usize)
    }

    /// The name of an element in messages: `Assignment 17 in BasicBlock 8 of head__24`.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other elements of XAIF are treated alike"
    )]
    pub(crate) fn describe(&self, n: NodeId) -> String {
        let mut text = self.label(n);
        let mut at = self.parent(n);
        // Three elements around it tell people where it is; a hostile document may have any number.
        let mut parts = 0;
        while let Some(a) = at.filter(|_| parts < 3) {
            parts += 1;
            match self.name(a) {
                El::Assignment
                | El::SubroutineCall
                | El::BasicBlock
                | El::ForLoop
                | El::PreLoop
                | El::PostLoop
                | El::Branch
                | El::Scope
                | El::Symbol => {
                    text.push_str(" in ");
                    text.push_str(&self.label(a));
                }
                El::ControlFlowGraph => {
                    text.push_str(" of ");
                    text.push_str(&self.label(a));
                }
                _ => parts -= 1,
            }
            at = self.parent(a);
        }
        text
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other elements of XAIF are treated alike"
    )]
    fn label(&self, n: NodeId) -> String {
        let name = self.name(n);
        let key = match name {
            El::Assignment | El::SubroutineCall | El::Marker => At::StatementId,
            El::Symbol | El::SymbolReference | El::ArgumentSymbolReference => At::SymbolId,
            El::ControlFlowGraph => At::SymbolId,
            El::Intrinsic | El::BooleanOperation => At::Name,
            El::ControlFlowEdge | El::ExpressionEdge | El::ScopeEdge | El::CallGraphEdge => {
                At::EdgeId
            }
            El::Argument | El::IndexTriplet => At::Position,
            _ => At::VertexId,
        };
        match self.attr(n, key) {
            Some(value) => format!("{} {value}", name.text()),
            None => name.text().to_owned(),
        }
    }

    /// A problem at an element.
    pub(crate) fn error(
        &self,
        n: NodeId,
        info: &CodeInfo,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Diagnostic {
        let (line, column) = self.position(n);
        Diagnostic::error(info, message, help)
            .at_line(line, column)
            .at_element(self.describe(n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An element is named with up to three of those around it.
    #[test]
    fn elements_are_named_with_those_around_them() {
        let named = |levels: usize| {
            let open: String = (1..=levels)
                .map(|k| format!("<Scope vertex_id=\"{k}\">"))
                .collect();
            let text = format!("{open}{}", "</Scope>".repeat(levels));
            let doc = Document::parse(&text).expect("it is well-formed");
            let innermost = doc.subtree(doc.root()).last().expect("it has elements");
            doc.describe(innermost)
        };
        assert_eq!(named(4), "Scope 4 in Scope 3 in Scope 2 in Scope 1");
        assert_eq!(named(5), "Scope 5 in Scope 4 in Scope 3 in Scope 2");
    }

    /// The encoding may stand anywhere in the declaration. A declaration that does not end names none.
    #[test]
    fn encodings_are_looked_for_in_all_of_the_declaration() {
        let document = |length: usize, rest: &str| {
            let (start, end) = ("<?xml version=\"1.0\"", "encoding=\"latin1\"");
            let space = " ".repeat(length - start.len() - end.len());
            format!("{start}{space}{end}{rest}").into_bytes()
        };
        for length in [40, 256, 257, 5000] {
            let mut bytes = document(length, "?>");
            assert_eq!(declared_encoding(&bytes), "latin1", "{length}");
            bytes.push(0xE9);
            let text = decode(&bytes);
            assert!(text.is_ok_and(|text| text.ends_with("?>é")), "{length}");
            assert_eq!(declared_encoding(&document(length, "")), "", "{length}");
        }
    }
}
