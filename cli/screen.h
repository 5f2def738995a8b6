/* Text for people: sentences wrapped to the window, tables aligned, numbers of four digits. What is
 * printed for programs is elsewhere and promised; this is not. */
#ifndef PARE_CLI_SCREEN_H
#define PARE_CLI_SCREEN_H

#include "cli.h"

typedef struct screen {
    FILE *to;
    int width;   /* of the window, or COLUMNS where there is none, or 80; at least 40 */
    bool strong; /* marks what matters: on a terminal without NO_COLOR */
} screen;
screen screen_of(FILE *to);

/* A paragraph, wrapped, its later lines `indent` further in. strong: marked. */
void screen_text(const screen *s, const char *text, int indent, bool strong);
/* The same of several lines, each a paragraph. */
void screen_lines(const screen *s, const char *lines, int indent, bool strong);
__attribute__((format(printf, 2, 3))) void screen_print(const screen *s, const char *format, ...);

/* Four significant digits, whole numbers whole; "" for NaN. */
const char *short_text(double x, char buffer[32]);

/* A table whose columns are as wide as their cells; the one that may be cut is. */
enum { GRID_COLUMNS = 16 };
typedef struct grid {
    int columns, flexible; /* the column that gives way, or -1 */
    bool right[GRID_COLUMNS];
    char **cell; /* rows x columns, the first row the heading */
    int64_t count, capacity;
    bool failed;
} grid;
/* right: for each column r, or l for text on the left. */
grid grid_of(const char *right, int flexible);
/* The next cell, row by row; control characters are written as \x1b. */
void grid_add(grid *g, const char *text);
void grid_number(grid *g, double x);
/* Prints and frees it. Returns false if memory was short. */
bool grid_print(const screen *s, grid *g);
/* Columns that it takes, as far as it is filled. */
int grid_width(const grid *g);
void grid_free(grid *g);

#endif
