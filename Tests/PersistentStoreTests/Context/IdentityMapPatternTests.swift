import PersistentStore
import Testing

struct IdentityMapPatternTests {
  /// Distances between keys that may collide in their low bits.
  private static let strides: [Int64] = [1, -1, 3, 64, 4096, 1 << 16, 1 << 40, .max / 5000]

  @Test(arguments: strides)
  func `objects are found whatever the pattern of their keys`(stride: Int64) throws {
    let fixture = try ContextStore()
    let context = try fixture.context()
    let description = try context.description(of: "Task")
    let keys = (1...4000).map { Int64($0) &* stride }
    var kept = keys.map { context.object(description, key: $0) }
    for (key, object) in zip(keys, kept) {
      #expect(object.key == key)
      #expect(context.object(description, key: key) === object)
    }
    // Release every third object; the map must find the others beyond the gaps.
    kept = kept.enumerated().filter { $0.offset % 3 != 0 }.map(\.element)
    for object in kept { #expect(context.object(description, key: object.key) === object) }
    kept = []
    #expect(context.object(description, key: keys[7]).isFault)
  }

  @Test func `the extreme keys are keys like any other`() throws {
    let fixture = try ContextStore()
    let context = try fixture.context()
    let description = try context.description(of: "Task")
    let keys: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    let kept = keys.map { context.object(description, key: $0) }
    for (key, object) in zip(keys, kept) {
      #expect(context.object(description, key: key) === object)
    }
  }

  @Test func `batches that follow each other leave no room behind`() throws {
    let fixture = try ContextStore()
    let context = try fixture.context()
    let description = try context.description(of: "Task")
    var last: [ManagedObject] = []
    for batch in 0..<2000 {
      // The assignment releases the previous batch only after the new batch exists.
      last = (0..<20).map { context.object(description, key: Int64(batch * 20 + $0)) }
    }
    for object in last { #expect(context.object(description, key: object.key) === object) }
  }
}
