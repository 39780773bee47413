// Run the tests of one executable: all, or those whose name contains an argument.

#include <cstdio>
#include <exception>
#include <string_view>

#include "check.hpp"

namespace {

bool wanted(std::string_view name, int count, char** parts) {
    if (count == 0) return true;
    for (int i = 0; i < count; ++i) {
        if (name.find(parts[i]) != std::string_view::npos) return true;
    }
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    using namespace sevenbag::check;
    int passed = 0;
    int failed = 0;
    for (const Test& test : tests()) {
        if (!wanted(test.name, argc - 1, argv + 1)) continue;
        failures().clear();
        try {
            test.body();
        } catch (const std::exception& error) {
            failures().push_back(std::string("an exception: ") + error.what());
        } catch (...) {
            failures().push_back("an exception of an unknown type");
        }
        if (failures().empty()) {
            ++passed;
            continue;
        }
        ++failed;
        std::printf("FAILED %s\n", test.name);
        for (const std::string& complaint : failures()) std::printf("  %s\n", complaint.c_str());
    }
    std::printf("%d passed, %d failed\n", passed, failed);
    // A name without a matching test is an error, not a success.
    return failed == 0 && passed > 0 ? 0 : 1;
}
