import CSQLite

/// An open file as SQLite sees it: StoreBench's part, followed by the real VFS's part.
///
/// SQLite allocates `szOsFile` bytes and passes their address, so this is a layout in raw memory:
/// Swift lays out fields in order, and the first field is the part that SQLite knows. Only one
/// connection uses a file, from one thread at a time, so the file's counters need no lock. The
/// file's methods avoid reference counting.
struct CountingFile {
  struct Known {
    var size: Int64
    var openCount = 0
    var endsWhenClosed: Bool
  }

  var base = sqlite3_file()
  var activity = FileActivity()
  let fileClass: FileClass
  let known: UnsafeMutablePointer<Known>
  let gauge: UnsafeMutablePointer<DiskGauge>
  /// The VFS that opened the file, which outlives the file.
  let owner: Unmanaged<CountingVFS>
  /// The injector that makes calls on the file fail; `nil` except in tests.
  let watcher: Unmanaged<FaultInjector>?
  /// The path, which SQLite keeps until the file is closed; `nil` for a temporary file.
  let path: UnsafePointer<CChar>?
  var syncsFolder: Bool

  /// The offset of the real VFS's part, a multiple of the largest alignment.
  static let headerBytes = (MemoryLayout<CountingFile>.stride + 15) & ~15

  @inline(__always)
  static func at(
    _ file: UnsafeMutablePointer<sqlite3_file>?
  ) -> UnsafeMutablePointer<CountingFile>? {
    UnsafeMutableRawPointer(file)?.assumingMemoryBound(to: CountingFile.self)
  }

  @inline(__always)
  static func real(
    behind file: UnsafeMutablePointer<sqlite3_file>
  ) -> UnsafeMutablePointer<sqlite3_file> {
    (UnsafeMutableRawPointer(file) + headerBytes).assumingMemoryBound(to: sqlite3_file.self)
  }

  @inline(__always)
  func hasRoom(to end: Int64) -> Bool {
    end <= known.pointee.size || gauge.pointee.hasRoom(for: end - known.pointee.size)
  }

  @inline(__always)
  func grow(to end: Int64) {
    guard end > known.pointee.size else { return }
    gauge.pointee.add(end - known.pointee.size)
    known.pointee.size = end
  }

  func resize(to size: Int64) {
    gauge.pointee.add(size - known.pointee.size)
    known.pointee.size = size
  }
}

/// The methods of a counting file (https://www.sqlite.org/c3ref/io_methods.html), each of which
/// counts a call and forwards it.
///
/// The version is at most 2, because version 3 would let SQLite read through a memory mapping,
/// which cannot be counted.
struct FileMethods: @unchecked Sendable {
  private static let shared = FileMethods()

  private let first: UnsafeMutablePointer<sqlite3_io_methods>
  private let second: UnsafeMutablePointer<sqlite3_io_methods>

  /// The method table for a file whose real methods have the given version; it never moves, as
  /// SQLite requires.
  static func table(version: Int32) -> UnsafePointer<sqlite3_io_methods> {
    UnsafePointer(version >= 2 ? shared.second : shared.first)
  }

  private init() {
    var methods = sqlite3_io_methods()
    methods.iVersion = 1
    Self.addCounted(to: &methods)
    Self.addForwarded(to: &methods)
    first = .allocate(capacity: 1)
    first.initialize(to: methods)
    methods.iVersion = 2
    Self.addSharedMemory(to: &methods)
    second = .allocate(capacity: 1)
    second.initialize(to: methods)
  }

  private static func addCounted(to methods: inout sqlite3_io_methods) {
    methods.xClose = { file in
      guard let file, let own = CountingFile.at(file) else { return SQLITE_MISUSE }
      let real = CountingFile.real(behind: file)
      let code = real.pointee.pMethods?.pointee.xClose?(real) ?? SQLITE_IOERR
      own.pointee.owner.takeUnretainedValue().didClose(own)
      return code
    }
    methods.xRead = { file, buffer, amount, offset in
      guard let file, let own = CountingFile.at(file) else { return SQLITE_MISUSE }
      let real = CountingFile.real(behind: file)
      own.pointee.activity.reads &+= 1
      own.pointee.activity.readBytes &+= Int64(amount)
      if let watched = WatchedFile(own, real) { return watched.read(buffer, amount, offset) }
      return real.pointee.pMethods?.pointee.xRead?(real, buffer, amount, offset) ?? SQLITE_IOERR
    }
    methods.xWrite = { file, buffer, amount, offset in
      guard let file, let own = CountingFile.at(file) else { return SQLITE_MISUSE }
      let real = CountingFile.real(behind: file)
      own.pointee.activity.writes &+= 1
      own.pointee.activity.writeBytes &+= Int64(amount)
      guard own.pointee.hasRoom(to: offset &+ Int64(amount)) else { return SQLITE_FULL }
      let code =
        WatchedFile(own, real)?.write(buffer, amount, offset)
        ?? real.pointee.pMethods?.pointee.xWrite?(real, buffer, amount, offset)
        ?? SQLITE_IOERR
      if code == SQLITE_OK { own.pointee.grow(to: offset &+ Int64(amount)) }
      return code
    }
    methods.xTruncate = { file, size in
      guard let file, let own = CountingFile.at(file) else { return SQLITE_MISUSE }
      let real = CountingFile.real(behind: file)
      own.pointee.activity.truncates &+= 1
      let code =
        WatchedFile(own, real)?.truncate(size)
        ?? real.pointee.pMethods?.pointee.xTruncate?(real, size)
        ?? SQLITE_IOERR
      if code == SQLITE_OK { own.pointee.resize(to: size) }
      return code
    }
    methods.xSync = { file, flags in
      guard let file, let own = CountingFile.at(file) else { return SQLITE_MISUSE }
      let real = CountingFile.real(behind: file)
      own.pointee.activity.syncs &+= 1
      if let watched = WatchedFile(own, real) { return watched.sync(flags) }
      return real.pointee.pMethods?.pointee.xSync?(real, flags) ?? SQLITE_IOERR
    }
  }

  private static func addForwarded(to methods: inout sqlite3_io_methods) {
    methods.xFileSize = { file, size in
      guard let real = file.map(CountingFile.real) else { return SQLITE_MISUSE }
      return real.pointee.pMethods?.pointee.xFileSize?(real, size) ?? SQLITE_IOERR
    }
    methods.xLock = { file, level in
      guard let file, let own = CountingFile.at(file) else { return SQLITE_MISUSE }
      let real = CountingFile.real(behind: file)
      let code = real.pointee.pMethods?.pointee.xLock?(real, level) ?? SQLITE_IOERR
      if level >= SQLITE_LOCK_RESERVED, code == SQLITE_OK {
        WatchedFile(own, real)?.didLock(header: true)
      }
      return code
    }
    methods.xUnlock = { file, level in
      guard let file, let own = CountingFile.at(file) else { return SQLITE_MISUSE }
      let real = CountingFile.real(behind: file)
      // Read the header before the unlock, while no other connection can change it.
      WatchedFile(own, real)?.didUnlock(header: true)
      return real.pointee.pMethods?.pointee.xUnlock?(real, level) ?? SQLITE_IOERR
    }
    methods.xCheckReservedLock = { file, isLocked in
      guard let real = file.map(CountingFile.real) else { return SQLITE_MISUSE }
      return real.pointee.pMethods?.pointee.xCheckReservedLock?(real, isLocked) ?? SQLITE_IOERR
    }
    methods.xFileControl = { file, operation, argument in
      guard let real = file.map(CountingFile.real) else { return SQLITE_MISUSE }
      return real.pointee.pMethods?.pointee.xFileControl?(real, operation, argument)
        ?? SQLITE_NOTFOUND
    }
    methods.xSectorSize = { file in
      guard let real = file.map(CountingFile.real) else { return 0 }
      return real.pointee.pMethods?.pointee.xSectorSize?(real) ?? 0
    }
    methods.xDeviceCharacteristics = { file in
      guard let real = file.map(CountingFile.real) else { return 0 }
      return real.pointee.pMethods?.pointee.xDeviceCharacteristics?(real) ?? 0
    }
  }

  private static func addSharedMemory(to methods: inout sqlite3_io_methods) {
    methods.xShmMap = { file, region, size, extends, address in
      guard let real = file.map(CountingFile.real) else { return SQLITE_MISUSE }
      return real.pointee.pMethods?.pointee.xShmMap?(real, region, size, extends, address)
        ?? SQLITE_IOERR
    }
    methods.xShmLock = { file, offset, count, flags in
      guard let file, let own = CountingFile.at(file) else { return SQLITE_MISUSE }
      let real = CountingFile.real(behind: file)
      let code =
        real.pointee.pMethods?.pointee.xShmLock?(real, offset, count, flags) ?? SQLITE_IOERR
      // The first lock of the -shm file is the WAL's write lock.
      if offset == 0, code == SQLITE_OK, let watched = WatchedFile(own, real) {
        if flags == SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE { watched.didLock(header: false) }
        if flags == SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE { watched.didUnlock(header: false) }
      }
      return code
    }
    methods.xShmBarrier = { file in
      guard let real = file.map(CountingFile.real) else { return }
      real.pointee.pMethods?.pointee.xShmBarrier?(real)
    }
    methods.xShmUnmap = { file, deletes in
      guard let real = file.map(CountingFile.real) else { return SQLITE_MISUSE }
      return real.pointee.pMethods?.pointee.xShmUnmap?(real, deletes) ?? SQLITE_OK
    }
  }
}
