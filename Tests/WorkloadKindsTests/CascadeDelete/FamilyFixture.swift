import DataModel
import PersistentStore

@testable import WorkloadKinds

/// A store with sub-entities: some relationships belong to a sub-entity, and a to-one also stores
/// the entity of its target.
enum FamilyFixture {
  static let model = Model(entities: [
    Entity(
      name: "Owner",
      relationships: [.many("items", "Item", "owner", .cascade)]
    ),
    Entity(
      name: "Item",
      attributes: [Attribute(name: "title", type: .string, preservesValueOnDeletion: true)],
      relationships: [
        Relationship(name: "owner", destination: "Owner", inverse: "items"),
        .many("comments", "Comment", "item", .nullify, isOrdered: true),
      ]
    ),
    Entity(
      name: "Photo",
      superentity: "Item",
      attributes: [Attribute(name: "place", type: .string, preservesValueOnDeletion: true)],
      relationships: [.many("thumbs", "Thumb", "photo", .cascade)]
    ),
    Entity(
      name: "Note",
      superentity: "Item",
      attributes: [Attribute(name: "body", type: .string, preservesValueOnDeletion: true)],
      relationships: [.many("thumbs", "Thumb", "note", .nullify)]
    ),
    Entity(
      name: "Comment",
      attributes: [Attribute(name: "text", type: .string)],
      relationships: [Relationship(name: "item", destination: "Item", inverse: "comments")]
    ),
    Entity(
      name: "Thumb",
      relationships: [
        Relationship(name: "photo", destination: "Photo", inverse: "thumbs"),
        Relationship(name: "note", destination: "Note", inverse: "thumbs"),
      ]
    ),
  ])

  /// Makes four owners with a plain item, a photo and a note each, and comments and thumbs on
  /// these.
  static func fill(_ context: ObjectContext) throws {
    for number in 0..<4 {
      let owner = try context.insert("Owner")
      for (entity, attribute) in [("Item", "title"), ("Photo", "place"), ("Note", "body")] {
        let item = try context.insert(entity)
        try item.setValue(.text("\(entity) \(number)"), of: attribute)
        try item.setTarget(owner, of: "owner")
        for text in ["first", "second"] {
          let comment = try context.insert("Comment")
          try comment.setValue(.text(text), of: "text")
          try item.add(comment, to: "comments")
        }
        guard entity != "Item" else { continue }
        try context.insert("Thumb").setTarget(item, of: entity == "Note" ? "note" : "photo")
      }
    }
  }

  static func bench() throws -> KindBench<CascadeDeleteWorkload> {
    try KindBench(model: model, keepsHistory: true, fill)
  }
}
