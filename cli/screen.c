#define _DEFAULT_SOURCE
#include "screen.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MIN_WIDTH = 40, DEFAULT_WIDTH = 80, MAX_TEXT = 8192, GAP = 2 };

static int window_width(void) {
    struct winsize window;
    const char *columns = getenv("COLUMNS");
    int width = columns ? (int)strtol(columns, NULL, 10) : 0;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 &&
        window.ws_col > 0)
        width = window.ws_col;
    return width <= 0 ? DEFAULT_WIDTH : width < MIN_WIDTH ? MIN_WIDTH : width;
}

screen screen_of(FILE *to) {
    const char *without = getenv("NO_COLOR"), *terminal = getenv("TERM");
    bool plain = (without && *without) || !terminal || strcmp(terminal, "dumb") == 0;
    return (screen){to, window_width(), isatty(STDOUT_FILENO) && !plain};
}

/* Characters of UTF-8 in the first `bytes`. */
static int columns_of(const char *text, size_t bytes) {
    int count = 0;
    for (size_t i = 0; i < bytes && text[i]; i++) count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

/* The bytes of the first `columns` characters. */
static size_t bytes_of(const char *text, int columns) {
    size_t i = 0;
    for (; text[i]; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80 && columns-- == 0) break;
    return i;
}

/* Labels of the data stand in sentences, too: what a terminal would interpret is written as \x1b. */
static void put_word(const screen *s, const char *word, size_t length) {
    char text[MAX_TEXT];
    snprintf(text, sizeof text, "%.*s", (int)length, word);
    print_shown(s->to, text, false);
}

void screen_text(const screen *s, const char *text, int indent, bool strong) {
    int at = 0;
    if (strong && s->strong) fputs("\x1b[1m", s->to);
    while (*text) {
        int blanks = (int)strspn(text, " ");
        const char *word = text + blanks;
        size_t length = strcspn(word, " "), room = bytes_of(word, s->width - indent);
        if (length > room) length = room; /* a word wider than the window is cut */
        int wide = columns_of(word, length);
        if (at > 0 && at + blanks + wide > s->width) {
            fputc('\n', s->to);
            blanks = indent;
            at = 0;
        }
        fprintf(s->to, "%*s", blanks, "");
        put_word(s, word, length);
        at += blanks + wide;
        text = word + length;
    }
    if (strong && s->strong) fputs("\x1b[0m", s->to);
    fputc('\n', s->to);
}

void screen_lines(const screen *s, const char *lines, int indent, bool strong) {
    char line[MAX_TEXT];
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, lines);
        screen_text(s, line, indent, strong);
        lines += length + (lines[length] == '\n');
    }
}

void screen_print(const screen *s, const char *format, ...) {
    char text[MAX_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    screen_text(s, text, 2, false);
}

const char *short_text(double x, char buffer[32]) {
    buffer[0] = '\0';
    if (isnan(x)) return buffer;
    if (x == floor(x) && fabs(x) < 1e15)
        snprintf(buffer, 32, "%.0f", x);
    else
        snprintf(buffer, 32, "%.4g", x);
    return buffer;
}

/* --- tables --- */

grid grid_of(const char *right, int flexible) {
    grid g = {.columns = (int)strlen(right), .flexible = flexible};
    for (int c = 0; c < g.columns; c++) g.right[c] = right[c] == 'r';
    return g;
}

void grid_add(grid *g, const char *text) {
    page cell;
    if (g->count == g->capacity) {
        int64_t more = 2 * g->capacity + 64;
        char **longer = realloc(g->cell, sizeof *longer * (size_t)more);
        g->failed |= !longer;
        if (!longer) return;
        g->cell = longer;
        g->capacity = more;
    }
    if (g->failed || !page_open(&cell)) {
        g->failed = true;
        return;
    }
    print_cell(cell.to, text);
    g->failed |= fclose(cell.to) != 0;
    g->cell[g->count++] = cell.text;
}

void grid_number(grid *g, double x) {
    char number[32];
    grid_add(g, short_text(x, number));
}

static void widths_of(int *width, const grid *g) {
    for (int64_t i = 0; i < g->count; i++) {
        int wide = columns_of(g->cell[i], strlen(g->cell[i])), c = (int)(i % g->columns);
        if (wide > width[c]) width[c] = wide;
    }
}

static int sum_of(const int *width, int columns) {
    int sum = GAP * columns; /* with the margin on the left */
    for (int c = 0; c < columns; c++) sum += width[c];
    return sum;
}

int grid_width(const grid *g) {
    int width[GRID_COLUMNS] = {0};
    widths_of(width, g);
    return sum_of(width, g->columns);
}

static void print_row(const screen *s, const grid *g, int64_t row, const int *width, int columns) {
    for (int c = 0; c < columns; c++) {
        const char *cell = g->cell[row * g->columns + c];
        int wide = columns_of(cell, strlen(cell));
        bool cut = wide > width[c];
        size_t bytes = cut ? bytes_of(cell, width[c] - 3) : strlen(cell);
        int pad = cut ? 0 : width[c] - wide;
        bool last = c == columns - 1 && !g->right[c];
        fprintf(s->to, "%*s%*s", GAP, "", g->right[c] ? pad : 0, "");
        fwrite(cell, 1, bytes, s->to);
        fprintf(s->to, "%s%*s", cut ? "..." : "", g->right[c] || last ? 0 : pad, "");
    }
    fputc('\n', s->to);
}

void grid_free(grid *g) {
    for (int64_t i = 0; i < g->count; i++) free(g->cell[i]);
    free(g->cell);
}

bool grid_print(const screen *s, grid *g) {
    int width[GRID_COLUMNS] = {0}, columns = g->columns;
    widths_of(width, g);
    int over = sum_of(width, columns) - s->width, least = 12;
    if (over > 0 && g->flexible >= 0) {
        int *cut = &width[g->flexible];
        *cut = *cut - over > least ? *cut - over : *cut < least ? *cut : least;
    }
    while (columns > 1 && sum_of(width, columns) > s->width)
        columns--; /* the last ones are left out */
    if (width[0] + GAP > s->width) width[0] = s->width - GAP;
    bool fine = !g->failed;
    for (int64_t row = 0; fine && (row + 1) * g->columns <= g->count; row++)
        print_row(s, g, row, width, columns);
    grid_free(g);
    return fine;
}
