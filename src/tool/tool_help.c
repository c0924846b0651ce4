/* SPDX-License-Identifier: MIT */
/* help and completions: texts that are generated from the table of commands and options. */
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the nearest command ------------------------------------------------------------------------------------------------ */

/* How many letters differ (Wagner and Fischer 1974). */
static size_t distance(const char *a, const char *b) {
    enum { MOST = 32 };
    size_t row[MOST + 1], n = strlen(b);
    n = n < MOST ? n : MOST;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; *a; a++, i++) {
        size_t before = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            const size_t change = before + (*a != b[j - 1]), insert = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            before = row[j];
            row[j] = change < insert ? change : insert;
        }
    }
    return row[n];
}

const char *tool_help_nearest(const tool_menu *menu, const char *word) {
    const tool_command *list = menu->command, *near = list;
    for (size_t i = 1; i < menu->commands; i++)
        if (distance(word, list[i].name) < distance(word, near->name))
            near = &list[i];
    return near->name;
}

/* ---- help --------------------------------------------------------------------------------------------------------------- */

static void add_option(const tool_option *o, tool_text *text) {
    char left[40];
    snprintf(left, sizeof left, "--%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
    tool_text_add(text, "  %-22s %s\n", left, o->doc);
}

static int takes(const tool_command *command, const tool_option *o) {
    return !o->mask || (command->options & o->mask);
}

static void add_command(const tool_menu *menu, const tool_command *command, tool_text *text) {
    const tool_option *list = menu->option;
    tool_text_add(text, "usage: tvgp %s %s\n%s\n", command->name, command->arguments, command->doc);
    for (size_t i = 0; i < menu->options; i++)
        if (takes(command, &list[i]))
            add_option(&list[i], text);
    tool_text_add(text, "example: %s\n", command->example);
}

static void add_all(const tool_menu *menu, tool_text *text) {
    const size_t n = menu->commands, options = menu->options;
    const tool_command *list = menu->command;
    const tool_option *option = menu->option;
    tool_text_add(text, "usage: tvgp COMMAND FILE [ARGUMENTS] [--json]\n");
    for (size_t i = 0; i < n; i++) {
        tool_text_add(text, "  %s %s", list[i].name, list[i].arguments);
        for (size_t k = 0; k < options; k++)
            if (list[i].options & option[k].mask)
                tool_text_add(text, " [--%s%s%s]", option[k].name, option[k].value ? " " : "",
                              option[k].value ? option[k].value : "");
        tool_text_add(text, "\n      ");
        for (const char *c = list[i].doc; *c; c++)
            tool_text_add(text, *c == '\n' ? "\n      " : "%c", *c);
        tool_text_add(text, "\n");
    }
    tool_text_add(
        text,
        "Exit codes: 0, 1 refused (the file is unchanged), 2 usage, 3 nothing to ask. An example of each command: tvgp "
        "help COMMAND. More: man tvgp\n");
}

int tool_help(const tool_call *call) {
    const size_t n = call->menu->commands;
    const tool_command *list = call->menu->command;
    size_t i = 0;
    tool_text text = {0};
    while (call->path && i < n && strcmp(list[i].name, call->path) != 0)
        i++;
    if (call->path && i == n)
        tool_exit(TOOL_USAGE, "'%.40s' is no command; nearest is '%s' (tvgp help)", call->path,
                  tool_help_nearest(call->menu, call->path));
    if (call->path)
        add_command(call->menu, &list[i], &text);
    else
        add_all(call->menu, &text);
    tool_text_print(&text);
    return 0;
}

int tool_help_usage(const tool_menu *menu, const tool_command *command) {
    tool_text text = {0};
    if (command)
        add_command(menu, command, &text);
    else
        add_all(menu, &text);
    fputs(text.at, stderr);
    free(text.at);
    return TOOL_USAGE;
}

/* ---- completions -------------------------------------------------------------------------------------------------------- */

static void add_names(const tool_menu *menu, tool_text *text) {
    const size_t n = menu->commands;
    const tool_command *list = menu->command;
    for (size_t i = 0; i < n; i++)
        tool_text_add(text, "%s%s", i ? " " : "", list[i].name);
}

static void add_bash(const tool_menu *menu, tool_text *text) {
    const size_t n = menu->commands, options = menu->options;
    const tool_command *list = menu->command;
    const tool_option *option = menu->option;
    tool_text_add(text, "_tvgp() {\n    local word=${COMP_WORDS[COMP_CWORD]} options=\n    COMPREPLY=()\n"
                        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W '");
    add_names(menu, text);
    tool_text_add(text, "' -- \"$word\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n    help)\n"
                        "        COMPREPLY=($(compgen -W '");
    add_names(menu, text);
    tool_text_add(text, "' -- \"$word\"))\n        return\n        ;;\n");
    for (size_t i = 0; i < n; i++) {
        tool_text_add(text, "    %s) options='", list[i].name);
        for (size_t k = 0, any = 0; k < options; k++)
            if (takes(&list[i], &option[k]))
                tool_text_add(text, "%s--%s", any++ ? " " : "", option[k].name);
        tool_text_add(text, "' ;;\n");
    }
    tool_text_add(text,
                  "    esac\n    case $word in\n    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
                  "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n    esac\n}\ncomplete -o filenames -F _tvgp tvgp\n");
}

/* A text in a word of zsh's _arguments and _describe, which brackets, colons and quotes would end. */
static void add_escaped(const char *doc, tool_text *text) {
    for (; *doc && *doc != '\n'; doc++)
        if (*doc == '\'')
            tool_text_add(text, "'\\''");
        else
            tool_text_add(text, "%s%c", strchr("[]:\\", *doc) ? "\\" : "", *doc);
}

static void add_zsh(const tool_menu *menu, tool_text *text) {
    const size_t n = menu->commands, options = menu->options;
    const tool_command *list = menu->command;
    const tool_option *option = menu->option;
    tool_text_add(text, "#compdef tvgp\n_tvgp() {\n    local -a commands\n    commands=(\n");
    for (size_t i = 0; i < n; i++) {
        tool_text_add(text, "        '%s:", list[i].name);
        add_escaped(list[i].doc, text);
        tool_text_add(text, "'\n");
    }
    tool_text_add(text,
                  "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
                  "    case $words[2] in\n    help) _describe command commands ;;\n");
    for (size_t i = 0; i < n; i++) {
        tool_text_add(text, "    %s) _arguments", list[i].name);
        for (size_t k = 0; k < options; k++)
            if (takes(&list[i], &option[k])) {
                tool_text_add(text, " '--%s[", option[k].name);
                add_escaped(option[k].doc, text);
                tool_text_add(text, "]%s%s%s'", option[k].value ? ":" : "", option[k].value ? option[k].value : "",
                              option[k].value ? ":" : "");
            }
        tool_text_add(text, " '*:file:_files' ;;\n");
    }
    tool_text_add(text, "    esac\n}\ncompdef _tvgp tvgp\n");
}

int tool_completions(const tool_call *call) {
    tool_text text = {0};
    if (call->path && strcmp(call->path, "bash") == 0)
        add_bash(call->menu, &text);
    else if (call->path && strcmp(call->path, "zsh") == 0)
        add_zsh(call->menu, &text);
    else
        tool_exit(TOOL_USAGE, "completions '%.40s' must be bash or zsh", call->path ? call->path : "");
    tool_text_print(&text);
    return 0;
}
