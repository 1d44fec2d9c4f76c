import Runner

/// The cost of memory that a machine has returned to its host.
package struct MemoryReturn: Codable, Hashable, Sendable {
  /// Bytes beyond those in use that the machine has at hand.
  package let atHand: Double
  /// Seconds for the first touch of each byte beyond them.
  package let secondsPerByte: Double

  /// The delay by memory beyond that at hand for a run that needs so many bytes.
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

  /// The longest delay by returned memory at a size; 0 if the machine returns none, or has enough.
  package func memoryDelay(objects: Double) -> Double {
    memoryReturn?.delay(needing: touchedBytes(objects: objects)) ?? 0
  }
}
