// The Python module sevenbag._kernel.
#include <nanobind/nanobind.h>

#include <cstring>

#include "arguments.hpp"
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
        case input:
            break;
    }
    return "InputError";
}

}  // namespace

NB_MODULE(_kernel, m) {
    m.doc() = "The C++ kernel: boards, pieces, rotation systems, placements, games, search.";
#ifdef NDEBUG
    // An interrupted user does not need reports of leaked objects.
    nb::set_leak_warnings(false);
#endif
    nb::register_exception_translator([](const std::exception_ptr& p, void*) {
        try {
            std::rethrow_exception(p);
        } catch (const sevenbag::Error& error) {
            const nb::object type =
                nb::module_::import_("sevenbag.errors").attr(class_name(error.kind()));
            // A truncated text may end within a character.
            const auto text = nb::steal(PyUnicode_DecodeUTF8(
                error.what(), static_cast<Py_ssize_t>(std::strlen(error.what())), "replace"));
            PyErr_SetObject(type.ptr(), text.ptr());
        }
    });
    sevenbag::bind::bind_board(m);
    sevenbag::bind::bind_kicks(m);
    sevenbag::bind::bind_rules(m);
    sevenbag::bind::bind_garbage(m);
    sevenbag::bind::bind_game(m);
    sevenbag::bind::bind_frame_game(m);
    sevenbag::bind::bind_beam_search(m);
    sevenbag::bind::bind_game_batch(m);
    sevenbag::bind::bind_pc_solver(m);
    sevenbag::bind::bind_pc_file(m);
    sevenbag::bind::bind_pc_tablebase(m);
    sevenbag::bind::bind_pc_setup(m);
}
