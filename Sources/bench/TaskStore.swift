import DataModel
import PersistentStore
import SQLite

/// A store of tasks, as the bundled model describes them.
enum TaskStore {
  static func make(at path: String, tasks: Int, model: Model) throws {
    try StoreFile(path: path).remove()
    let store = try PersistentStore.create(at: path, model: model)
    let context = try ObjectContext(store: store)
    let projects = try (0..<max(1, tasks / 100)).map { number in
      let project = try context.insert("Project")
      try project.setValue(.blob(identifier(number)), of: "id")
      try project.setValue(.text("Project \(number)"), of: "name")
      try project.setValue(.real(Double(number)), of: "createdAt")
      return project
    }
    for number in 0..<tasks {
      let task = try context.insert("Task")
      try task.setValue(.blob(identifier(number)), of: "id")
      try task.setValue(.text("Task number \(number) has a longer title"), of: "title")
      if number % 3 == 0 {
        try task.setValue(
          .text("Details of task number \(number), a note of about one hundred characters, which "),
          of: "details"
        )
      }
      try task.setValue(.real(Double(number) + 0.5), of: "createdAt")
      if number % 2 == 0 { try task.setValue(.real(Double(number) + 100.25), of: "completedAt") }
      try task.setValue(.integer(Int64(number % 2)), of: "isCompleted")
      try task.setValue(.integer(Int64(number)), of: "sortOrder")
      try task.setValue(.real(Double(number % 17) / 16), of: "progress")
      try task.setTarget(projects[number % projects.count], of: "project")
    }
    try context.save()
    context.reset()
    try store.connection.checkpoint()
  }

  private static func identifier(_ number: Int) -> [UInt8] {
    (0..<16).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0) }
  }
}
