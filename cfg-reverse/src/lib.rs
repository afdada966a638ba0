//! Adjoint and tangent programs from control-flow graphs: control-flow reversal, statement adjoints, tape checking.
