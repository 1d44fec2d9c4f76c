/// What turns counts of entities and sizes of stores into objects of all entities.
package struct SizeScale: Sendable {
  package let shape: EntityShape
  /// The objects of a store of so many bytes; `nil` where no store's size is known.
  package let objects: @Sendable (_ bytes: Double) -> Double?

  package init(shape: EntityShape, objects: @escaping @Sendable (_ bytes: Double) -> Double?) {
    self.shape = shape
    self.objects = objects
  }
}

extension Forecast {
  /// The scale of the stores that the ladder was measured on.
  package var sizeScale: SizeScale {
    SizeScale(shape: shape) { bytes in objects(ofBytes: bytes) }
  }

  /// The objects of a store of so many bytes; `nil` where no store's size was measured.
  package func objects(ofBytes bytes: Double) -> Double? {
    guard let storeBytes else { return nil }
    var (low, high) = (0.0, SizeColumns.mostObjects)
    for _ in 0..<80 {
      let middle = (low + high) / 2
      if storeBytes(middle) <= bytes { low = middle } else { high = middle }
    }
    return low
  }
}
