import PersistentStore
import Runner

struct SessionParameters: ParameterSet {
  @Parameter(SessionAction.forms, "what the user does, one after the other")
  var actions = SessionAction.standard
  @Parameter("what does the work") var engine = ChangeEngine.objectGraph
  @Parameter("whether the context grows, or is reset before each action") var context =
    ContextLife.grows
  @Parameter("what the app keeps of the objects that it has shown") var held = Held.screen
  @Parameter(0...10_000, "objects a batch; 0 reads all of a list at once") var batchSize = 20
  @Parameter("which batches of the list stay in memory")
  var batchRetention = StoreBehaviours.BatchRetention.current
  @Parameter(1...1_000, "objects on the screen") var screen = 20
  @Parameter(.name, "the entity of the list; the one with most objects by default") var entity = ""
  @Parameter(.names, "attributes that order the list; -NAME for descending") var sort: [String] = []
  @Parameter(.name, "the to-one that each row of the list shows; none by default")
  var relationship =
    ""
  @Parameter(named: "prefetch", "whether the to-one's objects are read with each batch")
  var prefetches = true
  @Parameter(.name, "the text attribute that is searched; the first one by default") var searched =
    ""
  @Parameter(.name, "the attribute that is edited; the first other text or whole number by default")
  var edited = ""

  var irrelevant: Set<ParameterName> {
    var names: Set<ParameterName> = []
    if !does(.search) { names.insert($searched) }
    if !does(.edit) { names.insert($edited) }
    if ![.firstScreen, .scroll, .search].contains(where: does) {
      names.formUnion([$held, $batchSize, $batchRetention, $relationship, $prefetches])
    }
    if batchSize == 0 || engine != .objectGraph { names.insert($batchRetention) }
    if relationship.isEmpty || engine != .objectGraph { names.insert($prefetches) }
    return names
  }

  var remedies: [ParameterName: String] {
    let shown = "no action shows a row: add 'firstScreen', 'scroll' or 'search', or leave it out"
    let plain = "plain rows have no batches in memory and no faults: set 'engine: objectGraph'"
    return [
      $searched: "no action searches: add 'search', or leave it out",
      $edited: "no action edits: add 'edit', or leave it out",
      $held: shown, $batchSize: shown, $relationship: shown,
      $batchRetention: engine == .objectGraph ? "set 'batchSize' above 0, or leave it out" : plain,
      $prefetches: engine == .objectGraph ? "set 'relationship', or leave it out" : plain,
    ]
  }

  var impossibility: String? {
    guard engine != .objectGraph else { return nil }
    if held == .faults {
      return
        "plain rows cannot be faults: use 'held: screen' or 'held: objects', or 'engine: objectGraph'"
    }
    return nil
  }
}

extension SessionParameters {
  enum ContextLife: String, CaseIterable, Sendable {
    /// The context keeps its objects.
    case grows
    /// Before each action, the app releases all objects, resets the context and fetches its list
    /// again.
    case reset
  }

  /// The shown objects that the app keeps in memory.
  enum Held: String, CaseIterable, Sendable {
    /// The app keeps only the objects on the screen.
    case screen
    /// The app keeps all objects, but turns objects that leave the screen into faults.
    case faults
    /// The app keeps all objects with their values.
    case objects
  }

  func does(_ kind: SessionAction.Kind) -> Bool { steps.contains { $0.kind == kind } }

  var steps: [SessionAction] { actions.compactMap(SessionAction.init) }

  var sortedAttributes: Set<String> {
    Set(list.sortKeys.map(\.property))
  }

  /// The list, as the parameters of a fetch of all its objects.
  var list: FetchParameters {
    FetchParameters(
      ParameterValues(["entity": .text(entity), "sort": .list(sort)])
    )
  }
}

struct SessionAction: Hashable, Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case launch
    case firstScreen
    case scroll
    /// Types a word; the app shows the first screen of the results.
    case search
    case edit
    /// Leaves the app: it releases its objects and resets its context.
    case background

    fileprivate var count: Axis.Action.Count? {
      switch self {
      case .launch, .firstScreen, .background: nil
      case .scroll: .init(1...10_000_000, standard: 100, "objects")
      case .search: .init(1...10_000, standard: 1, "words")
      case .edit: .init(1...100_000, standard: 1, "objects")
      }
    }
  }

  static let forms = Kind.allCases.map { Axis.Action($0.rawValue, count: $0.count) }

  static let standard = [
    ScriptedAction("launch"), ScriptedAction("firstScreen"), ScriptedAction("scroll", count: 500),
    ScriptedAction("search", count: 3), ScriptedAction("edit", count: 5),
    ScriptedAction("background"),
  ]

  let kind: Kind
  let count: Int

  init?(_ action: ScriptedAction) {
    guard let kind = Kind(rawValue: action.name) else { return nil }
    self.kind = kind
    count = action.count ?? 1
  }
}
