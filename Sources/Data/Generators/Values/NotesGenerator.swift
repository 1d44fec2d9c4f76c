/// Notes of one to many sentences, with a chosen number of words.
struct NotesGenerator: TextGenerator {
  /// The number of words.
  let words: any Distribution

  /// About 6 MB, so that no distribution's tail fills the memory.
  private static let mostWords = 1_000_000.0

  private static let vocabulary = WordList(
    """
    the a one this that our their some every other and but because while after before until when
    meeting price number address list plan idea problem answer question office kitchen door train
    street morning evening week month budget photo letter device battery screen cable garden shop
    doctor neighbour colleague customer friend child team project version draft copy page
    is was has needs wants should could might will does keeps makes takes gives says asks shows
    new old small large red open late early broken ready cheap difficult quiet different same right
    again already also always maybe never often soon still today together tomorrow very yesterday
    about above across against along among around at behind below beside between by for from in into
    near of off on over through to under with without two three seven twelve forty
    """
  )

  private static let accents = WordList(
    """
    naïve|Zürich|São Paulo|crème brûlée|10 €|½ kg|Ångström|“quoted”|déjà vu|Łódź|25 °C|привет|日本語|👍
    """,
    separator: "|"
  )

  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    let drawn = words.value(row: row, draws: &draws).rounded()
    let count = Int(min(max(drawn, 1), Self.mostWords))
    var draws = draws
    Sentences.append(to: &text) { sentences, text in
      var left = 0
      for word in 0..<count {
        sentences.makeRoom(in: &text)
        if left == 0 {
          if word > 0 {
            sentences.append(UInt8(ascii: "."))
            sentences.append(draws.below(6) == 0 ? UInt8(ascii: "\n") : UInt8(ascii: " "))
          }
          left = 4 + draws.below(14)
          sentences.append(Self.vocabulary.word(&draws), isCapitalised: true)
        } else {
          sentences.append(UInt8(ascii: " "))
          let hasAccents = draws.below(40) == 0
          sentences.append((hasAccents ? Self.accents : Self.vocabulary).word(&draws))
        }
        left -= 1
      }
      sentences.append(UInt8(ascii: "."))
    }
  }
}
