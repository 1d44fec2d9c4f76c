import Testing

@testable import Compare
@testable import Runner

struct LockstepFrameTests {
  @Test(arguments: [0, 1, 4_999_999, UInt64.max])
  func `hands a number on`(value: UInt64) throws {
    let frame = LockstepFrame(.slice, value: value)
    #expect(frame.bytes.count == LockstepFrame.headSize)
    let head = try #require(LockstepFrame.head(frame.bytes))
    #expect(head.kind == .slice)
    #expect(head.value == value)
  }

  @Test func `a text follows its head`() throws {
    let frame = LockstepFrame(.response, text: "äh".utf8)
    let head = try #require(LockstepFrame.head(frame.bytes.prefix(LockstepFrame.headSize)))
    #expect(head.value == 3)
    #expect(Array(frame.bytes.dropFirst(LockstepFrame.headSize)) == Array("äh".utf8))
  }

  @Test(arguments: [
    "", "a line of text\n", "\u{1b}[31mwarning: 1",
  ])
  func `a text is no message`(text: String) {
    #expect(LockstepFrame.head(Array(text.utf8).prefix(LockstepFrame.headSize)) == nil)
  }

  @Test func `refuses unknown kinds and texts beyond the limit`() {
    var bytes = LockstepFrame(.ready).bytes
    bytes[4] = 99
    #expect(LockstepFrame.head(bytes) == nil)
    bytes[4] = UInt8(LockstepFrame.Kind.response.rawValue)
    bytes[15] = 0x7f
    #expect(LockstepFrame.head(bytes) == nil)
  }
}
