/// Colours: `#RRGGBB` in text, 0xRRGGBB in integers; mostly of a small palette, as apps offer it.
struct ColourGenerator: CellGenerator {
  let isText: Bool

  private static let palette: [UInt64] = [
    0xFF3B30, 0xFF9500, 0xFFCC00, 0x34C759, 0x00C7BE, 0x30B0C7, 0x32ADE6, 0x007AFF, 0x5856D6,
    0xAF52DE, 0xFF2D55, 0xA2845E, 0x8E8E93,
  ]

  func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
    let isOwn = draws.below(5) == 0
    let colour =
      isOwn ? draws.next() & 0xFF_FFFF : Self.palette[draws.below(Self.palette.count)]
    guard isText else { return cell.set(Int64(colour)) }
    cell.setText {
      $0.append("#")
      $0.append(hexadecimal: colour, width: 6)
    }
  }
}
