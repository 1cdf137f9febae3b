# SPDX-License-Identifier: Apache-2.0
# Defines what `cmake --install` installs, with the CMake package and the pkg-config files. Components runtime,
# development and tools are Debian packages (cmake/debian.cmake); documents and petsc are in no package.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/spmm)

install(TARGETS spmm_format spmm_inspector spmm_executor EXPORT spmmTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/spmm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        FILES_MATCHING PATTERN "*.h" PATTERN petsc.h EXCLUDE)
install(EXPORT spmmTargets NAMESPACE spmm:: DESTINATION ${package_dir} COMPONENT development)
if(SPMM_HAVE_PETSC) # in an export set of its own, so that machines without PETSc can use the other targets
  install(TARGETS spmm_petsc EXPORT spmmPetscTargets COMPONENT petsc
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES ${PROJECT_SOURCE_DIR}/include/spmm/petsc.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spmm COMPONENT petsc)
  install(EXPORT spmmPetscTargets NAMESPACE spmm:: DESTINATION ${package_dir} COMPONENT petsc)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/require_petsc.cmake DESTINATION ${package_dir} COMPONENT petsc)
endif()
foreach(tool spmm-inspect spmm-info spmm-run spmm-export spmm-update spmm-bench spmm-jit)
  if(TARGET ${tool})
    install(TARGETS ${tool} DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  endif()
endforeach()
include(cmake/man.cmake)
include(cmake/completions.cmake)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR}
        COMPONENT documents)

# A program that links static libraries must also link their dependencies, so the CMake package finds them.
set(SPMM_STATIC_PACKAGE OFF)
if(NOT BUILD_SHARED_LIBS)
  set(SPMM_STATIC_PACKAGE ON)
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/spmmConfig.cmake.in spmmConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(spmmConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/spmmConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/spmmConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/require_library.cmake DESTINATION ${package_dir}
        COMPONENT development)

# spmm_pkgconfig(name component description requires private): installs name.pc. private: libraries for static linking.
function(spmm_pkgconfig name component description requires private)
  set(cflags "")
  if(NOT BUILD_SHARED_LIBS)
    set(cflags " -DSPMM_STATIC")
  endif()
  string(REPLACE "-" "_" library ${name})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/spmm.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT ${component})
endfunction()

file(RELATIVE_PATH pc_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
set(threads "${OpenMP_C_FLAGS} -pthread -lm")
set(gpu "")
if(SPMM_HAVE_CUDA)
  get_filename_component(cuda_libraries ${CUDA_cudart_static_LIBRARY} DIRECTORY)
  set(gpu " -L${cuda_libraries} -lcudart_static -lstdc++ -lrt -ldl")
endif()
spmm_pkgconfig(spmm-format development "Plans of sparse matrix products" "" "-lzstd ${threads}")
spmm_pkgconfig(spmm-inspector development "From a sparse matrix to a plan" spmm-format "-lzstd -ldeflate -lminizip -lz -llzma -lbz2 ${threads}")
spmm_pkgconfig(spmm-executor development "Sparse times dense products, from plans" spmm-format "${threads}${gpu}")
if(SPMM_HAVE_PETSC) # programs with PETSc are compiled with mpicc, because PETSc.pc does not name the MPI headers
  spmm_pkgconfig(spmm-petsc petsc "Plans inside PETSc and SLEPc"
                 "spmm-inspector spmm-executor PETSc >= 3.18" "${threads}${gpu}")
endif()
