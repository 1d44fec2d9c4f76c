#if SwiftSource
  import Basics
  import SQLite
  import TestSupport
  import Testing

  @testable import StoreBenchCommand

  struct SwiftRecipeTests {
    @Test func `a recipe of Swift sources fills an enum, and says what stays empty`() throws {
      let folder = try TemporaryFolder()
      try folder.write(
        """
        import SwiftData
        enum Mood: String, Codable { case good, bad = "poor", neutral }
        enum Level: Int, Codable { case low = 3, high }
        struct Place: Codable { var latitude: Double; var longitude: Double }
        @Model final class Habit {
          var mood: Mood = Mood.good
          var level: Level
          var place: Place?
        }
        """,
        to: "Habits.swift"
      )
      let console = RecordingConsole()
      let recipe = folder.file("habits.yaml")
      let words = ["new", "recipe", recipe, "--store", folder.file("Habits.swift")]
      #expect(Storebench.run(words, on: console.console) == .done, "\(console.errors)")
      #expect(console.errors.contains("Habit.place is a composite attribute"), "\(console.errors)")
      let store = folder.file("habits.sqlite")
      let generate = ["generate", recipe, "--output", store]
      #expect(Storebench.run(generate, on: console.console) == .done, "\(console.errors)")
      let connection = try Connection(path: store, mode: .readOnly, settings: nil)
      func values(_ column: String) throws -> String? {
        let rows = "SELECT DISTINCT \(column) AS value FROM ZHABIT ORDER BY 1"
        return try connection.text("SELECT group_concat(value) FROM (\(rows))")
      }
      #expect(try values("ZMOOD") == "good,neutral,poor")
      #expect(try values("ZLEVEL") == "3,4")
    }
  }
#endif
