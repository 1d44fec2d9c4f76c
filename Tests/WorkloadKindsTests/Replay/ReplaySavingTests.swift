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

/// Tests the savings of repairs in a replay: of each finding, of one fix, and of all fixes.
@Suite struct ReplaySavingTests {
  @Test func `saves faults by prefetching, and repeats by fetching once`() throws {
    let logged = try LoggedStore(notes: 60, level: 2) { context in
      let list = try context.fetch(FetchRequest("Note"))
      for index in 0..<list.count {
        _ = try list.object(at: index).target(of: "folder")?.value(of: "name")
      }
      for _ in 0..<8 {
        context.reset()
        _ = try context.fetch(FetchRequest("Folder"))
      }
    }
    let (plain, _) = try logged.session()
    let lines = { (kind: StatementShape.Kind) in
      plain.script.steps.first { plain.script.statements[$0.statement].shape.kind == kind }?.line
        ?? 0
    }
    let faults = plain.script.steps.count {
      plain.script.statements[$0.statement].shape.kind == .fault
    }
    #expect(faults == 6)
    let prefetched = try logged.session(fix: "faults-one-by-one@\(lines(.fault))").session
    #expect(prefetched.replay.steps.count == plain.replay.steps.count - faults + 1)
    #expect(prefetched.outcome.rows == plain.outcome.rows)
    let last = try #require(plain.script.steps.last?.line)
    let once = try logged.session(fix: "repeated-fetch@\(last)").session
    #expect(once.replay.steps.count == plain.replay.steps.count - 7)
    #expect {
      try logged.session(fix: "repeated-fetch@99999")
    } throws: {
      "\($0)".contains("no replayed statement starts at the line in 'repeated-fetch@99999'")
    }
  }

  @Test func `makes one save of many`() throws {
    let logged = try LoggedStore(notes: 10, level: 2) { context in
      for index in 0..<12 {
        let note = try context.insert("Note")
        try note.setValue(.text("new \(index)"), of: "body")
        try context.save()
      }
    }
    let (plain, _) = try logged.session()
    let begin = try #require(
      plain.script.steps.first { plain.script.statements[$0.statement].shape.isWrite }
    )
    let merged = try logged.session(fix: "one-save-per-object@\(begin.line)").session
    func commits(_ session: ReplaySession) -> Int {
      session.replay.steps.count { session.replay.statements[$0.statement].shape.kind == .commit }
    }
    #expect(commits(plain) == 24 && commits(merged) == 2)
    #expect(merged.replay.divergence.share == 0)
  }

  @Test func `measures what an index saves, with its bytes`() throws {
    let logged = try LoggedStore(notes: 2_000, level: 2) { context in
      for _ in 0..<3 {
        _ = try context.fetch(
          FetchRequest("Note", predicate: .comparison("body", .equal, .text("note 1999")))
        )
        context.reset()
      }
    }
    let schema = try ReplaySchema(of: logged.store, settings: ConnectionSettings())
    let analysis = try LogAnalysis(of: [logged.log])
    let entry = try #require(analysis.digest.statements.indices.first)
    let finding = SQLLog.Finding(
      rule: .unindexedPredicate,
      summary: "no index",
      lines: [analysis.digest.statements[entry].firstLine],
      calls: 3,
      time: nil,
      confidence: .high
    )
    #expect(schema.columns["ZNOTE"]?.contains("ZBODY") == true)
    let size = try SavingsMeasurement(
      logs: [logged.log],
      findings: [finding],
      settings: ConnectionSettings(synchronous: .off),
      folder: logged.folder.subfolder("savings")
    ).measure(logged.store, named: "app.sqlite", scale: 1)
    let repair = try #require(size.repairs.first)
    #expect(repair.obstacle == "" && repair.caveat == "")
    #expect(repair.storeChanges.first?.hasPrefix("CREATE INDEX") == true)
    let counters = try #require(repair.counters)
    #expect(counters.vmSteps * 20 < size.counters.vmSteps)
    #expect(counters.pagesRead < size.counters.pagesRead)
    #expect(counters.storeBytes > size.counters.storeBytes)
    #expect(repair.saved != nil && size.divergence.share == 0)
  }

  @Test func `measures findings of one fetch request together, and all fixes at once`() throws {
    let logged = try LoggedStore(notes: 1_200, level: 2) { context in
      let notes = try context.fetch(FetchRequest("Note", sortDescriptors: [.init("body")]))
      for index in 0..<300 {
        _ = try notes.object(at: index).target(of: "folder")?.value(of: "name")
      }
      context.reset()
      for number in 0..<12 {
        let wanted = Predicate.comparison("body", .equal, .text("note \(number * 90)"))
        _ = try context.count(FetchRequest("Note", predicate: wanted))
      }
    }
    let analysis = try LogAnalysis(of: [logged.log])
    let rules = Set(analysis.findings.map(\.rule))
    #expect(
      rules.isSuperset(of: [.faultsOneByOne, .fetchWithoutLimit, .fetchesOneByOne]),
      "\(analysis.findings.map(\.summary))"
    )
    let size = try SavingsMeasurement(
      logs: [logged.log],
      findings: analysis.findings,
      settings: ConnectionSettings(synchronous: .off),
      folder: logged.folder.subfolder("together")
    ).measure(logged.store, named: "app.sqlite", scale: 1)
    #expect(size.divergence.share == 0)
    let list = try #require(size.repairs.first { $0.summaries.count > 1 })
    #expect(list.obstacle == "" && list.comparison.contains("with the relationship prefetched"))
    #expect(list.comparison.contains("with a batch size of 20 and one batch read"))
    let faults = logged.faults
    #expect(list.counters?.statements == size.counters.statements - faults + 2)
    let counts = try #require(size.repairs.first { $0.rule == "fetches-one-by-one" })
    #expect(counts.obstacle == "", "\(counts.obstacle)")
    #expect(counts.counters?.statements == size.counters.statements - 11)
    #expect((counts.counters?.vmSteps ?? 0) * 4 < size.counters.vmSteps * 3)
    if let together = size.together {
      #expect(together.counters?.statements == size.counters.statements - faults + 2 - 11)
      #expect(together.summaries.count >= 3)
    }
  }
}
