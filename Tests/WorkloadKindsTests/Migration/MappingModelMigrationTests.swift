import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite
import Testing

@testable import WorkloadKinds

/// Tests the frameworks' migration with a mapping model, in three passes.
struct MappingModelMigrationTests {
  private static let strategy: [String: ParameterValue] = ["strategy": .text("mappingModel")]

  private static func library(
    _ change: (inout [Entity]) -> Void
  ) throws -> (bench: KindBench<MigrationWorkload>, to: ParameterValue) {
    let bench = try LibraryFixture.bench()
    var entities = LibraryFixture.model.entities
    change(&entities)
    let model = Model(entities: entities, versionIdentifiers: ["2"])
    return (bench, try LibraryFixture.write(model, in: bench))
  }

  @Test(arguments: [false, true])
  func `reaches what an inferred migration reaches, with every object in memory`(
    keepsHistory: Bool
  ) throws {
    let bench = try LibraryFixture.bench(keepsHistory: keepsHistory)
    let to = try LibraryFixture.write(LibraryFixture.nextModel(isUnique: false), in: bench)
    let inferred = try bench.verify(["to": to])
    let opened = try bench.open(Self.strategy.merging(["to": to]) { $1 })
    #expect(try opened.finish().digest == inferred.digest)
    let count = try Connection(path: bench.original.path, mode: .readOnly)
      .integer("SELECT sum(Z_MAX) FROM Z_PRIMARYKEY WHERE Z_ENT < 16000")
    #expect(opened.figures["objects.held"] == count.map { Double(2 * $0) })
  }

  @Test func `converts what no mapping can be inferred for`() throws {
    let (bench, to) = try Self.library { entities in
      for index in entities.indices where entities[index].name == "Issue" {
        entities[index].attributes = [Attribute(name: "number", type: .string)]
      }
    }
    #expect(
      try bench.fit(["to": to]).obstacle
        == "no lightweight migration can be inferred: Issue: 'number' cannot be converted from "
        + "integer32 to string automatically; add a version between that has both properties and "
        + "a stage that fills the new one, or use a mapping model; the strategy 'mappingModel' "
        + "converts the values"
    )
    try Connection(path: bench.original.path).execute("UPDATE ZPUBLICATION SET ZNUMBER = Z_PK * 3")
    let opened = try bench.open(Self.strategy.merging(["to": to]) { $1 })
    _ = try opened.finish()
    let texts = try Connection(path: opened.session.result.path, mode: .readOnly)
      .integer("SELECT count(*) FROM ZPUBLICATION WHERE typeof(ZNUMBER) = 'text'")
    #expect(texts == 4)
  }

  @Test func `names the strategy that takes a map where values alone are not all`() throws {
    let (bench, to) = try Self.library { entities in
      for index in entities.indices where entities[index].name == "Reader" {
        entities[index].relationships.removeAll { $0.name == "favourite" }
        entities[index].relationships.append(Relationship(name: "favourite", destination: "Cover"))
      }
    }
    let obstacle = try bench.fit(["to": to]).obstacle
    #expect(
      obstacle?.hasSuffix(
        "; the strategies 'mappingModel' and 'sideBySide' can convert it: name an .xcmappingmodel "
          + "or a map in 'map'"
      ) == true
    )
  }

  /// The XML that Xcode writes for the mapping of an entity; see Evidence/docs/format.md.
  private static func markup(policy: String = "") -> String {
    """
    <database><object type="XDDEVMAPPINGMODEL" id="z1">
    <relationship name="entitymappings" idrefs="z2 z3"/></object>
    <object type="XDDEVENTITYMAPPING" id="z2"><attribute name="sourcename">Chapter</attribute>
    <attribute name="destinationname">Chapter</attribute>\(policy)
    <relationship name="attributemappings" idrefs="z4"/></object>
    <object type="XDDEVENTITYMAPPING" id="z3"><attribute name="sourcename">Cover</attribute>
    </object>
    <object type="XDDEVATTRIBUTEMAPPING" id="z4"><attribute name="name">heading</attribute></object>
    </database>
    """
  }

  @Test func `follows a file of Xcode, and leaves the app's code out on request`() throws {
    let (bench, to) = try Self.library { _ in }
    let policy =
      "<attribute name=\"migrationpolicyclassname\">Library.ChapterPolicy</attribute>"
    let folder = bench.folder + "/A.xcmappingmodel"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Self.markup(policy: policy)
      .write(toFile: folder + "/xcmapping.xml", atomically: true, encoding: .utf8)
    let way: [String: ParameterValue] = [
      "strategy": .text("mappingModel"), "to": to, "dropped": .text("allowed"),
      "map": .text(folder),
    ]
    #expect(
      try bench.fit(way).misfits.map(\.reason) == [
        "the mapping model calls the app's own code: ChapterToChapter: the policy "
          + "'Library.ChapterPolicy'; leave it out with 'appCode: omitted'"
      ]
    )
    let opened = try bench.open(way.merging(["appCode": .text("omitted")]) { $1 })
    _ = try opened.finish()
    let result = try Connection(path: opened.session.result.path, mode: .readOnly)
    #expect(try result.integer("SELECT count(*) FROM ZCOVER") == 0)
    #expect(try result.integer("SELECT count(*) FROM ZCHAPTER WHERE ZHEADING ISNULL") == 0)
  }
}
