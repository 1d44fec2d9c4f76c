import Basics
import Compare
import Foundation
import Runner
import TestSupport
import Testing

@testable import StoreBenchCommand

/// Tests `clean`, and the files that other commands remove automatically.
struct CleanCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let bytes = [UInt8](repeating: 7, count: 100_000)
    for (name, days) in [("stores/old", 9.0), ("stores/new", 1), ("revisions/a1b2c3d4", 5)] {
      try folder.write(bytes, to: name + "/store.sqlite")
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -days * 86_400)],
        ofItemAtPath: folder.file(name)
      )
    }
    try folder.write(bytes, to: "revisions/a1b2c3d4/.build/release/storebench")
    try folder.write("link", to: "libraries/main/libsqlite3.so.0")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -5 * 86_400)],
      ofItemAtPath: folder.file("revisions/a1b2c3d4")
    )
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
    for (kind, name) in [
      ("generated store", "stores/old"), ("generated store", "stores/new"),
      ("work tree", "revisions/a1b2c3d4"), ("link to SQLite", "libraries/main"),
      ("forecast", "forecast/ladder.json"),
    ] {
      #expect(text.output.contains("\(kind)  \(folder.file(name))  "), "\(text.output)")
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
    #expect(text.output.contains("removed 2 generated stores, 1 work tree, 1 link"))
    #expect(text.output.contains("1 link to SQLite, 1 forecast"))
    #expect(!isThere("stores/old") && !isThere("revisions/a1b2c3d4"))
    #expect(!isThere("forecast/ladder.json"))
    #expect(isThere("notes.txt"))
  }

  @Test func `keeps what was used last, and every measurement`() {
    #expect(clean(["--remove", "--keep", "250KB"]).status == .done)
    #expect(!isThere("stores/old") && !isThere("revisions/a1b2c3d4"))
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

  @Test func `a work folder is in use while a commit is checked out there`() throws {
    try folder.write("kind: fetch\n", to: "repository/fetch.yaml")
    let repository = folder.file("repository")
    let identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.org"]
    for words in [["init", "-q"], ["add", "."], identity + ["commit", "-qm", "one"]] {
      try #require(Tool.git(words, in: repository)?.status == 0)
    }
    let path = folder.path
    var wasInUse: [Bool] = []
    let builder = SideBuilder(
      paths: [repository + "/fetch.yaml"],
      kinds: [],
      overrides: Overrides(),
      filter: nil,
      executable: "storebench",
      cacheFolder: path,
      progress: { _ in wasInUse.append(WorkFolderContents(of: path).isInUse) }
    )
    // Without workload kinds, the file is refused once its commit is checked out.
    #expect(throws: (any Error).self) {
      _ = try builder.base(.revision("HEAD"), named: "git:HEAD")
    }
    #expect(wasInUse == [true])
    let contents = WorkFolderContents(of: path)
    #expect(!contents.isInUse)
    #expect(contents.items.count { $0.kind == .revisions } == 2)
  }

  @Test func `a size and its use are checked`() {
    #expect(clean(["--keep", "2GB"]).status == .misuse)
    #expect(clean(["--remove", "--keep", "much"]).status == .misuse)
  }
}
