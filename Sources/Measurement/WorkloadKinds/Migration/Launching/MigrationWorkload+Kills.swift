import Runner

extension MigrationWorkload {
  package static var isKillable: Bool { true }

  /// One transaction, or a copy that nobody reads before it is complete; not where objects are
  /// merged before, batch by batch, nor where a backup is put back after.
  package var isAtomic: Bool {
    guard parameters.duplicates != .merged, !parameters.rollsBack else { return false }
    return switch parameters.strategy {
    case .lightweight: parameters.path == .direct
    case .sideBySide, .exportImport: true
    case .staged, .customStage, .additive, .gradual: false
    }
  }

  package func remains(
    of trial: Trial,
    beside finished: Trial,
    digest: String
  ) throws -> Remains {
    try RemainsReader(parameters: parameters, trial: trial, finished: finished, digest: digest)
      .read()
  }
}
