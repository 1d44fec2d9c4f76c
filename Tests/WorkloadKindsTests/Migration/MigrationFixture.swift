import DataModel
import PersistentStore
import Runner
import TestSupport

@testable import WorkloadKinds

/// Small stores for tests of migrations.
enum MigrationFixture {
  static let models = Repository.path("Workloads/models")
  private static let read = Memo<String, Model>()

  /// Returns one of the project's own models, which is read once.
  static func model(_ name: String) throws -> Model {
    try read.value(of: name) { try ModelFile.read(path: models + "/" + name).model }
  }

  /// A bench of forty tasks with related objects; three tasks have one or two duplicates.
  static func tasks<Kind: WorkloadKind>(
    keepsHistory: Bool = false,
    of kind: Kind.Type = MigrationWorkload.self
  ) throws -> KindBench<Kind> {
    try KindBench(model: model("tasks/v1.yaml"), keepsHistory: keepsHistory) { context in
      let parents = try ["Project", "Category"].map { entity in
        try (0..<3).map { index in
          let object = try context.insert(entity)
          try object.setValue(uuid(500 + index), of: "id")
          try object.setValue(.text("\(entity) \(index)"), of: "name")
          if entity == "Project" { try object.setValue(.integer(7), of: "createdAt") }
          return object
        }
      }
      let tags = try (0..<5).map { index in
        let tag = try context.insert("Tag")
        try tag.setValue(.text("tag \(index)"), of: "name")
        return tag
      }
      for index in 0..<40 {
        let task = try context.insert("Task")
        try fill(task, index)
        if index % 7 != 0 { try task.setTarget(parents[0][index % 3], of: "project") }
        if index % 5 != 0 { try task.setTarget(parents[1][index % 2], of: "category") }
        for tag in 0..<(index % 4) { try task.add(tags[(index + tag * 2) % 5], to: "tags") }
        try hang(on: task, index, context)
      }
    }
  }

  private static func uuid(_ number: Int) -> Value {
    .blob((0..<16).map { UInt8(truncatingIfNeeded: number &* 37 &+ $0 &* $0) })
  }

  private static func fill(_ task: ManagedObject, _ index: Int) throws {
    // Tasks 3, 13 and 23 are duplicates of each other; so are tasks 8 and 18, and tasks 31 and 39.
    let number = [13: 3, 23: 3, 18: 8, 39: 31][index] ?? index
    try task.setValue(uuid(number), of: "id")
    try task.setValue(.text("Aufgabe \(index) – été ß"), of: "title")
    try task.setValue(index % 3 == 0 ? .null : .text("details \(index)"), of: "details")
    try task.setValue(.real(7e8 + Double(index) + 0.25), of: "createdAt")
    try task.setValue(index % 2 == 0 ? .integer(Int64(index)) : .null, of: "completedAt")
    try task.setValue(.integer(Int64(index % 2)), of: "isCompleted")
    try task.setValue(.real(Double(index) / 8), of: "progress")
    if index == 5 { try task.setValue(.null, of: "estimatedMinutes") }
  }

  private static func hang(
    on task: ManagedObject,
    _ index: Int,
    _ context: ObjectContext
  ) throws {
    for child in 0..<(index % 3) {
      let subtask = try context.insert("Subtask")
      try subtask.setValue(.text("step \(child) of \(index)"), of: "title")
      try subtask.setTarget(task, of: "task")
    }
    guard index % 6 == 0 else { return }
    let attachment = try context.insert("Attachment")
    try attachment.setValue(.text("scan \(index).pdf"), of: "filename")
    try attachment.setValue(.integer(3), of: "createdAt")
    try attachment.setValue(
      .blob((0..<(index * 50)).map { UInt8(truncatingIfNeeded: $0 &* index) }),
      of: "data"
    )
    try attachment.setTarget(task, of: "task")
  }

  static let toV2: [String: ParameterValue] = ["to": .text(models + "/tasks/v2.yaml")]
  static let toV3: [String: ParameterValue] = [
    "from": .text(models + "/tasks/v2.yaml"), "to": .text(models + "/tasks/v3.yaml"),
  ]
}
