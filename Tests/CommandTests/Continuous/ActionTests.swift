import Foundation
import Runner
import TestSupport
import Testing

@testable import StoreBenchCommand

/// Runs the steps of the GitHub action and the GitLab component as a CI server does.
@Suite(.serialized) struct ActionTests {
  private let program: StorebenchProcess

  init() throws {
    program = try StorebenchProcess()
    try writeModel(index: "")
    try program.writeRecipe(model: "models/v1.yaml", tasks: 100)
    try program.writeFetch("strategy: batched, batchSize: 20", trials: 1, to: "ci/fetch")
    // A debug build measures only with `--allow-debug`, which users' jobs do not need.
    try program.folder.write(
      """
      #!/bin/bash
      case "$1" in run) set -- "$@" --allow-debug ;; esac
      exec '\(try StorebenchProcess.program())' "$@"
      """,
      to: ".bin/storebench"
    )
    try shell("chmod +x .bin/storebench")
  }

  private func writeModel(index: String) throws {
    try program.folder.write(
      """
      identifier: "1"
      entities:
        Task:
          attributes:
            title: string
            isDone: { type: boolean, optional: false, default: false }
      \(index)
      """,
      to: "Workloads/models/v1.yaml"
    )
  }

  @discardableResult
  private func shell(
    _ script: String,
    environment: [String: String] = [:]
  ) throws -> StorebenchProcess.Ending {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let own = [
      "PATH": "\(program.folder.path)/.bin:\(path)", "GITHUB_STEP_SUMMARY": "",
      "GITHUB_ACTION_PATH": Repository.path("ci/github"), "WORKLOADS": "Workloads/ci",
      "STOREBENCH_CI": Repository.path("ci"),
    ]
    return try program.start(
      ["-e", "-o", "pipefail", "-c", script],
      environment: own.merging(environment) { $1 },
      program: "/bin/bash"
    ).wait()
  }

  private func step(
    of file: String = "ci/github/action.yml",
    environment: [String: String] = [:]
  ) throws -> StorebenchProcess.Ending {
    let text = try String(contentsOfFile: Repository.path(file), encoding: .utf8)
    let script = try #require(DocumentedScript.scripts(in: text).last { $0.contains("/gate\"") })
    let filled = script.replacing("$[[ inputs.baselines ]]", with: "Results/baselines")
      .replacing("$[[ inputs.workloads ]]", with: "Workloads/ci")
    return try shell(filled, environment: environment)
  }

  private func baselines() -> [String] {
    program.files(below: "Results/baselines").filter { $0.hasSuffix(".csv") }
  }

  @Test(arguments: ["ci/github/action.yml", "ci/gitlab/storebench.yml"])
  func `a missing baseline is made by the command it names, and then the step passes`(
    file: String
  ) throws {
    let first = try step(of: file)
    #expect(first.status == 3, "\(first.errors)")
    #expect(first.output.contains("StoreBench cannot tell"))
    #expect(first.output.contains("storebench baseline update storebench-result"))
    #expect(try shell("storebench baseline update storebench-result").status == 0)
    let second = try step(of: file)
    #expect(second.status == 0, "\(second.output)")
    let written = Set(program.files(below: "storebench-result"))
    #expect(written.isSuperset(of: ["report.html", "junit.xml", "annotations.txt"]))
  }

  @Test func `the summary begins with a verdict of a line for each part`() throws {
    _ = try step()
    try shell("storebench baseline update storebench-result")
    try shell("touch summary.md")
    let summary = ["GITHUB_STEP_SUMMARY": program.folder.path + "/summary.md"]
    #expect(try step(environment: summary).status == 0)
    func text() throws -> String {
      try String(contentsOfFile: program.folder.path + "/summary.md", encoding: .utf8)
    }
    #expect(try text().hasPrefix("## StoreBench\n"))
    #expect(try text().contains("| **Costs** | ✅ passed: No cost changed | `storebench compare "))
    #expect(try text().contains("| <sub>Growth</sub> | <sub>not set up</sub> | |"))
    try writeModel(index: "    indexes: { byTitle: [title] }")
    try shell(
      ": >summary.md; printf '\\ngrows: { sqlite.vmSteps: 1 }\\n' >>Workloads/ci/fetch.yaml"
    )
    let grown = try step(environment: summary)
    #expect(grown.status == 2, "\(grown.output)")
    let failed = try text()
    #expect(
      failed.contains("**Growth** | ❌ failed: ci/fetch/batchSize=20,strategy=batched: sqlite.vm"),
      "\(failed)"
    )
  }

  @Test func `schema, upgrade and app code are lines of the verdict where their files are there`()
    throws
  {
    let app = ["Schema", "Growth", "Upgrade", "App code"]
    func verdict() throws -> (status: Int32, block: String) {
      let ending = try step(environment: ["STOREBENCH_BASE": "HEAD"])
      let block = try String(
        contentsOfFile: program.folder.path + "/storebench-result/verdict.md",
        encoding: .utf8
      )
      #expect(app.allSatisfy(block.contains), "\(ending.output)")
      return (ending.status, block)
    }
    let none = try verdict().block
    #expect(app.allSatisfy { none.contains("| <sub>\($0)</sub> | <sub>not set up</sub> | |") })
    try shell("storebench baseline update storebench-result")
    try writeParts(attribute: "var name: String = \"\"", limit: 1)
    try shell(
      "storebench schema lock Sources && git init --quiet && git add . && git -c user.name=a "
        + "-c user.email=a@b.example commit --quiet -m first"
    )
    let good = try verdict().block
    #expect(
      good.contains(/\*\*Upgrade\*\* \| ✅ passed: .* objects: .* \(sqlite.vmSteps (\S+) → \1\)/),
      "\(good)"
    )
    for part in ["Schema", "Upgrade", "App code"] {
      #expect(good.contains("| **\(part)** | ✅ passed: "), "\(good)")
    }
    try writeParts(attribute: "var name: String = \"\"\n    var size: Int = 0", limit: 0)
    let (status, bad) = try verdict()
    #expect(bad.contains("| **Schema** | ❌ failed: "), "\(bad)")
    #expect(bad.contains("| **App code** | ❌ failed: "), "\(bad)")
    #expect(status == 1)
  }

  /// Writes a shipped SwiftData schema, a migration with declared growth, and a log with a limit.
  private func writeParts(attribute: String, limit: Int) throws {
    try program.folder.write(
      """
      import SwiftData
      enum SchemaV1: VersionedSchema {
        static var versionIdentifier: Schema.Version { .init(1, 0, 0) }
        static var models: [any PersistentModel.Type] { [Task.self] }
        @Model final class Task {
          \(attribute)
          init() {}
        }
      }
      enum Plan: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [SchemaV1.self] }
        static var stages: [MigrationStage] { [] }
      }
      """,
      to: "Sources/Models.swift"
    )
    try program.writeSecondModel(adding: "note")
    try program.folder.write(
      """
      kind: migration
      store: { recipe: recipes/tasks.yaml }
      parameters: { to: models/v2.yaml, strategy: lightweight }
      trials: { trials: 1 }
      grows: { sqlite.vmSteps: n }
      """,
      to: "Workloads/ci/upgrade.yaml"
    )
    try program.folder.write(
      """
      screen: list
      2026-04-01 10:00:00.000 App[1:2] CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZTITLE FROM ZTASK t0
      2026-04-01 10:00:00.001 App[1:2] CoreData: annotation: sql connection fetch time: 0.0002s
      2026-04-01 10:00:00.002 App[1:2] CoreData: annotation: total fetch execution time: 0.0004s for 20 rows.
      """,
      to: "app.log"
    )
    try program.folder.write(
      "actions:\n  - name: list\n    from: \"screen: list\"\n    statements: \(limit)\n",
      to: "app.yaml"
    )
  }

  private func written(_ name: String) throws -> String {
    try String(contentsOfFile: program.folder.file("storebench-result/\(name)"), encoding: .utf8)
  }

  @Test func `a run that is refused leaves nothing of the one before, and every report says why`()
    throws
  {
    _ = try step()
    try program.folder.write("kind: fetch\nodd: 1\n", to: "Workloads/ci/fetch.yaml")
    try shell("touch summary.md")
    let ending = try step(
      environment: ["GITHUB_STEP_SUMMARY": program.folder.file("summary.md")]
    )
    #expect(ending.status == 65)
    #expect(
      program.files(below: "storebench-result")
        == ["annotations.txt", "comparison.txt", "junit.xml", "verdict.md"]
    )
    // The job's log must also contain the error message of the run.
    #expect(ending.errors.contains("fetch.yaml"), "\(ending.errors)")
    for name in ["annotations.txt", "comparison.txt", "junit.xml", "verdict.md"] {
      let text = try written(name)
      #expect(text.contains("Nothing could be compared"), "\(text)")
      #expect(text.contains("fetch.yaml"), "\(text)")
    }
    #expect(ending.output.contains("::error title=Nothing could be compared::"))
    let verdict = try written("verdict.md")
    #expect(verdict.contains("| **Costs** | ❌ failed: Nothing could be compared: "))
    #expect(verdict.contains("`storebench run Workloads/ci --output storebench-result --force`"))
    let summary = try String(contentsOfFile: program.folder.file("summary.md"), encoding: .utf8)
    #expect(summary == verdict)
  }

  @Test func `without a baseline the verdict is never 'passed', even where that does not fail`()
    throws
  {
    let optional = ["STOREBENCH_REQUIRE": "0"]
    #expect(try step(environment: optional).status == 0)
    #expect(try written("verdict.md").contains("| **Costs** | ❔ cannot tell: Nothing could be"))
    // A folder without a baseline for the measured workloads gives the same verdict as no folder.
    try program.folder.write("", to: "Results/baselines/.gitkeep")
    #expect(try step(environment: optional).status == 0)
    #expect(try written("verdict.md").contains("| **Costs** | ❔ cannot tell: Nothing could be"))
  }

  @Test func `a model that changed is named with its file and line`() throws {
    _ = try step()
    try shell("storebench baseline update storebench-result")
    try writeModel(index: "    indexes: { byTitle: [title] }")
    let ending = try step(
      environment: ["STOREBENCH_HISTORY": "history", "STOREBENCH_COMMIT": "a1b2c3d"]
    )
    #expect(
      ending.output.contains("::warning file=Workloads/models/v1.yaml,line="),
      "\(ending.output)"
    )
    #expect(ending.errors.contains("wrote history/"))
    #expect(program.files(below: "storebench-result").contains("history.html"))
  }

  @Test func `a step has ten annotations of a kind, the last of which counts the others`() throws {
    let sizes = (1...13).map(String.init).joined(separator: ", ")
    try program.writeFetch("strategy: batched, batchSize: [\(sizes)]", trials: 1, to: "ci/fetch")
    _ = try step()
    try shell("storebench baseline update storebench-result")
    let lowered = "sed -i -E 's/(,sqlite.statementsRun,count,)[0-9]+/\\10/' Results/baselines/*.csv"
    #expect(try shell(lowered).status == 0)
    let ending = try step()
    #expect(ending.status == 2)
    let errors = ending.output.split(separator: "\n").filter { $0.hasPrefix("::error") }
    #expect(errors.count == 10, "\(ending.output)")
    #expect(errors.last?.hasPrefix("::error title=4 more::") == true)
    let path = program.folder.file("storebench-result/annotations.txt")
    let all = try String(contentsOfFile: path, encoding: .utf8)
    #expect(all.split(separator: "\n").count { $0.hasPrefix("::error") } == 13)
  }

  @Test(arguments: ["github", "gitlab"])
  func `the jobs of a matrix plan, run their parts and merge them`(server: String) throws {
    let path = Repository.path("docs/cluster/\(server).yml")
    let scripts = DocumentedScript.scripts(in: try String(contentsOfFile: path, encoding: .utf8))
    try #require(scripts.count == 3)
    #expect(try shell(scripts[0]).status == 0)
    // The plan has tasks for only two parts, so all further parts are empty.
    for part in ["1", "2", "16"] {
      let variables = [
        "SHARD": part, "GITHUB_RUN_ATTEMPT": "1", "CI_NODE_INDEX": part, "CI_NODE_TOTAL": "16",
        "CI_JOB_ID": "4711",
      ]
      let ending = try shell(scripts[1], environment: variables)
      #expect(ending.status == 0, "\(ending.errors)")
    }
    try shell(server == "github" ? "mkdir parts && mv part-* parts" : "true")
    let merged = try shell(scripts[2])
    #expect(merged.status == 0, "\(merged.errors)")
    #expect(merged.output.contains(" 3 cases, 3 done; 3 runs"))
  }

  #if os(Linux)
    @Test func `a different build of SQLite is 'cannot tell' until it has its own baseline`() throws
    {
      _ = try step()
      try shell("storebench baseline update storebench-result")
      #expect(baselines().count == 1)
      let upgraded = ["LD_LIBRARY_PATH": try otherSQLite()]
      let after = try step(environment: upgraded)
      #expect(after.status == 3)
      #expect(after.output.contains("no baseline of these workloads for this build of SQLite"))
      #expect(after.output.contains("storebench baseline update storebench-result"))
      try shell("storebench baseline update storebench-result", environment: upgraded)
      #expect(baselines().count == 2)
      #expect(try step(environment: upgraded).status == 0)
      // After the upgrade, the original build of SQLite still finds its own baseline.
      #expect(try step().status == 0)
    }

    /// Makes a folder with this machine's SQLite under another source ID, to simulate an upgrade.
    private func otherSQLite() throws -> String {
      // Files in /proc report a size of 0, so use a handle to read to the end.
      let handle = try #require(FileHandle(forReadingAtPath: "/proc/self/maps"))
      let maps = String(decoding: handle.readDataToEndOfFile(), as: UTF8.self)
      let path = try #require(
        maps.split(whereSeparator: \.isWhitespace).first { $0.contains("/libsqlite3.so") }
      )
      var library = try Data(contentsOf: URL(fileURLWithPath: String(path)))
      let result = try ResultFacts.sourceID(of: program.folder.path + "/storebench-result")
      var changed = result
      changed.replaceSubrange(
        changed.startIndex..<changed.index(changed.startIndex, offsetBy: 4),
        with: "2031"
      )
      var count = 0
      while let place = library.range(of: Data(result.utf8)) {
        library.replaceSubrange(place, with: Data(changed.utf8))
        count += 1
      }
      try #require(count > 0)
      let folder = program.folder.path + "/sqlite"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try library.write(to: URL(fileURLWithPath: folder + "/libsqlite3.so.0"))
      return folder
    }
  #endif
}

private enum ResultFacts {
  static func sourceID(of folder: String) throws -> String {
    try ResultDocument(readingFrom: folder).environment.sqliteSourceID
  }
}
