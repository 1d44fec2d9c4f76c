import Basics
import Foundation
import TestSupport
import Testing

@testable import DataModel

/// Tests models of real apps that a strict reader would refuse (coredata-format.md, section 16).
@Suite struct LenientReadingTests {
  private func read(_ body: String) throws -> ModelFamily {
    let folder = try TemporaryFolder()
    let path = try folder.write("<model>\n\(body)\n</model>", to: "M.xcdatamodel/contents")
    let family = try ModelSource.read(path: path)
    #expect(family.versions[0].model.isValid)
    // Check that model files and model archives preserve the model.
    let model = family.versions[0].model
    #expect(try ModelFile.parse(ModelWriter.text(of: model), file: "m.yaml").model == model)
    #expect(try ModelArchive.read(ModelArchive.write(model)).model == model)
    return family
  }

  private func entity(_ body: String) throws -> (entity: Entity, unusual: [String]) {
    let family = try read("<entity name=\"A\">\n\(body)\n</entity>")
    return (try #require(family.versions[0].model.entity(named: "A")), family.unusual)
  }

  @Test func `an undefined attribute has no column; it is unusual where it is stored`() throws {
    let (entity, unusual) = try entity(
      """
      <attribute name="a" transient="YES"/>
      <attribute name="b" attributeType="Undefined" transient="YES"/>
      <attribute name="c" optional="YES"/>
      <attribute name="d" attributeType="Object ID"/>
      """
    )
    #expect(entity.attributes.map(\.type) == [.undefined, .undefined, .undefined, .objectID])
    #expect(entity.attributes.allSatisfy { $0.isTransient })
    #expect(
      unusual == [
        "line 5: A.c: it is stored but has no type; kept without a column",
        "line 6: A.d: a store keeps no object IDs; kept without a column",
      ]
    )
  }

  @Test(arguments: [
    ("Integer 16", "YES", Value.integer(1)), ("Integer 64", "NO", .integer(0)),
    ("Integer 32", "0.0", .integer(0)), ("Boolean", "NO", .integer(0)),
    ("Boolean", "1.0", .integer(1)), ("Double", "YES", .real(1)), ("Decimal", "0.0", .integer(0)),
    ("String", "", .text("")),
  ])
  func `takes a default as the tools do`(type: String, text: String, value: Value) throws {
    let (entity, unusual) = try entity(
      "<attribute name=\"a\" attributeType=\"\(type)\" defaultValueString=\"\(text)\"/>"
    )
    #expect(entity.attributes[0].defaultValue == value)
    #expect(unusual == [])
  }

  @Test(arguments: [
    ("Boolean", "100"), ("UUID", "empy"), ("Integer 16", "40000"), ("Integer 32", "many"),
    ("Double", "nan"), ("Binary", "x"), ("Transformable", "x"), ("Date", "2020-01-01"),
    ("Undefined", "x"),
  ])
  func `ignores a default that does not fit, and says so`(type: String, text: String) throws {
    let (entity, unusual) = try entity(
      "<attribute name=\"a\" transient=\"\(type == "Undefined" ? "YES" : "NO")\" "
        + "attributeType=\"\(type)\" defaultValueString=\"\(text)\"/>"
    )
    #expect(entity.attributes[0].defaultValue == .null)
    #expect(unusual.count == 1)
    #expect(unusual[0].hasPrefix("line 3: A.a: ") && unusual[0].contains("; ignored"), "\(unusual)")
  }

  @Test func `a model without entities is a model`() throws {
    let family = try read("<elements/>")
    #expect(family.versions[0].model.entities == [])
    #expect(family.unusual == ["the model has no entities; a store with this model has no objects"])
  }

  @Test func `indexes: repeated ones once, expressions, and what makes none`() throws {
    let (entity, unusual) = try entity(
      """
      <attribute name="kind" attributeType="String"/>
      <attribute name="cached" attributeType="String" transient="YES"/>
      <relationship name="parts" toMany="YES" destinationEntity="A"/>
      <relationship name="owner" maxCount="1" destinationEntity="A"/>
      <fetchIndex name="byKind">
        <fetchIndexElement property="kind" type="Binary" order="ascending"/>
        <fetchIndexElement expression="entity" expressionType="x" type="Binary"/></fetchIndex>
      <fetchIndex name="byKind">
        <fetchIndexElement property="kind" type="Binary" order="ascending"/>
        <fetchIndexElement expression="entity" expressionType="x" type="Binary"/></fetchIndex>
      <fetchIndex name="byKey"><fetchIndexElement expression="self"/></fetchIndex>
      <fetchIndex name="byParts"><fetchIndexElement property="parts"/></fetchIndex>
      <fetchIndex name="byOwner"><fetchIndexElement property="owner"/></fetchIndex>
      <fetchIndex name="byCached"><fetchIndexElement property="cached"/></fetchIndex>
      <fetchIndex name="byNothing"><fetchIndexElement property="nothing"/></fetchIndex>
      <fetchIndex name="open" partialIndexPredicate="kind != nil">
        <fetchIndexElement property="kind" order="descending"/></fetchIndex>
      """
    )
    #expect(
      entity.fetchIndexes.map {
        "\($0.name): \($0.elements.map(\.property).joined(separator: " "))"
      }
        == [
          "cached: cached", "byKind: kind entity", "byKey: self", "byParts: parts",
          "byOwner: owner", "byCached: cached", "open: kind",
        ]
    )
    #expect(entity.fetchIndexes.last?.partialPredicate == "kind != nil")
    let none = "which is not a stored attribute or to-one relationship; the store has no such index"
    #expect(
      unusual == [
        "line 10: A.byKind: the index occurs twice; left out",
        "line 17: A.byNothing: the index names 'nothing', which is not a property of the entity; "
          + "left out",
        "line 4: A.cached: the index names 'cached', \(none)",
        "line 14: A.byParts: the index names 'parts', \(none)",
        "line 16: A.byCached: the index names 'cached', \(none)",
      ]
    )
  }

  @Test func `legacy compound indexes stand back where there are fetch indexes`() throws {
    let compound = "<compoundIndexes><compoundIndex><index value=\"a\"/></compoundIndex>"
    let attribute = "<attribute name=\"a\" attributeType=\"Date\"/>"
    let alone = try entity(attribute + compound + "</compoundIndexes>")
    #expect(alone.entity.fetchIndexes.map(\.name) == ["a", "compoundIndex"])
    let both = try entity(
      attribute + "<fetchIndex name=\"b\"><fetchIndexElement property=\"a\"/></fetchIndex>"
        + compound
        + "</compoundIndexes>"
    )
    #expect(both.entity.fetchIndexes.map(\.name) == ["a", "b"])
    #expect(alone.unusual + both.unusual == [])
  }

  @Test func `unique constraints may name a to-one; others are left out`() throws {
    let (entity, unusual) = try entity(
      """
      <attribute name="kind" attributeType="String"/>
      <relationship name="owner" maxCount="1" destinationEntity="A"/>
      <uniquenessConstraints>
        <uniquenessConstraint><constraint value="owner"/><constraint value="kind"/>
        </uniquenessConstraint><uniquenessConstraint><constraint value="lost"/>
        </uniquenessConstraint></uniquenessConstraints>
      """
    )
    #expect(entity.uniquenessConstraints == [["owner", "kind"]])
    #expect(unusual.count == 1 && unusual[0].hasPrefix("line 2: A: the unique constraint [lost]"))
  }

  @Test func `relationships: ordered to-ones, inverses that disagree, odd counts`() throws {
    let family = try read(
      """
      <entity name="Artist">
      <relationship name="thumbnail" maxCount="1" destinationEntity="Image"
        inverseName="thumbnail"/></entity>
      <entity name="Image">
      <relationship name="artist" maxCount="1" destinationEntity="Artist" inverseName="thumbnail"/>
      <relationship name="thumbnail" maxCount="1" destinationEntity="Artist"
        inverseName="thumbnail" ordered="YES" indexed="YES" storedInTruthFile="YES"/>
      <relationship name="many" toMany="YES" destinationEntity="Artist" inverseName="thumbnail"/>
      <relationship name="only" toMany="YES" maxCount="1" destinationEntity="Artist"/>
      <relationship name="range" toMany="YES" minCount="5" maxCount="3" destinationEntity="Image"/>
      <relationship name="lost" destinationEntity="Artist" inverseName="nothing"/>
      </entity>
      """
    )
    let image = try #require(family.versions[0].model.entity(named: "Image"))
    #expect(image.relationship(named: "artist")?.inverse == nil)
    #expect(image.relationship(named: "thumbnail")?.inverse == "thumbnail")
    #expect(image.relationship(named: "thumbnail")?.isOrdered == false)
    #expect(image.relationship(named: "many")?.isTransient == true)
    #expect(image.relationship(named: "only")?.isToMany == false)
    #expect(image.relationship(named: "range")?.minimumCount == 0)
    #expect(image.relationship(named: "lost")?.inverse == nil)
    #expect(family.unknown == [])
    #expect(family.unusual.count == 6, "\(family.unusual)")
  }

  @Test func `what a super-entity declares already, and super-entities in a circle`() throws {
    let family = try read(
      """
      <entity name="A" parentEntity="C"><attribute name="x" attributeType="Date"/></entity>
      <entity name="B" parentEntity="A"><attribute name="x" attributeType="Date"/></entity>
      <entity name="C" parentEntity="B"/>
      <entity name="D" parentEntity="Lost"/>
      <entity name="D"/>
      """
    )
    let model = family.versions[0].model
    #expect(model.entities.map(\.superentity) == [nil, "A", "B", nil])
    #expect(model.entity(named: "B")?.attributes == [])
  }

  @Test func `keeps composites inside composites, and cuts one that contains itself`() throws {
    let family = try read(
      """
      <entity name="A"><attribute name="at" attributeType="Composite" composite="Place"/>
      <attribute name="round" attributeType="Composite" composite="Round"/></entity>
      <composite name="Place"><attribute name="point" attributeType="Composite"
        composite="Point"/></composite>
      <composite name="Point"><attribute name="x" attributeType="Double"/></composite>
      <composite name="Round"><attribute name="in" attributeType="Composite"
        composite="Round"/></composite>
      """
    )
    let entity = family.versions[0].model.entities[0]
    #expect(entity.attributes[0].elements.first?.elements.map(\.name) == ["x"])
    #expect(entity.attributes[1].elements.first?.elements == [])
  }

  @Test func `keeps fetch requests and fetched properties in the model`() throws {
    let family = try read(
      """
      <entity name="A"><fetchedProperty name="near" optional="YES" syncable="YES">
        <fetchRequest name="r" entity="A" predicateString="a == 1"/>
        <userInfo><entry key="k" value="v"/></userInfo></fetchedProperty></entity>
      <fetchRequest name="all" entity="A" fetchLimit="5" includeSubentities="YES"/>
      """
    )
    let model = family.versions[0].model
    #expect(
      model.fetchRequests == [
        FetchRequestTemplate(
          name: "all",
          entity: "A",
          settings: ["fetchLimit": "5", "includeSubentities": "YES"]
        )
      ]
    )
    let property = try #require(model.entities[0].fetchedProperties.first)
    #expect(property.request.predicate == "a == 1" && property.userInfo == ["k": "v"])
    #expect(family.unknown + family.unusual == [])
  }

  @Test(arguments: ["größe", "名前", "a$b", "_private"])
  func `names may have letters of any script`(name: String) throws {
    let (entity, unusual) = try entity("<attribute name=\"\(name)\" attributeType=\"Date\"/>")
    #expect(entity.attributes.map(\.name) == [name])
    #expect(unusual == [])
  }

  @Test func `names that would be SQL, or a column of the store's own, are left out`() throws {
    let (entity, unusual) = try entity(
      ["a b", "x); DROP", "_pk", "description", "ok", "OK"].map {
        "<attribute name=\"\($0)\" attributeType=\"Date\"/>"
      }.joined(separator: "\n")
    )
    #expect(entity.attributes.map(\.name) == ["OK", "description", "ok"])
    #expect(unusual.count == 5, "\(unusual)")
  }

  @Test func `what the editor left over from another type is not used`() throws {
    let (entity, unusual) = try entity(
      """
      <attribute name="a" attributeType="String" allowsExternalBinaryDataStorage="YES"/>
      <attribute name="b" attributeType="Date" regularExpressionString="."/>
      <attribute name="c" attributeType="Integer 16" minValueString="9" maxValueString="1"/>
      <attribute name="d" attributeType="String" derivationExpression="now()" transient="YES"/>
      """
    )
    #expect(unusual.count == 4, "\(unusual)")
    #expect(entity.attributes.allSatisfy { !$0.allowsExternalStorage && $0.pattern == nil })
    #expect(entity.attribute(named: "c")?.minimum == .null)
    #expect(entity.attribute(named: "d")?.derivation == nil)
  }

  @Test func `knows every key that Xcode has written`() throws {
    let family = try read(
      """
      <entity name="A" representedClassName="A" syncable="YES" codeGenerationType="class"
        coreSpotlightDisplayNameExpression="a" renamingIdentifier="Z" versionHashModifier="1">
      <attribute name="a" optional="YES" attributeType="Integer 16" usesScalarValueType="NO"
        syncable="YES" storedInTruthFile="YES" allowsCloudEncryption="YES" indexed="YES"
        renamingIdentifier="z" preservesValueInHistoryOnDeletion="YES" customClassName="N"
        spotlightIndexingEnabled="YES"/>
      </entity>
      """
    )
    let entity = family.versions[0].model.entities[0]
    #expect(family.unknown + family.unusual == [])
    #expect(entity.renamingIdentifier == "Z")
    #expect(entity.attributes[0].renamingIdentifier == "z")
    #expect(entity.attributes[0].preservesValueOnDeletion)
  }
}

/// Tests of encodings, incomplete model families, the old format of a version, and wrong files.
@Suite struct ModelFormTests {
  private static let markup = "<model><entity name=\"A\"/></model>"

  @Test(arguments: [
    ("utf-16", String.Encoding.utf16), ("UTF-16", .utf16LittleEndian), ("UTF-16", .utf16BigEndian),
    ("ISO-8859-1", .isoLatin1), ("UTF-8", .utf8),
  ])
  func `reads any encoding that the file declares`(name: String, encoding: String.Encoding) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("", to: "M.xml")
    let text =
      "<?xml version=\"1.0\" encoding=\"\(name)\"?>\r\n<!DOCTYPE model SYSTEM \"x.dtd\">\r\n<!-- c -->"
      + "<model>\r\n<entity name=\"Größe\"/></model>"
    try #require(text.data(using: encoding)).write(to: URL(fileURLWithPath: path))
    #expect(try ModelSource.read(path: path).versions[0].model.entities.map(\.name) == ["Größe"])
  }

  @Test func `reads UTF-8 with a byte order mark`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("\u{feff}<?xml version=\"1.0\"?>" + Self.markup, to: "M.xml")
    #expect(try ModelSource.read(path: path).versions[0].model.entities.count == 1)
  }

  @Test func `one broken version leaves the others of its family`() throws {
    let folder = try TemporaryFolder()
    for (name, text) in [
      ("F", Self.markup), ("F 2 (ü)", Self.markup),
      ("F 3", "<model>\n<<<<<<< HEAD\n<entity/>\n>>>>>>> x\n</model>"),
    ] {
      _ = try folder.write(text, to: "F.xcdatamodeld/\(name).xcdatamodel/contents")
    }
    _ = try folder.write("", to: "F.xcdatamodeld/F 4.xcdatamodel/layout")
    _ = try folder.write(
      "<plist><dict><key>_XCCurrentVersionName</key><string>F 3.xcdatamodel</string></dict></plist>",
      to: "F.xcdatamodeld/.xccurrentversion"
    )
    let family = try ModelSource.read(path: folder.path + "/F.xcdatamodeld")
    #expect(family.versions.map(\.name) == ["F", "F 2 (ü)"])
    #expect(family.failures.map(\.version) == ["F 3", "F 4"])
    #expect(family.failures[0].reason.contains("contents:2:1: error: the file holds the markers"))
    #expect(family.current == nil)
    #expect(
      family.unusual == [
        ".xccurrentversion: the current version 'F 3' cannot be read; 'F 2 (ü)', the last by name, "
          + "is used"
      ]
    )
  }

  @Test(arguments: ["", "<plist><dict/></plist>", "garbage"])
  func `a pointer that names no version is passed over`(pointer: String) throws {
    let folder = try TemporaryFolder()
    for name in ["F", "F 2"] {
      _ = try folder.write(Self.markup, to: "F.xcdatamodeld/\(name).xcdatamodel/contents")
    }
    _ = try folder.write(pointer, to: "F.xcdatamodeld/.xccurrentversion")
    let family = try ModelSource.read(path: folder.path + "/F.xcdatamodeld")
    #expect(family.versions.count == 2 && family.current == nil)
    #expect(family.unusual.last?.contains("'F 2', the last by name, is used") == true)
  }

  @Test func `broken version information leaves the models`() throws {
    let folder = try TemporaryFolder()
    let model = Model(entities: [Entity(name: "A")])
    _ = try folder.write(ModelArchive.write(model), to: "F.momd/F.mom")
    _ = try folder.write("momv2$", to: "F.momd/F.omo")
    _ = try folder.write("<plist><dict/></plist>", to: "F.momd/VersionInfo.plist")
    let family = try ModelSource.read(path: folder.path + "/F.momd")
    #expect(family.versions.map(\.model) == [model])
    #expect(family.unusual.count == 1)
  }

  /// Before `contents`, Xcode stored a version as a keyed archive of the editor's objects.
  @Test func `reads the old form of a version`() throws {
    var archive = EditorArchive()
    let text = archive.attribute("title", [("XD_PAttK_attributeType", .integer(700))])
    let open = archive.attribute(
      "isOpen",
      [
        ("XD_PAttK_attributeType", .integer(800)), ("XD_PPSK_isOptional", .boolean(true)),
        ("XD_PAttK_defaultValueAsString", archive.text("NO")),
      ]
    )
    let entity = archive.entity("Note", [("title", text), ("isOpen", open)])
    let folder = try TemporaryFolder()
    let bytes = archive.model([("Note", entity)])
    let path = try folder.write(bytes, to: "M.xcdatamodel/elements")
    for path in [path, folder.path + "/M.xcdatamodel"] {
      let model = try ModelSource.read(path: path).versions[0].model
      #expect(
        ModelWriter.text(of: model) == """
          entities:
            Note:
              attributes:
                isOpen: { type: boolean, default: false }
                title: { type: string, optional: false }

          """
      )
    }
  }

  @Test(arguments: [
    ("M.xcmappingmodel", "x", "it is a mapping model"), ("M.cdm", "x", "compiled mapping model"),
    ("M.omo", "momv2$", "it is an optimized model"),
    ("momv2", "momv2$", "it is an optimized model"),
    ("VersionInfo.plist", "<plist/>", "it contains only the version hashes"),
    ("s.sqlite-wal", "7", "write-ahead log"), ("s.sqlite-shm", "", "write-ahead log"),
    ("s.zip", "PK\u{3}\u{4}", "it is a compressed archive"),
  ])
  func `knows by name what people give by mistake`(
    name: String,
    text: String,
    expected: String
  ) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(text, to: name)
    let error = #expect(throws: Refusal.self) { try ModelSource.read(path: path) }
    #expect("\(try #require(error))".contains(expected))
  }

  @Test func `a folder without a version says what it lacks`() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write("", to: "F.xcdatamodeld/.xccurrentversion")
    let error = #expect(throws: Refusal.self) {
      try ModelSource.read(path: folder.path + "/F.xcdatamodeld")
    }
    #expect("\(try #require(error))".contains("it contains no model (*.xcdatamodel)"))
  }
}
