import PersistentStore
import Runner
import SQLite
import Testing

@testable import WorkloadKinds

struct CascadeHistoryTests {
  /// The updates and deletions that the history records for a case, in no special order.
  private func history(
    _ bench: KindBench<CascadeDeleteWorkload>,
    _ entity: String,
    _ way: [String: ParameterValue]
  ) throws -> [String] {
    let own: [String: ParameterValue] = [
      "shape": .text("own"), "entity": .text(entity), "share": .real(0.5),
    ]
    let opened = try bench.open(own.merging(way) { $1 })
    _ = try opened.finish()
    let tombstones = (0..<opened.session.store.layout.tombstoneCount).map { "ZTOMBSTONE\($0)" }
    let columns = ["ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZCOLUMNS"] + tombstones
    let list = columns.map { "quote(\($0))" }.joined(separator: " || ' ' || ")
    let row = try opened.session.store.connection.prepare(
      "SELECT \(list) FROM ACHANGE WHERE ZCHANGETYPE > 0 ORDER BY 1"
    )
    var rows: [String] = []
    while try row.step() { rows.append(row.text(at: 0)) }
    return rows
  }

  @Test(arguments: ["Owner", "Item", "Photo", "Note"])
  func `a batch delete records what a context records, sub-entities among it`(
    _ entity: String
  ) throws {
    let bench = try FamilyFixture.bench()
    let context = try history(bench, entity, ["strategy": .text("objectByObject")])
    #expect(context.contains { $0.hasPrefix("2 ") })
    #expect(context.contains { $0.hasPrefix("1 ") })
    for shape in CascadeParameters.BatchShape.allCases {
      let batch = try history(
        bench,
        entity,
        ["strategy": .text("batchDelete"), "batchShape": .text(shape.rawValue)]
      )
      #expect(batch == context)
    }
  }

  @Test(arguments: ["Folder", "Task"])
  func `a batch delete records what a context records, all relationships among it`(
    _ entity: String
  ) throws {
    let bench = try CascadeFixture.bench(keepsHistory: true)
    let context = try history(bench, entity, ["strategy": .text("objectByObject")])
    let batch = try history(bench, entity, ["strategy": .text("batchDelete")])
    #expect(batch == context)
  }

  @Test(arguments: ["Owner", "Item", "Photo", "Note"])
  func `every way to delete leaves the same content of a store with sub-entities`(
    _ entity: String
  ) throws {
    let bench = try FamilyFixture.bench()
    var digests: [String: String] = [:]
    for way in CascadeFixture.ways {
      let own: [String: ParameterValue] = [
        "shape": .text("own"), "entity": .text(entity), "share": .real(0.5),
      ]
      digests["\(way)"] = try bench.verify(own.merging(way) { $1 }).digest
    }
    #expect(Set(digests.values).count == 1, "\(digests)")
  }
}
