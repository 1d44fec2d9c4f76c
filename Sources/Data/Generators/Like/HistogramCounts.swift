import Profiling

/// Gives every parent a number of children so that each bin of a profile gets its part of them.
struct HistogramCounts {
  let bins: [Bin]
  let parents: Int
  let children: Int
  /// The fewest children of a parent.
  var least = 0
  let key: StreamKey

  /// The counts by parent; their sum is the number of children.
  func counts() -> [UInt32] {
    var placed = spread()
    let wanted = children - placed.reduce(0) { $0 + $1.count }
    settle(wanted, &placed)
    let shuffle = Permutation(count: parents, key: key.derived("parents"))
    return (0..<parents).map { UInt32(placed[shuffle.image(of: $0)].count) }
  }

  private struct Parent {
    var count: Int
    let range: ClosedRange<Int>
  }

  /// Each bin's parents with counts spread evenly over the bin, in rising order.
  private func spread() -> [Parent] {
    let shares = ColumnSegments.shares(of: bins.map(\.count), in: parents)
    var placed: [Parent] = []
    placed.reserveCapacity(parents)
    for (bin, share) in zip(bins, shares) {
      let low = max(Int(bin.from), least)
      let high = max(bin.isPoint ? low : Int(bin.to) - 1, low)
      for place in 0..<share {
        let count = low + (2 * place + 1) * (high - low + 1) / (2 * share)
        placed.append(Parent(count: min(count, high), range: low...high))
      }
    }
    while placed.count < parents { placed.append(Parent(count: least, range: least...least)) }
    return placed
  }

  /// Brings the sum to the number of children: within the bins as far as they reach, then by those
  /// with most children.
  private func settle(_ difference: Int, _ placed: inout [Parent]) {
    var left = difference
    for isBounded in [true, false] {
      var moved = true
      while left != 0, moved {
        moved = false
        for index in placed.indices.reversed() where left != 0 {
          let step = left > 0 ? 1 : -1
          let next = placed[index].count + step
          guard next >= least, !isBounded || placed[index].range.contains(next) else { continue }
          // Without bounds one of ten takes the rest, so that the others keep their number.
          guard isBounded || index >= placed.count * 9 / 10 || step < 0 else { continue }
          placed[index].count = next
          left -= step
          moved = true
        }
      }
    }
  }
}
