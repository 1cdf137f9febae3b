# SPDX-License-Identifier: Apache-2.0
# Generates the manual pages from the option tables of the programs and the texts in tools/man. It runs the programs, so
# cross-compiled builds have no pages. `MANPATH=build/release/man man spmm` shows them before installation.
set(SPMM_MAN_DIR ${PROJECT_BINARY_DIR}/man)

# spmm_add_page(page tool): makes man/manN/PAGE from tools/man/PAGE.in and the output of `tool --help=man`.
function(spmm_add_page page tool)
  string(REGEX REPLACE ".*\\." "man" folder ${page})
  set(output ${SPMM_MAN_DIR}/${folder}/${page})
  set(source ${PROJECT_SOURCE_DIR}/tools/man/${page}.in)
  set(script ${PROJECT_SOURCE_DIR}/tools/man/make_page.cmake)
  file(MAKE_DIRECTORY ${SPMM_MAN_DIR}/${folder})
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D TOOL=$<TARGET_FILE:${tool}> -D SOURCE=${source} -D OUTPUT=${output} -P ${script}
    DEPENDS ${tool} ${source} ${script} COMMENT "Manual page ${page}" VERBATIM)
  set_property(GLOBAL APPEND PROPERTY SPMM_MAN_PAGES ${output})
  install(FILES ${output} DESTINATION ${CMAKE_INSTALL_MANDIR}/${folder} COMPONENT tools)
endfunction()

if(TARGET spmm-inspect AND NOT CMAKE_CROSSCOMPILING)
  foreach(tool spmm-bench spmm-export spmm-info spmm-inspect spmm-jit spmm-run spmm-update)
    spmm_add_page(${tool}.1 ${tool})
  endforeach()
  spmm_add_page(spmm.7 spmm-info)
  get_property(pages GLOBAL PROPERTY SPMM_MAN_PAGES)
  add_custom_target(spmm_man ALL DEPENDS ${pages})
endif()
