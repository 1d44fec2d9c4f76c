import ArgumentParser
import Basics
import Generators

/// How a generated store is written.
struct WriterOptions: ParsableArguments {
  enum Writer: String, CaseIterable, ExpressibleByArgument {
    case bulk
    case sql
  }

  private static let leastMemory = 16 << 20

  @Option(help: "bulk writes the file page by page, sql by INSERT statements.")
  var writer: Writer = .bulk

  @Option(help: "Threads of the bulk writer; the bytes are the same. One a processor otherwise.")
  var threads: Int?

  @Option(
    help: ArgumentHelp(
      "Memory of the bulk writer; sorting goes to disk beyond it.",
      valueName: "size"
    )
  )
  var memory = "512 MB"

  func validate() throws {
    if let threads, !(1...1_024).contains(threads) {
      throw ValidationError("'--threads' must be from 1 to 1024, not \(threads)")
    }
    guard bytes != nil else {
      throw ValidationError(
        "'--memory' must be a size from 16 MB on, such as 512MB, not '\(memory)'"
      )
    }
  }

  private var bytes: Int? { Quantity.bytes(memory, in: Self.leastMemory...Int.max) }

  var storeWriter: any StoreWriter {
    switch writer {
    case .bulk:
      BulkStoreWriter(threads: threads, memory: bytes ?? BulkStoreWriter.defaultMemory)
    case .sql: SQLStoreWriter()
    }
  }
}
