import Basics
import Foundation
import Runner
import TestSupport
import Testing

@Suite struct RunFolderTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func gunzipped(_ name: String) throws -> String {
    let bytes = try Gzip.decompress(folder.bytes(of: name), limit: 1 << 24)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `writes the document and both tables, and nothing else stays`() throws {
    try RunFolder(path: folder.path).write(ResultFixture.document)
    #expect(
      try folder.names()
        == [
          RunFolder.resultName, RunFolder.samplesName, RunFolder.summaryName,
        ].sorted()
    )
    #expect(try gunzipped(RunFolder.resultName) == ResultFixture.document.text(as: .json))
    #expect(try gunzipped(RunFolder.samplesName) == ResultFixture.document.text(as: .samples))
    #expect(try gunzipped(RunFolder.summaryName) == ResultFixture.document.text(as: .csv))
  }

  @Test func `writes the same bytes for the same result, over older files`() throws {
    try RunFolder(path: folder.path).write(ResultFixture.small)
    try RunFolder(path: folder.path).write(ResultFixture.document)
    let other = try TemporaryFolder()
    try RunFolder(path: other.path).write(ResultFixture.document)
    for name in try other.names() {
      #expect(try folder.bytes(of: name) == other.bytes(of: name), "\(name)")
    }
  }

  @Test func `packs a table of more than one piece`() throws {
    var document = ResultFixture.small
    let trials = (0..<5000).map { [Double($0)] }
    document.workloads[0].cases[0].samples = [Sample(metric: .wallClock, trials: trials)]
    try RunFolder(path: folder.path).write(document)
    let text = try gunzipped(RunFolder.samplesName)
    #expect(text.utf8.count > 1 << 18)
    #expect(text == (try document.text(as: .samples)))
  }

  @Test func `leaves the old result when the new one is none`() throws {
    try RunFolder(path: folder.path).write(ResultFixture.small)
    let before = try folder.bytes(of: RunFolder.resultName)
    var document = ResultFixture.document
    document.workloads[0].cases[0].samples[0].trials[0][0] = -1
    #expect(throws: Refusal.self) {
      try RunFolder(path: folder.path).write(document)
    }
    #expect(try folder.bytes(of: RunFolder.resultName) == before)
    #expect(try folder.names().count == 3)
  }

  @Test func `says which file it cannot write`() throws {
    let path = "\(folder.path)/missing"
    #expect(
      throws: Refusal.cannotWrite("\(path)/\(RunFolder.samplesName)", code: ENOENT)
    ) { try RunFolder(path: path).write(ResultFixture.small) }
  }

  @Test func `removes its partial file when the target cannot be replaced`() throws {
    let target = "\(folder.path)/\(RunFolder.samplesName)"
    try FileManager.default.createDirectory(
      atPath: "\(target)/full",
      withIntermediateDirectories: true
    )
    #expect(throws: Refusal.cannotWrite(target, code: EISDIR)) {
      try RunFolder(path: folder.path).write(ResultFixture.small)
    }
    #expect(try folder.names() == [RunFolder.samplesName])
  }

  @Test func `a growing result is written for a fiftieth of the time, and at its end`() throws {
    var clock = ContinuousClock.now
    // Each reading advances the clock by 1 s: a write takes 1 s, so the next is due 49 s later.
    let saving = ResultSaving(to: RunFolder(path: folder.path)) {
      clock += .seconds(1)
      return clock
    }
    func casesWritten() throws -> Int {
      try ResultDocument(readingFrom: folder.path).workloads[0].cases.count
    }
    var document = ResultFixture.small
    let result = try #require(document.workloads[0].cases.first)
    var written: [Int] = []
    for count in 1...150 {
      document.workloads[0].cases = (0..<count).map { number in
        var other = result
        other.id = "\(number)"
        return other
      }
      try saving.take(document)
      try written.append(casesWritten())
    }
    #expect(Set(written).count == 4, "\(written)")
    #expect(written.last ?? 150 < 150)
    try saving.finish()
    #expect(try casesWritten() == 150)
    #expect(saving.latest == document)
  }
}
