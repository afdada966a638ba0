//! The codes of the XAIF front end: title, rule and explanation of each.

cfg_core::diagnostic_codes! {
    /// Every code of the XAIF front end, in order.
    pub CODES of pub(crate) codes;
    MALFORMED "F601" "not well-formed XML"
        "an XAIF document is well-formed XML without text content"
        "The document breaks off, a tag is not closed, or something stands where XML does not allow it. Usually the file was cut short or edited by hand; write it again.";
    ENCODING "F602" "encoding not supported"
        "an XAIF document is UTF-8, US-ASCII or ISO-8859-1, and says so if it is not UTF-8"
        "The bytes of the file are not what its XML declaration says, or are in an encoding that is not read here. Convert the file to UTF-8.";
    DOCTYPE "F603" "document type declaration"
        "an XAIF document has no DTD and no entities of its own"
        "Entities can blow up to any size and can read other files, and XAIF needs none. They are never expanded or followed; remove the <!DOCTYPE ...>.";
    NOT_XAIF "F604" "not an XAIF document"
        "the root is a CallGraph of the namespace http://www.mcs.anl.gov/XAIF"
        "Every element belongs to the XAIF namespace, and the outermost one is CallGraph, with a ScopeHierarchy and one ControlFlowGraph per routine.";
    ELEMENT "F605" "element not expected here"
        "only the elements listed in `cfgrev explain xaif` are read, each where it belongs"
        "The element is unknown, is not supported, or stands inside an element that cannot have it. What is not understood is never skipped, because the program might mean something else without it.";
    ATTRIBUTE "F606" "attribute missing or malformed"
        "numbers are whole decimal numbers, ids are positive, required attributes are there"
        "The element cannot be understood without this attribute, or its value is not of the kind that belongs there.";
    DUPLICATE "F607" "id used twice"
        "ids are unique: scopes in a document, symbols in a scope, vertices and edges in a graph or expression"
        "With two elements of one id it is not decided which of them a reference means.";
    SYMBOL "F608" "symbol not declared"
        "a reference names a symbol of a scope of the document that can be seen from there"
        "The scope has no symbol of that name, the scope does not exist, or it belongs to another routine.";
    GRAPH "F609" "control-flow graph incomplete"
        "a graph has an Entry and an Exit, and unless structured=\"0\" every loop an EndLoop and every Branch an EndBranch"
        "The graph breaks the rules for structured control flow although it does not say structured=\"0\". Either an element or an edge is missing, or the flag is.";
    EDGE "F610" "control-flow edge wrong"
        "an edge joins two vertices of its graph; a loop's body edge and a Branch's edges carry condition_value"
        "An edge leads to a vertex that does not exist, or the condition values of the edges of a vertex do not say which one is taken.";
    EXPRESSION "F611" "expression graph wrong"
        "an expression is an acyclic graph with one vertex that has no out-edge; the operands of a vertex have positions 1, 2, ..."
        "The graph of the expression has a cycle, several results or none, an edge to a vertex that is not there, or a wrong number of operands.";
    TYPE "F612" "type not supported, or types do not fit"
        "values are real (F4, F8), integer or logical; conversions are those of Fortran"
        "Complex numbers, strings, quadruple precision and derived types are not computed here. A routine may declare such variables as long as no statement that is kept uses them.";
    INTRINSIC "F613" "intrinsic not supported"
        "the intrinsics listed in `cfgrev explain xaif`"
        "The function has no counterpart in the program representation, or not with these operands. Write the program without it.";
    SHAPE "F614" "shapes do not fit"
        "a reference has one subscript per dimension; operands of an operation are scalars or arrays of one rank"
        "The number of subscripts differs from the number of dimensions, arrays of different rank are combined, or extents that are needed are not in the document.";
    CALL "F615" "call cannot be bound"
        "a call names a routine whose graph is in the document; each actual fits its formal in type, and in rank or by sequence association"
        "Nothing is known of a routine whose body is not there, so a program that calls it cannot be differentiated. Add its graph, or remove the call.";
    HIDDEN "F616" "value that only an opaque statement can have set"
        "a value that is read was set by a statement whose effect the document shows"
        "The front end that wrote the document has replaced some statements by markers without operands ([passive: OPR_STID], READ, a string assignment). What they store cannot be known, so a program that depends on it is refused rather than guessed. Write the document again with that statement kept (for instance by declaring the variable active).";
    STORAGE "F617" "shared storage that cannot be expressed"
        "the document says which global symbols share which cells, and no cell is read as another type than it was written"
        "The declarations of a COMMON block do not tell what lies over what (the lengths differ, or types or bounds are not known, or nothing names the block), a member is read where one of another type is written, a variable may be one of several modules, or variables of an EQUIVALENCE overlap in part. Declare the COMMON block or EQUIVALENCE alike everywhere.";
    MAIN "F618" "top routine not clear"
        "the top routine is the only one that is not called, else the one named head"
        "Several routines (or none) are called by no other, and none is named head. Say which one with --routine NAME.";
    NAME "F619" "name not known"
        "a name is that of a variable or routine: its symbol without the trailing _N or __N in lower case, or the whole symbol_id"
        "There is no such routine, parameter or global variable, or it is not real and so has no derivative.";
    LIMIT "F620" "document too large or nested too deeply"
        "less than 4 GB; elements nested at most 65 535 levels deep, subscripts 64"
        "The document exceeds a limit of this reader.";
    ASSUMED "F621" "bounds taken from elsewhere"
        "bounds that the document does not show are those of the actual argument, or large enough for every element"
        "Adjustable and automatic arrays and allocatables have bounds that the front end computes in statements it does not show. The assumption made is stated; an index outside of it is an error when the program runs, never a wrong result.";
    DROPPED "F623" "unreachable vertices dropped"
        "in a graph with structured=\"0\", vertices that no path from Entry reaches are left out"
        "Statements after a jump that nothing leads to are never executed.";
    DECLARATIONS "F624" "declarations do not fit the document"
        "the declarations that cfgrev writes into the annotation of the outermost scope belong to the symbol tables and graphs of the same document"
        "A document that cfgrev has written repeats its declarations as JSON, for what XAIF cannot say. They were changed, or the document was. Remove the annotation of the outermost Scope to have the document read as plain XAIF.";
    NOT_CARRIED "F625" "statement that XAIF does not have"
        "a program that is written as XAIF has no statement that stops it"
        "XAIF's markers mean nothing to a tool that does not know them: it would run on where the program ends. Write the program in another form.";
}
