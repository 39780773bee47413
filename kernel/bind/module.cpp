// The Python module sevenbag._kernel.
#include <nanobind/nanobind.h>

#include "bind.hpp"
#include "error.hpp"

namespace nb = nanobind;

namespace {

const char* class_name(sevenbag::ErrorKind kind) {
    using enum sevenbag::ErrorKind;
    switch (kind) {
        case piece:
            return "PieceError";
        case board:
            return "BoardError";
        case kicks:
            return "KicksError";
        case rules:
            return "RulesError";
        case placement:
            return "PlacementError";
        case queue:
            return "QueueError";
    }
    return "InputError";
}

}  // namespace

NB_MODULE(_kernel, m) {
    m.doc() = "The C++ kernel: boards, pieces, rotation systems, placements, games, search.";
#ifdef NDEBUG
    // A user who is interrupted has no need to read what was still alive.
    nb::set_leak_warnings(false);
#endif
    nb::register_exception_translator([](const std::exception_ptr& p, void*) {
        try {
            std::rethrow_exception(p);
        } catch (const sevenbag::Error& error) {
            const nb::object type =
                nb::module_::import_("sevenbag.errors").attr(class_name(error.kind()));
            PyErr_SetString(type.ptr(), error.what());
        }
    });
    sevenbag::bind::bind_core(m);
    sevenbag::bind::bind_kicks(m);
    sevenbag::bind::bind_game(m);
    sevenbag::bind::bind_search(m);
    sevenbag::bind::bind_envs(m);
}
