#ifndef CQA_SQLITE_SHIM_H
#define CQA_SQLITE_SHIM_H
#include <malloc.h>
#include <sqlite3.h>

/// Settings for all connections, before anything else is asked of SQLite: it does not count what memory it takes, for which
/// it would hold one lock for all threads at each allocation; and what one statement may have to take back waits in memory
/// for a while longer. At the usual 64 KiB the first statement over eight pages begins a file, in which from then on every
/// statement of the transaction writes each page that it changes. SQLite writes what waited into that file at once, of which
/// its unixWrite writes the length's lower 17 bits first: with more than 128 KiB it says that the disk is full.
static inline int cqa_configure(void) {
  int code = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  return code == SQLITE_OK ? sqlite3_config(SQLITE_CONFIG_STMTJRNL_SPILL, (1 << 17) - 1) : code;
}
/// SQLITE_TRANSIENT is a cast, which Swift cannot import: SQLite copies the bytes before it returns.
static inline int cqa_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
  return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}
/// As cqa_bind_text, for bytes that outlive the next step or reset of the statement: no copy is made.
static inline int cqa_bind_text_static(sqlite3_stmt *statement, int index, const char *text, int length) {
  return sqlite3_bind_text(statement, index, text, length, SQLITE_STATIC);
}
/// As cqa_bind_text, for bytes that are no text.
static inline int cqa_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
  return length == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                     : sqlite3_bind_blob(statement, index, bytes, length, SQLITE_TRANSIENT);
}
/// As cqa_bind_text, for what a function or a virtual table gives.
static inline void cqa_result_text(sqlite3_context *context, const void *text, int length) {
  sqlite3_result_text(context, text ? (const char *)text : "", length, SQLITE_TRANSIENT);
}
/// Byte in the SQL of the last error where SQLite can tell, else -1; it can since 3.38.
static inline int cqa_error_offset(sqlite3 *connection) {
#if SQLITE_VERSION_NUMBER >= 3038000
  return sqlite3_error_offset(connection);
#else
  return -1;
#endif
}
/// A macro that Swift cannot import: what was cut off must be taken back by one who may write.
static const int cqa_readonly_rollback = SQLITE_READONLY_ROLLBACK;
/// Frees what SQLite keeps of pages, and gives it back to the system: glibc keeps it for threads like the one that had it.
static inline void cqa_release_memory(sqlite3 *connection) {
  sqlite3_db_release_memory(connection);
  malloc_trim(0);
}
#endif
