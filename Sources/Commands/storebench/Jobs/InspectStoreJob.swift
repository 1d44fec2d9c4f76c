import Foundation
import Inspector
import PersistentStore
import Reporter

/// What `inspect` does with a store, or with a folder of them.
struct InspectStoreJob {
  let path: String
  let format: InspectionFormat

  func perform(on console: Console) throws {
    guard StoreSearch.isFolder(path) else {
      let survey = try survey(StoreFile(path: path), console)
      switch format {
      case .text: console.print(text(of: survey, console))
      case .json, .yaml: console.print(try JSONReport.text(of: survey))
      }
      return
    }
    try performOnFolder(console)
  }

  private func performOnFolder(_ console: Console) throws {
    var surveys: [StoreSurvey] = []
    var refused: [(path: String, error: any Error)] = []
    for store in try StoreSearch.stores(in: path) {
      do {
        surveys.append(try survey(store, console))
        guard format == .text, let last = surveys.last else { continue }
        console.print((surveys.count > 1 ? "\n" : "") + text(of: last, console))
      } catch {
        refused.append((store.path, error))
      }
    }
    if format == .json {
      let reasons = refused.map { ($0.path, "\($0.error)") }
      console.print(
        try JSONReport.text(of: surveys, refused: Dictionary(uniqueKeysWithValues: reasons))
      )
    }
    for (_, error) in refused { console.complain("left out: \(error)") }
    if surveys.isEmpty, let first = refused.first { throw first.error }
  }

  private func survey(_ store: StoreFile, _ console: Console) throws -> StoreSurvey {
    let line = ProgressLine(console, now: { ProcessInfo.processInfo.systemUptime })
    defer { line.clear() }
    var surveyor = StoreSurveyor(store)
    surveyor.progress = { line.take($0) }
    return try surveyor.survey()
  }

  private func text(of survey: StoreSurvey, _ console: Console) -> String {
    TextReport(survey, width: console.width, isColoured: console.isColoured).text
  }
}
