/// Blobs of a size distribution whose bytes compress to a chosen share, made at memory speed.
struct BlobGenerator: CellGenerator {
  private let size: any Distribution
  private let compressibility: Double
  private let format: BlobFormat
  private let head: [UInt8]
  private let tail: [UInt8]

  /// The most bytes of one blob, SQLite's default limit.
  static let largest = 1_000_000_000.0

  init(_ recipe: BlobRecipe) {
    size = recipe.size.distribution()
    compressibility = recipe.compressibility
    format = recipe.format
    head = format.head
    tail = format.tail
  }

  /// The bytes of one row's blob, without making it.
  func count(row: Int, draws: inout Draws) -> Int {
    Int(min(max(size.value(row: row, draws: &draws).rounded(), 0), Self.largest))
  }

  func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
    let count = count(row: row, draws: &draws)
    cell.setBlob { bytes in
      if format == .json {
        JSONBlob.append(
          count: count,
          compressibility: compressibility,
          to: &bytes,
          draws: &draws
        )
      } else {
        append(count: count, to: &bytes, draws: &draws)
      }
    }
  }

  private func append(count: Int, to bytes: inout [UInt8], draws: inout Draws) {
    bytes.reserveCapacity(count)
    while bytes.count < count {
      appendBlock(min(Self.block, count - bytes.count), to: &bytes, &draws)
    }
    guard head.count + tail.count <= count else { return }
    bytes.withUnsafeMutableBytes { buffer in
      buffer.copyBytes(from: head)
      UnsafeMutableRawBufferPointer(rebasing: buffer[(count - tail.count)...]).copyBytes(from: tail)
    }
  }

  private static let block = 4_096
  private static let motif = 256

  /// Appends random bytes at first and then their last few over and over.
  private func appendBlock(_ count: Int, to bytes: inout [UInt8], _ draws: inout Draws) {
    let share = (1 - compressibility) * Double(count)
    let random = min(max(Int(share.rounded()), 8), count)
    let noise = Self.noise.bytes
    let start = draws.below(noise.count - Self.block)
    let end = start + random
    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: noise[start..<end]))
    var left = count - random
    while left > 0 {
      let repeated = min(Self.motif, random, left)
      let first = end - min(Self.motif, random)
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: noise[first..<first + repeated]))
      left -= repeated
    }
  }

  /// A mebibyte of random bytes that lives as long as the process.
  ///
  /// Blocks are copied from anywhere in it, at the speed of memory. What repeats in a blob is as a
  /// rule farther apart than the 32 KiB that deflate sees.
  private struct Noise: @unchecked Sendable {
    let bytes: UnsafeBufferPointer<UInt8>

    init() {
      let words = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: 1 << 17)
      var draws = StreamKey(seed: 0).derived("noise").draws(row: 0)
      for index in words.indices { words[index] = draws.next().littleEndian }
      bytes = UnsafeRawBufferPointer(words).bindMemory(to: UInt8.self)
    }
  }

  private static let noise = Noise()
}
