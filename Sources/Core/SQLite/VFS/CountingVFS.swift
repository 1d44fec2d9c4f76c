import Basics
import CSQLite
import Synchronization

/// A VFS that wraps the system's VFS and counts SQLite's file operations
/// (https://www.sqlite.org/vfs.html).
///
/// A worker installs one as the default of its process, so that files opened by other libraries,
/// such as GRDB, are also counted. Opening and closing files takes a lock; reading and writing does
/// not.
package final class CountingVFS: @unchecked Sendable {
  let name: UnsafeMutablePointer<CChar>
  let real: UnsafeMutablePointer<sqlite3_vfs>
  let gauge: UnsafeMutablePointer<DiskGauge>
  /// The injector of faults into the VFS's files; `nil` except in tests.
  package let faults: FaultInjector?

  private let lock: OpaquePointer?
  private var shim: UnsafeMutablePointer<VFSShim>?
  // The following properties are guarded by a lock.
  private var open: [UnsafeMutablePointer<CountingFile>] = []
  private var named: [String: UnsafeMutablePointer<CountingFile.Known>] = [:]
  private var finished = [FileActivity](repeating: FileActivity(), count: FileClass.allCases.count)

  /// Registers a VFS in addition to the default, under a unique name.
  ///
  /// The VFS must outlive the files that it opens; ``Connection`` ensures that.
  package convenience init(name: String, faults: FaultInjector? = nil) throws {
    try self.init(name: name, faults: faults, isDefault: false)
  }

  private static let slot = Mutex<CountingVFS?>(nil)

  /// The VFS through which this process opens all files; `nil` if none has been installed.
  package static var installed: CountingVFS? { slot.withLock { $0 } }

  /// Makes a counting VFS the permanent default of this process.
  ///
  /// Call it before any file is opened.
  @discardableResult
  package static func install(faults: FaultInjector? = nil) throws -> CountingVFS {
    try slot.withLock { installed in
      if let installed { return installed }
      let vfs = try CountingVFS(name: "storebench", faults: faults, isDefault: true)
      installed = vfs
      return vfs
    }
  }

  private init(name: String, faults: FaultInjector?, isDefault: Bool) throws {
    self.faults = faults
    guard let real = sqlite3_vfs_find(nil), let copy = strdup(name) else {
      throw SQLiteError(code: SQLITE_ERROR, message: "there is no VFS", context: "register \(name)")
    }
    (self.name, self.real) = (copy, real)
    gauge = .allocate(capacity: 1)
    gauge.initialize(to: DiskGauge())
    lock = sqlite3_mutex_alloc(SQLITE_MUTEX_FAST)
    let shim = UnsafeMutablePointer<VFSShim>.allocate(capacity: 1)
    self.shim = shim
    shim.initialize(to: VFSShim(name: copy, real: real, owner: Unmanaged.passUnretained(self)))
    let code = sqlite3_vfs_register(Self.vfs(of: shim), isDefault ? 1 : 0)
    guard code == SQLITE_OK else {
      throw SQLiteError(code: code, message: "not registered", context: "register \(name)")
    }
  }

  deinit {
    if let shim {
      sqlite3_vfs_unregister(Self.vfs(of: shim))
      shim.deallocate()
    }
    sqlite3_mutex_free(lock)
    gauge.deinitialize(count: 1)
    gauge.deallocate()
    free(name)
  }

  private static func vfs(
    of shim: UnsafeMutablePointer<VFSShim>
  ) -> UnsafeMutablePointer<sqlite3_vfs> {
    UnsafeMutableRawPointer(shim).assumingMemoryBound(to: sqlite3_vfs.self)
  }

  /// The file activity so far, including files that are still open.
  package var reading: VFSReading {
    let activities = locked {
      open.reduce(into: finished) { sums, file in
        sums[file.pointee.fileClass.rawValue] =
          sums[file.pointee.fileClass.rawValue] + file.pointee.activity
      }
    }
    let disk = gauge.pointee.reading
    return VFSReading(activities: activities, diskGrowth: disk.growth, peakDiskGrowth: disk.peak)
  }

  /// Starts a new measurement of peak disk growth.
  package func resetPeakDisk() {
    gauge.pointee.resetPeak()
  }

  /// Limits the further growth of files in bytes, as on a nearly full disk; `nil` removes the
  /// limit.
  package func limitGrowth(to bytes: Int64?) {
    gauge.pointee.limit(to: bytes)
  }

  /// Whether files may grow by a number of bytes, which is computed only if there is a limit.
  package func hasRoom(for bytes: @autoclosure () -> Int64) -> Bool {
    !gauge.pointee.isLimited || gauge.pointee.hasRoom(for: bytes())
  }

  /// Records bytes that the process has added to, or removed from, its own files.
  package func noteFiles(growth bytes: Int64) {
    gauge.pointee.add(bytes)
  }

  func open(
    _ path: UnsafePointer<CChar>?,
    _ file: UnsafeMutablePointer<sqlite3_file>,
    _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    let behind = CountingFile.real(behind: file)
    let fileClass = FileClass(flags: flags)
    // SQLite closes a file whose methods are set even if opening it failed, so clear them first.
    file.pointee.pMethods = nil
    behind.pointee.pMethods = nil
    let isNew = faults != nil && path.map { access($0, F_OK) != 0 } ?? false
    if let faults {
      let cause = faults.meet(.open, fileClass: fileClass, path: path.map { String(cString: $0) })
      guard cause == nil else { return SQLITE_CANTOPEN }
    }
    let code = real.pointee.xOpen?(real, path, behind, flags, outFlags) ?? SQLITE_CANTOPEN
    guard let methods = behind.pointee.pMethods else { return code }
    var size: sqlite3_int64 = 0
    _ = methods.pointee.xFileSize?(behind, &size)
    if let path { faults?.didOpen(String(cString: path), fileClass, isNew: isNew) }
    locked {
      var own = CountingFile(
        fileClass: fileClass,
        known: known(path, flags, size: size),
        gauge: gauge,
        owner: Unmanaged.passUnretained(self),
        watcher: faults.map { Unmanaged.passUnretained($0) },
        path: path,
        syncsFolder: (fileClass == .wal || fileClass == .journal) && flags & SQLITE_OPEN_CREATE != 0
      )
      own.known.pointee.openCount += 1
      own.base.pMethods = FileMethods.table(version: methods.pointee.iVersion)
      own.activity.opens = 1
      let place = UnsafeMutableRawPointer(file).assumingMemoryBound(to: CountingFile.self)
      place.initialize(to: own)
      open.append(place)
    }
    return code
  }

  private func known(
    _ path: UnsafePointer<CChar>?,
    _ flags: Int32,
    size: Int64
  ) -> UnsafeMutablePointer<CountingFile.Known> {
    let name = path.map { String(cString: $0) }
    if let name, let known = named[name] { return known }
    let known = UnsafeMutablePointer<CountingFile.Known>.allocate(capacity: 1)
    let isTemporary = path == nil || flags & SQLITE_OPEN_DELETEONCLOSE != 0
    known.initialize(to: CountingFile.Known(size: size, endsWhenClosed: isTemporary))
    if let name { named[name] = known }
    return known
  }

  func didClose(_ file: UnsafeMutablePointer<CountingFile>) {
    locked {
      if let index = open.lastIndex(of: file) { open.remove(at: index) }
      let fileClass = file.pointee.fileClass.rawValue
      finished[fileClass] = finished[fileClass] + file.pointee.activity
      let known = file.pointee.known
      known.pointee.openCount -= 1
      guard known.pointee.openCount == 0 else { return }
      if known.pointee.endsWhenClosed { gauge.pointee.add(-known.pointee.size) }
      if let index = named.firstIndex(where: { $0.value == known }) { named.remove(at: index) }
      known.deallocate()
    }
  }

  func delete(_ path: UnsafePointer<CChar>, syncsFolder: Int32) -> Int32 {
    let name = String(cString: path)
    let size = FileStatus(name)?.size ?? 0
    guard faults?.meet(.delete, fileClass: FileClass(path: name), path: name) == nil else {
      return ResultCode.delete
    }
    faults?.remember { $0.willRemove(name) }
    let code = real.pointee.xDelete?(real, path, syncsFolder) ?? SQLITE_IOERR
    guard code == SQLITE_OK else { return code }
    if syncsFolder != 0 { faults?.remember { $0.didSyncFolder(of: name) } }
    locked {
      finished[FileClass(path: name).rawValue].deletes += 1
      if let known = named.removeValue(forKey: name) {
        known.pointee.endsWhenClosed = true
      } else {
        gauge.pointee.add(-size)
      }
    }
    return code
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    sqlite3_mutex_enter(lock)
    defer { sqlite3_mutex_leave(lock) }
    return body()
  }
}

/// The total growth of all files, and its maximum; atomic, because threads share it.
struct DiskGauge: ~Copyable {
  private let growth = Atomic<Int64>(0)
  private let peak = Atomic<Int64>(0)
  private let most = Atomic<Int64>(.max)

  var reading: (growth: Int64, peak: Int64) {
    (growth.load(ordering: .relaxed), peak.load(ordering: .relaxed))
  }

  func add(_ bytes: Int64) {
    let sum = growth.wrappingAdd(bytes, ordering: .relaxed).newValue
    if bytes > 0 { _ = peak.max(sum, ordering: .relaxed) }
  }

  var isLimited: Bool { most.load(ordering: .relaxed) != .max }

  func hasRoom(for bytes: Int64) -> Bool {
    bytes <= 0 || growth.load(ordering: .relaxed) &+ bytes <= most.load(ordering: .relaxed)
  }

  func limit(to bytes: Int64?) {
    most.store(bytes.map { growth.load(ordering: .relaxed) + $0 } ?? .max, ordering: .relaxed)
  }

  func resetPeak() {
    peak.store(growth.load(ordering: .relaxed), ordering: .relaxed)
  }
}
