import DataModel
import Foundation
import PersistentStore
import Runner

@testable import WorkloadKinds

/// A store with every kind of relationship and of blob, for tests of copies and merges.
enum LibraryFixture {
  /// Books as a sub-entity of publications, with ordered chapters, ordered many-to-many readers, a
  /// one-to-one cover, a favorite without an inverse, and scans in external storage.
  static let model = Model(
    entities: [
      Entity(
        name: "Publication",
        isAbstract: true,
        attributes: [
          Attribute(name: "code", type: .string), Attribute(name: "title", type: .string),
          Attribute(name: "price", type: .decimal),
        ],
        relationships: [
          Relationship(
            name: "readers",
            destination: "Reader",
            inverse: "publications",
            isToMany: true
          )
        ]
      ),
      Entity(
        name: "Book",
        superentity: "Publication",
        attributes: [Attribute(name: "scan", type: .binary, allowsExternalStorage: true)],
        relationships: [
          Relationship(
            name: "chapters",
            destination: "Chapter",
            inverse: "book",
            isToMany: true,
            isOrdered: true,
            deleteRule: .cascade
          ),
          Relationship(name: "cover", destination: "Cover", inverse: "book", deleteRule: .cascade),
        ]
      ),
      Entity(
        name: "Issue",
        superentity: "Publication",
        attributes: [Attribute(name: "number", type: .integer32)]
      ),
      Entity(
        name: "Chapter",
        attributes: [Attribute(name: "heading", type: .string)],
        relationships: [Relationship(name: "book", destination: "Book", inverse: "chapters")]
      ),
      Entity(
        name: "Cover",
        attributes: [Attribute(name: "colour", type: .string)],
        relationships: [Relationship(name: "book", destination: "Book", inverse: "cover")]
      ),
      Entity(
        name: "Reader",
        attributes: [
          Attribute(name: "name", type: .string), Attribute(name: "weight", type: .double),
          Attribute(name: "photo", type: .uuid),
        ],
        relationships: [
          Relationship(
            name: "publications",
            destination: "Publication",
            inverse: "readers",
            isToMany: true,
            isOrdered: true
          ),
          Relationship(name: "favourite", destination: "Publication"),
        ]
      ),
    ])

  /// Writes a model to the bench's folder; returns its path as a value for the parameter `to`.
  static func write(
    _ model: Model,
    in bench: KindBench<MigrationWorkload>
  ) throws -> ParameterValue {
    let path = bench.folder + "/next.yaml"
    try ModelWriter.text(of: model).write(toFile: path, atomically: true, encoding: .utf8)
    return .text(path)
  }

  /// The next model: an entity that sorts first is new; one attribute is renamed, one added, one
  /// removed; `coverInverse` names the relationship from a cover to its book.
  static func nextModel(isUnique: Bool, coverInverse: String = "book") -> Model {
    var entities = model.entities
    for index in entities.indices {
      switch entities[index].name {
      case "Publication":
        entities[index].attributes.removeAll { $0.name == "title" }
        entities[index].attributes.append(
          Attribute(name: "name", type: .string, renamingIdentifier: "title")
        )
        if isUnique { entities[index].uniquenessConstraints = [["code"]] }
      case "Reader":
        entities[index].attributes.removeAll { $0.name == "photo" }
        entities[index].attributes.append(
          Attribute(name: "rank", type: .integer16, isOptional: false, defaultValue: .integer(3))
        )
      case "Cover":
        entities[index].relationships = [
          Relationship(
            name: coverInverse,
            destination: "Book",
            inverse: "cover",
            renamingIdentifier: "book"
          )
        ]
      case "Book":
        entities[index].relationships.removeAll { $0.name == "cover" }
        entities[index].relationships.append(
          Relationship(
            name: "cover",
            destination: "Cover",
            inverse: coverInverse,
            deleteRule: .cascade
          )
        )
      default: continue
      }
    }
    entities.append(Entity(name: "Archive", attributes: [Attribute(name: "day", type: .date)]))
    return Model(entities: entities, versionIdentifiers: ["2"])
  }

  static func bench(keepsHistory: Bool = false) throws -> KindBench<MigrationWorkload> {
    try KindBench(model: model, keepsHistory: keepsHistory) { context in
      var publications: [ManagedObject] = []
      for index in 0..<14 {
        let object = try context.insert(index % 3 == 2 ? "Issue" : "Book")
        try object.setValue(.text("code \(index % 9)"), of: "code")
        try object.setValue(index == 4 ? .null : .text("„Titel“ \(index)\n\t\"x\""), of: "title")
        try object.setValue(
          index % 2 == 0 ? .integer(Int64(index)) : .real(0.1 * Double(index)),
          of: "price"
        )
        if index % 3 != 2 { try bind(object, index, context) }
        publications.append(object)
      }
      for index in 0..<6 { try read(index, publications, context) }
    }
  }

  private static func bind(
    _ book: ManagedObject,
    _ index: Int,
    _ context: ObjectContext
  ) throws {
    let sizes = [0, 1, 102_400, 102_401, 150_000]
    let size = sizes[index % sizes.count]
    try book.setValue(
      index == 9 ? .null : .blob((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ index) }),
      of: "scan"
    )
    for number in (0..<(index % 4)).reversed() {
      let chapter = try context.insert("Chapter")
      try chapter.setValue(.text("\(number) of \(index)"), of: "heading")
      try book.add(chapter, to: "chapters")
    }
    guard index % 2 == 0 else { return }
    let cover = try context.insert("Cover")
    try cover.setValue(.text("colour \(index)"), of: "colour")
    try cover.setTarget(book, of: "book")
  }

  private static func read(
    _ index: Int,
    _ publications: [ManagedObject],
    _ context: ObjectContext
  ) throws {
    let reader = try context.insert("Reader")
    try reader.setValue(.text("Reader \(index)"), of: "name")
    try reader.setValue(
      .real([0.1, -1.5e300, .leastNonzeroMagnitude, .infinity, 1, 2.5][index]),
      of: "weight"
    )
    for place in 0..<(index + 1) {
      try reader.add(publications[(index * 5 + place * 3) % 14], to: "publications")
    }
    if index != 2 { try reader.setTarget(publications[13 - index], of: "favourite") }
  }
}
