import Runner

extension Behaviour {
  /// The layout of stores that are made here: that of real files.
  static let layout = Behaviour(name: "layout", value: "framework 1030 on", evidence: .file)
}

extension [Behaviour] {
  /// Adds one that a case follows.
  mutating func add(_ name: String, _ value: String, _ evidence: Behaviour.Evidence) {
    append(Behaviour(name: name, value: value, evidence: evidence))
  }
}
