# SPDX-License-Identifier: Apache-2.0
# `cmake --build BUILD --target docs` writes the API reference of the public headers to BUILD/docs/html. Any Doxygen
# warning, such as a public symbol without a comment, is an error. include/spmm/common.h shows the comment style.
find_package(Doxygen 1.9)
if(NOT DOXYGEN_FOUND OR NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

set(DOXYGEN_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/docs)
set(DOXYGEN_PROJECT_NAME spmm)
set(DOXYGEN_PROJECT_BRIEF "Sparse times dense matrix products from inspected plans")
set(DOXYGEN_OPTIMIZE_OUTPUT_FOR_C YES)
set(DOXYGEN_TYPEDEF_HIDES_STRUCT YES)
set(DOXYGEN_SORT_MEMBER_DOCS NO)
set(DOXYGEN_STRIP_FROM_PATH ${PROJECT_SOURCE_DIR}/include)
set(DOXYGEN_STRIP_FROM_INC_PATH ${PROJECT_SOURCE_DIR}/include)
set(DOXYGEN_HAVE_DOT NO)
set(DOXYGEN_QUIET YES)
set(DOXYGEN_GENERATE_XML YES)
set(DOXYGEN_XML_PROGRAMLISTING NO)

# Comments are plain text: the first sentence is the summary, and stars and underscores have no special meaning.
set(DOXYGEN_JAVADOC_AUTOBRIEF YES)
set(DOXYGEN_MARKDOWN_SUPPORT NO)

set(DOXYGEN_EXTRACT_ALL NO)
set(DOXYGEN_WARN_NO_PARAMDOC NO)
set(DOXYGEN_WARN_IF_INCOMPLETE_DOC NO)
set(DOXYGEN_WARN_AS_ERROR FAIL_ON_WARNINGS)

# The statuses are defined by a list macro. The filter expands it for Doxygen.
set(DOXYGEN_FILTER_PATTERNS "*/common.h=awk -f ${PROJECT_SOURCE_DIR}/cmake/status_list.awk")
set(DOXYGEN_MACRO_EXPANSION YES)
set(DOXYGEN_EXPAND_ONLY_PREDEF YES)
set(DOXYGEN_PREDEFINED SPMM_API= SPMM_STATIC)
set(DOXYGEN_EXCLUDE_SYMBOLS SPMM_*_H SPMM_API)

doxygen_add_docs(docs ${PROJECT_SOURCE_DIR}/include/spmm COMMENT "API reference in ${DOXYGEN_OUTPUT_DIRECTORY}/html")

# Doxygen does not warn about headers without @file or enumerators without a comment; this script does.
find_program(SPMM_PYTHON python3)
if(SPMM_PYTHON)
  add_custom_command(TARGET docs POST_BUILD
    COMMAND ${SPMM_PYTHON} ${PROJECT_SOURCE_DIR}/tools/dev/api_documented ${DOXYGEN_OUTPUT_DIRECTORY}/xml VERBATIM)
endif()
