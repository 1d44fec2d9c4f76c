import Foundation
import Inspector
import PersistentStore
import Profiling
import Reporter

/// What `inspect` does with the shape of stores: writes one as a profile, or compares two.
struct InspectShapeJob {
  /// A store, or two.
  let paths: [String]
  let format: InspectionFormat
  let k: Int

  /// Writes the profile of the first store.
  func writeProfile(on console: Console) throws {
    console.write(
      ProfileWriter(try profile(try PlainContent.open(StoreFile(path: paths[0])), console)).text
    )
  }

  /// Compares the second store with the first.
  func compare(on console: Console) throws -> CommandStatus {
    let original = try PlainContent.open(StoreFile(path: paths[0]))
    let other = try PlainContent.open(StoreFile(path: paths[1]))
    let profile = try profile(original, console)
    let line = ProgressLine(console, now: { ProcessInfo.processInfo.systemUptime })
    defer { line.clear() }
    var fidelity = StoreFidelity(profile: profile, original: original, made: other, scale: nil)
    fidelity.progress = { line.take("comparing \($0)") }
    let report = try fidelity.report()
    line.clear()
    switch format {
    case .text: console.print(FidelityTable(report: report, k: k).text)
    case .json, .yaml:
      console.print(
        try FidelityDocument(report, original: paths[0], other: paths[1], k: k).reportJSON()
      )
    }
    return report.isClean ? .done : .caseFailed
  }

  private func profile(_ content: StoreContent, _ console: Console) throws -> StoreProfile {
    let line = ProgressLine(console, now: { ProcessInfo.processInfo.systemUptime })
    defer { line.clear() }
    return try StoreProfiler(content, k: k) { line.take("profiling \($0)") }.profile()
  }
}
