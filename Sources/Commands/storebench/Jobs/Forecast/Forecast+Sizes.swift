import Forecasting

extension Forecast {
  /// What a migration of a store takes, and how large that store is.
  struct SizeAnswer {
    let objects: Double
    /// `nil` where no store's size was measured.
    let storeBytes: Double?
    let time: Result<Interval, Refusal>
    let memory: Result<Interval, Refusal>
    let disk: Result<Interval, Refusal>

    /// Why something of it is unknown.
    var refusals: [Refusal] {
      [time, memory, disk].compactMap { found in
        if case .failure(let refusal) = found { refusal } else { nil }
      }
    }
  }

  /// Answers for a size; `nil` for bytes where no store's size was measured.
  func answer(to size: ForecastQuestions.Size) -> SizeAnswer? {
    guard let objects = objects(of: size) else { return nil }
    let bytes: Double? = if case .bytes(let bytes) = size { bytes } else { nil }
    return SizeAnswer(
      objects: objects,
      storeBytes: bytes ?? storeBytes?(objects),
      time: predict(.time, objects: objects),
      memory: predict(.memory, objects: objects),
      disk: predict(.disk, objects: objects, bytes: bytes)
    )
  }

  /// The objects of a size; `nil` for bytes where no store's size was measured.
  func objects(of size: ForecastQuestions.Size) -> Double? {
    switch size {
    case .objects(let objects): objects
    case .bytes(let bytes): objects(ofBytes: bytes)
    case .entity(let name, let count):
      shape.entities.first { $0.lowercased() == name.lowercased() }
        .flatMap { shape.size(ofKnown: [$0: count]) }
    }
  }
}
