import Basics

extension PropertyList {
  /// Decodes a binary property list (`bplist00`).
  ///
  /// The bytes may come from an untrusted file: sizes and references are checked before use, and
  /// every object is decoded once. Throws `Refusal.damagedPropertyList`.
  package init(binary bytes: [UInt8]) throws {
    var reader = try BinaryReader(bytes)
    self = try reader.top()
  }
}

extension PropertyList {
  /// Decodes the objects of a binary property list, in the format of CoreFoundation's
  /// CFBinaryPList.c.
  private struct BinaryReader {
    /// The maximum nesting depth; real archives nest only a few levels.
    private static let deepest = 100
    private static let largest = 1_000_000

    private enum Slot {
      case untouched
      case open
      case done(PropertyList, weight: Int)
    }

    private let bytes: [UInt8]
    private let trailer: Trailer
    private var slots: [Slot]

    private struct Trailer {
      let offsetSize: Int
      let referenceSize: Int
      let objectCount: Int
      let topObject: Int
      let tableStart: Int
    }

    init(_ bytes: [UInt8]) throws {
      guard bytes.starts(with: Array("bplist0".utf8)) else { throw fault(.notBinary) }
      guard bytes.count >= 8 + 1 + 1 + 32 else { throw fault(.truncated) }
      self.bytes = bytes
      let start = bytes.count - 32
      func word(_ index: Int) throws -> Int {
        let value = bytes[(start + index)..<(start + index + 8)].reduce(UInt64(0)) {
          $0 << 8 | UInt64($1)
        }
        // A valid count or offset cannot exceed the file's size.
        guard value <= UInt64(bytes.count) else { throw fault(.trailer) }
        return Int(value)
      }
      trailer = Trailer(
        offsetSize: Int(bytes[start + 6]),
        referenceSize: Int(bytes[start + 7]),
        objectCount: try word(8),
        topObject: try word(16),
        tableStart: try word(24)
      )
      let tableSize = trailer.objectCount.multipliedReportingOverflow(by: trailer.offsetSize)
      guard (1...8).contains(trailer.offsetSize), (1...8).contains(trailer.referenceSize),
        trailer.topObject < trailer.objectCount, trailer.tableStart >= 8, !tableSize.overflow,
        tableSize.partialValue <= start - trailer.tableStart
      else { throw fault(.trailer) }
      slots = Array(repeating: .untouched, count: trailer.objectCount)
    }

    mutating func top() throws -> PropertyList {
      try object(trailer.topObject, depth: 0).value
    }

    private mutating func object(
      _ index: Int,
      depth: Int
    ) throws -> (value: PropertyList, weight: Int) {
      switch slots[index] {
      case .done(let value, let weight): return (value, weight)
      case .open: throw fault(.cycle(object: index))
      case .untouched: break
      }
      guard depth < Self.deepest else {
        throw fault(.tooDeep(limit: Self.deepest))
      }
      slots[index] = .open
      let result = try decode(index, depth: depth)
      guard result.weight <= Self.largest else {
        throw fault(.tooLarge(limit: Self.largest))
      }
      slots[index] = .done(result.value, weight: result.weight)
      return result
    }

    private mutating func decode(
      _ index: Int,
      depth: Int
    ) throws -> (value: PropertyList, weight: Int) {
      let offset = try self.offset(of: index)
      let (kind, low) = (bytes[offset] >> 4, Int(bytes[offset] & 15))
      switch kind {
      case 0xa:
        let (start, count) = try extent(offset, unit: trailer.referenceSize, object: index)
        let (items, weight) = try objects(start, count, of: index, depth: depth)
        return (.array(items), weight)
      case 0xd:
        let (start, count) = try extent(offset, unit: 2 * trailer.referenceSize, object: index)
        return try dictionary(start, count, of: index, depth: depth)
      case 1, 2, 3:
        return (try number(kind, exponent: low, at: offset, object: index), 1)
      case 4:
        let (start, count) = try extent(offset, unit: 1, object: index)
        return (.data(Array(bytes[start..<(start + count)])), 1)
      case 5, 6: return (.string(try text(at: offset, isWide: kind == 6, object: index)), 1)
      case 8:
        let value = try unsigned(offset + 1, size: low + 1, object: index)
        guard let uid = Int(exactly: value) else { throw fault(.badReference(object: index)) }
        return (.uid(uid), 1)
      default:
        guard bytes[offset] == 8 || bytes[offset] == 9 else {
          throw fault(.unsupportedObject(marker: bytes[offset]))
        }
        return (.boolean(bytes[offset] == 9), 1)
      }
    }

    private mutating func objects(
      _ start: Int,
      _ count: Int,
      of index: Int,
      depth: Int
    ) throws -> (values: [PropertyList], weight: Int) {
      var values: [PropertyList] = []
      values.reserveCapacity(count)
      var weight = 1
      for position in 0..<count {
        let size = trailer.referenceSize
        let reference = try unsigned(start + position * size, size: size, object: index)
        guard reference < UInt64(slots.count) else { throw fault(.badReference(object: index)) }
        let item = try object(Int(reference), depth: depth + 1)
        values.append(item.value)
        // The weight of an object is the number of objects that it expands to. Check it against the
        // limit before adding it, so that the sum cannot overflow.
        weight += item.weight
        guard weight <= Self.largest else {
          throw fault(.tooLarge(limit: Self.largest))
        }
      }
      return (values, weight)
    }

    private mutating func dictionary(
      _ start: Int,
      _ count: Int,
      of index: Int,
      depth: Int
    ) throws -> (value: PropertyList, weight: Int) {
      let keys = try objects(start, count, of: index, depth: depth)
      let valueStart = start + count * trailer.referenceSize
      let values = try objects(valueStart, count, of: index, depth: depth)
      var pairs: [String: PropertyList] = [:]
      for (key, value) in zip(keys.values, values.values) {
        guard case .string(let name) = key, pairs.updateValue(value, forKey: name) == nil else {
          throw fault(.badKey(object: index))
        }
      }
      return (.dictionary(pairs), keys.weight + values.weight)
    }

    private func offset(of index: Int) throws -> Int {
      let entry = trailer.tableStart + index * trailer.offsetSize
      let offset = try unsigned(entry, size: trailer.offsetSize, object: index)
      // Objects are between the header and the offset table.
      guard offset >= 8, offset < UInt64(trailer.tableStart) else {
        throw fault(.badOffset(object: index))
      }
      return Int(offset)
    }

    private func unsigned(_ start: Int, size: Int, object: Int) throws -> UInt64 {
      guard start >= 0, size <= bytes.count - start else { throw fault(.badOffset(object: object)) }
      guard size <= 8 || bytes[start..<(start + size - 8)].allSatisfy({ $0 == 0 }) else {
        throw fault(.unsupportedObject(marker: bytes[start - 1]))
      }
      return bytes[start..<(start + size)].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func extent(_ offset: Int, unit: Int, object: Int) throws -> (start: Int, count: Int) {
      var (start, count) = (offset + 1, UInt64(bytes[offset] & 15))
      if count == 15 {
        guard start < bytes.count, bytes[start] >> 4 == 1, bytes[start] & 15 <= 3 else {
          throw fault(.badOffset(object: object))
        }
        let size = 1 << Int(bytes[start] & 15)
        count = try unsigned(start + 1, size: size, object: object)
        start += 1 + size
      }
      let room = UInt64(max(0, trailer.tableStart - start))
      guard count <= room / UInt64(unit) else { throw fault(.badOffset(object: object)) }
      return (start, Int(count))
    }

    private func number(
      _ kind: UInt8,
      exponent: Int,
      at offset: Int,
      object: Int
    ) throws -> PropertyList {
      guard exponent <= 4 else { throw fault(.unsupportedObject(marker: bytes[offset])) }
      let size = 1 << exponent
      let value = try unsigned(offset + 1, size: size, object: object)
      switch (kind, size) {
      // Only eight-byte integers are signed.
      case (1, 8): return .integer(Int64(bitPattern: value))
      case (1, _):
        guard let integer = Int64(exactly: value) else {
          throw fault(.unsupportedObject(marker: bytes[offset]))
        }
        return .integer(integer)
      case (2, 4): return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: value))))
      case (2, 8): return .real(Double(bitPattern: value))
      case (3, 8): return .date(Double(bitPattern: value))
      default: throw fault(.unsupportedObject(marker: bytes[offset]))
      }
    }

    private func text(at offset: Int, isWide: Bool, object: Int) throws -> String {
      let (start, count) = try extent(offset, unit: isWide ? 2 : 1, object: object)
      guard isWide else {
        let ascii = bytes[start..<(start + count)]
        guard ascii.allSatisfy({ $0 < 128 }) else { throw fault(.badText(object: object)) }
        return String(decoding: ascii, as: UTF8.self)
      }
      let units = (0..<count).map { index in
        UInt16(bytes[start + 2 * index]) << 8 | UInt16(bytes[start + 2 * index + 1])
      }
      guard let text = String(validating: units, as: UTF16.self) else {
        throw fault(.badText(object: object))
      }
      return text
    }
  }
}

private func fault(_ fault: PropertyList.Fault) -> Refusal {
  .damagedPropertyList(fault)
}
