import Runner

struct ForecastBenchCase {
  enum Kind: String, CaseIterable {
    case streaming = "streaming and rising keys"
    case randomKeys = "random keys"
  }

  let name: String
  let kind: Kind
  let file: String
  let parameters: [Overrides.Parameter]
  let store: RecipeReference

  private init(
    _ name: String,
    _ kind: Kind,
    _ file: String,
    _ parameters: [String: String],
    recipe: String = "tasks",
    objects: [String: Int] = [:]
  ) {
    self.name = name
    self.kind = kind
    self.file = "Workloads/migration/\(file).yaml"
    let set = parameters.merging(
      ["from": "\"\"", "to": "models/tasks/v2.yaml", "duplicates": "ignored"]
    ) { own, _ in own }
    self.parameters = set.sorted { $0.key < $1.key }.map { .init(name: $0.key, yaml: $0.value) }
    store = RecipeReference(path: "Workloads/recipes/\(recipe).yaml", objects: objects)
  }

  /// The objects of a store in which two thirds of the bytes are blobs of attachments.
  private static let manyBlobs = ["Task": 10_000, "Attachment": 4000]
  private static let noBlobs = ["Task": 10_000, "Attachment": 0]

  /// All cases: strategies with different blob shares, an aged store, and Zipf-distributed
  /// duplicates.
  static let all: [ForecastBenchCase] = [
    .init("lightweight in place", .streaming, "lightweight", ["shape": "inPlace"]),
    .init("lightweight rebuild", .streaming, "lightweight", ["shape": "rebuild"]),
    .init("copy by SQL", .streaming, "sideBySide", ["engine": "bareSQL"]),
    .init("copy in batches of 1000", .randomKeys, "sideBySide", copying(1000)),
    .init("copy in one save", .randomKeys, "sideBySide", copying(0)),
    .init("export and import", .randomKeys, "exportImport", ["batchSize": "1000"]),
    .init(
      "stage by objects",
      .streaming,
      "customStage",
      ["hook": "didMigrate", "batchSize": "500"]
    ),
    .init(
      "rebuild, many blobs",
      .streaming,
      "lightweight",
      ["shape": "rebuild"],
      objects: manyBlobs
    ),
    .init(
      "copy by SQL, no blobs",
      .streaming,
      "sideBySide",
      ["engine": "bareSQL"],
      objects: noBlobs
    ),
    .init(
      "copy in batches, many blobs",
      .randomKeys,
      "sideBySide",
      copying(1000),
      objects: manyBlobs
    ),
    .init("copy in batches of 100", .randomKeys, "sideBySide", copying(100)),
    .init(
      "merge duplicates, then rebuild",
      .randomKeys,
      "lightweight",
      ["shape": "rebuild", "to": "models/tasks/v3.yaml", "duplicates": "merged"]
    ),
    .init("rebuild, aged", .streaming, "lightweight", ["shape": "rebuild"], recipe: "tasks-aged"),
  ]

  private static func copying(_ batchSize: Int) -> [String: String] {
    ["engine": "objectGraph", "batchSize": "\(batchSize)"]
  }
}
