import StoreBench
import TestSupport

/// A folder with a recipe of 60 notes and workload files of a kind that marks notes as done.
struct NotesFolder {
  let folder: TemporaryFolder

  init(_ parameters: String = "{}", kind: String = "markNotes") throws {
    folder = try TemporaryFolder()
    try folder.write(
      """
      identifier: "1"
      entities:
        Note:
          attributes:
            title: { type: string, optional: false }
            isDone: { type: boolean, optional: false, default: false }
      """,
      to: "models/notes.yaml"
    )
    try folder.write(
      """
      format: 1
      model: models/notes.yaml
      seed: 3
      entities:
        Note: { count: 60, attributes: { isDone: { chance: 0 } } }
      """,
      to: "recipes/notes.yaml"
    )
    try folder.write(
      """
      kind: \(kind)
      store: { recipe: recipes/notes.yaml }
      parameters: \(parameters)
      trials: { trials: 2 }
      """,
      to: "mark.yaml"
    )
  }

  var workload: String { folder.file("mark.yaml") }
  var workFolder: String { folder.file("work") }
}

/// A workload kind that marks notes as done and verifies the store as `check` selects.
struct MarkNotes: WorkloadKind {
  enum Check: String, CaseIterable, Sendable {
    case allRows, count, nothing
  }

  struct Parameters: ParameterSet {
    @Parameter(1...60, "notes that are marked") var notes = 10
    @Parameter("how the outcome is checked") var check = Check.allRows
    @Parameter("whether a note is forgotten") var forgets = false
  }

  static let description = KindDescription(name: "markNotes", summary: "Mark notes as done")
  let parameters: Parameters

  func prepare(_ trial: Trial) throws -> Database { try Database(path: trial.store.path) }

  func run(_ database: Database, _ recorder: Recorder) throws {
    recorder.observe(database)
    let count = parameters.notes - (parameters.forgets ? 1 : 0)
    try database.execute("UPDATE ZNOTE SET ZISDONE = 1 WHERE Z_PK <= ?1", count)
  }

  func verify(_ database: Database, _ trial: Trial) throws -> Verification {
    let condition = "Z_PK <= \(parameters.notes)"
    switch parameters.check {
    case .allRows:
      let expected = try ExpectedStore(trial)
      try expected.change("UPDATE ZNOTE SET ZISDONE = 1 WHERE \(condition)")
      return try expected.verification()
    case .count:
      let left = try database.integer(
        "SELECT count(*) FROM ZNOTE WHERE \(condition) AND ZISDONE = 0"
      )
      guard left == 0 else { throw VerificationFailure(["\(left ?? 0) notes are not marked"]) }
      return Verification(digest: "all marked")
    case .nothing: return Verification(digest: "unknown")
    }
  }
}
