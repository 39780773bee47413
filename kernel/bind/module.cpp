#include <nanobind/nanobind.h>

NB_MODULE(_kernel, module) { module.doc() = "The C++ kernel."; }
