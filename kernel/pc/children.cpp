#include "pc/children.hpp"

#include <cstring>

#include "movegen.hpp"

namespace sevenbag {

#define SB_DECLARE(isa)                                                                 \
    namespace isa::pc {                                                                 \
    void find_children(const sevenbag::pc::PieceMotion* const*, std::uint64_t, int,     \
                       std::uint64_t*, int*);                                           \
    sevenbag::pc::Landing find_landing(const sevenbag::pc::PieceMotion&, std::uint64_t, \
                                       std::uint64_t, int);                             \
    }

SB_DECLARE(base)
#if defined(SB_WIDE_SETS)
SB_DECLARE(v3)
SB_DECLARE(v4)
#endif

namespace pc {

namespace {

struct Code {
    FindChildren find_children;
    Landing (*find_landing)(const PieceMotion&, std::uint64_t, std::uint64_t, int);
};

Code choose() {
#if defined(SB_WIDE_SETS)
    if (std::strcmp(instruction_set(), "x86-64-v4") == 0)
        return {v4::pc::find_children, v4::pc::find_landing};
    if (std::strcmp(instruction_set(), "x86-64-v3") == 0)
        return {v3::pc::find_children, v3::pc::find_landing};
#endif
    return {base::pc::find_children, base::pc::find_landing};
}

const Code& children_code() {
    static const Code code = choose();
    return code;
}

}  // namespace

FindChildren find_children() { return children_code().find_children; }

Landing find_landing(const PieceMotion& piece, std::uint64_t board, std::uint64_t child,
                     int height) {
    return children_code().find_landing(piece, board, child, height);
}

}  // namespace pc
}  // namespace sevenbag
