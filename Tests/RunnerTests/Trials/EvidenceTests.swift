import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Runner

struct EvidenceTests {
  private let folder: TemporaryFolder
  private let store: StoreFile

  init() throws {
    folder = try TemporaryFolder()
    store = try makeTallyStore(in: folder)
  }

  private func digest(facts: [String] = []) throws -> String {
    try Evidence(stores: [store], facts: facts).digest()
  }

  @Test func `is another one for each byte of the store, of its blobs and of the facts`() throws {
    let first = try digest()
    #expect(try digest() == first)
    #expect(try digest(facts: ["a"]) != first)
    #expect(try digest(facts: ["a", "b"]) != digest(facts: ["ab"]))
    try Data("blos".utf8).write(to: URL(fileURLWithPath: store.externalDataFolder + "/A"))
    let second = try digest()
    #expect(second != first)
    let connection = try Connection(path: store.path, mode: .readWrite)
    try withExtendedLifetime(connection) {
      try connection.execute("UPDATE ZITEM SET ZVALUE = 7 WHERE Z_PK = 100")
      #expect(StoreFile.bytes(at: store.path + "-wal") > 0)
      #expect(try digest() != second)
    }
  }

  @Test func `reads files in pieces, of which each counts`() throws {
    let file = StoreFile(path: folder.path + "/large.sqlite")
    var bytes = Data(count: 9 << 20)
    var digests: Set<String> = []
    for place in [0, 5 << 20, (9 << 20) - 1] {
      bytes[place] = 1
      try bytes.write(to: URL(fileURLWithPath: file.path))
      digests.insert(try Evidence(stores: [file]).digest())
    }
    #expect(digests.count == 3)
  }

  @Test func `is the same for a WAL of the same pages with other salts`() throws {
    func change() throws -> (digest: String, wal: Data) {
      let connection = try Connection(path: store.path, mode: .readWrite)
      return try withExtendedLifetime(connection) {
        try connection.execute("UPDATE ZITEM SET ZVALUE = ZVALUE + 1")
        return (try digest(), try Data(contentsOf: URL(fileURLWithPath: store.path + "-wal")))
      }
    }
    let main = URL(fileURLWithPath: store.path)
    let start = try Data(contentsOf: main)
    let first = try change()
    // Undo the transfer of the WAL into the main file when the connection was closed.
    try start.write(to: main)
    let second = try change()
    #expect(first.wal != second.wal)
    #expect(first.digest == second.digest)
  }

  @Test func `stands for the check of an outcome with the same evidence, and of no other`() throws {
    func outcome(
      of strategy: TallyWorkload.Strategy,
      verified: VerifiedOutcome? = nil
    ) throws -> TrialResponse {
      try? store.remove()
      _ = try makeTallyStore(in: folder)
      let executor = InProcessExecutor(kinds: [TallyWorkload.self], probes: ManualClock().probes)
      var values = Dictionary(TallyWorkload.axes.map { ($0.name, $0.defaultValue) }) { $1 }
      values["strategy"] = .text(strategy.rawValue)
      let trial = Trial(
        store: store,
        start: store,
        original: store,
        folder: folder.path,
        workloadsFolder: folder.path
      )
      let request = TrialRequest(
        kind: TallyWorkload.name,
        parameters: ParameterValues(values),
        trial: trial,
        verified: verified
      )
      return try executor.execute(request, within: TrialLimits())
    }
    let first = try outcome(of: .raise)
    #expect(first.outcome == .passed(Verification(digest: "5150", notes: ["sum 5150"])))
    let evidence = try #require(first.evidence)
    // No check can return this verification; if it is returned, the check was skipped.
    let planted = VerifiedOutcome(evidence: evidence, verification: Verification(digest: "planted"))
    #expect(try outcome(of: .raise, verified: planted).outcome == .passed(planted.verification))
    let other = try outcome(of: .forget, verified: planted)
    #expect(other.outcome == .passed(Verification(digest: "5149", notes: ["sum 5149"])))
    #expect(other.evidence != evidence)
    #expect(try outcome(of: .scan, verified: planted).evidence == nil)
  }

  @Test func `is handed from the first trial of a case to the later ones`() throws {
    let requests = RequestLog()
    var bench = try Bench()
    bench.executor = LoggingExecutor(base: bench.executor, log: requests)
    let results = try bench.cases("parameters: { strategy: [raise, scan] }\ntrials: { trials: 3 }")
    #expect(results.map(\.outcome) == [.passed, .passed])
    let verified = requests.all.map { $0.verified?.verification.digest ?? "none" }
    // Each of two cases has three timed trials and a profiled trial.
    #expect(verified == ["none", "5150", "5150", "5150", "none", "none", "none", "none"])
  }

  @Test func `holds also where the store of the next trial was copied ahead`() throws {
    let requests = RequestLog()
    var bench = try Bench()
    bench.executor = LoggingExecutor(base: bench.executor, log: requests, copiesAhead: true)
    let results = try bench.cases("parameters: { strategy: raise }\ntrials: { trials: 3 }")
    #expect(results.map(\.outcome) == [.passed])
    // The case has three timed trials and a profiled trial; no store is copied after the last.
    #expect(requests.copiesAhead == 3)
    let verified = requests.all.map { $0.verified?.verification.digest ?? "none" }
    #expect(verified == ["none", "5150", "5150", "5150"])
    #expect(Set(requests.all.map(\.trial.store)).count == 1)
  }
}

final class RequestLog: @unchecked Sendable {
  var all: [TrialRequest] = []
  var copiesAhead = 0
}

struct LoggingExecutor: TrialExecutor {
  let base: any TrialExecutor
  let log: RequestLog
  var copiesAhead = false

  func execute(
    _ request: TrialRequest,
    within limits: TrialLimits,
    before next: NextTrial?
  ) throws -> TrialResponse {
    let response = try execute(request, within: limits)
    if copiesAhead, let next {
      log.copiesAhead += 1
      next.copyStore()
    }
    return response
  }

  func execute(_ request: TrialRequest, within limits: TrialLimits) throws -> TrialResponse {
    log.all.append(request)
    return try base.execute(request, within: limits)
  }
}
