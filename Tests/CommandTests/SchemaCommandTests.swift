#if SwiftSource
  import Basics
  import Foundation
  import SQLite
  import TestSupport
  import Testing

  @testable import StoreBenchCommand

  /// Tests `schema check` and `schema lock`, and Swift sources that are passed instead of a model.
  struct SchemaCommandTests {
    private let folder: TemporaryFolder

    private static func version(_ number: Int, _ body: String) -> String {
      """
      import SwiftData
      enum V\(number): VersionedSchema {
        static var versionIdentifier = Schema.Version(\(number), 0, 0)
        static var models: [any PersistentModel.Type] { [Trip.self] }
        @Model final class Trip {
          \(body)
        }
      }

      """
    }

    private static let plan = """
      import SwiftData
      typealias Trip = V2.Trip
      enum P: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
        static var stages: [MigrationStage] {
          [.lightweight(fromVersion: V1.self, toVersion: V2.self)] }
      }
      func open() throws { _ = try ModelContainer(for: Trip.self, migrationPlan: P.self) }
      """

    init() throws {
      folder = try TemporaryFolder()
      let sources = folder.file("Sources")
      try FileManager.default.createDirectory(atPath: sources, withIntermediateDirectories: true)
      try write(
        v1: "var name: String\n    var size: Int",
        v2: "var name: String; var size: Int; var b: Int?"
      )
      try folder.write(Self.plan, to: "Sources/Plan.swift")
    }

    private func write(v1: String, v2: String) throws {
      try folder.write(Self.version(1, v1), to: "Sources/V1.swift")
      try folder.write(Self.version(2, v2), to: "Sources/V2.swift")
    }

    /// Runs a command; words that begin with `./` are paths in the test's folder.
    private func run(
      _ words: String,
      program: Program? = nil
    ) -> (status: CommandStatus, output: String, errors: String) {
      let recording = RecordingConsole()
      let arguments = words.split(separator: " ").map { word in
        word.hasPrefix("./") ? folder.file(String(word.dropFirst(2))) : String(word)
      }
      var console = recording.console
      if let program {
        console = Console(
          write: console.write,
          writeError: console.writeError,
          width: 80,
          isColoured: false,
          showsProgress: false,
          program: program
        )
      }
      let status = Storebench.run(arguments, on: console)
      return (status, recording.output, recording.errors)
    }

    private func lock() { _ = run("schema lock ./Sources --output ./schema.lock") }

    /// Makes a store of a locked version, with 40 trips that share two names.
    private func store(of version: String, _ name: String) throws {
      try folder.write(
        """
        format: 1
        model: schema.lock#\(version)
        framework: 1345
        flavour: swiftData
        entities:
          Trip: { count: 40, attributes: { name: { weighted: { a: 1, b: 1 } } } }
        """,
        to: "\(name).yaml"
      )
      let ending = run("generate ./\(name).yaml --output ./\(name).store")
      #expect(ending.status == .done, "\(ending.errors)")
    }

    @Test func `what was locked is accepted, and a change of it is found at its line`() throws {
      lock()
      let check = "schema check ./Sources --lock ./schema.lock --format github"
      #expect(run(check).status == .done)
      try write(
        v1: "var name: String\n    var size: String",
        v2: "var name: String; var size: Int; var b: Int?"
      )
      let ending = run(check)
      #expect(ending.status == .regression)
      let file = folder.file("Sources/V1.swift")
      #expect(ending.output.contains("::error file=\(file),line=7,title=shippedVersionChanged::"))
    }

    @Test func `the job on the page has ten lines, and its check runs`() throws {
      let page = try String(contentsOfFile: Repository.path("docs/schema.md"), encoding: .utf8)
      let start = try #require(page.range(of: "```yaml\n")).upperBound
      let end = try #require(page[start...].range(of: "```")).lowerBound
      let lines = page[start..<end].split(separator: "\n").filter { !$0.hasPrefix("#") }
      #expect(lines.count == 10)
      let prefix = "- run: storebench "
      let command = try #require(
        lines.compactMap { $0.range(of: prefix).map { $0.upperBound } }.last
      )
      let words = try #require(lines.last)[command...]
      lock()
      let ending = run(
        String(words).replacing("Sources", with: "./Sources").replacing(
          "schema.lock",
          with: "./schema.lock"
        )
      )
      #expect(ending.status == .done, "\(ending.errors)")
      #expect(ending.output.contains("::notice"))
    }

    @Test func `each format has the findings`() throws {
      lock()
      try write(v1: "var name: String", v2: "var name: String; var b: Int?")
      for (format, text) in [
        ("text", "The schema check fails"), ("json", "\"fails\""),
        ("junit", "<failure type=\"error\""), ("github", "::error"),
      ] {
        let ending = run("schema check ./Sources --lock ./schema.lock --format \(format)")
        #expect(ending.status == .regression)
        #expect(ending.output.contains(text), "\(ending.output)")
      }
    }

    @Test func `a locked version is replaced only if that is asked for`() throws {
      lock()
      let first = try String(contentsOfFile: folder.file("schema.lock"), encoding: .utf8)
      try write(v1: "var name: String", v2: "var name: String; var b: Int?")
      let ending = run("schema lock ./Sources --output ./schema.lock")
      #expect(ending.errors.contains("kept V1, V2 as locked"), "\(ending.errors)")
      #expect(ending.errors.contains("'--replace'"))
      #expect(try String(contentsOfFile: folder.file("schema.lock"), encoding: .utf8) == first)
      _ = run("schema lock ./Sources --output ./schema.lock --replace")
      #expect(try String(contentsOfFile: folder.file("schema.lock"), encoding: .utf8) != first)
    }

    @Test func `a locked version that the sources lack is named with those in the file`() throws {
      lock()
      try folder.write("", to: "Sources/V1.swift")
      let ending = run("schema lock ./Sources --output ./schema.lock")
      #expect(ending.status == .done)
      #expect(ending.errors.contains("2 versions: V1, V2"), "\(ending.errors)")
    }

    @Test func `a store of a locked version matches it, also in a plan of its own sources`() throws
    {
      lock()
      try store(of: "V1", "old")
      let ending = run("schema check ./Sources --store ./old.store")
      #expect(ending.status == .done, "\(ending.output)\(ending.errors)")
      #expect(ending.output.contains(/matches\s+V1/))
    }

    @Test func `a Core Data store is judged for SwiftData where the new side is Swift sources`()
      throws
    {
      try folder.write(
        "entities:\n  Trip: { attributes: { name: string, size: integer64 } }",
        to: "model.yaml"
      )
      try folder.write(
        "format: 1\nmodel: model.yaml\nentities:\n  Trip: { count: 3 }",
        to: "old.yaml"
      )
      #expect(run("generate ./old.yaml --output ./old.sqlite").status == .done)
      let ending = run("inspect ./old.sqlite ./Sources")
      #expect(ending.status == .done, "\(ending.errors)")
      #expect(ending.output.contains("\nSwiftData on iOS 18\n"), "\(ending.output)")
    }

    @Test func `a store that no version describes is refused by a plan, and inferred without`()
      throws
    {
      lock()
      try store(of: "V1", "old")
      try write(v1: "var name: String", v2: "var name: String; var b: Int?")
      let planned = run("schema check ./Sources --store ./old.store")
      #expect(planned.status == .regression)
      #expect(planned.output.contains("134504"))
      try folder.write(
        Self.plan.replacing(", migrationPlan: P.self", with: ""),
        to: "Sources/Plan.swift"
      )
      let inferred = run("schema check ./Sources --store ./old.store")
      #expect(inferred.output.contains("it would work"), "\(inferred.output)")
      #expect(!inferred.output.contains("✗"))
      #expect(inferred.status == .done)
    }

    @Test func `whether a store opens that only may match is not known`() throws {
      lock()
      try store(of: "V2", "new")
      try write(
        v1: "var name: String; var size: Int",
        v2: "@Attribute(.preserveValueOnDeletion) var name: String; var size: Int; var b: Int?"
      )
      let ending = run("schema check ./Sources --store ./new.store --format json")
      #expect(ending.status == .done, "\(ending.output)")
      #expect(ending.output.contains("\"if it does, it opens as it is\""), "\(ending.output)")
      #expect(!ending.output.contains("\"opens\" : true"))
    }

    @Test func `duplicates under a new unique constraint are counted`() throws {
      lock()
      try store(of: "V1", "old")
      try write(
        v1: "var name: String; var size: Int",
        v2: "@Attribute(.unique) var name: String; var size: Int; var b: Int?"
      )
      let ending = run("schema check ./Sources --store ./old.store")
      #expect(ending.status == .regression)
      #expect(ending.output.replacing("\n", with: " ").contains("40 objects"), "\(ending.output)")
      let ofOther = Self.plan.replacing("migrationPlan: P.self", with: "migrationPlan: Q.self")
        .replacing(".lightweight(", with: ".custom(")
        .replacing("toVersion: V2.self", with: "toVersion: V2.self, willMigrate: nil")
      try folder.write(
        ofOther + """

          enum Q: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [V2.self] }
            static var stages: [MigrationStage] { [] }
          }

          """,
        to: "Sources/Plan.swift"
      )
      let mended = run("schema check ./Sources --store ./old.store")
      #expect(mended.status == .done, "\(mended.output)")
    }

    @Test func `a stage that cannot migrate a store is not said to migrate it`() throws {
      lock()
      try store(of: "V1", "old")
      let json = "schema check ./Sources --store ./old.store --format json"
      let sound = run(json)
      #expect(sound.output.contains("\"the plan's stages from V1 migrate it\""), "\(sound.output)")
      #expect(sound.output.contains("\"opens\" : true"))
      try write(
        v1: "var name: String; var size: Int",
        v2: "var name: String; var size: String; var b: Int?"
      )
      let ending = run(json)
      #expect(ending.status == .regression)
      #expect(ending.output.contains("\"the plan's stage from V1 to V2 cannot migrate it\""))
      #expect(ending.output.contains("\"opens\" : false"))
    }

    @Test func `values and objects that a migration drops are counted, in a plan and without`()
      throws
    {
      lock()
      try store(of: "V1", "old")
      func check() -> (status: CommandStatus, output: String) {
        let ending = run("schema check ./Sources --store ./old.store --format json")
        return (ending.status, ending.output)
      }
      let renamed = "var title: String = \"\"; var size: Int"
      try write(v1: "var name: String; var size: Int", v2: renamed)
      let planned = check()
      #expect(planned.status == .done)
      #expect(planned.output.contains("the migration drops 40 values of Trip.name"))
      #expect(planned.output.contains("migrate it and drop 40 values of Trip.name"))
      try write(
        v1: "var name: String; var size: Int",
        v2: "@Attribute(originalName: \"name\") " + renamed
      )
      #expect(!check().output.contains("dataDropped"))
      try folder.write("@Model class Other { var a: Int? }", to: "Sources/V1.swift")
      try folder.write("", to: "Sources/V2.swift")
      try folder.write("", to: "Sources/Plan.swift")
      let inferred = check()
      #expect(inferred.status == .done)
      #expect(inferred.output.contains("it would work and drop 40 objects of Trip"))
    }

    @Test func `a model or a store in the place of the sources is refused with what to do`() throws
    {
      try folder.write("<model/>", to: "App.xcdatamodeld/App.xcdatamodel/contents")
      for program in [nil, Program(kinds: [])] {
        let model = run("schema check ./App.xcdatamodeld", program: program)
        #expect(model.status == .badInput)
        #expect(model.errors.contains("is a model, not Swift sources"), "\(model.errors)")
        #expect(model.errors.contains("storebench schema generate"))
      }
      lock()
      try store(of: "V1", "old")
      let store = run("schema check ./old.store")
      #expect(store.status == .badInput)
      #expect(store.errors.contains("after '--store'"), "\(store.errors)")
    }

    @Test func `metadata over tables that lack its columns is found`() throws {
      lock()
      try store(of: "V2", "new")
      try Connection(path: folder.file("new.store"), mode: .readWrite)
        .executeScript(["ALTER TABLE ZTRIP DROP COLUMN ZB"])
      let ending = run("schema check ./Sources --store ./new.store --format json")
      #expect(ending.status == .regression)
      #expect(ending.output.contains("ZTRIP.ZB"))
    }

    @Test func `what is no store is status 65`() throws {
      try folder.write("no store", to: "bad.store")
      let ending = run("schema check ./Sources --store ./bad.store --format json")
      #expect(ending.status == .badInput)
      #expect(ending.output.contains("\"sentence\" : \"cannot be read: "), "\(ending.output)")
    }

    @Test func `sources are a model wherever one is accepted`() throws {
      lock()
      try store(of: "V1", "old")
      let inspected = run("inspect ./Sources")
      #expect(inspected.status == .done, "\(inspected.errors)")
      #expect(inspected.output.contains("V1 → V2"))
      let compared = run("inspect ./old.store ./Sources")
      #expect(compared.status == .done, "\(compared.errors)")
      #expect(
        run("inspect ./Sources/V1.swift --format yaml").output.contains("name: { type: string")
      )
      #expect(run("inspect ./Sources#V1 --format yaml").output.contains("size"))
      #expect(run("inspect ./Sources#V1").status == .done)
      let unknown = run("inspect ./Sources#V9 --format yaml")
      #expect(unknown.status == .badInput)
      #expect(unknown.errors.contains("it has V1, V2"))
    }

    @Test func `without the parser sources are refused with the command that installs it`() {
      let ending = run("schema check ./Sources", program: Program(kinds: []))
      #expect(ending.status == .badInput)
      #expect(ending.errors.contains("'make install'"))
    }

    @Test func `a folder without models is status 65`() throws {
      try folder.write("struct A {}", to: "Other/A.swift")
      #expect(run("schema check ./Other").status == .badInput)
    }
  }
#endif
