import PersistentStore
import Runner

extension Behaviour {
  /// Imitated behavior: generated stores use the layout of real store files.
  static let layout = Behaviour(name: "layout", value: "framework 1030 on", evidence: .file)
  /// Imitated behavior: a save runs the statements seen in public logs.
  static let saveStatements = Behaviour(
    name: "saveStatements",
    value: "keys reserved, then rows",
    evidence: .log
  )
  /// Imitated behavior: the function with which conditions compare texts.
  static let searchFunction = Behaviour(
    name: "searchFunction",
    value: "comparison by Foundation on Linux",
    evidence: .assumed
  )
  /// Imitated behavior: the collation with which a fetch sorts texts.
  static let sortFunction = Behaviour(
    name: "sortFunction",
    value: "comparison by Foundation on Linux",
    evidence: .assumed
  )
  /// Imitated behavior: the join with which a fetch sorts by a key path.
  static let sortJoin = Behaviour(name: "sortJoin", value: "LEFT OUTER JOIN", evidence: .assumed)
  /// Imitated behavior: the statements with which a fetch prefetches a key path.
  static let prefetchPath = Behaviour(
    name: "prefetchPath",
    value: "one statement for each relationship",
    evidence: .assumed
  )
}

extension [Behaviour] {
  mutating func add(_ name: String, _ value: String, _ evidence: Behaviour.Evidence) {
    append(Behaviour(name: name, value: value, evidence: evidence))
  }
  /// Adds the imitated behavior of a fault on a to-many relationship.
  ///
  /// Reading the destination's keys was seen in a log; reading the destination's rows is an
  /// assumption.
  mutating func add(_ name: ParameterName, _ fault: StoreBehaviours.ToManyFault) {
    add("\(name)", fault.rawValue, fault == .keys ? .log : .assumed)
  }
  /// Adds an assumption that a parameter selects; by default, it has the parameter's name.
  mutating func assume<Choice: RawRepresentable<String> & CaseIterable>(
    _ parameter: ParameterName,
    _ choice: Choice,
    as name: String? = nil,
    among choices: [Choice]? = nil
  ) {
    append(
      Behaviour(
        name: name ?? "\(parameter)",
        value: choice.rawValue,
        evidence: .assumed,
        parameter: "\(parameter)",
        alternatives: (choices ?? Choice.allCases.map { $0 }).map(\.rawValue).filter {
          $0 != choice.rawValue
        }
      )
    )
  }
}
