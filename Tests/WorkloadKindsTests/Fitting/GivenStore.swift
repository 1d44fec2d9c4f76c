import DataModel
import Foundation
import PersistentStore
import TestSupport

@testable import Runner
@testable import WorkloadKinds

/// A user's own store, and workload files that were written for another store.
struct GivenStore {
  /// A model of boxes, letters and stamps, with a blob in each letter, and drawers without
  /// relationships.
  static let model = Model(entities: [
    Entity(name: "Drawer", attributes: [Attribute(name: "label", type: .string)]),
    Entity(
      name: "Letter",
      attributes: [
        Attribute(name: "subject", type: .string, isOptional: true),
        Attribute(name: "scan", type: .binary, isOptional: true),
        Attribute(name: "words", type: .integer32, isOptional: true),
      ],
      relationships: [
        Relationship(name: "box", destination: "Box", inverse: "letters"),
        Relationship(
          name: "stamps",
          destination: "Stamp",
          inverse: "letter",
          isToMany: true,
          deleteRule: .cascade
        ),
      ]
    ),
    Entity(
      name: "Box",
      relationships: [
        Relationship(
          name: "letters",
          destination: "Letter",
          inverse: "box",
          isToMany: true,
          deleteRule: .cascade
        )
      ]
    ),
    Entity(
      name: "Stamp",
      relationships: [Relationship(name: "letter", destination: "Letter", inverse: "stamps")]
    ),
  ])

  let folder: TemporaryFolder
  let path: String

  /// Makes the store, by default with two boxes of three letters and one stamp on each letter.
  init(model: Model = Self.model, _ fill: (ObjectContext) throws -> Void = Self.fill) throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.file("mine"),
      withIntermediateDirectories: true
    )
    path = folder.file("mine/My Letters.sqlite")
    let store = try PersistentStore.create(at: path, model: model)
    let context = try ObjectContext(store: store)
    try fill(context)
    try context.save()
    try folder.write("", to: "recipes/.keep")
  }

  static func fill(_ context: ObjectContext) throws {
    for _ in 0..<2 {
      let box = try context.insert("Box")
      for number in 0..<3 {
        let letter = try context.insert("Letter")
        try letter.setValue(.text("Letter \(number)"), of: "subject")
        try letter.setTarget(box, of: "box")
        try context.insert("Stamp").setTarget(letter, of: "letter")
      }
    }
  }

  /// Plans workload files, given by name, on the store; with `model`, on a given model.
  func plan(
    _ files: [String: String],
    _ overrides: [String: String] = [:],
    model: ModelFamily? = nil
  ) throws -> Plan {
    let paths = try files.sorted { $0.key < $1.key }.map { name, text in
      try folder.write(text, to: name + ".yaml")
    }
    return try Plan(
      paths: paths,
      kinds: WorkloadCatalog.kinds,
      overrides: Overrides(
        store: path,
        model: model,
        parameters: overrides.sorted { $0.key < $1.key }.map { .init(name: $0.key, yaml: $0.value) }
      )
    )
  }

  /// The problems of files that cannot be planned, without the folder's path.
  func problems(_ files: [String: String], _ overrides: [String: String] = [:]) throws -> [String] {
    do {
      _ = try plan(files, overrides)
      return []
    } catch let error as InvalidInput {
      let problems = error.problems
      return problems.map { without($0.description) }
    }
  }

  func without(_ text: String) -> String { text.replacing(folder.path + "/", with: "") }
}
