/// A keyed shuffle of `0..<count` in which any place can be looked up alone, in both directions.
///
/// Small ones are a Fisher–Yates table. Large ones are a Feistel network over the next power of two;
/// a result outside the range is permuted again until it falls inside (cycle walking), less than
/// twice on average. No memory grows with the count.
package struct Permutation: Sendable {
  private enum Method: Sendable {
    case table(forward: [Int32], backward: [Int32])
    case feistel(FeistelNetwork)
  }

  /// Up to here a table is smaller than a page or two and shuffles without any bias of the network.
  private static let largestTable = 1_024

  package let count: Int
  private let method: Method

  /// The shuffle that belongs to a key; the same for the same key and count.
  package init(count: Int, key: StreamKey) {
    self.count = count
    var draws = key.draws(row: count)
    guard count <= Self.largestTable else {
      method = .feistel(FeistelNetwork(count: count, draws: &draws))
      return
    }
    var forward = (0..<Int32(max(count, 0))).map { $0 }
    for last in stride(from: count - 1, to: 0, by: -1) {
      forward.swapAt(last, draws.below(last + 1))
    }
    var backward = forward
    for (place, image) in forward.enumerated() {
      backward[Int(image)] = Int32(place)
    }
    method = .table(forward: forward, backward: backward)
  }

  /// Where the element at that index goes.
  package func image(of index: Int) -> Int {
    switch method {
    case .table(let forward, _): Int(forward[index])
    case .feistel(let network): network.image(of: index)
    }
  }

  /// The index whose image is the given one.
  package func preimage(of image: Int) -> Int {
    switch method {
    case .table(_, let backward): Int(backward[image])
    case .feistel(let network): network.preimage(of: image)
    }
  }
}
