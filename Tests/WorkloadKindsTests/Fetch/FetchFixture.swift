import DataModel
import PersistentStore
import Runner
import TestSupport

@testable import WorkloadKinds

/// Makes a bench with 90 tasks in 6 projects, on the bundled model.
///
/// The tasks have ties in every sort key, missing values, and dates with and without a fraction of
/// a second.
func makeTaskBench() throws -> KindBench<FetchWorkload> {
  try KindBench(model: MigrationFixture.model("tasks/v1.yaml")) { context in
    let projects = try (0..<6).map { number in
      let project = try context.insert("Project")
      try project.setValue(.blob(identifier(number)), of: "id")
      try project.setValue(.text("Project \(number)"), of: "name")
      try project.setValue(.real(Double(number)), of: "createdAt")
      return project
    }
    let tags = try (0..<4).map { number in
      let tag = try context.insert("Tag")
      try tag.setValue(.text("tag \(number)"), of: "name")
      return tag
    }
    for number in 0..<90 {
      let task = try makeTask(number, in: context)
      if number % 7 != 0 { try task.setTarget(projects[number % 5], of: "project") }
      for tag in tags.prefix(number % 4) { try task.add(tag, to: "tags") }
    }
  }
}

private func makeTask(_ number: Int, in context: ObjectContext) throws -> ManagedObject {
  let task = try context.insert("Task")
  try task.setValue(.blob(identifier(number)), of: "id")
  try task.setValue(.text("Task \(number % 40), Žluťoučký 任务"), of: "title")
  if number % 3 == 0 { try task.setValue(.text("Details of \(number)"), of: "details") }
  try task.setValue(.real(800_000_000 + Double(number / 3)), of: "createdAt")
  if number % 2 == 0 { try task.setValue(.real(Double(number) + 0.25), of: "completedAt") }
  try task.setValue(.integer(Int64(number % 2)), of: "isCompleted")
  try task.setValue(.integer(Int64(number)), of: "sortOrder")
  if number % 5 != 0 {
    try task.setValue(.integer(Int64(number % 60)), of: "estimatedMinutes")
  } else {
    try task.setValue(.null, of: "estimatedMinutes")
  }
  try task.setValue(.real(Double(number) / 90), of: "progress")
  return task
}

private func identifier(_ number: Int) -> [UInt8] {
  (0..<16).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0) }
}

func tasks(_ values: [String: ParameterValue] = [:]) -> [String: ParameterValue] {
  ["entity": .text("Task")].merging(values) { $1 }
}
