import DataModel

extension ObjectContext {
  /// The objects in memory, faults among them.
  package var liveObjects: Int { identityMap.count }

  /// Bytes of the objects in memory, of their values and of the tables that find them.
  ///
  /// Computed from sizes, without what an allocator adds, so that it repeats to the last byte.
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

/// What the runtime adds to what it allocates.
private enum HeapBytes {
  static let object = 16
  static let array = 32
}

extension Value {
  /// Bytes that the value takes beside its own memory: of texts that are too long for it, and of
  /// blobs.
  package var heapBytes: Int {
    switch self {
    case .null, .integer, .real: 0
    // Texts up to this length lie in the value itself.
    case .text(let text): text.utf8.count > 15 ? HeapBytes.array + text.utf8.count : 0
    case .blob(let bytes): bytes.isEmpty ? 0 : HeapBytes.array + bytes.count
    }
  }
}
