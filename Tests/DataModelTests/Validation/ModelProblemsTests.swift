import DataModel
import Testing

/// A model with one fault, and the messages for it.
struct FaultyModel: Sendable {
  let entities: [Entity]
  let expected: [String]

  init(_ entities: Entity..., expecting expected: String...) {
    self.entities = entities
    self.expected = expected
  }

  /// A model of one entity with one attribute.
  init(_ attribute: Attribute, expecting expected: String...) {
    entities = [Entity(name: "A", attributes: [attribute])]
    self.expected = expected
  }

  /// A model of two entities with one relationship each.
  init(_ first: Relationship, _ second: Relationship, expecting expected: String...) {
    entities = [
      Entity(name: "A", relationships: [first]), Entity(name: "B", relationships: [second]),
    ]
    self.expected = expected
  }
}

private let title = Attribute(name: "title", type: .string)

private func toB(
  inverse: String? = "a",
  many: Bool = false,
  ordered: Bool = false,
  rule: DeleteRule = .nullify,
  optional: Bool = true,
  minimum: Int = 0,
  maximum: Int? = nil
) -> Relationship {
  Relationship(
    name: "b",
    destination: "B",
    inverse: inverse,
    isToMany: many,
    isOrdered: ordered,
    isOptional: optional,
    minimumCount: minimum,
    maximumCount: maximum,
    deleteRule: rule
  )
}

private func toA(inverse: String? = "b", many: Bool = false, rule: DeleteRule = .nullify)
  -> Relationship
{
  Relationship(name: "a", destination: "A", inverse: inverse, isToMany: many, deleteRule: rule)
}

@Suite struct ModelProblemsTests {
  @Test(arguments: [
    FaultyModel(
      Attribute(name: "x", type: .integer16, defaultValue: .integer(40_000)),
      expecting: "A.x: the default 40000 is not of type integer16"
    ),
    FaultyModel(
      Attribute(name: "x", type: .boolean, defaultValue: .integer(2)),
      expecting: "A.x: the default 2 is not of type boolean"
    ),
    FaultyModel(
      Attribute(name: "x", type: .date, defaultValue: .text("now")),
      expecting: "A.x: the default 'now' is not of type date"
    ),
    FaultyModel(
      Attribute(name: "x", type: .uuid, defaultValue: .blob([1])),
      expecting: "A.x: the default of 1 bytes is not of type uuid"
    ),
    FaultyModel(
      Attribute(name: "x", type: .string, allowsExternalStorage: true),
      expecting: "A.x: external storage is for binary attributes, not for string"
    ),
    FaultyModel(
      Attribute(name: "x", type: .composite),
      expecting: "A.x: it is not known how a store keeps an attribute of type composite"
    ),
    FaultyModel(
      Attribute(name: "x", type: .integer32, minimum: .integer(5), maximum: .integer(4)),
      expecting: "A.x: the minimum is above the maximum"
    ),
    FaultyModel(
      Attribute(name: "x", type: .binary, maximum: .integer(4)),
      expecting: "A.x: the maximum 4 does not fit the type binary"
    ),
    FaultyModel(
      Attribute(name: "x", type: .string, transformerName: "T"),
      expecting: "A.x: a transformer has no effect on an attribute of type string"
    ),
    FaultyModel(
      Attribute(name: "x", type: .date, pattern: "."),
      expecting: "A.x: a pattern is for string attributes, not for date"
    ),
    FaultyModel(
      Attribute(name: "x) ; DROP", type: .date),
      expecting:
        "A.x) ; DROP: the name 'x) ; DROP' must have letters, digits and underscores only, "
        + "and no digit at its start"
    ),
    FaultyModel(Attribute(name: "", type: .date), expecting: "A.: the name '' is empty"),
    FaultyModel(
      Attribute(name: "_pk", type: .date),
      expecting: "A._pk: the name '_pk' would be a column that the store itself uses"
    ),
    FaultyModel(
      Attribute(name: "_5tags", type: .date),
      expecting: "A._5tags: the name '_5tags' would be a column that the store itself uses"
    ),
    FaultyModel(
      Attribute(name: "description", type: .string),
      expecting: "A.description: the name 'description' is a method of every managed object"
    ),
  ])
  func `says what is wrong with an attribute`(model: FaultyModel) {
    #expect(Model(entities: model.entities).problems().map(\.description) == model.expected)
  }

  @Test(arguments: [
    FaultyModel(
      Entity(name: "Task"),
      Entity(name: "TASK"),
      expecting:
        "Task: the entity's name differs from 'TASK' only in case, so SQLite uses the same table "
        + "for both: rename one of them"
    ),
    FaultyModel(Entity(name: "A"), Entity(name: "A"), expecting: "A: the entity occurs twice"),
    FaultyModel(
      Entity(name: "_Metadata"),
      expecting:
        "_Metadata: the name '_Metadata' is the name of a system table of stores: choose another"
    ),
    FaultyModel(
      Entity(name: "A", superentity: "Bas"),
      Entity(name: "Base"),
      expecting: "A: the super-entity 'Bas' does not exist; did you mean 'Base'?"
    ),
    FaultyModel(
      Entity(name: "A", superentity: "B"),
      Entity(name: "B", superentity: "A"),
      expecting: "A: the super-entities form a circle",
      "B: the super-entities form a circle"
    ),
    FaultyModel(
      Entity(name: "A", attributes: [title]),
      Entity(name: "B", superentity: "A", attributes: [title]),
      expecting: "B.title: the name is also 'title' of 'A'"
    ),
    FaultyModel(
      Entity(
        name: "A",
        attributes: [title],
        uniquenessConstraints: [["titel"], [], ["title", "title"]]
      ),
      expecting: "A: the unique constraint [titel] names 'titel', which is not a stored attribute "
        + "or to-one relationship; did you mean 'title'?",
      "A: the unique constraint [] is empty",
      "A: the unique constraint [title, title] names 'title' twice"
    ),
    FaultyModel(
      Entity(
        name: "A",
        attributes: [title],
        fetchIndexes: [
          FetchIndex(name: "byTitle", elements: [.init(property: "title")]),
          FetchIndex(name: "bytitle", elements: [.init(property: "title", kind: .rTree)]),
        ]
      ),
      expecting: "A.bytitle: another index has the same name",
      "A.bytitle: an R-tree contains numbers, but 'title' is string"
    ),
    FaultyModel(
      Entity(
        name: "A",
        attributes: [
          Attribute(name: "a", type: .date, renamingIdentifier: "z"),
          Attribute(name: "b", type: .date, renamingIdentifier: "z"),
        ]
      ),
      expecting: "A.b: another property has the renaming identifier 'z' too"
    ),
  ])
  func `says what is wrong with an entity`(model: FaultyModel) {
    #expect(Model(entities: model.entities).problems().map(\.description) == model.expected)
  }

  @Test(arguments: [
    FaultyModel(
      toB(inverse: "c"),
      toA(inverse: nil),
      expecting: "A.b: 'B' has no relationship 'c'",
      "B.a: the relationship should have an inverse"
    ),
    FaultyModel(
      toB(),
      toA(inverse: nil),
      expecting: "A.b: its inverse 'B.a' has no inverse",
      "B.a: the relationship should have an inverse"
    ),
    FaultyModel(
      toB(ordered: true),
      toA(),
      expecting: "A.b: only a to-many relationship can be ordered"
    ),
    FaultyModel(
      toB(maximum: 3),
      toA(),
      expecting: "A.b: a maximum of 3 does not fit a to-one relationship"
    ),
    FaultyModel(
      toB(many: true, minimum: 3, maximum: 2),
      toA(),
      expecting: "A.b: the minimum of 3 is above the maximum of 2"
    ),
    FaultyModel(
      toB(rule: .noAction),
      toA(),
      expecting:
        "A.b: the delete rule noAction can leave references to deleted objects"
    ),
    FaultyModel(
      toB(rule: .deny),
      toA(rule: .deny),
      expecting:
        "A.b: it and its inverse 'B.a' both have the delete rule deny: neither object can be "
        + "deleted first",
      "B.a: it and its inverse 'A.b' both have the delete rule deny: neither object can be deleted "
        + "first"
    ),
    FaultyModel(
      toB(many: true, rule: .cascade),
      toA(rule: .cascade),
      expecting:
        "A.b: it and its inverse 'B.a' both have the delete rule cascade: one deletion deletes all "
        + "connected objects",
      "B.a: it and its inverse 'A.b' both have the delete rule cascade: one deletion deletes all "
        + "connected objects"
    ),
    FaultyModel(
      toB(optional: false),
      toA(),
      expecting: "B.a: its delete rule nullifies 'A.b', which is not optional: a deletion would "
        + "fail validation"
    ),
  ])
  func `says what is wrong with a relationship`(model: FaultyModel) {
    #expect(Model(entities: model.entities).problems().map(\.description) == model.expected)
  }

  @Test func `tells warnings from errors`() {
    let alone = Model(entities: [
      Entity(name: "A", relationships: [Relationship(name: "b", destination: "A")])
    ])
    #expect(alone.problems().map(\.severity) == [.warning])
    #expect(alone.isValid)
    #expect(Model(entities: []).isValid)
    #expect(Model(entities: []).problems().map(\.description) == ["the model has no entities"])
  }

  @Test func `a changed value has an end for bounds that no value can meet`() {
    func changed(_ type: AttributeType, _ minimum: Value, _ maximum: Value) -> Value {
      Attribute(name: "a", type: type, minimum: minimum, maximum: maximum).changed(1)
    }
    #expect(changed(.string, .null, .integer(-1)) == .text(""))
    #expect(changed(.string, .real(1e300), .integer(3)) == .text("cha"))
    #expect(changed(.integer64, .integer(.min), .integer(0)) == .integer(.min))
    #expect(changed(.integer64, .integer(3), .integer(4)) == .integer(4))
  }

  @Test func `accepts a relationship inherited by both sides`() {
    let model = Model(entities: [
      Entity(
        name: "Node",
        relationships: [
          Relationship(name: "parent", destination: "Node", inverse: "children"),
          Relationship(name: "children", destination: "Node", inverse: "parent", isToMany: true),
        ]
      ),
      Entity(name: "Leaf", superentity: "Node"),
    ])
    #expect(model.problems() == [])
  }

  @Test func `ends on a circle of ten thousand super-entities`() {
    let entities = (0..<10_000).map { Entity(name: "E\($0)", superentity: "E\(($0 + 1) % 10_000)") }
    #expect(
      Model(entities: entities).problems().map(\.message) == [
        "the model has more than 2000 entities"
      ]
    )
  }
}
