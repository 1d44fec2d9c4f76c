import DataModel
import Testing

@Suite struct ModelWriterTests {
  /// A model that has something of everything.
  private static let model = Model(
    entities: [
      Entity(
        name: "Place",
        className: "App.PlaceMO",
        isAbstract: true,
        attributes: [
          Attribute(name: "yes", type: .boolean, defaultValue: .integer(0)),
          Attribute(name: "latitude", type: .double, defaultValue: .real(-0.1), maximum: .real(90)),
          Attribute(name: "longitude", type: .float, defaultValue: .real(1e-5)),
          Attribute(
            name: "title",
            type: .string,
            isOptional: false,
            defaultValue: .text("caf\u{e9} \"\\\n\t\u{1F600}\u{7}: # {x}"),
            minimum: .integer(1),
            maximum: .integer(80),
            pattern: "^[a-z]+$",
            userInfo: ["b": "2", "a key": ""]
          ),
          Attribute(name: "blob", type: .binary, defaultValue: .blob([0, 255]), minimum: .null),
          Attribute(
            name: "id",
            type: .uuid,
            defaultValue: .blob(Array(0..<16)),
            preservesValueOnDeletion: true
          ),
          Attribute(name: "opened", type: .date, defaultValue: .real(-1)),
          Attribute(
            name: "closed",
            type: .date,
            defaultValue: .real(0.25),
            versionHashModifier: "x"
          ),
          Attribute(name: "price", type: .decimal, defaultValue: .real(12.5)),
          Attribute(name: "link", type: .uri, defaultValue: .text("null")),
          Attribute(name: "tint", type: .transformable, transformerName: "ColorTransformer"),
          Attribute(name: "photo", type: .binary, allowsExternalStorage: true),
          Attribute(name: "cached", type: .string, isTransient: true),
          Attribute(name: "visitCount", type: .integer64, derivation: "visits.@count"),
          Attribute(
            name: "shape",
            type: .composite,
            isTransient: true,
            elements: [
              Attribute(name: "width", type: .double, isOptional: false),
              Attribute(name: "height", type: .double),
            ]
          ),
        ],
        relationships: [
          Relationship(
            name: "visits",
            destination: "Visit",
            inverse: "place",
            isToMany: true,
            isOrdered: true,
            minimumCount: 1,
            maximumCount: 9,
            deleteRule: .cascade,
            renamingIdentifier: "calls",
            versionHashModifier: "2",
            userInfo: ["k": "v"]
          )
        ],
        fetchIndexes: [
          FetchIndex(
            name: "byPlace",
            elements: [
              .init(property: "latitude", kind: .rTree), .init(property: "longitude", kind: .rTree),
            ]
          ),
          FetchIndex(
            name: "byTitle",
            elements: [.init(property: "title", isAscending: false), .init(property: "entity")],
            partialPredicate: "title != nil"
          ),
        ],
        uniquenessConstraints: [["id"], ["title", "opened"]],
        renamingIdentifier: "Spot",
        versionHashModifier: "a b",
        userInfo: ["x": "y"]
      ),
      Entity(name: "Cafe", superentity: "Place"),
      Entity(
        name: "Visit",
        relationships: [
          Relationship(name: "place", destination: "Place", inverse: "visits", isOptional: false)
        ]
      ),
    ],
    versionIdentifiers: ["1.0", "beta"],
    configurations: ["local": ["Cafe", "Place"], "remote": ["Visit"]]
  )

  @Test func `writes everything of a model, and reads it back equal`() throws {
    let text = ModelWriter.text(of: ModelWriterTests.model)
    let read = try ModelFile.parse(text, file: "m.yaml").model
    #expect(read == ModelWriterTests.model)
    #expect(ModelWriter.text(of: read) == text)
  }

  @Test func `leaves out what has its default`() {
    let entity = Entity(
      name: "Task",
      attributes: [Attribute(name: "title", type: .string)],
      relationships: [
        Relationship(name: "list", destination: "List", inverse: "tasks", deleteRule: .deny)
      ],
      fetchIndexes: [
        FetchIndex(
          name: "byTitle",
          elements: [.init(property: "title", isAscending: false)]
        )
      ],
      uniquenessConstraints: [["title"]]
    )
    #expect(
      ModelWriter.text(of: Model(entities: [entity])) == """
        entities:
          Task:
            attributes:
              title: string
            relationships:
              list: { to: List, inverse: tasks, delete: deny }
            unique: [[title]]
            indexes:
              byTitle: [-title]

        """
    )
  }

  @Test(arguments: [
    ("2001-01-01T00:00:00Z", 0), ("2001-01-01", 0), ("2000-12-31T23:59:59Z", -1),
    ("1970-01-01T00:00:00Z", -978_307_200), ("2026-04-01T12:30:00Z", 796_739_400),
    ("0000-01-01T00:00:00Z", -63_145_526_400), ("9999-12-31T23:59:59Z", 252_423_993_599),
    ("2024-02-29T00:00:00Z", 730_857_600),
  ])
  func `counts the seconds of a date from 2001`(text: String, seconds: Int64) {
    #expect(ReferenceDate.seconds(iso8601: text) == seconds)
    let written = ReferenceDate.iso8601(seconds: seconds)
    #expect(written?.prefix(text.count) == text[...])
  }

  @Test(arguments: [
    "2023-02-29T00:00:00Z", "2026-13-01", "2026-00-01", "2026-04-01T24:00:00Z", "2026-04-31",
    "26-04-01", "2026-04-01T12:00:00", "2026-04-01 12:00:00Z", "",
  ])
  func `refuses what is no date`(text: String) {
    #expect(ReferenceDate.seconds(iso8601: text) == nil)
  }
}
