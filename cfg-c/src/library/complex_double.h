#define REAL double
#define COMPLEX double _Complex
#define OTHER_REAL float
#define OTHER_COMPLEX float _Complex
#define F(name) name
#define MAKE(x, y) __builtin_complex(x, y)
#define INFINITE __builtin_inf()
#define HUGE 0x1.fffffffffffffp1023
#define TINY 0x1p-1022
#define EPSILON 0x1p-52
#define LOW 0x1p-300
#define HIGH 0x1p300
#define ZERO 0.0
#define QUARTER 0.25
#define HALF 0.5
#define ONE 1.0
#define LN2 0x1.62e42fefa39efp-1
#define DIGITS 53
#define POWER 0x1p53
#define ROOT 0x1p27
#define LIMIT 709.0
#define LIMIT_TANH 354.0
