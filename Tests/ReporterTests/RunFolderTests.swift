import Basics
import Foundation
import Reporter
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
    try RunFolder(path: folder.path).write(Fixture.document)
    #expect(
      try folder.names()
        == [
          RunFolder.resultName, RunFolder.samplesName, RunFolder.summaryName,
        ].sorted()
    )
    #expect(try gunzipped(RunFolder.resultName) == ResultJSON().text(of: Fixture.document))
    #expect(try gunzipped(RunFolder.samplesName) == SamplesCSV().text(of: Fixture.document))
    #expect(try gunzipped(RunFolder.summaryName) == SummaryCSV().text(of: Fixture.document))
  }

  @Test func `writes the same bytes for the same result, over older files`() throws {
    try RunFolder(path: folder.path).write(Fixture.small)
    try RunFolder(path: folder.path).write(Fixture.document)
    let other = try TemporaryFolder()
    try RunFolder(path: other.path).write(Fixture.document)
    for name in try other.names() {
      #expect(try folder.bytes(of: name) == other.bytes(of: name), "\(name)")
    }
  }

  @Test func `packs a table of more than one piece`() throws {
    var document = Fixture.small
    let trials = (0..<5000).map { [Double($0)] }
    document.workloads[0].cases[0].samples = [Sample(metric: .wallClock, trials: trials)]
    try RunFolder(path: folder.path).write(document)
    let text = try gunzipped(RunFolder.samplesName)
    #expect(text.utf8.count > 1 << 18)
    #expect(text == (try SamplesCSV().text(of: document)))
  }

  @Test func `leaves the old result when the new one is none`() throws {
    try RunFolder(path: folder.path).write(Fixture.small)
    let before = try folder.bytes(of: RunFolder.resultName)
    var document = Fixture.document
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
    ) { try RunFolder(path: path).write(Fixture.small) }
  }

  @Test func `removes its partial file when the target cannot be replaced`() throws {
    let target = "\(folder.path)/\(RunFolder.samplesName)"
    try FileManager.default.createDirectory(
      atPath: "\(target)/full",
      withIntermediateDirectories: true
    )
    #expect(throws: Refusal.cannotWrite(target, code: EISDIR)) {
      try RunFolder(path: folder.path).write(Fixture.small)
    }
    #expect(try folder.names() == [RunFolder.samplesName])
  }
}
