import Basics
import Foundation
import TestSupport
import Testing

struct DigestTests {
  // The examples of FIPS 180-4: one block, two blocks, and "a" repeated a million times.
  private static let twoBlocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"

  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (twoBlocks, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    (
      String(repeating: "a", count: 1_000_000),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    ),
  ])
  func `SHA-256 equals the published vectors`(text: String, digest: String) {
    #expect(SHA256.hash(data: Array(text.utf8)).hexadecimal == digest)
  }

  @Test func `SHA-512 equals the published vector`() {
    #expect(
      SHA512.hash(data: Array("abc".utf8)).hexadecimal
        == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    )
  }

  @Test(arguments: ["sha256sum", "sha512sum"])
  func `digests of all lengths, added in pieces, equal those of the system's tool`(
    tool: String
  ) throws {
    let folder = try TemporaryFolder()
    var numbers = SplitMix64(state: 1)
    var expected: [String] = []
    for length in 0...200 {
      let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
      try Data(bytes).write(to: URL(fileURLWithPath: folder.file("\(length)")))
      expected.append(tool == "sha256sum" ? digest(SHA256(), bytes) : digest(SHA512(), bytes))
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [tool] + (0...200).map { folder.file("\($0)") }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(text.split(separator: "\n").map { String($0.prefix { $0 != " " }) } == expected)
  }

  private func digest(_ hash: some SecureHash, _ bytes: [UInt8]) -> String {
    var hash = hash
    for piece in stride(from: 0, to: bytes.count, by: 37) {
      hash.update(data: bytes[piece..<min(piece + 37, bytes.count)])
    }
    return hash.finalize().hexadecimal
  }
}
