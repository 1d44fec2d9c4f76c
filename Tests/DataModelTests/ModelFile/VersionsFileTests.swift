import Basics
import DataModel
import Foundation
import Testing

@Suite struct VersionsFileTests {
  private let versions = ["V1", "V2"].enumerated().map { index, name in
    let attributes = [
      Attribute(name: "id", type: .uuid, isOptional: false, computedDefault: "UUID()"),
      Attribute(name: "size", type: .integer64, isOptional: index == 0),
    ]
    return VersionedSchema(
      name: name,
      model: Model(
        entities: [Entity(name: "Trip", attributes: attributes)],
        versionIdentifiers: ["\(index + 1).0.0"],
        configurations: ["default": ["Trip"]]
      )
    )
  }

  private var family: ModelFamily { ModelFamily(versions: versions) }

  private func file(_ text: String) throws -> String {
    let path = NSTemporaryDirectory() + "storebench-\(UUID().uuidString).lock"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test func `what is written is read again, and the last version is current`() throws {
    let path = try file(VersionsFile.text(of: family))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let read = try ModelSource.read(path: path)
    #expect(read.versions == versions)
    #expect(read.current == "V2")
    #expect(read.assumed == [:])
  }

  @Test func `what is assumed of a version is written with it`() throws {
    var family = family
    family.assumed = ["V1": [:], "V2": ["Trip.size": "an enum: \"raw\" value"]]
    let path = try file(VersionsFile.text(of: family))
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(try ModelSource.read(path: path).assumed == family.assumed)
    #expect(try ModelSource.read(path: path + "#V2").assumed["V2"] == family.assumed["V2"])
  }

  @Test func `the raw values of enums are written with their version, in the order of the cases`()
    throws
  {
    var family = family
    family.enumCases["V2"] = [
      "Trip.kind": [
        EnumValue(name: "true", value: .text("1")), EnumValue(name: "low", value: .text("")),
      ],
      "Trip.size": [
        EnumValue(name: "b", value: .integer(-1)), EnumValue(name: "a", value: .integer(7)),
      ],
    ]
    let path = try file(VersionsFile.text(of: family))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let read = try ModelSource.read(path: path)
    #expect(read.enumCases == family.enumCases)
    #expect(read.enumValues["V2"]?["Trip.size"] == [.integer(-1), .integer(7)])
  }

  @Test func `a hash mark names one version, and an unknown one is refused with those there are`()
    throws
  {
    let path = try file(VersionsFile.text(of: family))
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(try ModelSource.read(path: path + "#V1").versions == [versions[0]])
    #expect(throws: Refusal.badInput("'\(path)' has no version 'V9'; it has V1, V2")) {
      try ModelSource.read(path: path + "#V9")
    }
  }

  @Test func `a file without versions is refused`() throws {
    let path = try file("entities: {}")
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(throws: (any Error).self) { try ModelSource.read(path: path) }
  }

  @Test func `a computed default lets a required attribute be added by a lightweight migration`() {
    let old = Model(entities: [Entity(name: "Trip")])
    #expect(MappingModel(from: old, to: versions[0].model).isLightweight)
  }
}
