double f(double value) { return 2 * valeu; }
