import Basics
import Foundation
import Testing

@testable import DataModel

@Suite struct ModelArchiveTests {
  @Test(arguments: ShippedModels.families)
  func `reads back every shipped model`(family: String) throws {
    for schema in try ModelFile.readFolder(path: ShippedModels.folder + "/" + family) {
      let content = try ModelArchive.read(ModelArchive.write(schema.model))
      #expect(content.model == schema.model)
      #expect(content.unknown == [])
    }
  }

  @Test func `reads back a model that has something of everything`() throws {
    let bytes = ModelArchive.write(everythingModel)
    let content = try ModelArchive.read(bytes)
    #expect(content.model == everythingModel)
    #expect(content.unknown == [])
    #expect(ModelArchive.write(content.model) == bytes)
  }

  @Test(arguments: [
    Value.integer(0), .integer(5), .integer(-12), .integer(.max), .integer(.min), .real(0.1),
    .real(-12.5), .real(1e-7), .real(123_456_789.25), .real(1e30), .null,
  ])
  func `keeps a decimal default`(value: Value) throws {
    let price = Attribute(name: "price", type: .decimal, defaultValue: value)
    let model = Model(entities: [Entity(name: "Product", attributes: [price])])
    #expect(try ModelArchive.read(ModelArchive.write(model)).model == model)
  }

  @Test func `names what it does not understand`() throws {
    let task = Entity(name: "Task", attributes: [Attribute(name: "photo", type: .binary)])
    let archive = try changed(Model(entities: [task])) { fields in
      switch fields["NSPropertyName"] {
      case nil where fields["NSEntityName"] != nil: fields["NSNewThing"] = .boolean(true)
      case nil: break
      default:
        fields["NSFlagsKey"] = .integer(32 + 4)
        fields["NSAlsoNew"] = .integer(1)
      }
    }
    let content = try ModelArchive.read(archive)
    #expect(
      content.unknown == [
        "Task: the key NSNewThing of NSEntityDescription is unknown; ignored",
        "Task.photo: the key NSAlsoNew of NSAttributeDescription is unknown; ignored",
        "Task.photo: the bits 32 of NSFlagsKey; ignored",
      ]
    )
    #expect(content.model.entities[0].attributes[0].allowsExternalStorage)
  }

  @Test func `gives an attribute marked as indexed an index of its own name`() throws {
    let task = Entity(name: "Task", attributes: [Attribute(name: "title", type: .string)])
    let archive = try changed(Model(entities: [task])) { fields in
      if fields["NSPropertyName"] != nil { fields["NSIsIndexed"] = .boolean(true) }
    }
    let expected = FetchIndex(name: "title", elements: [.init(property: "title")])
    #expect(try ModelArchive.read(archive).model.entities[0].fetchIndexes == [expected])
  }

  @Test func `reads an index on the entity of the objects, as libraries of Photos have it`() throws
  {
    let index = FetchIndex(name: "byN", elements: [.init(property: "n")])
    let task = Entity(
      name: "Task",
      attributes: [Attribute(name: "n", type: .integer16)],
      fetchIndexes: [index]
    )
    let written = try PropertyList(binary: ModelArchive.write(Model(entities: [task])))
    var archive = try #require(written.dictionary)
    var objects = try #require(archive["$objects"]?.array)
    func add(_ name: String, _ fields: [String: PropertyList]) -> PropertyList {
      objects.append(.dictionary(["$classname": .string(name)]))
      let owner = PropertyList.uid(objects.count - 1)
      objects.append(.dictionary(fields.merging(["$class": owner]) { $1 }))
      return .uid(objects.count - 1)
    }
    let path = add(
      "NSKeyPathSpecifierExpression",
      ["NSExpressionType": .integer(10), "NSKeyPath": .string("entity")]
    )
    let expression = add(
      "NSKeyPathExpression",
      [
        "NSExpressionType": .integer(3), "NSSelectorName": .string("valueForKey:"),
        "NSOperand": add("NSSelfExpression", ["NSExpressionType": .integer(1)]),
        "NSArguments": add("NSArray", ["NS.objects": .array([path])]),
      ]
    )
    let described = add(
      "NSExpressionDescription",
      [
        "_P": .integer(1), "NSIsOptional": .boolean(true), "NSIsReadOnly": .boolean(false),
        "NSEntity": .uid(0), "NSPropertyName": .string("entity"), "NSExpression": expression,
        "NSRenamingIdentifier": .string("entity"), "NSExpressionType": .integer(0),
      ]
    )
    archive["$objects"] = .array(
      objects.map { object in
        guard var fields = object.dictionary, fields["NSFetchIndexElementType"] != nil else {
          return object
        }
        fields["NSIndexedProperty"] = described
        fields["NSPropertyName"] = nil
        return .dictionary(fields)
      }
    )
    let content = try ModelArchive.read(PropertyList.dictionary(archive).binary())
    #expect(content.unknown == [])
    let found = content.model.entities[0].fetchIndexes
    #expect(found == [FetchIndex(name: "byN", elements: [.init(property: "entity")])])
  }

  @Test func `what it does not understand takes nothing from the rest of the model`() throws {
    let task = Entity(
      name: "Task",
      attributes: [Attribute(name: "n", type: .integer16)],
      relationships: [Relationship(name: "next", destination: "Task")],
      fetchIndexes: [FetchIndex(name: "byN", elements: [.init(property: "n")])],
      userInfo: ["key": "text"]
    )
    let written = try PropertyList(binary: ModelArchive.write(Model(entities: [task])))
    var archive = try #require(written.dictionary)
    var objects = try #require(archive["$objects"]?.array)
    objects.append(.dictionary(["$classname": .string("NSLaterDescription")]))
    let later = PropertyList.uid(objects.count - 1)
    let userInfo = objects.compactMap { $0.dictionary?["NSUserInfo"] }.compactMap { value in
      if case .uid(let uid) = value, uid > 0 { uid } else { nil as Int? }
    }
    for index in objects.indices {
      guard var fields = objects[index].dictionary, fields["$class"] != nil else { continue }
      if fields["NSPropertyName"] != nil, fields["NSFetchIndexElementType"] == nil {
        fields["$class"] = later
      }
      // Let the index element refer to a class instead of a property.
      if fields["NSFetchIndexElementType"] != nil { fields["NSIndexedProperty"] = later }
      if userInfo.contains(index) { fields["NS.keys"] = .array([.integer(5)]) }
      objects[index] = .dictionary(fields)
    }
    archive["$objects"] = .array(objects)
    let content = try ModelArchive.read(PropertyList.dictionary(archive).binary())
    var known = task
    (known.fetchIndexes, known.userInfo) = ([], [:])
    #expect(content.model.entities == [known])
    #expect(
      content.unknown == [
        "Task.n: a property of class NSLaterDescription; read by the fields that are known",
        "Task.next: a property of class NSLaterDescription; read by the fields that are known",
        "Task: a fetch index; left out", "Task: the user info; left out",
      ]
    )
  }

  @Test func `a relationship without a destination is left out, and named`() throws {
    let list = Entity(
      name: "List",
      relationships: [
        Relationship(name: "tasks", destination: "Task", inverse: "list", isToMany: true)
      ]
    )
    let task = Entity(
      name: "Task",
      attributes: [Attribute(name: "title", type: .string)],
      relationships: [Relationship(name: "list", destination: "List", inverse: "tasks")]
    )
    let archive = try changed(Model(entities: [list, task])) { fields in
      guard fields["_NSDestinationEntityName"] != nil, fields["NSMaxCount"] == .integer(1) else {
        return
      }
      fields["_NSDestinationEntityName"] = nil
      fields["NSDestinationEntity"] = nil
    }
    let content = try ModelArchive.read(archive)
    #expect(
      content.unknown == ["Task.list: a relationship without a destination entity; left out"]
    )
    let entities = content.model.entities
    #expect(entities.map(\.unreadProperties) == [[], ["list"]])
    #expect(entities[1].relationships.isEmpty && entities[1].attributes == task.attributes)
    #expect(entities[0].relationships.map(\.name) == ["tasks"])
    #expect(content.model.isValid)
  }

  @Test func `a property of an unknown class without known fields is named as unread`() throws {
    let task = Entity(name: "Task", attributes: [Attribute(name: "title", type: .string)])
    let written = try PropertyList(binary: ModelArchive.write(Model(entities: [task])))
    var archive = try #require(written.dictionary)
    archive["$objects"] = .array(
      try #require(archive["$objects"]?.array).map { object in
        guard var fields = object.dictionary else { return object }
        fields["NSAttributeType"] = nil
        if fields["$classname"] == .string("NSAttributeDescription") {
          fields["$classname"] = .string("NSLaterDescription")
        }
        return .dictionary(fields)
      }
    )
    let content = try ModelArchive.read(PropertyList.dictionary(archive).binary())
    #expect(content.model.entities.map(\.unreadProperties) == [["title"]])
    #expect(content.unknown == ["Task.title: a property of class NSLaterDescription; left out"])
  }

  @Test func `refuses an archive of something else`() {
    let bytes = PropertyList.dictionary(["a": .integer(1)]).binary()
    #expect(throws: Refusal.damagedArchive(reason: "it is not a keyed archive")) {
      try ModelArchive.read(bytes)
    }
  }

  @Test func `survives every changed reference and class`() throws {
    let task = Entity(
      name: "Task",
      attributes: [Attribute(name: "n", type: .integer16, minimum: .integer(0))],
      relationships: [Relationship(name: "next", destination: "Task", inverse: "next")],
      fetchIndexes: [FetchIndex(name: "byN", elements: [.init(property: "n")])],
      uniquenessConstraints: [["n"]]
    )
    let bytes = ModelArchive.write(Model(entities: [task], configurations: ["a": ["Task"]]))
    for index in stride(from: 0, to: bytes.count, by: 3) {
      for value in [bytes[index] &+ 1, bytes[index] ^ 0x80, 0] {
        var damaged = bytes
        damaged[index] = value
        _ = try? ModelArchive.read(damaged)
      }
    }
  }

  /// Returns a model's archive in which every object has been changed.
  private func changed(
    _ model: Model,
    _ change: (inout [String: PropertyList]) -> Void
  ) throws -> [UInt8] {
    var archive = try #require(PropertyList(binary: ModelArchive.write(model)).dictionary)
    let objects = try #require(archive["$objects"]?.array)
    archive["$objects"] = .array(
      objects.map { object in
        guard var fields = object.dictionary, fields["$class"] != nil else { return object }
        change(&fields)
        return .dictionary(fields)
      }
    )
    return PropertyList.dictionary(archive).binary()
  }
}
