import CSQLite

/// What the VFS says of the disk below a file, which decides how SQLite writes to it.
package struct FileFacts: Hashable, Sendable {
  /// Bytes that are written as one.
  package let sectorSize: Int
  /// The bits of https://www.sqlite.org/c3ref/c_iocap_atomic.html.
  package let deviceCharacteristics: Int
}

extension Connection {
  /// The facts of the main file; `nil` before it was first read.
  package var fileFacts: FileFacts? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(handle.pointer, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    guard code == SQLITE_OK, let file, let methods = file.pointee.pMethods else { return nil }
    return FileFacts(
      sectorSize: Int(methods.pointee.xSectorSize?(file) ?? 0),
      deviceCharacteristics: Int(methods.pointee.xDeviceCharacteristics?(file) ?? 0)
    )
  }
}
