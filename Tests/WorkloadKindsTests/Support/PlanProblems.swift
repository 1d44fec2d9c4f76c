import DataModel
import Runner
import TestSupport
import WorkloadKinds

/// The problems of a workload file with the given kind and parameters, on the store of the recipe
/// `tasks`.
func planProblems(_ kind: String, _ parameters: String) throws -> [Diagnostic] {
  let folder = try TemporaryFolder()
  let recipe = Repository.path("Workloads/recipes/tasks.yaml")
  let path = try folder.write(
    "kind: \(kind)\nstore: { recipe: \(recipe) }\nparameters:\n  \(parameters)\n",
    to: "own.yaml"
  )
  do {
    _ = try Plan(paths: [path], kinds: WorkloadCatalog.kinds)
    return []
  } catch let error as InvalidInput {
    return error.problems
  }
}
