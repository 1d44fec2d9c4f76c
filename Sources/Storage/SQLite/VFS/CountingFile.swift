import CSQLite

/// A file's size, shared by all connections that have it open.
struct KnownFile {
  var size: Int64
  var openCount = 0
  /// Whether its bytes are given back when the last one closes it: it has no name any more.
  var endsWhenClosed: Bool
}

/// An open file as SQLite sees it: our part, and the real VFS's part behind it.
///
/// SQLite allocates `szOsFile` bytes and hands out their address, so that this is a layout in raw
/// memory and no object: the first field is what SQLite knows of a file, and Swift lays fields out
/// in their order. Only one connection uses a file, one thread at a time: its counters need no
/// lock, and nothing on this path is reference counted.
struct CountingFile {
  var base = sqlite3_file()
  var activity = FileActivity()
  let fileClass: FileClass
  let known: UnsafeMutablePointer<KnownFile>
  let gauge: UnsafeMutablePointer<DiskGauge>
  /// The VFS that opened it, which outlives it.
  let owner: Unmanaged<CountingVFS>
  /// Who may let its calls fail; `nil` but in tests.
  let watcher: Unmanaged<FaultInjector>?
  /// As SQLite keeps it until the file is closed; `nil` for a temporary file.
  let path: UnsafePointer<CChar>?
  /// Whether its next sync makes the names in its folder last as well.
  var syncsFolder: Bool

  /// The bytes before the real file, a multiple of the largest alignment.
  static let headerBytes = (MemoryLayout<CountingFile>.stride + 15) & ~15

  @inline(__always)
  static func at(
    _ file: UnsafeMutablePointer<sqlite3_file>?
  ) -> UnsafeMutablePointer<CountingFile>? {
    UnsafeMutableRawPointer(file)?.assumingMemoryBound(to: CountingFile.self)
  }

  /// The real VFS's file behind ours.
  @inline(__always)
  static func real(
    behind file: UnsafeMutablePointer<sqlite3_file>
  ) -> UnsafeMutablePointer<sqlite3_file> {
    (UnsafeMutableRawPointer(file) + headerBytes).assumingMemoryBound(to: sqlite3_file.self)
  }

  /// Notes that the file reaches to an offset at least.
  @inline(__always)
  func grow(to end: Int64) {
    guard end > known.pointee.size else { return }
    gauge.pointee.add(end - known.pointee.size)
    known.pointee.size = end
  }

  /// Notes the file's size.
  func resize(to size: Int64) {
    gauge.pointee.add(size - known.pointee.size)
    known.pointee.size = size
  }
}
