import Basics
import Foundation
import TestSupport
import Testing

@testable import Runner

@Suite struct ResultReadingTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func reason(of path: String) throws -> String {
    let error = try #require(throws: Refusal.self) { try ResultDocument(readingFrom: path) }
    #expect(error.status == .badInput)
    return error.message.replacing("'\(path)' is not a result: ", with: "")
  }

  @Test func `reads a folder, a packed file and a plain one`() throws {
    try RunFolder(path: folder.path).write(ResultFixture.document)
    let text = try ResultFixture.document.text(as: .json)
    let plain = try folder.write(Array(text.utf8), to: "plain.json")
    for path in [folder.path, "\(folder.path)/\(RunFolder.resultName)", plain] {
      #expect(try ResultDocument(readingFrom: path) == ResultFixture.document)
    }
  }

  @Test func `reads a folder that was unpacked`() throws {
    _ = try folder.write(Array(ResultFixture.small.text(as: .json).utf8), to: "result.json")
    #expect(try ResultDocument(readingFrom: folder.path) == ResultFixture.small)
  }

  @Test(arguments: [2, 12, 100, 400])
  func `refuses a packed file that was cut off`(length: Int) throws {
    let bytes = try Gzip.compress(Array(ResultFixture.small.text(as: .json).utf8))
    try #require(bytes.count > length)
    let path = try folder.write(Array(bytes.prefix(length)), to: "cut.json.gz")
    #expect(try reason(of: path) == "the compressed data ends too early: it was cut off")
  }

  @Test func `refuses a packed file with a changed byte`() throws {
    var bytes = try Gzip.compress(Array(ResultFixture.small.text(as: .json).utf8))
    bytes[bytes.count - 6] ^= 1
    let path = try folder.write(bytes, to: "changed.json.gz")
    #expect(try reason(of: path).contains("damaged"))
  }

  @Test func `refuses a file that is too large, packed or not`() throws {
    let spaces = [UInt8](repeating: 0x20, count: 10_001)
    let plain = try folder.write(spaces, to: "large.json")
    #expect(
      throws: Refusal.notAResult(plain, "it is larger than 10000 bytes")
    ) { try ResultDocument(readingFrom: plain, limit: 10_000) }
    let packed = try folder.write(Gzip.compress(spaces), to: "bomb.json.gz")
    #expect(
      throws: Refusal.notAResult(
        packed,
        "the compressed data unpacks to more than 10000 bytes, the most allowed here"
      )
    ) { try ResultDocument(readingFrom: packed, limit: 10_000) }
  }

  @Test func `names the version of a result it does not read`() throws {
    let text = try ResultFixture.small.text(as: .json).replacing(
      "\"version\":1",
      with: "\"version\":7"
    )
    let path = try folder.write(Array(text.utf8), to: "later.json")
    #expect(
      try reason(of: path)
        == "the result has version 7, but this build reads version 1: run the workloads again with "
        + "this build"
    )
  }

  @Test func `tells what is missing from what is no result`() throws {
    let missing = "\(folder.path)/none.json"
    #expect(throws: Refusal.noResult(at: missing)) {
      try ResultDocument(readingFrom: missing)
    }
    #expect(try reason(of: folder.path) == "the folder has neither result.json.gz nor result.json")
    let pipe = "\(folder.path)/pipe"
    try #require(mkfifo(pipe, 0o600) == 0)
    #expect(try reason(of: pipe) == "it is neither a file nor a folder")
    let empty = try folder.write([], to: "empty.json")
    #expect(try reason(of: empty).contains("the file is empty; run the workloads again"))
    #expect(
      Refusal.noResult(at: "x").message
        == "there is no result at 'x': name a result file or the folder of a run"
    )
  }
}
