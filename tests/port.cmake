# SPDX-License-Identifier: Apache-2.0
# Tests that compile CUDA or HIP by ambidex-clang and run it in ambidex-simt.
foreach(topic api_table port_counts runner_launch runner_problems runner_program
        runner_ptx runner_request scan simt_lockstep source_reads translate translate_reports translate_rules
        translate_run translate_tree)
  ambidex_test(${topic})
  add_dependencies(${topic}_test ambidex_cli ambidex_clang ambidex_simt_runner)
endforeach()
foreach(topic bundle compile cuda_headers cut_refused estimate header_names hip_programs
        port_signals port_sources ptx_port repair_attacks repair_loop repair_native repair_sandbox
        runner_managed verify verify_addresses verify_contract verify_lies verify_mutation
        verify_unseen work_done)
  ambidex_test(${topic} slow)
  add_dependencies(${topic}_test ambidex_cli ambidex_clang ambidex_simt_runner)
endforeach()
set_tests_properties(port_sources repair_attacks repair_loop repair_native verify verify_mutation
                     PROPERTIES COST 100)  # the longest go first
add_dependencies(cli_test ambidex_clang ambidex_simt_runner)
target_compile_definitions(cli_test PRIVATE AMBIDEX_HAS_PORT)
add_dependencies(mcp_test ambidex_clang ambidex_simt_runner)
target_compile_definitions(mcp_test PRIVATE AMBIDEX_HAS_PORT)

ambidex_test(gpu)
add_dependencies(gpu_test ambidex_gpu)
foreach(vendor nvidia amd)
  add_library(fake_${vendor} SHARED fake_gpu.cc)
  set_target_properties(fake_${vendor} PROPERTIES
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fake_gpu/${vendor})
  add_dependencies(gpu_test fake_${vendor})
endforeach()
target_compile_definitions(fake_nvidia PRIVATE FAKE_NVIDIA)
set_target_properties(fake_nvidia PROPERTIES OUTPUT_NAME cuda SUFFIX .so.1)
set_target_properties(fake_amd PROPERTIES OUTPUT_NAME amdhip64)

# A kernel that is loaded into the test itself.
ambidex_test(simt_checks_modules)
target_sources(simt_checks_modules_test PRIVATE $<TARGET_OBJECTS:ambidex_simt>  # all of it
                                                $<TARGET_OBJECTS:ambidex_simt_tsan>)
set_target_properties(simt_checks_modules_test PROPERTIES ENABLE_EXPORTS ON)
add_dependencies(simt_checks_modules_test ambidex_clang)
ambidex_test(port_symbolize)
add_library(port_symbolize_module SHARED port_symbolize_module.cc)
target_compile_options(port_symbolize_module PRIVATE -g -O1)
add_dependencies(port_symbolize_test port_symbolize_module ambidex_clang)

# Kernels as ambidex-clang compiles them, by the compiler itself, where it is installed.
find_program(AMBIDEX_CLANGXX clang++-22)
if(AMBIDEX_CLANGXX)
  set(kernels ${CMAKE_CURRENT_BINARY_DIR}/simt_checks_kernels.o)
  add_custom_command(
    OUTPUT ${kernels} DEPFILE ${kernels}.d DEPENDS simt_checks_kernels.cc
    COMMAND ${AMBIDEX_CLANGXX} -std=c++20 -O2 -g -fPIC -Wall -Wextra -Werror -fsanitize=thread
            -mllvm -tsan-distinguish-volatile=1 -mllvm -tsan-instrument-read-before-write=1
            -I${PROJECT_SOURCE_DIR}/include -MD -MF ${kernels}.d
            -c ${CMAKE_CURRENT_SOURCE_DIR}/simt_checks_kernels.cc -o ${kernels} VERBATIM)
  add_custom_target(simt_checks_kernels DEPENDS ${kernels})
  ambidex_test(simt_checks_kernels)
  target_sources(simt_checks_kernels_test PRIVATE ${kernels} $<TARGET_OBJECTS:ambidex_simt_tsan>)
  add_dependencies(simt_checks_kernels_test ambidex_clang)
endif()
