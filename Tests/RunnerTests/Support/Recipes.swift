import TestSupport

/// Writes two versions of a small model, and a recipe for the first version.
func writeRecipe(to folder: TemporaryFolder) throws {
  for version in [1, 2] {
    try folder.write(
      """
      identifier: "\(version)"
      entities:
        Task:
          attributes:
            title: string
      """ + (version == 2 ? "\n      isDone: boolean" : ""),
      to: "models/v\(version).yaml"
    )
  }
  try folder.write(
    """
    format: 1
    model: models/v1.yaml
    seed: 5
    entities:
      Task: { count: 50 }
    """,
    to: "recipes/tasks.yaml"
  )
}
