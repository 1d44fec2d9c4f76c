import DataModel

/// What generated notes are about: the words that their sentences are made of.
enum NotesTopic: String, CaseIterable, Hashable, Sendable {
  /// What people note in a day.
  case everyday
  /// What a shop says of its products.
  case product
  case travel

  var vocabulary: Vocabulary {
    switch self {
    case .everyday: .everyday
    case .product: .product
    case .travel: .travel
    }
  }
}

/// Words by what they can be in a sentence; a sentence of any length is a list of such sorts.
struct Vocabulary: Sendable {
  /// What a word is in a sentence.
  private enum Sort: Int, CaseIterable {
    case alone, command, adverb, order, determiner, subject, verb, adjective, thing, preposition,
      place, time, conjunction
  }

  private let words: [WordList]

  /// A line for each sort but the conjunctions; a word may have several parts.
  private init(_ lines: String) {
    words =
      lines.split(separator: "\n").map { WordList(String($0), separator: "|") }
      + [WordList("and|but|while|because", separator: "|")]
    precondition(words.count == Sort.allCases.count)
  }

  /// By their number of words, sentences of 1 to ``longest`` words as sorts.
  private static let sentences: [[Sort]] = {
    let five: [Sort] = [.determiner, .subject, .verb, .determiner, .thing]
    let six: [Sort] = [.determiner, .subject, .verb, .determiner, .adjective, .thing]
    let place: [Sort] = [.preposition, .determiner, .place]
    return [
      [.alone], [.command, .adverb], [.order, .determiner, .thing],
      [.order, .determiner, .adjective, .thing], five, six, six + [.time], five + place,
      six + place, six + place + [.time], five + [.conjunction] + five,
      five + [.conjunction] + six, six + [.conjunction] + six, five + place + [.conjunction] + five,
      five + place + [.conjunction] + six, six + place + [.conjunction] + six,
      six + place + [.conjunction] + six + [.time],
    ]
  }()

  private static let offsets: [Int] = sentences.reduce(into: [0]) {
    $0.append($0[$0.count - 1] + $1.count)
  }
  private static let sorts: [UInt8] = sentences.flatMap { $0.map { UInt8($0.rawValue) } }

  static var longest: Int { sentences.count }

  /// A word for a place in a sentence of some length; all count from 0.
  @inline(__always)
  func word(_ place: Int, ofSentence length: Int, _ draws: inout Draws) -> UnsafeBufferPointer<
    UInt8
  > {
    words[Int(Self.sorts[Self.offsets[length] + place])].word(&draws)
  }

  static let everyday = Vocabulary(
    """
    Done|Later|Important|Agreed|Private|Postponed|Confirmed|Maybe|Solved|Waiting
    Check|Call|Ask|Try|Look|Come|Write
    again|first|tomorrow|later|soon|tonight
    Check|Order|Return|Send|Find|Bring|Collect|Measure|Photograph|Keep
    the|our|the|my|the|your
    colleague|neighbour|doctor|plumber|customer|teacher|landlord|sister|brother|dentist|manager|electrician|courier|accountant|friend|gardener|café owner|fiancée
    needed|wanted|found|sent|lost|returned|ordered|brought|checked|forgot|collected|mentioned|borrowed|moved
    new|old|small|large|red|broken|spare|second|cheap|other|heavy|first|last|blue|missing
    key|cable|printer|list|invoice|photo|ticket|letter|ladder|lamp|battery|screen|form|report|package|contract|receipt|map|chair|phone|charger|résumé|crème brûlée|São Paulo guide|日本語 textbook|10 € note|Ångström lamp|привет card|“quoted” letter|25 °C thermometer|½ kg bag|👍 sticker|déjà vu poster|naïve drawing
    in|near|behind|outside|opposite
    office|kitchen|station|garden|school|shop|hall|garage|library|basement|café|Zürich branch|Łódź depot
    today|yesterday|again|twice|recently|tonight
    """
  )

  static let product = Vocabulary(
    """
    Durable|Washable|Lightweight|Recyclable|Handmade|Compact|Foldable|Stackable
    Wash|Wipe|Store|Dry|Fold
    separately|carefully|flat|indoors|gently
    Remove|Clean|Tighten|Replace|Open|Close|Adjust|Check
    the|the|each|the|this
    frame|handle|cover|base|lid|strap|lining|hinge|clasp|surface|seam|décor panel
    protects|supports|covers|holds|matches|surrounds|reinforces|hides
    soft|smooth|inner|outer|lower|upper|wooden|steel|cotton|removable|crème|colour-fast
    pocket|edge|corner|side|back|front|layer|panel|label|rim|opening|finish|stitching|appliqué
    at|near|below|above|behind
    bottom|top|seam|handle|edge|base|rim|opening
    securely|well|permanently|evenly|completely
    """
  )

  static let travel = Vocabulary(
    """
    Booked|Recommended|Closed|Sunny|Crowded|Free|Unforgettable|Optional
    Book|Reserve|Arrive|Ask|Walk|Go
    early|first|tomorrow|together|again
    Visit|Book|See|Try|Photograph|Find|Revisit
    the|the|our|the|that
    guide|host|driver|waiter|hotel|museum guide|colleague|cousin|café owner|concierge
    recommended|showed|mentioned|booked|praised|described|suggested
    old|small|large|famous|quiet|crowded|new|second|cheap|hidden
    market|museum|beach|viewpoint|restaurant|boat trip|tour|café|bakery|gallery|walk|concert|ferry|crêperie|Jardín Botánico|日本語 tour|25 °C pool
    near|behind|opposite|beside|outside
    harbour|castle|river|station|old town|cathedral|park|hotel|plaza|Altstadt|São Bento station
    today|yesterday|again|twice|recently
    """
  )
}
