import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import StoreBenchCommand

/// Tests setting up the gate for a new user, from an app's model to the first verdict.
@Suite(.serialized) struct NewGateTests {
  private let program: StorebenchProcess

  init() throws {
    program = try StorebenchProcess()
    try FileManager.default.removeItem(atPath: program.folder.path + "/Workloads")
    try writeModel("")
    try program.folder.write("", to: ".git/HEAD")
    try program.folder.write("build\n", to: ".gitignore")
  }

  private func writeModel(_ attributes: String, indexes: String = "") throws {
    try program.folder.write(
      """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Task" representedClassName="Task" syncable="YES">
          <attribute name="title" optional="YES" attributeType="String"/>\(attributes)
          <attribute name="createdAt" optional="YES" attributeType="Date"/>
          <relationship name="list" optional="YES" maxCount="1" deletionRule="Nullify" \
      destinationEntity="List" inverseName="tasks" inverseEntity="List"/>\(indexes)
        </entity>
        <entity name="List" representedClassName="List" syncable="YES">
          <attribute name="name" optional="YES" attributeType="String"/>
          <relationship name="tasks" optional="YES" toMany="YES" deletionRule="Cascade" \
      destinationEntity="Task" inverseName="list" inverseEntity="Task"/>
        </entity>
      </model>
      """,
      to: "Äpp 1/Täsks.xcdatamodeld/Täsks.xcdatamodel/contents"
    )
  }

  @Test(arguments: [
    ("github", ".github/workflows/storebench.yml", "storebench/ci/github@"),
    ("gitlab", ".gitlab/storebench.yml", "ref: "),
  ])
  func `one command writes what a gate needs, and nothing twice`(
    server: String,
    file: String,
    tag: String
  ) throws {
    let new = ["new", "gate", "--model", "Äpp 1/Täsks.xcdatamodeld", "--server", server]
    let made = try program.run(new)
    #expect(made.status == 0, "\(made.errors)")
    let files = program.files()
    // The gate must name a release version, because a branch can change.
    let version = try #require(Storebench.configuration.version.split(separator: " ").last)
    let text = String(decoding: try program.folder.bytes(of: file), as: UTF8.self)
    #expect(text.contains("\(tag)\(version)\n"), "\(text)")
    #expect(files.filter { $0.hasPrefix("Workloads/ci/") && $0.hasSuffix(".yaml") }.count == 4)
    #expect(!files.contains { $0.contains(".new-gate") })
    let ignored = try String(contentsOfFile: program.folder.path + "/.gitignore", encoding: .utf8)
    #expect(ignored == "build\n.storebench/\nstorebench-result/\nResults/runs/\n")
    // A second call must write no files, because the user may have edited them.
    let again = try program.run(new)
    #expect(again.status == 0)
    #expect(!again.errors.contains("wrote "), "\(again.errors)")
  }

  @Test func `the model's next change is seen, and an index that it drops fails with its name`()
    throws
  {
    let index = """
      <fetchIndex name="byDate"><fetchIndexElement property="createdAt" type="Binary" \
      order="descending"/></fetchIndex>
      """
    try writeModel("", indexes: index)
    let made = try program.run(["new", "gate", "--model", "Äpp 1/Täsks.xcdatamodeld"])
    #expect(made.status == 0, "\(made.errors)")
    func compared() throws -> (status: Int32, text: String) {
      let run = [
        "run", "Workloads/ci", "--output", "storebench-result", "--force", "--allow-debug",
      ]
      let ending = try program.run(run)
      try #require(ending.status == 0, "\(ending.errors)")
      let compare = ["compare", "Results/baselines", "storebench-result", "--require-verdict"]
      let compared = try program.run(compare)
      let words = compared.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      return (compared.status, words)
    }
    _ = try compared()
    #expect(try program.run(["baseline", "update", "storebench-result"]).status == 0)
    let same = try compared()
    #expect(same.status == 0 && same.text.hasPrefix("No cost changed"), "\(same.text)")
    try writeModel(
      "<attribute name=\"note\" optional=\"YES\" attributeType=\"String\"/>",
      indexes: index
    )
    let changed = try compared()
    #expect(changed.status == 0, "\(changed.text)")
    #expect(changed.text.contains("new attribute note of Task"), "\(changed.text)")
    try writeModel("")
    let dropped = try compared()
    #expect(dropped.status == 2, "\(dropped.text)")
    #expect(dropped.text.contains("no more index byDate of Task (createdAt)"), "\(dropped.text)")
  }

  private func text(of name: String) throws -> String {
    try String(contentsOfFile: program.folder.file(name), encoding: .utf8)
  }

  @Test func `a second model is gated by files of its own, and those of the first stay`() throws {
    let first = try program.run(["new", "gate", "--model", "Äpp 1/Täsks.xcdatamodeld"])
    try #require(first.status == 0, "\(first.errors)")
    let before = program.files(below: "Workloads")
    let fetch = try text(of: "Workloads/ci/fetch.yaml")
    let model = "entities:\n  Person: { attributes: { name: string } }\n"
    try program.folder.write(model, to: "people.yaml")
    let second = try program.run(["new", "gate", "--model", "people.yaml"])
    #expect(second.status == 0, "\(second.errors)")
    let own = Set(program.files(below: "Workloads")).subtracting(before)
    #expect(own.isSuperset(of: ["ci/people-fetch.yaml", "recipes/people.yaml"]), "\(own)")
    #expect(own.allSatisfy { $0.contains("people") }, "\(own)")
    #expect(try text(of: "Workloads/ci/people-fetch.yaml").contains("\"recipes/people.yaml\""))
    #expect(try text(of: "Workloads/ci/fetch.yaml") == fetch)
    #expect(second.errors.contains("of 'people.yaml' in Workloads/ci"), "\(second.errors)")
    // The recipe of a second model with the same file name is also named after the model's folder.
    try program.folder.write(model, to: "Other/people.yaml")
    let third = try program.run(["new", "gate", "--model", "Other/people.yaml"])
    #expect(third.status == 0, "\(third.errors)")
    let recipe = try text(of: "Workloads/recipes/other-people.yaml")
    #expect(recipe.contains("\"../../Other/people.yaml\""), "\(recipe)")
    #expect(program.files(below: "Workloads").contains("ci/other-people-fetch.yaml"))
    // Recipes that do not name the model belong to the user, so the command must not take them.
    for name in ["people", "other-people"] {
      try program.folder.write("format: 1\n", to: "Workloads/recipes/\(name).yaml")
    }
    let refused = try program.run(["new", "gate", "--model", "Other/people.yaml"])
    #expect(refused.status == 65)
    #expect(refused.errors.contains("do not name the model 'Other/people.yaml'"))
    // For a model that already has a gate, the command must write no files.
    let again = try program.run(["new", "gate", "--model", "Äpp 1/Täsks.xcdatamodeld"])
    #expect(again.status == 0)
    #expect(!again.errors.contains("wrote "), "\(again.errors)")
  }

  @Test(arguments: [
    ("github", ".github/workflows/storebench.yml", "workloads: A/Workloads/ci, baselines: A/Res"),
    ("gitlab", ".gitlab/storebench.yml", "workloads: A/Workloads/ci\n      baselines: A/Results/b"),
  ])
  func `below the root, CI gets paths from the root, and Git from the present folder`(
    server: String,
    file: String,
    inputs: String
  ) throws {
    try program.folder.write("entities:\n  B: { attributes: { c: string } }\n", to: "A/m.yaml")
    let new = "'\(try StorebenchProcess.program())' new gate --model m.yaml --server \(server)"
    let made = try program.start(["-c", "cd A && exec \(new)"], program: "/bin/bash").wait()
    #expect(made.status == 0, "\(made.errors)")
    let text = try text(of: file)
    #expect(text.contains(inputs), "\(text)")
    #expect(
      made.errors.contains("git add Workloads Results/baselines ../.gitignore ../\(file)\n"),
      "\(made.errors)"
    )
    let ignored = try self.text(of: ".gitignore")
    #expect(ignored == "build\n.storebench/\nstorebench-result/\nA/Results/runs/\n")
  }

  @Test func `a model of SwiftData gets a recipe of SwiftData`() throws {
    let model = """
      configurations: { default: [Person] }
      entities:
        Person: { attributes: { name: string } }
      """
    try program.folder.write(model, to: "people.yaml")
    let made = try program.run(["new", "gate", "--model", "people.yaml"])
    #expect(made.status == 0, "\(made.errors)")
    let recipe = program.folder.file("Workloads/recipes/people.yaml")
    let text = try String(contentsOfFile: recipe, encoding: .utf8)
    #expect(text.contains("\nflavour: swiftData "), "\(text)")
  }

  @Test func `a model of which no store can be made is refused with the reason`() throws {
    let model = """
      entities:
        Person:
          attributes:
            address: { type: composite, optional: false, elements: { city: { type: string } } }
      """
    try program.folder.write(model, to: "people.yaml")
    let made = try program.run(["new", "gate", "--model", "people.yaml"])
    #expect(made.status == 65)
    #expect(made.errors.contains("no values can be made for Person.address"), "\(made.errors)")
    #expect(!made.errors.contains("Model("))
  }

  @Test func `a new workload refers to a model instead of copying it`() throws {
    let new = ["new", "workload", "Workloads/scroll", "--store", "Äpp 1/Täsks.xcdatamodeld"]
    #expect(try program.run(new).status == 0)
    let text = try String(
      contentsOfFile: program.folder.path + "/Workloads/scroll-recipe.yaml",
      encoding: .utf8
    )
    #expect(text.contains("model: \"../Äpp 1/Täsks.xcdatamodeld\""), "\(text)")
    #expect(!program.files().contains("Workloads/scroll-model.yaml"))
    #expect(try program.run(["plan", "Workloads/scroll.yaml"]).status == 0)
  }
}
