#ifndef MACROS_H
#define MACROS_H
#define SQUARE(x) ((x) * (x))
#define SCALE 2
#endif
