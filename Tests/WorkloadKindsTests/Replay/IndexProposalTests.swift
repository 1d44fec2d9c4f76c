import Basics
import DataModel
import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Runner
@testable import SQLLog
@testable import WorkloadKinds

/// Tests index proposals, which are measured with the statements of a log.
@Suite struct IndexProposalTests {
  @Test func `proposes the smallest set of indexes within a tenth of the best`() throws {
    let logged = try LoggedStore(notes: 3_000, level: 2) { context in
      for number in 0..<4 {
        let body = Predicate.comparison("body", .equal, .text("note \(number * 700)"))
        _ = try context.fetch(FetchRequest("Note", predicate: body))
        let both = Predicate.and([body, .comparison("count", .equal, .integer(3))])
        _ = try context.count(FetchRequest("Note", predicate: both))
        context.reset()
      }
    }
    var schema = LogSchema(model: Model(entities: LoggedStore.model))
    try schema.read(try logged.store.plainConnection())
    let candidates = try LogAnalysis(of: [logged.log], schema: schema).indexCandidates
    #expect(
      candidates.map { $0.columns.map(\.name) }.sorted { $0.joined() < $1.joined() } == [
        ["ZBODY"], ["ZBODY", "ZCOUNT"], ["ZCOUNT"],
      ]
    )
    let proposals = try SavingsMeasurement(
      logs: [logged.log],
      findings: [],
      settings: ConnectionSettings(synchronous: .off),
      folder: logged.folder.subfolder("indexes")
    ).proposals(candidates, on: logged.store)
    let chosen = try #require(proposals.chosen)
    // The index on ZBODY alone serves both conditions, and a longer index takes more bytes.
    #expect(chosen.indexes.map { $0.columns.map(\.name) } == [["ZBODY"]])
    #expect(chosen.counters.vmSteps * 20 < proposals.before.vmSteps)
    #expect(chosen.counters.storeBytes > proposals.before.storeBytes)
    #expect(proposals.single.count == 3)
    // No set has an index that is a prefix of another index of the set.
    #expect(
      proposals.combined.allSatisfy {
        $0.indexes.map { $0.columns.count }.max() == 1
          || $0
            .indexes.contains { $0.columns.map(\.name) == ["ZCOUNT"] }
      }
    )
    let text = proposals.section(Vocabulary(schema: schema, names: LogNames()))
    #expect("\(text)".contains("Note (body)"))
    #expect(
      LogSchema(model: Model(entities: LoggedStore.model)).tables["ZNOTE"]?.indexes.isEmpty == false
    )
  }

  @Test func `proposes two indexes where one leaves out a tenth`() throws {
    var proposals = IndexProposals(before: Self.counters(1_000), saves: 0)
    let index = { (name: String) in
      IndexCandidate(table: "ZT", columns: [.init(name: name, isDescending: false)])
    }
    proposals.single = [
      .init([index("ZA")], Self.counters(600)), .init([index("ZB")], Self.counters(550)),
      .init([index("ZC")], Self.counters(995)),
    ]
    proposals.combined = [.init([index("ZA"), index("ZB")], Self.counters(150))]
    proposals.choose()
    #expect(proposals.chosen?.indexes.map { $0.columns[0].name } == ["ZA", "ZB"])
    proposals.combined = [.init([index("ZA"), index("ZB")], Self.counters(520))]
    proposals.choose()
    #expect(proposals.chosen?.indexes.map { $0.columns[0].name } == ["ZB"])
    proposals.single = [.init([index("ZC")], Self.counters(995))]
    (proposals.combined, proposals.chosen) = ([], nil)
    proposals.choose()
    #expect(proposals.chosen == nil)
  }

  private static func counters(_ steps: Int) -> ReplayReport.Counters {
    var counters = ReplayReport.Counters()
    counters.vmSteps = steps
    return counters
  }
}
