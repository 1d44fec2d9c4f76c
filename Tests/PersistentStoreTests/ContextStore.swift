import DataModel
import PersistentStore
import SQLite
import TestSupport
import Testing

/// A small store of projects, tasks, subtasks and tags, with every kind of delete rule.
final class ContextStore {
  let folder: TemporaryFolder
  let store: PersistentStore
  private(set) var statements: [String] = []

  static let model = Model(entities: [
    Entity(
      name: "Project",
      attributes: [Attribute(name: "name", type: .string, isOptional: false)],
      relationships: [
        Relationship(
          name: "tasks",
          destination: "Task",
          inverse: "project",
          isToMany: true,
          deleteRule: .cascade
        ),
        Relationship(
          name: "invoices",
          destination: "Invoice",
          inverse: "project",
          isToMany: true,
          deleteRule: .deny
        ),
      ]
    ),
    Entity(
      name: "Invoice",
      attributes: [Attribute(name: "number", type: .integer32)],
      relationships: [
        Relationship(name: "project", destination: "Project", inverse: "invoices")
      ]
    ),
    Entity(
      name: "Task",
      attributes: [
        Attribute(name: "title", type: .string, preservesValueOnDeletion: true),
        Attribute(name: "priority", type: .integer16, defaultValue: .integer(1)),
        Attribute(name: "dueDate", type: .date),
        Attribute(name: "photo", type: .binary, allowsExternalStorage: true),
      ],
      relationships: [
        Relationship(name: "project", destination: "Project", inverse: "tasks"),
        Relationship(
          name: "subtasks",
          destination: "Subtask",
          inverse: "task",
          isToMany: true,
          isOrdered: true,
          deleteRule: .cascade
        ),
        Relationship(name: "tags", destination: "Tag", inverse: "tasks", isToMany: true),
        Relationship(
          name: "notes",
          destination: "Note",
          inverse: "task",
          isToMany: true,
          deleteRule: .nullify
        ),
        Relationship(
          name: "logs",
          destination: "Log",
          inverse: "task",
          isToMany: true,
          deleteRule: .noAction
        ),
      ]
    ),
    Entity(
      name: "Subtask",
      attributes: [Attribute(name: "title", type: .string)],
      relationships: [Relationship(name: "task", destination: "Task", inverse: "subtasks")]
    ),
    Entity(
      name: "Note",
      attributes: [Attribute(name: "text", type: .string)],
      relationships: [Relationship(name: "task", destination: "Task", inverse: "notes")]
    ),
    Entity(
      name: "Log",
      attributes: [Attribute(name: "text", type: .string)],
      relationships: [Relationship(name: "task", destination: "Task", inverse: "logs")]
    ),
    Entity(
      name: "Tag",
      attributes: [Attribute(name: "name", type: .string)],
      relationships: [
        Relationship(name: "tasks", destination: "Task", inverse: "tags", isToMany: true)
      ],
      uniquenessConstraints: [["name"]]
    ),
  ])

  init(keepsHistory: Bool = false) throws {
    folder = try TemporaryFolder()
    store = try PersistentStore.create(
      at: folder.file("tasks.sqlite"),
      model: Self.model,
      options: PersistentStore.Options(
        settings: ConnectionSettings(synchronous: .off),
        seed: 7,
        keepsHistory: keepsHistory
      )
    )
  }

  func context(_ behaviours: StoreBehaviours = StoreBehaviours()) throws -> ObjectContext {
    try ObjectContext(store: store, behaviours: behaviours)
  }

  /// The statements that are prepared while `body` runs.
  func prepared(by body: () throws -> Void) throws -> [String] {
    var statements: [String] = []
    store.connection.onPrepare = { statements.append($0) }
    defer { store.connection.onPrepare = nil }
    try body()
    return statements
  }

  /// The first column of a query's rows, as text.
  func column(_ sql: String) throws -> [String] {
    let statement = try store.connection.prepare(sql)
    var values: [String] = []
    while try statement.step() {
      values.append(statement.isNull(at: 0) ? "NULL" : statement.text(at: 0))
    }
    return values
  }

  /// Saves two projects with three tasks each; a task has two subtasks, a note, a log and two tags.
  func fill() throws {
    let context = try context()
    let tags = try ["home", "work"].map { name in
      let tag = try context.insert("Tag")
      try tag.setValue(.text(name), of: "name")
      return tag
    }
    for number in 1...2 {
      let project = try context.insert("Project")
      try project.setValue(.text("Project \(number)"), of: "name")
      for index in 1...3 { try fillTask(index, of: project, tags: tags, in: context) }
    }
    try context.save()
  }

  private func fillTask(
    _ index: Int,
    of project: ManagedObject,
    tags: [ManagedObject],
    in context: ObjectContext
  ) throws {
    let task = try context.insert("Task")
    try task.setValue(.text("Task \(index)"), of: "title")
    try task.setValue(.real(Double(index) + 0.5), of: "dueDate")
    try task.setTarget(project, of: "project")
    for tag in tags { try task.add(tag, to: "tags") }
    for name in ["first", "second"] {
      let subtask = try context.insert("Subtask")
      try subtask.setValue(.text(name), of: "title")
      try task.add(subtask, to: "subtasks")
    }
    for entity in ["Note", "Log"] {
      try context.insert(entity).setTarget(task, of: "task")
    }
  }
}
