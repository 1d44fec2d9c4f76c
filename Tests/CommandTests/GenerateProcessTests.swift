import Foundation
import TestSupport
import Testing

@testable import Runner

/// Tests that the program makes stores, also after it was killed.
struct GenerateProcessTests {
  private let program: StorebenchProcess
  private let generate = [
    "generate", "Workloads/recipes/tasks.yaml", "--output", "out/store.sqlite",
  ]

  init() throws {
    program = try StorebenchProcess()
  }

  private func store() -> Data? {
    FileManager.default.contents(atPath: program.folder.path + "/out/store.sqlite")
  }

  @Test func `killed at any moment it leaves no store, and the next run removes what it left`()
    throws
  {
    let generate = generate + ["--objects", "Task=10000", "--force"]
    let start = DispatchTime.now()
    #expect(try program.run(generate).status == 0)
    let microseconds = (DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1_000
    let whole = try #require(store())
    // A process can end before it is killed, so that more attempts than kills are needed.
    var (kills, moment) = (0, 0)
    while kills < 12, moment < 100 {
      moment += 1
      try FileManager.default.removeItem(atPath: program.folder.path + "/out/store.sqlite")
      let running = try program.start(generate)
      usleep(UInt32(microseconds) / 23 * UInt32(moment % 23))
      running.child.killGroup()
      let ending = try running.wait()
      if ending.status == -SIGKILL { kills += 1 }
      // A store under its final name must be complete, even if the process was killed right after
      // renaming.
      if let store = store() { #expect(store == whole) }
      if ending.status == 0 { #expect(store() == whole) }
      #expect(try program.run(generate).status == 0)
      #expect(program.files(below: "out") == ["store.sqlite"])
      #expect(store() == whole)
    }
    #expect(kills == 12)
  }

  @Test(arguments: [("bulk", 73), ("sql", 74)], [8, 64, 512])
  func `without room for the store it says so and leaves nothing`(
    writer: (name: String, status: Int32),
    blocks: Int
  ) throws {
    let arguments = generate + ["--objects", "Task=20000", "--writer", writer.name]
    let ending = try program.start(arguments, fileBlocks: blocks).wait()
    #expect(ending.status == writer.status)
    #expect(ending.errors.split(separator: "\n").count == 1)
    #expect(program.files(below: "out") == [])
    #expect(try program.run(arguments).status == 0)
    #expect(program.files(below: "out") == ["store.sqlite"])
  }

  @Test func `the digest is compared with the published one`() throws {
    let verify = generate + ["--verify", "--force"]
    let unknown = try program.run(verify)
    #expect(unknown.status == 65)
    #expect(
      unknown.errors
        == "digests.txt beside 'Workloads/recipes/tasks.yaml' has no digest of this store: "
        + "'--verify' works only with the recipe's own seed and counts\n"
    )
    #expect(store() == nil)
    let wrong = String(repeating: "0", count: 64)
    let digests = "Workloads/recipes/digests.txt"
    try program.folder.write("\(wrong)  tasks.sqlite\n", to: digests)
    let different = try program.run(verify)
    #expect(different.status == 1)
    #expect(different.errors.hasSuffix("the digest differs from the published digest, \(wrong)\n"))
    let digest = try #require(different.output.split(separator: "\n").last?.prefix(64))
    try program.folder.write("\(digest)  tasks.sqlite\n", to: digests)
    #expect(try program.run(verify).status == 0)
    #expect(try program.run(verify + ["--seed", "6"]).status == 65)
  }
}
