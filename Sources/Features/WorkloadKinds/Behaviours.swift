import PersistentStore
import Runner

extension Behaviour {
  /// The layout of stores that are made here: that of real files.
  static let layout = Behaviour(name: "layout", value: "framework 1030 on", evidence: .file)
  /// The statements of a save, as in public logs.
  static let saveStatements = Behaviour(
    name: "saveStatements",
    value: "keys reserved, then rows",
    evidence: .log
  )
}

extension [Behaviour] {
  /// Adds one that a case follows.
  mutating func add(_ name: String, _ value: String, _ evidence: Behaviour.Evidence) {
    append(Behaviour(name: name, value: value, evidence: evidence))
  }
  /// Adds what firing a to-many fault reads: keys are in a log, rows are assumed.
  mutating func add(_ name: ParameterName, _ fault: StoreBehaviours.ToManyFault) {
    add("\(name)", fault.rawValue, fault == .keys ? .log : .assumed)
  }
  /// Adds an assumption that a parameter chooses.
  mutating func assume(_ name: ParameterName, _ choice: some RawRepresentable<String>) {
    add("\(name)", choice.rawValue, .assumed)
  }
}
