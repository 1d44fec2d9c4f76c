import PersistentStore
import Runner

struct ScenarioParameters: ParameterSet {
  @Parameter("what does the work") var engine = ChangeEngine.objectGraph
  @Parameter(
    StepReader.form,
    "what the app does: Workloads/scenario/README.md; several lists by name are an axis",
    read: [Step].init(planText:),
    write: \.planText
  )
  var steps: [Step] = []
  @Parameter(
    BlobPlace.form,
    "where blobs are kept, by attribute; several mappings by name are an axis",
    read: [BlobPlace].init(planText:),
    write: \.planText
  )
  var strategies: [BlobPlace] = []
  @Parameter(
    0...10_000_000,
    "steps drawn by their weights, each saved; 0 does the steps once, in order"
  )
  var operations = 0

  var impossibility: String? {
    guard !steps.isEmpty else {
      return "a scenario needs 'steps', such as [{ fetch: Note }]; examples: "
        + "Workloads/scenario/README.md"
    }
    return nil
  }
}

extension ScenarioParameters {
  var isMix: Bool { operations > 0 }
  /// Whether no step changes the store.
  var onlyReads: Bool { !steps.contains(where: \.changesAny) }

  /// The strategies for blobs, applied to the model of a trial's store.
  func places(in trial: Trial, _ layout: StoreLayout) throws -> BlobPlaces {
    try strategies.isEmpty
      ? BlobPlaces(of: layout.model) : BlobPlaces(strategies, in: trial.original.ownModel())
  }

  /// All simple steps, including the steps inside composite steps.
  var leaves: [Step] { steps.flatMap(\.leaves) }
  /// Whether two contexts work at the same time.
  var hasBackground: Bool { steps.contains { $0.verb == .background } }

  /// The names of the parts (groups of steps whose costs are reported together), in the order of
  /// the steps.
  var parts: [String] {
    var names: [String] = []
    for step in steps where !names.contains(step.partName) { names.append(step.partName) }
    return names
  }
}
