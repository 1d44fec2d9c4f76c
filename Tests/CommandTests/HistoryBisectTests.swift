import Foundation
import TestSupport
import Testing

@testable import StoreBenchCommand

struct HistoryBisectTests {
  private let program: StorebenchProcess

  init() throws { program = try StorebenchProcess() }

  private func shell(_ script: String) throws -> StorebenchProcess.Ending {
    try program.start(["-e", "-c", script], program: "/bin/bash").wait()
  }

  /// Commits the folder `Workloads` and returns the commit's hash.
  private func commit(_ message: String) throws -> String {
    let ending = try shell(
      """
      git add Workloads
      git -c user.name=a -c user.email=a@example.com commit --quiet --allow-empty -m '\(message)'
      git rev-parse HEAD
      """
    )
    try #require(ending.status == 0, "\(ending.errors)")
    return ending.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func measure(_ commit: String, as name: String) throws {
    let run = ["run", "Workloads/one.yaml", "--allow-debug", "--output", name]
    try #require(try program.run(run).status == 0)
    let add = try program.run(["history", "add", name, "--commit", commit, "--folder", "history"])
    try #require(add.status == 0, "\(add.errors)")
  }

  @Test
  func `finds the commit between two that were measured, and takes none for an option of git`()
    throws
  {
    _ = try shell("git init --quiet --initial-branch main && echo all of it >kept.txt")
    try program.writeFetch("strategy: batched, batchSize: 20", trials: 1, to: "one")
    let first = try commit("start")
    try measure(first, as: "a")
    _ = try commit("nothing")
    _ = try commit("nothing again")
    try program.writeRecipe(model: "models/v1.yaml", tasks: 340)
    let guilty = try commit("more tasks")
    let last = try commit("nothing at last")
    // Wait: results measured within the same second cannot be ordered.
    sleep(1)
    try measure(last, as: "b")
    let bisect = [
      "history", "bisect", "one/batchSize=20,strategy=batched", "sqlite.vmSteps", "--folder",
      "history", "--allow-debug",
      "--file", "Workloads/one.yaml",
    ]
    let ending = try program.run(bisect)
    #expect(ending.status == 0, "\(ending.errors)")
    #expect(ending.output.contains(guilty.prefix(7)), "\(ending.output)")
    #expect(ending.output.contains("more tasks"))
    // The bisection must remove all its work trees.
    #expect(try shell("git worktree list").output.split(separator: "\n").count == 1)

    _ = try shell("cp -R history whole")
    for option in ["--output=../victim/", "--output=kept.txt", "--no-index", "-Okept.txt"] {
      _ = try shell("rm -r history; cp -R whole history")
      _ = try shell("sed -i 's|\(first)|\(option)|' history/*/*.csv history/*.csv")
      #expect(try program.run(bisect).status != 0, "\(option)")
    }
    #expect(try shell("cat kept.txt").output == "all of it\n")
    #expect(try shell("ls -d ../victim").status != 0)
  }

  @Test func `a commit of another branch is not blamed`() throws {
    _ = try shell("git init --quiet --initial-branch main")
    try program.writeFetch("strategy: batched, batchSize: 20", trials: 1, to: "one")
    _ = try commit("start")
    _ = try shell("git checkout --quiet -b side")
    try program.writeRecipe(model: "models/v1.yaml", tasks: 340)
    try measure(try commit("more tasks"), as: "a")
    _ = try shell("git checkout --quiet main")
    try measure(try commit("nothing"), as: "b")
    let ending = try program.run([
      "history", "bisect", "one/batchSize=20,strategy=batched", "sqlite.vmSteps", "--folder",
      "history", "--allow-debug", "--file", "Workloads/one.yaml",
    ])
    #expect(ending.status == 65, "\(ending.output)\(ending.errors)")
    #expect(ending.errors.contains("first parents do not lead"), "\(ending.errors)")
  }
}
