// Prints the best instruction set of this machine, as cmake/InstructionSets.cmake names it.
#include <cstdio>

#include "../kernel/cpu_features.hpp"

int main() { std::puts(sevenbag::cpu_has_v4() ? "v4" : sevenbag::cpu_has_v3() ? "v3" : "base"); }
