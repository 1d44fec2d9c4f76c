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
  /// Adds an assumption that a parameter chooses.
  mutating func assume(_ name: ParameterName, _ choice: some RawRepresentable<String>) {
    add("\(name)", choice.rawValue, .assumed)
  }
}
