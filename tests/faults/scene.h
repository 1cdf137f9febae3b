/* SPDX-License-Identifier: Apache-2.0 */
/* Provides a folder with inputs and the actions of the tests: runs of programs that read files there and may
 * write one. */
#ifndef TEST_SCENE_H
#define TEST_SCENE_H

#include "program.h"

#define SCENE_PATH_MAX 128
#define SCENE_BYTES_MAX (1 << 20)

struct content {
    size_t size;
    char bytes[SCENE_BYTES_MAX];
};

struct action {
    struct program program;
    const char *result;            /* file that the program writes; NULL: none */
    struct content before, after;  /* content of the result before and after a successful run */
    char output[PROGRAM_TEXT_MAX]; /* expected standard output */
};

enum { ACTIONS_MAX = 16 };

struct scene {
    char folder[64];
    char plan[SCENE_PATH_MAX], matrix[SCENE_PATH_MAX], b[SCENE_PATH_MAX], profile[SCENE_PATH_MAX];
    char plan_result[SCENE_PATH_MAX], c_result[SCENE_PATH_MAX];
    struct action actions[ACTIONS_MAX];
    int count;
};

/* Makes the folder and the inputs, and runs each action once without a fault to record its expected
 * result. */
int scene_set_up(void **state);
int scene_tear_down(void **state);

/* Reads a file. A file that cannot be opened gives size 0. */
void content_read(const char *path, struct content *content);
/* Returns true if the file has exactly this content. */
bool content_is(const struct content *content, const char *path);
void content_write(const struct content *content, const char *path);

/* Restores the content that the result file had before the action. */
void scene_restore(const struct action *action);
/* Checks the output and the result file. After success both must be as expected; after a failure the file may
 * also be as it was before the action. */
void scene_check_result(const struct action *action, const struct program_end *end);
/* Removes all files with temporary names from the folder and returns their number. */
int scene_temporaries(const struct scene *s);

#endif
