import Basics
import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import StoreBenchCommand

struct InspectShapeTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      "entities:\n  Task: { attributes: { title: string, size: integer32 } }",
      to: "model.yaml"
    )
    try folder.write(
      "format: 1\nmodel: model.yaml\nentities:\n  Task: { count: 400 }",
      to: "recipe.yaml"
    )
    for seed in 1...2 {
      let ending = run(["generate", "recipe.yaml", "--output", "\(seed).sqlite"], seed: seed)
      #expect(ending.status == .done, "\(ending.errors)")
    }
  }

  private func run(
    _ arguments: [String],
    seed: Int? = nil
  ) -> (status: CommandStatus, output: String, errors: String) {
    let console = RecordingConsole()
    let paths = arguments.map { argument in
      [".yaml", ".sqlite"].contains { argument.hasSuffix($0) } ? folder.file(argument) : argument
    }
    let status = Storebench.run(
      paths + (seed.map { ["--seed", "\($0)"] } ?? []),
      on: console.console
    )
    return (status, console.output, console.errors)
  }

  @Test func `a store made like another is compared with it`() throws {
    let like = [
      "generate", "--like", "1.sqlite", "--output", "like.sqlite", "--force", "--work-folder",
      folder.path,
    ]
    let text = run(like)
    #expect(text.status == .done, "\(text.output)\(text.errors)")
    #expect(text.output.contains("\nnearness: "))
  }

  @Test func `a store is made like another from that one's profile`() throws {
    let profile = run(["inspect", "1.sqlite", "--profile"])
    #expect(profile.status == .done, "\(profile.errors)")
    try folder.write(profile.output, to: "profile.yaml")
    let like = ["generate", "--like", "profile.yaml", "--output", "like.sqlite", "--force"]
    let made = run(like + ["--to", "2x"])
    #expect(made.status == .done, "\(made.errors)")
    #expect(made.errors.contains("800 objects"), "\(made.errors)")
    #expect(made.errors.contains("not compared with the original"), "\(made.errors)")
    let refused = run(like + ["--k", "30", "--no-texts"])
    #expect(refused.status == .badInput)
    #expect(refused.errors.contains("is a store profile: leave out '--k', '--no-texts'"))
    try folder.write(profile.output.replacing("profile: 1", with: "profile: 9"), to: "next.yaml")
    let next = run(["generate", "--like", "next.yaml", "--output", "next.sqlite"])
    #expect(next.status == .badInput)
    #expect(next.errors.contains("'profile' is 9, but this version reads 1"), "\(next.errors)")
  }

  /// The view returns endless rows, so the program must not read it.
  @Test func `a view in the place of a table is refused`() throws {
    try Connection(path: folder.file("1.sqlite"), mode: .readWrite).executeScript([
      "ALTER TABLE ZTASK RENAME TO OTHER",
      "CREATE VIEW ZTASK AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
        + "SELECT x AS Z_PK, 1 AS Z_ENT, 1 AS Z_OPT, x AS ZSIZE, 'a' AS ZTITLE FROM c",
    ])
    let ending = run(["inspect", "1.sqlite", "--profile"])
    #expect(ending.status == .badInput)
    #expect(ending.errors.contains("ZTASK is not an ordinary table with the columns of the model"))
  }

  private static let misuses = [
    (["inspect", "1.sqlite", "--k", "30"], "'--k' is for '--profile'"),
    (["inspect", "1.sqlite", "--profile", "--k", "0"], "'--k' must be at least 1"),
    (["inspect", "1.sqlite", "--checklist"], "'--checklist' needs two paths: OLD and NEW"),
    (["inspect", "1.sqlite", "--draft-map"], "'--draft-map' needs two paths: OLD and NEW"),
    (["inspect", "1.sqlite", "2.sqlite", "--profile"], "'--profile' takes one path"),
    (["inspect", "1.sqlite", "2.sqlite", "--format", "yaml"], "'--format yaml' takes one path"),
    (
      ["inspect", "1.sqlite", "2.sqlite", "--draft-map", "--map", "map.yaml"],
      "'--map' cannot be combined with '--draft-map'"
    ),
    (
      ["inspect", "1.sqlite", "--advise", "x.yaml", "--format", "html"],
      "'--format html' cannot be combined with '--advise'"
    ),
    (
      ["generate", "recipe.yaml", "--to", "2x"],
      "'--to', '--k', '--profile' and texts need '--like'"
    ),
    (
      ["generate", "--like", "1.sqlite", "--scale", "2"],
      "unknown option '--scale'; did you mean '--to 2x'?"
    ),
  ]

  @Test func `what does not go together is said in one line`() {
    for (arguments, message) in Self.misuses {
      let ending = run(arguments)
      #expect(ending.status == .misuse, "\(arguments)")
      let see = message.hasSuffix("?") ? " See " : "; see "
      #expect(ending.errors.hasPrefix(message + see), "\(ending.errors)")
      #expect(ending.errors.split(separator: "\n").count == 1)
    }
  }
}

/// Tests with real models, which are skipped if there are none.
@Suite(
  .enabled(
    if: ProcessInfo.processInfo.environment["STOREBENCH_REAL_STORES"] != nil,
    "STOREBENCH_REAL_STORES is not set"
  )
)
struct VersionInfoTests {
  private let real = ProcessInfo.processInfo.environment["STOREBENCH_REAL_STORES"] ?? ""

  @Test func `with a VersionInfo.plist a store is complete for opening, without it is not`() throws
  {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      format: 1
      model: \(real)/cart/CartStorage.momd
      entities:
        CDCart: { count: 5 }
        CDCartItem: { count: 20 }
      """,
      to: "cart.yaml"
    )
    let console = RecordingConsole()
    let generate = ["generate", folder.file("cart.yaml"), "--output"]
    let info = ["--version-info", real + "/cart/CartStorage.momd/VersionInfo.plist"]
    let plain = Storebench.run(generate + [folder.file("plain.sqlite")], on: console.console)
    #expect(plain == .done, "\(console.errors)")
    let whole = Storebench.run(generate + [folder.file("whole.sqlite")] + info, on: console.console)
    #expect(whole == .done, "\(console.errors)")
    func inspected(_ name: String) -> String {
      let console = RecordingConsole()
      #expect(Storebench.run(["inspect", folder.file(name)], on: console.console) == .done)
      return console.output
    }
    // The output can be wrapped between any two words.
    func words(_ name: String) -> String {
      inspected(name).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
    #expect(
      words("whole.sqlite").contains("Its metadata is complete, as in stores of Apple's frameworks")
    )
    #expect(words("plain.sqlite").contains("Apple's frameworks will not open it: it lacks"))
  }
}
