import DataModel
import Foundation
import PersistentStore
import TestSupport
import Testing

@Suite struct PathAttributeTests {
  private static let model = Model(entities: [
    Entity(
      name: "Image",
      attributes: [
        Attribute(name: "path", type: .string), Attribute(name: "width", type: .integer32),
      ]
    )
  ])
  private static let paths: Set = [PathAttribute(entity: "Image", attribute: "path")]

  private func makeStore() throws -> SampleStore {
    let store = try SampleStore(model: Self.model, keepsHistory: false)
    let folder = store.file.filesFolder
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for index in 1...4 {
      let bytes = Data((0..<(index * 100)).map { UInt8(truncatingIfNeeded: $0 * index) })
      try bytes.write(to: URL(fileURLWithPath: folder + "/image\(index)"))
      try store.insert("Image", ["path": .text("image\(index)"), "width": .integer(Int64(index))])
    }
    try store.insert("Image", ["path": .null])
    try store.finish()
    return store
  }

  @Test func `reads the file as the content`() throws {
    let store = try makeStore()
    let content = try StoreContent(
      store: store.file,
      layout: store.layout,
      pathAttributes: Self.paths
    )
    let image = try content.object(key: 2, in: content.table(of: "Image"))
    let bytes = (0..<200).map { UInt8(truncatingIfNeeded: $0 * 2) }
    #expect(image?["path"] == .blob(BlobFingerprint(of: bytes)))
    let plain = try StoreContent(store: store.file, layout: store.layout)
    #expect(try plain.object(key: 2, in: plain.table(of: "Image"))?["path"] == .text("image2"))
  }

  @Test(arguments: StoreMutation.all.filter { $0.description.contains("external file") })
  func `finds a file that was changed: `(_ mutation: StoreMutation) throws {
    let store = try makeStore()
    let original = try StoreContent(
      store: store.file,
      layout: store.layout,
      pathAttributes: Self.paths
    )
    let copy = try store.copy()
    var inspection = StoreInspection(store: copy.file, layout: store.layout)
    inspection.pathAttributes = Self.paths
    let expected = ExpectedContent(from: original)
    #expect(try inspection.problems(expecting: expected) == [])
    #expect(try mutation.apply(to: copy.file, layout: store.layout, seed: 3))
    #expect(try !inspection.problems(expecting: expected).isEmpty)
  }

  @Test(arguments: [
    ("../secret", AuditRule.malformedExternalData), ("/etc/hosts", .malformedExternalData),
    ("image9", .missingExternalFile), ("image2", .sharedExternalFile),
  ])
  func `audits paths`(_ path: String, _ rule: AuditRule) throws {
    let store = try makeStore()
    try store.execute("UPDATE ZIMAGE SET ZPATH = '\(path)' WHERE Z_PK = 4")
    var audit = StoreAudit(store: store.file, layout: store.layout)
    audit.pathAttributes = Self.paths
    let findings = try audit.findings()
    #expect(
      findings == [
        AuditFinding(rule: rule, place: "ZIMAGE.ZPATH", example: "Z_PK 4"),
        AuditFinding(rule: .orphanedExternalFile, place: "Sample_FILES", example: "image4"),
      ]
    )
  }
}
