import Basics
import Runner

/// A baseline whose workloads and cases are renamed to match the result's.
///
/// The new names allow a comparison even if a workload file was renamed or a parameter of a case
/// changed.
struct Alignment {
  /// A parameter with its values in the baseline and in the result, and the dependent parameters
  /// that changed with it.
  struct ParameterChange: Hashable {
    /// The change in words, such as `strategy batched → eager, batchSize 50 → 20`.
    var text: String
  }

  fileprivate struct Parameters {
    var shown: Set<String> = []
    var all: [String: String]
  }

  private(set) var baseline: ResultDocument
  private(set) var oldNames: [String: String] = [:]
  private(set) var parameters: [String: ParameterChange] = [:]

  init(of baseline: ResultDocument, to candidate: ResultDocument) {
    self.baseline = baseline
    renameWorkloads(candidate)
    let ours = candidate.workloadsByName
    for index in self.baseline.workloads.indices {
      guard let own = ours[self.baseline.workloads[index].workload] else { continue }
      var theirs = self.baseline.workloads[index]
      pairCases(of: &theirs, with: own)
      self.baseline.workloads[index] = theirs
    }
  }

  /// Renames a workload that only the baseline has, if exactly one new workload in the result is of
  /// the same kind and has the same cases.
  private mutating func renameWorkloads(_ candidate: ResultDocument) {
    let (ours, theirs) = (candidate.workloadsByName, baseline.workloadsByName)
    let gone = baseline.workloads.filter { ours[$0.workload] == nil }
    let new = candidate.workloads.filter { theirs[$0.workload] == nil }
    for old in gone {
      let fitting = new.filter { $0.isSame(as: old) }
      guard let other = fitting.first, fitting.count == 1,
        gone.count(where: { other.isSame(as: $0) }) == 1,
        let index = baseline.workloads.firstIndex(where: { $0.workload == old.workload })
      else { continue }
      oldNames[other.workload] = old.workload
      baseline.workloads[index].workload = other.workload
      for number in old.cases.indices {
        baseline.workloads[index].cases[number].id =
          other.workload + old.suffix(of: old.cases[number])
      }
    }
  }

  /// Renames a case that only the baseline has, if exactly one new case in the result differs from
  /// it in a single parameter.
  private mutating func pairCases(of theirs: inout WorkloadResult, with ours: WorkloadResult) {
    let (known, old) = (theirs.casesByID, ours.casesByID)
    let gone = theirs.cases.filter { old[$0.id] == nil }
    let new = ours.cases.filter { known[$0.id] == nil }
    // Stop if so many cases differ that there are too many combinations to match.
    guard !gone.isEmpty, !new.isEmpty, gone.count * new.count <= 10_000 else { return }
    let before = gone.map { theirs.parameters(of: $0) }
    let after = new.map { ours.parameters(of: $0) }
    let changes = before.map { old in after.map { Self.change(from: old, to: $0) } }
    for (row, result) in gone.enumerated() {
      let fitting = changes[row].indices.filter { changes[row][$0] != nil }
      guard let column = fitting.first, fitting.count == 1,
        gone.indices.count(where: { changes[$0][column] != nil }) == 1,
        let index = theirs.cases.firstIndex(where: { $0.id == result.id })
      else { continue }
      theirs.cases[index].id = new[column].id
      parameters[new[column].id] = changes[row][column]
    }
  }

  /// Returns the changed parameter, or `nil` if not exactly one parameter changed.
  ///
  /// If the strategy changes, parameters that only the old strategy uses return to their defaults,
  /// which does not count as a second change. A parameter that does not apply to a case has no
  /// value in that case.
  private static func change(from old: Parameters, to new: Parameters) -> ParameterChange? {
    let changed = old.all.keys.sorted().filter { name in
      new.all[name].map { $0 != old.all[name] } ?? false
    }
    let shown = changed.filter { old.shown.contains($0) && new.shown.contains($0) }
    guard shown.count == 1 || (shown.isEmpty && changed.count == 1) else { return nil }
    let names = shown + changed.filter { !shown.contains($0) }
    let texts = names.map { "\($0) \(old.all[$0] ?? "") → \(new.all[$0] ?? "")" }
    return ParameterChange(text: texts.joined(separator: ", "))
  }
}

extension WorkloadResult {
  fileprivate func suffix(of result: CaseResult) -> String {
    result.id.hasPrefix(workload) ? String(result.id.dropFirst(workload.count)) : "/" + result.id
  }

  /// Whether another workload is of the same kind and has the same cases, apart from the workloads'
  /// names.
  fileprivate func isSame(as other: WorkloadResult) -> Bool {
    kind == other.kind && !cases.isEmpty
      && Set(cases.map(suffix)) == Set(other.cases.map { other.suffix(of: $0) })
  }

  /// The parameters of a case, from its ID and the workload's defaults; a baseline keeps no other
  /// parameters.
  fileprivate func parameters(of result: CaseResult) -> Alignment.Parameters {
    var (values, last) = (Alignment.Parameters(all: defaults), "")
    for part in suffix(of: result).dropFirst().split(separator: ",") {
      // A part without an equals sign continues the previous parameter's value, which may contain
      // commas.
      guard let separator = part.firstIndex(of: "=") else {
        if !last.isEmpty { values.all[last, default: ""] += "," + part }
        continue
      }
      last = String(part[..<separator])
      values.all[last] = String(part[part.index(after: separator)...])
      values.shown.insert(last)
    }
    return values
  }
}
