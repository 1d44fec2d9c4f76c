import Basics
import CSQLite
import Synchronization

/// Injects the faults of a plan into a counting VFS, and into the file operations that the process
/// performs itself and reports to ``meet(_:fileClass:path:)``.
///
/// A power loss discards the changes that ``VolatileDisk`` lists as not synced. To simulate a power
/// loss within its own process, a test calls ``cutPower()``, closes its connections, and then calls
/// ``losePower(seed:)``.
package final class FaultInjector: Sendable {
  package let plan: FaultPlan
  private let onEvent: (@Sendable (FaultInjector, FileEvent) -> Void)?
  private let state: Mutex<State>
  let commits: CommitWatch?

  private struct State {
    var counts: [FileEvent.Kind: Int] = [:]
    var isPowerOff = false
    var isFull = false
    var isResting = false
    var disk: VolatileDisk?
  }

  /// Creates an injector.
  ///
  /// The injector records unsynced changes if the plan includes a power loss or `remembersWrites`
  /// is set. If the plan has a commit log, `onCommit` receives the path of the affected database at
  /// each commit.
  package init(
    _ plan: FaultPlan = FaultPlan(),
    remembersWrites: Bool = false,
    onEvent: (@Sendable (FaultInjector, FileEvent) -> Void)? = nil,
    onCommit: (@Sendable (String) -> Void)? = nil
  ) {
    self.plan = plan
    self.onEvent = onEvent
    commits = plan.commitLog.map { CommitWatch(log: $0, onCommit: onCommit) }
    let remembers = remembersWrites || plan.losesPower
    state = Mutex(State(disk: remembers ? VolatileDisk() : nil))
  }

  /// The number of events that occurred, by kind.
  package var counts: [FileEvent.Kind: Int] { state.withLock { $0.counts } }

  /// Stops counting events and injecting faults, because later events are not part of the work.
  package func rest() {
    state.withLock { $0.isResting = true }
  }

  /// Counts an event, ends the process if the plan requires it, and returns the reason why the
  /// event must fail, if any.
  package func meet(
    _ kind: FileEvent.Kind,
    fileClass: FileClass? = nil,
    path: @autoclosure () -> String?
  ) -> FaultPlan.Cause? {
    let (place, isPowerOff, isResting) = state.withLock { state in
      if !state.isResting { state.counts[kind, default: 0] += 1 }
      let place = FileEvent.Place(kind, number: state.counts[kind, default: 0])
      return (place, state.isPowerOff, state.isResting)
    }
    guard !isResting else { return nil }
    guard !isPowerOff else { return .inputOutput }
    if let onEvent {
      onEvent(self, FileEvent(place: place, fileClass: fileClass, path: path()))
    }
    if let kill = plan.kill, kill.event == place { end(kill.ending) }
    if kind == .sync { wait() }
    // A write by the process itself fails on a full disk, even if it adds no bytes: the process
    // rewrites its files from scratch.
    if kind == .write, fileClass == nil, isFull(growth: 1) { return .noSpace }
    return plan.failures[place] ?? (state.withLock { $0.isPowerOff } ? .inputOutput : nil)
  }

  /// Whether the plan's disk has become full, so that a file cannot grow.
  func isFull(growth: Int64) -> Bool {
    growth > 0 && state.withLock { $0.isFull && !$0.isResting }
  }

  private func wait() {
    guard plan.syncDelay > 0 else { return }
    var time = timespec(
      tv_sec: Int(plan.syncDelay / 1_000_000_000),
      tv_nsec: Int(plan.syncDelay % 1_000_000_000)
    )
    var rest = timespec()
    while nanosleep(&time, &rest) != 0, errno == EINTR { time = rest }
  }

  private func end(_ ending: KillPoint.Ending) {
    switch ending {
    case .signal: break
    case .powerLoss(let seed): losePower(seed: seed)
    case .fullDisk: return state.withLock { $0.isFull = true }
    }
    kill(getpid(), SIGKILL)
  }

  /// Makes every later call fail, as if the power were off.
  package func cutPower() {
    state.withLock { $0.isPowerOff = true }
  }

  /// Changes the files to a state that a power loss could have left.
  ///
  /// No file may be written to during the call.
  package func losePower(seed: UInt64) {
    state.withLock { state in
      state.isPowerOff = true
      state.disk?.lose(seed: seed)
    }
  }

  /// Records a change in the model of the disk, if changes are remembered.
  package func remember(_ body: (inout VolatileDisk) -> Void) {
    state.withLock { state in
      guard !state.isPowerOff, var disk = state.disk.take() else { return }
      body(&disk)
      state.disk = disk
    }
  }

  /// The changes that a power loss would discard; `nil` if they are not recorded.
  var disk: VolatileDisk? { state.withLock { $0.disk } }

  func didOpen(_ path: String, _ fileClass: FileClass, isNew: Bool) {
    guard fileClass != .temporary else { return }
    remember { disk in
      if isNew { disk.didCreate(path) }
      if fileClass == .main { disk.opened.insert(path) }
    }
  }

  var isAtWork: Bool { state.withLock { !$0.isPowerOff && !$0.isResting } }

  var isPowerOff: Bool { state.withLock { $0.isPowerOff } }

  /// Whether changes are recorded in a model of the disk.
  package var remembers: Bool { state.withLock { $0.disk != nil && !$0.isPowerOff } }
}

/// A counting file whose calls may fail, and whose changes are remembered until they are synced.
struct WatchedFile {
  let own: UnsafeMutablePointer<CountingFile>
  let real: UnsafeMutablePointer<sqlite3_file>
  let injector: FaultInjector

  /// Returns `nil` if the file has no fault injector, which is the case outside fault tests.
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
    guard !injector.isFull(growth: growth) else { return SQLITE_FULL }
    if injector.remembers, let path, let buffer {
      let size = size
      let old = bytes(at: offset, count: min(Int64(amount), size - offset))
      let new = [UInt8](UnsafeRawBufferPointer(start: buffer, count: Int(amount)))
      injector.remember {
        $0.willWrite(new, at: Int(offset), of: path, replacing: old, size: Int(size))
      }
    }
    let code = real.pointee.pMethods?.pointee.xWrite?(real, buffer, amount, offset) ?? SQLITE_IOERR
    if code == SQLITE_OK, own.pointee.fileClass == .wal, let commits = injector.commits, let path {
      commits.didWrite(buffer, amount, toLogOf: String(path.dropLast(4)))
    }
    return code
  }

  func didLock(header: Bool) {
    guard let commits = injector.commits, let path else { return }
    commits.didBegin(path, header: header ? bytes(at: 0, count: 100) : nil)
  }

  func didUnlock(header: Bool) {
    guard let commits = injector.commits, injector.isAtWork, let path else { return }
    if header {
      commits.didEnd(path, header: bytes(at: 0, count: 100), disk: injector.disk)
    } else {
      commits.didEnd(path, disk: injector.disk)
    }
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
      // The system's VFS syncs the folder with the first sync of a journal or WAL that it created.
      if own.pointee.syncsFolder { disk.didSyncFolder(of: path) }
    }
    own.pointee.syncsFolder = false
    if let disk = injector.disk { injector.commits?.didSync(disk) }
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

/// Extended result codes (https://www.sqlite.org/rescode.html): macros that Swift does not import.
enum ResultCode {
  static let read = SQLITE_IOERR | 1 << 8
  static let write = SQLITE_IOERR | 3 << 8
  static let sync = SQLITE_IOERR | 4 << 8
  static let truncate = SQLITE_IOERR | 6 << 8
  static let delete = SQLITE_IOERR | 10 << 8
}
