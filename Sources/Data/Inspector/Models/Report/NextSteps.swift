import DataModel
import PersistentStore

/// What a person should do after reading a comparison.
struct NextSteps {
  private let comparison: ModelComparison
  private let showsChecklist: Bool

  init(_ comparison: ModelComparison, showsChecklist: Bool) {
    self.comparison = comparison
    self.showsChecklist = showsChecklist
  }

  var all: [String] {
    var steps: [String] = []
    if !comparison.dataObstacles.isEmpty { steps.append("repair the data of the store first") }
    if !comparison.suspectedRenames.isEmpty {
      steps.append("set the former names of what was renamed, then inspect again")
    }
    if !comparison.mapping.obstacles.isEmpty {
      steps.append("write a custom stage for each ✗, or change the new model")
    }
    if comparison.old.store != nil, !comparison.isSameVersion {
      steps.append(
        "time the migration: storebench run Workloads/migration --store "
          + Self.quoted(comparison.old.path) + " --set " + Self.quoted("to=" + comparison.new.path)
      )
    } else if !comparison.isSameVersion {
      steps.append("give a user's store as OLD, to count what would be lost")
    }
    if comparison.target == nil {
      steps.append("--target ios17, ios18 or ios26 checks the model against SwiftData")
    }
    if !showsChecklist { steps.append("--checklist prints the guides' checklists, answered") }
    return steps
  }

  /// A word as a shell takes it for one.
  private static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy {
      (0x2b...0x3a).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0)
        || $0 == 0x3d || $0 == 0x5f
    }
    return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
