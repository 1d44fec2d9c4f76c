import Basics
import Foundation
import TestSupport
import Testing

@testable import Runner
@testable import StoreBenchCommand

/// Tests the program on real stores, with worker processes.
struct RunProcessTests {
  private let program: StorebenchProcess
  private let run = ["run", "Workloads/fetch.yaml", "--allow-debug", "--output", "out"]

  init() throws {
    program = try StorebenchProcess()
  }

  private func document(_ folder: String = "out") throws -> ResultDocument {
    try ResultDocument(readingFrom: program.folder.path + "/" + folder)
  }

  @Test func `runs workloads in worker processes and writes all outputs in a folder that it makes`()
    throws
  {
    let folder = "made/before/out"
    let ending = try program.run(run.dropLast() + [folder])
    #expect(ending.status == 0)
    let lines = ending.errors.split(separator: "\n")
    #expect(lines.first?.hasPrefix("time ") == true)
    #expect(lines.dropFirst() == ["wrote \(folder)/result.json.gz", "wrote \(folder)/report.html"])
    #expect(ending.output.contains("2 cases: 2 passed"))
    #expect(
      program.files(below: folder)
        == ["report.html", "result.json.gz", "samples.csv.gz", "summary.csv.gz"]
    )
    let cases = try document(folder).workloads.flatMap(\.cases)
    for result in cases {
      let memory = try #require(result.sample(of: "peakMemory")?.values)
      // The peak memory must be the worker's, without that of the process that started it.
      #expect(memory.allSatisfy { (1 << 20...200 << 20).contains(Int($0)) })
      #expect(result.sample(of: "wallClock")?.values.count == 2)
      #expect(result.sample(of: "sqliteShare") != nil)
    }
    // The run must remove its work files, except the generated store.
    #expect(program.files(below: ".storebench/work") == [])
  }

  @Test func `two runs of one build have equal counters, and none replaces another unless told to`()
    throws
  {
    #expect(try program.run(run).status == 0)
    let refused = try program.run(run)
    #expect(refused.status == 73)
    #expect(
      refused.errors == "'out' holds a result already: choose another folder, or pass --force\n"
    )
    let first = program.folder.file("first")
    try FileManager.default.copyItem(atPath: program.folder.file("out"), toPath: first)
    #expect(try program.run(run + ["--force"]).status == 0)
    let comparison = try program.run(["compare", "first", "out"])
    #expect(comparison.status == 0)
    #expect(comparison.errors.isEmpty)
    for format in ["table", "json", "csv", "samples-csv"] {
      let console = RecordingConsole()
      let report = Storebench.run(["report", first, "--format", format], on: console.console)
      #expect(report == .done)
      #expect(console.output.contains("fetch/batchSize=20,strategy=batched") || format == "table")
    }
  }

  @Test func `adds its summary to that of a GitHub job`() throws {
    let out = RunFolder(path: program.folder.file("out"))
    try FileManager.default.createDirectory(atPath: out.path, withIntermediateDirectories: true)
    let workload = CompareFixture.workload(steps: 100, syncs: 2, seconds: 1)
    try out.write(ResultDocument(environment: .example, workloads: [workload]))
    let summary = try program.folder.write("before\n", to: "summary.md")
    let compare = ["compare", "out", "out", "--format", "github"]
    let ending = try program.run(compare, environment: ["GITHUB_STEP_SUMMARY": summary])
    #expect(ending.status == 0)
    #expect(!ending.output.isEmpty && ending.errors.isEmpty)
    let text = try String(contentsOfFile: summary, encoding: .utf8)
    #expect(text.hasPrefix("before\n# StoreBench comparison\n\n## No cost changed\n"))
    let nowhere = try program.run(compare, environment: ["GITHUB_STEP_SUMMARY": "no/where"])
    #expect(nowhere.status == 73)
    #expect(nowhere.errors == "cannot write 'no/where': GITHUB_STEP_SUMMARY names no file\n")
  }

  @Test func `a case that fails is named, and the run ends with 1`() throws {
    try program.folder.write(
      "kind: fetch\nstore: { recipe: recipes/tasks.yaml }\ntrials: { timeLimit: 1 ms }\n",
      to: "Workloads/hasty.yaml"
    )
    let ending = try program.run(["run", "Workloads/hasty.yaml"] + run.dropFirst(2))
    #expect(ending.status == 1)
    #expect(ending.output.contains("FAILED"))
    #expect(try document().failedCases.map(\.id) == ["hasty"])
  }

  @Test func `a name that the store does not have refuses the run before anything is made`() throws
  {
    let ending = try program.run(run + ["--set", "entity=Tusk"])
    #expect(ending.status == 65)
    #expect(
      ending.errors == "--set entity=Tusk: error: the store has no entity 'Tusk'; did you mean "
        + "'Task'?\n"
    )
    #expect(program.files(below: "out") == [])
    #expect(program.files(below: ".storebench") == [])
  }

  @Test func `a page that cannot be written is no bug, and the result stays`() throws {
    try program.folder.write("in the way", to: "out/report.html/file")
    let ending = try program.run(run)
    #expect(ending.status == 73)
    #expect(ending.errors.contains("cannot write 'out/report.html': "))
    #expect(try document().failedCases.isEmpty)
  }

  @Test(arguments: [
    (
      ["--output", "Workloads/fetch.yaml/out"], 73,
      "cannot write 'Workloads/fetch.yaml/out': not a directory"
    ),
    (["--store", "no.sqlite"], 66, "there is no store at 'no.sqlite'"),
    (
      ["--store", "Workloads/fetch.yaml"], 65,
      "'Workloads/fetch.yaml' is not a SQLite file; name the store's main file, such as App.sqlite"
    ),
    (["--store", "."], 66, "cannot read '.': it is no file"),
    (
      ["--filter", "nothing"], 64,
      "no case matches 'nothing'; case IDs look like 'fetch/strategy=eager', "
        + "and '*' stands for any text"
    ),
    (
      ["--set", "stratgy=eager"], 65,
      "Workloads/fetch.yaml: error: the kind 'fetch' has no parameter 'stratgy'; "
        + "did you mean 'strategy'?"
    ),
    (
      ["--work-folder", "Workloads/fetch.yaml/scratch"], 73,
      "cannot write 'Workloads/fetch.yaml/scratch/work': not a directory"
    ),
  ])
  func `says in one line why nothing was run`(
    arguments: [String],
    status: Int,
    message: String
  ) throws {
    let before = program.files(below: "Workloads")
    let ending = try program.run(["run", "Workloads/fetch.yaml", "--allow-debug"] + arguments)
    #expect(ending.status == status)
    #expect(ending.errors == message + "\n")
    #expect(ending.output.isEmpty)
    #expect(program.files(below: "Workloads") == before)
  }

  @Test func `makes a folder of its own for each result`() throws {
    #expect(try program.run(Array(run.dropLast(2))).status == 0)
    let folders = try FileManager.default.contentsOfDirectory(
      atPath: program.folder.path + "/Results/runs"
    )
    .sorted()
    // The first entry, `.gitignore`, keeps the folder's contents out of git.
    #expect(folders.count == 2 && folders.first == ".gitignore")
    let name = try #require(folders.last)
    #expect(name.hasSuffix("Z-fetch"))
  }

  @Test func `Ctrl-C keeps what is finished and leaves no copy and no process`() throws {
    let running = try program.start(run + ["--trials", "100000"])
    program.waitForCopies()
    usleep(300_000)
    kill(running.child.pid, SIGINT)
    let ending = try running.wait()
    #expect(ending.status == 130)
    #expect(ending.errors.hasPrefix("interrupted before the first of "), "\(ending.errors)")
    #expect(program.files(below: ".storebench/work") == [])
    #if os(Linux)
      #expect(workers(of: running.child.pid) == [])
    #endif
  }

  @Test func `removes what a run that was killed has left`() throws {
    let running = try program.start(run + ["--trials", "100000"])
    program.waitForCopies()
    kill(running.child.pid, SIGKILL)
    #expect(try running.wait().status == -SIGKILL)
    #expect(program.files(below: ".storebench/work") != [])
    #expect(try program.run(run + ["--force"]).status == 0)
    #expect(program.files(below: ".storebench/work") == [])
  }

  @Test func `a debug build measures only if allowed to`() throws {
    let ending = try program.run(["run", "Workloads/fetch.yaml"])
    #if DEBUG
      #expect(ending.status == 64)
      #expect(ending.errors.hasPrefix("times of a debug build"))
    #else
      #expect(ending.status == 0)
    #endif
  }

  @Test func `generates the same bytes from the same seed`() throws {
    let recipe = ["generate", "Workloads/recipes/tasks.yaml"]
    for (name, seed) in [("a", "1"), ("b", "1"), ("c", "2")] {
      let ending = try program.run(
        recipe + ["-o", name, "--seed", seed, "--objects", "Task=1_000"]
      )
      #expect(ending.status == 0)
      #expect(ending.output == name + "\n")
    }
    let bytes = ["a", "b", "c"].map {
      FileManager.default.contents(atPath: program.folder.path + "/" + $0)
    }
    #expect(bytes[0] == bytes[1])
    #expect(bytes[0] != bytes[2])
    #expect(try program.run(recipe + ["-o", "a"]).status == 73)
    #expect(try program.run(recipe + ["-o", "a", "--force"]).status == 0)
  }

  #if os(Linux)
    /// Returns the IDs of the worker processes whose parent is the process `parent`.
    private func workers(of parent: Int32) -> [String] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      return names.filter { name in
        let line = try? String(contentsOfFile: "/proc/\(name)/cmdline", encoding: .utf8)
        let status = (try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8)) ?? ""
        let own = status.split(separator: ")").last?.split(separator: " ") ?? []
        return line?.contains("storebench\0worker") == true && own.count > 1
          && own[1] == "\(parent)"
      }
    }
  #endif
}
