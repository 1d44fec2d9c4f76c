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
    if let old = comparison.old.store, !comparison.isSameVersion {
      steps.append(
        "time the migration: storebench run Workloads/migration --store \(old.store.name)"
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
}
