# SPDX-License-Identifier: Apache-2.0
# Compresses manual pages and changelogs as Debian Policy requires. cpack runs it before it makes the packages.
file(GLOB_RECURSE files ${CPACK_TEMPORARY_DIRECTORY}/spmm*.[1-9] ${CPACK_TEMPORARY_DIRECTORY}/changelog.Debian)
execute_process(COMMAND gzip -9n ${files} COMMAND_ERROR_IS_FATAL ANY)
