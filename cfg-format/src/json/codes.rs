//! The codes of the JSON reader and writer.

cfg_core::diagnostic_codes! {
    /// Every code of this area, in order.
    pub CODES of pub(super) codes;
    SYNTAX "J001" "not JSON"
        "A program is one JSON document (RFC 8259)."
        "The text cannot be read as JSON: a comma or bracket is missing or too much, a string is not closed, \
         or the file ends too early. Reading stops at a place where it is not clear what is meant; mend \
         it and try again. JSON has no comments, no trailing commas and no NaN.";
    UTF8 "J002" "not UTF-8"
        "A program file is encoded in UTF-8."
        "The file has bytes that are not UTF-8 text, at the place given. Convert the file (`iconv -t UTF-8`), or \
         check that it is a program at all and not a binary file.";
    NESTING "J003" "JSON nested too deep"
        "Arrays and objects nest at most 256 deep."
        "Programs are flat: vertices and edges are lists, however deep loops and branches nest, so no program needs \
         this. Only expressions nest, and they are limited to 100 levels: split a deeper one into temporaries.";
    NUMBER "J004" "number out of range"
        "Integers are 64-bit, reals are IEEE binary64."
        "An integer (no `.` and no exponent) must lie in -9223372036854775808 ..= 9223372036854775807, and a real \
         must not overflow: 1e999 is not a number that a program can hold. Infinity is written [\"inf\"]. `-0` is \
         refused because an integer has no negative zero: write 0, or -0.0 for the real.";
    BARE_NAN "J005" "bare NaN or infinity"
        "NaN and infinity are written [\"nan\"], [\"inf\"] and [\"-inf\"]."
        "JSON has no such numbers, and what some writers put there instead (NaN, Infinity, inf) is not JSON. In \
         programs write [\"nan\"], [\"inf\"] or [\"-inf\"]; in points, seeds and results the strings \
         \"NaN\", \"inf\" and \"-inf\".";
    VERSION "J006" "not a format that this version reads"
        "`format` is \"cfgrev/1\"."
        "Every program names the version of the format that it is written in. This version reads cfgrev/1. What may \
         change within a version is written in `cfgrev explain format`.";
    UNKNOWN_MEMBER "J010" "unknown member"
        "An object has only the members that its kind defines; free-form data goes into `annotations`."
        "A member that is not known would be dropped without a word, and a misspelt one would silently get its \
         default: so it is an error. Data of your own goes into `annotations`, which every element has and every \
         transformation keeps.";
    DUPLICATE_MEMBER "J011" "member given twice"
        "An object has each member at most once."
        "JSON leaves open which of the two counts, so programs must not depend on it. Remove one.";
    MISSING_MEMBER "J012" "missing member"
        "Required members are present."
        "The element cannot be understood without this member. `cfgrev explain format` and `cfgrev schema` list the members \
         of every kind of element.";
    WRONG_TYPE "J013" "wrong type of value"
        "Each value has the JSON type that its place asks for."
        "For example a number where a name must stand, or an object where a list must. An integer is written without \
         `.` and exponent; a real always has one of the two.";
    UNKNOWN_WORD "J014" "unknown word"
        "Types, intents and other choices are written with the words of the format."
        "The value must be one of a few words, which the message lists.";
    UNKNOWN_VARIABLE "J020" "unknown variable"
        "A name in an expression is a parameter, a local or the result of its routine, or a global."
        "A string in an expression is always a variable. Declare it in `parameters` or `locals` of the routine or in \
         `globals` of the program, or correct the name.";
    UNKNOWN_ROUTINE "J021" "unknown routine"
        "A routine that is named is in the program's `routines`."
        "Calls, `main` and `derivatives` name routines of the same program. A routine whose body is elsewhere is \
         declared without `vertices`, with `external`.";
    UNKNOWN_OPERATOR "J022" "unknown operator"
        "The first element of an expression array is an operator of the format."
        "An expression is an array with the operator first, such as [\"*\", \"x\", [\"sin\", \"y\"]]. \
         `cfgrev explain operators` lists the operators. A routine of the program is called by the statement \
         [\"=\", target, [\"call\", name, [arguments]]].";
    OPERANDS "J023" "wrong number of operands"
        "Each operator has the number of operands that the format gives it."
        "`cfgrev explain operators` lists the operators with their operands. `+`, `*`, `min`, `max`, `and` and `or` take any \
         number.";
    EXPRESSION_DEPTH "J024" "expression too deep"
        "An expression has at most 100 levels."
        "A constant or variable has one level, an operator one more than its deepest operand. Assign parts of the \
         expression to temporaries.";
    NOT_ASSIGNABLE "J025" "not assignable"
        "A target is a variable, an element or a section: \"a\", [\"[]\", \"a\", i] or [\"[]\", \"a\", [\":\", i, j]]."
        "Only storage can be assigned to or popped into. A constant or the result of an operator has none.";
    STATEMENT "J026" "malformed statement"
        "A statement is [\"=\", target, e], [\"call\", f, [arguments]], [\"push\", class, e], [\"pop\", class, target], [\"opaque\", text, {..}] or [\"stop\", text]."
        "The first element says what the statement does and the rest must fit it. push and pop take the tape's name \
         as a fourth element if the routine has more than one tape.";
    CALL_IN_EXPRESSION "J027" "call inside an expression"
        "A call is a statement, or the whole right side of an assignment."
        "A call may write its arguments and globals, so the order of evaluation would matter inside an expression. \
         Assign the result to a local first. In a loop condition, evaluate the call before the loop and again \
         before ENDLOOP.";
    NO_TAPE "J028" "which tape?"
        "A push or pop names its tape, unless its routine has exactly one variable of type tape."
        "Give the tape's name as the last element, [\"push\", class, e, \"tape\"], or declare a parameter of type \
         tape.";
    RANGE_OUTSIDE "J029" "range outside a subscript"
        "[\":\", lower, upper, stride] stands only in a subscript."
        "A range selects a section of an array: [\"[]\", \"a\", [\":\", 2, \"n\"]].";
    ID "J030" "id out of range"
        "An id is an integer within ±2^53, and that of a vertex is not 0."
        "Ids are what pictures and messages show. The adjoint of vertex 5 is -5, so 0 would have none; beyond 2^53 \
         many JSON readers lose digits.";
    DUPLICATE_ID "J031" "id given twice"
        "Ids of vertices are unique in their routine, and so are ids of edges."
        "Edges name vertices by id, so two vertices with the same id cannot be told apart.";
    DANGLING_EDGE "J032" "edge to nowhere"
        "`from` and `to` of an edge are ids of vertices of the same routine."
        "The edge names a vertex that is not in the routine's `vertices`. Add the vertex or correct the id.";
    DUPLICATE_NAME "J033" "name declared twice"
        "Names are unique: of routines in the program, of globals in the program, of variables in their routine."
        "Two declarations of the same name cannot be told apart. A parameter or local may have the name of a global, \
         which is then hidden in that routine.";
    NOT_FOR_THIS_VERTEX "J035" "member of another kind of vertex"
        "A vertex has only the members of its type, and all that its type requires."
        "`statements` belongs to BASICBLOCK; `test` with `condition` or `index`, `first`, `last`, `step` to LOOP and \
         FORLOOP; `condition` or `selector` with `arms` to BRANCH. The other types have none.";
    CONSTANT "J036" "constant expected"
        "Bounds and initial values of globals are constants."
        "Globals exist before any routine runs, so there is nothing that a variable in such an expression could \
         refer to.";
    RESERVED "J037" "reserved annotation"
        "`annotations.cfgrev` of routines, variables and vertices is written by cfgrev itself."
        "It holds the origin of generated elements: {\"role\": .., \"of\": name} on routines and variables, \
         {\"role\": .., \"vertex\": id} on vertices. Use another key for data of your own.";
    TOO_MANY "J040" "too many problems"
        "At most 10000 problems are kept."
        "The file has so many problems that listing them all would not help: reading stops. Mend the first ones.";
    VALUE "J041" "not a value"
        "A value is a number, true, false, \"NaN\", \"inf\", \"-inf\", a nested array of these, or the size of an array; of a pointer also null, or the name of another one."
        "Points and seeds are objects from names to values: {\"n\": 3, \"x\": 0.5, \"a\": [1, 2, 3]}. Nested arrays \
         have the first subscript outermost. In a point, {\"y\": {\"size\": 5}} gives an output array its extent and no \
         values, and what a pointer leads to elements without values; {\"q\": {\"same_as\": \"p\", \"offset\": 2}} lets a pointer lead to the \
         elements of another one.";
    WRITE "J042" "program cannot be written"
        "A program that is written names only things that exist, in expressions of at most 100 levels."
        "The program in memory breaks a rule that the format has no words for. Programs that pass validation never \
         do; this points to a defect in what built the program.";
    INPUT "J043" "cannot be read"
        "The input must be readable."
        "The operating system reported an error while the input was read.";
    MEMORY "J044" "program too large"
        "A program that is read takes no more memory than allowed."
        "A program takes about four times the memory of its text. Reading stops before it takes more than the \
         limit, by default half of the machine's memory.";
}
