# SPDX-License-Identifier: Apache-2.0
# Builds the libraries from the object libraries of the folders.
#
# libspmm_format has the code that the inspector and the executor share. Its public functions have the
# symbol version SPMM_1. Its internal functions are exported under a version that names the exact release,
# so that the loader refuses to combine libraries of two releases.
set(SPMM_SOVERSION 1)

# A relative RPATH lets installed tools find the libraries under any prefix, without ldconfig or LD_LIBRARY_PATH.
# CMAKE_INSTALL_RPATH overrides it; CMAKE_SKIP_INSTALL_RPATH=ON omits it, as distributions do.
if(BUILD_SHARED_LIBS AND NOT DEFINED CMAKE_INSTALL_RPATH)
  file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/${bin_to_lib}")
endif()

# spmm_add_library(name folder MAP map OBJECTS part... [PUBLIC library...] [PRIVATE library...]): adds library `name`,
# with the alias spmm::folder. MAP: the version script in cmake/, for shared libraries.
function(spmm_add_library name folder)
  cmake_parse_arguments(PARSE_ARGV 2 library "" "MAP" "OBJECTS;PUBLIC;PRIVATE")
  set(objects "")
  foreach(part ${library_OBJECTS})
    list(APPEND objects $<TARGET_OBJECTS:${part}>)
  endforeach()
  add_library(${name} ${objects})
  add_library(spmm::${folder} ALIAS ${name})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${folder} LINKER_LANGUAGE C
    VERSION ${PROJECT_VERSION} SOVERSION ${SPMM_SOVERSION})
  target_include_directories(${name} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${name} PUBLIC ${library_PUBLIC} PRIVATE ${library_PRIVATE}
                                PRIVATE $<BUILD_INTERFACE:spmm_compile_options>)
  if(BUILD_SHARED_LIBS)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/${library_MAP} ${name}.map @ONLY)
    set_target_properties(${name} PROPERTIES LINK_DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${name}.map)
    target_link_options(${name} PRIVATE -Wl,--version-script=${CMAKE_CURRENT_BINARY_DIR}/${name}.map
                                        -Wl,-Bsymbolic-functions)
    if(NOT SPMM_SANITIZE)
      target_link_options(${name} PRIVATE -Wl,--no-undefined) # with sanitizers, the program provides the runtime
    endif()
  endif()
endfunction()

if(BUILD_SHARED_LIBS)
  set_target_properties(spmm_format_objects PROPERTIES C_VISIBILITY_PRESET default)
else()
  target_compile_definitions(spmm_compile_options INTERFACE SPMM_STATIC)
endif()

set(runtime OpenMP::OpenMP_C Threads::Threads m)
spmm_add_library(spmm_format format MAP format.map.in OBJECTS spmm_format_objects PRIVATE spmm_zstd ${runtime})
spmm_add_library(spmm_inspector inspector MAP public.map.in OBJECTS spmm_inspector_objects
                 PUBLIC spmm_format PRIVATE spmm_zstd spmm_deflate spmm_minizip spmm_lzma spmm_bzip2 ${runtime})
set(cuda_runtime "")
set(cuda_objects "")
foreach(objects spmm_kernels_objects spmm_kernels_wgmma)
  if(TARGET ${objects})
    list(APPEND cuda_objects ${objects})
  endif()
endforeach()
if(SPMM_HAVE_CUDA)
  set(cuda_runtime CUDA::cudart_static stdc++) # nvcc's launch stubs have guarded static variables
endif()
spmm_add_library(spmm_executor executor MAP public.map.in OBJECTS spmm_executor_objects ${cuda_objects}
                 PUBLIC spmm_format PRIVATE ${runtime} ${CMAKE_DL_LIBS} ${cuda_runtime})
if(SPMM_HAVE_PETSC)
  spmm_add_library(spmm_petsc petsc MAP petsc.map.in OBJECTS spmm_petsc_objects
                   PUBLIC spmm_executor spmm_petsc_needs PRIVATE spmm_inspector ${cuda_runtime})
endif()
