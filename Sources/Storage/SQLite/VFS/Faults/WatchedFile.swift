import CSQLite

/// A counting file whose calls may fail, and whose changes are remembered until they are synced.
struct WatchedFile {
  let own: UnsafeMutablePointer<CountingFile>
  let real: UnsafeMutablePointer<sqlite3_file>
  let injector: FaultInjector

  /// `nil` where nobody watches: for all files but in tests of faults.
  @inline(__always)
  init?(_ own: UnsafeMutablePointer<CountingFile>, _ real: UnsafeMutablePointer<sqlite3_file>) {
    guard let watcher = own.pointee.watcher else { return nil }
    self.own = own
    self.real = real
    injector = watcher.takeUnretainedValue()
  }

  private var path: String? { own.pointee.path.map { String(cString: $0) } }

  private var size: Int64 {
    var size: sqlite3_int64 = 0
    _ = real.pointee.pMethods?.pointee.xFileSize?(real, &size)
    return size
  }

  private func cause(_ kind: FileEvent.Kind) -> FaultPlan.Cause? {
    injector.meet(kind, fileClass: own.pointee.fileClass, path: path)
  }

  func read(_ buffer: UnsafeMutableRawPointer?, _ amount: Int32, _ offset: Int64) -> Int32 {
    guard !injector.isPowerOff else { return ResultCode.read }
    return real.pointee.pMethods?.pointee.xRead?(real, buffer, amount, offset) ?? SQLITE_IOERR
  }

  func write(_ buffer: UnsafeRawPointer?, _ amount: Int32, _ offset: Int64) -> Int32 {
    if let cause = cause(.write) { return cause == .noSpace ? SQLITE_FULL : ResultCode.write }
    let growth = max(0, offset + Int64(amount) - own.pointee.known.pointee.size)
    guard growth == 0 || !injector.isFull(growth: own.pointee.gauge.pointee.reading.growth + growth)
    else { return SQLITE_FULL }
    if injector.remembers, let path, let buffer {
      let size = size
      let old = bytes(at: offset, count: min(Int64(amount), size - offset))
      let new = [UInt8](UnsafeRawBufferPointer(start: buffer, count: Int(amount)))
      injector.remember {
        $0.willWrite(new, at: Int(offset), of: path, replacing: old, size: Int(size))
      }
    }
    return real.pointee.pMethods?.pointee.xWrite?(real, buffer, amount, offset) ?? SQLITE_IOERR
  }

  func truncate(_ size: Int64) -> Int32 {
    if cause(.truncate) != nil { return ResultCode.truncate }
    if injector.remembers, let path {
      let former = self.size
      let tail = bytes(at: size, count: former - size)
      injector.remember {
        $0.willResize(path, to: Int(size), losing: tail, from: Int(former))
      }
    }
    return real.pointee.pMethods?.pointee.xTruncate?(real, size) ?? SQLITE_IOERR
  }

  func sync(_ flags: Int32) -> Int32 {
    if cause(.sync) != nil { return ResultCode.sync }
    let code = real.pointee.pMethods?.pointee.xSync?(real, flags) ?? SQLITE_IOERR
    guard code == SQLITE_OK, let path else { return code }
    injector.remember { disk in
      disk.didSync(path)
      // The system's VFS syncs the folder with the first sync of a journal or a WAL it opened.
      if own.pointee.syncsFolder { disk.didSyncFolder(of: path) }
    }
    own.pointee.syncsFolder = false
    return code
  }

  private func bytes(at offset: Int64, count: Int64) -> [UInt8] {
    guard count > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, filled in
      let code =
        real.pointee.pMethods?.pointee.xRead?(real, buffer.baseAddress, Int32(count), offset)
      filled = code == SQLITE_OK ? Int(count) : 0
    }
  }
}

/// Extended result codes (https://www.sqlite.org/rescode.html), which are macros that Swift does not
/// import.
enum ResultCode {
  static let read = SQLITE_IOERR | 1 << 8
  static let write = SQLITE_IOERR | 3 << 8
  static let sync = SQLITE_IOERR | 4 << 8
  static let truncate = SQLITE_IOERR | 6 << 8
  static let delete = SQLITE_IOERR | 10 << 8
}
