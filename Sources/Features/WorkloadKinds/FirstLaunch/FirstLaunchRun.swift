import Basics
import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite

/// Runs the launches of one trial until one of them shows the migrated store.
struct FirstLaunchRun {
  let session: FirstLaunchSession
  let recorder: Recorder
  /// The number of bytes that SQLite had written before the first launch.
  private let writtenBefore: Int64

  init(session: FirstLaunchSession, recorder: Recorder) {
    self.session = session
    self.recorder = recorder
    writtenBefore = Self.written
  }

  private var parameters: FirstLaunchParameters { session.parameters }
  private var backup: StoreBackup {
    StoreBackup(
      of: session.trial.store,
      method: session.migration.parameters.backup,
      in: session.trial.folder
    )
  }

  /// A disk with limited space: the number of free bytes, and the number of bytes that the app
  /// expects to need.
  private struct Disk {
    let free: Int64
    let estimate: Int64
  }

  func run() throws {
    var disk = try limitDisk()
    defer { CountingVFS.installed?.limitGrowth(to: nil) }
    var limit = parameters.stepsPerLaunch > 0 ? parameters.stepsPerLaunch : nil
    var seen = try limit.map { _ in Set([try Progress(of: session)]) } ?? []
    while true {
      recorder.count(.firstLaunch.launches)
      recorder.limit(steps: limit)
      do {
        return try launch(disk)
      } catch let error as SpaceShortage {
        recorder.count(.firstLaunch.refused)
        try afterShortage("\(error)")
        disk = nil
      } catch {
        if limit != nil, (error as? SQLiteError)?.isInterrupted == true {
          try relaunch()
          recorder.count(.firstLaunch.ended)
          let now = try recorder.aside { try Progress(of: session) }
          if !seen.insert(now).inserted {
            recorder.count(.firstLaunch.stuck)
            session.messages.append(
              "no launch of \(parameters.stepsPerLaunch) steps keeps progress for the next one, so the "
                + "migration would never finish; the last launch ran without the watchdog"
            )
            limit = nil
          }
        } else if let full = disk, error.hasFullDisk {
          recorder.count(.firstLaunch.full)
          let message = SpaceShortage(needed: full.estimate, free: full.free, isMet: true)
          try afterShortage("\(message)")
          disk = nil
        } else {
          throw error
        }
      }
    }
  }

  /// Migrates the store, shows the first screen, and does the cleanup that the migration deferred.
  private func launch(_ disk: Disk?) throws {
    let migration = session.migration
    recorder.observe(try migration.opened(recorder).connection)
    if parameters.meanwhile == .oldStore, parameters.migration.isInNewFile, !migration.isComplete {
      let isFirst = session.oldScreen == nil
      try recorder.phase(.firstLaunch.oldScreen) { try showOld() }
      recorder.mark(.firstScreen)
      if isFirst { count(.firstLaunch.screenBytes) }
    }
    if let disk, parameters.spaceCheck, !migration.isComplete, disk.estimate > disk.free {
      throw SpaceShortage(needed: disk.estimate, free: disk.free, isMet: false)
    }
    let run = MigrationRun(session: migration, recorder: recorder)
    try run.migrate(backup)
    recorder.limit(steps: nil)
    try recorder.phase(.firstLaunch.newScreen) { try showNew() }
    recorder.mark(.firstScreen)
    // If the disk becomes full during the cleanup, the next launch shows the screen again, which is
    // not recorded.
    if !session.isReady {
      recorder.mark(.firstLaunch.ready)
      if session.oldScreen == nil { count(.firstLaunch.screenBytes) }
      count(.firstLaunch.readyBytes)
      session.isReady = true
    }
    try run.cleanUp()
  }

  private static var written: Int64 {
    CountingVFS.installed?.reading.total.writeBytes ?? 0
  }

  private func count(_ metric: Metric) {
    recorder.count(metric, Int(Self.written - writtenBefore))
  }

  private func showOld() throws {
    let store = try session.trial.open(mode: .readOnly)
    recorder.observe(store.connection)
    defer { recorder.settle(store.connection) }
    session.oldScreen = try FirstScreen(of: store, recorder) ?? session.oldScreen
  }

  private func showNew() throws {
    let store = try session.migration.migrated(recorder)
    session.newScreen = try FirstScreen(of: store, recorder) ?? session.newScreen
  }

  // MARK: Relaunching

  private func relaunch() throws {
    recorder.abandon()
    try session.relaunch()
  }

  /// The progress of the launches: the store's model, and the number of values in each column of
  /// the new store.
  ///
  /// Data that a launch merely writes again is not progress.
  private struct Progress: Hashable {
    let model: String?
    let values: [String]

    init(of session: FirstLaunchSession) throws {
      model = try Self.connection(to: session.trial.store)
        .text("SELECT hex(Z_CONTENT) FROM Z_MODELCACHE")
      // A launch may end before the new store has its tables.
      values = (try? Self.values(of: session.trial.newStore, session.migration.destination)) ?? []
    }

    private static func values(of store: StoreFile, _ layout: StoreLayout) throws -> [String] {
      let connection = try connection(to: store)
      return try layout.tableColumns.map { table, columns in
        let counts = columns.map { "count(\($0))" }.joined(separator: " || ' ' || ")
        return try connection.text("SELECT \(counts) FROM \(table)") ?? ""
      }
    }

    private static func connection(to store: StoreFile) throws -> Connection {
      try Connection(path: store.path, mode: .readOnly, settings: nil)
    }
  }

  // MARK: A disk that is nearly full

  private func limitDisk() throws -> Disk? {
    guard parameters.free > 0 else { return nil }
    guard let vfs = CountingVFS.installed else {
      throw Refusal(
        .badInput,
        "'free' needs the worker of 'storebench run': no disk is limited here"
      )
    }
    let store = session.trial.store
    let free = Int64(parameters.free * Double(store.bytes))
    let disk = Disk(
      free: free,
      estimate: SpaceEstimate(of: store, session.migration.parameters).bytes
    )
    recorder.record(.firstLaunch.estimate, Double(disk.estimate))
    vfs.limitGrowth(to: free)
    return disk
  }

  /// Keeps the message for the user, removes the unfinished backup, checks the store, and launches
  /// the app again without a disk limit.
  ///
  /// The last two steps stand for a user who frees disk space and opens the app again.
  private func afterShortage(_ message: String) throws {
    session.messages.append(message)
    recorder.abandon()
    session.migration.store = nil
    session.migration.target = nil
    try backup.removeUnfinished()
    recorder.aside { session.findings += findingsAfterShortage() }
    CountingVFS.installed?.limitGrowth(to: nil)
    try relaunch()
  }

  /// The problems of the store after a launch that ran out of space.
  ///
  /// The store must be intact and, unless a migration step was completed, unchanged.
  private func findingsAfterShortage() -> [String] {
    do {
      let left = session.trial.store
      let connection = try Connection(path: left.path, mode: .readOnly, settings: nil)
      if let damage = try connection.damage() {
        return ["a full disk has damaged the store: \(damage)"]
      }
      let model = try ModelCache.read(from: connection, path: left.path)
      guard model == session.migration.source.model else { return [] }
      _ = try UntouchedStore(session: session.migration, trial: session.trial).verify()
      return []
    } catch {
      return ["after a full disk: \(error)"]
    }
  }
}
