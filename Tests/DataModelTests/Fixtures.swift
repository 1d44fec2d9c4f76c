import DataModel
import TestSupport

/// The models that the project ships.
enum ShippedModels {
  static let folder = Repository.path("Workloads/models")

  static let families = ["catalog", "feed", "tasks", "trips"]
}

/// Returns the problems in a model file's text, one per line; empty if there are none.
func problems(of text: String) -> String {
  do {
    _ = try ModelFile.parse(text, file: "m.yaml")
    return ""
  } catch {
    return "\(error)"
  }
}
