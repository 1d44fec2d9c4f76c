import Foundation
import SQLite
import TestSupport
import Testing
import WorkloadKinds

@testable import bench

/// Tests that the work each engine does in the timed region matches the reviewed table.
struct FairnessTests {
  private func kept() throws -> String {
    try String(
      contentsOfFile: Repository.path("Evidence/Results/fairness/fetch.txt"),
      encoding: .utf8
    )
  }

  @Test func `every engine does what the reviewed table says`() throws {
    #expect(
      try FairnessTable().text == kept(),
      "review the change, then: bench fairness --output Evidence/Results/fairness/fetch.txt"
    )
  }

  @Test func `a handicap of one engine changes the table`() throws {
    let table = try FairnessTable { engine, session in
      if engine == "bareSQL" { try session.connection?.execute("SELECT count(*) FROM ZTAG") }
    }
    #expect(try table.text != kept())
    #expect(table.text.contains("compiled 1, run 1, 1 rows: SELECT count(*) FROM ZTAG"))
  }

  @Test func `every engine reads the same columns of attributes and digests outside the clock`()
    throws
  {
    let table = try FairnessTable()
    let attributes = try #require(table.columns.first { $0.engine == "bareSQL" }).names
    #expect(attributes.count == 12)
    for (engine, names) in table.columns {
      #expect(Set(attributes).isSubset(of: names), "\(engine)")
      // Besides attributes, an engine reads only columns that an object needs: entity, version and
      // to-one keys.
      let others = Set(names).subtracting(attributes)
      #expect(others.isSubset(of: ["Z_ENT", "Z_OPT", "ZCATEGORY", "ZPROJECT"]), "\(engine)")
    }
    #expect(table.sections.filter { $0.strategy != "count" }.allSatisfy { $0.pauses > 0 })
    // Each batched fetch compiles its statement once and runs it for each batch.
    let batches = table.sections.filter { $0.strategy == "batched" }.flatMap(\.statements)
      .filter { $0.sql.hasPrefix("SELECT") }
    #expect(batches.allSatisfy { $0.compiled <= 1 })
    #expect(batches.count { $0.runs == 5 } == FairnessTable.engines.count)
  }
}
