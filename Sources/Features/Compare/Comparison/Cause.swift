import Basics
import Runner

/// A difference between two results that explains others: a model, a recipe, settings, the build.
package struct Cause: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable {
    case model
    case recipe
    case settings
    case build
  }

  package var kind: Kind
  /// The file of a model or recipe; empty for settings and builds.
  package var file = ""
  /// What differs, such as `new index byDate of Task (dueDate)`, in the order of importance.
  package var changes: [String]
  /// The workloads whose cases it concerns, in the baseline's order; none where it concerns all.
  package var workloads: [String] = []

  /// Changes that a sentence names before it counts the rest.
  private static let named = 4

  /// `model 'models/tasks/v2.yaml' changed: new index byDate of Task (dueDate)`.
  package var text: String {
    let subject = file.isEmpty ? kind.rawValue : "\(kind.rawValue) '\(file)'"
    let rest = changes.count - Self.named
    let named = changes.prefix(Self.named).joined(separator: ", ")
    return "\(subject) changed: \(named)" + (rest > 0 ? " and \(rest) more" : "")
  }
}

extension Cause {
  /// Every difference between two results that their facts record, models first.
  ///
  /// A file that only one side uses belongs to a changed plan, which the cases' IDs show.
  static func all(of candidate: ResultDocument, against baseline: ResultDocument) -> [Cause] {
    let ours = candidate.workloadsByName
    var causes: [Cause] = []
    for theirs in baseline.workloads {
      guard let own = ours[theirs.workload] else { continue }
      for cause in inputs(own, against: theirs) + settings(own, against: theirs) {
        let known = causes.firstIndex {
          $0.kind == cause.kind && $0.file == cause.file && $0.changes == cause.changes
        }
        if let known {
          causes[known].workloads.append(theirs.workload)
        } else {
          causes.append(cause)
        }
      }
    }
    let order: [Kind] = [.model, .recipe, .settings]
    return order.flatMap { kind in causes.filter { $0.kind == kind } }
      + build(candidate.environment, against: baseline.environment)
  }

  private static func inputs(
    _ ours: WorkloadResult,
    against theirs: WorkloadResult
  ) -> [Cause] {
    theirs.inputs.compactMap { old in
      let same = ours.inputs.filter { $0.role == old.role && $0.file == old.file }
      guard let new = same.first, !same.contains(where: { $0.digest == old.digest }) else {
        return nil
      }
      let changes =
        old.role == .model
        ? parts(new.parts, against: old.parts) : recipe(ours.store, against: theirs.store)
      return Cause(
        kind: old.role == .model ? .model : .recipe,
        file: old.file,
        changes: changes,
        workloads: [theirs.workload]
      )
    }
  }

  private static func parts(_ new: [String], against old: [String]) -> [String] {
    let changes =
      Set(new).subtracting(old).sorted().map { "new \($0)" }
      + Set(old).subtracting(new).sorted().map { "no more \($0)" }
    // An index is what most often explains a counter.
    let indexes = changes.filter { $0.contains(" index ") }
    let others = changes.filter { !$0.contains(" index ") }
    return changes.isEmpty ? ["settings of its entities or attributes"] : indexes + others
  }

  private static func recipe(
    _ ours: StoreDescription,
    against theirs: StoreDescription
  ) -> [String] {
    let names = Set(theirs.objects.keys).union(ours.objects.keys).sorted()
    let counts = names.compactMap { name -> String? in
      let (old, new) = (theirs.objects[name] ?? 0, ours.objects[name] ?? 0)
      return old == new ? nil : "\(name) \(old.grouped) → \(new.grouped)"
    }
    // A baseline holds no counts of objects.
    return counts.isEmpty || theirs.objects.isEmpty ? ["its objects or their values"] : counts
  }

  private static func settings(
    _ ours: WorkloadResult,
    against theirs: WorkloadResult
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
    let changes = (pragmas + defaults + policy).filter { $0.1 != $0.2 }
      .map { "\($0.0) \($0.1) → \($0.2)" }
    return changes.isEmpty
      ? [] : [Cause(kind: .settings, changes: changes, workloads: [theirs.workload])]
  }

  /// What differs in SQLite and in this program; a baseline records no commit.
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
    let commits = [theirs.commit, ours.commit].map { $0.prefix(12) }
    if !theirs.commit.isEmpty, theirs.commit != ours.commit {
      changes.append("StoreBench \(commits[0]) → \(commits[1])")
    } else if let old = theirs.program, let new = ours.program, old != new {
      changes.append("a different build of StoreBench \(commits[1])")
    }
    return changes.isEmpty ? [] : [Cause(kind: .build, changes: changes)]
  }
}
