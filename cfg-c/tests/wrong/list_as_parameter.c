struct link { double value; struct link *next; };
double f(const struct link *list)
{
    double s = 0.0;
    for (; list; list = list->next)
        s += list->value;
    return s;
}
