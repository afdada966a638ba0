//! The codes of validation: title, rule and explanation of each.

crate::diagnostic_codes! {
    /// Every code of validation, in order.
    pub CODES of pub codes;
    ENTRY_COUNT "V101" "not exactly one ENTRY"
        "a graph has exactly one ENTRY vertex"
        "Control enters a routine at its ENTRY vertex, and the reverse sweep ends at its adjoint. Merge several entries into one, or split the routine.";
    EXIT_COUNT "V102" "not exactly one EXIT"
        "a graph has exactly one EXIT vertex"
        "Control leaves a routine at its EXIT vertex, and the reverse sweep starts at its adjoint. A routine with several returns lets all of them jump to the one EXIT (which structured control flow expresses with branches).";
    DEGREE "V103" "wrong number of predecessors or successors"
        "ENTRY 0 in, 1 out; EXIT 1 in, 0 out; BASICBLOCK 1 in, 1 out; LOOP and FORLOOP 2 in, 2 out; ENDLOOP 1 in, 1 out; BRANCH 1 in, 2 or more out; ENDBRANCH 2 or more in, 1 out (Definition 1)"
        "Each vertex type has a fixed number of edges, so that the type alone says how to reverse it. Control flow meets only at ENDBRANCH and LOOP and divides only at BRANCH and LOOP. An edge that is missing or superfluous shows up at both of its ends. In a routine with \"control\": \"general\", BASICBLOCK, BRANCH, ENDLOOP, ENDBRANCH and EXIT may have any positive number of predecessors.";
    UNREACHABLE "V104" "not reachable from ENTRY"
        "every vertex lies on a path from ENTRY"
        "A vertex that control never arrives at has no place in the reversal. Delete it, or add the missing edge to it.";
    NO_WAY_OUT "V105" "EXIT not reachable"
        "every vertex lies on a path to EXIT"
        "From such a vertex the routine can never return, so there is nothing to start a reverse sweep with. Add the missing edge (often a loop's exit edge).";
    LABEL_MISSING "V106" "label missing"
        "the edge from a LOOP into its body has label 1, and every out-edge of a BRANCH has a label"
        "Labels say which edge is taken: 1 starts the body of a loop; the exit edge of the loop has none. A two-way branch takes 1 if its condition is true and 0 if not, and both are written.";
    LABEL_DUPLICATE "V107" "label used twice"
        "the labels of a vertex's out-edges are mutually distinct"
        "With one label on two edges it is not decided which of them is taken.";
    LABEL_WRONG "V108" "label that does not belong there"
        "only out-edges of BRANCH and the body edge of a LOOP have labels; those of a two-way branch are 0 and 1"
        "The exit edge of a loop, and the only out-edge of any other vertex, have no label: nothing is decided there. A two-way branch has exactly the edges 1 (true) and 0 (false).";
    ARMS "V109" "arms and out-edges differ"
        "a multi-way BRANCH has one arm for each out-edge, with the same label"
        "The arms of the vertex list the values that choose each label; the out-edges carry the labels (in a graph in the text form `BRANCH select k: [1] 5; [2] default -> 4 [1], 5 [2]`). Both must name the same set.";
    CASES_OVERLAP "V110" "cases overlap or are empty"
        "each value chooses at most one arm of a multi-way BRANCH, and no range of cases is empty"
        "If a value were listed in two arms, the arm taken would depend on the order of the search. A range whose lower bound exceeds its upper bound, and an arm that has no case and is not the default, can never be taken.";
    DEFAULTS "V111" "more than one default"
        "at most one arm of a multi-way BRANCH is the default"
        "The default is taken if no case of any arm matches; there can be only one.";
    NESTING "V112" "loops and branches do not nest"
        "each LOOP has one ENDLOOP and each BRANCH one ENDBRANCH; loops, branches and their arms are nested, never interleaved"
        "The reversal pairs each end with its header: the ENDLOOP becomes the head of the adjoint loop, the ENDBRANCH becomes the adjoint branch. All arms of a branch meet in one ENDBRANCH that nothing else enters, and inside a loop or an arm every loop and branch that begins there also ends there. Jumps out of loops (break, return, goto) must be rewritten with a logical variable, or the routine declared \"control\": \"general\".";
    IRREDUCIBLE "V113" "loop with several entries"
        "every cycle is entered at its LOOP vertex only"
        "The graph is irreducible: a cycle can be entered at more than one vertex, so it has no header. Split vertices until one entry remains, or declare \"control\": \"general\".";
    IDS "V114" "identifier of a vertex or edge"
        "ids of vertices and edges are unique in their graph and within +-2^53; a vertex id is not 0"
        "Diagnostics, pictures and the reversal name vertices by their ids; the adjoint of vertex 5 is -5, therefore 0 has no place. Ids beyond 2^53 are not read exactly by every JSON reader. An edge without an id has the id of its position among the edges.";
    BACK_EDGE "V115" "ENDLOOP does not lead to a LOOP"
        "the successor of an ENDLOOP is its LOOP or FORLOOP, and one predecessor of a LOOP is its ENDLOOP"
        "The edge from ENDLOOP to LOOP is the back edge of the loop; only ENDLOOP has one.";
    BUILDER "V116" "builder used wrongly"
        "a builder's loops and branches end with their own calls, innermost first; what is declared is defined once"
        "The program builder reports calls that do not fit what is open instead of making a graph that breaks Definition 1. The message names the call and what is open there.";
    IN_LABEL "V117" "in-label differs from the nesting"
        "an in_label that is written is the label of the arm or body that its edge ends"
        "In-labels are computed from the nesting: an edge into ENDBRANCH carries the label of its arm, an edge into ENDLOOP the label 1 of the body, any other edge none. They need not be written; what is written is checked.";
    DANGLING "V120" "reference to something that does not exist"
        "every variable, global and routine that is named exists"
        "A program that was assembled in memory names an entity by its index; this index is out of range. Programs read from files cannot have this problem: there names are looked up.";
    NAME "V121" "name not allowed"
        "names are not empty, have at most 1000 bytes and no control characters"
        "Any other text is a legal name; names that a target language does not allow are changed on output.";
    DUPLICATE "V122" "name used twice"
        "names of routines and of globals are unique in the program, names of variables in their routine"
        "Expressions and calls name variables and routines, so a name has one meaning. A local or parameter may have the name of a global that its routine does not use.";
    ROLE "V123" "role of a variable"
        "each global is listed once per routine, with the type and shape of the program's global"
        "A global is one variable of the program: every routine sees it with the same type, shape and storage order.";
    BODY "V124" "neither or both of body and external"
        "a routine has a graph, or it is external"
        "A routine with vertices and edges is reversed; an external one is known by its value and partials, by derivative routines or by callbacks of the library.";
    TAPE_VARIABLE "V125" "tape that is not a scalar parameter or local"
        "a variable of type tape is a scalar parameter or local, and is named only by push, pop and calls"
        "A tape is a set of stacks, not a value: it is passed from routine to routine by reference and cannot be copied, compared or put into arrays.";
    EXTENT "V126" "extent or lower bound"
        "extents and lower bounds are integer scalar expressions over constants, globals and parameters that are defined at entry; those of globals are constants"
        "Shapes are fixed when the routine is entered, before any statement is executed. Locals and out parameters have no value then, and a shape cannot depend on itself. A deferred extent (null) is taken from the actual argument of a parameter, or from an assignment to a whole local array; a global has none.";
    RESULT "V127" "function result"
        "the result of a function is a local variable that is not a tape"
        "The result variable holds the function's value when EXIT is reached. A parameter cannot be the result at the same time.";
    INDEPENDENT "V128" "independent or dependent variable"
        "independents are real in or inout parameters or globals; dependents are real out or inout parameters, globals or the result; parameters that are pointers to reals may be both; each is listed once"
        "Derivatives are those of real variables at the exit with respect to real variables at the entry: an independent has a value at entry, and a dependent is visible after the return. What a pointer leads to is both.";
    INITIAL "V129" "initial values of a global"
        "initial values are constants of the global's type: one for all elements, or one per element"
        "They are given in storage order. An integer constant does not initialise a real: write 1.0. Of globals that share storage only one has initial values.";
    OVERLAY "V130" "overlay of a global"
        "an overlay names a global with storage of its own and the same element type, and lies inside it"
        "Globals that share storage (COMMON, EQUIVALENCE) are given as one global that owns it and others that lie over it at an offset in elements. Chains of overlays and overlays of another type have no defined derivative.";
    EXTERNAL "V131" "value or partials of an external routine"
        "value and partials of an external function are expressions over its parameters, of the result's type; partials belong to different real parameters"
        "They stand for the body that is not there: the partial with respect to a parameter has the parameter's rank if the result is a scalar, and that of the result if it is an array: of each element by its like, or by a scalar parameter.";
    DEPTH "V132" "expression too deep"
        "an expression has at most 100 levels"
        "The limit lets every tool walk an expression without risk. Assign parts of it to variables; the program builder and the front ends do this themselves.";
    OPERANDS "V133" "number of operands"
        "every operator and intrinsic has its number of operands"
        "`+`, `*`, `min`, `max`, `and` and `or` take any number from two (`min`, `max` from one); all others a fixed number.";
    TYPE "V134" "operand of a wrong type"
        "operands have the types that their operator takes; integers mixed with reals are converted, nothing else is"
        "sin, exp and the like take reals: write 1.0, not 1, or convert with [\"real\", e]. real and real32 do not mix without conversion, comparisons take two numbers or (== and !=) two logicals, and, or, not take logicals.";
    SHAPE "V135" "shapes do not conform"
        "arrays in one elementwise operation or assignment have the same rank and extents; scalars are broadcast"
        "Elementwise operations pair the elements of their operands. The target of an array assignment takes an array of its shape or a scalar; a scalar target takes a scalar. What is not constant is checked at run time.";
    SUBSCRIPT "V136" "subscripts"
        "a reference has one subscript per dimension, or none for the whole array; subscripts are integer scalars"
        "Bounds and strides of sections are integer scalars too; a stride is not 0.";
    BOUNDS "V137" "constant subscript out of bounds"
        "a subscript lies between the lower and the upper bound of its dimension"
        "A constant subscript outside constant bounds is an error as soon as it is executed. It is a warning here because the statement may never be.";
    INQUIRY "V138" "inquiry"
        "size, lbound and ubound ask for an array and a constant dimension from 1 to its rank, present for an optional parameter"
        "These operators ask about shapes and arguments, not about values: their operand is not evaluated.";
    ASSIGN "V139" "assignment of another type"
        "both sides of an assignment have the same type"
        "Nothing is converted silently: write 1.0 instead of 1 for a real, or convert with the operators real, int, real32, logical: `real(n)`, in JSON [\"real\", \"n\"].";
    WRITE_IN "V140" "write to an in parameter"
        "an in parameter is not assigned, popped, used as loop index or passed to an out or inout parameter"
        "Declare it inout, or copy it to a local first.";
    CONDITION "V141" "condition, selector or loop bound of a wrong type"
        "a condition is a logical scalar; a selector and the bounds and step of a counted loop are integer scalars"
        "Compare numbers to get a condition: `n != 0`, in JSON [\"!=\", \"n\", 0].";
    LOOP_INDEX "V142" "index of a counted loop"
        "the index of a counted loop is an integer scalar that nothing in the body writes"
        "The number of passes is computed once on entry, and the reverse sweep runs the index backwards. A loop whose body changes its index, or whose bound changes, is not counted: write it as a loop with \"test\": \"pre\" and increment the index in the body.";
    LOOP_STEP "V143" "step 0"
        "the step of a counted loop, and the stride of a section, is not 0"
        "With step 0 the index would never reach the bound.";
    FORLOOP "V144" "FORLOOP that is not counted"
        "a FORLOOP is counted"
        "FORLOOP takes the place of LOOP in adjoint graphs, where every loop runs from 1 to a number of passes.";
    ARGUMENT_COUNT "V145" "number of arguments"
        "a call has one argument per parameter; only optional ones may be left out"
        "Arguments stand in the order of the parameters; null stands for an optional argument that is not given.";
    ARGUMENT_TYPE "V146" "type of an argument"
        "an argument has the type of its parameter"
        "Arguments are passed by reference, so they cannot be converted on the way.";
    ARGUMENT_SHAPE "V147" "shape of an argument"
        "a scalar parameter takes a scalar, one with deferred extents an array of its rank, one of explicit shape an array or an element that is followed by enough cells"
        "A parameter of explicit shape is a view of the argument's cells in the argument's storage order, or of those that start at an element (sequence association), whatever the argument's own rank; a single variable is not an array.";
    ARGUMENT_PLACE "V148" "value given to an out parameter"
        "an out or inout parameter takes a variable, an element or a section"
        "What the routine writes must have a place to go to. Assign the expression to a variable and pass that.";
    CALL_RESULT "V149" "result of a call"
        "only functions have results; the place that takes it has the type and rank of the result"
        "Call a routine without result as `call f(...)`, in JSON [\"call\", \"f\", [...]].";
    OVERLAP "V150" "arguments overlap"
        "arguments of one call do not overlap if one of them is written"
        "With overlapping arguments a write through one parameter would change the other behind the routine's back, and its derivative code would be wrong. Pass a copy, or mark the called routine: `aliased subroutine`, in JSON \"aliased\": true.";
    TAPE_CLASS "V151" "push or pop of a wrong class"
        "the value pushed, or the place popped into, has the type of the class; control takes integers, or logicals in 1 bit"
        "Each class has a stack of its own: integer, real, real32, and control with a number of bits from 1 to 63 or a self-delimiting count.";
    UNDEFINED "V152" "used before it is defined"
        "a local variable or out parameter is assigned before its value is used"
        "No path from ENTRY to this use passes an assignment. Values that are not initialised may be copied, but not computed with. A parameter that brings a value in is in or inout.";
    DERIVATIVE "V153" "parameters of a derivative routine"
        "a routine given as tangent or adjoint has the parameters of the original, its result, and then the derivative of each real one of these in the same order; a tangent routine writes what the original writes, with its tangents; adjoints are inout"
        "The derivative routine is called in place of one that would be generated: with the original's arguments, the place of its result if it is a function, and a derivative for each of these that is real, of the same type and rank (a tangent routine also takes a second tape for each tape). A tangent routine computes what the original computes too. Adjoints are incremented, so they are inout.";
    UNASSIGNED "V154" "never assigned"
        "the result of a function, every out parameter and every dependent is assigned on some path"
        "Nothing in the routine assigns the variable. A result or out parameter then has no value where the routine returns, and a dependent is what it was at entry, so that its derivatives say nothing of the routine. Assign it, or declare a parameter that is only read as in.";
    INTEGER_DIVISION "V155" "integer division in a real expression"
        "a quotient of integer constants that is not a whole number does not become part of a real expression"
        "The quotient of two integers is an integer: 1/2 is 0, so x ** (1/2) is 1. The conversion to a real comes after the division. Write one of the constants as a real.";
    SPAN "V156" "span"
        "a span lies in one of the program's sources and does not end before it begins"
        "A span is source, line, column, last line and the column behind the end; the source is a position in the program's list of sources, from 0. Name the source there, or leave out the span.";
    PARAMETERS "V157" "list of parameters"
        "the list of a routine's parameters names each variable that has that role, once, and no other"
        "The list says which parameter is first, second and so on, and binds the arguments of calls; where a parameter stands among the variables says nothing. A program that was assembled in memory may leave a parameter out of the list, list one twice, or list a local. Programs read from files cannot have this problem: there the parameters are declared in the order of the list.";
    RECORD "V158" "record type"
        "a record has fields of distinct names, each a scalar, an array of constant extents or another record, and does not contain itself"
        "Records are told apart by their names. A record that contained itself would have no end; nesting is at most 100 deep, and all the records in a record have at most 10000 scalars and arrays together.";
    FIELD "V159" "field"
        "the name behind a record is one of its fields"
        "`p.x`, in JSON [\".\", \"p\", \"x\"], is the field x of the record p. A field of an array of records is an array of that field.";
    RECORD_USE "V160" "use of a record"
        "a record is declared, assigned, passed and returned; some uses are not supported, and no variable is called like a field of a record, `p.x`"
        "Not supported are overlays of records, arrays of records as results of functions, records in external routines and in routines with given derivatives, and, of records with array fields, assignment of one to a whole array, arrays in column order and locals with deferred extents. The message says what to write instead.";
    RECORDS "V161" "program with records"
        "a flat program has no records"
        "Derivatives, the executor and the back end for C take flat programs. `cfg_transform::flatten` splits records into a variable for each field; commands do so themselves.";
    POINTER "V162" "use of a pointer"
        "`deref` goes through a scalar pointer, and `shift`, `distance` and comparisons take pointers of one type"
        "At most one number of elements stands behind a pointer. `addr` takes a place that pointers may lead to: no tape, and not more than 16 pointers in a row.";
    ADDRESS "V163" "what a pointer leads to"
        "`addr` takes a scalar, an element or a whole array whose elements stand one behind the other; nothing points to the index of a counted loop"
        "The address of an array is that of its first element. Not supported are the address of a local with deferred extents, which assignments give other storage, and of arrays of records in column order, and pointers in external routines and in routines with given derivatives.";
    POINTERS "V164" "program with pointers"
        "a flat program has no pointers"
        "Derivatives, the executor and the back end for C take flat programs. `cfg_transform::flatten` lowers pointers: what they may lead to becomes elements of global arrays, a pointer two integers. Commands do so themselves, but for `convert --to c`, which needs `--pointers lower`.";
    CHECKPOINT "V165" "checkpoint at the wrong vertex"
        "a BASICBLOCK or a LOOP has a checkpoint; a number of snapshots is for loops"
        "A checkpoint says that a part of the program runs again in the reverse sweep rather than being recorded: the statements of a block, with the calls among them, or the iterations of a loop. A block runs again once, so that one state is kept of it.";
    TOO_MANY "V199" "too many problems"
        "at most 10000 problems are kept"
        "The program has so many problems that listing them all would not help. Mend the first ones.";
}
