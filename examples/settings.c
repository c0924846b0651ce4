/* SPDX-License-Identifier: MIT */
#include "settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int settings_add(settings *list, const char *text) {
    const size_t length = strcspn(text, "=");
    if (list->n == SETTINGS_MAX || !length || !text[length] || length >= SETTINGS_KEY_SIZE)
        return -1;
    setting *entry = &list->entry[list->n++];
    *entry = (setting){.value = text + length + 1};
    memcpy(entry->key, text, length);
    return 0;
}

static int find_option(const tvgp_policy *policy, const char *key, tvgp_option_info *info) {
    size_t n = 0;
    tvgp_policy_option_count(policy, &n);
    for (size_t i = 0; i < n; i++)
        if (tvgp_policy_option_info(policy, i, info) == TVGP_OK && strcmp(info->key, key) == 0)
            return 1;
    return 0;
}

/* Text that is not a number where one is due goes on as a string: the library refuses it and says why. */
static tvgp_status set_text(tvgp_policy *policy, int32_t type, const char *key, const char *text) {
    char *end;
    errno = 0;
    if (type == TVGP_F64) {
        const double value = strtod(text, &end);
        if (end != text && !*end)
            return tvgp_policy_set_f64(policy, key, value);
    } else if (type == TVGP_I64) {
        const long long value = strtoll(text, &end, 10);
        if (end != text && !*end && !errno)
            return tvgp_policy_set_i64(policy, key, value);
    }
    return tvgp_policy_set_str(policy, key, text);
}

tvgp_status settings_apply(settings *list, tvgp_policy *policy) {
    for (setting *entry = list->entry; entry < list->entry + list->n; entry++) {
        tvgp_option_info info;
        if (!find_option(policy, entry->key, &info))
            continue;
        entry->used = 1;
        const tvgp_status status = set_text(policy, info.type, entry->key, entry->value);
        if (status != TVGP_OK)
            return status;
    }
    return TVGP_OK;
}

tvgp_status settings_refuse_unused(const settings *list, tvgp_policy *policy) {
    for (const setting *entry = list->entry; entry < list->entry + list->n; entry++)
        if (!entry->used)
            return tvgp_policy_set_str(policy, entry->key, entry->value);
    return TVGP_OK;
}
