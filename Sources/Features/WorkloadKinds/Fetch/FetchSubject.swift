import Basics
import DataModel
import PersistentStore

/// The entity, attributes and relationship of a case, looked up in the model of its store.
struct FetchSubject {
  /// A relationship or key path that is followed from objects that have been read.
  struct Touched {
    /// The relationships that lead from an object to the objects that are read; several for a key
    /// path.
    let path: [Relationship]
    /// The destination entity, with the attributes that are read.
    let shape: ObjectDigest.Shape
    /// The description of a relationship in a digest: the number of its targets and the targets
    /// themselves.
    let link: ObjectDigest.Shape

    /// The relationship whose targets are read.
    var relationship: Relationship { path[path.count - 1] }
    var name: String { path.map(\.name).joined(separator: ".") }

    /// Whether the path has to-many relationships, all of them ordered.
    var isOrdered: Bool {
      path.contains(where: \.isOrdered) && path.allSatisfy { $0.isOrdered || !$0.isToMany }
    }
  }

  let entity: Entity
  private(set) var predicate: Predicate?
  /// The entity, with the attributes that are read from each object.
  private(set) var shape: ObjectDigest.Shape
  let touched: Touched?
  /// Whether blobs are among the attributes that are read.
  private(set) var readsBlobs: Bool
  /// The properties whose blobs are kept in the app's own files or in other objects.
  private(set) var blobsElsewhere: [KeptBlob] = []

  /// Describes reading the strings, numbers and dates of an entity's objects, and of the objects
  /// that a to-one relationship refers to.
  init(
    _ entity: Entity,
    predicate: Predicate?,
    following toOne: Relationship?,
    in model: Model
  ) throws {
    self.entity = entity
    self.predicate = predicate
    shape = ObjectDigest.Shape(entity: entity.name, properties: model.plainNames(of: entity))
    touched = try toOne.map { toOne in
      let destination = try model.knownEntity(toOne.destination)
      return Touched(
        path: [toOne],
        shape: ObjectDigest.Shape(
          entity: destination.name,
          properties: model.plainNames(of: destination)
        ),
        link: ObjectDigest.Shape(entity: "\(entity.name).\(toOne.name)", properties: [])
      )
    }
    readsBlobs = false
  }

  /// Looks up the names of a case in a model.
  ///
  /// - Throws: ``Refusal`` for names that the model does not have.
  init(_ parameters: FetchParameters, model: Model) throws {
    entity = try model.knownEntity(parameters.entity)
    predicate = try Condition(parameters.predicate)?.predicate(on: entity, of: model)
    for key in parameters.sortKeys { try model.check(key, of: entity) }
    for path in parameters.prefetch { _ = try model.storedRelationships(at: path, of: entity) }
    shape = try Self.shape(of: entity, parameters, in: model)
    touched =
      parameters.irrelevant.contains(parameters.$touchedShare)
      ? nil : try Self.touched(parameters.relationship, from: entity, in: model)
    let destination = touched.flatMap { model.entity(named: $0.shape.entity) }
    readsBlobs = [(entity, Optional(shape)), (destination, touched?.shape)].contains {
      (entity: Entity?, shape: ObjectDigest.Shape?) in
      guard let entity, let shape else { return false }
      return model.attributes(of: entity).contains {
        [.binary, .transformable].contains($0.type) && shape.properties.contains($0.name)
      }
    }
  }

  /// A copy of the subject with another predicate.
  func searching(_ predicate: Predicate) -> FetchSubject {
    var subject = self
    subject.predicate = predicate
    return subject
  }

  /// A copy of the subject whose blobs are read from where the case keeps them, or not read at all.
  func keeping(_ blobs: [KeptBlob], areRead: Bool) -> FetchSubject {
    let elsewhere = blobs.filter(\.isElsewhere)
    guard !elsewhere.isEmpty else { return self }
    let names = elsewhere.map(\.attribute)
    var subject = self
    subject.shape = ObjectDigest.Shape(
      entity: shape.entity,
      properties: shape.properties.filter { !names.contains($0) } + (areRead ? names : [])
    )
    subject.blobsElsewhere = areRead ? elsewhere : []
    subject.readsBlobs = readsBlobs || areRead
    return subject
  }

  private static func shape(
    of entity: Entity,
    _ parameters: FetchParameters,
    in model: Model
  ) throws -> ObjectDigest.Shape {
    guard parameters.attributes.isEmpty else {
      for name in parameters.attributes { _ = try model.storedAttribute(name, of: entity) }
      return ObjectDigest.Shape(entity: entity.name, properties: parameters.attributes)
    }
    let read = model.attributes(of: entity).filter {
      !$0.isTransient && (parameters.readsBlobs || $0.type != .binary)
    }
    return ObjectDigest.Shape(entity: entity.name, properties: read.map(\.name))
  }

  private static func touched(
    _ name: String,
    from entity: Entity,
    in model: Model
  ) throws -> Touched {
    let path = try model.storedRelationships(at: name, of: entity)
    let destination = try model.knownEntity(path[path.count - 1].destination)
    return Touched(
      path: path,
      shape: ObjectDigest.Shape(
        entity: destination.name,
        properties: model.attributes(of: destination).filter { !$0.isTransient }.map(\.name)
      ),
      link: ObjectDigest.Shape(entity: "\(entity.name).\(name)", properties: [])
    )
  }
}

extension Model {
  /// The attributes that the store keeps in the row without conversion: neither binary nor
  /// transformable.
  fileprivate func plainNames(of entity: Entity) -> [String] {
    attributes(of: entity).filter {
      !$0.isTransient && $0.type != .binary && $0.type != .transformable
    }.map(\.name)
  }

  /// The entity with the given name.
  ///
  /// - Throws: ``Refusal`` if the model has no such entity.
  func knownEntity(_ name: String) throws -> Entity {
    if let entity = entity(named: name) { return entity }
    throw Refusal.unknownEntity(name, in: self)
  }
}

/// The keys that a case read, in order, and digests of all values.
///
/// The keys are kept, at 8 bytes per object, because only they identify an object if two objects
/// compare equal in the sort order.
struct ReadLog {
  /// The number of objects whose values are buffered before their digests are computed, if no
  /// object has blobs.
  static let chunk = 100

  /// The number of objects that the fetch found.
  var fetched = 0
  private(set) var keys: [Int64] = []
  private(set) var objects = ListDigest()
  private(set) var links = ListDigest()

  /// The parts of the log that verification checks, in one line.
  var fact: String {
    let keys = keys.withUnsafeBytes { SHA256.hash(data: $0).hexadecimal }
    return "\(fetched) \(keys) \(objects.ordered) \(links.ordered)"
  }

  /// Adds the digest of an object.
  @inline(__always)
  mutating func add(_ key: Int64, _ object: UInt64) {
    keys.append(key)
    objects.add(object)
  }

  /// Adds the digest of an object's related objects.
  @inline(__always)
  mutating func add(link: UInt64) {
    links.add(link)
  }
}

/// The values that the work has read from objects and rows.
///
/// They are buffered until the clock is stopped, because an app computes no digests.
struct TakenValues {
  fileprivate enum Step {
    case object(Int64)
    /// Begins the related objects of the object with this key; each of them follows as a `target`.
    case link(Int64)
    case target(Int64)
  }

  private let shape: ObjectDigest.Shape
  private let touched: FetchSubject.Touched?
  private var steps: [Step] = []
  private var values: [Value] = []

  init(of subject: FetchSubject) {
    shape = subject.shape
    touched = subject.touched
  }

  /// Begins an object; its values follow in the order of the properties.
  mutating func begin(_ key: Int64) { steps.append(.object(key)) }
  mutating func beginLink(from key: Int64) { steps.append(.link(key)) }
  mutating func beginTarget(_ key: Int64) { steps.append(.target(key)) }
  mutating func take(_ value: Value) { values.append(value) }
  mutating func take(_ row: ArraySlice<Value>) { values += row }

  /// Adds the digests of all buffered values to a log and empties the buffer.
  mutating func settle(into log: inout ReadLog) {
    var next = values.startIndex
    var link: LinkDigest?
    func digest(_ shape: ObjectDigest.Shape, _ key: Int64) -> UInt64 {
      var digest = ObjectDigest(shape, key: key)
      for value in values[next..<next + shape.properties.count] { digest.add(value) }
      next += shape.properties.count
      return digest.value
    }
    for step in steps {
      if let found = link, !step.isTarget {
        log.add(link: found.value)
        link = nil
      }
      switch step {
      case .object(let key): log.add(key, digest(shape, key))
      case .link(let key): link = touched.map { LinkDigest($0, from: key) }
      case .target(let key):
        if let touched { link?.add(digest(touched.shape, key)) }
      }
    }
    if let link { log.add(link: link.value) }
    steps.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
  }
}

extension TakenValues.Step {
  fileprivate var isTarget: Bool {
    if case .target = self { true } else { false }
  }
}

/// The digest of the objects that one object's relationship refers to.
///
/// The order of these objects matters if the relationship is ordered.
struct LinkDigest {
  private let link: ObjectDigest.Shape
  private let source: Int64
  private let isOrdered: Bool
  private var count: Int64 = 0
  private var targets: UInt64 = 0

  init(_ touched: FetchSubject.Touched, from source: Int64) {
    link = touched.link
    isOrdered = touched.isOrdered
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

/// The positions in a list that a case reads, in order, and the positions whose objects'
/// relationship it follows.
struct AccessPath: Sendable {
  /// The number of rows on a phone's screen in a typical list of tasks or messages.
  static let screen = 20
  /// The number of random jumps after the first screen; each reads one screen.
  static let jumps = 10

  let pattern: FetchParameters.AccessPattern
  let touchedShare: Double
  let seed: UInt64

  /// The ranges of positions among the given number of objects; the first range is the first
  /// screen.
  func ranges(count: Int) -> [Range<Int>] {
    let first = 0..<min(Self.screen, count)
    switch pattern {
    case .none: return []
    case .firstScreen: return [first]
    case .scrollAll: return [first, first.upperBound..<count]
    case .randomJump:
      let starts = max(1, count - Self.screen + 1)
      return [first]
        + (0..<Self.jumps).map { jump in
          let start = Int(Mixing.spread(seed &+ UInt64(jump)) % UInt64(starts))
          return start..<min(start + Self.screen, count)
        }
    }
  }

  /// Whether the case follows the relationship of the nth object that it reads, counted from 0.
  ///
  /// The objects whose relationship it follows are evenly spread.
  func isTouched(_ number: Int) -> Bool {
    guard touchedShare > 0 else { return false }
    return (Double(number + 1) * touchedShare).rounded(.down)
      > (Double(number) * touchedShare).rounded(.down)
  }
}
