import Basics
import Testing

@testable import Basics

/// Contents to compress, some of which cannot become smaller.
enum Content: CaseIterable {
  case nothing
  case oneByte
  case words
  case oneLetter
  case noise

  var bytes: [UInt8] {
    switch self {
    case .nothing: []
    case .oneByte: [7]
    case .words: Array("storebench measures what an app does to a store".utf8)
    case .oneLetter: [UInt8](repeating: 65, count: 200_000)
    case .noise: BasicsTests.noise(count: 150_000)
    }
  }
}

@Suite struct GzipTests {
  @Test(arguments: Content.allCases, [0, 1, 6, 9])
  func `gives back what it packed`(content: Content, level: Int) throws {
    let packed = try Gzip.compress(content.bytes, level: level)
    let unpacked = try Gzip.decompress(packed, limit: content.bytes.count)
    #expect(unpacked.elementsEqual(content.bytes))
  }

  @Test func `has neither time nor name nor system in its header`() throws {
    let packed = try Gzip.compress(Array("a".utf8))
    #expect(Array(packed.prefix(10)) == [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
  }

  @Test(arguments: Content.allCases)
  func `writes the same bytes in pieces as at once`(content: Content) throws {
    let bytes = content.bytes
    var pieces: [UInt8] = []
    var writer = try GzipWriter { pieces += $0 }
    for start in stride(from: 0, to: bytes.count, by: 999) {
      try writer.append(Array(bytes[start..<min(start + 999, bytes.count)]))
      try writer.append([])
    }
    try writer.finish()
    #expect(try pieces.elementsEqual(Gzip.compress(bytes)))
  }

  @Test func `reads the optional header fields of other writers`() throws {
    let packed = try Gzip.compress(Array("hello".utf8))
    let extra: [UInt8] = [2, 0, 9, 9]
    let named = Array("a.txt".utf8) + [0]
    var header = Array(packed.prefix(10))
    header[3] = 4 | 8 | 16 | 2
    let other = header + extra + named + named + [0, 0] + packed.dropFirst(10)
    #expect(try Gzip.decompress(other, limit: 100) == Array("hello".utf8))
  }

  @Test func `refuses every cut`() throws {
    let packed = try Gzip.compress(noise(count: 300))
    for count in packed.indices {
      #expect(throws: Refusal.truncated) {
        try Gzip.decompress(Array(packed.prefix(count)), limit: 1000)
      }
    }
  }

  @Test func `gives nothing but the original after a flipped bit`() throws {
    let original = Content.words.bytes
    let packed = try Gzip.compress(original)
    var refused = 0
    for index in packed.indices {
      for bit in 0..<8 {
        var damaged = packed
        damaged[index] ^= 1 << UInt8(bit)
        do {
          // Damage to the header's time, operating system or unused bits does not affect the
          // content.
          let unpacked = try Gzip.decompress(damaged, limit: 1000)
          #expect(unpacked.elementsEqual(original))
        } catch is Refusal {
          refused += 1
        }
      }
    }
    #expect(refused > (packed.count - 10) * 7)
  }

  @Test func `names what is wrong`() throws {
    let packed = try Gzip.compress(Array("abc".utf8))
    #expect(throws: Refusal.notGzip) {
      try Gzip.decompress(Array("SQLite".utf8), limit: 9)
    }
    #expect(throws: Refusal.trailingBytes(1)) {
      try Gzip.decompress(packed + [0], limit: 9)
    }
    #expect(throws: Refusal.invalidLevel(10)) { try Gzip.compress([1], level: 10) }
    var checksum = packed
    checksum[packed.count - 8] ^= 1
    #expect(
      throws: Refusal.badInput(
        "the unpacked data is damaged: its CRC is 352441c2 instead of "
          + "352441c3"
      )
    ) {
      try Gzip.decompress(checksum, limit: 9)
    }
    var length = packed
    length[packed.count - 4] = 4
    #expect(throws: Refusal.badInput("the unpacked data is damaged: it has 3 bytes instead of 4")) {
      try Gzip.decompress(length, limit: 9)
    }
  }

  @Test func `refuses a bomb before it unpacks`() throws {
    let bomb = try Gzip.compress([UInt8](repeating: 0, count: 20_000_000))
    #expect(throws: Refusal.tooLarge(limit: 100_000)) {
      try Gzip.decompress(bomb, limit: 100_000)
    }
  }
}

func noise(count: Int) -> [UInt8] {
  var state: UInt64 = 42
  return (0..<count).map { _ in
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return UInt8(state >> 56)
  }
}
