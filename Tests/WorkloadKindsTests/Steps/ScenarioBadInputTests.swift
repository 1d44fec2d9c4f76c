import DataModel
import Testing

@testable import WorkloadKinds

/// Tests that a faulty scenario is rejected before it runs, with the place and a correction.
@Suite struct `A scenario that cannot be done` {
  struct Mistake: CustomTestStringConvertible {
    let testDescription: String
    /// The lines of the file below `parameters:`, which is its third line.
    let lines: [String]
    let line: Int
    let reason: String
    let remedy: String
  }

  private static let mistakes = [
    Mistake(
      testDescription: "an entity that the store lacks",
      lines: ["steps:", "  - { count: Task }", "  - { fetch: Taks }"],
      line: 6,
      reason: "the store has no entity 'Taks'",
      remedy: "Task"
    ),
    Mistake(
      testDescription: "a weight of zero",
      lines: ["operations: 10", "steps:", "  - { fetch: Task, weight: 0 }"],
      line: 6,
      reason: "must be more than 0",
      remedy: "leave out a step that never happens"
    ),
    Mistake(
      testDescription: "a mix that deletes all it reads",
      lines: [
        "operations: 1_000_000", "steps:", "  - { fetch: Task, choose: uniform, weight: 1 }",
        "  - { delete: Task, weight: 1 }",
      ],
      line: 7,
      reason: "leaves nothing to work on",
      remedy: "delete fewer, insert as many, or make the store larger"
    ),
    Mistake(
      testDescription: "an object of before a reset",
      lines: [
        "steps:", "  - { fetch: Task, limit: 3, keep: shown }", "  - reset",
        "  - { update: Task, from: shown, set: [title] }", "  - save",
      ],
      line: 7,
      reason: "'shown' was fetched before a reset",
      remedy: "fetch again after the reset"
    ),
    Mistake(
      testDescription: "a size of a number",
      lines: [
        "steps:", "  - { insert: Task, blobs: { details: 2 KB to 20 KB } }",
        "  - { insert: Task, blobs: { sortOrder: 2 KB } }", "  - save",
      ],
      line: 6,
      reason: "'sortOrder' is of type integer32, and 'blobs' takes binary and string attributes",
      remedy: "leave it out"
    ),
    Mistake(
      testDescription: "two strategies for one attribute",
      lines: [
        "steps: [{ fetch: Attachment }]", "strategies:", "  Attachment.data: file",
        "  data: separateEntity",
      ],
      line: 7,
      reason: "'Attachment.data' has two strategies, 'file' and 'separateEntity'",
      remedy: "leave one of them out"
    ),
  ]

  @Test(arguments: mistakes)
  func `is refused in the plan, with its line and what to do`(_ mistake: Mistake) throws {
    let problems = try planProblems("scenario", mistake.lines.joined(separator: "\n  "))
    let problem = try #require(
      problems.first { $0.message.contains(mistake.reason) },
      "\(problems)"
    )
    #expect(problem.message.contains(mistake.remedy), "\(problem.message)")
    #expect(problem.place?.line == mistake.line)
  }
}
