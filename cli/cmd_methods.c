#include <string.h>

#include "cli.h"
#include "screen.h"
#include "show.h"

/* The same as a table for people, with the tasks behind. */
static int show_list(void) {
    screen s = screen_of(stdout);
    for (int64_t i = 0; i < pare_methods_count(); i++) {
        pare_method_info m;
        char line[512];
        if (!pare_methods_info(&m, i)) break;
        snprintf(line, sizeof line, "%-13s%s (%s)", m.name, m.summary, m.tasks);
        screen_text(&s, line, 13, false);
    }
    return EXIT_FINE;
}

static int list_methods(void) {
    for (int64_t i = 0; i < pare_methods_count(); i++) {
        pare_method_info m;
        if (!pare_methods_info(&m, i)) break;
        printf("%-12s %s (%s)\n", m.name, m.summary, m.tasks);
    }
    return EXIT_FINE;
}

/* On one line of any length, or wrapped to the window. */
static void print_setting(const pare_setting_info *s, const screen *window) {
    char shown[64], line[2048];
    snprintf(shown, sizeof shown, "--%s", s->name);
    for (char *p = shown + 2; *p; p++)
        if (*p == '_') *p = '-';
    snprintf(line, sizeof line, "  %-20s %s [%s; default: %s]", shown, s->doc, s->allowed,
             s->fallback[0] ? s->fallback : "none");
    if (window)
        screen_text(window, line, 6, false);
    else
        puts(line);
}

static void print_pair(const char *key, const char *text, const char *after) {
    printf("\"%s\": \"", key);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') putchar('\\');
        putchar(*text);
    }
    printf("\"%s", after);
}

static void print_flag(const char *key, bool flag, const char *after) {
    printf("\"%s\": %s%s", key, flag ? "true" : "false", after);
}

/* The i-th method (-1: the default pipeline) as a JSON object, with its settings if they are
 * given. */
static void print_json(int64_t i, const pare_method_info *m, const pare_settings *settings) {
    pare_method_support support;
    bool listed = pare_methods_support(&support, i);
    putchar('{');
    print_pair("name", m->name, ", ");
    print_pair("summary", m->summary, ", ");
    print_pair("tasks", m->tasks, ", ");
    print_pair("problem", m->problem, ", ");
    print_pair("citation", m->citation, listed ? ", " : "");
    if (listed) {
        print_pair("keep", support.keep, ", ");
        print_pair("cost", support.cost, ", ");
        print_flag("budget", support.budget, ", ");
        print_pair("groups", support.groups, ", ");
        print_flag("class_weight", support.class_weight, ", ");
        print_pair("probability", support.probability, ", ");
        print_flag("sign", support.sign, "");
    }
    fputs(settings ? ",\n \"settings\": [" : "}", stdout);
    for (int64_t j = 0; settings && j < pare_settings_count(settings); j++) {
        pare_setting_info s;
        if (!pare_settings_info(&s, settings, j)) break;
        fputs(j ? ",\n  {" : "\n  {", stdout);
        print_pair("name", s.name, ", ");
        print_pair("type", s.type, ", ");
        print_pair("default", s.fallback, ", ");
        print_pair("allowed", s.allowed, ", ");
        print_pair("doc", s.doc, ", ");
        print_flag("common", s.common, "}");
    }
    if (settings) puts("]}");
}

static void print_about(const pare_method_info *m, const screen *window) {
    char text[4096];
    snprintf(text, sizeof text, "%s: %s\n\nProblem:  %s\nTasks:    %s\nPaper:    %s\n", m->name,
             m->summary, m->problem, m->tasks, m->citation);
    if (window)
        screen_lines(window, text, 10, false);
    else
        fputs(text, stdout);
}

static int show_method(const options *o, int64_t at, const pare_method_info *m) {
    pare_settings *settings;
    pare_error err;
    if (pare_settings_new(&settings, m->name, &o->ctx, &err) != PARE_OK) return say_error(&err);
    if (o->json) {
        print_json(at, m, settings);
        pare_settings_free(settings);
        return EXIT_FINE;
    }
    screen own = screen_of(stdout);
    const screen *window = shows_people(o) ? &own : NULL;
    print_about(m, window);
    for (int common = 0; common < 2; common++) {
        bool any = false;
        for (int64_t i = 0; i < pare_settings_count(settings); i++) {
            pare_setting_info s;
            if (!pare_settings_info(&s, settings, i)) break;
            if (s.common != common) continue;
            if (!any) printf("\n%s\n", common ? "Settings of every method:" : "Settings:");
            any = true;
            print_setting(&s, window);
        }
    }
    pare_settings_free(settings);
    return EXIT_FINE;
}

static int list_json(void) {
    for (int64_t i = 0; i < pare_methods_count(); i++) {
        pare_method_info m;
        fputs(i == 0 ? "[" : ",\n ", stdout);
        if (pare_methods_info(&m, i)) print_json(i, &m, NULL);
    }
    puts("]");
    return EXIT_FINE;
}

int run_methods(options *o) {
    pare_method_info pipeline;
    pare_methods_default(&pipeline);
    if (o->n_arguments == 0)
        return o->json ? list_json() : shows_people(o) ? show_list() : list_methods();
    if (strcmp(pipeline.name, o->argument[0]) == 0) return show_method(o, -1, &pipeline);
    for (int64_t i = 0; i < pare_methods_count(); i++) {
        pare_method_info m;
        if (!pare_methods_info(&m, i)) break;
        if (strcmp(m.name, o->argument[0]) == 0) return show_method(o, i, &m);
    }
    pare_settings *none;
    pare_error err = {.message = ""};
    if (pare_settings_new(&none, o->argument[0], NULL, &err) == PARE_OK) pare_settings_free(none);
    return say_usage("%s; see pare methods", err.message);
}
