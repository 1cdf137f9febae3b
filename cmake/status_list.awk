# SPDX-License-Identifier: Apache-2.0
# Doxygen filter: expands SPMM_STATUS_LIST of spmm/common.h to enumerators with their sentences as comments.
/^#define SPMM_STATUS_LIST/ { listing = 1; print ""; next }
listing {
    if (split($0, part, "\"") == 3 && match(part[1], /SPMM_[A-Z0-9_]+, [0-9]+/)) {
        value = substr(part[1], RSTART, RLENGTH)
        sub(/, /, " = ", value)
        values = values value ", /**< " part[2] " */ "
    }
    listing = /\\$/
    print ""
    next
}
/^#define SPMM_STATUS_ENUM|^#undef SPMM_STATUS_ENUM/ { print ""; next }
/SPMM_STATUS_LIST\(SPMM_STATUS_ENUM\)/ { print values; next }
{ print }
