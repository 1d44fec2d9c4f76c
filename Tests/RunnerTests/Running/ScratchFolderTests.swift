import Basics
import Foundation
import TestSupport
import Testing

@testable import Runner

struct ScratchFolderTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func `removes itself with everything in it`() throws {
    do {
      let scratch = try ScratchFolder(in: folder.path + "/work")
      try Data([1]).write(to: URL(fileURLWithPath: try scratch.emptyFolder("a") + "/b"))
      #expect(try folder.contents().count == 2)
    }
    #expect(try folder.contents().isEmpty)
  }

  @Test func `removes what a run that was killed has left, and nothing of one that lives`() throws {
    let living = try ScratchFolder(in: folder.path)
    let path = try living.emptyFolder("a")
    try folder.write("4711", to: "run-4711-0.lock")
    try folder.write("copy", to: "run-4711-0/trial/a.sqlite")
    try folder.write("mine", to: "notes.txt")
    let next = try ScratchFolder(in: folder.path)
    #expect(FileManager.default.fileExists(atPath: path))
    #expect(FileManager.default.fileExists(atPath: folder.path + "/notes.txt"))
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/run-4711-0"))
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/run-4711-0.lock"))
    #expect(next.path != living.path)
  }

  @Test func `empties a folder that is there already`() throws {
    let scratch = try ScratchFolder(in: folder.path)
    try Data([1]).write(to: URL(fileURLWithPath: try scratch.emptyFolder("a") + "/b"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: try scratch.emptyFolder("a")).isEmpty
    )
  }

  @Test func `gives a folder the place of another one`() throws {
    let scratch = try ScratchFolder(in: folder.path)
    for name in ["a", "b"] {
      try Data(name.utf8).write(
        to: URL(fileURLWithPath: try scratch.emptyFolder(name) + "/\(name)")
      )
    }
    let moved = try scratch.moveFolder("b", to: "a")
    #expect(moved == scratch.path + "/a")
    #expect(try FileManager.default.contentsOfDirectory(atPath: moved) == ["b"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["a"])
    #expect(throws: Refusal.self) { try scratch.moveFolder("b", to: "a") }
  }

  @Test func `says that it cannot be made`() throws {
    let file = try folder.write("", to: "file")
    #expect(throws: Refusal.self) { try ScratchFolder(in: file + "/work") }
  }
}
