import CSQLite

extension Connection {
  /// Copies the file page by page into a new one, what is in the WAL included
  /// (https://www.sqlite.org/backup.html).
  ///
  /// - Throws: ``SQLiteError`` where the copy cannot be made or is not finished in one go.
  package func backUp(to path: String) throws {
    let target = try Connection(path: path, mode: .create, settings: nil)
    let backup = sqlite3_backup_init(target.handle.pointer, "main", handle.pointer, "main")
    guard let backup else { throw target.handle.error(SQLITE_ERROR, while: "back up to \(path)") }
    let code = sqlite3_backup_step(backup, -1)
    let end = sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, end == SQLITE_OK else {
      throw target.handle.error(code == SQLITE_DONE ? end : code, while: "back up to \(path)")
    }
  }
}
