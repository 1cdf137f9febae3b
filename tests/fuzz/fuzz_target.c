/* SPDX-License-Identifier: Apache-2.0 */
/* Names the row of the table in fuzz_readers.c that this program runs. */
extern const char fuzz_target_name[];
const char fuzz_target_name[] = FUZZ_TARGET;
