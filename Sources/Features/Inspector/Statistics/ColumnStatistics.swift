/// Statistics of one column, collected row by row in bounded memory.
package struct ColumnStatistics: Equatable, Sendable {
  /// The number of added rows, including NULLs.
  package private(set) var count = 0
  package private(set) var nulls = 0
  package private(set) var integers = 0
  package private(set) var reals = 0
  package private(set) var texts = 0
  package private(set) var blobs = 0
  /// The number of distinct values, without NULLs and without blobs whose bytes were not read.
  package private(set) var distinct = DistinctCounter()
  /// The distribution of integers and reals; dates are seconds since 2001-01-01 00:00:00 UTC.
  package private(set) var numbers = QuantileSketch()
  /// The distribution of lengths, in characters (Unicode scalars) for strings and in bytes for
  /// blobs.
  package private(set) var lengths = QuantileSketch()
  /// The total size of strings in UTF-8 and of blobs, in bytes.
  package private(set) var bytes: Int64 = 0

  package init() {}

  package mutating func addNull() {
    count += 1
    nulls += 1
  }

  package mutating func add(_ value: Int64) {
    count += 1
    integers += 1
    distinct.add(value)
    numbers.add(Double(value))
  }

  package mutating func add(_ value: Double) {
    count += 1
    reals += 1
    distinct.add(value)
    numbers.add(value)
  }

  /// Adds a string in UTF-8.
  package mutating func add(text: UnsafeRawBufferPointer) {
    count += 1
    texts += 1
    bytes += Int64(text.count)
    distinct.add(text)
    lengths.add(Double(Self.characters(in: text)))
  }

  package mutating func add(blob: UnsafeRawBufferPointer) {
    distinct.add(blob)
    addBlob(bytes: Int64(blob.count))
  }

  /// Adds a blob that was not read; only its size is known.
  package mutating func addBlob(bytes size: Int64) {
    count += 1
    blobs += 1
    bytes &+= size
    lengths.add(Double(size))
  }

  /// Adds a blob that is stored in a file; its size does not count toward the column's size.
  package mutating func addBlobElsewhere() {
    count += 1
    blobs += 1
  }

  /// Counts the bytes that start a character in UTF-8.
  private static func characters(in text: UnsafeRawBufferPointer) -> Int {
    var count = 0
    for byte in text where byte & 0xc0 != 0x80 { count += 1 }
    return count
  }
}
