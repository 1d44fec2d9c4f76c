import Basics
import Foundation
import TestSupport
import Testing

@testable import DataModel

/// Tests `xcmapping.xml` in the form found in public projects (Evidence/docs/format.md).
@Suite struct `A mapping model of Xcode` {
  // MARK: Archived expressions

  private static func expression(_ name: String, _ fields: [String: PropertyList]) -> PropertyList {
    .dictionary(fields.merging(["class": .string(name)]) { $1 })
  }

  private static func constant(_ value: PropertyList) -> PropertyList {
    expression("NSConstantValueExpression", ["NSConstantValue": value])
  }

  private static func variable(_ name: String) -> PropertyList {
    expression("NSVariableExpression", ["NSVariable": .string(name)])
  }

  private static func call(
    _ selector: String,
    of operand: PropertyList,
    _ arguments: PropertyList...
  ) -> PropertyList {
    expression(
      "NSFunctionExpression",
      [
        "NSOperand": operand, "NSSelectorName": .string(selector), "NSArguments": .array(arguments),
      ]
    )
  }

  private static func path(_ path: String, of variable: String = "source") -> PropertyList {
    let specifier = expression("NSKeyPathSpecifierExpression", ["NSKeyPath": .string(path)])
    var call = call("valueForKeyPath:", of: Self.variable(variable), specifier)
    if case .dictionary(var fields) = call {
      fields["class"] = .string("NSKeyPathExpression")
      call = .dictionary(fields)
    }
    return call
  }

  private static func lookUp(_ name: String, _ instances: PropertyList) -> PropertyList {
    call(
      "destinationInstancesForEntityMappingNamed:sourceInstances:",
      of: variable("manager"),
      constant(.string(name)),
      instances
    )
  }

  private static func archive(_ expression: PropertyList) -> [UInt8] {
    var encoder = ArchiveEncoder()
    let root = encoder.reserve()
    func add(_ value: PropertyList, to encoder: inout ArchiveEncoder) -> PropertyList {
      guard case .dictionary(let fields) = value, let name = fields["class"]?.string else {
        return encoder.scalar(value)
      }
      return encoder.add(name, Self.fields(fields, &encoder, add))
    }
    guard case .dictionary(let fields) = expression, let name = fields["class"]?.string else {
      return []
    }
    encoder.fill(root, name, Self.fields(fields, &encoder, add))
    return encoder.archive(root: root)
  }

  private static func fields(
    _ fields: [String: PropertyList],
    _ encoder: inout ArchiveEncoder,
    _ add: (PropertyList, inout ArchiveEncoder) -> PropertyList
  ) -> [String: PropertyList] {
    var result: [String: PropertyList] = [:]
    for (key, value) in fields.sorted(by: { $0.key < $1.key }) where key != "class" {
      if case .array(let items) = value {
        result[key] = encoder.list("NSMutableArray", items.map { add($0, &encoder) })
      } else {
        result[key] = add(value, &encoder)
      }
    }
    return result
  }

  @Test(arguments: [
    (path("address.city"), ValueExpression.source(["address", "city"])),
    (constant(.string("Unknown")), .constant(.text("Unknown"))),
    (constant(.boolean(true)), .constant(.integer(1))),
    (constant(.real(0.5)), .constant(.real(0.5))),
    (call("valueForKey:", of: variable("source"), constant(.string("name"))), .source(["name"])),
    (
      call(
        "now",
        of: expression(
          "NSConstantValueExpression",
          ["NSConstantValueClassName": .string("_NSPredicateUtilities")]
        )
      ),
      .now
    ),
    (
      call("makeID:", of: variable("entityPolicy"), path("taskID")),
      .function("FUNCTION($entityPolicy, \"makeID:\", $source.taskID)")
    ),
    (path("name", of: "destination"), .function("$destination.name")),
    (expression("NSTernaryExpression", [:]), .function("NSTernaryExpression")),
  ]) func `evaluates key paths and constants, and names what only the app can`(
    archived: PropertyList,
    value: ValueExpression
  ) throws {
    #expect(try MappingExpression(archive: Self.archive(archived)).value == value)
  }

  @Test(arguments: [
    (
      lookUp("PersonToPerson", path("owner")),
      RelationshipExpression.mapped("owner", by: "PersonToPerson")
    ),
    (lookUp("PersonToAddress", variable("source")), .sameSource(by: "PersonToAddress")),
    (
      call(
        "destinationInstancesForSourceRelationshipNamed:sourceInstances:",
        of: variable("manager"),
        constant(.string("cars")),
        path("cars")
      ),
      .source("cars")
    ),
    (
      call("link:", of: variable("entityPolicy"), variable("source")),
      .function("FUNCTION($entityPolicy, \"link:\", $source)")
    ),
  ]) func `follows relationships by the manager's look-ups`(
    archived: PropertyList,
    relationship: RelationshipExpression
  ) throws {
    #expect(try MappingExpression(archive: Self.archive(archived)).relationship == relationship)
  }

  @Test(arguments: [
    ("completed == YES", [EntityMap.Condition("completed", in: [.integer(1)])]),
    (
      "name != nil AND (rank = 3)",
      [
        EntityMap.Condition("name", in: [.null], isNegated: true),
        EntityMap.Condition("rank", in: [.integer(3)]),
      ]
    ),
    ("SELF.kind == 'a b'", [EntityMap.Condition("kind", in: [.text("a b")])]), ("rank > 3", nil),
    ("name BEGINSWITH 'a'", nil), ("a == 1 OR b == 2", nil),
  ]) func `reads filters that compare for equality`(
    text: String,
    conditions: [EntityMap.Condition]?
  ) {
    #expect(MappingFilter.conditions(of: text) == conditions)
  }

  // MARK: The file

  private static let old = Model(entities: [
    Entity(
      name: "Person",
      attributes: [
        Attribute(name: "name", type: .string), Attribute(name: "age", type: .integer16),
      ],
      relationships: [
        Relationship(name: "cars", destination: "Car", inverse: "owner", isToMany: true)
      ]
    ),
    Entity(
      name: "Car",
      relationships: [Relationship(name: "owner", destination: "Person", inverse: "cars")]
    ),
  ])

  private static func markup(_ objects: String) -> String {
    "<?xml version=\"1.0\"?><!DOCTYPE database SYSTEM \"file:///x.dtd\"><database><databaseInfo/>"
      + "<object type=\"XDDEVMAPPINGMODEL\" id=\"z1\"><attribute name=\"sourcemodelpath\" "
      + "type=\"string\">App/V1.xcdatamodel</attribute><relationship name=\"entitymappings\" "
      + "idrefs=\"z3 z2\"/></object>\(objects)</database>"
  }

  private static let objects =
    """
    <object type="XDDEVENTITYMAPPING" id="z2"><attribute name="sourcename">Person</attribute>
    <attribute name="destinationname">Person</attribute><attribute name="mappingnumber">1</attribute>
    <attribute name="migrationpolicyclassname">App.Policy</attribute>
    <attribute name="sourcefilterpredicatestring">age &gt; 17</attribute>
    <relationship name="attributemappings" idrefs="z4 z5 z6"/>
    <relationship name="relationshipmappings" idrefs="z7 z8"/></object>
    <object type="XDDEVENTITYMAPPING" id="z3"><attribute name="destinationname">Maker</attribute>
    <attribute name="mappingnumber">2</attribute></object>
    <object type="XDDEVATTRIBUTEMAPPING" id="z4"><attribute name="name">name</attribute></object>
    <object type="XDDEVATTRIBUTEMAPPING" id="z5"><attribute name="name">height</attribute></object>
    <object type="XDDEVATTRIBUTEMAPPING" id="z6"><attribute name="name">kind</attribute>
    <attribute name="valueexpressiondata" type="binary">\
    \(Data(archive(constant(.string("adult")))).base64EncodedString())</attribute></object>
    <object type="XDDEVRELATIONSHIPMAPPING" id="z7"><attribute name="name">cars</attribute>
    <attribute name="autogenerateexpression">1</attribute></object>
    <object type="XDDEVRELATIONSHIPMAPPING" id="z8"><attribute name="name">friends</attribute>
    <attribute name="autogenerateexpression">0</attribute><attribute name="newKey">1</attribute>
    </object>
    """

  private static let new = Model(entities: [
    Entity(
      name: "Person",
      attributes: [
        Attribute(name: "name", type: .string), Attribute(name: "height", type: .double),
        Attribute(name: "kind", type: .string), Attribute(name: "age", type: .integer16),
      ],
      relationships: [
        Relationship(name: "cars", destination: "Car", inverse: "owner", isToMany: true)
      ]
    ),
    Entity(
      name: "Car",
      relationships: [Relationship(name: "owner", destination: "Person", inverse: "cars")]
    ),
    Entity(name: "Maker"),
  ])

  @Test func `takes over what it lists by the same name, and nothing else`() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write(Self.markup(Self.objects), to: "A.xcmappingmodel/xcmapping.xml")
    let mapping = try XcodeMappingModel.read(path: folder.path + "/A.xcmappingmodel/")
    #expect(
      mapping.warnings.map(\.message) == [
        "'newkey' of xddevrelationshipmapping is not understood, and is ignored"
      ]
    )
    let map = try mapping.map(from: Self.old, to: Self.new)
    #expect(!map.infersTheRest)
    #expect(map.entities.map(\.name) == ["PersonToPerson", "Maker"])
    let person = map.entities[0]
    #expect(person.attributes == ["name": .source(["name"]), "kind": .constant(.text("adult"))])
    #expect(person.relationships == ["cars": .source("cars")])
    #expect(
      map.appCode == [
        "PersonToPerson: the policy 'App.Policy'", "PersonToPerson: the filter 'age > 17'",
      ]
    )
    let model = try MappingModel(from: Self.old, to: Self.new, by: map.withoutAppCode)
    #expect(model.removedEntities == ["Car"])
    #expect(model.mapping(to: "Maker")?.source == nil)
    #expect(
      model.mapping(to: "Person")?.attributes.map { $0.source?.name } == [nil, nil, nil, "name"]
    )
  }

  // MARK: Source and destination versions

  /// A mapping model with copies of its source and destination models.
  private static func copies(_ source: Model, _ destination: Model) -> XcodeMappingModel {
    XcodeMappingModel(
      sourcePath: "App/V1.xcdatamodel",
      destinationPath: "App/V2.xcdatamodel",
      source: source,
      destination: destination,
      warnings: [],
      entries: []
    )
  }

  /// The old model with additional string attributes in `Person`.
  private static func older(_ more: String...) -> Model {
    var entities = old.entities
    for index in entities.indices where entities[index].name == "Person" {
      entities[index].attributes += more.map { Attribute(name: $0, type: .string) }
    }
    return Model(entities: entities)
  }

  @Test func `is for the versions that it was made for, or two names older`() throws {
    #expect(try Self.copies(Self.old, Self.new).map(from: Self.old, to: Self.new).remarks == [])
    let stale = try Self.copies(Self.older("nick", "mail"), Self.new)
      .map(from: Self.old, to: Self.new)
    #expect(
      stale.remarks
        == ["mail", "nick"].map {
          "the mapping model is older than the models: its source has '\($0)' in 'Person'"
        }
    )
  }

  @Test(arguments: [
    (copies(older("a", "b", "c"), new), "its source has 'a' in 'Person'"),
    (copies(new, old), "its source has an entity 'Maker'"),
    (copies(old, old), "its destination has no entity 'Maker'"),
    (copies(Model(entities: [Entity(name: "Other")]), new), "its source has an entity 'Other'"),
  ])
  func `is refused for other versions, or the other way round`(
    mapping: XcodeMappingModel,
    first: String
  ) throws {
    let error = #expect(throws: Refusal.self) {
      try mapping.map(from: Self.old, to: Self.new)
    }
    let message = try #require(error?.description)
    #expect(message.hasPrefix("the mapping model is for other versions, V1 to V2: \(first)"))
  }

  @Test func `points from a compiled mapping model to its source`() throws {
    #expect(throws: Refusal.self) { try XcodeMappingModel.read(path: "/x/App.cdm") }
    let error = #expect(throws: Refusal.self) {
      try XcodeMappingModel.read(path: "/x/App.cdm")
    }
    #expect(
      error?.description
        == "cannot read '/x/App.cdm': it is a compiled mapping model; give the .xcmappingmodel that "
        + "it was compiled from"
    )
  }

  @Test(arguments: [
    ("<model/>", "the file is not a mapping model in Core Data's XML format"),
    ("<database/>", "the file contains no mapping model"),
    ("<!DOCTYPE a [<!ENTITY b \"c\">]><database/>", "declares XML entities"),
    ("bplist00", "not well-formed XML"),
  ]) func `refuses what is no mapping model`(text: String, reason: String) throws {
    let folder = try TemporaryFolder()
    _ = try folder.write(text, to: "xcmapping.xml")
    let error = #expect(throws: InvalidInput.self) {
      try XcodeMappingModel.read(path: folder.path + "/xcmapping.xml")
    }
    #expect(error?.description.contains(reason) == true)
  }
}
