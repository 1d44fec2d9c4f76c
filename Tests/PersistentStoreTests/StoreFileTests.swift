import Foundation
import TestSupport
import Testing

@testable import PersistentStore

struct StoreFileTests {
  @Test func `allocates whole blocks for what is written, and none for a hole`() throws {
    let folder = try TemporaryFolder()
    let store = StoreFile(path: folder.path + "/store.sqlite")
    #expect(store.allocatedBytes == 0)

    try Data(repeating: 7, count: 5000).write(to: URL(fileURLWithPath: store.path))
    let written = store.allocatedBytes
    #expect(written >= 5000 && written.isMultiple(of: 512))

    #expect(truncate(store.path, 64 << 20) == 0)
    #expect(store.storeBytes == 64 << 20)
    #expect(store.allocatedBytes < 1 << 20)
  }

  @Test func `walks a folder's files, empty ones too`() throws {
    let folder = try TemporaryFolder()
    let inner = try folder.write("ab", to: "blobs/inner/a")
    let empty = try folder.write("", to: "blobs/empty")
    let blobs = folder.path + "/blobs"
    #expect(StoreFile.files(at: blobs) == [empty, inner])
    #expect(StoreFile.files(at: inner) == [inner])
    #expect(StoreFile.files(at: folder.path + "/none") == [])
    #expect(StoreFile.tree(at: blobs) == [blobs, empty, blobs + "/inner", inner])
    #expect(StoreFile.bytes(at: blobs) == 2 && StoreFile.bytes(at: inner) == 2)
  }
}
