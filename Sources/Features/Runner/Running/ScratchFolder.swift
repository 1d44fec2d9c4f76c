import Basics
import Foundation

/// The folder of one run for copies of stores, removed when the run ends, however it ends.
///
/// A lock on a file beside it says that the run is alive; it goes with the process. Folders whose
/// lock is free were left by a run that was killed, and the next run removes them.
package final class ScratchFolder {
  package let path: String
  private let lockPath: String
  private let lock: Int32

  /// Makes a folder below `root`, which is made where it is missing, and removes leftovers there.
  ///
  /// - Throws: ``Refusal``
  package init(in root: String) throws {
    do {
      try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    } catch {
      throw Refusal.cannotWrite(root)
    }
    Self.removeLeftovers(in: root)
    var number = 0
    while true {
      let name = "\(root)/run-\(getpid())-\(number)"
      if let lock = Self.takeLock(name + ".lock") {
        (path, lockPath, self.lock) = (name, name + ".lock", lock)
        break
      }
      number += 1
      guard number < 1000 else { throw Refusal.cannotWrite(root) }
    }
    let text = "\(getpid())\n"
    _ = text.withCString { write(lock, $0, strlen($0)) }
    guard mkdir(path, 0o755) == 0 else {
      let reason = System.errorText()
      unlink(lockPath)
      throw Refusal.cannotWrite(path, reason: reason)
    }
  }

  deinit {
    remove()
    close(lock)
  }

  /// Removes the folder and everything in it.
  package func remove() {
    try? FileManager.default.removeItem(atPath: path)
    unlink(lockPath)
  }

  /// Makes an empty folder below, in place of one of the name.
  ///
  /// - Throws: ``Refusal``
  package func emptyFolder(_ name: String) throws -> String {
    let folder = path + "/" + name
    do {
      try? FileManager.default.removeItem(atPath: folder)
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      return folder
    } catch {
      throw Refusal.cannotWrite(folder)
    }
  }

  /// Gives a folder below another one's name, in place of that one, and waits until that is on disk.
  ///
  /// - Throws: ``Refusal``
  func moveFolder(_ name: String, to other: String) throws -> String {
    let folder = path + "/" + other
    removeFolder(other)
    guard rename(path + "/" + name, folder) == 0 else {
      throw Refusal.cannotWrite(folder, reason: System.errorText())
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor >= 0 {
      fsync(descriptor)
      close(descriptor)
    }
    return folder
  }

  /// Removes a folder below, where there is one.
  func removeFolder(_ name: String) {
    try? FileManager.default.removeItem(atPath: path + "/" + name)
  }

  /// The descriptor of a locked file, or `nil` where another process holds the lock.
  private static func takeLock(_ path: String) -> Int32? {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return nil }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  private static func removeLeftovers(in root: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    for name in names.sorted() where name.hasPrefix("run-") && name.hasSuffix(".lock") {
      guard let lock = takeLock(root + "/" + name) else { continue }
      try? FileManager.default.removeItem(atPath: root + "/" + name.dropLast(5))
      unlink(root + "/" + name)
      close(lock)
    }
  }
}

/// Advice for errors whose cause is a full disk.
package enum FullDisk {
  /// What to do where a trial's disk is full, and the error that said so.
  static func advice(_ error: any Error, folder: String, needed: Int64) -> String {
    "the disk of '\(folder)' is full: free up to \(Figures.bytes(needed, .significant)) on it, the "
      + "most that the case takes, or \(remedy) (\(error))"
  }

  /// What to do where a full disk ends a command, and the error that said so.
  package static func advice(_ error: any Error) -> String {
    "\(error)\nthe disk is full: free some of it, or \(remedy); nothing that was there is changed"
  }

  /// Whether a message says what to do.
  static func isNamed(in message: String) -> Bool {
    message.contains(" is full: free ") && message.contains(remedy)
  }

  private static let remedy = "name another disk with --work-folder"
}

/// How the wall time of runs was spent, in seconds; one is handed through all runs of a command.
package final class TimeSpent {
  /// Making or finding stores, starting stores included.
  package private(set) var stores = 0.0
  /// Copying them for trials.
  package private(set) var copies = 0.0
  /// The timed work, warm-up iterations included.
  package private(set) var work = 0.0
  /// Checking outcomes.
  package private(set) var checks = 0.0
  /// What goes before the work of a trial in its worker, such as reading the store into memory.
  package private(set) var preparation = 0.0
  /// Starting workers, asking them, and waiting for their ends.
  package private(set) var workers = 0.0
  /// Findings, and writing results and reports.
  package private(set) var results = 0.0
  private let now: () -> Double
  private let started: Double

  /// Starts with a clock in seconds.
  package init(now: @escaping () -> Double = MonotonicClock.seconds) {
    self.now = now
    started = now()
  }

  /// The seconds since the start.
  package var wall: Double { now() - started }

  /// `12.3 s: stores 8.1 s, copies 0.2 s, work 2.5 s, checks 1.1 s`, and so on, to `other 0.1 s`.
  package var text: String {
    let wall = wall
    var parts = [
      ("stores", stores), ("copies", copies), ("work", work), ("checks", checks),
      ("preparation", preparation), ("workers", workers), ("results", results),
    ]
    parts.append(("other", max(0, parts.reduce(wall) { $0 - $1.1 })))
    let list = parts.map { "\($0.0) \(Figures.seconds($0.1))" }.joined(separator: ", ")
    return "\(Figures.seconds(wall)): \(list)"
  }

  /// Does what makes or finds a store.
  func makingStores<Result>(_ body: () throws -> Result) rethrows -> Result {
    let start = now()
    defer { stores += now() - start }
    return try body()
  }

  /// Does what copies a store.
  func copying<Result>(_ body: () throws -> Result) rethrows -> Result {
    let start = now()
    defer { copies += now() - start }
    return try body()
  }

  /// Does what makes and writes results.
  package func keepingResults<Result>(_ body: () throws -> Result) rethrows -> Result {
    let start = now()
    defer { results += now() - start }
    return try body()
  }

  /// Has a trial executed: what its worker has not spent, the worker itself has taken.
  func executing(_ body: () throws -> TrialResponse) rethrows -> TrialResponse {
    let start = now()
    let response = try body()
    guard let trial = response.times else { return response }
    work += trial.work
    checks += trial.checks
    preparation += trial.preparation
    workers += max(0, now() - start - trial.work - trial.checks - trial.preparation)
    return response
  }
}
