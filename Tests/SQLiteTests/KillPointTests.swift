import SQLite
import Testing

/// Tests the text form of a kill point: an event, and the fault that occurs just before it.
struct KillPointTests {
  @Test(arguments: ["write:17", "sync:1", "folderSync:3:4711"])
  func `reads a point as it is written`(text: String) throws {
    #expect(try #require(KillPoint(text)).description == text)
  }

  @Test(arguments: [
    "", "17", "write", "write:0", "write:-1", "wrote:1", "write:1:x", "write:1:2:3",
  ])
  func `reads nothing else as a point`(text: String) {
    #expect(KillPoint(text) == nil)
  }
}
