import DataModel
import Foundation
import PersistentStore
import Testing

struct ExternalStorageTests {
  private func files(_ fixture: ContextStore) throws -> [String] {
    let folder = fixture.store.file.externalDataFolder
    return (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? []
  }

  private func blob(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0) } }

  @Test(arguments: [(102_400, 0), (102_401, 1)])
  func `a blob over the threshold becomes a file`(count: Int, fileCount: Int) throws {
    let fixture = try ContextStore()
    let context = try fixture.context()
    let task = try context.insert("Task")
    try task.setValue(.blob(blob(count)), of: "photo")
    try context.save()
    #expect(try files(fixture).count == fileCount)
    let length = fileCount == 0 ? count + 1 : 38
    #expect(try fixture.column("SELECT length(ZPHOTO) FROM ZTASK") == [String(length)])
    #expect(
      try fixture.column("SELECT hex(substr(ZPHOTO, 1, 1)) FROM ZTASK")
        == [fileCount == 0 ? "01" : "02"]
    )
    let read = try fixture.context().fetch(FetchRequest("Task")).object(at: 0)
    #expect(try read.value(of: "photo") == .blob(blob(count)))
  }

  @Test func `a file goes when its value changes or its object is deleted`() throws {
    let fixture = try ContextStore()
    let context = try fixture.context()
    let task = try context.insert("Task")
    try task.setValue(.blob(blob(200_000)), of: "photo")
    try context.save()
    let first = try files(fixture)
    try task.setValue(.blob(blob(300_000)), of: "photo")
    try context.save()
    let second = try files(fixture)
    #expect(second.count == 1)
    #expect(first != second)
    try context.delete(task)
    try context.save()
    #expect(try files(fixture).isEmpty)
  }

  @Test func `a save that fails leaves no file behind`() throws {
    let fixture = try ContextStore()
    try fixture.fill()
    let context = try fixture.context()
    try context.insert("Task").setValue(.blob(blob(200_000)), of: "photo")
    try context.insert("Tag").setValue(.text("home"), of: "name")
    #expect(throws: ObjectContextError.self) { try context.save() }
    #expect(try files(fixture).isEmpty)
  }

  @Test(arguments: [StoreBehaviours.ExternalDataLoad.onAccess, .onFetch])
  func `external data is read on access or with the fetch`(
    load: StoreBehaviours.ExternalDataLoad
  ) throws {
    let fixture = try ContextStore()
    let writer = try fixture.context()
    try writer.insert("Task").setValue(.blob(blob(200_000)), of: "photo")
    try writer.save()
    let context = try fixture.context(StoreBehaviours(externalDataLoad: load))
    let results = try context.fetch(FetchRequest("Task"))
    let before = context.fileCounters.opens
    #expect(before == (load == .onFetch ? 1 : 0))
    #expect(try results.object(at: 0).value(of: "photo") == .blob(blob(200_000)))
    #expect(context.fileCounters.opens == 1)
    #expect(context.fileCounters.readBytes == 200_000)
  }
}
