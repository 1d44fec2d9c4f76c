import DataModel
import TestSupport
import Testing

@testable import SwiftModels

@Suite struct ClassWriterTests {
  private func text(_ entities: Entity..., file: String) throws -> String {
    let version = VersionedSchema(name: "v1", model: Model(entities: entities))
    let files = SchemaWriter(classesOf: version, source: "App.xcdatamodeld").files
    return try #require(files.first { $0.path == file }).text
  }

  private func notes(_ entities: Entity...) -> [String] {
    let version = VersionedSchema(name: "v1", model: Model(entities: entities))
    return SchemaWriter(classesOf: version, source: "App").notes.map(\.description)
  }

  private static let step = Entity(
    name: "Step",
    relationships: [Relationship(name: "task", destination: "Task", inverse: "steps")]
  )

  @Test func `a class has what the entity has`() throws {
    let task = Entity(
      name: "Task",
      attributes: [
        Attribute(name: "id", type: .uuid, isOptional: false, preservesValueOnDeletion: true),
        Attribute(
          name: "title",
          type: .string,
          isOptional: false,
          defaultValue: .text("a \"new\"\ntask"),
          renamingIdentifier: "name"
        ),
        Attribute(name: "rank", type: .integer16, versionHashModifier: "2"),
        Attribute(name: "photo", type: .binary, allowsExternalStorage: true),
      ],
      relationships: [
        Relationship(
          name: "steps",
          destination: "Step",
          inverse: "task",
          isToMany: true,
          minimumCount: 1,
          deleteRule: .cascade
        )
      ],
      fetchIndexes: [
        FetchIndex(name: "byRank", elements: [.init(property: "rank"), .init(property: "title")])
      ],
      uniquenessConstraints: [["id"], ["title", "rank"]]
    )
    let text = try text(task, Self.step, file: "Task.swift")
    #expect(
      text == #"""
        //
        // Task.swift
        // Written by 'storebench schema generate' from App.xcdatamodeld, version 'v1'.
        // Its types are checked against declarations of the public API; it has not run on Apple's systems.
        //

        import Foundation
        import SwiftData

        /// The entity `Task`.
        @Model
        final class Task {
          #Unique<Task>([\.title, \.rank])

          #Index<Task>([\.rank, \.title])

          @Attribute(.unique, .preserveValueOnDeletion) var id: UUID
          @Attribute(.externalStorage) var photo: Data?
          @Attribute(hashModifier: "2") var rank: Int16?
          @Attribute(originalName: "name") var title: String = "a \"new\"\ntask"

          @Relationship(deleteRule: .cascade, minimumModelCount: 1, inverse: \Step.task)
          var steps: [Step]?

          init(
            id: UUID,
            photo: Data? = nil,
            rank: Int16? = nil,
            title: String = "a \"new\"\ntask",
            steps: [Step]? = nil
          ) {
            self.id = id
            self.photo = photo
            self.rank = rank
            self.title = title
            self.steps = steps
          }
        }

        """#,
      "\(text)"
    )
  }

  @Test func `one side of a pair names the inverse`() throws {
    let task = Entity(
      name: "Task",
      relationships: [
        Relationship(name: "steps", destination: "Step", inverse: "task", isToMany: true)
      ]
    )
    #expect(try text(task, Self.step, file: "Step.swift").contains("\n  var task: Task?\n"))
    let lines = try text(task, Self.step, file: "Task.swift")
    #expect(lines.contains("@Relationship(inverse: \\Step.task) var steps: [Step]?"))
  }

  @Test func `names that hide those of the frameworks are qualified`() throws {
    let data = Entity(name: "Data", attributes: [Attribute(name: "bytes", type: .binary)])
    let text = try text(data, Entity(name: "Schema"), file: "Data.swift")
    #expect(text.contains("var bytes: Foundation.Data?"))
    let version = VersionedSchema(
      name: "v1",
      model: Model(entities: [Entity(name: "Schema"), Entity(name: "Task"), Entity(name: "Model")])
    )
    let written = SchemaWriter(versions: [version], source: "App").files.map(\.text).joined()
    #expect(written.contains("static var versionIdentifier: SwiftData.Schema.Version {"))
    #expect(written.contains("@SwiftData.Model"))
    #expect(written.contains("typealias Task = SchemaV1.Task"))
  }

  @Test func `a property of any name has one that compiles`() throws {
    let names = ["default", "in", "self", "description", "isDeleted", "größe", "a$b"]
    let attributes = names.map { Attribute(name: $0, type: .string) }
    let entity = Entity(name: "Type", attributes: attributes)
    let version = VersionedSchema(name: "v1", model: Model(entities: [entity]))
    let files = SchemaWriter(versions: [version], source: "App").files
    let check = try #require(try WrittenSwiftCheck.shared())
    #expect(try check.problems(of: files.map { ($0.path, $0.text) }) == [])
  }

  @Test func `what SwiftData cannot have is a comment at its place and a note`() throws {
    let entity = Entity(
      name: "Task",
      isAbstract: true,
      attributes: [
        Attribute(name: "count", type: .integer64, derivation: "steps.@count"),
        Attribute(name: "stars", type: .integer16, minimum: .integer(0), maximum: .integer(5)),
        Attribute(name: "tint", type: .transformable, valueClassName: "UIColor"),
        Attribute(name: "cache", type: .undefined),
      ],
      relationships: [
        Relationship(name: "steps", destination: "Step", isToMany: true, isOrdered: true)
      ],
      fetchIndexes: [
        FetchIndex(name: "byEntity", elements: [.init(property: "entity")]),
        FetchIndex(
          name: "byStars",
          elements: [.init(property: "stars", isAscending: false)],
          partialPredicate: "stars > 1"
        ),
      ],
      renamingIdentifier: "Todo"
    )
    let text = try text(entity, Self.step, file: "Task.swift")
    #expect(text.contains("/// Core Data derives it by steps.@count; SwiftData does not"))
    #expect(text.contains("/// SwiftData does not check the minimum 0, the maximum 5"))
    #expect(text.contains("@Attribute(.transformable(by: \"NSSecureUnarchiveFromData\")) var tint"))
    #expect(text.contains("@Transient var cache: Any? = nil"))
    let notes = notes(entity, Self.step)
    for part in [
      "is abstract", "called 'Todo'", "'byEntity' is left out", "'byStars' is descending",
      "predicate 'stars > 1'", "Task.count: Core Data derives", "Task.stars: SwiftData does not",
      "Task.tint: the values are of the class UIColor", "Task.cache: a transient",
      "Task.steps: the relationship is ordered", "Task.steps: it has no inverse",
    ] {
      #expect(notes.contains { $0.contains(part) }, "\(part)")
    }
  }

  @Test func `text of a model cannot leave its comment or its literal`() throws {
    let entity = Entity(
      name: "Task",
      attributes: [
        Attribute(
          name: "a",
          type: .string,
          isOptional: false,
          defaultValue: .text("\\(1 + 1)\"\u{1B}\u{202E}"),
          pattern: "x\nfatalError()"
        )
      ]
    )
    let text = try text(entity, file: "Task.swift")
    #expect(!text.contains("\u{1B}"))
    #expect(!text.contains("\nfatalError"))
    #expect(text.contains(#""\\(1 + 1)\"\u{1B}\u{202E}""#))
  }

  @Test func `a sub-entity is a subclass that needs iOS 26`() throws {
    let base = Entity(
      name: "Base",
      attributes: [Attribute(name: "id", type: .uuid, isOptional: false)]
    )
    let text = try text(base, Entity(name: "Sub", superentity: "Base"), file: "Sub.swift")
    #expect(text.contains("@available(iOS 26, macOS 26"))
    #expect(text.contains("final class Sub: Base {"))
    #expect(text.contains("override init(id: UUID) {\n    super.init(id: id)"))
  }

  @Test func `an index is declared for both frameworks`() {
    let index = SwiftIndexText(entity: "Task", properties: ["status", "-dueDate"])
    #expect(index.swiftData == "#Index<Task>([\\.status, \\.dueDate])")
    #expect(
      index.editor
        == "select Task, Editor > Add Fetch Index, name it byStatusAndDueDate, add status ascending, "
        + "dueDate descending"
    )
    #expect(SwiftIndexText.shippedStores.contains("hash modifier"))
  }

  @Test func `Core Data classes stand beside those of SwiftData`() throws {
    let task = Entity(
      name: "Task",
      attributes: [
        Attribute(name: "stars", type: .integer16), Attribute(name: "title", type: .string),
      ],
      relationships: [Relationship(name: "steps", destination: "Task", isToMany: true)]
    )
    let version = VersionedSchema(name: "v1", model: Model(entities: [task]))
    let file = try #require(CoexistenceWriter(version, nextTo: ["Task"], source: "App").files.first)
    #expect(file.path == "CoreData/CDTask.swift")
    #expect(file.text.contains("@objc(CDTask)\nfinal class CDTask: NSManagedObject {"))
    #expect(file.text.contains("@NSManaged var stars: NSNumber?"))
    let both = SchemaWriter(classesOf: version, source: "App").files + [file]
    let check = try #require(try WrittenSwiftCheck.shared())
    #expect(try check.problems(of: both.map { ($0.path, $0.text) }) == [])
  }
}
