struct item { union { float number; double other; } of; double weight; };
double f(struct item *i) { return i->of.number * i->weight; }
