# Instruction sets chosen at run time.
#
# A multi-ISA source is compiled once per instruction set, with SB_ISA defined as its name. It
# defines everything in the namespace sevenbag::SB_ISA, and the kernel selects one version at
# start-up: one binary runs on every machine and uses wide instructions if they exist.
# SEVENBAG_INSTRUCTION_SETS=native compiles only the best set of this machine, in a third of the
# time.

set(SEVENBAG_INSTRUCTION_SETS all CACHE STRING "Instruction sets of the multi-ISA code: all or native")

set(SEVENBAG_ISA_FLAGS_base "")
set(SEVENBAG_ISA_FLAGS_v3 -march=x86-64-v3)
# v4 means the AVX-512 of Ice Lake and Zen 4; x86-64-v4 alone lacks byte permutes, compress and population counts in vectors.
set(SEVENBAG_ISA_FLAGS_v4 -march=x86-64-v4 -mavx512vbmi -mavx512vbmi2 -mavx512vpopcntdq)

# With sanitizers g++ needs more than ten minutes for each of the wide sets, clang half a minute:
# clang sanitizes them in the fuzz build (make fuzz).
if((SEVENBAG_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
   OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$"
   OR NOT CMAKE_SIZEOF_VOID_P EQUAL 8
)
    set(SEVENBAG_ISAS base)
elseif(SEVENBAG_INSTRUCTION_SETS STREQUAL "native" AND NOT CMAKE_CROSSCOMPILING)
    try_run(
        runs compiles "${CMAKE_BINARY_DIR}/native_set" "${CMAKE_CURRENT_LIST_DIR}/native_set.cpp"
        RUN_OUTPUT_VARIABLE SEVENBAG_ISAS
    )
    string(STRIP "${SEVENBAG_ISAS}" SEVENBAG_ISAS)
else()
    set(SEVENBAG_ISAS base v3 v4)
endif()

# sevenbag_add_multi_isa_sources(TARGET SOURCE...): add the sources to TARGET, once for each instruction set.
#
# The order matters: `base` comes first, so that of two equal inline functions the linker keeps the
# one that runs everywhere. cmake/CheckIsaObjects.cmake, run by ctest, checks that none exist.
function(sevenbag_add_multi_isa_sources target)
    foreach(isa IN LISTS SEVENBAG_ISAS)
        set(part ${target}_${isa})
        add_library(${part} OBJECT ${ARGN})
        target_link_libraries(${part} PRIVATE sevenbag_options)
        set_target_properties(
            ${part} PROPERTIES UNITY_BUILD ${SEVENBAG_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE 0
        )
        target_compile_definitions(${part} PRIVATE SB_ISA=${isa})
        # Vectors wider than the machine's are only passed to inlined functions.
        target_compile_options(${part} PRIVATE ${SEVENBAG_ISA_FLAGS_${isa}} -Wno-psabi)
        if(SEVENBAG_SANITIZE)
            # The address sanitizer detects the same memory errors; in unrolled code these cost
            # minutes of compile time.
            target_compile_options(
                ${part} PRIVATE -fno-sanitize=null,alignment,object-size,pointer-overflow,vptr
            )
        endif()
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:${part}>)
        target_compile_definitions(${target} PRIVATE SB_SET_${isa})
    endforeach()
endfunction()
