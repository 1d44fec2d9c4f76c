import Basics
import Foundation

/// A run's folder for copies of stores, which is removed when the run ends for any reason.
///
/// A locked file next to the folder shows that the run is alive; the lock ends with the process. If
/// a run was killed, its lock is free, and the next run removes its folder.
package final class ScratchFolder {
  package let path: String
  private let lockPath: String
  private let lock: Int32

  /// Creates a folder in `root`, creating `root` if necessary, and removes folders that killed runs
  /// left there.
  ///
  /// - Throws: ``Refusal`` if the folder cannot be created.
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

  /// Creates an empty subfolder, replacing any existing subfolder of the same name, and returns its
  /// path.
  ///
  /// - Throws: ``Refusal`` if the subfolder cannot be created.
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

  /// Renames a subfolder, replacing any existing subfolder of the new name, waits until the change
  /// is on disk, and returns the new path.
  ///
  /// - Throws: ``Refusal`` if renaming fails.
  func moveFolder(_ name: String, to other: String) throws -> String {
    let folder = path + "/" + other
    removeFolder(other)
    guard rename(path + "/" + name, folder) == 0 else {
      throw Refusal.cannotWrite(folder, reason: System.errorText())
    }
    _ = System.syncFolder(path)
    return folder
  }

  func removeFolder(_ name: String) {
    try? FileManager.default.removeItem(atPath: path + "/" + name)
  }

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

/// Advice for errors caused by a full disk.
package enum FullDisk {
  static func advice(_ error: any Error, folder: String, needed: Int64) -> String {
    "the disk of '\(folder)' is full: free up to \(Figures.bytes(needed, .significant)) on it, the "
      + "most that the case takes, or \(remedy) (\(error))"
  }

  /// Returns a message for a command that failed because of a full disk, with the original error.
  package static func advice(_ error: any Error) -> String {
    "\(error)\nthe disk is full: free some of it, or \(remedy); nothing that was there is changed"
  }

  static func isNamed(in message: String) -> Bool {
    message.contains(" is full: free ") && message.contains(remedy)
  }

  private static let remedy = "name another disk with --work-folder"
}

/// The wall time that the runs of a command spent on each kind of activity, in seconds.
package final class TimeSpent {
  /// The seconds spent making or finding stores, including starting stores.
  package private(set) var stores = 0.0
  /// The seconds spent copying stores for trials.
  package private(set) var copies = 0.0
  /// The seconds of timed work, including warm-up iterations.
  package private(set) var work = 0.0
  /// The seconds spent verifying outcomes.
  package private(set) var checks = 0.0
  /// The seconds that workers spent preparing trials, such as reading the store into memory.
  package private(set) var preparation = 0.0
  /// The seconds spent starting workers, communicating with them and waiting for them to exit.
  package private(set) var workers = 0.0
  /// The seconds spent making findings and writing results and reports.
  package private(set) var results = 0.0
  private let now: () -> Double
  private let started: Double

  /// Starts timing; `now` returns the time in seconds.
  package init(now: @escaping () -> Double = MonotonicClock.seconds) {
    self.now = now
    started = now()
  }

  /// The seconds since the start.
  package var wall: Double { now() - started }

  /// A summary such as `12.3 s: stores 8.1 s, copies 0.2 s, …, other 0.1 s`.
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

  func makingStores<Result>(_ body: () throws -> Result) rethrows -> Result {
    try spending(\.stores, body)
  }

  func copying<Result>(_ body: () throws -> Result) rethrows -> Result {
    try spending(\.copies, body)
  }

  /// Runs a closure and adds its time to ``results``.
  package func keepingResults<Result>(_ body: () throws -> Result) rethrows -> Result {
    try spending(\.results, body)
  }

  private func spending<Result>(
    _ part: ReferenceWritableKeyPath<TimeSpent, Double>,
    _ body: () throws -> Result
  ) rethrows -> Result {
    let start = now()
    defer { self[keyPath: part] += now() - start }
    return try body()
  }

  /// Executes a trial, adds the times that the worker reports for work, checks and preparation, and
  /// adds the remaining time to ``workers``.
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
