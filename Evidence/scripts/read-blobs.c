/* The work of SQLite's kvtest: blobs of one size, each read whole in a random order, from a table
   kv(k INTEGER PRIMARY KEY, v BLOB) in one transaction, and by fopen, fread and fclose. The best of some rounds.
   usage: read-blobs FOLDER BYTES COUNT PAGE ROUNDS   (cc -O2 read-blobs.c -lsqlite3) */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

static unsigned state;
static unsigned number(void) { return state = (state >> 1) ^ ((1 + ~(state & 1)) & 0xd0000001); }
static void must(int is, const char *what) { if (!is) { fprintf(stderr, "%s failed\n", what); exit(1); } }

int main(int argc, char **argv) {
  must(argc == 6, "usage: read-blobs FOLDER BYTES COUNT PAGE ROUNDS:");
  int size = atoi(argv[2]), count = atoi(argv[3]), rounds = atoi(argv[5]);
  char path[500], sql[200], *blob = malloc(size);
  double database = 1e9, files = 1e9;
  sqlite3 *db;
  sqlite3_stmt *row;
  snprintf(path, sizeof path, "%s/kv.db", argv[1]);
  must(sqlite3_open(path, &db) == SQLITE_OK, "open");
  snprintf(sql, sizeof sql, "PRAGMA page_size=%d; CREATE TABLE kv(k INTEGER PRIMARY KEY, v BLOB); BEGIN", atoi(argv[4]));
  must(sqlite3_exec(db, sql, 0, 0, 0) == SQLITE_OK, sql);
  sqlite3_prepare_v2(db, "INSERT INTO kv VALUES(?, ?)", -1, &row, 0);
  state = 1;
  for (int i = 0; i < size; i++) blob[i] = number();
  for (int i = 0; i < count; i++) {
    sqlite3_bind_int(row, 1, i);
    sqlite3_bind_blob(row, 2, blob, size, SQLITE_STATIC);
    must(sqlite3_step(row) == SQLITE_DONE, "insert");
    sqlite3_reset(row);
    char name[500];
    snprintf(name, sizeof name, "%s/%06d", argv[1], i);
    FILE *file = fopen(name, "wb");
    must(file && fwrite(blob, 1, size, file) == (size_t)size && !fclose(file), name);
  }
  sqlite3_finalize(row);
  sqlite3_exec(db, "COMMIT", 0, 0, 0);
  sqlite3_close(db);
  for (int round = 0; round < rounds; round++) {
    double start = now();
    state = 7 + round;
    sqlite3_open(path, &db);
    sqlite3_exec(db, "BEGIN", 0, 0, 0);
    sqlite3_prepare_v2(db, "SELECT v FROM kv WHERE k = ?", -1, &row, 0);
    for (int i = 0; i < count; i++) {
      sqlite3_bind_int(row, 1, number() % count);
      must(sqlite3_step(row) == SQLITE_ROW, "read");
      memcpy(blob, sqlite3_column_blob(row, 0), size);
      sqlite3_reset(row);
    }
    sqlite3_finalize(row);
    sqlite3_close(db);
    if (now() - start < database) database = now() - start;
    start = now();
    state = 7 + round;
    for (int i = 0; i < count; i++) {
      char name[500];
      snprintf(name, sizeof name, "%s/%06d", argv[1], number() % count);
      FILE *file = fopen(name, "rb");
      must(file != 0, name);
      fseek(file, 0, SEEK_END);
      long length = ftell(file);
      rewind(file);
      must(fread(blob, 1, length, file) == (size_t)length && !fclose(file), "read");
    }
    if (now() - start < files) files = now() - start;
  }
  printf("%d,%.2f,%.2f\n", size, database / count * 1e6, files / count * 1e6);
}
