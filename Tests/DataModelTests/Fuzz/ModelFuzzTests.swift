import Basics
import DataModel
import Foundation
import TestSupport
import Testing

/// Tests that damaged model files of every format are read or refused, and that a readable model
/// can be used.
///
/// `STOREBENCH_FUZZ=10000` sets the number of damaged files of each format.
@Suite struct ModelFuzzTests {
  private static let valid: Model = {
    var entities = everythingModel.entities
    for index in entities.indices { entities[index].superentity = nil }
    return Model(entities: entities, versionIdentifiers: ["1"])
  }()

  private static let markup = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" userDefinedModelVersionIdentifier="1">
    <entity name="Place" representedClassName="Place" elementID="Spot" syncable="YES">
      <attribute name="title" optional="YES" attributeType="String" maxValueString="64"/>
      <attribute name="opened" attributeType="Date" defaultDateTimeInterval="0"/>
      <attribute name="price" attributeType="Decimal" defaultValueString="0.0"/>
      <attribute name="id" attributeType="UUID" preserveAfterDeletion="YES"/>
      <attribute name="size" attributeType="Composite" composite="Size"/>
      <relationship name="visits" toMany="YES" maxCount="9" deletionRule="Cascade"
        destinationEntity="Visit" inverseName="place" inverseEntity="Visit"/>
      <fetchIndex name="byTitle">
        <fetchIndexElement property="title" type="Binary" order="descending"/>
      </fetchIndex>
      <uniquenessConstraints><uniquenessConstraint>
        <constraint value="id"/></uniquenessConstraint></uniquenessConstraints>
      <userInfo><entry key="a" value="b"/></userInfo>
    </entity>
    <entity name="Visit"><relationship name="place" optional="YES" maxCount="1"
      deletionRule="Nullify" destinationEntity="Place" inverseName="visits"/></entity>
    <composite name="Size"><attribute name="width" attributeType="Double"/></composite>
    <configuration name="Local"><memberEntity name="Visit"/></configuration>
    </model>
    """

  private static let versionInfo = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>
    <key>NSManagedObjectModel_CurrentVersionName</key><string>M</string>
    <key>NSManagedObjectModel_VersionHashes</key><dict><key>M</key><dict><key>Place</key>
    <data>\(Data(repeating: 7, count: 32).base64EncodedString())</data></dict></dict>
    </dict></plist>
    """

  /// Reads damaged versions of one input; at least one of them must be readable.
  private func damage(_ original: [UInt8], read: ([UInt8]) throws -> Model?) throws {
    _ = try #require(try read(original))
    var refused = 0
    for seed in FuzzSeeds.range(usually: 150) {
      var mutator = Mutator(seed: seed)
      do {
        if let model = try read(mutator.damaged(original)) { try work(with: model) }
      } catch is Refusal {
        refused += 1
      } catch is InvalidInput {
        refused += 1
      }
    }
    #expect(refused > 0)
  }

  /// Uses a model as the program does after reading it.
  private func work(with model: Model) throws {
    let isSound = model.isValid
    let mapping = MappingModel(from: Self.valid, to: model)
    _ = mapping.changes.map(\.description) + mapping.obstacles.map(\.description)
    let text = ModelWriter.text(of: model)
    guard isSound, !text.contains(".nan") else { return }
    #expect(try ModelFile.parse(text, file: "m.yaml").model == model)
  }

  @Test func `fuzz: compiled models`() throws {
    try damage(ModelArchive.write(Self.valid)) { try ModelArchive.read($0).model }
  }

  @Test func `fuzz: model caches`() throws {
    try damage(Deflate.store(ModelArchive.write(Self.valid))) { bytes in
      try ModelArchive.read(Deflate.decompress(bytes, limit: 1 << 20)).model
    }
  }

  @Test func `fuzz: model files`() throws {
    try damage(Array(ModelWriter.text(of: Self.valid).utf8)) { bytes in
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw Refusal.cannotRead("m.yaml", reason: "not UTF-8")
      }
      return try ModelFile.parse(text, file: "m.yaml").model
    }
  }

  @Test func `fuzz: Xcode's sources`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("", to: "M.xml")
    try damage(Array(Self.markup.utf8)) { bytes in
      try folder.write(bytes, to: "M.xml")
      return try ModelSource.read(path: path).versions[0].model
    }
  }

  @Test(arguments: [true, false])
  func `fuzz: version information`(isBinary: Bool) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("", to: "VersionInfo.plist")
    let hashes = PropertyList.dictionary(["Place": .data(Array(repeating: 7, count: 32))])
    let list = PropertyList.dictionary([
      "NSManagedObjectModel_CurrentVersionName": .string("M"),
      "NSManagedObjectModel_VersionHashes": .dictionary(["M": hashes]),
    ])
    try damage(isBinary ? list.binary() : Array(Self.versionInfo.utf8)) { bytes in
      try folder.write(bytes, to: "VersionInfo.plist")
      return try VersionInfo(path: path).hashes.isEmpty ? nil : Self.valid
    }
  }
}
