import Basics

extension PropertyList {
  /// The binary form (`bplist00`).
  ///
  /// Keys are sorted by bytes, equal scalars are written once, and sizes are minimal, so that equal
  /// values have the same bytes.
  package func binary() -> [UInt8] {
    var writer = BinaryWriter()
    writer.flatten(self)
    return writer.bytes()
  }
}

extension PropertyList {
  private struct BinaryWriter {
    private enum Entry {
      case scalar([UInt8])
      case array([Int])
      case dictionary(keys: [Int], values: [Int])
    }

    private var entries: [Entry] = []
    /// The keys are encoded bytes, because strings and zeros that compare equal can have different
    /// bytes.
    private var known: [[UInt8]: Int] = [:]

    @discardableResult
    mutating func flatten(_ value: PropertyList) -> Int {
      let index = entries.count
      switch value {
      case .array(let items):
        entries.append(.array([]))
        entries[index] = .array(items.map { flatten($0) })
      case .dictionary(let pairs):
        entries.append(.dictionary(keys: [], values: []))
        let sorted = pairs.sorted(byBytesOf: \.key)
        let keys = sorted.map { flatten(.string($0.key)) }
        entries[index] = .dictionary(keys: keys, values: sorted.map { flatten($0.value) })
      default:
        let bytes = encoded(value)
        if let index = known[bytes] { return index }
        entries.append(.scalar(bytes))
        known[bytes] = index
      }
      return index
    }

    func bytes() -> [UInt8] {
      var output = Array("bplist00".utf8)
      var offsets: [Int] = []
      let referenceSize = byteCount(UInt64(entries.count))
      for entry in entries {
        offsets.append(output.count)
        append(entry, referenceSize: referenceSize, to: &output)
      }
      let tableStart = output.count
      let offsetSize = byteCount(UInt64(tableStart))
      for offset in offsets { output += bigEndian(UInt64(offset), size: offsetSize) }
      output += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
      output += bigEndian(UInt64(entries.count), size: 8)
      output += bigEndian(0, size: 8)
      output += bigEndian(UInt64(tableStart), size: 8)
      return output
    }

    private func append(_ entry: Entry, referenceSize: Int, to output: inout [UInt8]) {
      switch entry {
      case .scalar(let bytes): output += bytes
      case .array(let items):
        output += header(0xa0, count: items.count)
        for item in items { output += bigEndian(UInt64(item), size: referenceSize) }
      case .dictionary(let keys, let values):
        output += header(0xd0, count: keys.count)
        for item in keys + values { output += bigEndian(UInt64(item), size: referenceSize) }
      }
    }
  }
}

private func encoded(_ value: PropertyList) -> [UInt8] {
  switch value {
  case .boolean(let value): [value ? 9 : 8]
  case .integer(let value): integer(value)
  case .real(let value): [0x23] + bigEndian(value.bitPattern, size: 8)
  case .date(let seconds): [0x33] + bigEndian(seconds.bitPattern, size: 8)
  case .data(let bytes): header(0x40, count: bytes.count) + bytes
  case .string(let text): string(text)
  case .uid(let uid):
    [0x80 | UInt8(byteCount(UInt64(uid)) - 1)]
      + bigEndian(UInt64(uid), size: byteCount(UInt64(uid)))
  case .array, .dictionary: []
  }
}

private func integer(_ value: Int64) -> [UInt8] {
  let bits = UInt64(bitPattern: value)
  // A negative number always takes eight bytes.
  let size = byteCount(bits)
  return [0x10 | UInt8(size.trailingZeroBitCount)] + bigEndian(bits, size: size)
}

private func string(_ text: String) -> [UInt8] {
  if text.utf8.allSatisfy({ $0 < 128 }) {
    return header(0x50, count: text.utf8.count) + Array(text.utf8)
  }
  return header(0x60, count: text.utf16.count)
    + text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
}

private func header(_ kind: UInt8, count: Int) -> [UInt8] {
  count < 15 ? [kind | UInt8(count)] : [kind | 15] + integer(Int64(count))
}

private func byteCount(_ value: UInt64) -> Int {
  switch value {
  case ...0xff: 1
  case ...0xffff: 2
  case ...0xffff_ffff: 4
  default: 8
  }
}

private func bigEndian(_ value: UInt64, size: Int) -> [UInt8] {
  (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
}
