import Foundation
import TestSupport
import Testing

@testable import StoreBenchCommand

/// Tests that every command that `inspect` prints for two stores works on them.
struct NextStepsTests {
  private static let workloads = Repository.path("Workloads")

  /// The recipes of two stores: the model, the flavor and the entity that has objects.
  struct Pair: Sendable, CustomTestStringConvertible {
    let name: String
    let old: (model: String, flavour: String, entity: String)
    let new: (model: String, flavour: String, entity: String)
    /// The file of a mapping that the user must write first, if any.
    var map: String?
    var testDescription: String { name }
  }

  static let pairs = [
    Pair(
      name: "other names",
      old: ("planner/v1.yaml", "coreData", "CDTask"),
      new: ("planner/v2.yaml", "swiftData", "Task")
    ),
    Pair(
      name: "other names and nothing else",
      old: ("planner/v1.yaml", "coreData", "CDTask"),
      new: ("planner/renamed.yaml", "swiftData", "Task"),
      map: "maps/renamed.yaml"
    ),
    Pair(
      name: "a next version",
      old: ("tasks/v1.yaml", "coreData", "Task"),
      new: ("tasks/v2.yaml", "coreData", "Task")
    ),
    Pair(
      name: "SwiftData to SwiftData",
      old: ("planner/v2.yaml", "swiftData", "Task"),
      new: ("planner/v2.yaml", "swiftData", "Task")
    ),
  ]

  @Test(arguments: pairs)
  func `works`(pair: Pair) throws {
    let process = try StorebenchProcess()
    try generate(pair.old, 40, "Old store.sqlite", process)
    try generate(pair.new, 0, "default.store", process)
    // Copy the workloads, because the program reads them from its current folder.
    try shell("rm -rf Workloads && cp -R '\(Self.workloads)' Workloads", process)
    var arguments = ["inspect", "Old store.sqlite", "default.store", "--checklist"]
    if let map = pair.map { arguments += ["--map", Self.workloads + "/" + map] }
    var waiting = try commands(after: arguments, process)
    var (done, ran): (Set<String>, Int) = ([], 0)
    while let command = waiting.first {
      waiting.removeFirst()
      guard done.insert(command).inserted else { continue }
      // A debug build needs permission to measure, and one trial is enough.
      let isRun = command.hasPrefix("storebench run ")
      let typed = isRun ? command + " --allow-debug --trials 1 --output out\(ran)" : command
      let output = try shell(typed, process)
      if isRun { ran += 1 }
      waiting += Self.commands(in: output)
    }
    #expect((ran > 0) == (pair.name != "SwiftData to SwiftData"))
  }

  private func generate(
    _ side: (model: String, flavour: String, entity: String),
    _ count: Int,
    _ name: String,
    _ process: StorebenchProcess
  ) throws {
    let path = try process.folder.write(
      """
      format: 1
      model: \(Self.workloads)/models/\(side.model)
      flavour: \(side.flavour)
      seed: 3
      entities:
        \(side.entity): { count: \(count) }
      """,
      to: name + ".yaml"
    )
    let ending = try process.run(["generate", path, "--output", name])
    #expect(ending.status == 0, "\(ending.errors)")
  }

  private func commands(
    after arguments: [String],
    _ process: StorebenchProcess
  ) throws -> [String] {
    let ending = try process.run(arguments)
    #expect(ending.status == 0, "\(ending.errors)")
    return Self.commands(in: ending.output)
  }

  private static func commands(in output: String) -> [String] {
    guard let next = output.range(of: "\nNext\n") else { return [] }
    return output[next.upperBound...].split(separator: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) }.filter { $0.hasPrefix("storebench ") }
  }

  @discardableResult
  private func shell(_ command: String, _ process: StorebenchProcess) throws -> String {
    let folder = (try StorebenchProcess.program() as NSString).deletingLastPathComponent
    let path = folder + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
    let ending = try process.start(
      ["-c", command],
      environment: ["PATH": path],
      program: "/bin/sh"
    )
    .wait()
    #expect(ending.status == 0, "\(command): \(ending.errors.suffix(600))")
    return ending.output
  }
}
