import Basics
import Testing

struct AtOnceTests {
  private struct Failure: Error, Equatable {
    let name: String
  }

  @Test func `returns what both come to, each on a thread of its own`() throws {
    let (own, other) = try atOnce({ try atOnce({ 1 }, { 2 }).0 }, { "b" })
    #expect(own == 1)
    #expect(other == "b")
  }

  @Test func `waits for both before it throws, and throws the first's error of two`() {
    var isDone = false
    #expect(throws: Failure(name: "first")) {
      _ = try atOnce(
        { throw Failure(name: "first") } as @Sendable () throws -> Int,
        {
          isDone = true
          throw Failure(name: "second")
        }
      )
    }
    #expect(isDone)
    #expect(throws: Failure(name: "second")) {
      _ = try atOnce({ 1 }, { throw Failure(name: "second") })
    }
  }
}
