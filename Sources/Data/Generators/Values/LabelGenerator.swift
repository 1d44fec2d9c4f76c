/// Names of tags, projects and categories: no two rows have the same one.
struct LabelGenerator: TextGenerator {
  private let shuffle: Permutation

  private static let adjectives = WordList(
    """
    Personal Urgent Weekly Shared Home Work Blue Quiet Spring Summer Autumn Winter North South Old New
    Private Monthly Open Secret Green Red Golden Silver Early Late Fast Slow Digital Local Family Club
    """
  )

  private static let nouns = WordList(
    """
    Errands Ideas Travel Health Money Garden Books Recipes Music Sports Photos Repairs Gifts Meetings
    Letters Courses Research Releases Hiring Marketing Support Design Clients Invoices Events Movies
    Pets Plants Shopping Study Taxes Volunteering Workshop Archive Backlog Roadmap Café Résumés
    Möbel Fußball
    """
  )

  init(key: StreamKey) {
    shuffle = Permutation(count: Self.nouns.count * Self.adjectives.count, key: key)
  }

  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    let place = shuffle.image(of: row % shuffle.count)
    text.append(contentsOf: Self.adjectives[place / Self.nouns.count])
    text.append(" ")
    text.append(contentsOf: Self.nouns[place % Self.nouns.count])
    guard row >= shuffle.count else { return }
    text.append(" ")
    text.append(decimal: row / shuffle.count + 1)
  }
}
