# SPDX-License-Identifier: Apache-2.0
# Configures the Debian packages. cmake --preset debian && cmake --build --preset debian && cpack --preset debian
# writes libspmm1, libspmm-dev and spmm-tools into build/debian (docs/decisions/0056-three-debian-packages.md).
option(SPMM_DEBIAN "Let cpack write Debian packages; the build is for /usr" OFF)
if(NOT SPMM_DEBIAN)
  return()
endif()
set(folder ${PROJECT_SOURCE_DIR}/cmake/debian)

# The maintainer is the person who builds the package, named by DEBFULLNAME and DEBEMAIL as for Debian's own tools.
set(maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
if(NOT maintainer MATCHES "^[^<]+ <[^<>@]+@[^<>@]+>$")
  message(FATAL_ERROR "SPMM_DEBIAN: expected DEBFULLNAME and DEBEMAIL in the environment, found '${maintainer}'")
endif()
set(revision 0spmm1) # lower than the revisions of official Debian packages
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # SOURCE_DATE_EPOCH if it is set, else the current time

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME spmm)
set(CPACK_PACKAGE_CONTACT "${maintainer}")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL runtime development tools)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${revision})
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}) # has the libraries before they are installed
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PRE_BUILD_SCRIPTS ${folder}/compress.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${folder}/finish.cmake)

set(text "spmm analyses a sparse matrix once and writes a plan file. With the
plan it multiplies the matrix by dense ones, many times, on an NVIDIA
GPU or a CPU, with the same bits every time.
")

# The number in the package name is the number in the SONAMEs.
set(library libspmm${SPMM_SOVERSION})
set(same_version "(= ${PROJECT_VERSION}-${revision})")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ${library})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "sparse times dense matrix products (libraries)
${text}
This package has the shared libraries: the inspector makes plans, the
executor runs them.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libspmm-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library} ${same_version}")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "sparse times dense matrix products (development files)
${text}
This package has the headers, and files for CMake and pkg-config.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME spmm-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "${library} ${same_version}")
set(CPACK_DEBIAN_TOOLS_DESCRIPTION "sparse times dense matrix products (programs)
${text}
This package has the programs, which make, show, change, run and export
plans.")

configure_file(${folder}/changelog.in debian/changelog.Debian @ONLY)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  install(FILES ${folder}/copyright ${PROJECT_BINARY_DIR}/debian/changelog.Debian
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
endforeach()
install(FILES ${folder}/overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME ${library} COMPONENT runtime)

include(CPack)
