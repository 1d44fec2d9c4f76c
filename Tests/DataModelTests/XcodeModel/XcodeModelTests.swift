import Basics
import DataModel
import Foundation
import TestSupport
import Testing

@Suite struct XcodeModelTests {
  private func read(_ body: String, attributes: String = "") throws -> ModelFamily {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      "<?xml version=\"1.0\"?>\n<model\(attributes)>\n\(body)\n</model>",
      to: "M.xml"
    )
    return try ModelSource.read(path: path)
  }

  @Test func `reads everything of an entity`() throws {
    let family = try read(
      """
      <entity name="Place" representedClassName=".PlaceMO" isAbstract="YES" elementID="Spot"
          versionHashModifier="2" syncable="YES" codeGenerationType="class">
        <attribute name="title" attributeType="String" minValueString="1" maxValueString="64"
            regularExpressionString="^[a-z]$" defaultValueString="a &amp; b"/>
        <attribute name="count" optional="YES" attributeType="Integer 32" minValueString="0"
            defaultValueString="0.0" usesScalarValueType="YES"/>
        <attribute name="isOpen" optional="YES" attributeType="Boolean" defaultValueString="YES"/>
        <attribute name="opened" attributeType="Date" defaultDateTimeInterval="-541232580"/>
        <attribute name="price" attributeType="Decimal" defaultValueString="0.0"/>
        <attribute name="photo" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
        <attribute name="id" attributeType="UUID" preserveAfterDeletion="YES"
            spotlightIndexingEnabled="YES"/>
        <attribute name="upper" attributeType="String" derived="YES"
            derivationExpression="uppercase:(title)"/>
        <attribute name="tint" attributeType="Transformable" valueTransformerName="T"
            customClassName="UIColor"/>
        <relationship name="visits" toMany="YES" minCount="1" maxCount="9" ordered="YES"
            deletionRule="Cascade" destinationEntity="Visit" inverseName="place"
            inverseEntity="Visit"><userInfo><entry key="k" value="v"/></userInfo></relationship>
        <fetchIndex name="byCount">
          <fetchIndexElement property="count" type="Binary" order="ascending"/>
        </fetchIndex>
        <fetchIndex name="byBoth">
          <fetchIndexElement property="title" type="Binary" order="descending"/>
          <fetchIndexElement property="count" type="Binary" order="ascending"/>
        </fetchIndex>
        <uniquenessConstraints><uniquenessConstraint>
          <constraint value="id"/><constraint value="title"/>
        </uniquenessConstraint></uniquenessConstraints>
        <userInfo><entry key="a" value="b"/></userInfo>
      </entity>
      <entity name="Base" representedClassName="Base"/>
      <entity name="Visit" parentEntity="Base"><relationship name="place" optional="YES"
        maxCount="1" destinationEntity="Place" inverseName="visits"/></entity>
      <configuration name="Local"><memberEntity name="Visit"/></configuration>
      <elements><element name="Place" positionX="0" positionY="0"/></elements>
      """,
      attributes: " userDefinedModelVersionIdentifier=\"3\""
    )
    #expect(family.unknown == [])
    #expect(
      ModelWriter.text(of: family.versions[0].model) == """
        identifier: "3"
        configurations:
          Local: [Visit]
        entities:
          Base: {}
          Place:
            class: .PlaceMO
            abstract: true
            renamed: Spot
            hashModifier: "2"
            userInfo: { a: "b" }
            attributes:
              count: { type: integer32, default: 0, minimum: 0 }
              id: { type: uuid, optional: false, preserveOnDeletion: true, spotlight: true }
              isOpen: { type: boolean, default: true }
              opened: { type: date, optional: false, default: 1983-11-07T17:37:00Z }
              photo: { type: binary, optional: false, external: true }
              price: { type: decimal, optional: false, default: 0 }
              tint: { type: transformable, optional: false, transformer: T, class: UIColor }
              title: { type: string, optional: false, default: "a & b", minimum: 1, maximum: 64, \
        pattern: "^[a-z]$" }
              upper: { type: string, optional: false, derivation: "uppercase:(title)" }
            relationships:
              visits: { to: Visit, inverse: place, many: true, ordered: true, optional: false, \
        minimum: 1, maximum: 9, delete: cascade, userInfo: { k: "v" } }
            unique: [[id, title]]
            indexes:
              count: [count]
              byCount: [count]
              byBoth: [-title, count]
          Visit:
            class: NSManagedObject
            parent: Base
            relationships:
              place: { to: Place, inverse: visits }

        """
    )
  }

  @Test func `names what it does not understand, and what it does instead`() throws {
    let family = try read(
      """
      <entity name="A" newThing="1">
        <attribute name="x" attributeType="Quaternion"/>
        <attribute name="y" attributeType="String" newThing="YES"/>
        <attribute name="z" attributeType="String" newThing="YES"/>
        <newElement name="w"/>
      </entity>
      <newElement/>
      """
    )
    #expect(
      family.unknown == [
        "line 3: A: newThing=\"1\" is unknown; ignored",
        "line 4: A.x: the type 'Quaternion' is unknown; kept without a column",
        "line 5: A.y: newThing=\"YES\" is unknown; ignored (2 times)",
        "line 7: A: the element <newElement> 'w' is unknown; left out (2 times)",
      ]
    )
    let attributes = family.versions[0].model.entities[0].attributes
    #expect(attributes.map(\.type) == [.undefined, .string, .string])
    #expect(attributes[0].isTransient)
  }

  @Test func `passes over wrong values, with their places`() throws {
    let family = try read(
      """
      <entity name="A">
      <attribute name="x" attributeType="Integer 16" defaultValueString="many"/>
      <attribute attributeType="String"/>
      <relationship name="b" deletionRule="Explode" destinationEntity="A"/>
      <relationship name="c" destinationEntity="Nowhere" inverseName="d"/>
      </entity>
      """
    )
    #expect(
      family.unusual == [
        "line 4: A.x: defaultValueString 'many' is not a value of type integer16; ignored, as "
          + "Apple's tools do",
        "line 5: an element <attribute> has no name; left out",
        "line 7: A.c: the destination 'Nowhere' does not exist; left out",
      ]
    )
    #expect(
      family.unknown == ["line 6: A.b: the delete rule 'Explode' is unknown; taken as Nullify"]
    )
    let entity = family.versions[0].model.entities[0]
    #expect(entity.attributes.map(\.defaultValue) == [.null])
    #expect(entity.relationships.map(\.deleteRule) == [.nullify])
  }

  @Test(arguments: [
    "", "<model>", "not xml", "<plist/>", "<model><entity name=\"A\"</model>",
    "<!DOCTYPE m [<!ENTITY a \"b\">]><model>&a;</model>",
    String(repeating: "<model>", count: 100) + String(repeating: "</model>", count: 100),
  ])
  func `refuses what is no model`(text: String) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(text, to: "M.xcdatamodel/contents")
    #expect(throws: InvalidInput.self) {
      try ModelSource.read(path: folder.path + "/M.xcdatamodel")
    }
    #expect(throws: InvalidInput.self) { try ModelSource.read(path: path) }
  }

  /// FoundationXML terminates the process when it parses some texts that are not UTF-8.
  @Test func `refuses text that is not UTF-8`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("", to: "M.xml")
    let model = Array("<model><entity name=\"A\" deletionRu".utf8)
    let rest = Array("e=\"x\"/></model>".utf8)
    let other = Array("<?xml version=\"1.0\" encoding=\"EBCDIC\"?><model/>".utf8)
    for bytes in [model + [0xde] + rest, model + [0] + rest, other] {
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      #expect(throws: InvalidInput.self) { try ModelSource.read(path: path) }
    }
  }

  @Test func `reads a family and the version that is current`() throws {
    let folder = try TemporaryFolder()
    let entity = "<model><entity name=\"A\"/></model>"
    for version in ["F", "F 2", "F 10"] {
      _ = try folder.write(entity, to: "F.xcdatamodeld/\(version).xcdatamodel/contents")
    }
    _ = try folder.write(
      """
      <plist version="1.0"><dict>
      <key>_XCCurrentVersionName</key><string>F 2.xcdatamodel</string>
      </dict></plist>
      """,
      to: "F.xcdatamodeld/.xccurrentversion"
    )
    let family = try ModelSource.read(path: folder.path + "/F.xcdatamodeld")
    #expect(family.versions.map(\.name) == ["F", "F 2", "F 10"])
    #expect(family.current == "F 2")
  }
}
