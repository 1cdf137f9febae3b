/* SPDX-License-Identifier: Apache-2.0 */
/* See tune_report.h. */
#include "tune_report.h"

#include "plan_report.h"
#include "tools/cli/print_text.h"

void tune_report_text(FILE *out, const struct tune_summary *summary)
{
    char text[PRINT_UNITS_BYTES];
    const char *before = " on ";
    if (!summary->is_wanted)
        return;
    fprintf(out, "%-*s%s timed in ", PLAN_REPORT_LABEL, "tuning",
            print_plural(text, summary->measured, "candidate"));
    fputs(print_seconds(text, summary->seconds), out);
    for (int at = 0; at < TUNER_DEVICES; at++) {
        if (summary->devices[at][0] == '\0')
            continue;
        fputs(before, out);
        print_escaped(out, summary->devices[at]);
        before = " and ";
    }
    if (summary->refused > 0) {
        fprintf(out, "; %s not: ", print_count(text, summary->refused));
        print_escaped(out, summary->refusal);
    }
    fputc('\n', out);
}

static void write_tuning(struct json *j, const struct tune_summary *summary)
{
    json_object(j, "tuning");
    json_int(j, "measured", summary->measured);
    json_int(j, "refused", summary->refused);
    json_text(j, "refusal", summary->refused > 0 ? summary->refusal : NULL);
    json_double(j, "seconds", summary->seconds);
    json_array(j, "devices");
    for (int at = 0; at < TUNER_DEVICES; at++)
        if (summary->devices[at][0] != '\0')
            json_text(j, NULL, summary->devices[at]);
    json_end(j);
    json_end(j);
}

void tune_report_json(struct json *j, const struct tune_summary *summary)
{
    json_bool(j, "tuned", summary->measured > 0);
    if (summary->is_wanted)
        write_tuning(j, summary);
    else
        json_null(j, "tuning");
    if (summary->expected_calls > 0)
        json_double(j, "expected_calls", summary->expected_calls);
    else
        json_null(j, "expected_calls");
}
