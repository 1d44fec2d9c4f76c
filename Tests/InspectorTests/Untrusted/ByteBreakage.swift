/// Changes bytes of a store's files at random, with no regard to their structure except pages.
enum ByteBreakage {
  private static let pageSize = 4096

  /// Applies a random breakage and returns its description.
  static func apply(
    to main: inout [UInt8],
    _ wal: inout [UInt8],
    others: [BrokenStore.Base],
    _ dice: inout Dice
  ) -> String {
    switch dice.roll(10) {
    case 0: return truncate(&main, &dice)
    case 1: return flip(&main, in: 0..<100, &dice)
    case 2: return flip(&main, in: 100..<pageSize, &dice)
    case 3, 4: return flip(&main, in: 0..<main.count, &dice)
    case 5: return movePage(&main, &dice)
    case 6: return pointElsewhere(&main, &dice)
    case 7: return breakCells(&main, &dice)
    case 8 where !wal.isEmpty:
      return dice.roll(2) == 0 ? flip(&wal, in: 0..<wal.count, &dice) : truncate(&wal, &dice)
    case 8: return flip(&main, in: 0..<main.count, &dice)
    default:
      let other = others[dice.roll(others.count)]
      wal = other.wal.isEmpty ? Array(other.main.prefix(9000)) : other.wal
      return "the WAL of another store"
    }
  }

  private static func truncate(_ bytes: inout [UInt8], _ dice: inout Dice) -> String {
    let count = dice.roll(bytes.count)
    bytes.removeLast(bytes.count - count)
    return "cut to \(count) bytes"
  }

  private static func flip(
    _ bytes: inout [UInt8],
    in range: Range<Int>,
    _ dice: inout Dice
  ) -> String {
    let count = 1 + dice.roll(40)
    for _ in 0..<count {
      let place = range.lowerBound + dice.roll(range.count)
      guard bytes.indices.contains(place) else { continue }
      bytes[place] = dice.roll(3) == 0 ? UInt8(dice.roll(256)) : bytes[place] ^ 1 << dice.roll(8)
    }
    return "\(count) bytes changed in \(range)"
  }

  /// Copies a page over another page, so that B-trees share branches or contain themselves.
  private static func movePage(_ bytes: inout [UInt8], _ dice: inout Dice) -> String {
    let pages = bytes.count / pageSize
    guard pages > 2 else { return truncate(&bytes, &dice) }
    let (from, to) = (1 + dice.roll(pages - 1), 1 + dice.roll(pages - 1))
    let page = bytes[from * pageSize..<(from + 1) * pageSize]
    bytes.replaceSubrange(to * pageSize..<(to + 1) * pageSize, with: Array(page))
    return "page \(from + 1) over page \(to + 1)"
  }

  /// Sets a page's right child to a random page, perhaps itself, and may change the page's type.
  private static func pointElsewhere(_ bytes: inout [UInt8], _ dice: inout Dice) -> String {
    let pages = bytes.count / pageSize
    guard pages > 1 else { return truncate(&bytes, &dice) }
    let page = dice.roll(pages)
    let offset = page * pageSize + (page == 0 ? 100 : 0)
    if dice.roll(2) == 0 { bytes[offset] = [2, 5, 10, 13][dice.roll(4)] }
    let child = 1 + dice.roll(pages)
    bytes[offset + 10] = UInt8(child >> 8 & 255)
    bytes[offset + 11] = UInt8(child & 255)
    return "page \(page + 1) leads to page \(child)"
  }

  /// Changes the cell count and the cell offsets of a page.
  private static func breakCells(_ bytes: inout [UInt8], _ dice: inout Dice) -> String {
    let page = dice.roll(max(1, bytes.count / pageSize))
    let offset = page * pageSize + (page == 0 ? 100 : 0)
    guard bytes.count >= offset + 40 else { return truncate(&bytes, &dice) }
    for _ in 0..<(1 + dice.roll(4)) { bytes[offset + 3 + dice.roll(30)] = UInt8(dice.roll(256)) }
    return "the cells of page \(page + 1)"
  }
}
