/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of device profiles. Each line is "key = number ...". A line that begins with a blank continues the
 * list of the previous line. # begins a comment. Each key occurs at most once, in any order. */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "inspector/read/decimal.h"
#include "device_profile.h"
#include "device_profile_texts.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"

#define GRID_MAX (SPMMI_PROFILE_LIST_MAX * SPMMI_PROFILE_LIST_MAX)
#define CONSTANTS (2 + SPMMI_TERMS) /* without the norm, which is optional */
#define KEY_BYTES 64
#define MODEL "model."
#define RISK "risk."
#define RISK_MAX 100.0
#define LEAST 1e-30
#define MOST 1e30
static_assert(sizeof(struct spmmi_model_constants) == (CONSTANTS + 1) * sizeof(double), "a list of doubles");

/* The numbers as parsed: the profile, and numbers that are converted before they are stored in it. */
struct draft {
    struct spmmi_device_profile profile;
    double target, multiprocessors;
    int grid_count, scatter_rates, strided_rates, named_count;
    double grid[GRID_MAX];
};

enum need { REQUIRED, ON_A_GPU, NOT_NEEDED };
enum kind { REAL, WHOLE };
struct key {
    const char *name;
    size_t at, count_at;    /* offsets in struct draft of the numbers and of their count; 0: no count */
    int most;               /* maximum number of numbers */
    double scale;           /* from the unit of the key to bytes, seconds and so on */
    double least, greatest; /* range of the numbers in the file */
    enum need need;
    enum kind kind;
};

#define AT(field) offsetof(struct draft, profile.field)
#define ONE(name, field, scale, need)                         \
    {                                                         \
        name, AT(field), 0, 1, scale, LEAST, MOST, need, REAL \
    }
#define LIST(name, field, count, scale, kind)                                                  \
    {                                                                                          \
        name, AT(field), AT(count), SPMMI_PROFILE_LIST_MAX, scale, LEAST, MOST, REQUIRED, kind \
    }
static const struct key keys[] = {
    {"target", offsetof(struct draft, target), 0, 1, 1, 0, 999, REQUIRED, WHOLE},
    {"multiprocessors", offsetof(struct draft, multiprocessors), 0, 1, 1, 1, 65536, REQUIRED, WHOLE},
    ONE("clock_ghz", clock_hz, 1e9, REQUIRED),
    ONE("l2_mib", l2_bytes, 1048576, REQUIRED),
    ONE("l1_kib", l1_bytes, 1024, REQUIRED),
    ONE("shared_sm_kib", shared_sm_bytes, 1024, ON_A_GPU),
    ONE("shared_block_kib", shared_block_bytes, 1024, ON_A_GPU),
    {"registers_sm", AT(registers_sm), 0, 1, 1, 1, MOST, ON_A_GPU, WHOLE},
    ONE("launch_us", launch_s, 1e-6, REQUIRED),
    ONE("copy_gbs", copy_rate, 1e9, REQUIRED),
    ONE("peak_gbs", peak_bandwidth, 1e9, REQUIRED),
    ONE("peak_gflops", peak_flops, 1e9, REQUIRED),
    ONE("shared_gbs", shared_rate, 1e9, ON_A_GPU),
    ONE("l1_gbs", l1_rate, 1e9, REQUIRED),
    ONE("fma_f32_gflops", fma_f32, 1e9, REQUIRED),
    ONE("fma_f64_gflops", fma_f64, 1e9, REQUIRED),
    ONE("mma_tf32_gflops", mma_tf32, 1e9, ON_A_GPU),
    ONE("mma_f16_gflops", mma_f16, 1e9, ON_A_GPU),
    ONE("mma_f64_gflops", mma_f64, 1e9, ON_A_GPU),
    LIST("gather_row_bytes", gather.row_bytes, gather.row_count, 1, WHOLE),
    LIST("gather_set_mib", gather.set_bytes, gather.set_count, 1048576, REAL),
    {"gather_gbs", offsetof(struct draft, grid), offsetof(struct draft, grid_count), GRID_MAX, 1e9, LEAST,
     MOST, REQUIRED, REAL},
    LIST("scatter_row_bytes", scatter.x, scatter.count, 1, WHOLE),
    {"scatter_gbs", AT(scatter.rate), offsetof(struct draft, scatter_rates), SPMMI_PROFILE_LIST_MAX, 1e9,
     LEAST, MOST, REQUIRED, REAL},
    LIST("strided_bytes", strided.x, strided.count, 1, WHOLE),
    {"strided_gbs", AT(strided.rate), offsetof(struct draft, strided_rates), SPMMI_PROFILE_LIST_MAX, 1e9,
     LEAST, MOST, REQUIRED, REAL},
};
#define KEY_COUNT (sizeof keys / sizeof keys[0])

struct reader {
    const char *file;
    char *at; /* zero-terminated */
    uint64_t line;
    struct draft *draft;
    uint64_t seen[KEY_COUNT], name_seen; /* the line of each key; 0: not seen yet */
    uint64_t model_seen[SPMMI_PROFILE_MODELS][SPMMI_MODEL_TYPES];
    uint64_t risk_seen[SPMMI_PROFILE_NAMES][SPMMI_MODEL_TYPES + 1];
    char word[KEY_BYTES]; /* the current key, if it is model.* or risk.* */
    spmm_diag_t *diag;
};

#define MISTAKE(r, ...) \
    SPMM_FAIL_AT(SPMM_ERR_ARGUMENT, (r)->diag, ((struct spmmi_where){.line = (r)->line}), __VA_ARGS__)
#define EXPECT(r, condition, ...)      \
    do {                               \
        if (!(condition))              \
            MISTAKE((r), __VA_ARGS__); \
    } while (0)
#define HERE "the profile \"%.60s\", line %llu: "
#define POSITION(r) (r)->file, (unsigned long long)(r)->line

static void skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, " \t\r");
    if (*r->at == '#')
        r->at += strcspn(r->at, "\n");
}

/* Moves to the next line. Returns true if it continues the same list. */
static int next_line(struct reader *r)
{
    if (*r->at == '\n') {
        r->at++;
        r->line++;
    }
    return *r->at == ' ' || *r->at == '\t';
}

static spmm_status_t read_number(struct reader *r, const struct key *key, double *number)
{
    spmm_status_t status = SPMM_OK;
    const size_t word = strcspn(r->at, " \t\r\n#");
    const char *const end = spmmi_decimal_read(r->at, r->at + word, number);
    EXPECT(r, end == r->at + word, HERE "expected a number for %s, found \"%.*s\"", POSITION(r), key->name,
           word < 40 ? (int)word : 40, r->at);
    EXPECT(r, isfinite(*number) && *number >= key->least && *number <= key->greatest,
           HERE "%s must be in %g..%g, found %g", POSITION(r), key->name, key->least, key->greatest, *number);
    EXPECT(r, key->kind == REAL || *number == floor(*number),
           HERE "%s must be a whole number, found \"%.*s\"", POSITION(r), key->name,
           word < 40 ? (int)word : 40, r->at);
    r->at += word;
cleanup:
    return status;
}

static spmm_status_t read_list(struct reader *r, const struct key *key)
{
    spmm_status_t status = SPMM_OK;
    char *const base = (char *)r->draft;
    double *const out = (double *)(void *)(base + key->at);
    int count = 0;
    do {
        skip_blanks(r);
        while (*r->at != '\n' && *r->at != '\0') {
            double number = 0;
            SPMM_TRY(read_number(r, key, &number));
            EXPECT(r, count < key->most, HERE "%s takes at most %d number%s", POSITION(r), key->name,
                   key->most, key->most == 1 ? "" : "s");
            out[count++] = number * key->scale;
            skip_blanks(r);
        }
    } while (next_line(r));
    EXPECT(r, count > 0, HERE "%s has no number", r->file, (unsigned long long)(r->line - 1), key->name);
    if (key->count_at != 0)
        *(int *)(void *)(base + key->count_at) = count;
cleanup:
    return status;
}

static spmm_status_t read_name(struct reader *r)
{
    spmm_status_t status = SPMM_OK;
    char *const name = r->draft->profile.name;
    skip_blanks(r);
    const size_t length = strspn(r->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
    EXPECT(r, length > 0 && length < SPMMI_PROFILE_NAME_BYTES,
           HERE "name must have 1..%d letters, digits, dots, dashes or underscores", POSITION(r),
           SPMMI_PROFILE_NAME_BYTES - 1);
    memcpy(name, r->at, length);
    name[length] = '\0';
    r->at += length;
    skip_blanks(r);
    EXPECT(r, *r->at == '\n' || *r->at == '\0', HERE "expected the end of the line after the name",
           POSITION(r));
    EXPECT(r, !next_line(r), HERE "a name does not go on in the next line", POSITION(r));
cleanup:
    return status;
}

/* ---- model.NAME.TYPE and risk.NAME[.TYPE] ---- */

/* Removes the type after the last dot from *length and returns it, or SPMMI_MODEL_TYPES if there is none. */
static int type_of(const char *name, size_t *length)
{
    for (int t = 0; t < SPMMI_MODEL_TYPES; t++) {
        const char *const type = spmmi_profile_type_name(t);
        const size_t size = strlen(type);
        if (*length > size + 1 && name[*length - size - 1] == '.' &&
            memcmp(name + *length - size, type, size) == 0) {
            *length -= size + 1;
            return t;
        }
    }
    return SPMMI_MODEL_TYPES;
}

/* Fills the key for a word model.NAME.TYPE or risk.NAME[.TYPE]. Returns where its line is kept, else NULL. */
static uint64_t *find_named(struct reader *r, const char *word, size_t length, struct key *key)
{
    const int is_model = strncmp(word, MODEL, strlen(MODEL)) == 0;
    if (length >= KEY_BYTES || (!is_model && strncmp(word, RISK, strlen(RISK)) != 0))
        return NULL;
    const size_t prefix = is_model ? strlen(MODEL) : strlen(RISK);
    size_t rest = length - prefix;
    const int type = type_of(word + prefix, &rest);
    const int index = spmmi_profile_index(word + prefix, rest);
    if (index < 0 || (is_model && (type == SPMMI_MODEL_TYPES || index >= SPMMI_PROFILE_MODELS)))
        return NULL;
    memcpy(r->word, word, length);
    r->word[length] = '\0';
    const size_t cell = (size_t)index * (size_t)(SPMMI_MODEL_TYPES + !is_model) + (size_t)type;
    const size_t at = is_model ? AT(model) + cell * (CONSTANTS + 1) * sizeof(double)
                               : AT(risk) + cell * SPMMI_RISKS * sizeof(double);
    *key = (struct key){r->word,
                        at,
                        offsetof(struct draft, named_count),
                        is_model ? CONSTANTS + 1 : SPMMI_RISKS,
                        1,
                        is_model ? 0 : 1 / RISK_MAX,
                        is_model ? MOST : RISK_MAX,
                        NOT_NEEDED,
                        REAL};
    return is_model ? &r->model_seen[index][type] : &r->risk_seen[index][type];
}

/* Reads the constants of a kernel, with an optional norm, or a risk: one value for all products, or four. */
static spmm_status_t read_named(struct reader *r, const struct key *key)
{
    spmm_status_t status = SPMM_OK;
    const unsigned long long line = r->line;
    const int least = key->most == SPMMI_RISKS ? 1 : CONSTANTS;
    double *const out = (double *)(void *)((char *)r->draft + key->at);
    SPMM_TRY(read_list(r, key));
    const int count = r->draft->named_count;
    for (int i = 1; least == 1 && count == 1 && i < SPMMI_RISKS; i++)
        out[i] = out[0];
    SPMM_REQUIRE(count == key->most || count == least, SPMM_ERR_ARGUMENT, r->diag,
                 HERE "%s takes %d or %d numbers", r->file, line, key->name, least, key->most);
    SPMM_REQUIRE(count <= CONSTANTS || out[CONSTANTS] >= 1, SPMM_ERR_ARGUMENT, r->diag,
                 HERE "the norm of %s is below 1", r->file, line, key->name);
cleanup:
    return status;
}

static spmm_status_t read_assignment(struct reader *r)
{
    spmm_status_t status = SPMM_OK;
    const char *const word = r->at;
    const size_t length = strcspn(word, " \t\r\n=#");
    struct key named;
    r->at += length;
    skip_blanks(r);
    EXPECT(r, length > 0 && *r->at == '=', HERE "expected \"key = value\", found \"%.*s\"", POSITION(r),
           length < 40 ? (int)length : 40, word);
    r->at++;
    const int is_name = length == 4 && memcmp(word, "name", 4) == 0;
    uint64_t *seen = is_name ? &r->name_seen : find_named(r, word, length, &named);
    const struct key *key = &named;
    for (size_t k = 0; k < KEY_COUNT && seen == NULL; k++) {
        if (strlen(keys[k].name) != length || memcmp(keys[k].name, word, length) != 0)
            continue;
        key = &keys[k];
        seen = &r->seen[k];
    }
    EXPECT(r, seen != NULL, HERE "unknown key \"%.*s\"", POSITION(r), length < 40 ? (int)length : 40, word);
    EXPECT(r, *seen == 0, HERE "%s is already given in line %llu", POSITION(r), is_name ? "name" : key->name,
           (unsigned long long)*seen);
    *seen = r->line;
    SPMM_TRY(is_name ? read_name(r) : key == &named ? read_named(r, key) : read_list(r, key));
cleanup:
    return status;
}

static spmm_status_t check_ascending(struct reader *r, const char *key, const double *x, int count)
{
    spmm_status_t status = SPMM_OK;
    for (int i = 1; i < count; i++)
        SPMM_REQUIRE(x[i - 1] < x[i], SPMM_ERR_ARGUMENT, r->diag, "the profile \"%.60s\": %s must ascend",
                     r->file, key);
cleanup:
    return status;
}

static spmm_status_t open_kin(const char *name, struct spmmi_device_profile **profile, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_profile_text *t = spmmi_profile_texts;
    while (t->name != NULL && strcmp(t->name, name) != 0)
        t++;
    *profile = spmmi_alloc(1, sizeof **profile);
    SPMM_TRY_ALLOC(*profile, diag);
    SPMM_REQUIRE(t->name != NULL, SPMM_ERR_ARGUMENT, diag, "there is no profile %s", name);
    SPMM_TRY(spmmi_device_profile_parse((const char *)t->bytes, t->size, name, *profile, diag));
cleanup:
    return status;
}

/* Fills in missing constants: those of the built-in profile kin, or unfitted ones if kin is NULL. */
static void fill_constants(const struct reader *r, const struct spmmi_device_profile *kin, int kernel,
                           int type, struct spmmi_device_profile *p)
{
    static const struct spmmi_model_constants unfitted = {1, 1, {1, 1, 1, 1, 1, 1, 1, 1}, 0};
    p->is_fitted[kernel][type] = r->model_seen[kernel][type] != 0;
    if (p->is_fitted[kernel][type] != 0)
        return;
    p->model[kernel][type] = kin == NULL ? unfitted : kin->model[kernel][type];
    p->is_fitted[kernel][type] = kin == NULL ? 0 : kin->is_fitted[kernel][type];
}

static spmm_status_t fill_model(struct reader *r, struct spmmi_device_profile *p)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_device_profile *kin = NULL;
    const char *const name = p->target == SPMMI_TARGET_CPU ? "cpu" : "h200";
    if (strcmp(r->file, name) != 0)
        SPMM_TRY(open_kin(name, &kin, r->diag));
    for (int k = 0; k < SPMMI_PROFILE_MODELS; k++)
        for (int t = 0; t < SPMMI_MODEL_TYPES; t++)
            fill_constants(r, kin, k, t, p);
    spmmi_profile_fill_narrow(p);
    for (int i = 0; i < SPMMI_PROFILE_NAMES && kin != NULL; i++) {
        static const uint64_t none[SPMMI_MODEL_TYPES + 1] = {0};
        if (memcmp(r->risk_seen[i], none, sizeof none) == 0)
            memcpy(p->risk[i], kin->risk[i], sizeof p->risk[i]);
    }
cleanup:
    spmmi_free(kin);
    return status;
}

/* Checks that need all keys, and the conversion to the profile. */
static spmm_status_t finish(struct reader *r)
{
    spmm_status_t status = SPMM_OK;
    struct draft *d = r->draft;
    struct spmmi_device_profile *p = &d->profile;
    p->target = (uint32_t)d->target;
    p->multiprocessors = (int)d->multiprocessors;
    SPMM_REQUIRE(r->name_seen != 0, SPMM_ERR_ARGUMENT, r->diag, "the profile \"%.60s\" has no name", r->file);
    for (size_t k = 0; k < KEY_COUNT; k++) {
        const int needs =
            keys[k].need == REQUIRED || (keys[k].need == ON_A_GPU && p->target != SPMMI_TARGET_CPU);
        SPMM_REQUIRE(r->seen[k] != 0 || !needs, SPMM_ERR_ARGUMENT, r->diag, "the profile \"%.60s\" has no %s",
                     r->file, keys[k].name);
    }
    SPMM_REQUIRE(d->grid_count == p->gather.row_count * p->gather.set_count, SPMM_ERR_ARGUMENT, r->diag,
                 "the profile \"%.60s\": gather_gbs has %d numbers for %d sets of %d rows", r->file,
                 d->grid_count, p->gather.set_count, p->gather.row_count);
    SPMM_REQUIRE(d->scatter_rates == p->scatter.count && d->strided_rates == p->strided.count,
                 SPMM_ERR_ARGUMENT, r->diag,
                 "the profile \"%.60s\": a list of rates is not as long as its bytes", r->file);
    for (int i = 0; i < d->grid_count; i++)
        p->gather.rate[i / p->gather.row_count][i % p->gather.row_count] = d->grid[i];
    SPMM_TRY(check_ascending(r, "gather_row_bytes", p->gather.row_bytes, p->gather.row_count));
    SPMM_TRY(check_ascending(r, "gather_set_mib", p->gather.set_bytes, p->gather.set_count));
    SPMM_TRY(check_ascending(r, "scatter_row_bytes", p->scatter.x, p->scatter.count));
    SPMM_TRY(check_ascending(r, "strided_bytes", p->strided.x, p->strided.count));
    SPMM_TRY(fill_model(r, p));
cleanup:
    return status;
}

spmm_status_t spmmi_device_profile_parse(const char *text, size_t size, const char *file,
                                         struct spmmi_device_profile *profile, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    char *copy = NULL;
    struct draft *draft = NULL;
    SPMM_REQUIRE(size <= SPMMI_PROFILE_FILE_MAX, SPMM_ERR_ARGUMENT, diag,
                 "the profile \"%.60s\" has more than %d bytes", file, SPMMI_PROFILE_FILE_MAX);
    copy = spmmi_alloc(size + 1, 1);
    SPMM_TRY_ALLOC(copy, diag);
    memcpy(copy, text, size);
    copy[size] = '\0';
    draft = spmmi_alloc_zero(1, sizeof *draft);
    SPMM_TRY_ALLOC(draft, diag);

    struct reader r = {.file = file, .at = copy, .line = 1, .draft = draft, .diag = diag};
    SPMM_REQUIRE(strlen(copy) == size, SPMM_ERR_ARGUMENT, diag, "the profile \"%.60s\" is not text", file);
    while (*r.at != '\0') {
        skip_blanks(&r);
        if (*r.at == '\n' || *r.at == '\0')
            (void)next_line(&r);
        else
            SPMM_TRY(read_assignment(&r));
    }
    SPMM_TRY(finish(&r));
    *profile = draft->profile;
cleanup:
    spmmi_free(draft);
    spmmi_free(copy);
    return status;
}
