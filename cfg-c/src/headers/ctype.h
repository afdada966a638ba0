#pragma once
int isdigit(int); int isalpha(int); int isspace(int);
