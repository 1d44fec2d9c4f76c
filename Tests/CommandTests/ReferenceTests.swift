import Basics
import DataModel
import Foundation
import StoreBenchProgram
import TestSupport
import Testing

@testable import StoreBenchCommand

struct ReferenceTests {
  @Test func `the reference in docs is what the declarations in code make`() throws {
    for (name, text) in try ReferenceCommand.files(of: .storebench) {
      let path = Repository.path("docs/reference/\(name)")
      let kept = try? String(contentsOfFile: path, encoding: .utf8)
      #expect(
        kept == text,
        "docs/reference/\(name) is old: storebench reference --output docs/reference"
      )
    }
  }

  @Test(arguments: [
    ("kinds", "fetch", "strategy"), ("metrics", "sqlite", "sqlite.vmSteps"),
    ("generators", "date", "date"),
  ])
  func `the terminal shows one kind, generator or group of metrics, or lists all`(
    topic: String,
    name: String,
    part: String
  ) {
    let one = RecordingConsole()
    #expect(Storebench.run(["reference", topic, name], on: one.console) == .done)
    #expect(one.output.contains(part), "\(one.output)")
    let all = RecordingConsole()
    #expect(Storebench.run(["reference", topic], on: all.console) == .done)
    #expect(all.output.contains(name))
    let unknown = RecordingConsole()
    #expect(Storebench.run(["reference", topic, "nothing"], on: unknown.console) == .misuse)
    #expect(unknown.errors.contains("'nothing'"))
  }

  @Test func `the list of kinds has each scenario file with its question`() throws {
    let console = RecordingConsole()
    #expect(Storebench.run(["reference", "kinds"], on: console.console) == .done)
    let files = try Self.files(in: "Workloads/scenario").filter {
      !$0.contains("/models/") && !$0.contains("/recipes/")
    }
    #expect(files.count > 10)
    for file in files {
      let name = "Workloads" + file.dropFirst(Repository.path("Workloads").count)
      let lines = console.output.split(separator: "\n").filter { $0.hasPrefix(name) }
      #expect(lines.count == 1 && lines[0].hasSuffix("?"), "\(name)")
    }
  }

  @Test(
    .enabled(if: SchemaValidator.isInstalled, "python3 has no package jsonschema on this machine"),
    arguments: [
      ("recipe", "Workloads/recipes"), ("model", "Workloads/models"), ("workload", "Workloads"),
    ]
  )
  func `the schemas accept every file that comes with StoreBench`(
    schema: String,
    folder: String
  ) throws {
    let files = try Self.files(in: folder).filter { path in
      schema != "workload"
        || !["/recipes/", "/models/", "/maps/"].contains { path.contains($0) }
    }
    #expect(files.count > 5)
    let problems = try SchemaValidator.problems(
      of: files.map(Self.json),
      schema: "docs/reference/schema/\(schema).schema.json"
    )
    for (file, problem) in zip(files, problems) { #expect(problem == "", "\(file)") }
  }

  @Test(.enabled(if: SchemaValidator.isInstalled, "python3 has no package jsonschema"))
  func `the schema of workload files refuses what the reader refuses`() throws {
    let documents = [
      #"{"kind":"fetsh"}"#, #"{"kind":"fetch","parameters":{"strategy":"lazy"}}"#,
      #"{"kind":"fetch","parameters":{"sort":["title"]},"trails":{}}"#,
      #"{"kind":"fetch","parameters":{"share":0.5}}"#, #"{"store":{"path":"a.sqlite"}}"#,
    ]
    let problems = try SchemaValidator.problems(
      of: documents,
      schema: "docs/reference/schema/workload.schema.json"
    )
    #expect(problems.count == documents.count)
    for (document, problem) in zip(documents, problems) { #expect(problem != "", "\(document)") }
  }

  private static func files(in folder: String) throws -> [String] {
    let root = Repository.path(folder)
    return try FileManager.default.subpathsOfDirectory(atPath: root)
      .filter { $0.hasSuffix(".yaml") }.map { root + "/" + $0 }.sorted()
  }

  /// The contents of a YAML file as one line of JSON.
  private static func json(_ path: String) throws -> String {
    let value = try #require(try YAMLDocument.read(path: path, into: Diagnostics(file: path)))
    let data = try JSONSerialization.data(withJSONObject: object(value), options: .sortedKeys)
    return String(decoding: data, as: UTF8.self)
  }

  private static func object(_ value: YAMLValue) -> Any {
    if value.isMapping {
      let entries = value.mapping()?.entries ?? []
      return Dictionary(entries.map { ($0.key, object($0.value)) }) { $1 }
    }
    if value.isSequence { return (value.items() ?? []).map(object) }
    switch value.scalar {
    case .boolean(let value): return value
    case .integer(let value): return value
    case .real(let value): return value
    case .text(let value): return value
    case .null, nil: return NSNull()
    }
  }
}
