#if SwiftSource
  import Basics
  import DataModel
  import Foundation
  import Runner
  import TestSupport
  import Testing

  @testable import StoreBenchCommand

  /// Tests migrating a store of a locked version by the migration plan in Swift sources.
  struct SourceMigrationTests {
    private let program: StorebenchProcess

    private static func version(_ number: Int, _ trip: String) -> String {
      """
      import SwiftData
      enum V\(number): VersionedSchema {
        static var versionIdentifier = Schema.Version(\(number), 0, 0)
        static var models: [any PersistentModel.Type] { [Trip.self, Stop.self] }
        @Model final class Trip {
          \(trip)
          @Relationship(deleteRule: .cascade, inverse: \\Stop.trip) var stops: [Stop] = []
        }
        @Model final class Stop { var place: String; var trip: Trip? }
      }

      """
    }

    private static let first = ".lightweight(fromVersion: V1.self, toVersion: V2.self)"
    private static let second =
      ".custom(fromVersion: V2.self, toVersion: V3.self, willMigrate: nil, didMigrate: nil)"

    /// Makes an app with three versions: V2 adds an attribute, V3 renames one in a custom stage.
    init() throws {
      program = try StorebenchProcess()
      let folder = program.folder
      try folder.write(Self.version(1, "var name: String"), to: "App/V1.swift")
      try folder.write(Self.version(2, "var name: String; var note: String?"), to: "App/V2.swift")
      try folder.write(
        Self.version(
          3,
          "@Attribute(originalName: \"name\") var title: String; var note: String?; var rank = 0"
        ),
        to: "App/V3.swift"
      )
      try writePlan([Self.first, Self.second])
      try folder.write(
        """
        format: 1
        model: App#V1
        framework: 1345
        flavour: swiftData
        entities: { Trip: { count: 40 }, Stop: { count: 90 } }
        """,
        to: "trips.yaml"
      )
      try folder.write(
        """
        kind: migration
        store: { recipe: trips.yaml }
        parameters: { strategy: staged, to: App }
        trials: { trials: 1 }
        """,
        to: "staged.yaml"
      )
      #expect(try program.run(["schema", "lock", "App"]).status == 0)
    }

    private func writePlan(_ stages: [String]) throws {
      try program.folder.write(
        """
        import SwiftData
        typealias Trip = V3.Trip
        typealias Stop = V3.Stop
        enum P: SchemaMigrationPlan {
          static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self, V3.self] }
          static var stages: [MigrationStage] { [\(stages.joined(separator: ", "))] }
        }
        """,
        to: "App/Plan.swift"
      )
    }

    private func generate(_ version: String) throws {
      let ending = try program.run([
        "generate", "trips.yaml", "--model", "schema.lock#\(version)", "--output", "old.store",
      ])
      #expect(ending.status == 0, "\(ending.errors)")
    }

    private func migrate(_ more: [String] = []) throws -> StorebenchProcess.Ending {
      try program.run(
        ["run", "staged.yaml", "--store", "old.store", "--allow-debug", "--output", "out"] + more
      )
    }

    private func notes() throws -> String {
      let document = try ResultDocument(readingFrom: program.folder.path + "/out")
      return document.workloads.flatMap(\.cases).flatMap(\.notes).joined(separator: "\n")
    }

    @Test func `goes through every version of the plan, each stage as the plan says`() throws {
      try generate("V1")
      let ending = try migrate()
      #expect(ending.status == 0, "\(ending.errors)")
      #expect(ending.output.contains("1 case: 1 passed"), "\(ending.output)")
      let notes = try notes()
      #expect(notes.contains("V1, V2, V3; custom from 'V2' to 'V3'"), "\(notes)")
      #expect(!notes.contains("refused"))
      #expect(!notes.contains("all lightweight"))
    }

    @Test func `starts at the version that the store has`() throws {
      try generate("V2")
      let ending = try migrate()
      #expect(ending.status == 0, "\(ending.errors)")
      #expect(try !notes().contains("refused"))
    }

    @Test func `ends with an earlier version if that is named`() throws {
      try generate("V1")
      let ending = try migrate(["--set", "to=App#V2"])
      #expect(ending.status == 0, "\(ending.errors)")
      let notes = try notes()
      #expect(notes.contains("V1, V2; every stage is lightweight"), "\(notes)")
    }

    @Test func `a plan that lacks a stage is refused with the stage to add`() throws {
      try generate("V1")
      try writePlan([Self.second])
      let ending = try migrate()
      #expect(ending.status != 0)
      #expect(
        (ending.output + ending.errors).replacing(/\s+/, with: " ")
          .contains("has no stage from 'V1' to 'V2'"),
        "\(ending.output)\(ending.errors)"
      )
    }

    @Test func `a store of no version is left as it was`() throws {
      try generate("V1")
      try program.folder.write(
        Self.version(1, "var name: String; var x: Int?"),
        to: "App/V1.swift"
      )
      let ending = try migrate()
      #expect(ending.status == 0, "\(ending.errors)")
      #expect(try notes().contains("refused"))
    }
  }
#endif
