import DataModel

/// A model with every feature that models have.
let everythingModel = Model(
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
        Attribute(name: "closed", type: .date, defaultValue: .real(0.25), versionHashModifier: "x"),
        Attribute(name: "price", type: .decimal, defaultValue: .real(12.5)),
        Attribute(name: "link", type: .uri, defaultValue: .text("null")),
        Attribute(
          name: "tint",
          type: .transformable,
          transformerName: "ColorTransformer",
          valueClassName: "UIColor"
        ),
        Attribute(name: "photo", type: .binary, allowsExternalStorage: true),
        Attribute(name: "cached", type: .string, isTransient: true, isIndexedBySpotlight: true),
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
  versionIdentifiers: ["beta", "1.0"],
  configurations: ["local": ["Cafe", "Place"], "remote": ["Visit"]]
)
