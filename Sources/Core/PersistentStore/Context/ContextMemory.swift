import DataModel

extension ObjectContext {
  /// The number of the context's objects in memory, including faults.
  package var liveObjects: Int { identityMap.count }

  /// The size in bytes of the objects in memory, their values and the identity map.
  ///
  /// It is a sum of type sizes without the allocator's overhead, so it is exactly reproducible.
  package var memoryBytes: Int {
    identityMap.objects.reduce(identityMap.memoryBytes) { $0 + $1.memoryBytes }
  }
}

extension ManagedObject {
  fileprivate var memoryBytes: Int {
    var bytes =
      HeapBytes.object + MemoryLayout<ObjectState>.stride + slotCount * MemoryLayout<Value>.stride
    bytes += values.reduce(0) { $0 + $1.heapBytes }
    if let snapshot { bytes += HeapBytes.array + snapshot.reduce(0) { $0 + $1.heapBytes } }
    bytes += externalData.values.reduce(0) { $0 + HeapBytes.array + $1.count }
    for toMany in toManys {
      let pointers = (toMany?.targets.count ?? 0) * MemoryLayout<ManagedObject>.stride
      bytes += pointers > 0 ? HeapBytes.array + pointers : 0
    }
    return bytes
  }
}

/// The Swift runtime's overhead per heap allocation, in bytes.
private enum HeapBytes {
  static let object = 16
  static let array = 32
}

extension Value {
  /// The size of the value's heap allocation in bytes; 0 for numbers, NULL, empty blobs and short
  /// strings.
  package var heapBytes: Int {
    switch self {
    case .null, .integer, .real: 0
    // Swift stores strings of up to 15 UTF-8 bytes inline.
    case .text(let text): text.utf8.count > 15 ? HeapBytes.array + text.utf8.count : 0
    case .blob(let bytes): bytes.isEmpty ? 0 : HeapBytes.array + bytes.count
    }
  }
}
