import Basics
import Foundation
import TestSupport
import Testing

@testable import StoreBenchCommand

/// Tests `clean`, and the files that other commands remove automatically.
struct CleanCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let bytes = [UInt8](repeating: 7, count: 100_000)
    for (name, days) in [("stores/old", 9.0), ("stores/new", 1), ("libraries/main", 5)] {
      try folder.write(bytes, to: name + "/store.sqlite")
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -days * 86_400)],
        ofItemAtPath: folder.file(name)
      )
    }
    try folder.write(bytes, to: "forecast/ladder.json")
    try folder.write("not ours", to: "notes.txt")
  }

  private func clean(_ arguments: [String]) -> (status: CommandStatus, output: String) {
    let console = RecordingConsole()
    let status = Storebench.run(
      ["clean", "--work-folder", folder.path] + arguments,
      on: console.console
    )
    return (status, console.output + console.errors)
  }

  private func isThere(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: folder.file(name))
  }

  @Test func `lists what is kept, and removes nothing unless it is told to`() {
    let text = clean([])
    #expect(text.status == .done)
    for name in ["stores/old", "stores/new", "libraries/main", "forecast/ladder.json"] {
      #expect(text.output.contains(name))
      #expect(isThere(name))
    }
    #expect(!text.output.contains("notes.txt"))
  }

  @Test func `a hostile name of a folder reaches neither a terminal nor a CI`() throws {
    try folder.write("x", to: "stores/x\u{1B}[2J\n::error::y/store.sqlite")
    let text = clean([])
    #expect(text.output.contains("::error::y"))
    #expect(!text.output.contains("\u{1B}"))
    #expect(!text.output.contains("\n::error"))
  }

  @Test func `removes all of it, and nothing else`() {
    let text = clean(["--remove"])
    #expect(text.status == .done)
    #expect(text.output.contains("removed 2 generated stores, 1 work tree, 1 forecast"))
    #expect(!isThere("stores/old") && !isThere("libraries/main"))
    #expect(!isThere("forecast/ladder.json"))
    #expect(isThere("notes.txt"))
  }

  @Test func `keeps what was used last, and every measurement`() {
    #expect(clean(["--remove", "--keep", "250KB"]).status == .done)
    #expect(!isThere("stores/old") && !isThere("libraries/main"))
    #expect(isThere("stores/new") && isThere("forecast/ladder.json"))
  }

  @Test func `removes nothing while another command works there`() throws {
    try folder.write("1", to: "work/run-1-0.lock")
    let lock = open(folder.file("work/run-1-0.lock"), O_RDONLY)
    defer { close(lock) }
    #expect(flock(lock, LOCK_EX) == 0)
    let text = clean(["--remove"])
    #expect(text.status == .badInput)
    #expect(text.output.contains("another command works in"))
    #expect(isThere("stores/old"))
  }

  @Test func `a size and its use are checked`() {
    #expect(clean(["--keep", "2GB"]).status == .misuse)
    #expect(clean(["--remove", "--keep", "much"]).status == .misuse)
  }
}
