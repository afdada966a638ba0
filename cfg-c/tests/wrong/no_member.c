typedef struct { double height, width; } Box;
double f(Box b) { return b.hieght; }
