# SPDX-License-Identifier: Apache-2.0
# Generates and installs completion scripts for bash, zsh and fish. The programs print them from their option tables.
set(SPMM_COMPLETION_DIR ${PROJECT_BINARY_DIR}/completions)
set(SPMM_ZSH_COMPLETION_DIR ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Where zsh looks for completions")

# spmm_add_completion(tool shell name folder): writes the output of `tool --help=SHELL` and installs it as folder/name.
function(spmm_add_completion tool shell name folder)
  set(output ${SPMM_COMPLETION_DIR}/${shell}/${name})
  file(MAKE_DIRECTORY ${SPMM_COMPLETION_DIR}/${shell})
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0 $<TARGET_FILE:${tool}> --help=${shell} > ${output}
    DEPENDS ${tool} COMMENT "Completion of ${tool} for ${shell}" VERBATIM)
  set_property(GLOBAL APPEND PROPERTY SPMM_COMPLETIONS ${output})
  install(FILES ${output} DESTINATION ${folder} COMPONENT tools)
endfunction()

if(TARGET spmm-inspect AND NOT CMAKE_CROSSCOMPILING)
  foreach(tool spmm-bench spmm-export spmm-info spmm-inspect spmm-jit spmm-run spmm-update)
    spmm_add_completion(${tool} bash ${tool} ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    spmm_add_completion(${tool} zsh _${tool} ${SPMM_ZSH_COMPLETION_DIR})
    spmm_add_completion(${tool} fish ${tool}.fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endforeach()
  get_property(completions GLOBAL PROPERTY SPMM_COMPLETIONS)
  add_custom_target(spmm_completions ALL DEPENDS ${completions})
endif()
