import Basics
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

  /// The total work of the steps, regardless of their order, batches and saves.
  ///
  /// The list that a step reads during background work does not count. Cases whose totals differ
  /// are not alternatives to each other.
  var totals: String {
    var totals: [String: Double] = [:]
    for outer in steps {
      for leaf in outer.isComposite ? outer.steps : [outer] where !leaf.entity.isEmpty {
        let inner = outer.isComposite ? Double(leaf.times) : 1
        let share = isMix ? outer.weight ?? 0 : 1
        totals[leaf.work, default: 0] += share * Double(outer.times) * inner * leaf.amount
      }
    }
    return totals.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.shortest)" }
      .joined(separator: ", ")
  }

  /// The names of the parts (groups of steps whose costs are reported together), in the order of
  /// the steps.
  var parts: [String] {
    var names: [String] = []
    for step in steps where !names.contains(step.partName) { names.append(step.partName) }
    return names
  }
}

extension Step {
  /// A description of the step's work, regardless of its method.
  fileprivate var work: String {
    let read = min(read ?? .max, limit > 0 ? limit : .max)
    let led = links.map { name, word in
      let count = Step.picking(word)?.count ?? 1
      return word == Step.noTarget ? "-\(name)" : count > 1 ? "\(count) \(name)" : name
    }
    let taken = (removals ?? [:]).map { name, word in
      "-\(Step.picking(word)?.count ?? 1) \(name)"
    }
    let names = (set.map(\.name) + led + taken).sorted().joined(separator: "+")
    let parts = [
      words, takesAll == true ? "all" : condition, searched, text, names,
      reads && choose == nil && read < .max ? "(\(read))" : "",
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// The average number of objects that the step picks each time; 1 for a condition, whose matches
  /// are unknown.
  fileprivate var amount: Double {
    picks && verb != .count && (!reads || choose != nil)
      ? Double(objects.low + objects.high) / 2 : 1
  }
}
