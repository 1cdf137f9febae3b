# SPDX-License-Identifier: Apache-2.0
# spmm_find_petsc(result): adds the imported target spmm_petsc_needs (PETSc, and MPI for its headers) and sets result to
# TRUE. On failure result is the reason. The build and the installed package's component petsc use it.
function(spmm_find_petsc result)
  set(${result} TRUE PARENT_SCOPE)
  if(TARGET spmm_petsc_needs)
    return()
  endif()
  find_package(PkgConfig QUIET)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(SPMM_PETSC_PC QUIET IMPORTED_TARGET GLOBAL PETSc>=3.18)
  endif()
  find_package(MPI QUIET COMPONENTS C)
  if(NOT TARGET PkgConfig::SPMM_PETSC_PC OR NOT TARGET MPI::MPI_C)
    set(${result} "no PETSc 3.18 with MPI was found (Debian: petsc-dev, pkg-config)" PARENT_SCOPE)
    return()
  endif()
  include(CheckCSourceCompiles)
  set(CMAKE_REQUIRED_LIBRARIES PkgConfig::SPMM_PETSC_PC MPI::MPI_C)
  check_c_source_compiles("
#include <petscsys.h>
#if defined(PETSC_USE_COMPLEX) || !defined(PETSC_USE_REAL_DOUBLE)
#error
#endif
int main(void) { return PetscInitializeNoArguments(); }" SPMM_PETSC_IS_REAL)
  if(NOT SPMM_PETSC_IS_REAL)
    set(${result} "PETSc's scalars are not real doubles, or no program links with it" PARENT_SCOPE)
    return()
  endif()
  add_library(spmm_petsc_needs INTERFACE IMPORTED GLOBAL)
  target_link_libraries(spmm_petsc_needs INTERFACE PkgConfig::SPMM_PETSC_PC MPI::MPI_C)
endfunction()
