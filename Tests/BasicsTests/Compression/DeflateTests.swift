import Basics
import Testing

@testable import Basics

@Suite struct DeflateTests {
  @Test(arguments: [0, 1, 65_534, 65_535, 65_536, 131_070, 200_000])
  func `stores and compresses without loss`(count: Int) throws {
    let bytes = noise(count: count)
    for packed in [Deflate.store(bytes), try Deflate.compress(bytes)] {
      let unpacked = try Deflate.decompress(packed, limit: count)
      #expect(unpacked.elementsEqual(bytes))
    }
  }

  @Test func `stores in blocks of known bytes`() {
    #expect(Deflate.store([]) == [1, 0, 0, 0xff, 0xff])
    #expect(Deflate.store([7, 8]) == [1, 2, 0, 0xfd, 0xff, 7, 8])
    #expect(Deflate.store([UInt8](repeating: 3, count: 65_536)).count == 65_536 + 10)
  }

  @Test func `names what is wrong`() throws {
    let packed = try Deflate.compress(Array("abcabcabc".utf8))
    #expect(throws: Refusal.trailingBytes(2)) {
      try Deflate.decompress(packed + [0, 0], limit: 9)
    }
    #expect(throws: Refusal.truncated) {
      try Deflate.decompress(Array(packed.dropLast()), limit: 9)
    }
    #expect(throws: Refusal.truncated) { try Deflate.decompress([], limit: 9) }
    #expect(throws: Refusal.tooLarge(limit: 8)) {
      try Deflate.decompress(packed, limit: 8)
    }
    // The first byte gives block type 3, which does not exist.
    #expect(throws: Refusal.corrupt(offset: 1)) {
      try Deflate.decompress([7, 0, 0], limit: 9)
    }
  }

  @Test func `says what happened in one sentence`() {
    #expect(
      Refusal.tooLarge(limit: 10).description
        == "the compressed data unpacks to more than 10 bytes, the most allowed here"
    )
  }
}
