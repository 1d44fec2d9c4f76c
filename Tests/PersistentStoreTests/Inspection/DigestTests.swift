import Basics
import DataModel
import Foundation
import PersistentStore
import TestSupport
import Testing

@Suite struct DigestTests {
  @Test func `digests an object alike through a context and from the file`() throws {
    let sample = try SampleStore.filled()
    let content = try StoreContent(store: sample.file, layout: sample.layout)
    let shape = ObjectDigest.Shape(
      entity: "Attachment",
      properties: ["filename", "data", "checksum"]
    )
    #expect(shape.properties == ["checksum", "data", "filename"])
    // Add the values that a context reads for attachment 6, an image whose data are in a file.
    let bytes = (0..<6000).map { UInt8(truncatingIfNeeded: $0 &* 12) }
    var object = ObjectDigest(shape, key: 6)
    object.add(.blob(Array(bytes.prefix(20))))
    bytes.withUnsafeBytes { object.add(blob: $0) }
    object.add("photo 6.heic")
    var list = ListDigest()
    list.add(object.value)
    #expect(try content.digest(shape, keys: [6]) == list)
  }

  @Test func `digests numbers as their columns keep them`() throws {
    let sample = try SampleStore.filled()
    let content = try StoreContent(store: sample.file, layout: sample.layout)
    let shape = ObjectDigest.Shape(
      entity: "Task",
      properties: ["dueDate", "price", "progress", "sortOrder", "details"]
    )
    var object = ObjectDigest(shape, key: 4)
    object.add("")
    object.addNull()
    object.add(numeric: 5.0)
    object.add(0.5)
    object.add(40 as Int64)
    var list = ListDigest()
    list.add(object.value)
    #expect(try content.digest(shape, keys: [4]) == list)
  }

  @Test func `tells storage classes, values and their order apart`() {
    let values: [Value] = [
      .null, .integer(0), .integer(1), .real(0), .real(1), .text(""), .text("1"), .text("a"),
      .text("A"), .text("a "), .text("é"), .text("e\u{301}"), .blob([]), .blob([0]), .blob([0, 0]),
      .blob(Array("1".utf8)), .integer(.min), .integer(.max),
    ]
    let shape = ObjectDigest.Shape(entity: "Task", properties: ["a", "b"])
    var seen: Set<UInt64> = []
    for first in values {
      for second in values {
        var digest = ObjectDigest(shape, key: 1)
        digest.add(first)
        digest.add(second)
        #expect(seen.insert(digest.value).inserted, "\(first), \(second)")
      }
    }
    #expect(seen.count == values.count * values.count)
  }

  @Test func `counts every bit of every byte`() {
    for count in [1, 3, 7, 8, 9, 15, 16, 31, 32, 33, 64, 100] {
      var bytes = (0..<count).map { UInt8($0) }
      let digest = bytes.withUnsafeBytes { ByteDigest.of($0) }
      for bit in 0..<(count * 8) {
        bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(bytes.withUnsafeBytes { ByteDigest.of($0) } != digest, "bit \(bit) of \(count)")
        bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      }
    }
  }

  @Test func `keeps its values from release to release`() {
    // Stored results contain digests, so this test must fail if the hash function changes.
    let bytes = (0..<100).map { UInt8($0) }
    #expect(bytes.withUnsafeBytes { ByteDigest.of($0) } == 8_416_718_032_951_096_398)
    var digest = ObjectDigest(ObjectDigest.Shape(entity: "Task", properties: ["title"]), key: 7)
    digest.add("Buy milk")
    #expect(digest.value == 3_411_969_013_221_559_954)
  }

  @Test(arguments: [0, 1, 262_143, 262_144, 262_145, 524_288, 700_000])
  func `digests a file as the same bytes in memory`(_ count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let path = NSTemporaryDirectory() + "storebench-" + UUID().uuidString
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(BlobContent.fingerprint(ofFile: path) == BlobFingerprint(of: bytes))
  }

  @Test func `orders lists only where it is asked to`() {
    var (first, second) = (ListDigest(), ListDigest())
    for object: UInt64 in [1, 2, 3] { first.add(object) }
    for object: UInt64 in [3, 2, 1] { second.add(object) }
    #expect(first.unordered == second.unordered)
    #expect(first.ordered != second.ordered)
    second.add(1)
    #expect(first.unordered != second.unordered)
  }

  @Test func `digests content alike under other keys, in another order, in other files`() throws {
    let sample = try SampleStore.filled()
    let copy = try sample.copy()
    try Renumbering(layout: sample.layout).apply(to: copy.file)
    let original = try StoreContent(store: sample.file, layout: sample.layout)
    let renumbered = try StoreContent(store: copy.file, layout: sample.layout)
    let byContent = DigestOptions.content
    #expect(try renumbered.digest(byContent) == original.digest(byContent))
    #expect(try renumbered.digest() != original.digest())
  }

  @Test(arguments: StoreMutation.all.filter { $0.sort == .content })
  func `digests without keys what was changed by`(_ mutation: StoreMutation) throws {
    // Without keys, a digest ignores the entity number of a reference, because the target's digest
    // includes its entity.
    guard mutation.description != "a reference that names another entity" else { return }
    let sample = try SampleStore.filled()
    let options = DigestOptions.content
    let digest = try StoreContent(store: sample.file, layout: sample.layout).digest(options).total
    for seed: UInt64 in 1...2 {
      let copy = try sample.copy()
      try Renumbering(layout: sample.layout).apply(to: copy.file)
      _ = try mutation.apply(to: copy.file, layout: sample.layout, seed: seed)
      let changed = try StoreContent(store: copy.file, layout: sample.layout)
      #expect(try changed.digest(options).total != digest, "seed \(seed)")
    }
  }

  @Test func `counts positions instead of order keys, and versions only if asked to`() throws {
    let sample = try SampleStore.filled()
    let before = try StoreContent(store: sample.file, layout: sample.layout)
    let copy = try sample.copy()
    try copy.execute("UPDATE ZTASK SET Z_OPT = 9")
    try copy.execute("UPDATE ZSUBTASK SET Z_FOK_TASK = Z_FOK_TASK * 2")
    let after = try StoreContent(store: copy.file, layout: sample.layout)
    #expect(try after.digest() == before.digest())
    let options = DigestOptions.keys(countsVersions: true)
    #expect(try after.digest(options) != before.digest(options))
  }

  @Test func `names the parts and refuses unknown properties`() throws {
    let sample = try SampleStore.filled()
    let content = try StoreContent(store: sample.file, layout: sample.layout)
    let digest = try content.digest()
    #expect(
      digest.parts.map { "\($0.name) \($0.count)" } == [
        "Attachment 4", "Category 3", "ImageAttachment 4", "Person 4", "Project 3", "Reminder 3",
        "Subtask 18", "Subtask.task.order 18", "Tag 5", "Tag.tasks 14", "Task 12",
      ]
    )
    #expect(digest.total.count == 32)
    #expect(throws: Refusal.unknownProperty("colour", entity: "Tag")) {
      try content.digest(ObjectDigest.Shape(entity: "Tag", properties: ["colour"]))
    }
  }
}
