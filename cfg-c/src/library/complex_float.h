#define REAL float
#define COMPLEX float _Complex
#define OTHER_REAL double
#define OTHER_COMPLEX double _Complex
#define WIDE double
#define F(name) name##f
#define MAKE(x, y) __builtin_complex(x, y)
#define INFINITE __builtin_inff()
#define HUGE 0x1.fffffep127f
#define TINY 0x1p-126f
#define EPSILON 0x1p-23f
#define LOW 0x1p-30f
#define HIGH 0x1p30f
#define ZERO 0.0f
#define QUARTER 0.25f
#define HALF 0.5f
#define ONE 1.0f
#define LN2 0x1.62e430p-1f
#define DIGITS 24
#define POWER 0x1p24f
#define ROOT 0x1p12f
#define LIMIT 88.0f
#define LIMIT_TANH 44.0f
