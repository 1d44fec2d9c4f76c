import Foundation
import TestSupport
import Testing

/// Runs the documentation's workload files in page order, and checks the keys that pages show
/// without a workload file.
struct DocumentedWorkloadsTests {
  /// A block of YAML in a page.
  private struct Printed {
    let page: String
    let text: String
    var key: Substring { text.prefix { $0 != ":" } }
    var kind: Substring { text.prefix { $0 != "\n" }.dropFirst("kind: ".count) }
  }

  private let process: StorebenchProcess

  init() throws {
    process = try StorebenchProcess()
    let workloads = process.folder.file("Workloads")
    try FileManager.default.removeItem(atPath: workloads)
    try FileManager.default.copyItem(atPath: Repository.path("Workloads"), toPath: workloads)
  }

  /// Returns the indented blocks of README, the guide and the evidence that begin with a given key.
  private static func printed(_ keys: String...) throws -> [Printed] {
    let pages = try ["docs", "Evidence/docs"].flatMap { folder in
      try FileManager.default.contentsOfDirectory(atPath: Repository.path(folder))
        .filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
    }
    return try (["README.md"] + pages).flatMap { page in
      try blocks(of: String(contentsOfFile: Repository.path(page), encoding: .utf8))
        .map { Printed(page: page, text: $0) }
        .filter { block in keys.contains { block.text.hasPrefix($0 + ":") } }
    }
  }

  /// Returns the paragraphs in which all lines are indented by at least four spaces.
  private static func blocks(of page: String) -> [String] {
    page.components(separatedBy: "\n\n").compactMap { paragraph in
      let lines = paragraph.split(separator: "\n")
      let indent = lines.map { $0.prefix { $0 == " " }.count }.min() ?? 0
      guard indent >= 4 else { return nil }
      return lines.map { $0.dropFirst(indent) }.joined(separator: "\n") + "\n"
    }
  }

  private func run(_ arguments: [String], of printed: Printed) throws -> StorebenchProcess.Ending {
    let ending = try process.run(arguments)
    #expect(ending.status == 0, "\(printed.page): \(arguments)\n\(ending.output)\(ending.errors)")
    return ending
  }

  @Test func `every workload file of the pages runs, and so do its keys and actions`() throws {
    let files = try Self.printed("kind")
    #expect(
      files.map(\.page) == ["docs/analyze.md", "docs/fetching.md", "Evidence/docs/replay.md"]
    )
    let made = try process.run(
      ["generate", "Workloads/recipes/tasks.yaml", "--output", "default.store"]
    )
    #expect(made.status == 0, "\(made.errors)")
    for file in files {
      let isAtTop = file.text.contains("Workloads/") || file.text.contains("path:")
      let path = (isAtTop ? "" : "Workloads/") + "\(file.kind).yaml"
      try process.folder.write(file.text, to: path)
      _ = try run(["plan", path], of: file)
      // Run only some cases of a session, because a debug build is slow; `plan` checks all cases.
      let fewer = file.kind == "session" ? ["--set", "held=screen", "--set", "context=reset"] : []
      let ending = try run(
        ["run", path, "--allow-debug", "--trials", "1", "--output", "\(file.kind)", "--log"]
          + ["\(file.kind).log"] + fewer,
        of: file
      )
      #expect(ending.output.contains(" passed"), "\(ending.output)")
      // A later page replays the log of the fetch as list.log.
      if file.kind == "fetch" {
        try process.folder.write(process.folder.bytes(of: "fetch.log"), to: "list.log")
      }
    }
    try checkKeys()
    try checkActions()
  }

  private func checkKeys() throws {
    let keys = try Self.printed("grows", "budget")
    #expect(keys.map(\.page) == ["docs/ci.md", "docs/forecasting.md"])
    for key in keys {
      let file =
        "kind: fetch\nstore: { recipe: recipes/tasks.yaml }\nparameters: { entity: Task }\n"
      try process.folder.write(file + key.text, to: "Workloads/key.yaml")
      _ = try run(["plan", "Workloads/key.yaml"], of: key)
    }
  }

  /// Checks the documented limits of actions on a log that contains the actions' marker lines.
  private func checkActions() throws {
    let files = try Self.printed("reference", "actions")
    #expect(files.map(\.page) == ["docs/analyze.md"])
    let log = """
      list opens
      CoreData: sql: SELECT 0, t0.Z_PK, t0.ZTITLE FROM ZTASK t0 ORDER BY t0.ZTITLE LIMIT 40
      CoreData: annotation: sql connection fetch time: 0.0010s
      CoreData: annotation: total fetch execution time: 0.0010s for 40 rows.
      list is shown

      """
    for name in ["good.log", "app.log"] { try process.folder.write(log, to: name) }
    for file in files {
      try process.folder.write(file.text, to: "actions.yaml")
      _ = try run(["analyze", "app.log", "--actions", "actions.yaml"], of: file)
    }
  }
}
