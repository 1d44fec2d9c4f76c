import Foundation
import TestSupport
import Testing

@testable import Runner
@testable import StoreBenchCommand

struct PlanProcessTests {
  private let program: StorebenchProcess

  init() throws {
    program = try StorebenchProcess()
    try program.writeFetch("strategy: [eager, batched], batchSize: [5, 20]", trials: 1, to: "more")
    let plan = try program.run(["plan", "Workloads", "--output", "plan.json"])
    try #require(plan.status == 0, "\(plan.errors)")
    #expect(plan.errors.hasPrefix("wrote plan.json: plan "))
  }

  private func run(_ name: String, _ options: [String] = []) throws -> StorebenchProcess.Ending {
    try program.run(["run", "--plan", "plan.json", "--allow-debug", "--output", name] + options)
  }

  private func document(_ folder: String) throws -> ResultDocument {
    try ResultDocument(readingFrom: program.folder.path + "/" + folder)
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOfFile: program.folder.path + "/" + path, encoding: .utf8)
  }

  @Test func `a missing part is a verdict, with the list that runs it`() throws {
    #expect(try run("part1", ["--shard", "1/2"]).status == 0)
    let partial = try program.run(["merge", "part1", "--output", "merged"])
    #expect(partial.status == 75)
    #expect(partial.output.contains(" of the plan did not run; "), "\(partial.output)")
    let missing = try text("merged/missing.txt").split(separator: "\n").map(String.init)
    #expect(!missing.isEmpty)
    #expect(try text("merged/missing.array").split(separator: ",").count == missing.count)
    for (index, id) in missing.enumerated() {
      let ending = try run("again\(index)", ["--case", id, "--attempt", "2"])
      #expect(ending.status == 0, "\(ending.errors)")
    }
    let parts = ["part1"] + missing.indices.map { "again\($0)" }
    let whole = try program.run(["merge"] + parts + ["--output", "merged", "--force"])
    #expect(whole.status == 0, "\(whole.errors)")
    #expect(!program.files(below: "merged").contains("missing.txt"))
    #expect(try document("merged").plan?.missing == [])
    let other = try program.run(["merge"] + parts.reversed() + ["--output", "other"])
    #expect(other.status == 0)
    for name in program.files(below: "merged") {
      let path = program.folder.path
      let bytes = FileManager.default.contents(atPath: "\(path)/merged/\(name)")
      #expect(FileManager.default.contents(atPath: "\(path)/other/\(name)") == bytes, "\(name)")
    }
  }

  @Test(
    .enabled(if: SchemaValidator.isInstalled, "python3 has no package jsonschema on this machine")
  )
  func `plans, their parts and merged results follow the published schemas`() throws {
    #expect(try run("part1", ["--shard", "1/2"]).status == 0)
    #expect(try run("part2", ["--shard", "2/2"]).status == 0)
    #expect(try program.run(["merge", "part1", "part2", "--output", "merged"]).status == 0)
    let results = try ["part1", "merged"].map { try document($0).text(as: .json) }
    #expect(try SchemaValidator.problems(of: results) == ["", ""])
    let plan = try text("plan.json").replacing("\n", with: " ") + "\n"
    let schema = "Results/schema/plan-v1.schema.json"
    #expect(try SchemaValidator.problems(of: [plan], schema: schema) == [""])
    let extra = plan.replacing("\"tasks\"", with: "\"extra\" : 1, \"tasks\"")
    #expect(try SchemaValidator.problems(of: [extra], schema: schema) != [""])
  }

  @Test func `says in one line why a plan is not run or a result not merged`() throws {
    func check(_ arguments: [String], _ status: Int32, _ message: String) throws {
      let ending = try program.run(arguments)
      #expect(ending.status == status, "\(arguments)")
      #expect(ending.errors.hasPrefix(message), "\(ending.errors)")
      #expect(ending.errors.split(separator: "\n").count == 1)
    }
    let run = ["run", "--allow-debug", "--plan"]
    try check(run + ["no.json"], 66, "no such file or folder: 'no.json'")
    try check(run + ["Workloads/fetch.yaml"], 65, "'Workloads/fetch.yaml' is not a plan: not JSON")
    try check(run + ["plan.json", "--shard", "3/2"], 64, "'--shard' must be a part")
    try check(run + ["plan.json", "--case", "99"], 64, "the plan has no case and no task '99'")
    try check(["run", "--shard", "1/2", "Workloads"], 64, "'--shard', '--case' and '--attempt'")
    try check(run + ["plan.json", "Workloads"], 64, "'--plan' sets files, store")
    try check(["merge", "plan.json", "--output", "m"], 65, "'plan.json' is not a result")
    let changed = try text("plan.json").replacing("\"trials\" : 1", with: "\"trials\" : 2")
    try program.folder.write(changed, to: "changed.json")
    try check(run + ["changed.json"], 65, "'changed.json' is not a plan: the plan was changed")
    try program.writeFetch("strategy: eager", trials: 1, to: "more")
    try check(run + ["plan.json"], 65, "the plan 'plan.json' does not match its workload files")
    #expect(!program.files().contains("m"))
  }

  @Test func `a run that is killed leaves rows of what was to be run`() throws {
    let running = try program.start([
      "run", "--plan", "plan.json", "--allow-debug", "--output", "dead",
    ])
    for _ in 0..<600 where !program.files(below: "dead").contains("result.json.gz") {
      usleep(20_000)
    }
    kill(running.child.pid, SIGKILL)
    _ = try running.wait()
    let record = try #require(try document("dead").plan)
    #expect(record.cases.count == 5)
    #expect(record.document.hash.count == 64)
    let merged = try program.run(["merge", "dead", "--output", "merged"])
    #expect(merged.status == 75 || record.missing.isEmpty)
  }
}
