import Basics
import DataModel
import Foundation
import TestSupport
import Testing

/// Tests models on disk: folders, links, and missing versions.
@Suite struct ModelSourceTests {
  private static let markup = "<model><entity name=\"A\"/></model>"

  @Test func `says that the current version is not named, or is not there`() throws {
    let folder = try TemporaryFolder()
    for version in ["F", "F 2"] {
      _ = try folder.write(Self.markup, to: "F.xcdatamodeld/\(version).xcdatamodel/contents")
    }
    let path = folder.path + "/F.xcdatamodeld"
    var family = try ModelSource.read(path: path)
    #expect(family.current == nil)
    #expect(
      family.unusual == [
        ".xccurrentversion: it is missing or does not name the current version; 'F 2', the last by "
          + "name, is used"
      ]
    )
    _ = try folder.write(
      "<plist><dict><key>_XCCurrentVersionName</key><string>F 3.xcdatamodel</string></dict></plist>",
      to: "F.xcdatamodeld/.xccurrentversion"
    )
    family = try ModelSource.read(path: path)
    #expect(family.current == nil)
    #expect(
      family.unusual == [
        ".xccurrentversion: the current version 'F 3' is not there; 'F 2', the last by name, is used"
      ]
    )
  }

  @Test func `finds the one model below a project, and names several`() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write(Self.markup, to: "App/Model/F.xcdatamodeld/F.xcdatamodel/contents")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/App/Model/loop",
      withDestinationPath: folder.path + "/App"
    )
    #expect(try ModelSource.read(path: folder.path).versions.map(\.name) == ["F"])
    _ = try folder.write(Self.markup, to: "Widget/G.xcdatamodel/contents")
    let error = #expect(throws: Refusal.self) { try ModelSource.read(path: folder.path) }
    #expect("\(try #require(error))".contains("it holds 2 models; name one of them"))
    #expect(try ModelSource.sources(below: folder.path).count == 2)
  }

  @Test func `does not follow a link that leads to itself`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/F.xcdatamodeld"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: path + "/F.xcdatamodel",
      withDestinationPath: path + "/F.xcdatamodel"
    )
    #expect(throws: Refusal.self) { try ModelSource.read(path: path) }
  }

  @Test func `says that optimized models cannot be read`() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write("momv2$", to: "F.momd/F.omo")
    let error = #expect(throws: Refusal.self) {
      try ModelSource.read(path: folder.path + "/F.momd")
    }
    #expect("\(try #require(error))".contains("optimized models"))
  }

  @Test func `takes the hashes beside a compiled model that stands alone`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("", to: "M.mom")
    let model = Model(entities: [Entity(name: "A")])
    try Data(ModelArchive.write(model)).write(to: URL(fileURLWithPath: path))
    let hashes: PropertyList = .dictionary(["A": .data(Array(repeating: 1, count: 32))])
    let list = PropertyList.dictionary([
      "NSManagedObjectModel_CurrentVersionName": .string("M"),
      "NSManagedObjectModel_VersionHashes": .dictionary(["M": hashes, "Other": hashes]),
    ])
    try Data(list.binary()).write(to: URL(fileURLWithPath: folder.path + "/VersionInfo.plist"))
    let family = try ModelSource.read(path: path)
    #expect(family.versionHashes.keys.sorted() == ["M"])
    #expect(family.current == "M")
  }

  @Test func `reads composite types, partial indexes and the mark of CloudKit`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      """
      <model usedWithCloudKit="YES" newFlag="1">
      <entity name="A">
        <attribute name="size" attributeType="Composite" composite="Size"/>
        <attribute name="lost" attributeType="Composite"/>
        <fetchIndex name="byS" partialIndexPredicate="s != nil">
          <fetchIndexElement property="size" type="Binary" order="ascending"/></fetchIndex>
        <uniquenessConstraints><uniquenessConstraint><strange/></uniquenessConstraint>
        </uniquenessConstraints>
      </entity>
      <composite name="Size"><attribute name="width" attributeType="Double"/></composite>
      </model>
      """,
      to: "M.xml"
    )
    let family = try ModelSource.read(path: path)
    let entity = try #require(family.versions[0].model.entity(named: "A"))
    #expect(entity.attribute(named: "size")?.elements.map(\.name) == ["width"])
    #expect(entity.fetchIndexes.last?.partialPredicate == "s != nil")
    #expect(family.isUsedWithCloudKit)
    #expect(
      family.unknown == [
        "line 1: the model: newFlag=\"1\" is unknown; ignored",
        "line 7: uniquenessConstraint: the element <strange> is unknown; left out",
      ]
    )
    #expect(
      family.unusual == [
        "line 4: A.lost: its composite type '' is not declared; kept without elements",
        "line 2: A: the unique constraint [] is empty; left out",
        "line 4: A.lost: it is not known how a store keeps an attribute of type composite; it gets "
          + "one column without values",
        "line 3: A.size: it is not known how a store keeps an attribute of type composite; it gets "
          + "one column without values",
      ]
    )
  }
}
