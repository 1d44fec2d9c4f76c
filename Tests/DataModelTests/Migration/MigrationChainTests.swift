import DataModel
import Testing

/// Tests chains of versions whose result differs from that of one direct step.
struct MigrationChainTests {
  private static func note(_ attributes: Attribute...) -> Model {
    Model(entities: [Entity(name: "Note", attributes: attributes)])
  }

  private static let title = Attribute(name: "title", type: .string)

  private static func stars(_ value: Int64) -> Attribute {
    Attribute(name: "stars", type: .integer16, isOptional: false, defaultValue: .integer(value))
  }

  @Test func `what is removed and added again is empty by the chain`() throws {
    let both = Self.note(Self.title, Attribute(name: "body", type: .string))
    let chain = MigrationChain([both, Self.note(Self.title), both])
    #expect(
      chain.differences.map(\.description) == [
        "Note.body: the chain leaves it empty, the direct step keeps the values of 'body'"
      ]
    )
    let mapping = try #require(chain.asOneStep?.mapping(to: "Note"))
    #expect(mapping.attributes.map { $0.source?.name } == [nil, "title"])
  }

  @Test func `a default that changes on the way stays in what the chain made before`() throws {
    let chain = MigrationChain([
      Self.note(Self.title), Self.note(Self.title, Self.stars(1)),
      Self.note(Self.title, Self.stars(2)),
    ])
    #expect(
      chain.differences.map(\.description) == [
        "Note.stars: the chain sets 1, the direct step sets 2"
      ]
    )
    let stars = try #require(chain.asOneStep?.mapping(to: "Note")?.attributes.first)
    #expect(stars.source == nil)
    #expect(stars.destination.defaultValue == .integer(1))
  }

  @Test func `what was required on the way has no missing value after it`() throws {
    let optional = Attribute(name: "stars", type: .integer16)
    let chain = MigrationChain([Self.note(optional), Self.note(Self.stars(3)), Self.note(optional)])
    #expect(
      chain.differences.map(\.chain) == [
        "keeps the values of 'stars', and sets 3 where a value is missing"
      ]
    )
    let stars = try #require(chain.asOneStep?.mapping(to: "Note")?.attributes.first)
    #expect(stars.isMadeRequired)
    #expect(stars.destination.defaultValue == .integer(3))
  }

  @Test func `an entity that is removed and added again has no objects by the chain`() throws {
    let both = Model(entities: [Entity(name: "A"), Entity(name: "B")])
    let chain = MigrationChain([both, Model(entities: [Entity(name: "A")]), both])
    #expect(
      chain.differences.map(\.description) == [
        "B: the chain leaves no objects, the direct step keeps those of B"
      ]
    )
    #expect(chain.asOneStep?.mapping(to: "B")?.source == nil)
    #expect(chain.asOneStep?.mapping(to: "A")?.source == "A")
  }

  @Test func `an abstract entity has no objects that one of the ways keeps`() {
    let chain = MigrationChain([
      Model(entities: [Entity(name: "A", isAbstract: true)]), Model(entities: []),
      Model(entities: [Entity(name: "A")]),
    ])
    #expect(chain.differences.isEmpty)
    #expect(chain.isEitherPermitted)
  }

  @Test func `relationships are followed as attributes are`() throws {
    func model(_ hasTags: Bool) -> Model {
      Model(entities: [
        Entity(
          name: "Note",
          relationships: hasTags
            ? [Relationship(name: "tags", destination: "Tag", inverse: "notes", isToMany: true)]
            : []
        ),
        Entity(
          name: "Tag",
          relationships: hasTags
            ? [Relationship(name: "notes", destination: "Note", inverse: "tags", isToMany: true)]
            : []
        ),
      ])
    }
    let chain = MigrationChain([model(true), model(false), model(true)])
    #expect(chain.differences.map(\.place) == ["Note.tags", "Tag.notes"])
    #expect(chain.asOneStep?.mapping(to: "Note")?.relationships.first?.source == nil)
  }

  @Test func `a chain that ends where the direct step does is the direct step`() {
    let chain = MigrationChain([Self.note(), Self.note(Self.title), Self.note(Self.title)])
    #expect(chain.differences.isEmpty)
    #expect(chain.asOneStep == chain.direct)
  }

  @Test func `a property that sub-entities come by in two ways has no one step`() {
    func model(_ first: Bool, _ second: Bool) -> Model {
      let body = Attribute(name: "body", type: .string)
      return Model(entities: [
        Entity(name: "Base", isAbstract: true, attributes: first && second ? [body] : []),
        Entity(name: "A", superentity: "Base", attributes: first && !second ? [body] : []),
        Entity(name: "B", superentity: "Base"),
      ])
    }
    let chain = MigrationChain([model(true, true), model(true, false), model(true, true)])
    #expect(chain.differences.map(\.place) == ["B.body"])
    #expect(chain.asOneStep == nil)
  }

  @Test func `only a plan of lightweight stages is at risk, and the direct step decides how`()
    throws
  {
    func versions(_ models: Model...) -> [VersionedSchema] {
      models.enumerated().map { VersionedSchema(name: "v\($0 + 1)", model: $1) }
    }
    let text = Attribute(name: "stars", type: .string)
    let risk = try #require(
      StagePlanRisk(versions(Self.note(text), Self.note(Self.title), Self.note(Self.stars(1))))
    )
    #expect(!risk.isInferredDirectly)
    #expect(
      risk.description.hasSuffix(
        "Here the direct step cannot be inferred, so expect the same failure"
      )
    )
    let harmless = versions(Self.note(), Self.note(Self.title), Self.note(Self.title))
    #expect(StagePlanRisk(harmless)?.isInferredDirectly == true)
    #expect(StagePlanRisk(versions(Self.note(text), Self.note(Self.stars(1)), Self.note())) == nil)
    #expect(StagePlanRisk(versions(Self.note(), Self.note(Self.title))) == nil)
  }
}

/// Tests attributes that move between an entity and its super-entity.
struct MovedPropertyTests {
  private static let title = Attribute(name: "title", type: .string, isOptional: false)

  private static func model(base: Attribute?, note: Attribute?) -> Model {
    Model(entities: [
      Entity(name: "Base", isAbstract: true, attributes: base.map { [$0] } ?? []),
      Entity(name: "Note", superentity: "Base", attributes: note.map { [$0] } ?? []),
    ])
  }

  @Test func `may move up or down, required or not`() {
    let (below, above) = (
      Self.model(base: nil, note: Self.title), Self.model(base: Self.title, note: nil)
    )
    for (old, new) in [(below, above), (above, below)] {
      let mapping = MappingModel(from: old, to: new)
      #expect(mapping.obstacles == [])
      #expect(mapping.mapping(to: "Note")?.attributes.map { $0.source?.name } == ["title"])
    }
  }

  @Test func `are held to the same rules under a new super-entity`() {
    let old = Model(entities: [Entity(name: "Note")])
    #expect(
      MappingModel(from: old, to: Self.model(base: Self.title, note: nil)).obstacles == [
        .requiredWithoutDefault(entity: "Base", attribute: "title")
      ]
    )
  }
}
