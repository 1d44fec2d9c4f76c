/// Compares in which order the objects of an ordered relationship come, whatever their order keys
/// are: a copy places them anew.
struct PlaceComparison {
  private struct Place {
    let parent: Int64
    let object: Int64
    let wanted: Int64
    let found: Int64
  }

  /// `ENTITY.RELATIONSHIP`, for findings.
  private let relationship: String
  private var places: [Place] = []

  init(_ relationship: String) {
    self.relationship = relationship
  }

  /// Notes the order keys that an object is expected to have under a parent, and has.
  mutating func note(_ object: Int64, of parent: Int64, wanted: Int64, found: Int64) {
    places.append(Place(parent: parent, object: object, wanted: wanted, found: found))
  }

  /// Adds a finding for each object that comes right before one that it is expected behind.
  ///
  /// Objects of one expected order key may come in any order.
  func report(_ findings: inout Findings<ContentFinding>) {
    let sorted = places.sorted {
      ($0.parent, $0.found, $0.object) < ($1.parent, $1.found, $1.object)
    }
    for (place, next) in zip(sorted, sorted.dropFirst())
    where place.parent == next.parent && place.wanted > next.wanted {
      findings.add(
        .misplaced(relationship: relationship, object: place.object, before: next.object)
      )
    }
  }
}

/// Compares the order of the objects on both sides of a many-to-many relationship.
struct PairPlaces {
  private var firsts: PlaceComparison
  private var seconds: PlaceComparison

  init(_ relationship: String) {
    firsts = PlaceComparison(relationship)
    seconds = PlaceComparison("the inverse of " + relationship)
  }

  mutating func note(wanted: ContentPair, found: ContentPair) {
    if let former = wanted.firstOrder, let order = found.firstOrder {
      firsts.note(found.second, of: found.first, wanted: former, found: order)
    }
    if let former = wanted.secondOrder, let order = found.secondOrder {
      seconds.note(found.first, of: found.second, wanted: former, found: order)
    }
  }

  func report(_ findings: inout Findings<ContentFinding>) {
    firsts.report(&findings)
    seconds.report(&findings)
  }
}
