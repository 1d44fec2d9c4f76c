#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H
#include <sqlite3.h>
#include <sys/types.h>

// Swift cannot call C functions with variable arguments; these fix the argument types.
static inline int csqlite_db_config_int(sqlite3 *db, int op, int value) {
  return sqlite3_db_config(db, op, value, (int *)0);
}
static inline int csqlite_config_int(int op, int value) { return sqlite3_config(op, value); }
static inline int csqlite_test_control_uint(int op, unsigned int value) {
  return sqlite3_test_control(op, value);
}
// As root, SQLite gives a -wal to the owner of its database, even where it only reads: that changes
// the times of a user's file, which looks as if another process had written.
static int csqlite_no_owner(int file, uid_t user, gid_t group) {
  (void)file, (void)user, (void)group;
  return 0;
}
static inline void csqlite_keep_owners(void) {
  sqlite3_vfs *vfs = sqlite3_vfs_find("unix");
  if (vfs && vfs->iVersion >= 3 && vfs->xSetSystemCall) {
    vfs->xSetSystemCall(vfs, "fchown", (sqlite3_syscall_ptr)csqlite_no_owner);
  }
}
// The destructor constants are casts of integers to function pointers, which Swift does not import.
static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }
#endif
