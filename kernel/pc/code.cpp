#include "pc/code.hpp"

#include <cstring>

#include "movegen.hpp"

namespace sevenbag {

#define SB_DECLARE(isa)                                                                    \
    namespace isa::pc {                                                                    \
    void find_rests(const sevenbag::pc::PieceMotion&, std::uint64_t, int, std::uint64_t*); \
    void find_features(std::uint64_t, int, float*);                                        \
    sevenbag::pc::Outcome run_ordered(sevenbag::pc::OrderedSearch&);                       \
    }

SB_DECLARE(base)
#if defined(SB_WIDE_SETS)
SB_DECLARE(v3)
SB_DECLARE(v4)
#endif

namespace pc {

const Code& code() {
    static const Code base_code{base::pc::find_rests, base::pc::find_features,
                                base::pc::run_ordered};
#if defined(SB_WIDE_SETS)
    static const Code v3_code{v3::pc::find_rests, v3::pc::find_features, v3::pc::run_ordered};
    static const Code v4_code{v4::pc::find_rests, v4::pc::find_features, v4::pc::run_ordered};
    if (std::strcmp(instruction_set(), "avx512") == 0) return v4_code;
    if (std::strcmp(instruction_set(), "x86-64-v3") == 0) return v3_code;
#endif
    return base_code;
}

}  // namespace pc
}  // namespace sevenbag
