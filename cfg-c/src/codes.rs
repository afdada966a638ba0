//! The codes of the C front end: title, rule and explanation of each.

cfg_core::diagnostic_codes! {
    /// Every code of the C front end, in order.
    pub CODES of pub(crate) codes;
    SYNTAX "C001" "not C99"
        "A file is a sequence of declarations and function definitions of C99."
        "The text cannot be understood at this place. Reading goes on after the next semicolon or closing brace, so other problems are told as well. Of what compilers add to the language, inline assembly, vectors, and statements in expressions that are more than declarations and expressions are not read.";
    PREPROCESSOR "C002" "preprocessing"
        "Directives and macros are those of C99."
        "Conditions end with #endif, macros are called with as many arguments as they have parameters, and the condition of an #if is an integer constant expression.";
    INCLUDE "C003" "file not found"
        "A file that is included in quotes lies beside the file that includes it, or in a folder that -I names; one in angle brackets is a header of the standard library, or lies in such a folder."
        "Headers of the standard library are known and never read. Another one that is neither beside the file nor in a folder of -I is taken, with a warning, if it is the only one of its name in the folders around. One that is nowhere is a warning: what it declares is not known, which matters only where it is needed, and its macros are not defined. Name the folder with -I, or have the file go through another preprocessor first (--preprocess 'cc -E').";
    UNKNOWN "C004" "unknown name"
        "A variable, function or label that is named is declared before."
        "Names of the standard library are known after an #include of their header, functions also where the file declares them.";
    TYPE "C005" "type not supported"
        "Types are the arithmetic types of C, structures of them, pointers to these and arrays of these."
        "Unions of members of different types, complex numbers of integers and of long double, and pointers to pointers to pointers are not supported. Pass what a member points to as an argument of its own, and matrices as arrays such as double a[n][m] or as one pointer to rows in sequence.";
    POINTER "C006" "pointer used in a way that is not supported"
        "A pointer is a parameter or a local that points into arrays that are known: parameters, variables, and memory that the function allocates."
        "A pointer that keeps its place becomes a view of an array, one that walks or is assigned an index into it; for one of several arrays, the statements that use it are branches. A pointer that is stored in an array, global, or made from a number is refused, and so are comparisons between different arrays: pass arrays and indices instead. Of structures that have pointers only local ones are supported, each member as a variable of its own: which one a pointer points to must be the same wherever it is used, and a function that takes or returns one does not call itself.";
    FUNCTION "C007" "function without a body"
        "A function that is called is defined in the file, is declared external with its derivatives, or is a function of the standard library that is supported."
        "The derivative of a function whose text is not there cannot be made. The only file of the repository that defines it is read, too, with a warning of this code; name it otherwise, or say with --external or #pragma cfgrev external what its derivatives are (`cfgrev explain c`). A function that is called through a pointer is one that the file assigns to such pointers; of a parameter of the function to differentiate nothing is known: write a function that passes one of the file, and differentiate that.";
    LIBRARY "C008" "function of the library not supported"
        "The functions of the standard library that are supported are listed in `cfgrev explain c`."
        "Where the message names no substitute, write what is needed in C.";
    CONTROL "C009" "jump not supported"
        "break and continue stand in a loop or switch, case labels in a switch, and goto names a label of its function."
        "Put the statement where it belongs, or declare the label.";
    ORDER "C010" "order not determined"
        "A variable that is changed in an expression is not used in another part of it, unless C says which comes first."
        "C leaves open which operand of +, = or a call is evaluated first, so that the value of such an expression depends on the compiler. Write the side effect as a statement of its own.";
    LIMIT "C011" "too deep or too large"
        "Statements, parentheses, declarators, included files and calls of macros nest at most 200 deep; macros make and read at most a million tokens, of which those count as more that came through many macros, or that are long texts."
        "Split the function or the expression.";
    ROUTINE "C012" "function to differentiate"
        "The function that is chosen is defined in the file, has a body, and is not called main."
        "Name it with --routine. Without that it is the only function that no other calls, or else all are read.";
    OPERAND "C013" "operand of a wrong type"
        "Operands have the types that C asks for; both sides of an assignment are numbers."
        "A compiler would refuse the expression, too, or warn of it.";
    LONG_DOUBLE "C014" "long double is double"
        "long double is read as double."
        "Values have the precision of double, in the program and in its derivatives.";
    EXTENT "C015" "extent of an array"
        "The extents of parameters and of arrays of structures are made of constants, parameters that are never assigned, and locals that are initialised with such values and never assigned."
        "The extents must be known where the function begins, but for local arrays of numbers. Compute them in the caller and pass them as parameters.";
    INITIAL "C016" "initial value not supported"
        "Initial values are numbers, in braces for arrays and structures; those of globals and static variables are constants: numbers, and addresses of variables that are kept."
        "Assign the values in the function instead.";
    TWICE "C017" "declared twice"
        "A name is declared once in its scope, a function defined once, a label placed once."
        "Rename one of the two.";
    VALUE "C018" "constant needed"
        "Case labels, enumerators and extents of globals are integer constant expressions."
        "Write a number, or a macro or enumerator that is one.";
    IGNORED "C019" "left out"
        "Output and other calls that compute nothing are left out of the program."
        "printf and its like write nothing that the function computes with, and a function of another file that returns nothing and is given nothing that it could write to changes nothing here. What their arguments change is changed all the same. Pragmas for several threads are passed over: one thread computes everything.";
    CLEANUP "C020" "call at the end of a scope"
        "Functions are called where the text calls them."
        "A variable with the attribute `cleanup` has a function called wherever its scope is left. Take the attribute out, and call the function there; free need not be called.";
    SYSTEM "C021" "said by the system"
        "What the system says is no input of the program."
        "clock, time and their like give 0, so that a function computes the same at each call: of numbers that are made of them `check` tells that the compiled file has others, and goes on. Ask in the caller, and pass what matters as a parameter.";
}
