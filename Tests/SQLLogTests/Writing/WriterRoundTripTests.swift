import DataModel
import PersistentStore
import TestSupport
import Testing

@testable import SQLLog

/// Tests that the log of known work is read correctly; writer and reader share no code.
@Suite struct WriterRoundTripTests {
  private static let entities = [
    .project,
    Entity(
      name: "Task",
      attributes: [
        Attribute(name: "title", type: .string), Attribute(name: "dueDate", type: .date),
        Attribute(name: "photo", type: .binary),
      ],
      relationships: [Relationship(name: "project", destination: "Project", inverse: "tasks")]
    ),
  ]

  private static func fill(_ context: ObjectContext) throws {
    for number in 1...30 {
      let project = try context.insert("Project")
      try project.setValue(.text("it's \"\(number)\"?"), of: "name")
      for _ in 0..<4 { try context.insert("Task").setTarget(project, of: "project") }
    }
  }

  private static func scroll(_ context: ObjectContext) throws {
    let batched = try context.fetch(
      FetchRequest("Task", fetchBatchSize: 20, relationshipsForPrefetching: ["project"])
    )
    for place in [0, 25] { _ = try batched.object(at: place).value(of: "title") }
  }

  private func logged(level: Int, keepsHistory: Bool = false) throws -> LoggedWork {
    try LoggedWork(Self.entities, level: level, keepsHistory: keepsHistory, fill: Self.fill) {
      context in
      try Self.scroll(context)
      let byName = FetchRequest(
        "Project",
        predicate: .comparison("name", .greaterOrEqual, .text("it's \"1\"?")),
        sortDescriptors: [.init("name")]
      )
      _ = try context.count(byName)
      let projects = try context.fetch(byName)
      for index in 0..<7 { _ = try projects.object(at: index).targets(of: "tasks") }
      let tasks = try context.fetch(FetchRequest("Task", includesPropertyValues: false))
      for index in 0..<9 { _ = try tasks.object(at: index).value(of: "title") }
      for index in 0..<3 {
        let task = try tasks.object(at: index)
        try task.setValue(.text("new?"), of: "title")
        try task.setValue(.real(728_000_000.25), of: "dueDate")
        try task.setValue(.blob([1, 2, 3]), of: "photo")
      }
      _ = try context.insert("Task")
      try context.delete(tasks.object(at: 8))
      try context.save()
    }
  }

  @Test(arguments: 1...4, [false, true])
  func `reads back what an object context did`(level: Int, keepsHistory: Bool) throws {
    let work = try logged(level: level, keepsHistory: keepsHistory)
    let analysis = try LogFixture.analysis(work.text)
    let report = analysis.report
    #expect(report.level == level)
    #expect(report.unknown.isEmpty)
    #expect((report.orphans, report.foreign, report.errors) == (0, 0, 0))
    #expect(analysis.digest.saves == 1)

    var calls: [StatementShape.Kind: Int] = [:]
    var (faults, prefetches) = (0, 0)
    var rows: [String: Int] = [:]
    for (entry, figures) in analysis.digest.statements.enumerated() {
      calls[analysis.statements[entry].shape.kind, default: 0] += figures.calls
      switch figures.purpose {
      case .fault, .toManyFault: faults += figures.calls
      case .prefetch: prefetches += figures.calls
      default: break
      }
      rows[analysis.operation(entry).lowercased()] = figures.rows.sum
    }
    let done = work.context.statistics
    #expect(faults == done.faultsFired)
    #expect(calls[.update] == done.updated)
    #expect(calls[.delete] == done.deleted)
    #expect(calls[.count] == 1)
    #expect(prefetches == 2)
    #expect(rows["batch of task, 20 objects each"] == 40)
    #expect(rows["fault on project.tasks"] == 28)
    #expect(rows["prefetch of project (project)"] == 10)
  }

  @Test func `shows the values of statements from level 2 on`() throws {
    let text = try logged(level: 2).text
    for value in ["\"it's \"1\"?\"", "\"new?\"", "728000000.25", "nil", "<3 bytes>"] {
      #expect(text.contains("] = \(value)\n"), "\(value)")
    }
    let plain = try logged(level: 1).text
    #expect(!plain.contains("bind["))
  }
}
