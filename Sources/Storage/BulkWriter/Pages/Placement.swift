/// Where the pages of a chunk, counted from 0, lie in the file.
struct Placement {
  let geometry: PageGeometry
  let file: DatabaseFile
  /// The ordinal in the file of the chunk's page 0.
  let base: Int

  func page(_ ordinal: Int) -> Int { geometry.page(base + ordinal) }

  /// Writes pages that follow each other in the chunk, with as few calls as the file's gaps allow.
  func write(_ ordinals: Range<Int>, from memory: UnsafeRawPointer) throws {
    let size = geometry.pageSize
    var start = ordinals.lowerBound
    while start < ordinals.upperBound {
      let first = page(start)
      var end = start + 1
      while end < ordinals.upperBound, page(end) == first + end - start { end += 1 }
      try file.write(
        memory + (start - ordinals.lowerBound) * size,
        count: (end - start) * size,
        at: (first - 1) * size
      )
      start = end
    }
  }
}
