/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm_choice.h. */
#include "spgemm_choice.h"

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/team.h"
#include "spgemm_walk.h"

/* Number of items that a GPU of 132 multiprocessors runs at once, 64 on each. With fewer rows, groups of few
 * lanes leave multiprocessors idle. Measured on an H200. */
#define ROWS_FEW 8448
/* Lanes that a step costs in addition to the lanes of its group, with many and with few rows. */
#define STEP_LANES 16
#define STEP_LANES_FEW 64
/* Minimum cost of a round of list entries with few rows, in lanes: the latency of its loads, which no other
 * warps hide. One H100: 256 rounds of 4 lanes took 577,000 cycles, 2,254 each; a step of a warp, which costs
 * 32 + STEP_LANES_FEW lanes, took about 170. */
#define ROUND_LANES_FEW 1250
/* The same for pieces of rows that the plan cuts, if there are thousands, so that some warps run meanwhile;
 * with few pieces a round takes longer. Tuned on mip_fast0507, one H100: with the constants of few rows
 * nearly all its pieces had 32 products side by side, 0.044 ms; with these constants half of them have 8 or
 * 16 lanes per list entry, 0.037; with ROUND_LANES_PIECES 600 it took 0.042. */
#define STEP_LANES_PIECES 32
#define ROUND_LANES_PIECES 300
/* Steps that 32 products cost side by side: finding their list entries and ordering their additions. One
 * H200: with 1, a Galerkin product with rows of 7 entries took twice as long, flat; rows of a mean of 2 to 6
 * must be flat. WIDE: positions of 2 bytes store the order; soc-Slashdot0902 took 0.81 ms with 3 on an H100,
 * 0.71 with 2. */
#define FLAT_STEPS 3
#define FLAT_STEPS_WIDE 2
/* With few rows, a step takes as long as this many additions to one entry: 170 cycles, about 22 each. */
#define ADDS_OF_STEP_FEW 8

/* Cost in lanes of a list entry of an item with masks of 8 lanes, and of the item; half with 4 lanes. One
 * H200, A P of gen:poisson3, 6 entries and 7 list entries per row: 111 ps per row in f64, 100 in f32; by
 * pulls 160 and 117, before decision 0150. So a lane is 1.6 ps in f64, as in other items, and 1.9 in f32, as
 * in pulls, its alternative there. */
#define MASK_LANES 2
#define MASK_ITEM_LANES_F64 55
#define MASK_ITEM_LANES_F32 40
/* Cost of an entry of C in an item besides products, in eighths of a lane: its sum is set to 0 and stored. */
#define SUM_LANES 5
/* The same per piece of a row that the plan cuts: sums are stored, then read and added. Chosen so that
 * memplus, cit-HepPh, email-Enron and mip_nw04 get what was faster in the table of decision 0080. */
#define PARTIAL_LANES 10
/* Cost of a product in a pull, in eighths of a lane; items take 1.5 to 1.6 ps per lane. One H200: a pull takes 5
 * ps per product of cnr-2000, 6 of gen:rmat, 8 of memplus (decision 0150); in f32 0.8 of that. */
#define PULL_LANES_F64 29
#define PULL_LANES_F32 24
/* Up to this many products per entry, a pull has an entry for each lane. For each further product of the mean
 * entry, every product costs ADD_LANES eighths more, as lanes wait for others. One H200, f64, before decision
 * 0150: A P of gen:poisson3, 3 products per entry, took 7.5 ps per product, R (A P) with 20 took 10.1. */
#define ADDS_EVEN (SPMMI_SPGEMM_PULL / 32)
#define ADD_LANES 2
/* List entries that add to one entry of C take 0.12 us each, one after the other. If that is a fourth of the
 * time of the product, at 4 ps per multiplication, the row is pulled. If it is nearly all of it, every row is
 * pulled, because other long lists follow. */
#define SERIAL_MIN 200
#define SERIAL_PRODUCTS 115000
#define SERIAL_PRODUCTS_OF_ALL 36500
/* Pulling every row may then cost this many eighths of a lane more per product, in the model, which assumes
 * even parts of long rows. One H200, gt_as-22july06: 12 more; all pulled 0.129 ms, only long lists 0.151. */
#define SERIAL_LANES_MORE 13
/* A cut row is pulled if its list is at most 1 / 4,000 of all products: a long entry takes 14 ns per product,
 * the whole product 7 ps per multiplication, and the entry should take half of that at most. */
#define CUT_PRODUCTS 4000
/* Every row is pulled if pulls pay for more than this share of products: two kernels take longer than one. */
#define MOST_PERCENT 55
/* Pulling must save a lane per this many products, because it launches a second kernel. */
#define PRODUCTS_OF_LANE 10

int spmmi_spgemm_cost_is_few(int64_t rows)
{
    return rows < ROWS_FEW;
}

void spmmi_spgemm_tally_add(struct spgemm_tally *tally, uint32_t products)
{
    if (tally->length % 32 == 0) {
        tally->turns += (tally->round + 31) / 32;
        tally->round = 0;
    }
    tally->length++;
    tally->round += products;
    for (uint32_t g = 0; g < LANE_CHOICES; g++)
        tally->steps[g] += (products + (4u << g) - 1) >> (2 + g);
}

static struct spgemm_cost cost_of(uint64_t steps, uint32_t lanes, uint32_t length, enum spgemm_load load)
{
    static const struct {
        uint32_t step, round; /* in lanes */
    } costs[] = {[LOAD_MANY_ROWS] = {STEP_LANES, 0},
                 [LOAD_FEW_ROWS] = {STEP_LANES_FEW, ROUND_LANES_FEW},
                 [LOAD_PIECES] = {STEP_LANES_PIECES, ROUND_LANES_PIECES}};
    const uint32_t round = lanes < 32 ? 2 * lanes : lanes;
    const uint64_t rounds = (length + round - 1) / round, least = rounds * costs[load].round,
                   own = steps * (lanes + costs[load].step);
    return (struct spgemm_cost){own > least ? own : least, own, 0};
}

static int is_cheaper(struct spgemm_cost a, struct spgemm_cost b)
{
    return a.time != b.time ? a.time < b.time : a.steps < b.steps;
}

/* Returns the steps that a chunk of 32 products costs. */
static uint64_t flat_steps(uint32_t entries, enum spgemm_load load)
{
    const uint32_t adds = entries > 0 ? (32 + entries - 1) / entries : 0, /* to one entry, minimum */
        steps = load != LOAD_MANY_ROWS ? (adds + ADDS_OF_STEP_FEW - 1) / ADDS_OF_STEP_FEW : adds,
                   least = entries > SPMMI_SPGEMM_NARROW ? FLAT_STEPS_WIDE : FLAT_STEPS;
    return steps > least ? steps : least;
}

uint32_t spmmi_spgemm_cost_of(const struct spgemm_tally *tally, uint32_t entries, enum spgemm_load load,
                              struct spgemm_cost *cost)
{
    const uint64_t turns = tally->turns + (tally->round + 31) / 32;
    uint32_t choice = LANE_CHOICES - 1;
    struct spgemm_cost best = {UINT64_MAX, UINT64_MAX, 0};
    for (uint32_t g = LANE_CHOICES; g-- > 0 && entries <= (uint32_t)SPMMI_SPGEMM_LANE_SUMS * (4u << g);) {
        const struct spgemm_cost own = cost_of(tally->steps[g], 4u << g, tally->length, load);
        if (is_cheaper(own, best)) {
            best = own;
            best.taken = tally->steps[g];
            choice = g;
        }
    }
    const struct spgemm_cost flat = cost_of(turns * flat_steps(entries, load), 32, tally->length, load);
    const int is_flat = is_cheaper(flat, best);
    *cost = is_flat ? flat : best;
    cost->taken = is_flat ? turns : cost->taken;
    return !is_flat ? choice : entries <= SPMMI_SPGEMM_FEW_ENTRIES ? CHOICE_OWNED : CHOICE_FLAT;
}

uint32_t spmmi_spgemm_mask_choice(uint32_t entries)
{
    uint32_t choice = 0;
    while (entries > 4u << choice)
        choice++;
    return choice;
}

uint64_t spmmi_spgemm_masks_cost(uint64_t entries, uint64_t length, int has_few_rows, spmm_dtype_t dtype)
{
    const uint64_t item = dtype == SPMM_F64 ? MASK_ITEM_LANES_F64 : MASK_ITEM_LANES_F32;
    if (entries > SPMMI_SPGEMM_MASKED || has_few_rows)
        return UINT64_MAX;
    return (length * MASK_LANES + item) * (4u << spmmi_spgemm_mask_choice((uint32_t)entries)) / 8;
}

/* Adds the steps of a row of C that is split into `parts` items, with average parts of right rows. */
static void tally_parts(struct spgemm_tally *tally, uint64_t products, uint64_t parts)
{
    const uint64_t lists = products < parts ? products : parts; /* parts with products */
    const uint64_t each = lists > 0 ? (products + lists - 1) / lists : 0;
    tally->length += (uint32_t)lists;
    for (uint32_t g = 0; g < LANE_CHOICES; g++)
        tally->steps[g] += lists * ((each + (4u << g) - 1) >> (2 + g));
}

/* For one row or for all: lanes that pulls save or lose, and products of the rows that gain by pulls. */
struct savings {
    uint64_t saved, lost, products;
    uint64_t serial;    /* maximum number of list entries */
    uint64_t masked;    /* lanes that masks save compared with items */
    uint64_t mask_lost; /* lanes that masks cost more than the cheapest alternative */
    uint64_t masks;     /* of one row: cost with masks; UINT64_MAX: none */
};

/* Returns the cost, without masks, of the items of a row of C or of a piece of it: the entries [first, end)
 * of the left factor. Sets sum->products and sum->masks. */
static uint64_t items_cost(const struct spmmi_spgemm_stage *s, int64_t row, int64_t first, int64_t end,
                           const struct spmmi_spgemm_wanted *wanted, struct savings *sum)
{
    const uint64_t entries = (uint64_t)(s->c.row_ptr[row + 1] - s->c.row_ptr[row]),
                   parts = (entries + SPMMI_SPGEMM_ITEM_ENTRIES - 1) / SPMMI_SPGEMM_ITEM_ENTRIES;
    const int has_few_rows = spmmi_spgemm_cost_is_few(s->task.left.rows),
              is_whole = end - first == s->task.left.row_ptr[row + 1] - s->task.left.row_ptr[row];
    struct spgemm_tally tally = {.length = 0};
    struct spgemm_cost cost;
    sum->products = 0;
    for (int64_t p = first; p < end; p++) {
        const uint32_t count = (uint32_t)spmmi_spgemm_count_of(s, p);
        sum->products += count;
        if (parts == 1)
            spmmi_spgemm_tally_add(&tally, count);
        else
            tally_parts(&tally, count, parts);
    }
    if (parts > 1) /* on average, half a turn per round is left */
        tally.turns = sum->products / 32 + tally.length / 64;
    (void)spmmi_spgemm_cost_of(&tally, (uint32_t)((entries + parts - 1) / parts),
                               has_few_rows ? LOAD_FEW_ROWS : LOAD_MANY_ROWS, &cost);
    const uint64_t sums = entries * SUM_LANES / 8,
                   masks = wanted->masks != SPMMI_SPGEMM_NEVER && is_whole
                               ? spmmi_spgemm_masks_cost(entries, (uint64_t)(end - first), has_few_rows,
                                                         wanted->dtype)
                               : UINT64_MAX;
    sum->masks = masks < UINT64_MAX ? masks + sums : UINT64_MAX;
    return cost.time + sums;
}

/* Returns the cost of all pieces of a row, including partial sums that are stored and read again. The walk
 * chooses lanes for pieces by LOAD_PIECES, but here they cost as much as whole rows: with many rows by
 * throughput, for which PARTIAL_LANES was chosen; with few rows by latency, which is too high for pieces with
 * many rounds, so that pulls seem to save more than they do. Choices were measured with this model. */
static uint64_t pieces_cost(const struct spmmi_spgemm_stage *s, const struct spmmi_spgemm_unit *piece,
                            const struct spmmi_spgemm_wanted *wanted, struct savings *sum)
{
    const int64_t row = piece->row;
    const uint64_t entries = (uint64_t)(s->c.row_ptr[row + 1] - s->c.row_ptr[row]);
    uint64_t cost = 0, all = 0;
    for (int64_t end = s->task.left.row_ptr[row]; end < s->task.left.row_ptr[row + 1]; piece++) {
        cost += items_cost(s, row, piece->first, piece->end, wanted, sum) + entries * PARTIAL_LANES / 8;
        all += sum->products;
        end = piece->end;
    }
    sum->products = all;
    return cost;
}

/* What is known of a row: it is not pulled, because a group computes it or because it cannot be; it can be
 * pulled; it is cheaper as pulls; other rows would wait for it. */
enum known { UNKNOWN, IS_TAKEN, CAN_PULL, PULL_SAVES, IS_SERIAL };

static int is_serial(const struct spmmi_spgemm_stage *s, uint64_t serial, uint64_t share)
{
    return serial > SERIAL_MIN && serial > s->products / share;
}

static uint64_t pull_cost(uint64_t products, uint64_t entries, int has_few_rows, spmm_dtype_t dtype)
{
    const uint64_t adds = products / entries, step = 32 + (has_few_rows ? STEP_LANES_FEW : STEP_LANES),
                   each = (dtype == SPMM_F64 ? PULL_LANES_F64 : PULL_LANES_F32) +
                          (adds > ADDS_EVEN ? ADD_LANES * (adds - ADDS_EVEN) : 0);
    return products * each / 8 * step / (32 + STEP_LANES);
}

/* piece: the first piece of a row that the plan cuts, for whose list no row waits; else NULL. */
static enum known pull_pays(const struct spmmi_spgemm_stage *s, int64_t row,
                            const struct spmmi_spgemm_unit *piece, const struct spmmi_spgemm_wanted *wanted,
                            struct savings *sum)
{
    const int has_few_rows = spmmi_spgemm_cost_is_few(s->task.left.rows);
    const int64_t first = s->task.left.row_ptr[row], end = s->task.left.row_ptr[row + 1];
    const uint64_t entries = (uint64_t)(s->c.row_ptr[row + 1] - s->c.row_ptr[row]),
                   items = piece != NULL ? pieces_cost(s, piece, wanted, sum)
                                         : items_cost(s, row, first, end, wanted, sum),
                   pull = pull_cost(sum->products, entries, has_few_rows, wanted->dtype);
    const uint64_t least = sum->masks < items ? sum->masks : items, other = pull < items ? pull : items;
    sum->saved = pull < least ? least - pull : 0;
    sum->serial = piece == NULL ? (uint64_t)(end - first) : 0;
    if (is_serial(s, sum->serial, SERIAL_PRODUCTS))
        return IS_SERIAL;
    sum->lost = pull > least ? pull - least : 0;
    sum->masked = sum->saved > 0 ? 0 : items - least;
    sum->products = sum->saved > 0 ? sum->products : 0;
    sum->mask_lost = sum->masks < UINT64_MAX && sum->masks > other ? sum->masks - other : 0;
    return sum->saved > 0 ? PULL_SAVES : CAN_PULL;
}

/* Whether a row that the plan cuts may be pulled, where one lane must add all products of an entry. */
static int can_pull_cut(const struct spmmi_spgemm_stage *s, int64_t row)
{
    const uint64_t length = (uint64_t)(s->task.left.row_ptr[row + 1] - s->task.left.row_ptr[row]);
    return length <= s->products / CUT_PRODUCTS && spmmi_spgemm_pulls_can(s, row);
}

/* Adds the savings of a row, or of all rows of a thread. */
static void add_savings(struct savings *all, const struct savings *row)
{
    all->saved += row->saved;
    all->lost += row->lost;
    all->products += row->products;
    all->masked += row->masked;
    all->mask_lost += row->mask_lost;
    all->serial = row->serial > all->serial ? row->serial : all->serial;
}
#pragma omp declare reduction(savings                           \
                              : struct savings                  \
                              : add_savings(&omp_out, &omp_in)) \
    initializer(omp_priv = (struct savings){.saved = 0})

/* Adds the savings of rows that the plan cuts. They are pulled only if all rows are: otherwise items of other
 * rows took longer beside them (email-Enron on an H200: 0.294 ms, with their pieces as items 0.286). */
static void know_cut_rows(const struct spmmi_spgemm_stage *s, const struct spmmi_spgemm_wanted *wanted,
                          uint8_t *known, struct savings *all)
{
    const int is_forced = wanted->pulls == SPMMI_SPGEMM_WHEREVER;
    for (int64_t u = 0; u < s->unit_count; u++) {
        const struct spmmi_spgemm_unit *unit = &s->units[u];
        const int64_t row = unit->row;
        struct savings sum = {.saved = 0};
        if (unit->partial < 0 || unit->first != s->task.left.row_ptr[row] ||
            s->c.row_ptr[row] == s->c.row_ptr[row + 1] ||
            !(is_forced ? spmmi_spgemm_pulls_can(s, row) : can_pull_cut(s, row)))
            continue;
        (void)pull_pays(s, row, unit, wanted, &sum);
        add_savings(all, &sum);
        known[row] = CAN_PULL;
    }
}

/* Finds what is known of rows that the plan does not cut, and their savings. */
static struct savings know_rows(const struct spmmi_spgemm_stage *s, const struct spmmi_spgemm_wanted *wanted,
                                int threads, uint8_t *known)
{
    const int64_t rows = s->task.left.rows, *c = s->c.row_ptr;
    struct savings all = {.saved = 0};
#pragma omp parallel for schedule(dynamic, 256) num_threads(spmmi_team(threads)) reduction(savings : all)
    for (int64_t i = 0; i < rows; i++) {
        struct savings sum = {.saved = 0};
        if (known[i] == IS_TAKEN || c[i] == c[i + 1] || !spmmi_spgemm_pulls_can(s, i))
            continue;
        known[i] = (uint8_t)pull_pays(s, i, NULL, wanted, &sum);
        add_savings(&all, &sum);
    }
    return all;
}

/* Returns the least that a row must be, in enum order, to be pulled. IS_SERIAL: only serial rows are. */
static enum known least_to_pull(const struct spmmi_spgemm_stage *s, const struct savings *all)
{
    const uint64_t kernel = s->products / PRODUCTS_OF_LANE, more = s->products / 8 * SERIAL_LANES_MORE;
    const int is_most = all->products > s->products / 100 * MOST_PERCENT && all->lost <= all->saved + kernel,
              is_all_serial = is_serial(s, all->serial, SERIAL_PRODUCTS_OF_ALL) && all->lost <= more;
    return is_most || is_all_serial                 ? CAN_PULL
           : all->saved >= kernel && all->saved > 0 ? PULL_SAVES
                                                    : IS_SERIAL;
}

/* Marks the rows of pieces, which are handled separately, and rows of groups, as walk_rows of
 * spgemm_walk_cuda.c finds them. */
static void mark_taken(const struct spmmi_spgemm_stage *s, const struct spmmi_spgemm_alike *alike,
                       uint8_t *known)
{
    const int64_t *c = s->c.row_ptr;
    for (int64_t r = 0; r < s->cut_count; r++)
        known[s->cuts[r].row] = IS_TAKEN;
    for (int64_t u = 0; alike != NULL && u < s->unit_count; u++) {
        const int64_t end = s->units[u].row_end;
        for (int64_t i = s->units[u].row; s->units[u].partial < 0 && i < end;) {
            const int64_t alike_rows = spmmi_spgemm_alike_rows(alike, i, end),
                          rows = c[i + 1] - c[i] <= SPMMI_SPGEMM_ITEM_ENTRIES ? alike_rows : 1;
            for (int64_t k = i; rows > 1 && k < i + rows; k++)
                known[k] = IS_TAKEN;
            i += rows;
        }
    }
}

/* Finds what is known of each row. Returns the least that a row must be to be pulled. */
static enum known know(const struct spmmi_spgemm_stage *s, const struct spmmi_spgemm_wanted *wanted,
                       const struct spmmi_spgemm_alike *alike, int threads, uint8_t *known,
                       struct savings *all)
{
    mark_taken(s, alike, known);
    *all = know_rows(s, wanted, threads, known);
    know_cut_rows(s, wanted, known, all);
    return wanted->pulls == SPMMI_SPGEMM_WHEREVER ? CAN_PULL : least_to_pull(s, all);
}

spmm_status_t spmmi_spgemm_choose(const struct spmmi_spgemm_stage *s,
                                  const struct spmmi_spgemm_wanted *wanted,
                                  const struct spmmi_spgemm_alike *alike, int threads,
                                  struct spgemm_choices *choices, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int64_t rows = s->task.left.rows;
    const struct spmmi_spgemm_wanted unmasked = {wanted->groups, wanted->pulls, SPMMI_SPGEMM_NEVER,
                                                 wanted->dtype};
    struct savings all;
    uint8_t *to = NULL;
    int is_any = 0;
    if (wanted->pulls == SPMMI_SPGEMM_NEVER)
        return SPMM_OK;
    SPMM_TRY_ALLOC(to = spmmi_alloc_zero((uint64_t)rows, 1), diag);
    enum known least = know(s, wanted, alike, threads, to, &all);
    if (wanted->masks == SPMMI_SPGEMM_BY_RULE && least > CAN_PULL && all.masked > 0) {
        choices->has_masks = all.masked > all.mask_lost + s->products / PRODUCTS_OF_LANE;
        if (!choices->has_masks) /* as if masks did not exist */
            least = know(s, &unmasked, alike, threads, to, &all);
    }
    for (int64_t i = 0; i < rows; i++) {
        const int has_mask = choices->has_masks && to[i] < IS_SERIAL &&
                             s->c.row_ptr[i + 1] - s->c.row_ptr[i] <= SPMMI_SPGEMM_MASKED;
        to[i] = to[i] >= least && !has_mask;
        is_any |= to[i];
    }
    if (is_any) {
        choices->is_pulled = to;
        to = NULL;
    }
cleanup:
    spmmi_free(to);
    return status;
}
