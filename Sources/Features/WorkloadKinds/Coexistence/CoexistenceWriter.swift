import Basics
import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite

struct CoexistenceWriter {
  let session: CoexistenceSession
  let recorder: Recorder

  private var parameters: CoexistenceParameters { session.parameters }

  func run() throws {
    let store = session.store
    recorder.observe(store.connection)
    let context = try session.context()
    let log = SaveLog(folder: session.folder, of: .writer)
    let editor = try CoexistenceEditor(session: session, context: context)
    var inserted: Int64?
    for save in 0..<parameters.saves {
      var keys = session.script.updates(of: save)
      try editor.save(.app(save), keys, recorder) {
        if session.script.inserts(save) {
          let object = try editor.insert(.app(save))
          return { inserted = object.key }
        }
        if session.script.deletes(save), let key = inserted {
          try context.delete(context.object(editor.description, key: key))
        }
        return {}
      }
      if let inserted, session.script.inserts(save) || session.script.deletes(save) {
        keys.append(inserted)
      }
      if parameters.detection == .sideFile {
        try recorder.phase(.coexistence.append) {
          try LineFile.changes(in: session.folder)
            .append(keys.map(String.init).joined(separator: " "))
        }
      }
      try log.append(save)
      usleep(UInt32(parameters.interval) * 1000)
    }
    recorder.count(context)
    recorder.record(.coexistence.waits, Double(session.waits))
    if parameters.added > 0 {
      recorder.record(.coexistence.conflicts, Double(editor.conflicts))
    }
    try takeFigures()
    if parameters.purges {
      let reader = try HistoryReader(store)
      try recorder.phase(.coexistence.purge) {
        recorder.count(.coexistence.purged, try store.purgeHistory(through: reader.lastToken()))
      }
    }
    try store.connection.checkpoint()
  }

  private func takeFigures() throws {
    for role in parameters.others {
      guard let response = try session.others[role]?.response() else { continue }
      for metric in CoexistenceWorkload.Metrics.ofOthers {
        if let figure = response.iterations.first?.first(where: { $0.name == metric.name }) {
          recorder.record(metric, figure.value)
        }
      }
      if role == .reader, case .passed(let verification) = response.outcome {
        session.readerNotes = verification.notes
      }
    }
    let bytes: Int64 =
      switch parameters.detection {
      case .attribute: 0
      case .sideFile: StoreFile.bytes(at: LineFile.changes(in: session.folder).path)
      case .history:
        // If SQLite was built without `dbstat`, the history's size is unknown and recorded as 0.
        (try? session.store.connection.integer(
          "SELECT sum(pgsize) FROM dbstat WHERE name IN (SELECT name FROM sqlite_master "
            + "WHERE tbl_name IN ('ACHANGE', 'ATRANSACTION', 'ATRANSACTIONSTRING'))"
        )) ?? 0
      }
    recorder.record(.coexistence.detectionBytes, Double(bytes))
  }
}

/// The content of each save, computed from the save's number so that it can be verified afterwards.
struct SaveScript {
  enum Save: Hashable {
    case app(Int)
    case shareExtension(Int)
  }

  /// The date of the first save: 2026-04-01 09:00 UTC, in seconds since 2001-01-01.
  static let start: Int64 = 796_726_800

  let shape: ReplicaShape
  let parameters: CoexistenceParameters
  let keys: [Int64]

  init(shape: ReplicaShape, parameters: CoexistenceParameters, connection: Connection) throws {
    self.shape = shape
    self.parameters = parameters
    keys = try connection.prepare("SELECT Z_PK FROM \(shape.table.name) ORDER BY Z_PK")
      .map { $0.integer(at: 0) }
    guard !keys.isEmpty else {
      throw Refusal(
        .badInput,
        "'\(shape.entity)' has no objects to change; name another entity"
      )
    }
  }

  func updates(of save: Int) -> [Int64] {
    (0..<parameters.objects).map { keys[(save * parameters.objects + $0) * 7919 % keys.count] }
  }

  func inserts(_ save: Int) -> Bool { save % CoexistenceParameters.savesPerRound == 3 }
  func deletes(_ save: Int) -> Bool { save % CoexistenceParameters.savesPerRound == 4 }

  func sharedKeys(of save: Int) -> [Int64] {
    // Use the objects of the app's save with the same number, so that both processes change them at
    // about the same time.
    Array(Set(updates(of: save).prefix(parameters.shared))).sorted()
  }

  func text(of save: Save) -> Value {
    switch save {
    case .app(let number): .text("save \(number)")
    case .shareExtension(let number): .text("shared \(number)")
    }
  }

  func date(of save: Save) -> Value {
    switch save {
    case .app(let number): .integer(Self.start + Int64(number))
    // Use a date that is not later than the app's dates, because a reader that finds changes by
    // date relies on the latest date.
    case .shareExtension: .integer(Self.start)
    }
  }

  /// The values of an object that a save inserts, by attribute; other attributes keep their
  /// defaults.
  func values(of save: Save, in model: Model) -> [(name: String, value: Value)] {
    guard let entity = model.entity(named: shape.entity) else { return [] }
    let number: Int64 =
      switch save {
      case .app(let number): Int64(number) + 1 << 40
      case .shareExtension(let number): Int64(number) + 1 << 41
      }
    var values: [(name: String, value: Value)] = []
    for attribute in model.attributes(of: entity) where !attribute.isTransient {
      if attribute.name == shape.textAttribute {
        values.append((attribute.name, text(of: save)))
      } else if attribute.name == shape.dateAttribute {
        values.append((attribute.name, date(of: save)))
      } else if !attribute.isOptional, attribute.defaultValue == .null {
        let value = MissingValuePolicy.standIn(of: attribute.type, key: number)
        values.append((attribute.name, value))
      }
    }
    return values
  }
}

extension CoexistenceWorkload {
  struct Metrics: MetricFamily {
    let append = Metric.phase("append", "appending the keys of a save to the side file")
    let purge = Metric.phase("purge", "deleting history that was read")
    let purged = Metric.counter("history.purged", "transactions of history deleted")
    let looks = number("reader.looks", "number of times that the other process checked for changes")
    let missed = number(
      "reader.missed",
      "saves that the widget never saw, because a later token was committed before"
    )
    let tombstones = number("reader.tombstones", "values of deleted objects found in the history")
    let highLag = Metric.time(
      "lag.p90",
      "90th percentile of the time until the other process saw a save"
    )
    let detectionBytes = Metric(
      "detection.bytes",
      unit: .bytes,
      "bytes on disk that are needed to find changes"
    )

    let waits = number("busy.app", "times that the app found the store locked")
    let widgetWaits = number("busy.widget", "times that the widget found it locked")
    let extensionWaits = number("busy.extension", "times that the share extension found it locked")
    let conflicts = number(
      "conflict.appSaves",
      "saves of the app that conflicted with another process and were retried"
    )
    let extensionConflicts = number(
      "conflict.extensionSaves",
      "saves of the share extension that were retried"
    )

    private static func number(_ name: String, _ description: String) -> Metric {
      Metric(name, unit: .count, description)
    }

    static var ofOthers: [Metric] {
      [
        .coexistence.looks, .coexistence.missed, .coexistence.tombstones, .waits.lag,
        .coexistence.highLag,
        .waits.longestLag, .coexistence.widgetWaits, .coexistence.extensionWaits,
        .coexistence.extensionConflicts,
      ]
    }
  }
}

extension Metric {
  static let coexistence = CoexistenceWorkload.Metrics()
}
