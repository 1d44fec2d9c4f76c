import StoreBenchCommand
import WorkloadKinds

#if SwiftSource
  import SwiftModelReader
#endif

/// The entry point of the program `storebench`, which has the built-in kinds of workloads.
@main
enum Entry {
  static func main() {
    Program.storebench.main()
  }
}

extension Program {
  /// The program with the built-in kinds of workloads, which can also replay logs.
  package static let storebench = Program(
    kinds: WorkloadCatalog.kinds,
    replays: { logs, findings, folder, isStopped, progress in
      try SavingsMeasurement(
        logs: logs,
        findings: findings,
        folder: folder,
        isStopped: isStopped,
        progress: progress
      )
    },
    indexes: { logs, candidates, store, folder, isStopped, progress in
      try SavingsMeasurement(
        logs: logs,
        findings: [],
        folder: folder,
        isStopped: isStopped,
        progress: progress
      ).proposals(candidates, on: store)
    },
    pages: { try SavingsMeasurement.pages(of: $1, in: $0, on: $2, folder: $3) },
    swiftSources: swiftSources,
    parts: (EngineCatalogue.built.hasGRDB ? "with GRDB" : "without GRDB")
      + (swiftSources == nil ? "" : ", with a reader of Swift")
  )
}

extension Program {
  private static var swiftSources: SwiftSourceReader? {
    #if SwiftSource
      { try SwiftSource.read(path: $0) }
    #else
      nil
    #endif
  }
}

extension SavingsMeasurement: LogReplay {}
