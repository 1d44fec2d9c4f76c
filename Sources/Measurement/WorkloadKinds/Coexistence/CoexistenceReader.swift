import Foundation
import Measurement
import PersistentStore
import Runner

/// The other process's side: it looks for changes until it has seen the last save.
struct CoexistenceReader {
  let session: CoexistenceSession
  let recorder: Recorder

  /// Gives up when nothing new has come for so long: the writer is gone.
  private static let patience: UInt64 = 30_000_000_000

  func run() throws {
    guard let changes = session.changes else { return }
    var seen: [UInt64] = []
    var looks = 0
    var last = DispatchTime.now().uptimeNanoseconds
    try Data().write(to: URL(fileURLWithPath: session.ready))
    while seen.count < session.parameters.saves {
      try changes.look()
      looks += 1
      let time = DispatchTime.now().uptimeNanoseconds
      if changes.saves > seen.count {
        seen += Array(repeating: time, count: changes.saves - seen.count)
        last = time
      }
      guard time - last < Self.patience else { throw CoexistenceError.readerNotReady }
      usleep(UInt32(session.parameters.poll) * 1000)
    }
    recorder.record(.coexistence.looks, Double(looks))
    recorder.record(.coexistence.tombstones, Double(changes.tombstones))
    try record(seen)
  }

  /// The time from each save's commit to the look that found it.
  private func record(_ seen: [UInt64]) throws {
    // The note of the last save may come after the look that found it.
    var committed = try SaveLog(folder: session.folder).times()
    for _ in 0..<1000 where committed.count < seen.count {
      usleep(1000)
      committed = try SaveLog(folder: session.folder).times()
    }
    let lags = zip(seen, committed).map { Double($0 > $1 ? $0 - $1 : 0) / 1e9 }
    guard let summary = Summary(of: lags) else { return }
    recorder.record(.waits.lag, summary.p50)
    recorder.record(.coexistence.highLag, summary.p90)
    recorder.record(.waits.longestLag, summary.max)
  }

  /// Holds what was seen against what the writer did.
  func verify() throws -> Verification {
    guard let changes = session.changes else { return Verification(digest: "") }
    let script = session.script
    let updated = Set((0..<session.parameters.saves).flatMap(script.updates(of:)))
    var findings: [String] = []
    let missed = updated.subtracting(changes.changed).count
    if missed > 0 { findings.append("\(missed) updated objects were not seen") }
    let others = changes.changed.subtracting(updated)
    let rounds = session.parameters.rounds
    if others.count > rounds {
      findings.append("\(others.count) objects were seen that nobody changed")
    }
    var notes: [String] = []
    switch session.parameters.detection {
    case .history:
      if changes.deleted.count != rounds {
        findings.append("\(changes.deleted.count) of \(rounds) deletions were seen")
      }
    case .attribute: notes.append("\(rounds) deletions leave no date and were not seen")
    case .sideFile: break
    }
    guard findings.isEmpty else { throw VerificationFailure(findings) }
    return Verification(digest: "", notes: notes)
  }
}
