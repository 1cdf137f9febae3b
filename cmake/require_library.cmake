# SPDX-License-Identifier: Apache-2.0
# spmm_require_library(target header library debian): adds an imported target, or stops with an error that
# names the Debian package. The build and the installed package of a static build use it.
function(spmm_require_library target header library debian)
  if(TARGET ${target})
    return()
  endif()
  string(MAKE_C_IDENTIFIER ${target}_${library} variable)
  find_path(${variable}_INCLUDE_DIR ${header})
  find_library(${variable}_LIBRARY ${library})
  mark_as_advanced(${variable}_INCLUDE_DIR ${variable}_LIBRARY)
  if(NOT ${variable}_INCLUDE_DIR OR NOT ${variable}_LIBRARY)
    message(FATAL_ERROR "spmm needs ${header} and ${library} (Debian: ${debian})")
  endif()
  add_library(${target} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES
    IMPORTED_LOCATION "${${variable}_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${${variable}_INCLUDE_DIR}")
endfunction()
