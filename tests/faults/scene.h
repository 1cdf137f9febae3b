/* SPDX-License-Identifier: Apache-2.0 */
/* A folder with inputs, and what the programs do there: each reads some files and may write one. */
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
    const char *result;            /* file that it writes; NULL: none */
    struct content before, after;  /* of the result */
    char output[PROGRAM_TEXT_MAX]; /* that it prints */
};

enum { ACTIONS_MAX = 16 };

struct scene {
    char folder[64];
    char plan[SCENE_PATH_MAX], matrix[SCENE_PATH_MAX], b[SCENE_PATH_MAX], profile[SCENE_PATH_MAX];
    char plan_result[SCENE_PATH_MAX], c_result[SCENE_PATH_MAX];
    struct action actions[ACTIONS_MAX];
    int count;
};

/* Makes the folder and the inputs, and runs each action once without a fault. */
int scene_set_up(void **state);
int scene_tear_down(void **state);

void content_read(const char *path, struct content *content);
bool content_is(const struct content *content, const char *path);
void content_write(const struct content *content, const char *path);

/* Puts back what was there before the action. */
void scene_restore(const struct action *action);
/* Whole, as after it if it was successful, and as before or after it if not. */
void scene_check_result(const struct action *action, const struct program_end *end);
/* How many files with temporary names there are; removes them. */
int scene_temporaries(const struct scene *s);

#endif
