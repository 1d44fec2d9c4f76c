/// A few names in full, many by their number.
enum PlaceList {
  static func text(_ places: [String], most: Int = 4) -> String {
    let shown = places.prefix(most).joined(separator: ", ")
    return places.count > most ? "\(shown) and \(places.count - most) more" : shown
  }
}
