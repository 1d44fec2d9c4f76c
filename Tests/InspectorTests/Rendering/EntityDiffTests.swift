import DataModel
import Reporting
import TestSupport
import Testing

@testable import Inspector

/// Tests the entries for each entity in the comparison of two stores.
struct EntityDiffTests {
  private func diff() throws -> EntityDiff {
    let fixture = try ModelFixture()
    let text = Attribute(name: "title", type: .string)
    let old = try fixture.store(
      "Old.sqlite",
      [
        Entity(name: "Gone", attributes: [text]), Entity(name: "Same", attributes: [text]),
        Entity(name: "Changed", attributes: [text, Attribute(name: "stars", type: .integer16)]),
        Entity(name: "Former", attributes: [text]),
      ],
      "INSERT INTO ZGONE (Z_PK, Z_ENT, Z_OPT) VALUES (1, 3, 1), (2, 3, 1)",
      "INSERT INTO ZCHANGED (Z_PK, Z_ENT, Z_OPT, ZSTARS) VALUES (1, 1, 1, 5), (2, 1, 1, NULL)"
    )
    let renamed = Entity(name: "Renamed", attributes: [text], renamingIdentifier: "Former")
    let new = try fixture.model(
      "New",
      Entity(name: "Same", attributes: [text]),
      Entity(name: "Changed", attributes: [text]),
      renamed,
      Entity(name: "Fresh", attributes: [text])
    )
    return EntityDiff(try ModelComparison(from: old, to: new))
  }

  @Test func `names what becomes of each entity, the worst first, with what is at risk`() throws {
    let diff = try self.diff()
    let rows = diff.rows.map { row -> String in
      let objects = row.objects.map { "\($0)" } ?? "–"
      return "\(row.state) \(row.name) \(objects) \(row.risks.joined(separator: "; "))"
    }
    #expect(
      rows == [
        "dropped Gone 2 2 objects", "changed Changed 2 1 value of stars", "renamed Renamed 0 ",
        "new Fresh – ", "kept Same 0 ",
      ]
    )
    #expect(diff.summary == "1 dropped, 1 changed, 1 renamed, 1 new, 1 kept")
    let words = diff.table.rows.map { row -> String in
      if case .text(let text) = row[1].value { text.plain } else { "" }
    }
    #expect(words == ["✗ dropped", "≠ changed", "→ renamed from Former", "+ new", "= kept"])
  }
}
