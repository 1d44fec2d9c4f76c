import Profiling

/// How many partners the objects of one side of a many-to-many relationship have, by a profile's bins.
struct LinkDegrees {
  private let bins: [Bin]
  private let objects: Int
  private let most: Int
  /// The links that the bins ask for when their middles count, and how far that may be off.
  let links: Int
  let uncertainty: Int

  /// No object gets more partners than `most`.
  init(_ bins: [Bin], objects: Int, most: Int) {
    let most = max(most, 0)
    self.bins = bins.map { bin in
      let from = min(max(bin.from, 0), Double(most))
      return Bin(
        from: from,
        to: bin.isPoint ? from : min(bin.to, Double(most) + 1),
        count: bin.count
      )
    }
    self.objects = objects
    self.most = most
    let shares = ColumnSegments.shares(of: bins.map(\.count), in: objects)
    var (links, uncertainty) = (0.0, 0.0)
    for (bin, share) in zip(self.bins, shares) {
      let last = bin.isPoint ? bin.from : max(bin.to - 1, bin.from)
      links += Double(share) * (bin.from + last) / 2
      uncertainty += Double(share) * (last - bin.from)
    }
    self.links = Int(min(links.rounded(), Double(Limits.mostObjects)))
    self.uncertainty = Int(min(uncertainty.rounded(), Double(Limits.mostObjects)))
  }

  /// The number of partners of each object, together so many as there are links.
  func counts(adding links: Int, key: StreamKey) -> [UInt32] {
    HistogramCounts(bins: bins, parents: objects, children: links, key: key).counts()
      .map { min($0, UInt32(min(most, Int(UInt32.max)))) }
  }
}
