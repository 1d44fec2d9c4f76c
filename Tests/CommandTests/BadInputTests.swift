import Basics
import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite
import TestSupport
import Testing

@testable import StoreBenchCommand

/// Tests that bad input is refused with one message and status 65, and that nothing is written.
struct BadInputTests {
  private static let markup = "<?xml version=\"1.0\"?>"

  /// A property list with an array that contains itself.
  private static let cycle: [UInt8] =
    Array("bplist00".utf8) + [0xa1, 0, 8] + [0, 0, 0, 0, 0, 0, 1, 1]
    + [1, 0, 10].flatMap { [0, 0, 0, 0, 0, 0, 0, $0] }

  /// XML with an entity that contains another entity ten times.
  private static let bomb: String =
    markup + "<!DOCTYPE model [<!ENTITY a \"aaaaaaaaaa\">"
    + "<!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">]><model><entity name=\"&b;\"/></model>"

  struct Input: Sendable, CustomTestStringConvertible {
    let path: String
    let file: String
    let bytes: [UInt8]
    let reason: String
    var testDescription: String { path }

    init(_ path: String, with file: String? = nil, _ bytes: [UInt8], _ reason: String) {
      (self.path, self.bytes, self.reason) = (path, bytes, reason)
      self.file = file.map { path + "/" + $0 } ?? path
    }
  }

  static let inputs = [
    Input("Text.xcdatamodel", with: "contents", Array("a model".utf8), "not well-formed XML"),
    Input("Other.xcdatamodel", with: "contents", Array("<plist/>".utf8), "instead of a model"),
    Input("Bomb.xcdatamodel", with: "contents", Array(bomb.utf8), "declares XML entities"),
    Input("Cycle.momd", with: "Cycle.mom", cycle, "contains itself"),
    Input("Noise.mom", [1, 2, 3, 4], "not a binary property list"),
    Input("Words.yaml", Array("just some words".utf8), "must be a mapping"),
    Input(
      "A.xcmappingmodel",
      with: "xcmapping.xml",
      Array("<database/>".utf8),
      "it is a mapping model"
    ),
  ]

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let model = Model(entities: [
      Entity(name: "Note", attributes: [Attribute(name: "title", type: .string)])
    ])
    try folder.write(ModelWriter.text(of: model), to: "v1.yaml")
    let store = try PersistentStore.create(at: folder.file("s.sqlite"), model: model)
    for key in 1...3 {
      try store.connection.execute(
        "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (\(key), 1, 1, 'a')"
      )
    }
    try folder.write(
      "kind: migration\nparameters: { strategy: lightweight }\ntrials: { trials: 1 }\n",
      to: "app.yaml"
    )
    try folder.write(
      "format: 1\nmodel: v1.yaml\nentities: { Note: { count: 1 } }\n",
      to: "recipe.yaml"
    )
  }

  private func refuse(_ arguments: [String], reason: String) throws {
    let before = try folder.contents()
    let console = RecordingConsole()
    let status = Storebench.run(arguments, on: console.console)
    let command = "\(arguments): \(console.output)\(console.errors)"
    #expect(status == .badInput, "\(command)")
    #expect(console.errors.contains(reason), "\(command)")
    // Ignore the additional line about the recipe for an error in a recipe's model.
    let lines = console.errors.split(separator: "\n").filter { !$0.hasSuffix("has errors") }
    #expect(lines.count == 1, "\(command)")
    #expect(lines.allSatisfy { $0.contains(folder.path) }, "\(command)")
    #expect(try folder.contents() == before)
  }

  @Test(arguments: inputs)
  func `is refused by every command that takes a model`(input: Input) throws {
    try folder.write(input.bytes, to: input.file)
    let path = folder.file(input.path)
    let store = folder.file("s.sqlite")
    try refuse(["inspect", path], reason: input.reason)
    try refuse(["inspect", store, path], reason: input.reason)
    try refuse(["inspect", store, "--model", path], reason: input.reason)
    try refuse(
      ["run", folder.file("app.yaml"), "--store", store, "--set", "to=\(path)", "--allow-debug"],
      reason: input.reason
    )
    try folder.write(
      "format: 1\nmodel: \(input.path)\nentities: { Note: { count: 1 } }\n",
      to: "other.yaml"
    )
    try refuse(
      ["generate", folder.file("other.yaml"), "--output", folder.file("made.sqlite")],
      reason: input.reason
    )
    try refuse(
      [
        "generate", "--like", store, "--model", path, "--output", folder.file("made.sqlite"),
        "--work-folder", folder.path,
      ],
      reason: input.reason
    )
  }

  @Test func `what is wrong with a copy is said of the store that was given`() throws {
    let store = folder.file("s.sqlite")
    try Connection(path: store, mode: .readWrite)
      .execute("ALTER TABLE ZNOTE RENAME COLUMN ZTITLE TO ZOTHER")
    // Create the work folder, which must exist before a store is copied into it.
    let work = try TemporaryFolder()
    try refuse(
      [
        "generate", "--like", store, "--output", folder.file("made.sqlite"), "--work-folder",
        work.path,
      ],
      reason: "the store '\(store)' is damaged: ZNOTE is not an ordinary table"
    )
  }

  @Test func `a store without a column of its model is named by its own path in every case`() throws
  {
    let store = folder.file("s.sqlite")
    try Connection(path: store, mode: .readWrite)
      .execute("ALTER TABLE ZNOTE DROP COLUMN ZTITLE")
    let work = try TemporaryFolder()
    let program = try StorebenchProcess()
    try folder.write("kind: fetch\n", to: "fetch.yaml")
    let ending = try program.run([
      "run", folder.file("fetch.yaml"), "--store", store, "--allow-debug", "--trials", "1",
      "--output", work.file("out"), "--work-folder", work.path,
    ])
    #expect(ending.status == 1)
    let causes = try ResultDocument(readingFrom: work.file("out")).workloads.flatMap(\.cases)
      .map(\.outcome)
    #expect(!causes.isEmpty)
    for case .failed(let cause) in causes {
      #expect(cause.contains("the store '\(store)' does not match its model: table ZNOTE has no"))
    }
    #expect(causes.allSatisfy { if case .failed = $0 { true } else { false } })
  }

  @Test func `a mapping model for other versions is refused with what differs`() throws {
    var archive = EditorArchive()
    let entities = ["Person", "Car", "Maker"].map { ($0, archive.entity($0, [])) }
    let copy = Data(archive.model(entities)).base64EncodedString()
    try folder.write(
      """
      <database><object type="XDDEVMAPPINGMODEL" id="z1">
      <attribute name="sourcemodelpath">App/V1.xcdatamodel</attribute>
      <attribute name="destinationmodelpath">App/V2.xcdatamodel</attribute>
      <attribute name="sourcemodeldata" type="binary">\(copy)</attribute>
      <attribute name="destinationmodeldata" type="binary">\(copy)</attribute>
      </object></database>
      """,
      to: "B.xcmappingmodel/xcmapping.xml"
    )
    try folder.write(
      "identifier: '2'\nentities:\n  Note: { attributes: { title: string, body: string } }\n",
      to: "v2.yaml"
    )
    try refuse(
      [
        "run", folder.file("app.yaml"), "--store", folder.file("s.sqlite"), "--allow-debug",
        "--set", "strategy=mappingModel", "--set", "to=\(folder.file("v2.yaml"))",
        "--set", "map=\(folder.file("B.xcmappingmodel"))",
      ],
      reason: "the mapping model is for other versions, V1 to V2: its source has an entity 'Car'"
    )
  }
}
