import Foundation
import Reporter
import Runner
import TestSupport
import Testing

@testable import StoreBenchCommand

/// Fleets of users' stores by the program itself.
struct FleetProcessTests {
  private let program: StorebenchProcess

  init() throws {
    program = try StorebenchProcess()
    try program.folder.write("objects,users\n40,6\n90,3\n200,1\n", to: "users.csv")
    try program.folder.write(
      "kind: migration\nstore: { recipe: recipes/tasks.yaml }\nparameters: { to: +Task }\n",
      to: "Workloads/migration.yaml"
    )
  }

  private let users = ["--population", "users.csv", "--count", "6"]

  private func document(_ name: String) throws -> ResultDocument {
    try ResultDocument(readingFrom: program.folder.path + "/" + name)
  }

  @Test func `the parts of a fleet merge to the result of one machine, store by store`() throws {
    let file = ["Workloads/migration.yaml"]
    let plan = try program.run(["plan"] + file + users + ["--output", "plan.json"])
    #expect(plan.status == 0, "\(plan.errors)")
    for part in ["1/2", "2/2"] {
      let ending = try program.run(
        ["run", "--plan", "plan.json", "--shard", part, "--allow-debug", "--output"]
          + ["part" + part.prefix(1)]
      )
      #expect(ending.status == 0, "\(ending.errors)\(ending.output)")
    }
    let merged = try program.run(["merge", "part1", "part2", "--output", "merged"])
    #expect(merged.status == 0, "\(merged.errors)")
    #expect(merged.output.hasPrefix("Fleet of 6 users\n"))
    #expect(merged.output.contains("over 3 s (white screen)  0.0 % (0.0 % to 46 %), 0 of 6\n"))
    let whole = try program.run(["run"] + file + users + ["--allow-debug", "--output", "whole"])
    #expect(whole.status == 0, "\(whole.errors)")
    let (one, parts) = try (document("whole"), document("merged"))
    #expect(one.workloads.map(\.user?.number) == [1, 2, 3, 4, 5, 6])
    #expect(Set(one.workloads.compactMap(\.user?.objects)).isSubset(of: [40, 90, 200]))
    // What is the same for all users is there once.
    #expect(one.workloads.map(\.inputs.isEmpty) == [false, true, true, true, true, true])
    for (mine, theirs) in zip(one.workloads, parts.workloads) {
      #expect(mine.user == theirs.user)
      #expect(mine.store == theirs.store)
      #expect(mine.cases.flatMap(\.exactSamples) == theirs.cases.flatMap(\.exactSamples))
    }
    // Made, measured and deleted one by one.
    #expect(!program.files(below: ".storebench").contains { $0.hasSuffix(".sqlite") })
    let page = try String(
      contentsOfFile: program.folder.path + "/merged/report.html",
      encoding: .utf8
    )
    #expect(page.contains("Fleet of 6 users"))
    #expect(page.count < 100_000)
  }

  @Test func `a user's store is made again by its number, in any part`() throws {
    let make = ["generate", "Workloads/recipes/tasks.yaml"] + users
    let whole = try program.run(make + ["--output", "whole"])
    #expect(whole.status == 0, "\(whole.errors)")
    #expect(whole.output == "whole/fleet.csv\n")
    let part = try program.run(make + ["--shard", "2/3", "--output", "part"])
    #expect(part.status == 0, "\(part.errors)")
    let stores = program.files(below: "part").filter { $0.hasSuffix(".sqlite") }
    #expect(stores.sorted() == ["user-2.sqlite", "user-5.sqlite"])
    for store in stores {
      let paths = ["whole", "part"].map { program.folder.path + "/\($0)/\(store)" }
      let bytes = paths.map { FileManager.default.contents(atPath: $0) }
      #expect(bytes[0] != nil && bytes[0] == bytes[1])
    }
    let list = try String(
      contentsOfFile: program.folder.path + "/part/fleet-2-of-3.csv",
      encoding: .utf8
    )
    #expect(list.hasPrefix("user,file,objects,version,years,dirt,seed,bytes\n2,user-2.sqlite,"))
    #expect(list.split(separator: "\n").count == 3)
  }

  @Test func `says in one line what a fleet cannot be made of`() throws {
    func check(_ arguments: [String], _ status: Int32, _ message: String) throws {
      let ending = try program.run(arguments)
      #expect(ending.status == status, "\(arguments) \(ending.errors)")
      #expect(ending.errors.contains(message), "\(ending.errors)")
      #expect(ending.errors.split(separator: "\n").count == 1, "\(ending.errors)")
    }
    try program.folder.write("bytes\n100000\n", to: "bytes.csv")
    let run = ["run", "Workloads/migration.yaml", "--allow-debug"]
    try check(run + ["--population", "none.csv"], 66, "no such file or folder: 'none.csv'")
    try check(run + ["--population", "bytes.csv"], 65, "'bytes.csv' has sizes in bytes")
    try check(run + ["--count", "5"], 64, "need '--population'")
    try check(run + users + ["--versions", "no.yaml"], 66, "no such file or folder: 'no.yaml'")
    try check(run + ["--population", "users.csv", "--count", "0"], 64, "'--count' must be from 1")
    let generate = ["generate", "Workloads/recipes/tasks.yaml"]
    try check(generate + ["--shard", "1/2"], 64, "'--shard' is for '--population'")
    try check(
      generate + users + ["--seed", "3"],
      64,
      "use '--fleet-seed' and '--versions' instead"
    )
    let forecast = ["forecast", "Workloads/migration.yaml", "--allow-debug"]
    try check(forecast + ["--counted", "x"], 64, "'--counted' needs '--population'")
    #expect(try program.run(run + users + ["--output", "fleet"]).status == 0)
    let counted = forecast + ["--population", "users.csv", "--counted", "fleet"]
    try check(counted, 65, "there is no prediction yet")
  }
}
