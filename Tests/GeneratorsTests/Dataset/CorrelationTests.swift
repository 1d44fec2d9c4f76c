import DataModel
import Foundation
import Testing

@testable import Generators

struct CorrelationTests {
  private static let model = """
    Task:
      attributes: { title: string, details: string, createdAt: date, dueAt: date, isDone: { type: boolean, optional: false, default: false }, place: string }
      relationships:
        files: { to: File, many: true, inverse: task }
        category: { to: Category, inverse: tasks }
    File:
      attributes: { mediaType: string, data: binary }
      relationships: { task: { to: Task, inverse: files } }
    Category:
      relationships: { tasks: { to: Task, many: true, inverse: category } }
    """

  private static let recipe = """
    seed: 8
    period: [2024-01-01, 2026-01-01]
    entities:
      Category: { count: 10 }
      Task:
        count: 20_000
        attributes:
          createdAt: { date: { ordered: true, pattern: any } }
          dueAt: { date: { after: createdAt, days: { exponential: 9 } } }
          isDone: { chance: { along: createdAt, from: 0.9, to: 0.1 } }
          details: { notes: { words: 10, wordsPer: { files: 7 } } }
          place: { byHour: { of: createdAt, working: { desk: 3, train: 1 }, otherwise: { home: 1 } } }
        relationships:
          category: { uniform: , null: 0.25, hours: { of: createdAt, working: 0.4 } }
      File:
        count: 6_000
        attributes:
          mediaType: { weighted: { image/jpeg: 1, application/pdf: 1, image/png: 1, application/json: 1, text/plain: 1 } }
          data: { blob: { size: { uniform: [200, 300] }, signature: { of: mediaType } } }
        relationships: { task: { zipfian: 0.5 } }
    """

  private let dataset: Dataset

  init() throws {
    dataset = try Dataset(Recipes.make(model: Self.model, Self.recipe))
  }

  private func number(_ attribute: String, _ row: Int) throws -> Double {
    try #require(try dataset.value(entity: "Task", row: row, attribute: attribute).number)
  }

  private func text(_ entity: String, _ attribute: String, _ row: Int) throws -> String {
    try dataset.value(entity: entity, row: row, attribute: attribute).answerText
  }

  /// Whether a task was made in working hours: Monday to Friday, 8:00 to 18:00.
  private func isWorking(_ row: Int) throws -> Bool {
    let hours = Int((try number("createdAt", row) / 3_600).rounded(.down))
    // Day 0 is 2001-01-01, a Monday.
    return (hours / 24) % 7 < 5 && (8..<18).contains(hours % 24)
  }

  @Test func `older tasks are done, in a line along their dates`() throws {
    let done = try (0..<20_000).map { try number("isDone", $0) }
    let parts = (0..<10).map { part in done[(part * 2_000)..<((part + 1) * 2_000)].reduce(0, +) }
    for (part, count) in parts.enumerated() {
      let share = 0.9 - 0.8 * (Double(part) + 0.5) / 10
      let deviation = (2_000 * share * (1 - share)).squareRoot()
      #expect(abs(count - 2_000 * share) < 5 * deviation)
    }
  }

  @Test func `what is due follows what is made, and later rows are made later`() throws {
    for row in 0..<2_000 {
      #expect(try number("dueAt", row) >= number("createdAt", row))
      #expect(try number("createdAt", row) < number("createdAt", row + 1))
    }
  }

  @Test func `notes have so many words more for each file`() throws {
    var most = 0
    for row in 0..<20_000 {
      let files = try dataset.targets(entity: "Task", row: row, relationship: "files").count
      guard files > 0 || row < 200 else { continue }
      most = max(most, files)
      let words = try text("Task", "details", row).split { " \n".contains($0) }
      // A word-list entry may have two words, so a text may have twice as many.
      #expect(words.count >= 10 + 7 * files)
      #expect(words.count <= 2 * (10 + 7 * files))
    }
    #expect(most > 3)
  }

  @Test func `a choice by hours keeps to the hours`() throws {
    var counts = ["desk": 0, "train": 0, "home": 0]
    for row in 0..<20_000 {
      let place = try text("Task", "place", row)
      #expect(try (place == "home") != isWorking(row))
      counts[place, default: 0] += 1
    }
    let (desk, train) = (Double(counts["desk"] ?? 0), Double(counts["train"] ?? 0))
    // 50 of a week's 168 hours are working hours.
    #expect(abs((desk + train) / 20_000 - 50.0 / 168) < 0.02)
    #expect(
      chiSquare([Int(desk), Int(train)], expected: [0.75, 0.25].map { $0 * (desk + train) })
        < limit(freedom: 1)
    )
  }

  @Test func `categories follow working hours, nine times in ten, and both sides agree`() throws {
    var (kept, chosen) = (0, 0)
    var parents: [Int: [Int]] = [:]
    for row in 0..<20_000 {
      let target = try dataset.target(entity: "Task", row: row, relationship: "category")
      guard let category = target?.row else { continue }
      parents[category, default: []].append(row)
      chosen += 1
      if try (category < 4) == isWorking(row) { kept += 1 }
    }
    #expect(abs(Double(chosen) / 20_000 - 0.75) < 0.02)
    #expect(abs(Double(kept) / Double(chosen) - 0.9) < 0.02)
    for category in 0..<10 {
      let children = try dataset.targets(entity: "Category", row: category, relationship: "tasks")
      #expect(children.map(\.row) == parents[category])
    }
  }

  @Test func `a blob has the signature of its media type`() throws {
    let heads: [String: [UInt8]] = [
      "image/jpeg": [0xFF, 0xD8, 0xFF], "application/pdf": Array("%PDF-".utf8),
      "image/png": [0x89, 0x50, 0x4E, 0x47], "application/json": Array("[".utf8),
    ]
    for row in 0..<200 {
      let type = try text("File", "mediaType", row)
      guard case .blob(let bytes) = try dataset.value(entity: "File", row: row, attribute: "data")
      else { continue }
      if let head = heads[type] {
        #expect(bytes.starts(with: head))
      } else {
        #expect(!heads.values.contains { bytes.starts(with: $0) && $0.count > 1 })
      }
    }
  }

  @Test func `a row made alone, or backwards, is the same`() throws {
    let again = try Dataset(Recipes.make(model: Self.model, Self.recipe))
    for row in stride(from: 19_999, to: 0, by: -997) {
      for attribute in ["details", "createdAt", "dueAt", "isDone", "place"] {
        #expect(
          try again.value(entity: "Task", row: row, attribute: attribute)
            == dataset.value(entity: "Task", row: row, attribute: attribute)
        )
      }
      #expect(
        try again.target(entity: "Task", row: row, relationship: "category")
          == dataset.target(entity: "Task", row: row, relationship: "category")
      )
    }
  }

  @Test(arguments: [
    ("isDone: { chance: { along: createdAt, from: 0.9 } }", "'chance' lacks the key 'to'"),
    (
      "isDone: { chance: { along: creatdAt, from: 0.9, to: 0 } }",
      "Task has no other date attribute 'creatdAt'; did you mean 'createdAt'?"
    ),
    (
      "details: { notes: { words: 3, wordsPer: { file: 3 } } }",
      "unknown key 'file' in 'wordsPer'; did you mean 'files'?"
    ),
    (
      "place: { byHour: { of: createdAt, working: { a: 1 } } }",
      "'byHour' lacks the key 'otherwise'"
    ),
    (
      "createdAt: { date: { after: dueAt } }, dueAt: { date: { after: createdAt } }",
      "'createdAt' of Task depends on itself"
    ),
  ])
  func `says what is wrong with what follows others`(attributes: String, problem: String) throws {
    let problems = try Recipes.problems(
      model: Self.model,
      "entities: { Task: { count: 5, attributes: { \(attributes) } } }"
    )
    #expect(problems.contains { $0.hasSuffix(problem) && $0.hasPrefix("1:") })
  }

  @Test(arguments: [
    ("{ of: createdAt, working: 2 }", "'working' must be from 0 to 1, not 2.0"),
    ("{ of: crated, working: 0.5 }", "'of' cannot be 'crated' (one of createdAt, dueAt)"),
    ("{ of: createdAt }", "'hours' lacks the key 'working'"),
  ])
  func `says what is wrong with hours`(hours: String, problem: String) throws {
    let problems = try Recipes.problems(
      model: Self.model,
      "entities: { Task: { count: 5, relationships: { category: { hours: \(hours) } } } }"
    )
    #expect(problems.map { String($0.drop { $0 != " " }.dropFirst()) } == [problem])
  }
}
