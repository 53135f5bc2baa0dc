#include "CxxGnuplot.h"
