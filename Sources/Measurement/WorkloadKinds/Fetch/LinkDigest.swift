import DataModel
import PersistentStore

/// The digest of the objects that one object's relationship leads to.
///
/// The order of the targets counts where the relationship has one.
struct LinkDigest {
  private let link: ObjectDigest.Shape
  private let source: Int64
  private let isOrdered: Bool
  private var count: Int64 = 0
  private var targets: UInt64 = 0

  init(_ touched: FetchSubject.Touched, from source: Int64) {
    link = touched.link
    isOrdered = touched.relationship.isOrdered
    self.source = source
  }

  mutating func add(_ target: UInt64) {
    count += 1
    targets = isOrdered ? Mixing.spread(targets ^ target) : targets &+ target
  }

  var value: UInt64 {
    var digest = ObjectDigest(link, key: source)
    digest.add(count)
    digest.add(Int64(bitPattern: targets))
    return digest.value
  }
}
