/// How large a document of untrusted origin may be before reading it is refused.
package enum ResultLimits {
  package static let workloads = 1000
  /// Cases of the whole document.
  package static let cases = 100_000
  package static let samplesPerCase = 1000
  package static let notesPerCase = 1000
  /// Values of one sample, over all trials.
  package static let valuesPerSample = 1_000_000
  /// Characters of a name, an ID or a sentence.
  package static let textLength = 10_000
  /// The largest value of a metric: sums and squares of a million of them stay finite.
  package static let value = 1e18
}

extension KeyedDecodingContainer {
  /// Decodes a value; a number that its field cannot hold is reported with its place.
  ///
  /// Foundation's decoder throws an error of its own for such a number, which it later turns into
  /// one of a text that is no JSON, without a path.
  func decodeLocated<Value: Decodable>(
    _ type: Value.Type = Value.self,
    forKey key: Key
  ) throws -> Value {
    do {
      return try decode(type, forKey: key)
    } catch let error where !(error is DecodingError || error is MeasurementError) {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: codingPath + [key],
          debugDescription: "a number does not fit its field"
        )
      )
    }
  }

  // One element at a time, so that a list that is too long is refused before it is in memory.
  func decodeList<Element: Decodable>(
    of type: Element.Type = Element.self,
    forKey key: Key,
    atMost limit: Int
  ) throws -> [Element] {
    var list = try nestedUnkeyedContainer(forKey: key)
    var elements: [Element] = []
    while !list.isAtEnd {
      guard elements.count < limit else {
        throw MeasurementError.tooMany(
          key.stringValue,
          limit: limit,
          place: ResultPlace.text(of: list.codingPath)
        )
      }
      elements.append(try list.decode(Element.self))
    }
    return elements
  }
}

/// Where in a document something stands: `workloads[0].cases[3].samples[1]`.
package enum ResultPlace {
  /// The place that a decoder's path leads to; `the document` for the outermost value.
  package static func text(of path: [any CodingKey]) -> String {
    var text = ""
    for key in path {
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
    return text.isEmpty ? "the document" : text
  }
}
