import Foundation
import Inspector
import PersistentStore

/// What `inspect` does with a store, or with a folder of them.
struct InspectStoreJob {
  let path: String
  let format: InspectionFormat

  func perform(on console: Console) throws {
    let stores =
      StoreSearch.isFolder(path)
      ? try StoreSearch.stores(in: path) : [StoreFile(path: path)]
    for store in stores {
      let survey = try StoreSurvey(of: store)
      console.print(survey.path)
      for (name, count) in survey.entities.sorted(by: { $0.key < $1.key }) {
        console.print("  \(name) \(count)")
      }
      for finding in survey.findings { console.print(finding) }
    }
  }
}
