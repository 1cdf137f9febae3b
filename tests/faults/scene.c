/* SPDX-License-Identifier: Apache-2.0 */
/* See scene.h. */
#include "scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/stat.h>

#define MATRIX \
    "%%MatrixMarket matrix coordinate real general\n4 4 5\n1 1 1\n2 2 2.5\n3 1 -1\n3 3 4\n4 2 1e3\n"

void content_read(const char *path, struct content *content)
{
    FILE *file = fopen(path, "rb");
    content->size = file != NULL ? fread(content->bytes, 1, sizeof content->bytes, file) : 0;
    assert_in_range(content->size, 0, sizeof content->bytes - 1);
    if (file != NULL)
        (void)fclose(file);
}

bool content_is(const struct content *content, const char *path)
{
    static struct content now;
    content_read(path, &now);
    return now.size == content->size && memcmp(now.bytes, content->bytes, now.size) == 0;
}

void content_write(const struct content *content, const char *path)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content->bytes, 1, content->size, file), content->size);
    assert_int_equal(fclose(file), 0);
}

void scene_restore(const struct action *action)
{
    if (action->result != NULL && !content_is(&action->before, action->result))
        content_write(&action->before, action->result);
}

void scene_check_result(const struct action *action, const struct program_end *end)
{
    const bool is_done = end->code == 0;
    if (is_done && strcmp(end->output, action->output) != 0)
        fail_msg("%s: successful with another output after %s: %s", action->program.arguments[0], end->call,
                 end->output);
    if (action->result == NULL || content_is(&action->after, action->result))
        return;
    if (is_done || !content_is(&action->before, action->result))
        fail_msg("%s: exit code %d, and %s is neither what it was nor what it should be, after %s",
                 action->program.arguments[0], end->code, action->result, end->call);
}

int scene_temporaries(const struct scene *s)
{
    DIR *folder = opendir(s->folder);
    int count = 0;
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[512];
        if (strstr(entry->d_name, ".spmm-tmp") == NULL)
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", s->folder, entry->d_name);
        assert_int_equal(unlink(path), 0);
        count++;
    }
    (void)closedir(folder);
    return count;
}

static void name(const struct scene *s, const char *file, char *path)
{
    (void)snprintf(path, SCENE_PATH_MAX, "%s/%s", s->folder, file);
}

static void run_well(const struct program *program, struct program_end *end)
{
    program_run(program, end);
    if (end->code != 0)
        fail_msg("%s %s: exit code %d: %s", program->arguments[0], program->arguments[1], end->code,
                 end->error);
}

static void copy(const char *from, const char *to)
{
    static struct content content;
    content_read(from, &content);
    content_write(&content, to);
}

static void make_inputs(struct scene *s)
{
    static const struct content matrix = {sizeof MATRIX - 1, MATRIX};
    struct program_end end;
    content_write(&matrix, s->matrix);
    copy(SPMM_SOURCE_DIR "/inspector/profiles/cpu.profile", s->profile);
    run_well(&(struct program){.arguments = {"spmm-inspect", s->matrix, "-q", "-o", s->plan}}, &end);
    /* C has the same size as B here, so this output can serve as B. */
    run_well(&(struct program){.arguments = {"spmm-run", s->plan, "--device", "cpu", "--repeat", "0", "-q",
                                             "-n", "3", "-o", s->b}},
             &end);
    copy(s->plan, s->plan_result);
    copy(s->b, s->c_result);
}

static void add(struct scene *s, struct program program, const char *result)
{
    struct action *action = &s->actions[s->count++];
    struct program_end end;
    action->program = program;
    action->program.folder = s->folder;
    action->result = result;
    if (result != NULL)
        content_read(result, &action->before);
    run_well(&action->program, &end);
    strcpy(action->output, end.output);
    if (result != NULL)
        content_read(result, &action->after);
    scene_restore(action);
}

#define DO(input_file, result_file, ...) \
    add(s, (struct program){.arguments = {__VA_ARGS__}, .input = (input_file)}, result_file)

static void make_actions(struct scene *s)
{
    DO(NULL, s->plan_result, "spmm-inspect", "gen:band:90:2", "-q", "-o", s->plan_result);
    DO(NULL, s->c_result, "spmm-run", s->plan, "--device", "cpu", "--repeat", "0", "-q", "-B", s->b, "-o",
       s->c_result);
    DO(NULL, s->plan_result, "spmm-inspect", s->matrix, "-q", "--device", s->profile, "-o", s->plan_result,
       "--dtype", "f64");
    DO(s->matrix, NULL, "spmm-inspect", "-", "-q");
    DO(NULL, NULL, "spmm-inspect", s->matrix, "-q", "--dtype", "f64", "-o", "-");
    DO(NULL, NULL, "spmm-info", s->plan, "--matches", s->matrix);
    DO(s->plan, NULL, "spmm-info", "-", "--full");
    DO(NULL, NULL, "spmm-run", s->plan, "--device", "cpu", "--repeat", "0", "-q", "--check", s->matrix);
}

int scene_set_up(void **state)
{
    struct scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    (void)snprintf(s->folder, sizeof s->folder, "/tmp/spmm-programs-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    assert_int_equal(chmod(s->folder, 0777), 0); /* programs that run as another user write here */
    name(s, "a.plan", s->plan);
    name(s, "a.mtx", s->matrix);
    name(s, "b.npy", s->b);
    name(s, "cpu.profile", s->profile);
    name(s, "result.plan", s->plan_result);
    name(s, "result.npy", s->c_result);
    make_inputs(s);
    make_actions(s);
    *state = s;
    return 0;
}

int scene_tear_down(void **state)
{
    struct scene *s = *state;
    const char *const files[] = {s->plan, s->matrix, s->b, s->profile, s->plan_result, s->c_result};
    (void)scene_temporaries(s);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        (void)unlink(files[i]);
    (void)rmdir(s->folder);
    free(s);
    return 0;
}
