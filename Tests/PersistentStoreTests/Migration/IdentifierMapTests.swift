import PersistentStore
import SQLite
import Testing

struct IdentifierMapTests {
  @Test func `finds every copy by its table and its former key`() throws {
    let map = try IdentifierMap()
    try map.note(ObjectID(entity: 3, key: 70), of: 7, in: "ZTASK")
    try map.note(ObjectID(entity: 2, key: 71), of: 7, in: "ZTAG")
    try map.note(ObjectID(entity: 4, key: 70), of: .max, in: "ZTASK")
    #expect(map.count == 3)
    #expect(try map.identity(of: 7, in: "ZTASK") == ObjectID(entity: 3, key: 70))
    #expect(try map.identity(of: 7, in: "ZTAG") == ObjectID(entity: 2, key: 71))
    #expect(try map.identity(of: .max, in: "ZTASK") == ObjectID(entity: 4, key: 70))
    #expect(try map.identity(of: 8, in: "ZTASK") == nil)
    #expect(try map.identity(of: 7, in: "ZPROJECT") == nil)
  }

  @Test func `keeps most of a large map on disk`() throws {
    let map = try IdentifierMap()
    for key in Int64(1)...200_000 {
      try map.note(ObjectID(entity: 1, key: key * 3), of: key, in: "ZTASK")
    }
    // About 500 of the map's almost 700 pages stay in memory.
    #expect(map.connection.counters.cacheSpills > 150)
    #expect(try map.identity(of: 1, in: "ZTASK")?.key == 3)
    #expect(try map.identity(of: 123_456, in: "ZTASK")?.key == 370_368)
  }
}
