# SPDX-License-Identifier: Apache-2.0
add_executable(inspect_only ${CMAKE_CURRENT_LIST_DIR}/inspect_only.c)
target_link_libraries(inspect_only spmm::inspector)
add_executable(run_only ${CMAKE_CURRENT_LIST_DIR}/run_only.c)
target_link_libraries(run_only spmm::executor)
add_executable(both ${CMAKE_CURRENT_LIST_DIR}/both.c)
target_link_libraries(both spmm::inspector spmm::executor)
add_executable(both_cxx ${CMAKE_CURRENT_LIST_DIR}/both_cxx.cc)
target_link_libraries(both_cxx spmm::inspector spmm::executor)
