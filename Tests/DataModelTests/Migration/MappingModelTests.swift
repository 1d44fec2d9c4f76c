import DataModel
import Testing

@Suite struct `A mapping model` {
  private func model(_ entities: Entity...) -> Model { Model(entities: entities) }

  private func task(
    _ attributes: [Attribute] = [],
    _ relationships: [Relationship] = [],
    unique: [[String]] = [],
    renamed: String? = nil,
    name: String = "Task"
  ) -> Entity {
    Entity(
      name: name,
      attributes: attributes,
      relationships: relationships,
      uniquenessConstraints: unique,
      renamingIdentifier: renamed
    )
  }

  @Test func `finds nothing to do between equal models`() {
    let model = model(task([Attribute(name: "title", type: .string)]))
    let mapping = MappingModel(from: model, to: model)
    #expect(mapping.changes.isEmpty)
    #expect(mapping.isLightweight)
    #expect(mapping.addedConstraints.isEmpty)
  }

  @Test func `advises a version between, because code cannot replace a lightweight migration`() {
    let old = model(task([Attribute(name: "title", type: .string)]))
    let new = model(
      task([
        Attribute(name: "title", type: .date),
        Attribute(name: "code", type: .string, isOptional: false),
      ])
    )
    let obstacles = MappingModel(from: old, to: new).obstacles
    #expect(
      obstacles.filter(\.isBridged).map(\.description) == [
        "Task: 'title' cannot be converted from string to date automatically; add a version "
          + "between that has both properties and a stage that fills the new one, or use a mapping "
          + "model"
      ]
    )
    #expect(
      obstacles.filter(\.lacksOnlyDefault).map(\.description) == [
        "Task: 'code' is required and has no default value, which a lightweight migration needs; "
          + "give it a default or make it optional; then lightweight is enough"
      ]
    )
  }

  @Test func `pairs by renaming identifiers and lists what is added, dropped and renamed`() {
    let old = model(
      task(
        [
          Attribute(name: "details", type: .string),
          Attribute(name: "progress", type: .double),
        ]),
      Entity(name: "Draft")
    )
    let new = model(
      task(
        [
          Attribute(name: "summary", type: .string, renamingIdentifier: "details"),
          Attribute(
            name: "priority",
            type: .integer16,
            isOptional: false,
            defaultValue: .integer(1)
          ),
        ],
        unique: [["summary"]],
        renamed: "Task",
        name: "Todo"
      )
    )
    let mapping = MappingModel(from: old, to: new)
    #expect(
      mapping.changes.map(\.description) == [
        "entity 'Task' becomes 'Todo'",
        "Todo: required attribute 'priority' is new, integer16, with a default",
        "Todo: attribute 'details' becomes 'summary'",
        "Todo: attribute 'progress' goes",
        "Todo: summary becomes unique",
        "entity 'Draft' goes, with its objects",
      ]
    )
    #expect(mapping.isLightweight)
    #expect(mapping.removedEntities == ["Draft"])
    #expect(mapping.mapping(from: "Task")?.destination == "Todo")
    #expect(mapping.addedConstraints.map(\.entity) == ["Todo"])
  }

  @Test func `says what happens to types, optionality, defaults and delete rules`() {
    let old = model(
      task(
        [
          Attribute(name: "a", type: .integer16),
          Attribute(name: "b", type: .string, isOptional: false, defaultValue: .text("x")),
          Attribute(name: "c", type: .binary),
        ],
        [Relationship(name: "next", destination: "Task", deleteRule: .nullify)]
      )
    )
    let new = model(
      task(
        [
          Attribute(name: "a", type: .integer64),
          Attribute(name: "b", type: .string, defaultValue: .text("y")),
          Attribute(name: "c", type: .binary, allowsExternalStorage: true),
        ],
        [Relationship(name: "next", destination: "Task", deleteRule: .cascade)]
      )
    )
    let mapping = MappingModel(from: old, to: new)
    #expect(
      mapping.changes.map(\.description) == [
        "Task: 'a' is integer64, not integer16",
        "Task: 'b' becomes optional",
        "Task: 'b' has a different default for new objects",
        "Task: 'c' may be kept in external storage",
        "Task: the delete rule of 'next' is cascade, not nullify",
      ]
    )
    #expect(mapping.isLightweight)
  }

  @Test func `follows a constraint through a rename and sees one that goes`() {
    let old = model(task([Attribute(name: "key", type: .uuid)], unique: [["key"]]))
    let new = model(
      task([Attribute(name: "id", type: .uuid, renamingIdentifier: "key")], unique: [["id"]])
    )
    #expect(MappingModel(from: old, to: new).addedConstraints.isEmpty)
    let without = model(task([Attribute(name: "key", type: .uuid)]))
    #expect(
      MappingModel(from: old, to: without).changes
        == [.other("Task: key no longer needs to be unique")]
    )
  }

  @Test func `names every obstacle to a lightweight migration at once`() {
    let old = model(
      task(
        [
          Attribute(name: "a", type: .string),
          Attribute(name: "b", type: .string),
          Attribute(name: "c", type: .binary, allowsExternalStorage: true),
        ],
        [
          Relationship(name: "many", destination: "Task", isToMany: true),
          Relationship(name: "other", destination: "Task"),
        ]
      ),
      Entity(name: "Other")
    )
    let new = model(
      task(
        [
          Attribute(name: "a", type: .date),
          Attribute(name: "b", type: .string, isOptional: false),
          Attribute(name: "c", type: .binary),
          Attribute(name: "d", type: .uuid, isOptional: false),
        ],
        [
          Relationship(name: "many", destination: "Task"),
          Relationship(name: "new", destination: "Task", isOptional: false),
          Relationship(name: "other", destination: "Other"),
        ]
      ),
      Entity(name: "Other")
    )
    #expect(
      MappingModel(from: old, to: new).obstacles == [
        .retyped(entity: "Task", attribute: "a", from: .string, to: .date),
        .requiredWithoutDefault(entity: "Task", attribute: "b"),
        .externalStorageGivenUp(entity: "Task", attribute: "c"),
        .requiredWithoutDefault(entity: "Task", attribute: "d"),
        .toManyMadeToOne(entity: "Task", relationship: "many"),
        .retargeted(entity: "Task", relationship: "other", from: "Task", to: "Other"),
      ]
    )
  }

  @Test func `refuses to merge hierarchies and to follow two claims of one former name`() {
    let old = model(
      Entity(name: "A"),
      Entity(name: "B"),
      Entity(name: "C", attributes: [Attribute(name: "x", type: .string)])
    )
    let new = model(
      Entity(name: "A", superentity: "Top"),
      Entity(name: "B", superentity: "Top"),
      Entity(
        name: "C",
        attributes: [
          Attribute(name: "y", type: .string, renamingIdentifier: "x"),
          Attribute(name: "z", type: .string, renamingIdentifier: "x"),
        ]
      ),
      Entity(name: "Top", isAbstract: true)
    )
    #expect(
      MappingModel(from: old, to: new).obstacles == [
        .ambiguous(place: "C", former: "x", successors: ["y", "z"]),
        .hierarchiesMerged(into: "Top", roots: ["A", "B"]),
      ]
    )
  }

  @Test(arguments: [
    (AttributeType.integer16, AttributeType.integer64, true), (.integer64, .integer32, false),
    (.float, .double, true), (.double, .float, false), (.boolean, .integer16, false),
    (.string, .uri, false), (.date, .date, true),
  ])
  func `lets types only widen`(from: AttributeType, to: AttributeType, widens: Bool) {
    #expect(from.widens(to: to) == widens)
  }

  @Test(arguments: [("default", 0, true), ("default", 1, false), ("other", 0, false)])
  func `a new required array of SwiftData begins empty, unless it has a minimum`(
    configuration: String,
    minimum: Int,
    isAllowed: Bool
  ) {
    let photos = Relationship(
      name: "photos",
      destination: "Photo",
      isToMany: true,
      isOptional: false,
      minimumCount: minimum
    )
    func version(_ relationships: [Relationship]) -> Model {
      Model(
        entities: [Entity(name: "Note", relationships: relationships), Entity(name: "Photo")],
        configurations: [configuration: ["Note", "Photo"]]
      )
    }
    let mapping = MappingModel(from: version([]), to: version([photos]))
    #expect(mapping.gaps.isEmpty == isAllowed)
  }

  @Test func `says that code computes the default of a new attribute`() {
    let id = Attribute(name: "id", type: .uuid, isOptional: false, computedDefault: "UUID()")
    let mapping = MappingModel(
      from: Model(entities: [Entity(name: "A")]),
      to: Model(entities: [Entity(name: "A", attributes: [id])])
    )
    #expect(
      mapping.changes.map(\.description) == [
        "A: required attribute 'id' is new, uuid, with a default computed in code"
      ]
    )
  }
}
