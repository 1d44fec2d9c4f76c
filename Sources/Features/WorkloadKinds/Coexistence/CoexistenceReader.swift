import Basics
import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite

/// The widget's process: it polls for changes until it has seen the last save.
struct CoexistenceReader {
  let session: CoexistenceSession
  let recorder: Recorder

  /// The time in nanoseconds after which the reader gives up if it sees no new save.
  ///
  /// By then, the writer must have ended.
  private static let patience: UInt64 = 30_000_000_000

  func run() throws {
    guard let changes = session.changes else { return }
    var seen: [UInt64] = []
    var looks = 0
    var last = MonotonicClock.now()
    try Data().write(to: URL(fileURLWithPath: session.ready(.reader)))
    let saves = session.parameters.allSaves
    var isLastLook = false
    while seen.count < saves {
      try changes.look()
      looks += 1
      let time = MonotonicClock.now()
      if changes.saves > seen.count {
        seen += Array(repeating: time, count: changes.saves - seen.count)
        last = time
      } else if isLastLook {
        break
      } else {
        // A poll finds every save committed before it, so if all saves are committed, the next poll
        // is the last one.
        isLastLook = try committed().count == saves
      }
      guard time - last < Self.patience else {
        throw Refusal(.caseFailed, "the widget saw no new save for 30 seconds")
      }
      usleep(UInt32(session.parameters.poll) * 1000)
    }
    recorder.record(.coexistence.looks, Double(looks))
    recorder.record(.coexistence.tombstones, Double(changes.tombstones))
    recorder.record(.coexistence.widgetWaits, Double(session.waits))
    recorder.record(.coexistence.missed, Double(saves - seen.count))
    // Record the delays only if every save was seen; otherwise it is unknown which saves were seen.
    if seen.count == saves { try record(seen) }
  }

  private func committed() throws -> [UInt64] {
    try CoexistenceParameters.Role.allCases
      .flatMap { try SaveLog(folder: session.folder, of: $0).times() }.sorted()
  }

  private func record(_ seen: [UInt64]) throws {
    // Wait for the log entry of the last save, which may be written after the poll that found the
    // save.
    var committed: [UInt64] = []
    _ = try OtherProcess.wait(seconds: 1) {
      committed = try self.committed()
      return committed.count >= seen.count
    }
    let lags = zip(seen, committed).map { Double($0 > $1 ? $0 - $1 : 0) / 1e9 }
    guard let summary = Summary(of: lags) else { return }
    recorder.record(.waits.lag, summary.p50)
    recorder.record(.coexistence.highLag, summary.p90)
    recorder.record(.waits.longestLag, summary.max)
  }

  func verify() throws -> Verification {
    guard let changes = session.changes else { return Verification(digest: "") }
    let unseen = session.parameters.allSaves - changes.saves
    if unseen > 0 {
      let text = "the widget never saw \(Figures.counted(unseen, "save"))"
      guard session.parameters.historyKeys == .beforeSave else { throw VerificationFailure([text]) }
      return Verification(digest: "", notes: [text + ": a later token was committed before"])
    }
    let script = session.script
    let updated = Set((0..<session.parameters.saves).flatMap(script.updates(of:)))
    var findings: [String] = []
    let missed = updated.subtracting(changes.changed).count
    if missed > 0 { findings.append("\(missed) updated objects were not seen") }
    let others = changes.changed.subtracting(updated)
    let rounds = session.parameters.rounds
    if others.count > rounds + session.parameters.added {
      findings.append(
        "\(others.count) objects were read as changed although no process changed them"
      )
    }
    var notes: [String] = []
    switch session.parameters.detection {
    case .history:
      let stale = try changes.staleObjects()
      if stale > 0 { findings.append("\(stale) objects are shown as they are not in the store") }
      if changes.deleted.count != rounds {
        findings.append("\(changes.deleted.count) of \(rounds) deletions were seen")
      }
    case .attribute: notes.append("\(rounds) deletions were not seen, because they leave no date")
    case .sideFile: break
    }
    guard findings.isEmpty else { throw VerificationFailure(findings) }
    return Verification(digest: "", notes: notes)
  }
}

final class ChangeReader {
  private let store: PersistentStore
  private let shape: ReplicaShape
  private let detection: CoexistenceParameters.Detection
  private let history: HistoryReader?
  private let file: LineFile
  private var token: Int64 = 0
  private var offset: UInt64 = 0
  private var date = SaveScript.start - 1

  private(set) var saves = 0
  private(set) var changed: Set<Int64> = []
  private(set) var deleted: Set<Int64> = []
  private(set) var tombstones = 0
  private var shown: [Int64: String] = [:]

  init(
    store: PersistentStore,
    shape: ReplicaShape,
    detection: CoexistenceParameters.Detection,
    folder: String
  ) throws {
    self.store = store
    self.shape = shape
    self.detection = detection
    file = .changes(in: folder)
    history = detection == .history ? try HistoryReader(store) : nil
    token = try history?.lastToken() ?? 0
    if detection == .history {
      // Read all strings once; each poll then reads only the history after the token, which marks
      // the last transaction that was read.
      for object in try objects() { shown[object.key] = object.text }
    }
  }

  private func objects(_ key: Int64? = nil) throws -> [(key: Int64, text: String)] {
    let rows = try store.connection.cached(
      "SELECT Z_PK, \(shape.text) FROM \(shape.table.name)\(key == nil ? "" : " WHERE Z_PK = ?")"
    )
    if let key { rows.bind(key, at: 1) }
    defer { rows.reset() }
    return try rows.map { ($0.integer(at: 0), $0.text(at: 1)) }
  }

  /// The number of objects that the widget shows differently from the store after the last save.
  func staleObjects() throws -> Int {
    var rest = shown
    var stale = 0
    for object in try objects() where rest.removeValue(forKey: object.key) != object.text {
      stale += 1
    }
    return stale + rest.count
  }

  func look() throws {
    switch detection {
    case .history: try lookAtHistory()
    case .attribute: try lookAtDates()
    case .sideFile:
      let (lines, end) = try file.lines(from: offset)
      offset = end
      saves += lines.count
      for keys in lines { changed.formUnion(keys) }
    }
  }

  private func lookAtHistory() throws {
    var last = token
    var stale: Set<Int64> = []
    for change in try history?.changes(after: token) ?? [] {
      if change.transaction > last {
        saves += 1
        last = change.transaction
      }
      guard change.entity == shape.entity else { continue }
      if change.kind == .deletion {
        deleted.insert(change.key)
        shown[change.key] = nil
        tombstones += change.tombstone.filter { $0 != .null }.count
      } else {
        changed.insert(change.key)
        stale.insert(change.key)
      }
    }
    token = last
    for key in stale { shown[key] = try objects(key).first?.text }
  }

  private func lookAtDates() throws {
    let rows = try store.connection.cached(
      "SELECT Z_PK, \(shape.date) FROM \(shape.table.name) WHERE \(shape.date) > ?"
    )
    rows.bind(date, at: 1)
    defer { rows.reset() }
    var latest = date
    while try rows.step() {
      changed.insert(rows.integer(at: 0))
      latest = max(latest, rows.integer(at: 1))
    }
    date = latest
    saves = Int(latest - SaveScript.start) + 1
  }
}
