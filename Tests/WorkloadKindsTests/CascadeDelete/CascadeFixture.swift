import DataModel
import PersistentStore
import Runner

@testable import WorkloadKinds

/// A store with every kind of relationship that a deletion may follow.
enum CascadeFixture {
  /// A model of folders in folders, tasks in folders, and objects that belong to tasks.
  static let model = Model(entities: [
    Entity(
      name: "Folder",
      attributes: [Attribute(name: "name", type: .string, preservesValueOnDeletion: true)],
      relationships: [
        Relationship(name: "parent", destination: "Folder", inverse: "children"),
        .many("children", "Folder", "parent", .cascade),
        .many("tasks", "Task", "folder", .cascade),
      ]
    ),
    Entity(
      name: "Task",
      attributes: [
        Attribute(name: "title", type: .string, preservesValueOnDeletion: true),
        Attribute(name: "isDone", type: .boolean, preservesValueOnDeletion: true),
      ],
      relationships: [
        Relationship(name: "folder", destination: "Folder", inverse: "tasks"),
        .many("attachments", "Attachment", "task", .cascade),
        .many("steps", "Step", "task", .cascade, isOrdered: true),
        .many("remarks", "Remark", "task", .nullify),
        .many("tags", "Tag", "tasks", .nullify),
        Relationship(name: "plan", destination: "Plan", inverse: "task", deleteRule: .cascade),
        Relationship(name: "alarm", destination: "Alarm", inverse: "task"),
      ]
    ),
    Entity(
      name: "Attachment",
      attributes: [Attribute(name: "data", type: .binary, allowsExternalStorage: true)],
      relationships: [Relationship(name: "task", destination: "Task", inverse: "attachments")]
    ),
    Entity(
      name: "Step",
      attributes: [Attribute(name: "title", type: .string)],
      relationships: [Relationship(name: "task", destination: "Task", inverse: "steps")]
    ),
    Entity(
      name: "Remark",
      attributes: [Attribute(name: "text", type: .string)],
      relationships: [Relationship(name: "task", destination: "Task", inverse: "remarks")]
    ),
    Entity(
      name: "Plan",
      relationships: [Relationship(name: "task", destination: "Task", inverse: "plan")]
    ),
    Entity(
      name: "Alarm",
      attributes: [Attribute(name: "time", type: .date)],
      relationships: [Relationship(name: "task", destination: "Task", inverse: "alarm")]
    ),
    Entity(
      name: "Tag",
      attributes: [Attribute(name: "name", type: .string)],
      relationships: [.many("tasks", "Task", "tags", .nullify)]
    ),
  ])

  /// Makes two folders of two folders each, two tasks in every folder, and one or two other objects
  /// of each entity per task.
  static func fill(_ context: ObjectContext) throws {
    let tags = try (0..<3).map { try make("Tag", in: context, ["name": .text("tag \($0)")]) }
    for outer in 0..<2 {
      let folder = try make("Folder", in: context, ["name": .text("folder \(outer)")])
      try fill(folder, tags, context)
      for inner in 0..<2 {
        let child = try make("Folder", in: context, ["name": .text("folder \(outer).\(inner)")])
        try child.setTarget(folder, of: "parent")
        try fill(child, tags, context)
      }
    }
  }

  private static func fill(
    _ folder: ManagedObject,
    _ tags: [ManagedObject],
    _ context: ObjectContext
  ) throws {
    for number in 0..<2 {
      let task = try make(
        "Task",
        in: context,
        ["title": .text("task \(number)"), "isDone": .integer(Int64(number))]
      )
      try task.setTarget(folder, of: "folder")
      for size in [10, 102_401] {
        let data = [UInt8](repeating: UInt8(number), count: size)
        let attachment = try make("Attachment", in: context, ["data": .blob(data)])
        try attachment.setTarget(task, of: "task")
        let step = try make("Step", in: context, ["title": .text("step \(size)")])
        try task.add(step, to: "steps")
        try make("Remark", in: context, ["text": .text("remark \(size)")])
          .setTarget(task, of: "task")
      }
      try make("Plan", in: context).setTarget(task, of: "task")
      try make("Alarm", in: context, ["time": .real(1.5)]).setTarget(task, of: "task")
      for tag in tags.dropFirst(number) { try task.add(tag, to: "tags") }
    }
  }

  private static func make(
    _ entity: String,
    in context: ObjectContext,
    _ values: [String: Value] = [:]
  ) throws -> ManagedObject {
    let object = try context.insert(entity)
    for (name, value) in values { try object.setValue(value, of: name) }
    return object
  }

  static func bench(keepsHistory: Bool = false) throws -> KindBench<CascadeDeleteWorkload> {
    try KindBench(model: model, keepsHistory: keepsHistory, fill)
  }

  /// The parameters that select each way to delete.
  static let ways: [[String: ParameterValue]] = [
    way("objectByObject", ["toManyFault": "keys"]),
    way("objectByObject", ["toManyFault": "rows"]),
    batch("byLevel", files: "removed", versions: "unchanged"),
    batch("byLevel", files: "left", versions: "raised"),
    batch("orphanCleanup", files: "removed", versions: "raised"),
    batch("orphanCleanup", files: "left", versions: "unchanged"),
    way("sqlForeignKey"),
    way("objectByObject", childIndex: false),
    way("batchDelete", childIndex: false),
    way("sqlForeignKey", childIndex: false),
  ]

  private static func way(
    _ strategy: String,
    _ others: [String: String] = [:],
    childIndex: Bool = true
  ) -> [String: ParameterValue] {
    others.mapValues { .text($0) }.merging([
      "strategy": .text(strategy), "childIndex": .boolean(childIndex),
    ]) { $1 }
  }

  private static func batch(
    _ shape: String,
    files: String,
    versions: String
  ) -> [String: ParameterValue] {
    way(
      "batchDelete",
      ["batchShape": shape, "batchExternalFiles": files, "batchVersions": versions]
    )
  }
}
