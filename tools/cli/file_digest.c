/* SPDX-License-Identifier: Apache-2.0 */
/* See file_digest.h. */
#include "file_digest.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "input_file.h"

#define PIECE_BYTES (1u << 20)

static spmm_status_t digest_stream(FILE *file, EVP_MD_CTX *context, unsigned char *piece, spmm_diag_t *diag)
{
    size_t bytes = 0;
    int is_ok = EVP_DigestInit_ex(context, EVP_sha256(), NULL);
    while (is_ok && (bytes = input_file_read(piece, PIECE_BYTES, file)) > 0)
        is_ok = EVP_DigestUpdate(context, piece, bytes);
    if (ferror(file))
        return fail(diag, SPMM_ERR_IO, "it cannot be read: %s", strerror(errno));
    return is_ok ? SPMM_OK : fail(diag, SPMM_ERR_UNSUPPORTED, "libcrypto has no SHA-256 here");
}

static spmm_status_t finish(EVP_MD_CTX *context, char text[FILE_DIGEST_TEXT], spmm_diag_t *diag)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int bytes = 0;
    if (!EVP_DigestFinal_ex(context, digest, &bytes))
        return fail(diag, SPMM_ERR_UNSUPPORTED, "libcrypto has no SHA-256 here");
    for (unsigned int i = 0; i < bytes; i++)
        (void)snprintf(text + 2 * (size_t)i, 3, "%02x", digest[i]);
    return SPMM_OK;
}

spmm_status_t file_digest(const char *path, char text[FILE_DIGEST_TEXT], spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    unsigned char *piece = malloc(PIECE_BYTES);
    FILE *file = input_file_open(path);
    if (file == NULL)
        status = fail(diag, SPMM_ERR_IO, "the file cannot be opened: %s", strerror(errno));
    else if (context == NULL || piece == NULL)
        status = fail_memory(diag, PIECE_BYTES, "the SHA-256 of the file");
    if (status == SPMM_OK)
        status = digest_stream(file, context, piece, diag);
    if (status == SPMM_OK)
        status = finish(context, text, diag);
    if (file != NULL)
        (void)fclose(file);
    free(piece);
    EVP_MD_CTX_free(context);
    return status;
}
