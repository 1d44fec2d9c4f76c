import Basics
import Runner
import SQLite

extension Cause {
  /// The differences between the sides of a live comparison, which may explain changed times.
  package static func all(of head: LiveSide, against base: LiveSide, in cases: [LiveCase])
    -> [Cause]
  {
    var causes: [Cause] = []
    func add(_ cause: Cause) {
      let same = causes.firstIndex {
        $0.kind == cause.kind && $0.file == cause.file && $0.changes == cause.changes
      }
      guard let same else { return causes.append(cause) }
      for name in cause.workloads where !causes[same].workloads.contains(name) {
        causes[same].workloads.append(name)
      }
    }
    var known: Set<[String]> = []
    for pair in cases where known.insert([pair.head.file.path, pair.base.file.path]).inserted {
      inputs(of: pair.head.file, against: pair.base.file).forEach(add)
    }
    for pair in cases {
      let changes = settings(pair.head, against: pair.base)
      if changes.isEmpty { continue }
      add(Cause(kind: .settings, changes: changes, workloads: [pair.head.file.name]))
    }
    let order: [Kind] = [.model, .recipe, .store, .settings]
    causes = order.flatMap { kind in causes.filter { $0.kind == kind } }
    if head.worker.executable != base.worker.executable {
      causes.append(Cause(kind: .build, changes: ["another program runs '\(base.worker.name)'"]))
    }
    if let other = base.worker.sqliteSourceID {
      causes.append(
        Cause(kind: .build, changes: ["SQLite of \(other.prefix(19)) → this program's"])
      )
    }
    return causes
  }

  private static func inputs(
    of ours: WorkloadFile,
    against theirs: WorkloadFile
  ) -> [Cause] {
    let new = ours.inputs
    // If each side has only one file with a role, such as model, the two files correspond even if
    // their names differ.
    let old = theirs.inputs.map { fact in
      let others = new.filter { $0.role == fact.role }
      guard others.count == 1, theirs.inputs.count(where: { $0.role == fact.role }) == 1 else {
        return fact
      }
      return InputFact(fact.role, file: others[0].file, digest: fact.digest, parts: fact.parts)
    }
    var causes = inputs(new, against: old, of: ours.name)
    if case .file(let path, _) = ours.store, case .file(let other, _) = theirs.store,
      path != other
    {
      causes.append(
        Cause(kind: .store, file: path, changes: ["in place of '\(other)'"], workloads: [ours.name])
      )
    }
    return causes
  }

  /// The settings that differ, as in `cache_size 50 → 2000`: the kind, pragmas, then parameters of
  /// the cases.
  private static func settings(_ ours: LiveArm, against theirs: LiveArm) -> [String] {
    func values(_ arm: LiveArm) -> [String: String] {
      Dictionary(arm.file.settings.pragmas.map { ($0.name, $0.value) }) { $1 }
    }
    let (old, new) = (values(theirs), values(ours))
    let pragmas = new.keys.sorted().filter { old[$0] != new[$0] }.map {
      "\($0) \(old[$0] ?? "") → \(new[$0] ?? "")"
    }
    guard ours.file.kind.name == theirs.file.kind.name else {
      return ["kind \(theirs.file.kind.name) → \(ours.file.kind.name)"] + pragmas
    }
    let (before, after) = (theirs.planned.allParameters, ours.planned.allParameters)
    return pragmas
      + ours.file.kind.axes.map(\.name).compactMap { name in
        guard before[name] != after[name] else { return nil }
        func text(_ value: ParameterValue?) -> String { value?.description ?? "unset" }
        return "\(name) \(text(before[name])) → \(text(after[name]))"
      }
  }
}
