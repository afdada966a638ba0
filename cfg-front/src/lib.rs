//! Front ends of cfgrev: programs in other notations, read into its representation and written back.
//!
//! [`xaif`] reads the exchange format of OpenAD, the system of the paper that cfgrev implements: real
//! programs that another front end has lowered to control-flow graphs.
//!
//! ```
//! use cfg_front::xaif::{Options, read_xaif};
//!
//! let document = br#"<?xml version="1.0"?>
//! <xaif:CallGraph xmlns:xaif="http://www.mcs.anl.gov/XAIF">
//!   <xaif:ScopeHierarchy>
//!     <xaif:Scope vertex_id="1"><xaif:SymbolTable>
//!       <xaif:Symbol symbol_id="f_1" kind="subroutine" type="void"/>
//!     </xaif:SymbolTable></xaif:Scope>
//!     <xaif:Scope vertex_id="2"><xaif:SymbolTable>
//!       <xaif:Symbol symbol_id="X_1" kind="variable" type="real" feType="F8" shape="scalar" active="1"/>
//!       <xaif:Symbol symbol_id="Y_2" kind="variable" type="real" feType="F8" shape="scalar" active="1"/>
//!     </xaif:SymbolTable></xaif:Scope>
//!     <xaif:ScopeEdge edge_id="1" source="2" target="1"/>
//!   </xaif:ScopeHierarchy>
//!   <xaif:ControlFlowGraph vertex_id="1" scope_id="1" symbol_id="f_1" controlflowgraph_scope_id="2">
//!     <xaif:ArgumentList>
//!       <xaif:ArgumentSymbolReference position="1" scope_id="2" symbol_id="X_1" intent="in"/>
//!       <xaif:ArgumentSymbolReference position="2" scope_id="2" symbol_id="Y_2" intent="out"/>
//!     </xaif:ArgumentList>
//!     <xaif:Entry vertex_id="1"/>
//!     <xaif:BasicBlock vertex_id="2" scope_id="2">
//!       <xaif:Assignment statement_id="1">
//!         <xaif:AssignmentLHS><xaif:SymbolReference vertex_id="1" scope_id="2" symbol_id="Y_2"/></xaif:AssignmentLHS>
//!         <xaif:AssignmentRHS>
//!           <xaif:Intrinsic vertex_id="1" name="sin_scal"/>
//!           <xaif:VariableReference vertex_id="2">
//!             <xaif:SymbolReference vertex_id="1" scope_id="2" symbol_id="X_1"/>
//!           </xaif:VariableReference>
//!           <xaif:ExpressionEdge edge_id="1" source="2" target="1" position="1"/>
//!         </xaif:AssignmentRHS>
//!       </xaif:Assignment>
//!     </xaif:BasicBlock>
//!     <xaif:Exit vertex_id="3"/>
//!     <xaif:ControlFlowEdge edge_id="1" source="1" target="2"/>
//!     <xaif:ControlFlowEdge edge_id="2" source="2" target="3"/>
//!   </xaif:ControlFlowGraph>
//! </xaif:CallGraph>"#;
//! let (program, problems) = read_xaif(document, &Options::default());
//! assert!(problems.is_empty(), "{problems}");
//! let program = program.unwrap();
//! let f = program.routine(program.main.unwrap());
//! assert_eq!(f.name, "f");
//! assert_eq!(f.variables[0].name, "x");
//! assert_eq!((f.independents.len(), f.dependents.len()), (1, 1));
//! ```

#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

pub mod xaif;
