/* SPDX-License-Identifier: MIT */
#include "settings.h"

#include <string.h>

int settings_add(settings *list, const char *text) {
    if (list->n == SETTINGS_MAX || !strchr(text, '='))
        return -1;
    list->text[list->n++] = text;
    return 0;
}

tvgp_status settings_apply(settings *list, tvgp_policy *policy) {
    for (size_t i = 0; i < list->n; i++) {
        const tvgp_status status = tvgp_policy_set(policy, list->text[i]);
        if (status != TVGP_OK && status != TVGP_ERR_NOTFOUND)
            return status;
        list->used[i] |= status == TVGP_OK;
    }
    return TVGP_OK;
}

tvgp_status settings_refuse_unused(const settings *list, tvgp_policy *policy) {
    for (size_t i = 0; i < list->n; i++)
        if (!list->used[i])
            return tvgp_policy_set(policy, list->text[i]);
    return TVGP_OK;
}
