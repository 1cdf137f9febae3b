/* SPDX-License-Identifier: Apache-2.0 */
/* See ptx_machine.h. */
#include "ptx_machine.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/base/half.h"

#define WHY 160
#define OPERANDS 4
#define FILES 26 /* register files, one per letter; %alpha and %beta are in files x and y */

enum opcode {
    LD_PARAM,
    LD_GLOBAL,
    ST_GLOBAL,
    MOV,
    CVT,
    WIDEN_F16,
    NARROW_F16,
    NARROW_BF16,
    PACK, /* two words of 16 bits, the lower one first */
    MAD_LO,
    MAD_WIDE,
    SETP_GE,
    SETP_EQ,
    SETP_NEU,
    BRA,
    FMA,
    MUL,
    ADD,
    RET
};

enum kind { NONE, REGISTER, IMMEDIATE, PARAMETER, BLOCK, THREAD, LABEL };

struct operand {
    enum kind kind;
    uint32_t file, number; /* register file and number */
    uint64_t bits;         /* value of an immediate operand; number of a label */
    const char *parameter;
};

struct instruction {
    enum opcode opcode;
    bool is_predicated, is_double;
    unsigned bytes; /* size of the result or of the stored value */
    struct operand predicate, operand[OPERANDS];
};

#define LABELS 4096

struct ptx_program {
    int64_t label_at[LABELS]; /* index of the instruction after L<number>; 0: no such label */
    struct instruction *list;
    int64_t count, room;
    uint32_t declared[FILES];
    bool is_double;
};

static const struct {
    const char *name;
    enum opcode opcode;
    bool is_double;
    unsigned bytes;
} names[] = {
    {"ld.param.u64", LD_PARAM, false, 8},
    {"ld.param.u32", LD_PARAM, false, 4},
    {"ld.param.f32", LD_PARAM, false, 4},
    {"ld.param.f64", LD_PARAM, true, 8},
    {"ld.global.f32", LD_GLOBAL, false, 4},
    {"ld.global.f64", LD_GLOBAL, true, 8},
    {"ld.global.b16", LD_GLOBAL, false, 2},
    {"ld.global.nc.b16", LD_GLOBAL, false, 2},
    {"ld.global.nc.f32", LD_GLOBAL, false, 4},
    {"ld.global.nc.f64", LD_GLOBAL, true, 8},
    {"st.global.f32", ST_GLOBAL, false, 4},
    {"st.global.f64", ST_GLOBAL, true, 8},
    {"st.global.b16", ST_GLOBAL, false, 2},
    {"mov.u32", MOV, false, 4},
    {"mov.f32", MOV, false, 4},
    {"mov.f64", MOV, true, 8},
    {"cvt.u64.u32", CVT, false, 8},
    {"cvt.f32.f16", WIDEN_F16, false, 4},
    {"cvt.rn.f16.f32", NARROW_F16, false, 2},
    {"cvt.rn.bf16.f32", NARROW_BF16, false, 2},
    {"mov.b32", PACK, false, 4},
    {"mad.lo.u32", MAD_LO, false, 4},
    {"mad.lo.u64", MAD_LO, false, 8},
    {"mad.wide.u32", MAD_WIDE, false, 8},
    {"setp.ge.u32", SETP_GE, false, 4},
    {"setp.eq.f32", SETP_EQ, false, 4},
    {"setp.eq.f64", SETP_EQ, true, 8},
    {"bra", BRA, false, 4},
    {"setp.neu.f32", SETP_NEU, false, 4},
    {"setp.neu.f64", SETP_NEU, true, 8},
    {"fma.rn.f32", FMA, false, 4},
    {"fma.rn.f64", FMA, true, 8},
    {"mul.rn.f32", MUL, false, 4},
    {"mul.rn.f64", MUL, true, 8},
    {"add.rn.f32", ADD, false, 4},
    {"add.rn.f64", ADD, true, 8},
    {"ret", RET, false, 4},
};

static const char *const parameters[] = {"b",     "c", "b_column", "c_column", "b_row",
                                         "c_row", "n", "alpha",    "beta",     NULL};

/* ---- parsing ---- */

static bool register_read(const char *word, const struct ptx_program *program, struct operand *operand)
{
    char *end = NULL;
    if (strcmp(word, "%alpha") == 0 || strcmp(word, "%beta") == 0 || strcmp(word, "%w") == 0) {
        *operand = (struct operand){.kind = REGISTER,
                                    .file = word[1] == 'a'   ? 'x' - 'a'
                                            : word[1] == 'b' ? 'y' - 'a'
                                                             : (uint32_t)(word[1] - 'a')};
        return true;
    }
    if (!islower((unsigned char)word[1]) || !isdigit((unsigned char)word[2]))
        return false;
    *operand = (struct operand){.kind = REGISTER, .file = (uint32_t)(word[1] - 'a')};
    operand->number = (uint32_t)strtoul(word + 2, &end, 10);
    return *end == '\0' && operand->number < program->declared[operand->file];
}

static bool operand_read(const char *word, const struct ptx_program *program, struct operand *operand)
{
    char *end = NULL;
    const size_t length = strlen(word);
    if (strcmp(word, "%ctaid.x") == 0 || strcmp(word, "%tid.x") == 0) {
        *operand = (struct operand){.kind = word[1] == 'c' ? BLOCK : THREAD};
        return true;
    }
    if (word[0] == '%')
        return register_read(word, program, operand);
    if (word[0] == 'L') {
        *operand = (struct operand){.kind = LABEL, .bits = strtoull(word + 1, &end, 10)};
        return *end == '\0' && operand->bits < LABELS;
    }
    for (const char *const *name = parameters; *name != NULL; name++)
        if (strcmp(*name, word) == 0) {
            *operand = (struct operand){.kind = PARAMETER, .parameter = *name};
            return true;
        }
    const bool is_bits = word[0] == '0' && (word[1] == 'f' || word[1] == 'd');
    if (is_bits && length != (word[1] == 'f' ? 10u : 18u))
        return false;
    *operand = (struct operand){.kind = IMMEDIATE};
    operand->bits = is_bits ? strtoull(word + 2, &end, 16) : strtoull(word, &end, 10);
    return length > 0 && *end == '\0';
}

/* Splits a statement into words, without commas, brackets and braces. Returns their number, -1 if there are
 * more than `most`. */
static int words_of(char *statement, char *words[], int most)
{
    int count = 0;
    for (char *word = strtok(statement, " \n,[]{}"); word != NULL; word = strtok(NULL, " \n,[]{}")) {
        if (count == most)
            return -1;
        words[count++] = word;
    }
    return count;
}

/* Reads the declaration .reg .TYPE %NAME<COUNT>, or a declaration of single names. */
static bool declaration_read(struct ptx_program *program, char *words[], int count)
{
    for (int i = 2; i < count; i++) {
        const char *angle = strchr(words[i], '<');
        if (words[i][0] != '%')
            return false;
        if (angle == words[i] + 2)
            program->declared[words[i][1] - 'a'] = (uint32_t)strtoul(angle + 1, NULL, 10);
    }
    program->is_double |= strcmp(words[1], ".f64") == 0;
    return count > 2;
}

static struct instruction *instruction_new(struct ptx_program *program)
{
    if (program->count == program->room) {
        const int64_t room = program->room == 0 ? 1024 : 2 * program->room;
        struct instruction *list = realloc(program->list, (size_t)room * sizeof *list);
        if (list == NULL)
            return NULL;
        program->list = list;
        program->room = room;
    }
    memset(&program->list[program->count], 0, sizeof *program->list);
    return &program->list[program->count++];
}

/* Reads the label L<number>:. */
static bool label_read(struct ptx_program *program, const char *word)
{
    char *end = NULL;
    const unsigned long number = strtoul(word + 1, &end, 10);
    if (word[0] != 'L' || strcmp(end, ":") != 0 || number >= LABELS || program->label_at[number] != 0)
        return false;
    program->label_at[number] = program->count;
    return true;
}

static bool statement_read(struct ptx_program *program, char *statement)
{
    char *list[10], **words = list;
    int count = words_of(statement, list, 10), first = 0;
    size_t name = 0;
    for (; count > 0 && strchr(words[0], ':') != NULL; words++, count--)
        if (!label_read(program, words[0]))
            return false;
    if (count <= 0)
        return count == 0;
    if (strcmp(words[0], ".reg") == 0)
        return declaration_read(program, words, count);
    struct instruction *const made = instruction_new(program);
    if (made == NULL)
        return false;
    if (words[0][0] == '@') {
        made->is_predicated = true;
        if (!register_read(words[first++] + 1, program, &made->predicate) || count == 1)
            return false;
    }
    while (name < sizeof names / sizeof *names && strcmp(names[name].name, words[first]) != 0)
        name++;
    if (name == sizeof names / sizeof *names || count - first - 1 > OPERANDS)
        return false;
    made->opcode = names[name].opcode;
    made->is_double = names[name].is_double;
    made->bytes = names[name].bytes;
    for (int i = first + 1; i < count; i++)
        if (!operand_read(words[i], program, &made->operand[i - first - 1]))
            return false;
    return true;
}

struct ptx_program *ptx_program_make(const char *text, char why[160])
{
    const char *body = strstr(text, "\n{\n");
    struct ptx_program *program = calloc(1, sizeof *program);
    char *copy = body != NULL ? strdup(body + 3) : NULL;
    char *state = copy;
    (void)snprintf(why, WHY, "the text has no body");
    bool is_right = program != NULL && copy != NULL && strcmp(text + strlen(text) - 2, "}\n") == 0;
    if (is_right)
        copy[strlen(copy) - 2] = '\0';
    while (is_right && state != NULL && *state != '\0') {
        char *statement = state, *end = strchr(state, ';');
        state = end != NULL ? end + 1 : NULL;
        if (end != NULL)
            *end = '\0';
        (void)snprintf(why, WHY, "not understood: %.100s", statement);
        is_right =
            end != NULL ? statement_read(program, statement) : strspn(statement, "\n ") == strlen(statement);
    }
    free(copy);
    if (is_right)
        return program;
    ptx_program_free(program);
    return NULL;
}

void ptx_program_free(struct ptx_program *program)
{
    if (program != NULL)
        free(program->list);
    free(program);
}

int ptx_program_is_double(const struct ptx_program *program)
{
    return program->is_double;
}

/* ---- execution ---- */

struct thread {
    const struct ptx_program *program;
    const struct ptx_launch *launch;
    uint32_t block, thread;
    uint64_t *values[FILES];
    bool *is_written[FILES];
    const char *wrong; /* first error; NULL: none */
};

static double real_of(uint64_t bits, bool is_double)
{
    double wide;
    float narrow;
    const uint32_t low = (uint32_t)bits;
    memcpy(&wide, &bits, sizeof wide);
    memcpy(&narrow, &low, sizeof narrow);
    return is_double ? wide : (double)narrow;
}

static uint64_t bits_of(double value, bool is_double)
{
    const float narrow = (float)value;
    uint64_t bits;
    uint32_t low;
    memcpy(&bits, &value, sizeof bits);
    memcpy(&low, &narrow, sizeof low);
    return is_double ? bits : low;
}

static uint64_t parameter_of(const struct ptx_launch *l, const char *name, bool is_double)
{
    const struct {
        const char *name;
        uint64_t bits;
    } all[] = {{"b", l->b},
               {"c", l->c},
               {"b_column", l->b_column},
               {"c_column", l->c_column},
               {"b_row", l->b_row},
               {"c_row", l->c_row},
               {"n", l->n},
               {"alpha", bits_of(l->alpha, is_double)},
               {"beta", bits_of(l->beta, is_double)}};
    size_t i = 0;
    while (strcmp(all[i].name, name) != 0)
        i++;
    return all[i].bits;
}

static uint64_t get(struct thread *t, const struct operand *from, bool is_double)
{
    switch (from->kind) {
    case REGISTER:
        if (!t->is_written[from->file][from->number])
            t->wrong = "a register is read that was not written";
        return t->values[from->file][from->number];
    case IMMEDIATE:
        return from->bits;
    case PARAMETER:
        return parameter_of(t->launch, from->parameter, is_double);
    case BLOCK:
        return t->block;
    case THREAD:
        return t->thread;
    default:
        t->wrong = "an operand is missing";
        return 0;
    }
}

static void set(struct thread *t, const struct operand *to, uint64_t bits)
{
    if (to->kind != REGISTER) {
        t->wrong = "the result goes to no register";
        return;
    }
    t->values[to->file][to->number] = bits;
    t->is_written[to->file][to->number] = true;
}

/* Returns the host pointer of an address in B or C. Writes are allowed in C only. Returns NULL and sets
 * `wrong` for any other address. */
static void *memory(struct thread *t, uint64_t address, size_t size, bool writes)
{
    const struct ptx_launch *l = t->launch;
    char *const at = (char *)(uintptr_t)address;
    const bool in_b = at >= l->b_begin && at + size <= l->b_end,
               in_c = at >= l->c_begin && at + size <= l->c_end;
    if (address % size == 0 && (in_c || (in_b && !writes)))
        return at;
    t->wrong = writes ? "a write outside of C" : "a read outside of B and C";
    return NULL;
}

static uint64_t arithmetic(enum opcode opcode, bool is_double, double a, double b, double c)
{
    if (is_double)
        return bits_of(opcode == FMA ? fma(a, b, c) : opcode == MUL ? a * b : a + b, true);
    const float x = (float)a, y = (float)b, z = (float)c;
    const float result = opcode == FMA ? fmaf(x, y, z) : opcode == MUL ? x * y : x + y;
    return bits_of((double)result, false);
}

static uint64_t converted(enum opcode opcode, const uint64_t source[2])
{
    const double value = real_of(source[0], false);
    if (opcode == WIDEN_F16)
        return bits_of((double)spmmi_f32_from_f16((uint16_t)source[0]), false);
    if (opcode == NARROW_F16)
        return spmmi_f16_from_f64(value);
    if (opcode == NARROW_BF16)
        return spmmi_bf16_from_f64(value);
    return opcode == PACK ? source[0] | source[1] << 16 : source[0];
}

static void step(struct thread *t, const struct instruction *i)
{
    const struct operand *const o = i->operand;
    const bool is_load = i->opcode == LD_GLOBAL, is_store = i->opcode == ST_GLOBAL;
    const size_t size = i->bytes;
    uint64_t source[3] = {0};
    for (int s = 0; s < 3 && o[s + 1].kind != NONE; s++)
        source[s] = get(t, &o[s + 1], i->is_double);
    if (is_load || is_store) {
        void *const at = memory(t, is_load ? source[0] : get(t, &o[0], false), size, is_store);
        if (at != NULL && is_store)
            memcpy(at, source, size);
        if (at != NULL && is_load) {
            uint64_t bits = 0;
            memcpy(&bits, at, size);
            set(t, &o[0], bits);
        }
    } else if (i->opcode == FMA || i->opcode == MUL || i->opcode == ADD) {
        set(t, &o[0],
            arithmetic(i->opcode, i->is_double, real_of(source[0], i->is_double),
                       real_of(source[1], i->is_double), real_of(source[2], i->is_double)));
    } else if (i->opcode == MAD_LO || i->opcode == MAD_WIDE) {
        const uint64_t result = source[0] * source[1] + source[2];
        set(t, &o[0], i->bytes == 8 ? result : (uint32_t)result);
    } else if (i->opcode == SETP_EQ) {
        set(t, &o[0], real_of(source[0], i->is_double) == real_of(source[1], i->is_double));
    } else if (i->opcode == SETP_GE) {
        set(t, &o[0], source[0] >= source[1]);
    } else if (i->opcode == SETP_NEU) {
        set(t, &o[0], !(real_of(source[0], i->is_double) == real_of(source[1], i->is_double)));
    } else {
        set(t, &o[0], converted(i->opcode, source));
    }
}

/* Returns the index of the instruction in front of the label. Branches must lead forward, so every thread
 * ends. */
static int64_t branch(struct thread *t, const struct instruction *i, int64_t from)
{
    const int64_t at = i->operand[0].kind == LABEL ? t->program->label_at[i->operand[0].bits] : 0;
    if (at <= from)
        t->wrong = "a branch leads to no label behind it";
    return at - 1;
}

static void thread_run(struct thread *t)
{
    for (int64_t i = 0; i < t->program->count && t->wrong == NULL; i++) {
        const struct instruction *const next = &t->program->list[i];
        if (next->is_predicated && get(t, &next->predicate, false) == 0)
            continue;
        if (next->opcode == RET)
            return;
        if (next->opcode == BRA)
            i = branch(t, next, i);
        else
            step(t, next);
    }
    if (t->wrong == NULL)
        t->wrong = "the program has no end";
}

int ptx_program_run(const struct ptx_program *program, const struct ptx_launch *launch, char why[160])
{
    struct thread t = {.program = program, .launch = launch};
    for (int f = 0; f < FILES; f++) {
        t.values[f] = calloc(program->declared[f] + 1u, sizeof *t.values[f]);
        t.is_written[f] = calloc(program->declared[f] + 1u, sizeof *t.is_written[f]);
        if (t.values[f] == NULL || t.is_written[f] == NULL)
            abort();
    }
    for (t.block = 0; t.block < launch->blocks && t.wrong == NULL; t.block++)
        for (t.thread = 0; t.thread < launch->threads && t.wrong == NULL; t.thread++) {
            for (int f = 0; f < FILES; f++)
                memset(t.is_written[f], 0, (program->declared[f] + 1u) * sizeof *t.is_written[f]);
            thread_run(&t);
        }
    for (int f = 0; f < FILES; f++) {
        free(t.values[f]);
        free(t.is_written[f]);
    }
    (void)snprintf(why, WHY, "%s", t.wrong != NULL ? t.wrong : "");
    return t.wrong == NULL;
}
