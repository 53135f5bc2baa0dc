#ifndef CXX_GNUPLOT_H
#define CXX_GNUPLOT_H
#endif
