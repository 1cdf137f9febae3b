/* SPDX-License-Identifier: Apache-2.0 */
/* spmm-jit: lists the cache of compiled kernels, fills it for a plan, or empties it. */
#include <spmm/spmm.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tools/cli/cli.h"
#include "tools/cli/device_choice.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/fail.h"
#include "tools/cli/json.h"
#include "tools/cli/passive_wait.h"
#include "tools/cli/plan_input.h"
#include "tools/cli/print_text.h"
#include "tools/report/prepared_text.h"

#define PROGRAM "spmm-jit"
#define COLUMNS 1 /* any number: an operator serves all widths */

static struct {
    uint64_t budget;
    const char *device_text;
    int json, quiet, device;
} args = {.device_text = "cuda"};

static const struct cli_option options[] = {
    {0, "device", CLI_TEXT, &args.device_text, .value = DEVICE_CHOICE_VALUE, .choices = device_choice_words,
     .help = "with warm: the GPU (default cuda)"},
    CLI_PLAN_BUDGET(&args.budget),
    CLI_JSON(&args.json, "print JSON"),
    CLI_QUIET(&args.quiet, "print nothing, or JSON alone: the exit status is the\nanswer"),
};

static const struct cli_program program = {
    .name = PROGRAM,
    .summary = "List, fill or empty the cache of compiled kernels.",
    .usage = "[options] list | clear | warm PLAN",
    .details = "list says what is in the cache, clear removes it, warm compiles what products of the plan "
               "can use and\n"
               "leaves it there for other programs. Kernels are compiled for small matrices alone.",
    .examples = "  spmm-jit list\n"
                "  spmm-jit warm A.plan                       for spmm-run --jit load\n"
                "  spmm-jit clear",
    CLI_TAKES(options, 1, 2),
};

/* ---- list and clear ---- */

static void list_text(const spmm_jit_cache_t *cache)
{
    const char *file, *key;
    uint64_t bytes = 0, total = 0;
    int64_t used = 0, count = 0;
    char text[PRINT_UNITS_BYTES], size[PRINT_UNITS_BYTES], date[32];
    for (; spmm_jit_cache_at(cache, count, &file, &key, &bytes, &used) == SPMM_OK; count++) {
        const time_t seconds = (time_t)used;
        struct tm parts;
        (void)strftime(date, sizeof date, "%Y-%m-%d %H:%M", gmtime_r(&seconds, &parts));
        printf("%s  %10llu  %s\n", date, (unsigned long long)bytes,
               key != NULL ? key : "damaged or not finished");
        total += bytes;
    }
    printf("%s, %s in ", print_plural(text, count, "file"), print_bytes(size, total));
    print_escaped(stdout, spmm_jit_cache_path(cache)[0] != '\0' ? spmm_jit_cache_path(cache) : "no folder");
    putchar('\n');
    if (spmm_jit_cache_note(cache)[0] != '\0') {
        print_escaped(stdout, spmm_jit_cache_note(cache));
        putchar('\n');
    }
}

static void list_json(const spmm_jit_cache_t *cache)
{
    const char *file, *key;
    uint64_t bytes = 0;
    int64_t used = 0;
    struct json j;
    json_start(&j, stdout);
    json_object(&j, NULL);
    json_text(&j, "folder", spmm_jit_cache_path(cache));
    json_text(&j, "note", spmm_jit_cache_note(cache));
    json_array(&j, "files");
    for (int64_t i = 0; spmm_jit_cache_at(cache, i, &file, &key, &bytes, &used) == SPMM_OK; i++) {
        json_object(&j, NULL);
        json_text(&j, "file", file);
        json_text(&j, "key", key);
        json_uint(&j, "bytes", bytes);
        json_int(&j, "used", used);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
    (void)json_finish(&j);
}

static void cleared_print(const spmm_jit_cache_t *cache, int64_t removed)
{
    char text[PRINT_UNITS_BYTES];
    if (args.json) {
        struct json j;
        json_start(&j, stdout);
        json_object(&j, NULL);
        json_text(&j, "folder", spmm_jit_cache_path(cache));
        json_int(&j, "removed", removed);
        json_end(&j);
        (void)json_finish(&j);
        return;
    }
    printf("%s removed\n", print_plural(text, removed, "file"));
}

static int cache_run(int clears)
{
    spmm_jit_cache_t *cache = NULL;
    spmm_diag_t diag = {0};
    int64_t removed = 0;
    spmm_status_t status = spmm_jit_cache_create(&cache, &diag);
    if (status == SPMM_OK && clears)
        status = spmm_jit_cache_clear(cache, &removed, &diag);
    if (status != SPMM_OK) {
        spmm_jit_cache_destroy(cache);
        return exit_failure(PROGRAM, NULL, status, &diag);
    }
    if (!args.quiet) {
        if (clears)
            cleared_print(cache, removed);
        else if (args.json)
            list_json(cache);
        else
            list_text(cache);
    }
    spmm_jit_cache_destroy(cache);
    return exit_flush(PROGRAM);
}

/* ---- warm ---- */

static void prepared_print(struct json *j, spmm_op_t op, const spmm_preparation_t *result)
{
    if (args.json) {
        json_object(j, NULL);
        json_text(j, "op", spmm_op_name(op));
        prepared_json(j, result);
        json_end(j);
        return;
    }
    printf("op %s: ", spmm_op_name(op));
    prepared_text(result);
}

/* Compiles the operator of one op, if the plan has the op. Sets *missed if the cache does not have the
 * operator afterwards. */
static spmm_status_t warm_op(spmm_executor_t *executor, const spmm_plan_info_t *plan, spmm_op_t op,
                             struct json *j, int *missed, spmm_diag_t *diag)
{
    const int64_t m = op == SPMM_OP_N ? plan->rows : plan->cols,
                  k = op == SPMM_OP_N ? plan->cols : plan->rows;
    const spmm_dense_t b = {NULL, k, COLUMNS, COLUMNS, SPMM_ROW_MAJOR, plan->b_type};
    const spmm_dense_t c = {NULL, m, COLUMNS, COLUMNS, SPMM_ROW_MAJOR, plan->c_type};
    spmm_preparation_t result = {.struct_size = sizeof result};
    const spmm_status_t status =
        spmm_executor_prepare(executor, op, &b, &c, SPMM_PREPARE_ANY_WIDTH, &result, diag);
    if (status == SPMM_ERR_NO_VARIANT && op == SPMM_OP_T)
        return SPMM_OK;
    if (status == SPMM_OK) {
        *missed |= result.how == SPMM_PREPARED_NOT || result.note[0] != '\0'; /* a note: it was not stored */
        if (!args.quiet)
            prepared_print(j, op, &result);
    }
    return status;
}

static spmm_status_t warm_plan(const spmm_plan_t *plan, struct json *j, int *missed, spmm_diag_t *diag)
{
    spmm_executor_options_t executor_options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_plan_info_t info = {.struct_size = sizeof info};
    spmm_executor_t *executor = NULL;
    spmm_status_t status = SPMM_OK;
    executor_options.jit = SPMM_JIT_ON;
    TRY(spmm_plan_info(plan, &info));
    TRY(spmm_executor_create(plan, args.device, &executor_options, &executor, diag));
    for (int op = SPMM_OP_N; op <= SPMM_OP_T; op++)
        TRY(warm_op(executor, &info, (spmm_op_t)op, j, missed, diag));
cleanup:
    spmm_executor_destroy(executor);
    return status;
}

static int warm(const char *path)
{
    const spmm_load_options_t load = {.struct_size = sizeof load, .budget_bytes = args.budget};
    spmm_diag_t diag = {0};
    struct json j;
    int result = EXIT_DONE, missed = 0;
    spmm_plan_t *plan = plan_input_of(PROGRAM, path, &load, &result);
    if (plan == NULL)
        return result;
    json_start(&j, stdout);
    if (args.json)
        json_array(&j, NULL);
    const spmm_status_t status = warm_plan(plan, &j, &missed, &diag);
    spmm_plan_destroy(plan);
    if (args.json) {
        json_end(&j);
        (void)json_finish(&j);
    }
    if (status != SPMM_OK)
        return exit_failure(PROGRAM, path, status, &diag);
    result = exit_flush(PROGRAM);
    return result == EXIT_DONE && missed ? EXIT_NO_FIT : result;
}

/* ---- the command line ---- */

static enum cli_result check_args(const struct cli_operands *operands, int *command)
{
    static const char *const names[] = {"list", "clear", "warm"};
    *command = 0;
    while (*command < 3 && strcmp(operands->list[0], names[*command]) != 0)
        ++*command;
    if (*command == 3)
        return cli_complain(&program, "expected list, clear or warm, found %s", operands->list[0]);
    if (operands->count != (*command == 2 ? 2 : 1))
        return cli_complain(&program, "%s takes %s", names[*command],
                            *command == 2 ? "a plan" : "nothing else");
    return device_choice_read(&program, args.device_text, &args.device);
}

int main(int argc, char **argv)
{
    struct cli_operands operands;
    int command = 0;
    passive_wait(argv);
    enum cli_result parsed = cli_parse(&program, argc, argv, &operands);
    if (parsed == CLI_DONE)
        return exit_flush(PROGRAM);
    if (parsed == CLI_RUN)
        parsed = check_args(&operands, &command);
    args.quiet &= !args.json;
    if (parsed == CLI_USAGE)
        return EXIT_USAGE;
    return command == 2 ? warm(operands.list[1]) : cache_run(command == 1);
}
