#pragma once
typedef struct __cfgrev_va_list va_list;
