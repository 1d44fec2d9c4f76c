import Basics
import Foundation
import TestSupport
import Testing

struct FileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test(arguments: [0, 9, 10, 11, 1 << 20])
  func `a file is read up to the limit and refused beyond it`(size: Int) throws {
    let bytes = [UInt8](repeating: 7, count: size)
    let path = try folder.write(bytes, to: "file")
    #expect(try InputFile.bytes(of: path, limit: size) == bytes)
    guard size > 0 else { return }
    #expect(throws: InputFile.Failure.tooLarge(limit: size - 1)) {
      try InputFile.bytes(of: path, limit: size - 1)
    }
  }

  @Test func `what is no regular file is refused without being opened`() throws {
    mkfifo(folder.file("pipe"), 0o644)
    let cases: [(String, InputFile.Failure)] = [
      (folder.path, .isFolder), (folder.file("none"), .missing),
      (try folder.write("", to: "file") + "/below", .missing), (folder.file("pipe"), .notRegular),
      ("/dev/zero", .notRegular),
    ]
    for (path, failure) in cases {
      #expect(throws: failure) { try InputFile.bytes(of: path, limit: 100) }
    }
    #expect(try InputFile.isFolder(folder.path))
    #expect(try !InputFile.isFolder(folder.file("file")))
  }

  @Test func `a SQLite file is known by its first bytes`() {
    let head = Array("SQLite format 3\0".utf8)
    #expect(head.areOfSQLiteFile && (head + [1]).areOfSQLiteFile)
    #expect(!head.dropLast().areOfSQLiteFile && !head.dropFirst().areOfSQLiteFile)
  }

  @Test func `text must be UTF-8`() throws {
    #expect(try InputFile.text(of: try folder.write("ä", to: "a"), limit: 9) == "ä")
    let broken = try folder.write([0xFF], to: "b")
    #expect(throws: InputFile.Failure.notText) { try InputFile.text(of: broken, limit: 9) }
  }

  @Test func `a written file is whole and alone in its folder`() throws {
    for text in ["first", "second"] {
      try AtomicFile.write(text, to: folder.file("file"))
      #expect(try folder.bytes(of: "file") == Array(text.utf8))
      #expect(try folder.names() == ["file"])
    }
  }

  @Test func `the old file stays when filling fails`() throws {
    let path = try folder.write("old", to: "file")
    #expect(throws: CancellationError.self) {
      try AtomicFile.write(to: path) { sink in
        try sink(Array("new".utf8)[...])
        throw CancellationError()
      }
    }
    #expect(try folder.bytes(of: "file") == Array("old".utf8))
    #expect(try folder.names() == ["file"])
  }

  @Test func `a file that cannot be written is an error with its path and the reason`() throws {
    let path = try folder.write("", to: "file") + "/below"
    #expect(throws: Refusal.cannotWrite(path, code: ENOTDIR)) {
      try AtomicFile.write("text", to: path)
    }
  }
}
