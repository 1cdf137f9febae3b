/* SPDX-License-Identifier: Apache-2.0 */
/* See streams.h. */
#include "streams.h"

#include <fcntl.h>
#include <unistd.h>

void streams_start(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) /* open uses the lowest free one */
        if (fcntl(stream, F_GETFD) < 0)
            (void)open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}
