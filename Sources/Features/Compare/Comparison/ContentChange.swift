import Basics
import Foundation
import Runner

/// The differences of a workload that are explained by a changed model, recipe, parameter or
/// setting.
///
/// Cases with changed content are shown without a verdict; cases with the same content are judged.
struct ContentChange {
  enum Entities: Hashable {
    case named(Set<String>)
    case all

    var isEmpty: Bool { self == .named([]) }

    func touches(_ names: [String]) -> Bool {
      switch self {
      case .all: true
      case .named(let changed): !changed.isDisjoint(with: names)
      }
    }
  }

  private let entities: Entities
  private let explainsContent: Bool
  /// Whether the work of each case changed, as it does with a new seed.
  private let isOtherWork: Bool
  private let isStoreExplained: Bool
  private let parameters: [String: Alignment.ParameterChange]

  init(
    _ ours: WorkloadResult,
    against theirs: WorkloadResult,
    parameters: [String: Alignment.ParameterChange]
  ) {
    self.parameters = parameters
    // Ignore a changed recipe that makes the same store.
    let pairs = InputPair.changed(ours, against: theirs).filter {
      $0.isOfModel || ours.store.digest != theirs.store.digest
    }
    let inputs = ours.inputs + theirs.inputs
    let common = Set(theirs.defaults.keys).intersection(ours.defaults.keys)
    let hasOtherDefaults = common.contains { theirs.defaults[$0] != ours.defaults[$0] }
    isOtherWork = ours.seed != theirs.seed || ours.iterationCount != theirs.iterationCount
    explainsContent =
      !pairs.isEmpty || hasOtherDefaults || isOtherWork || ours.hasChangedStore(theirs)
    isStoreExplained =
      !pairs.isEmpty || ours.hasChangedStore(theirs)
      || ours.pragmas["page_size"] != theirs.pragmas["page_size"]
    entities =
      ours.store.digest == theirs.store.digest
      ? .named([])
      : ours.hasChangedStore(theirs)
        ? .all : pairs.reduce(.named([])) { $0.union(Self.entities(of: $1, in: inputs)) }
  }

  func explains(_ mismatch: Mismatch, of caseID: String? = nil) -> Bool {
    let hasParameter = caseID.map { parameters[$0] != nil } ?? false
    switch mismatch.fact {
    case "kind", "pragma sector_size", "pragma device_characteristics": return false
    case Mismatch.storeDigest: return isStoreExplained
    case Mismatch.contentDigest: return explainsContent || hasParameter
    case let fact where fact.hasPrefix("behaviour "): return explainsContent || hasParameter
    case let fact where fact.hasPrefix("metric "): return false
    case let fact where fact.hasPrefix("default of parameter "): return true
    // An empty value comes from a version of StoreBench that did not record the property.
    default: return !mismatch.baseline.isEmpty && !mismatch.candidate.isEmpty
    }
  }

  func changes(_ candidate: CaseResult, from baseline: CaseResult) -> Bool {
    isOtherWork || candidate.digest != baseline.digest
      || (!entities.isEmpty && entities.touches(candidate.entities))
  }

  /// Whether a metric depends on the whole file and therefore changed as well, regardless of the
  /// entities that a case uses.
  func concerns(_ metric: Metric) -> Bool {
    let ofFiles: [Metric] = [.storeBytes, .externalBytes, .allocatedBytes, .peakDisk]
    return !entities.isEmpty && ofFiles.contains { $0.name == metric.name }
  }

  // MARK: Entities

  private static func entities(of pair: InputPair, in inputs: [InputFact]) -> Entities {
    let changes = pair.changes
    // Files written by earlier versions of StoreBench do not list the parts of models and recipes.
    guard pair.hasParts else { return .all }
    let parts = inputs.filter { $0.role == .model }.flatMap(\.parts)
    let parents = Dictionary(grouping: parts.compactMap(InputPair.parent), by: \.child).mapValues {
      $0.map(\.parent)
    }
    if pair.isOfModel {
      return .named(relatives(of: Set(changes.filter(\.isOfContent).flatMap(\.entities)), parents))
    }
    guard changes.allSatisfy({ $0.subject.hasPrefix(InputPair.objects) }) else { return .all }
    let changed = changes.map { String($0.subject.dropFirst(InputPair.objects.count)) }
    let own = relatives(of: Set(changed), parents)
    // If an entity's objects changed, related objects refer to different objects, so their entities
    // changed too.
    let links = parts.compactMap(InputPair.link)
    let linked = Set(links.filter { own.contains($0.to) }.map(\.from))
      .union(links.filter { own.contains($0.from) }.map(\.to))
    return .named(own.union(relatives(of: linked, parents)))
  }

  /// Returns entities with all their ancestors and descendants.
  ///
  /// A fetch of an entity also returns the objects of its descendants.
  private static func relatives(
    of names: Set<String>,
    _ parents: [String: [String]]
  ) -> Set<String> {
    func ancestors(of name: String) -> Set<String> {
      var found: Set<String> = []
      var next = [name]
      while let name = next.popLast() {
        for parent in parents[name] ?? [] where found.insert(parent).inserted {
          next.append(parent)
        }
      }
      return found
    }
    let heirs = parents.keys.filter { !names.isDisjoint(with: ancestors(of: $0)) }
    return names.union(names.flatMap(ancestors)).union(heirs)
  }
}

extension ContentChange.Entities {
  fileprivate func union(_ other: Self) -> Self {
    switch (self, other) {
    case (.named(let own), .named(let theirs)): .named(own.union(theirs))
    default: .all
    }
  }
}

extension WorkloadResult {
  func hasChangedStore(_ other: WorkloadResult) -> Bool {
    store.digest != other.store.digest && store.seed == nil
      && !(inputs + other.inputs).contains { $0.role == .recipe }
      && pragmas["page_size"] == other.pragmas["page_size"]
  }
}

/// A model or recipe whose content differs between the two sides.
struct InputPair {
  struct Change: Hashable {
    /// The name of the part, such as `attribute title of Task`.
    var subject: String
    var old: String?
    var new: String?
  }

  /// The prefix of the names of a recipe's parts, such as `objects of Task`.
  static let objects = "objects of "

  let old: InputFact
  let new: InputFact

  /// The changed models and recipes of a workload, including those that were also moved to another
  /// file.
  static func changed(
    _ ours: WorkloadResult,
    against theirs: WorkloadResult
  ) -> [InputPair] {
    let pairs = changed(ours.inputs, against: theirs.inputs)
    // If the store is the same, a different file is the value of a changed parameter, not a moved
    // file.
    guard ours.store.digest != theirs.store.digest else { return pairs }
    let roles: [InputFact.Role] = [.model, .recipe]
    return pairs
      + roles.flatMap { role in
        moved(
          ours.inputs.filter { $0.role == role },
          from: theirs.inputs.filter { $0.role == role }
        )
      }
  }

  static func changed(_ ours: [InputFact], against theirs: [InputFact]) -> [InputPair] {
    theirs.compactMap { old in
      let same = ours.filter { $0.role == old.role && $0.file == old.file }
      guard let new = same.first, !same.contains(where: { $0.digest == old.digest }) else {
        return nil
      }
      return InputPair(old: old, new: new)
    }
  }

  /// Pairs files with different contents that only one side has: those with the most parts in
  /// common, or a single file on each side.
  private static func moved(_ ours: [InputFact], from theirs: [InputFact]) -> [InputPair] {
    func rest(_ facts: [InputFact], without others: [InputFact]) -> [InputFact] {
      facts.filter { fact in
        !others.contains { $0.file == fact.file || $0.digest == fact.digest }
      }
    }
    let gone = rest(theirs, without: ours)
    var new = rest(ours, without: theirs)
    let isOnly = gone.count == 1 && new.count == 1
    return gone.compactMap { old in
      let common = new.map { Set($0.parts).intersection(old.parts).count }
      guard let most = common.max(), most > 0 || isOnly,
        let index = common.firstIndex(of: most)
      else { return nil }
      return InputPair(old: old, new: new.remove(at: index))
    }
  }

  var isOfModel: Bool { new.role == .model }
  /// The file that contained the model or recipe before, if it was moved.
  var formerFile: String? { old.file == new.file ? nil : old.file }

  var hasParts: Bool { !old.parts.isEmpty && !new.parts.isEmpty }

  /// The parts that differ, by subject.
  ///
  /// If only one side records details in parentheses, it is unknown whether they changed.
  var changes: [Change] {
    let (before, after) = (Self.details(old.parts), Self.details(new.parts))
    // In files written by earlier versions of StoreBench, a part consists of a name only.
    let isComparable = Self.hasDetails(old.parts) == Self.hasDetails(new.parts)
    let hasSettings = [before, after].allSatisfy { $0[InputFact.settingsMark] != nil }
    return Set(before.keys).union(after.keys).sorted().compactMap { subject in
      let (old, new) = (before[subject], after[subject])
      guard old != new, subject != InputFact.settingsMark else { return nil }
      if !isComparable, old != nil, new != nil, !subject.hasPrefix("index ") { return nil }
      if subject.hasPrefix(InputFact.settingsPrefix) {
        let owner = String(subject.dropFirst(InputFact.settingsPrefix.count))
        guard hasSettings, before[owner] != nil, after[owner] != nil else { return nil }
      }
      return Change(subject: subject, old: old, new: new)
    }
  }

  private static func hasDetails(_ parts: [String]) -> Bool {
    parts.contains { $0.hasPrefix("attribute ") && $0.hasSuffix(")") }
  }

  private static func details(_ parts: [String]) -> [String: String] {
    Dictionary(
      keepingFirst: parts.map { part -> (String, String) in
        guard part.hasSuffix(")"), let start = part.range(of: " (") else { return (part, "") }
        return (String(part[..<start.lowerBound]), String(part[start.upperBound...].dropLast()))
      }
    )
  }

  /// Parses an entity and its parent in the description of an entity, such as `entity Task
  /// (subentity of Item)`.
  static func parent(_ part: String) -> (child: String, parent: String)? {
    guard let match = part.wholeMatch(of: #/entity (\S+) \(subentity of (\S+?)[,)].*/#) else {
      return nil
    }
    return (String(match.1), String(match.2))
  }

  /// Parses the two entities in the description of a relationship, such as `relationship owner of
  /// Task (to one Person, …)`.
  static func link(_ part: String) -> (from: String, to: String)? {
    guard
      let match = part.wholeMatch(of: #/relationship \S+ of (\S+) \(to (?:one|many) (\S+?)[,)].*/#)
    else { return nil }
    return (String(match.1), String(match.2))
  }
}

extension InputPair.Change {
  /// Whether the change may affect the values of objects; changes to indexes, constraints and
  /// delete rules do not.
  var isOfContent: Bool {
    if ["index ", "constraint "].contains(where: subject.hasPrefix) { return false }
    if subject.hasPrefix(InputFact.settingsPrefix) {
      let kinds = ["default ", "computed default ", "derivation ", "transformer ", "class "]
      return Set(Self.facts(old ?? "")).symmetricDifference(Self.facts(new ?? "")).contains {
        kinds.contains(where: $0.hasPrefix)
      }
    }
    guard let old, let new else { return true }
    return Set(Self.facts(old)).symmetricDifference(Self.facts(new)).contains {
      !$0.hasPrefix("delete rule")
    }
  }

  var entities: [String] {
    let owner = subject.split(separator: " ").last.map(String.init) ?? ""
    let targets = [old, new].compactMap { details -> String? in
      details?.firstMatch(of: #/^to (?:one|many) (\S+?)(?:,|$)/#).map { String($0.1) }
    }
    return [owner] + (subject.hasPrefix("relationship ") ? targets : [])
  }

  /// The change in words, such as `new index byDate of Task (dueDate)` or `attribute title of Task
  /// (optional → required)`.
  var text: String {
    if subject.hasPrefix(InputFact.settingsPrefix) {
      let owner = subject.dropFirst(InputFact.settingsPrefix.count)
      return "\(owner) (\(Self.difference(old ?? "", new ?? "")))"
    }
    return switch (old, new) {
    case (nil, let new?): "new \(subject)" + (new.isEmpty ? "" : " (\(new))")
    case (let old?, nil): "no more \(subject)" + (old.isEmpty ? "" : " (\(old))")
    default: "\(subject) (\(Self.difference(old ?? "", new ?? "")))"
    }
  }

  private static func facts(_ text: String) -> [String] { text.components(separatedBy: ", ") }

  private static func difference(_ old: String, _ new: String) -> String {
    let (before, after) = (facts(old), facts(new))
    let gone = before.filter { !after.contains($0) }.joined(separator: ", ")
    let added = after.filter { !before.contains($0) }.joined(separator: ", ")
    if gone.isEmpty && added.isEmpty { return "another order" }
    return gone.isEmpty
      ? "now \(added)" : added.isEmpty ? "no longer \(gone)" : "\(gone) → \(added)"
  }
}
