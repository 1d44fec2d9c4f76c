/// What one thread works with, kept from item to item.
final class Workshop: @unchecked Sendable {
  let pages: ChunkPages
  let reader = PartReader()
  private var collectors = UnsafeMutableBufferPointer<KeyCollector>(start: nil, count: 0)
  private var table: String?

  init(pages: ChunkPages) {
    self.pages = pages
  }

  deinit {
    freeCollectors()
  }

  /// Empty collectors for the indexes of a table.
  func collectors(for state: TableState) -> UnsafeMutableBufferPointer<KeyCollector> {
    if table == state.plan.name {
      for place in collectors.indices { collectors[place].clear() }
      return collectors
    }
    freeCollectors()
    table = state.plan.name
    collectors = .allocate(capacity: state.indexes.count)
    for (place, index) in state.indexes.enumerated() {
      collectors.initializeElement(at: place, to: KeyCollector(columns: index.columns))
    }
    return collectors
  }

  private func freeCollectors() {
    for collector in collectors { collector.deallocate() }
    collectors.deinitialize()
    collectors.deallocate()
  }
}
