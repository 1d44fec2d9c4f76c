import Runner

/// That a machine gives memory back to its host, and what taking it again costs.
package struct MemoryReturn: Codable, Hashable, Sendable {
  /// Bytes beyond those in use that the machine has at hand.
  package let atHand: Double
  /// What each byte beyond them costs when it is touched first.
  package let secondsPerByte: Double

  /// What memory beyond that at hand can add to a run that needs so many bytes.
  package func delay(needing bytes: Double) -> Double {
    max(0, bytes - atHand) * secondsPerByte
  }
}

extension Forecast {
  /// Bytes that a run on a store of such a size has in memory at most: its own, and its files in the
  /// system's cache.
  package func touchedBytes(objects: Double) -> Double {
    [Resource.memory, .disk].reduce(0) { sum, resource in
      guard case .success(let interval) = predict(resource, objects: objects) else { return sum }
      return sum + interval.value
    }
  }

  /// The longest delay by returned memory at a size; 0 where the machine returns none, or has enough.
  package func memoryDelay(objects: Double) -> Double {
    memoryReturn?.delay(needing: touchedBytes(objects: objects)) ?? 0
  }
}
