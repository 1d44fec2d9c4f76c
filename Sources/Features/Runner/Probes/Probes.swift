import Basics
import Foundation
import PersistentStore
import SQLite

/// The functions that read clocks and resource usage around an iteration; tests replace them to
/// inject values.
package struct Probes: Sendable {
  /// The time of a monotonic clock in nanoseconds.
  package var now: @Sendable () -> UInt64
  /// The resolution of the clock in seconds.
  package var clockResolution: @Sendable () -> Double
  package var usage: @Sendable () -> ProcessorTime
  /// Resets the peak resident set size, and returns whether this succeeded.
  package var resetPeakMemory: @Sendable () -> Bool
  /// The peak resident set size in bytes; `nil` if the system does not report it.
  package var peakMemory: @Sendable () -> Int64?

  package init(
    now: @escaping @Sendable () -> UInt64,
    clockResolution: @escaping @Sendable () -> Double = { 0 },
    usage: @escaping @Sendable () -> ProcessorTime = { ProcessorTime() },
    resetPeakMemory: @escaping @Sendable () -> Bool = { true },
    peakMemory: @escaping @Sendable () -> Int64? = { nil }
  ) {
    self.now = now
    self.clockResolution = clockResolution
    self.usage = usage
    self.resetPeakMemory = resetPeakMemory
    self.peakMemory = peakMemory
  }

  /// The system's probes: `CLOCK_MONOTONIC`, `getrusage`, and the peak resident set size in
  /// `/proc/self`.
  package static let system = Probes(
    now: MonotonicClock.now,
    clockResolution: MonotonicClock.resolution,
    usage: ProcessorTime.now,
    resetPeakMemory: PeakMemory.reset,
    peakMemory: PeakMemory.read
  )

  /// The current resident set of this process, in bytes; `nil` if the system does not report it.
  package static func residentMemory() -> Int64? { PeakMemory.bytes(of: "VmRSS") }

  /// The processor time that this process has used, in seconds.
  package struct ProcessorTime: Hashable, Sendable {
    package var user: Double = 0
    package var system: Double = 0

    static func now() -> ProcessorTime {
      var usage = rusage()
      getrusage(rusageSelf, &usage)
      let seconds = { (time: timeval) in Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
      return ProcessorTime(user: seconds(usage.ru_utime), system: seconds(usage.ru_stime))
    }

    #if canImport(Glibc)
      private static let rusageSelf = RUSAGE_SELF.rawValue
    #else
      private static let rusageSelf = RUSAGE_SELF
    #endif
  }

  /// This process's peak resident set size, as recorded by Linux.
  ///
  /// `ru_maxrss` is not suitable, because a process inherits it from its parent (sqlite.md, section
  /// 3).
  enum PeakMemory {
    @Sendable static func reset() -> Bool {
      // Writing 5 resets the peak to the current size; see proc_pid_clear_refs(5).
      guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return false }
      defer { try? file.close() }
      return (try? file.write(contentsOf: Data("5".utf8))) != nil
    }

    @Sendable static func read() -> Int64? { bytes(of: "VmHWM") }

    static func bytes(of name: String) -> Int64? {
      guard let file = FileHandle(forReadingAtPath: "/proc/self/status"),
        let data = try? file.readToEnd()
      else { return nil }
      try? file.close()
      return value(of: name, in: String(decoding: data, as: UTF8.self))
    }

    /// Returns the size, in bytes, in a line of `status` such as `VmHWM:     1234 kB`.
    static func value(of name: String, in status: String) -> Int64? {
      let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
      let words = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }) ?? []
      guard words.count == 3, words[2] == "kB" else { return nil }
      return Int64(words[1]).map { $0 * 1024 }
    }
  }

  struct FileProbe {
    struct Measurements {
      var values: [(metric: Metric, value: Double)]
      var note: String?
    }

    private let vfs: CountingVFS
    private let trial: Trial
    private let before: VFSReading
    private let bytesBefore: Int64

    /// Creates the probe; `nil` without a VFS that counts operations, which only workers have.
    init?(vfs: CountingVFS?, trial: Trial) {
      guard let vfs else { return nil }
      self.vfs = vfs
      self.trial = trial
      bytesBefore = Self.bytes(of: trial)
      vfs.resetPeakDisk()
      before = vfs.reading
    }

    func measurements() -> Measurements {
      let work = vfs.reading - before
      var values: [(metric: Metric, value: Double)] = []
      values += Self.measurements(of: work.total, as: Metric.vfs)
      for fileClass in FileClass.allCases {
        values += Self.measurements(of: work[fileClass], as: Metric.vfs(of: fileClass.name))
      }
      let bytes = Self.bytes(of: trial)
      let unseen = bytes - bytesBefore - work.diskGrowth
      // If files were removed without being observed, the computed peak may be too high.
      let peak = max(bytesBefore + work.peakDiskGrowth, bytes)
      values.append((.peakDisk, Double(peak)))
      guard unseen > 0 else { return Measurements(values: values) }
      return Measurements(
        values: values,
        note: "\(unseen) bytes were written without being observed: peakDisk counts them only at "
          + "the end"
      )
    }

    private static func measurements(
      of files: FileActivity,
      as metrics: VFSMetrics
    ) -> [(metric: Metric, value: Double)] {
      [
        (metrics.opens, files.opens), (metrics.reads, files.reads),
        (metrics.readBytes, files.readBytes), (metrics.writes, files.writes),
        (metrics.writeBytes, files.writeBytes), (metrics.syncs, files.syncs),
        (metrics.truncates, files.truncates), (metrics.deletes, files.deletes),
      ].map { ($0, Double($1)) }
    }

    /// Returns the size of the store and of all files that the trial created, except the WAL index,
    /// whose bytes no VFS observes.
    private static func bytes(of trial: Trial) -> Int64 {
      StoreFile.tree(at: trial.folder).filter { !$0.hasSuffix("-shm") }
        .reduce(trial.store.bytes) { $0 + StoreFile.fileBytes(at: $1) }
    }
  }
}

/// Fills, drops and inspects the system's page cache for a store's files.
///
/// Only file data is dropped: inodes and directory entries stay, and so does the cache of a virtual
/// machine's host (sqlite.md, section 4).
package final class PageCache {
  private let store: StoreFile
  /// The descriptor of the main file, which stays open because closing any descriptor of a file
  /// releases SQLite's locks on it (https://www.sqlite.org/howtocorrupt.html, section 2.2).
  private var main: Int32 = -1

  /// Opens the store's main file; must be called before SQLite opens it.
  package init(of store: StoreFile) {
    self.store = store
    main = open(store.path, O_RDONLY)
  }

  deinit {
    if main >= 0 { close(main) }
  }

  /// Reads every file once from start to end.
  package func warm() {
    for path in files { with(path) { Self.readThrough($0) } }
  }

  /// Syncs every file, because only clean pages can be dropped, and then asks the system to drop
  /// the files' pages.
  package func drop() {
    for path in files {
      with(path) { descriptor in
        fdatasync(descriptor)
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
      }
    }
  }

  /// Returns the share of the files' pages that are in memory; 0 if there are no pages.
  package func residentShare() -> Double {
    var (resident, pages) = (0, 0)
    for path in files {
      with(path) { descriptor in
        let found = Self.residency(of: descriptor)
        resident += found.resident
        pages += found.pages
      }
    }
    return pages == 0 ? 0 : Double(resident) / Double(pages)
  }

  /// Whether the share of resident pages is low enough to treat the store as cold.
  package static func isCold(_ residentShare: Double) -> Bool { residentShare <= 0.05 }

  private var files: [String] { store.paths.flatMap(StoreFile.files) }

  private func with(_ path: String, _ body: (Int32) -> Void) {
    if path == store.path, main >= 0 {
      body(main)
      return
    }
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return }
    body(descriptor)
    close(descriptor)
  }

  private static func readThrough(_ descriptor: Int32) {
    let size = 1 << 20
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    defer { buffer.deallocate() }
    var offset: off_t = 0
    while true {
      let count = pread(descriptor, buffer, size, offset)
      guard count > 0 else { return }
      offset += off_t(count)
    }
  }

  private static func residency(of descriptor: Int32) -> (resident: Int, pages: Int) {
    guard let status = FileStatus(ofOpen: descriptor), status.kind == .file else { return (0, 0) }
    let (size, pageSize) = (Int(status.size), Int(sysconf(Int32(_SC_PAGESIZE))))
    guard size > 0,
      let mapping = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0), mapping != MAP_FAILED
    else { return (0, 0) }
    defer { munmap(mapping, size) }
    let pages = (size + pageSize - 1) / pageSize
    var states = [UInt8](repeating: 0, count: pages)
    guard mincore(mapping, size, &states) == 0 else { return (pages, pages) }
    return (states.count { $0 & 1 == 1 }, pages)
  }
}
