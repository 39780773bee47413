# cmake -DISA=v3 -DNM=nm "-DOBJECTS=a.o;b.o" -P CheckIsaObjects.cmake
#
# Objects compiled for a wide instruction set must not define anything that other machines
# could run:
#
# * a weak function whose name does not belong to this instruction set (an inline function or template of a
#   header): the linker keeps one of several copies, possibly this one;
# * a start-up function (an initializer that runs before main): it runs on every machine.
set(found "")
foreach(object IN LISTS OBJECTS)
    execute_process(
        COMMAND "${NM}" --defined-only "${object}"
        OUTPUT_VARIABLE listing
        COMMAND_ERROR_IS_FATAL ANY
    )
    string(REPLACE "\n" ";" lines "${listing}")
    foreach(line IN LISTS lines)
        if(line MATCHES " [Ww] (.*)$" AND NOT CMAKE_MATCH_1 MATCHES "2${ISA}"
           AND NOT CMAKE_MATCH_1 MATCHES "^DW\\.ref\\."
        )
            string(APPEND found "  shared:   ${CMAKE_MATCH_1}\n")
        elseif(line MATCHES " [tT] (_GLOBAL__sub_I_.*)$")
            string(APPEND found "  start-up: ${CMAKE_MATCH_1}\n")
        endif()
    endforeach()
endforeach()
if(found)
    message(
        FATAL_ERROR
        "code for the instruction set ${ISA} can be reached on machines without it:\n${found}"
        "put it into the namespace sevenbag::SB_ISA, make it always inline, or move it out of the multi-ISA source"
    )
endif()
