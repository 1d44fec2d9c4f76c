import TestSupport
import Testing

/// The self-test by the whole program, on cases of its own.
struct SelftestProcessTests {
  private let program: StorebenchProcess

  init() throws {
    program = try StorebenchProcess()
    for (name, comment, size) in [
      ("micro/list", "A list", "20"), ("planted/batches", "Batches of one. Base first", "[100, 1]"),
      ("planted/nothing", "Nothing is planted", "[100, 101]"),
    ] {
      try program.writeFetch(
        "strategy: batched, limit: 100, batchSize: \(size)",
        comment: comment,
        to: "own/\(name)"
      )
    }
  }

  @Test func `finds what is planted, and not what is not`() throws {
    let ending = try program.run([
      "selftest", "Workloads/own", "--minutes", "0.1", "--allow-debug",
    ])
    #expect(ending.status == 1, "\(ending.errors)")
    #expect(ending.errors.isEmpty)
    let lines = ending.output.split(separator: "\n").map(String.init)
    let batches = try #require(lines.firstIndex(of: "  Batches of one"))
    #expect(lines[batches + 1].hasPrefix("    found: "))
    let nothing = try #require(lines.firstIndex(of: "  Nothing is planted"))
    #expect(lines[nothing + 1] == "    NOT FOUND: no exact cost rose")
    #expect(ending.output.contains("10 % more time on one side"))
    #expect(lines.allSatisfy { $0.count <= 80 })
  }

  @Test(arguments: [
    (["nowhere"], 66, "no such file or folder: 'nowhere/micro'"),
    (["--minutes", "0"], 64, "from 3 seconds to a week"),
    (["--minutes", "1", "--hours", "1"], 64, "exclude each other"),
  ])
  func `says what is wrong`(arguments: [String], status: Int32, message: String) throws {
    let ending = try program.run(["selftest", "--allow-debug"] + arguments)
    #expect(ending.status == status)
    #expect(ending.errors.contains(message), "\(ending.errors)")
  }
}
