/* What the machine needs at the least, one thread: the measure that callqa is held against.

   floor json FILE             read FILE in pieces and parse every JSON value of it (numbers to doubles)
   floor rows DATABASE TABLE   put the rows of a table, already in memory, into a new database by the C API
   floor pcap FILE             let libpcap read a capture, and count the packets and bytes

   Prints seconds of wall time; reading the rows of DATABASE is not counted. */
#include <fcntl.h>
#include <pcap/pcap.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what) {
  fprintf(stderr, "floor: %s\n", what);
  exit(1);
}

/* -- JSON: a flat scan in which every number becomes a double and every string is found to its end. */

static double sum;
static size_t strings, numbers;

static const char *number(const char *at) {
  static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14,
                                  1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const char *start = at;
  int negative = *at == '-', digits = 0, fraction = 0;
  uint64_t mantissa = 0;
  at += negative;
  for (; *at >= '0' && *at <= '9'; at++, digits++) mantissa = mantissa * 10 + (uint64_t)(*at - '0');
  if (*at == '.')
    for (at++; *at >= '0' && *at <= '9'; at++, digits++, fraction++)
      mantissa = mantissa * 10 + (uint64_t)(*at - '0');
  double value;
  if (digits > 18 || mantissa >> 53 || fraction > 22 || *at == 'e' || *at == 'E') {
    char *end;
    value = strtod(start, &end);
    at = end;
  } else {
    value = (double)mantissa / powers[fraction];
    if (negative) value = -value;
  }
  sum += value;
  numbers++;
  return at;
}

static const char *scan(const char *at, const char *end) {
  while (at < end) {
    switch (*at) {
    case '"':
      for (at++; at < end && *at != '"'; at++)
        if (*at == '\\') at++;
      strings++;
      at++;
      break;
    case '-': case '0': case '1': case '2': case '3': case '4':
    case '5': case '6': case '7': case '8': case '9':
      at = number(at);
      break;
    default: at++;
    }
  }
  return at;
}

static void json(const char *path) {
  size_t room = 1 << 20, kept = 0;
  char *buffer = malloc(room + 1);
  int file = open(path, O_RDONLY);
  if (file < 0 || !buffer) die("cannot read the file");
  double start = now();
  for (;;) {
    ssize_t got = read(file, buffer + kept, room - kept);
    if (got < 0) die("cannot read the file");
    size_t all = kept + (size_t)got, whole = all;
    while (got && whole && buffer[whole - 1] != '\n') whole--;
    if (got && !whole) { /* a line longer than the buffer */
      if (all == room) {
        room *= 2;
        buffer = realloc(buffer, room + 1);
        if (!buffer) die("out of memory");
      }
      kept = all;
      continue;
    }
    char saved = buffer[whole];
    buffer[whole] = 0;
    scan(buffer, buffer + whole);
    buffer[whole] = saved;
    kept = all - whole;
    memmove(buffer, buffer + whole, kept);
    if (!got) break;
  }
  fprintf(stderr, "%zu strings, %zu numbers, sum %g\n", strings, numbers, sum);
  printf("%.6f\n", now() - start);
}

/* -- Rows: sixteen a statement, bound from memory. */

enum { batch = 16 };

static sqlite3_stmt *prepare(sqlite3 *to, const char *table, int columns, int rows) {
  size_t room = 256 + (size_t)rows * (size_t)(columns * 2 + 3);
  char *sql = malloc(room), *at = sql;
  at += sprintf(at, "INSERT INTO \"%s\" VALUES ", table);
  for (int row = 0; row < rows; row++) {
    at += sprintf(at, row ? ",(" : "(");
    for (int column = 0; column < columns; column++) at += sprintf(at, column ? ",?" : "?");
    at += sprintf(at, ")");
  }
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(to, sql, -1, &statement, NULL)) die(sqlite3_errmsg(to));
  free(sql);
  return statement;
}

static void rows(const char *database, const char *table) {
  sqlite3 *from, *to;
  sqlite3_stmt *select;
  char sql[512], path[] = "/tmp/callqa-floor-XXXXXX";
  if (sqlite3_open_v2(database, &from, SQLITE_OPEN_READONLY, NULL)) die("cannot open the database");
  sqlite3_limit(from, SQLITE_LIMIT_VARIABLE_NUMBER, 250000);
  snprintf(sql, sizeof sql, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = '%s'", table);
  if (sqlite3_prepare_v2(from, sql, -1, &select, NULL) || sqlite3_step(select) != SQLITE_ROW) die("no such table");
  char *schema = strdup((const char *)sqlite3_column_text(select, 0));
  sqlite3_finalize(select);
  snprintf(sql, sizeof sql, "SELECT * FROM \"%s\"", table);
  if (sqlite3_prepare_v2(from, sql, -1, &select, NULL)) die(sqlite3_errmsg(from));
  int columns = sqlite3_column_count(select);
  size_t count = 0, room = 1 << 16;
  sqlite3_value **cells = malloc(room * sizeof *cells);
  while (sqlite3_step(select) == SQLITE_ROW) {
    if ((count + 1) * (size_t)columns > room) cells = realloc(cells, (room *= 2) * sizeof *cells);
    for (int column = 0; column < columns; column++)
      cells[count * (size_t)columns + (size_t)column] = sqlite3_value_dup(sqlite3_column_value(select, column));
    count++;
  }
  close(mkstemp(path));
  if (sqlite3_open(path, &to)) die("cannot make a database");
  if (sqlite3_exec(to, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL", NULL, NULL, NULL)) die("pragma");
  if (sqlite3_exec(to, schema, NULL, NULL, NULL)) die(sqlite3_errmsg(to));
  double start = now();
  sqlite3_exec(to, "BEGIN", NULL, NULL, NULL);
  sqlite3_stmt *many = prepare(to, table, columns, batch), *one = prepare(to, table, columns, 1);
  for (size_t row = 0; row < count;) {
    int taken = count - row >= batch ? batch : 1;
    sqlite3_stmt *insert = taken == batch ? many : one;
    for (int cell = 0; cell < taken * columns; cell++)
      sqlite3_bind_value(insert, cell + 1, cells[row * (size_t)columns + (size_t)cell]);
    if (sqlite3_step(insert) != SQLITE_DONE) die(sqlite3_errmsg(to));
    sqlite3_reset(insert);
    row += (size_t)taken;
  }
  sqlite3_exec(to, "COMMIT", NULL, NULL, NULL);
  double seconds = now() - start;
  sqlite3_finalize(many);
  sqlite3_finalize(one);
  sqlite3_close(to);
  unlink(path);
  strcat(strcpy(sql, path), "-wal"), unlink(sql);
  strcat(strcpy(sql, path), "-shm"), unlink(sql);
  fprintf(stderr, "%zu rows of %d columns\n", count, columns);
  printf("%.6f\n", seconds);
}

static void capture(const char *path) {
  char message[PCAP_ERRBUF_SIZE];
  double start = now();
  pcap_t *file = pcap_open_offline(path, message);
  if (!file) die(message);
  struct pcap_pkthdr *header;
  const u_char *bytes;
  size_t packets = 0, total = 0;
  while (pcap_next_ex(file, &header, &bytes) == 1) packets++, total += header->caplen;
  pcap_close(file);
  fprintf(stderr, "%zu packets, %zu bytes\n", packets, total);
  printf("%.6f\n", now() - start);
}

int main(int count, char **words) {
  if (count == 3 && !strcmp(words[1], "json")) return json(words[2]), 0;
  if (count == 4 && !strcmp(words[1], "rows")) return rows(words[2], words[3]), 0;
  if (count == 3 && !strcmp(words[1], "pcap")) return capture(words[2]), 0;
  fprintf(stderr, "usage: floor json FILE | rows DATABASE TABLE | pcap FILE\n");
  return 2;
}
