import Basics
import Foundation
import Runner

/// A difference between two results that explains other differences.
///
/// It concerns a model, a recipe, a store, settings, the build, or the name of a workload file.
package struct Cause: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable {
    case workload
    case model
    case recipe
    case store
    case settings
    case build
  }

  package var kind: Kind
  /// The file of a model, recipe, store or workload; empty for settings and builds.
  package var file = ""
  /// The differences, such as `new index byDate of Task (dueDate)`, with the most important first.
  package var changes: [String]
  /// The workloads whose cases are affected, in the baseline's order; empty if all are affected.
  package var workloads: [String] = []

  /// Whether two causes are the same difference, even if they affect different workloads.
  func isSame(as other: Cause) -> Bool {
    kind == other.kind && file == other.file && changes == other.changes
  }

  private static let named = 4

  /// The cause as a sentence, such as `model 'models/tasks/v2.yaml' changed: new index byDate of
  /// Task (dueDate)`.
  package var text: String {
    let subject = file.isEmpty ? kind.rawValue : "\(kind.rawValue) '\(file)'"
    let rest = changes.count - Self.named
    let named = changes.prefix(Self.named).joined(separator: ", ")
    return "\(subject) changed: \(named)" + (rest > 0 ? " and \(rest) more" : "")
  }
}

extension Cause {
  /// All recorded differences between two results, models first.
  ///
  /// Files that only one side uses are left out: they belong to a change of parameters, which the
  /// case IDs show.
  static func all(of candidate: ResultDocument, against aligned: Alignment) -> [Cause] {
    let (ours, baseline) = (candidate.workloadsByName, aligned.baseline)
    var causes = aligned.oldNames.sorted { $0.key < $1.key }.map { new, old in
      Cause(kind: .workload, file: new, changes: ["renamed from '\(old)'"], workloads: [new])
    }
    for theirs in baseline.workloads {
      guard let own = ours[theirs.workload] else { continue }
      for cause in inputs(own, against: theirs) + store(own, against: theirs)
        + settings(own, against: theirs, aligned.parameters)
      {
        if let known = causes.firstIndex(where: cause.isSame) {
          causes[known].workloads.append(theirs.workload)
        } else {
          causes.append(cause)
        }
      }
    }
    let order: [Kind] = [.workload, .model, .recipe, .store, .settings]
    return order.flatMap { kind in causes.filter { $0.kind == kind } }
      + build(candidate.environment, against: baseline.environment)
  }

  private static func inputs(
    _ ours: WorkloadResult,
    against theirs: WorkloadResult
  ) -> [Cause] {
    // A changed recipe that makes the same store is not a cause.
    let isSameStore = ours.store.digest == theirs.store.digest
    return InputPair.changed(ours, against: theirs).compactMap { pair in
      var cause = Cause(pair, of: theirs.workload)
      if cause.kind == .recipe {
        if isSameStore { return nil }
        let counts = objects(ours.store, against: theirs.store)
        if cause.changes == unknownRecipe, !counts.isEmpty { cause.changes = counts }
      }
      if let file = pair.formerFile { cause.changes.insert("in place of '\(file)'", at: 0) }
      return cause
    }
  }

  static func inputs(
    _ ours: [InputFact],
    against theirs: [InputFact],
    of workload: String
  ) -> [Cause] {
    InputPair.changed(ours, against: theirs).map { Cause($0, of: workload) }
  }

  private init(_ pair: InputPair, of workload: String) {
    self.init(
      kind: pair.isOfModel ? .model : .recipe,
      file: pair.new.file,
      changes: pair.isOfModel ? Self.parts(pair) : Self.recipe(pair),
      workloads: [workload]
    )
  }

  private static func parts(_ pair: InputPair) -> [String] {
    let changes = pair.changes.map(\.text)
    // Indexes come first, because they explain most changes of counters.
    let indexes = changes.filter { $0.contains("index ") }
    let others = changes.filter { !$0.contains("index ") }
    return changes.isEmpty
      ? ["settings of its entities, attributes or indexes"] : indexes + others
  }

  private static let unknownRecipe = ["its objects or their values"]

  private static func recipe(_ pair: InputPair) -> [String] {
    let changes = pair.hasParts ? pair.changes.flatMap(recipeChanges) : []
    return changes.isEmpty ? unknownRecipe : changes
  }

  private static func objects(
    _ ours: StoreDescription,
    against theirs: StoreDescription
  ) -> [String] {
    guard !theirs.objects.isEmpty else { return [] }
    return Set(theirs.objects.keys).union(ours.objects.keys).sorted().compactMap { name in
      let (old, new) = (theirs.objects[name] ?? 0, ours.objects[name] ?? 0)
      return old == new ? nil : "\(name) \(old.grouped) → \(new.grouped)"
    }
  }

  private static func recipeChanges(_ change: InputPair.Change) -> [String] {
    guard change.subject.hasPrefix(InputPair.objects) else {
      guard change.subject == "seed", let old = change.old, let new = change.new else {
        return [change.subject]
      }
      return ["seed \(old) → \(new)"]
    }
    let name = change.subject.dropFirst(InputPair.objects.count)
    func parts(_ text: String?) -> [String] { (text ?? "0").components(separatedBy: ", ") }
    let (old, new) = (parts(change.old), parts(change.new))
    var texts: [String] = []
    if old[0] != new[0] {
      texts.append("\(name) \((Int(old[0]) ?? 0).grouped) → \((Int(new[0]) ?? 0).grouped)")
    }
    if old.last != new.last, old.count > 1, new.count > 1 { texts.append("values of \(name)") }
    return texts
  }

  private static func store(
    _ ours: WorkloadResult,
    against theirs: WorkloadResult
  ) -> [Cause] {
    guard ours.hasChangedStore(theirs) else { return [] }
    return [
      Cause(
        kind: .store,
        file: ours.store.source,
        changes: ["its content"],
        workloads: [theirs.workload]
      )
    ]
  }

  private static func settings(
    _ ours: WorkloadResult,
    against theirs: WorkloadResult,
    _ parameters: [String: Alignment.ParameterChange]
  ) -> [Cause] {
    let names = Set(theirs.pragmas.keys).intersection(ours.pragmas.keys).sorted()
    let pragmas = names.map { ($0, theirs.pragmas[$0] ?? "", ours.pragmas[$0] ?? "") }
    let common = Set(theirs.defaults.keys).intersection(ours.defaults.keys).sorted()
    let defaults = common.map { ($0, theirs.defaults[$0] ?? "", ours.defaults[$0] ?? "") }
    let policy = [
      ("cache", theirs.cache, ours.cache),
      ("iterations", "\(theirs.iterationCount)", "\(ours.iterationCount)"),
      ("seed", "\(theirs.seed)", "\(ours.seed)"),
    ]
    let ofCases = Set(ours.cases.compactMap { parameters[$0.id]?.text }).sorted()
    let changes =
      ofCases
      + (pragmas + defaults + policy).filter { $0.1 != $0.2 }.map { "\($0.0) \($0.1) → \($0.2)" }
    return changes.isEmpty
      ? [] : [Cause(kind: .settings, changes: changes, workloads: [theirs.workload])]
  }

  /// The differences in SQLite and in StoreBench; a baseline records no commit.
  private static func build(_ ours: Environment, against theirs: Environment) -> [Cause] {
    var changes: [String] = []
    if theirs.sqliteSourceID != ours.sqliteSourceID {
      let isOfVersion = theirs.sqliteVersion != ours.sqliteVersion
      changes.append(
        isOfVersion
          ? "SQLite \(theirs.sqliteVersion) → \(ours.sqliteVersion)"
          : "a different build of SQLite \(ours.sqliteVersion)"
      )
    } else if Set(theirs.sqliteCompileOptions) != Set(ours.sqliteCompileOptions) {
      changes.append("compile options of SQLite")
    }
    if theirs.build != ours.build { changes.append("\(theirs.build) → \(ours.build)") }
    if let old = theirs.packages, let new = ours.packages {
      changes += Set(old.keys).union(new.keys).sorted().filter { old[$0] != new[$0] }.map { name in
        "package \(name) \(old[name] ?? "none") → \(new[name] ?? "none")"
      }
    }
    let commits = [theirs.commit, ours.commit].map { $0.prefix(12) }
    if !theirs.commit.isEmpty, theirs.commit != ours.commit {
      changes.append("StoreBench \(commits[0]) → \(commits[1])")
    } else if let old = theirs.program, let new = ours.program, old != new {
      changes.append("a different build of StoreBench \(commits[1])")
    }
    return changes.isEmpty ? [] : [Cause(kind: .build, changes: changes)]
  }
}
