//! Input from strangers: entities, encodings, nesting, damage.

use crate::{changes::change, corpus, fixtures};
use cfg_front::xaif::{Options, read_xaif};
use cfg_testkit::rng::Rng;

/// The codes of the problems that a document has.
fn codes(bytes: &[u8]) -> Vec<&'static str> {
    let (program, problems) = read_xaif(bytes, &Options::default());
    assert_eq!(program.is_none(), problems.has_errors(), "{problems}");
    problems.iter().map(|d| d.code).collect()
}

fn fixture(name: &str) -> String {
    let found = fixtures::documents().into_iter().find(|d| d.0 == name);
    String::from_utf8(found.unwrap().1).unwrap()
}

#[test]
fn entities_are_never_expanded() {
    let mut laughs =
        String::from("<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [\n<!ENTITY l0 \"lol\">\n");
    for i in 1..30 {
        laughs.push_str(&format!(
            "<!ENTITY l{i} \"{}\">\n",
            format!("&l{};", i - 1).repeat(10)
        ));
    }
    laughs.push_str(
        "]>\n<xaif:CallGraph xmlns:xaif=\"http://www.mcs.anl.gov/XAIF\" program_name=\"&l29;\"/>",
    );
    assert_eq!(codes(laughs.as_bytes()), ["F603"]);
    let external = r#"<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>"#;
    assert_eq!(codes(external.as_bytes()), ["F603"]);
    // An entity that is not declared, and text.
    let undeclared = r#"<CallGraph program_name="&e;"/>"#;
    assert_eq!(codes(undeclared.as_bytes()), ["F601"]);
    assert_eq!(codes(b"<CallGraph>&lt;</CallGraph>"), ["F601"]);
    // The five of XML itself are fine, in attributes.
    let fine = fixture("markers").replace("WRITE***", "WRITE &lt;&amp;&#42;&gt;");
    assert!(codes(fine.as_bytes()).is_empty());
}

#[test]
fn deep_nesting() {
    let root = "<xaif:CallGraph xmlns:xaif=\"http://www.mcs.anl.gov/XAIF\">";
    for (levels, code) in [(100_000, "F620"), (50_000, "F605")] {
        let open = "<xaif:Scope vertex_id=\"1\">".repeat(levels);
        let close = "</xaif:Scope>".repeat(levels);
        let found = codes(format!("{root}{open}{close}</xaif:CallGraph>").as_bytes());
        assert_eq!(found[0], code);
        let found = codes(format!("{root}{open}").as_bytes());
        assert!(["F601", "F620"].contains(&found[0]));
        // With a namespace declared at every level.
        let open = root.repeat(levels);
        assert_eq!(codes(open.as_bytes()), ["F620"]);
    }
    // The same inside a document that is fine otherwise: in a graph, and as subscripts of subscripts.
    let document = fixture("markers");
    let block = "<xaif:BasicBlock vertex_id=\"77\" scope_id=\"2\">";
    let nested = format!(
        "{}{}<xaif:Exit vertex_id",
        block.repeat(50_000),
        "</xaif:BasicBlock>".repeat(50_000)
    );
    let found = codes(document.replace("<xaif:Exit vertex_id", &nested).as_bytes());
    assert!(found.contains(&"F605"), "{found:?}");
    let index = "<xaif:VariableReference vertex_id=\"1\"><xaif:SymbolReference vertex_id=\"1\" scope_id=\"2\" \
                 symbol_id=\"X_1\"/><xaif:ArrayElementReference vertex_id=\"2\"><xaif:IndexTriplet><xaif:Index>";
    let end =
        "</xaif:Index></xaif:IndexTriplet></xaif:ArrayElementReference></xaif:VariableReference>";
    let one = "<xaif:Constant vertex_id=\"1\" type=\"integer\" feType=\"I4\" value=\"1\"/>";
    let deep = format!("{}{one}{}", index.repeat(10_000), end.repeat(10_000));
    let found = codes(document.replacen(one, &deep, 1).as_bytes());
    assert!(found.contains(&"F620"), "{found:?}");
}

/// The attributes of a real constant, and of an integer.
const REAL_ONE: &str = "type=\"real\" feType=\"F8\" value=\"1.0\"";
const INTEGER_ONE: &str = "type=\"integer\" feType=\"I4\" value=\"1\"";

/// The expression `1 + 1 + 1 + ...` of n constants with these attributes, n levels deep: each sum is an operand of the one before.
fn ones_added(n: usize, one: &str) -> String {
    let mut graph = String::new();
    for i in 1..n {
        graph.push_str(&format!(
            "<xaif:Intrinsic vertex_id=\"{i}\" name=\"add_scal_scal\"/>\
             <xaif:Constant vertex_id=\"{}\" {one}/>\
             <xaif:ExpressionEdge edge_id=\"{i}\" source=\"{}\" target=\"{i}\" position=\"1\"/>\
             <xaif:ExpressionEdge edge_id=\"{}\" source=\"{}\" target=\"{i}\" position=\"2\"/>",
            n + i,
            i + 1,
            n + i,
            n + i
        ));
    }
    format!("{graph}<xaif:Constant vertex_id=\"{n}\" {one}/>")
}

#[test]
fn long_expressions() {
    // 1 + 1 + ...: a graph 50 000 levels deep is split into temporaries.
    let n = 50_000;
    let graph = ones_added(n, REAL_ONE);
    let document = fixture("markers");
    let start = document.find("<xaif:AssignmentRHS>").unwrap() + "<xaif:AssignmentRHS>".len();
    let stop = document.find("</xaif:AssignmentRHS>").unwrap();
    let document = format!("{}{graph}{}", &document[..start], &document[stop..]);
    let (program, problems) = read_xaif(document.as_bytes(), &Options::default());
    let program = program.unwrap_or_else(|| panic!("{problems}"));
    let (values, _) = crate::oracle::jacobian(&program, "x", "y").unwrap();
    assert_eq!(values[0], n as f64);
}

/// Subscripts in subscripts are read up to 64 levels, the right side and the subscript of the document among them.
#[test]
fn subscripts_nest_up_to_a_limit() {
    let symbol = "<xaif:Symbol symbol_id=\"Y_2\"";
    let more = "<xaif:Symbol symbol_id=\"K_3\" kind=\"variable\" type=\"integer\" feType=\"I4\" shape=\"vector\">\
                <xaif:DimensionBounds lower=\"1\" upper=\"2\"/></xaif:Symbol>";
    let document = fixture("markers").replacen(symbol, &format!("{more}{symbol}"), 1);
    let index = "<xaif:VariableReference vertex_id=\"1\"><xaif:SymbolReference vertex_id=\"1\" scope_id=\"2\" \
                 symbol_id=\"K_3\"/><xaif:ArrayElementReference vertex_id=\"2\"><xaif:IndexTriplet><xaif:Index>";
    let end = "</xaif:Index></xaif:IndexTriplet></xaif:ArrayElementReference>\
               <xaif:VariableReferenceEdge edge_id=\"1\" source=\"1\" target=\"2\"/></xaif:VariableReference>";
    let one = "<xaif:Constant vertex_id=\"1\" type=\"integer\" feType=\"I4\" value=\"1\"/>";
    let right = document.find("<xaif:AssignmentRHS>").unwrap();
    let at = right + document[right..].find(one).unwrap();
    let found = |levels: usize| {
        let (before, after) = (&document[..at], &document[at + one.len()..]);
        let deep = format!("{}{one}{}", index.repeat(levels), end.repeat(levels));
        codes(format!("{before}{deep}{after}").as_bytes())
    };
    assert!(!found(62).contains(&"F620"), "{:?}", found(62));
    assert!(found(63).contains(&"F620"), "{:?}", found(63));
}

/// Expressions have up to 49 levels before a part of them becomes a statement of its own, and subscripts up to 48.
#[test]
fn expressions_are_split_from_a_depth_on() {
    let document = fixture("markers");
    let start = document.find("<xaif:AssignmentRHS>").unwrap() + "<xaif:AssignmentRHS>".len();
    let stop = document.find("</xaif:AssignmentRHS>").unwrap();
    let statements = |start: usize, stop: usize, graph: &str| {
        let text = format!("{}{graph}{}", &document[..start], &document[stop..]);
        let (program, problems) = read_xaif(text.as_bytes(), &Options::default());
        let program = program.unwrap_or_else(|| panic!("{problems}"));
        program.to_string().matches(":=").count()
    };
    let right = |n: usize| statements(start, stop, &ones_added(n, REAL_ONE));
    assert_eq!([49, 50, 97, 98].map(right), [2, 3, 3, 4]);
    let index = start + document[start..].find("<xaif:Index>").unwrap() + "<xaif:Index>".len();
    let end = index + document[index..].find("</xaif:Index>").unwrap();
    let subscript = |n: usize| statements(index, end, &ones_added(n, INTEGER_ONE));
    assert_eq!([48, 49].map(subscript), [2, 3]);
}

/// Documents of our own writer have expressions of up to 100 levels, including nested subscripts.
#[test]
fn expressions_that_were_written_are_so_deep() {
    let source = "main subroutine f(in integer k[2], out integer y)\n  y := 1\nend\n";
    let program = cfg_format::text::parse(source).program.unwrap();
    let document = cfg_front::xaif::to_string(&program).unwrap();
    let start = document.find("<xaif:AssignmentRHS>").unwrap() + "<xaif:AssignmentRHS>".len();
    let stop = document.find("</xaif:AssignmentRHS>").unwrap();
    let too_deep = |expression: &str| {
        let (before, after) = (&document[..start], &document[stop..]);
        let found = codes(format!("{before}{expression}{after}").as_bytes());
        assert!(
            ["", "F620"].contains(&found.join(",").as_str()),
            "{found:?}"
        );
        !found.is_empty()
    };
    let signs = |n: usize| {
        let mut graph = String::new();
        for i in 1..=n {
            graph.push_str(&format!(
                "<xaif:Intrinsic vertex_id=\"{i}\" name=\"minus_scal\"/>\
                 <xaif:ExpressionEdge edge_id=\"{i}\" source=\"{}\" target=\"{i}\" position=\"1\"/>",
                i + 1
            ));
        }
        let last = n + 1;
        format!("{graph}<xaif:Constant vertex_id=\"{last}\" {INTEGER_ONE}/>")
    };
    let open = "<xaif:VariableReference vertex_id=\"1\"><xaif:SymbolReference vertex_id=\"1\" scope_id=\"2\" \
                symbol_id=\"k_1\"/><xaif:ArrayElementReference vertex_id=\"2\"><xaif:IndexTriplet><xaif:Index>";
    let close =
        "</xaif:Index></xaif:IndexTriplet></xaif:ArrayElementReference></xaif:VariableReference>";
    let elements = |n: usize, index: &str| format!("{}{index}{}", open.repeat(n), close.repeat(n));
    let one = signs(0);
    assert_eq!([99, 100].map(|n| too_deep(&signs(n))), [false, true]);
    let nested = [99, 100].map(|n| too_deep(&elements(n, &one)));
    assert_eq!(nested, [false, true]);
    let inside = [98, 99].map(|n| too_deep(&elements(1, &signs(n))));
    assert_eq!(inside, [false, true]);
}

/// The document `markers` with more text before the first place that reads so, for each of some places.
fn with_more<const N: usize>(places: [(&str, String); N]) -> String {
    let insert = |document: String, (place, more): (&str, String)| {
        document.replacen(place, &format!("{more}{place}"), 1)
    };
    places.into_iter().fold(fixture("markers"), insert)
}

/// The statement with this number that assigns 1 to a variable of a scope.
fn one_assigned(id: u32, scope: u32, symbol: &str) -> String {
    format!(
        "<xaif:Assignment statement_id=\"{id}\">\
         <xaif:AssignmentLHS><xaif:SymbolReference vertex_id=\"1\" scope_id=\"{scope}\" symbol_id=\"{symbol}\"/></xaif:AssignmentLHS>\
         <xaif:AssignmentRHS><xaif:Constant vertex_id=\"1\" {REAL_ONE}/></xaif:AssignmentRHS></xaif:Assignment>"
    )
}

/// A document with so many routines in one another; the innermost assigns a variable of the outermost, which is one more.
fn routines_in_one_another(n: usize) -> String {
    let (mut symbols, mut scopes, mut graphs) = (String::new(), String::new(), String::new());
    for k in 1..=n {
        let (scope, around, graph) = (k + 2, k + 1, k + 100);
        symbols.push_str(&format!(
            "<xaif:Symbol symbol_id=\"r{k}_1\" kind=\"subroutine\" type=\"void\"/>"
        ));
        scopes.push_str(&format!(
            "<xaif:Scope vertex_id=\"{scope}\"/><xaif:ScopeEdge edge_id=\"{around}\" source=\"{scope}\" target=\"{around}\"/>"
        ));
        let statement = if k == n {
            one_assigned(1, 2, "Y_2")
        } else {
            String::new()
        };
        graphs.push_str(&format!(
            "<xaif:ControlFlowGraph vertex_id=\"{graph}\" scope_id=\"1\" symbol_id=\"r{k}_1\" controlflowgraph_scope_id=\"{scope}\">\
             <xaif:ArgumentList/><xaif:Entry vertex_id=\"1\"/>\
             <xaif:BasicBlock vertex_id=\"2\" scope_id=\"{scope}\">{statement}</xaif:BasicBlock><xaif:Exit vertex_id=\"3\"/>\
             <xaif:ControlFlowEdge edge_id=\"1\" source=\"1\" target=\"2\"/>\
             <xaif:ControlFlowEdge edge_id=\"2\" source=\"2\" target=\"3\"/></xaif:ControlFlowGraph>"
        ));
    }
    with_more([
        ("<xaif:Symbol symbol_id=\"head_5\"", symbols),
        ("</xaif:ScopeHierarchy>", scopes),
        ("</xaif:CallGraph>", graphs),
    ])
}

/// A routine sees variables of up to 63 routines around it.
#[test]
fn routines_nest_up_to_a_limit() {
    assert!(codes(routines_in_one_another(63).as_bytes()).is_empty());
    assert!(codes(routines_in_one_another(64).as_bytes()).contains(&"F608"));
}

/// A message names at most 10 of the routines that nobody calls.
#[test]
fn routines_that_nobody_calls_are_named_up_to_a_number() {
    let named = |n: usize| {
        let document = routines_in_one_another(n - 1).replace("head_5", "top_5");
        let (_, problems) = read_xaif(document.as_bytes(), &Options::default());
        let problem = problems.iter().find(|d| d.code == "F618").unwrap();
        let (names, _) = problem.message.split_once(" are not called").unwrap();
        names.split(", ").count()
    };
    assert_eq!([9, 10, 11].map(named), [9, 10, 10]);
}

/// Members of a COMMON block in the same cells are one variable if their shape is among the last 8 of the block.
#[test]
fn shapes_of_a_block_are_compared_up_to_a_number() {
    let globals = |shapes: u32| {
        let (mut symbols, mut statements) = (String::new(), String::new());
        // The last one has the shape of the first.
        for k in 0..=shapes {
            let (id, rows) = (k + 100, 1_u32 << (k % shapes));
            let columns = (1_u32 << shapes) / rows;
            symbols.push_str(&format!(
                "<!-- COMMON name = b_ --><xaif:Symbol symbol_id=\"S{k}_{id}\" kind=\"variable\" type=\"real\" feType=\"F8\" shape=\"matrix\">\
                 <xaif:DimensionBounds lower=\"1\" upper=\"{rows}\"/><xaif:DimensionBounds lower=\"1\" upper=\"{columns}\"/></xaif:Symbol>"
            ));
            statements.push_str(&one_assigned(id, 1, &format!("S{k}_{id}")));
        }
        let document = with_more([
            ("<xaif:Symbol symbol_id=\"head_5\"", symbols),
            ("<xaif:Assignment ", statements),
        ]);
        let (program, problems) = read_xaif(document.as_bytes(), &Options::default());
        program
            .unwrap_or_else(|| panic!("{problems}"))
            .globals
            .len()
    };
    assert_eq!([7, 8, 9].map(globals), [7, 8, 10]);
}

/// Arrays have up to 7 dimensions, also where an intrinsic makes them.
#[test]
fn intrinsics_make_arrays_of_up_to_7_dimensions() {
    let array = |id: &str, shape: &str, rank: usize, extent: usize| {
        let dim = format!("<xaif:DimensionBounds lower=\"1\" upper=\"{extent}\"/>");
        let ty = match id {
            "N_12" => "type=\"integer\" feType=\"I4\"",
            _ => "type=\"real\" feType=\"F8\"",
        };
        format!(
            "<xaif:Symbol symbol_id=\"{id}\" kind=\"variable\" {ty} shape=\"{shape}\">{}</xaif:Symbol>",
            dim.repeat(rank)
        )
    };
    let reference = |id: usize, symbol: &str| {
        format!(
            "<xaif:VariableReference vertex_id=\"{id}\">\
             <xaif:SymbolReference vertex_id=\"1\" scope_id=\"2\" symbol_id=\"{symbol}\"/></xaif:VariableReference>"
        )
    };
    let constant = |id: usize, value: usize| {
        format!(
            "<xaif:Constant vertex_id=\"{id}\" type=\"integer\" feType=\"I4\" value=\"{value}\"/>"
        )
    };
    let assigned = |symbols: &[String], intrinsic: &str, operands: &[String]| {
        let edges: String = (1..=operands.len())
            .map(|k| {
                format!(
                    "<xaif:ExpressionEdge edge_id=\"{k}\" source=\"{}\" target=\"1\" position=\"{k}\"/>",
                    k + 1
                )
            })
            .collect();
        let statement = format!(
            "<xaif:Assignment statement_id=\"90\">\
             <xaif:AssignmentLHS><xaif:SymbolReference vertex_id=\"1\" scope_id=\"2\" symbol_id=\"T_11\"/></xaif:AssignmentLHS>\
             <xaif:AssignmentRHS><xaif:Intrinsic vertex_id=\"1\" name=\"{intrinsic}\"/>{}{edges}</xaif:AssignmentRHS>\
             </xaif:Assignment>",
            operands.concat()
        );
        let document = with_more([
            ("<xaif:Symbol symbol_id=\"Y_2\"", symbols.concat()),
            ("<xaif:Assignment ", statement),
        ]);
        codes(document.as_bytes())
    };
    let result = array("T_11", "seven_tensor", 7, 2);
    for (rank, shape, refused) in [(6, "six_tensor", false), (7, "seven_tensor", true)] {
        let symbols = [array("S_10", shape, rank, 2), result.clone()];
        let operands = [reference(2, "S_10"), constant(3, 1), constant(4, 2)];
        let found = assigned(&symbols, "spread", &operands);
        assert_eq!(found.contains(&"F614"), refused, "{rank}: {found:?}");
    }
    for (rank, refused) in [(7, false), (8, true)] {
        let source = array("S_10", "vector", 1, 128);
        let symbols = [source, result.clone(), array("N_12", "vector", 1, rank)];
        let operands = [reference(2, "S_10"), reference(3, "N_12")];
        let found = assigned(&symbols, "reshape", &operands);
        assert_eq!(found.contains(&"F613"), refused, "{rank}: {found:?}");
    }
}

/// Ids that are numbers are smaller than 2^52.
#[test]
fn ids_are_so_large() {
    let found = |id: &str| {
        let mut document = fixture("markers");
        for place in ["<xaif:Exit vertex_id=\"ID\"", "source=\"2\" target=\"ID\""] {
            document = document.replace(&place.replace("ID", "3"), &place.replace("ID", id));
        }
        codes(document.as_bytes())
    };
    assert!(found("4503599627370495").is_empty());
    assert!(found("4503599627370496").contains(&"F606"));
}

#[test]
fn encodings() {
    let document = fixture("markers");
    let latin = document
        .replace("encoding=\"UTF-8\"", "encoding=\"ISO-8859-1\"")
        .replace("WRITE***", "GR\u{d6}SSE");
    let bytes: Vec<u8> = latin.chars().map(|c| c as u8).collect();
    let (program, problems) = read_xaif(&bytes, &Options::default());
    assert!(
        program.unwrap().to_string().contains("GR\u{d6}SSE"),
        "{problems}"
    );
    // The same bytes called UTF-8.
    let wrong = String::from_utf8_lossy(&bytes).into_owned();
    assert!(wrong.contains('\u{fffd}'));
    let at = bytes.iter().position(|&b| b == 0xd6).unwrap();
    let mut bytes: Vec<u8> = bytes;
    let name = bytes.windows(10).position(|w| w == b"ISO-8859-1").unwrap();
    bytes.splice(name..name + 10, *b"UTF-8");
    let (_, problems) = read_xaif(&bytes, &Options::default());
    let problem = problems.iter().next().unwrap();
    assert_eq!(problem.code, "F602");
    let before = &bytes[..at - 5];
    let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
    assert_eq!(problem.at.line, Some(line));
    assert!(problem.at.column.is_some());

    let utf16: Vec<u8> = document.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(codes(&utf16), ["F602"]);
    let (_, problems) = read_xaif(&utf16, &Options::default());
    assert!(
        problems
            .iter()
            .all(|p| p.at.line == Some(1) && p.at.column == Some(1))
    );
    let marked: Vec<u8> = [&[0xff, 0xfe], utf16.as_slice()].concat();
    assert_eq!(codes(&marked), ["F602"]);
    assert_eq!(
        codes(document.replace("UTF-8", "EBCDIC").as_bytes()),
        ["F602"]
    );
    let bom: Vec<u8> = [&[0xef, 0xbb, 0xbf], document.as_bytes()].concat();
    assert!(codes(&bom).is_empty());
}

#[test]
fn not_xaif() {
    assert_eq!(codes(b""), ["F601"]);
    assert_eq!(codes(b"   \n"), ["F601"]);
    assert_eq!(codes(b"{\"format\": \"cfgrev/1\"}"), ["F601"]);
    assert_eq!(codes(b"<html/>"), ["F605"]);
    assert_eq!(
        codes(b"<a:CallGraph xmlns:a=\"http://example.org\"/>"),
        ["F604"]
    );
    assert_eq!(codes(b"<a:CallGraph/>"), ["F604"]);
    assert_eq!(codes(b"<CallGraph/>"), ["F604"]);
    assert_eq!(codes(b"<CallGraph></CallGraph><CallGraph/>"), ["F601"]);
    assert_eq!(codes(b"<CallGraph a='1' a='2'/>"), ["F601"]);
}

/// One change makes a document wrong: each is reported with code and place.
#[test]
fn incomplete_documents() {
    let shared = fixture("shared");
    let cases = [
        // A missing EndLoop, EndBranch, edge, Exit.
        ("<xaif:EndLoop vertex_id=\"9\"/>", "", "F610"),
        (
            "<xaif:EndBranch vertex_id=\"6\"/>",
            "<xaif:BasicBlock vertex_id=\"6\" scope_id=\"2\"/>",
            "F609",
        ),
        (
            "source=\"1\" target=\"2\"/>\n    <xaif:ControlFlowEdge",
            "source=\"1\" target=\"99\"/>\n    <xaif:ControlFlowEdge",
            "F610",
        ),
        ("<xaif:Exit vertex_id=\"14\"/>", "", "F609"),
        // An expression with a cycle, with two results, with a wrong position.
        (
            "source=\"2\" target=\"1\" position=\"1\"",
            "source=\"1\" target=\"1\" position=\"1\"",
            "F611",
        ),
        (
            "target=\"1\" position=\"2\"",
            "target=\"1\" position=\"7\"",
            "F611",
        ),
        // Unknown names.
        ("name=\"sin_scal\"", "name=\"bessel_j7\"", "F613"),
        (
            "scope_id=\"2\" symbol_id=\"K_3\"",
            "scope_id=\"2\" symbol_id=\"Q_3\"",
            "F608",
        ),
        (
            "scope_id=\"2\" symbol_id=\"K_3\"",
            "scope_id=\"9\" symbol_id=\"K_3\"",
            "F608",
        ),
        (
            "ControlFlowEdge edge_id=\"1\"",
            "ControlFlowEdge edge_id=\"\"",
            "F606",
        ),
        ("shape=\"vector\"", "shape=\"cube\"", "F606"),
        (
            "type=\"real\" feType=\"F8\" shape",
            "type=\"complex\" feType=\"C16\" shape",
            "F612",
        ),
        ("vertex_id=\"3\">", "vertex_id=\"2\">", "F607"),
    ];
    for (from, to, code) in cases {
        assert!(shared.contains(from), "{from}");
        let changed = shared.replacen(from, to, 1);
        let (program, problems) = read_xaif(changed.as_bytes(), &Options::default());
        assert!(program.is_none(), "{from} -> {to}");
        let found: Vec<&str> = problems.iter().map(|d| d.code).collect();
        assert!(found.contains(&code), "{from} -> {to}: {problems}");
        for d in problems.iter() {
            assert!(d.at.line.is_some() && d.at.column.is_some(), "{d}");
            assert!(d.at.element.is_some() && !d.help.is_empty(), "{d}");
        }
    }
}

/// Damaged documents are read or refused with a place; nothing panics, and what is read is valid.
#[test]
fn damage() {
    let mut documents = fixtures::documents();
    if let Some(corpus) = corpus::documents() {
        documents.extend(corpus.into_iter().filter(|d| d.1.len() < 40_000));
    }
    let rounds: u64 = std::env::var("CFGREV_MUTATIONS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(3000);
    let mut read = 0;
    let mut refused = 0;
    for seed in 0..rounds {
        let mut rng = Rng::new(seed);
        let (name, bytes) = &documents[rng.below(documents.len())];
        let mut text = String::from_utf8(bytes.clone()).unwrap();
        for _ in 0..=rng.below(3) {
            text = change(&text, &mut rng);
        }
        if rng.percent(3) {
            let mut cut = rng.below(text.len());
            while !text.is_char_boundary(cut) {
                cut -= 1;
            }
            text.truncate(cut);
        }
        let (program, problems) = read_xaif(text.as_bytes(), &Options::default());
        match program {
            Some(program) => {
                read += 1;
                let valid = cfg_core::validate::validate(program);
                assert!(valid.is_ok(), "seed {seed}, {name}");
            }
            None => {
                refused += 1;
                assert!(problems.has_errors(), "seed {seed}, {name}");
                for d in problems.iter() {
                    assert!(d.at.line.is_some(), "seed {seed}, {name}: {d}");
                }
            }
        }
    }
    assert!(
        read > rounds / 20 && refused > rounds / 20,
        "{read} {refused}"
    );
}

/// What users see: line and column, element, rule and what to do, for one mistake each.
#[test]
fn diagnostics() {
    let shared = fixture("shared");
    let mut text = String::new();
    let mut seen = std::collections::BTreeSet::new();
    let mut report = |title: &str, document: &[u8], options: &Options| {
        let (program, problems) = read_xaif(document, options);
        assert_eq!(program.is_none(), problems.has_errors(), "{title}");
        assert!(problems.iter().next().is_some(), "{title}");
        for d in problems.iter() {
            assert!(
                d.at.line.is_some() && d.at.column.is_some() && !d.help.is_empty(),
                "{d}"
            );
            // A text that is no XML has no elements to name.
            let xml = ["F601", "F602", "F603", "F604", "F605", "F620"].contains(&d.code);
            assert!(d.at.element.is_some() || xml, "{d}");
            seen.insert(d.code);
        }
        text.push_str(&format!("== {title}\n{problems}\n"));
    };
    let mut add = |title: &str, document: &str| {
        report(title, document.as_bytes(), &Options::default());
    };
    let cases = [
        ("a tag that is not closed", "</xaif:SymbolTable>", ""),
        (
            "an entity",
            "<xaif:CallGraph ",
            "<!DOCTYPE x [<!ENTITY e \"\">]><xaif:CallGraph ",
        ),
        (
            "another element",
            "<xaif:Exit vertex_id",
            "<xaif:Finish vertex_id",
        ),
        ("an unknown shape", "shape=\"vector\"", "shape=\"cube\""),
        (
            "an edge to nowhere",
            "<xaif:ControlFlowEdge edge_id=\"1\" source=\"1\" target=\"2\"",
            "<xaif:ControlFlowEdge edge_id=\"1\" source=\"1\" target=\"99\"",
        ),
        ("no Exit", "<xaif:Exit vertex_id=\"14\"/>", ""),
        (
            "an unknown intrinsic",
            "name=\"sin_scal\"",
            "name=\"besselj_scal\"",
        ),
        (
            "complex numbers",
            "type=\"real\" feType=\"F8\"",
            "type=\"complex\" feType=\"C16\"",
        ),
        (
            "a symbol that is not there",
            "symbol_id=\"X_1\"/>",
            "symbol_id=\"Q_1\"/>",
        ),
        (
            "an operand too many",
            "target=\"3\" position=\"2\"",
            "target=\"3\" position=\"3\"",
        ),
    ];
    for (title, from, to) in cases {
        assert!(shared.contains(from), "{from}");
        add(title, &shared.replacen(from, to, 1));
    }
    let loops = fixture("loops");
    let end = loops.find("<xaif:EndLoop").expect("it has loops");
    let close = loops[end..].find("/>").expect("it is closed") + end + 2;
    add(
        "a loop without EndLoop",
        &format!("{}{}", &loops[..end], &loops[close..]),
    );
    add("a value that only a marker sets", &fixture("hidden_store"));
    add(
        "a pointer assignment",
        &fixture("markers").replacen("[WRITE***]", "[passive: OPR_PSTID]", 1),
    );
    add(
        "a derivative",
        &shared.replacen(
            "<xaif:AssignmentLHS ",
            "<xaif:AssignmentLHS deriv=\"1\" ",
            1,
        ),
    );
    add(
        "a part of a structure that is passed",
        &fixture("structure_argument"),
    );
    let call = fixture("vector_subscripts").replacen("intent=\"out\"", "intent=\"in\"", 1);
    let wrong = call.replacen(
        "<xaif:Argument position=\"2\">",
        "<xaif:Argument position=\"7\">",
        1,
    );
    add("an argument too far", &wrong);
    add(
        "two vertices with one id",
        &shared.replacen("vertex_id=\"3\">", "vertex_id=\"2\">", 1),
    );
    add(
        "a subscript too few",
        &fixture("transformational").replacen("shape=\"matrix\"", "shape=\"three_tensor\"", 1),
    );
    add(
        "whether an array is allocated",
        &fixture("packing").replacen("sum_arr", "allocated", 1),
    );
    add(
        "a string that is used",
        &shared.replacen(
            "type=\"real\" feType=\"F8\"",
            "type=\"string\" feType=\"UNK\"",
            1,
        ),
    );
    add("a COMMON block of other shapes", &fixture("common_shapes"));
    let calls = fixture("vector_subscripts");
    let from = calls.find("<xaif:SubroutineCall").expect("it has a call");
    let to = calls.find("</xaif:SubroutineCall>").expect("it is closed") + 22;
    let apart = format!("{}{}", &calls[..from], &calls[to..]).replace("head_", "top_");
    add("two routines that nobody calls", &apart);
    add("bounds that are not there", &fixture("arrays"));
    add("blocks that nothing leads to", &fixture("jumps_that_nest"));
    let written = cfg_front::xaif::to_string(
        &read_xaif(shared.as_bytes(), &Options::default())
            .0
            .expect("it is read"),
    )
    .expect("it is written");
    add(
        "declarations that do not fit",
        &written.replacen("{cfgrev {", "{cfgrev [", 1),
    );
    let options = Options {
        independents: vec!["q".to_owned()],
        ..Options::default()
    };
    report(
        "an independent that is not there",
        shared.as_bytes(),
        &options,
    );
    let mut bytes = shared.clone().into_bytes();
    bytes[200] = 0xff;
    report("bytes that are not UTF-8", &bytes, &Options::default());
    let scopes = "<xaif:Scope vertex_id=\"1\">".repeat(70_000);
    let deep = format!("<xaif:CallGraph xmlns:xaif=\"http://www.mcs.anl.gov/XAIF\">{scopes}");
    report("elements in elements", deep.as_bytes(), &Options::default());
    let other = "<graph xmlns=\"urn:other\"/>";
    report("another format", other.as_bytes(), &Options::default());
    // Every code is shown, except that of the writer.
    let mut all: std::collections::BTreeSet<&str> =
        cfg_front::xaif::CODES.iter().map(|c| c.code).collect();
    all.remove("F625");
    let untested: Vec<&&str> = all.difference(&seen).collect();
    assert!(untested.is_empty(), "{untested:?}");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/diagnostics.txt");
    cfg_testkit::golden::golden(path, &text);
}
