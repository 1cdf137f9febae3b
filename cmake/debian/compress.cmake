# SPDX-License-Identifier: Apache-2.0
# Before cpack makes the packages: manual pages and changelogs are compressed, as Debian Policy asks.
file(GLOB_RECURSE files ${CPACK_TEMPORARY_DIRECTORY}/spmm*.[1-9] ${CPACK_TEMPORARY_DIRECTORY}/changelog.Debian)
execute_process(COMMAND gzip -9n ${files} COMMAND_ERROR_IS_FATAL ANY)
