#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H
#include <sqlite3.h>

// Swift cannot call C functions with variable arguments; these fix the argument types.
static inline int csqlite_db_config_int(sqlite3 *db, int op, int value) {
  return sqlite3_db_config(db, op, value, (int *)0);
}
static inline int csqlite_config_int(int op, int value) { return sqlite3_config(op, value); }
static inline int csqlite_test_control_uint(int op, unsigned int value) {
  return sqlite3_test_control(op, value);
}
// The destructor constants are casts of integers to function pointers, which Swift does not import.
static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }
#endif
