import Foundation

/// Reads the records of B-trees from the pages of a file, without the writer's code.
package struct PageReader {
  package struct Entry: Hashable {
    /// The rowid; `nil` for a record of an index.
    package let rowid: Int64?
    package let payload: [UInt8]
  }

  package enum Failure: Error, Equatable {
    case badPage(Int)
  }

  private let bytes: [UInt8]
  private let pageSize: Int

  package init(path: String) throws {
    bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    pageSize = bytes[16] == 0 && bytes[17] == 1 ? 65_536 : Int(bytes[16]) << 8 | Int(bytes[17])
  }

  /// The records of a B-tree in order.
  package func entries(root: Int) throws -> [Entry] {
    let start = (root - 1) * pageSize
    guard root > 0, start + pageSize <= bytes.count else { throw Failure.badPage(root) }
    let header = root == 1 ? 100 : start
    let kind = bytes[header]
    let isInterior = kind == 2 || kind == 5
    var found: [Entry] = []
    for cell in 0..<number(header + 3, 2) {
      let place = start + number(header + (isInterior ? 12 : 8) + 2 * cell, 2)
      if isInterior { found += try entries(root: number(place, 4)) }
      if kind != 5 { found.append(try entry(place + (isInterior ? 4 : 0), kind: kind)) }
    }
    if isInterior { found += try entries(root: number(header + 8, 4)) }
    return found
  }

  private func entry(_ place: Int, kind: UInt8) throws -> Entry {
    var place = place
    let count = Int(varint(&place))
    let rowid = kind == 13 ? varint(&place) : nil
    let maximum = kind == 13 ? pageSize - 35 : (pageSize - 12) * 64 / 255 - 23
    let minimum = (pageSize - 12) * 32 / 255 - 23
    guard count > maximum else {
      return Entry(rowid: rowid, payload: Array(bytes[place..<place + count]))
    }
    let wanted = minimum + (count - minimum) % (pageSize - 4)
    let local = wanted <= maximum ? wanted : minimum
    var payload = Array(bytes[place..<place + local])
    var next = number(place + local, 4)
    while payload.count < count {
      let start = (next - 1) * pageSize
      guard next > 1, start + pageSize <= bytes.count else { throw Failure.badPage(next) }
      payload += bytes[start + 4..<start + 4 + min(pageSize - 4, count - payload.count)]
      next = number(start, 4)
    }
    return Entry(rowid: rowid, payload: payload)
  }

  private func number(_ place: Int, _ count: Int) -> Int {
    bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
  }

  private func varint(_ place: inout Int) -> Int64 {
    var value: UInt64 = 0
    for index in 0..<9 {
      let byte = bytes[place]
      place += 1
      if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
      value = value << 7 | UInt64(byte & 0x7f)
      if byte < 0x80 { break }
    }
    return Int64(bitPattern: value)
  }
}
