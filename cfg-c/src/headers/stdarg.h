#pragma once
/* A list of arguments is only handed on to functions that print; its values are not read. */
typedef int va_list;
void __cfgrev_va_start(va_list, ...); void __cfgrev_va_end(va_list); double __cfgrev_va_arg(va_list);
#define va_start(list, last) __cfgrev_va_start(list, last)
#define va_end(list) __cfgrev_va_end(list)
#define va_copy(to, from) __cfgrev_va_end(to)
#define va_arg(list, type) __cfgrev_va_arg(list)
/* What the macros become in files that are preprocessed. */
typedef va_list __builtin_va_list; typedef va_list __gnuc_va_list;
void __builtin_va_start(va_list, ...); void __builtin_va_end(va_list); void __builtin_va_copy(va_list, va_list);
