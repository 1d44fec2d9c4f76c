/// What SQLite asked of files: calls that were made, and the bytes of those that succeeded.
package struct FileActivity: Hashable, Sendable {
  package var opens: Int64 = 0
  package var reads: Int64 = 0
  package var readBytes: Int64 = 0
  package var writes: Int64 = 0
  package var writeBytes: Int64 = 0
  package var syncs: Int64 = 0
  package var truncates: Int64 = 0
  package var deletes: Int64 = 0

  package init() {}

  /// The counters by the metric's name, without the family, in name order.
  package var named: [(name: String, value: Int64)] {
    [
      ("deletes", deletes), ("opens", opens), ("readBytes", readBytes), ("reads", reads),
      ("syncs", syncs), ("truncates", truncates), ("writeBytes", writeBytes), ("writes", writes),
    ]
  }

  package static func + (first: FileActivity, second: FileActivity) -> FileActivity {
    combine(first, second, &+)
  }

  package static func - (later: FileActivity, earlier: FileActivity) -> FileActivity {
    combine(later, earlier, &-)
  }

  private static func combine(
    _ first: FileActivity,
    _ second: FileActivity,
    _ operation: (Int64, Int64) -> Int64
  ) -> FileActivity {
    var result = FileActivity()
    for counter in counters {
      result[keyPath: counter] = operation(first[keyPath: counter], second[keyPath: counter])
    }
    return result
  }

  private static var counters: [WritableKeyPath<FileActivity, Int64>] {
    [
      \.opens, \.reads, \.readBytes, \.writes, \.writeBytes, \.syncs, \.truncates, \.deletes,
    ]
  }
}
