/// Short titles as people type them into a to-do list.
struct TitleGenerator: TextGenerator {
  /// Actions and what they can be done to.
  private static let themes: [(actions: WordList, subjects: WordList)] = [
    (
      WordList("Call|Write to|Visit|Thank|Remind|Follow up with|Meet|Ask", separator: "|"),
      WordList(
        """
        the plumber|the dentist|Grandma|Søren|Zoë and José|the landlord|the insurance|Łukasz|Ana
        the school|our neighbours|the bank|Dr. Müller|the travel agency|the new colleague|Uncle Björn
        """,
        separator: "|"
      )
    ),
    (
      WordList("Buy|Order|Return|Look for|Compare prices for|Borrow", separator: "|"),
      WordList(
        """
        birthday cake|café chairs|winter coats|dog food|a tent|new tyres|printer paper|wedding gift
        a backup disk|light bulbs|garden soil|running shoes|crème fraîche|a phone charger|olive oil
        """,
        separator: "|"
      )
    ),
    (
      WordList("Fix|Clean|Check|Paint|Replace|Measure|Sort", separator: "|"),
      WordList(
        """
        the kitchen tap|the balcony|the bicycle|the garden fence|the smoke detector|the bookshelf
        the printer|old photos|the basement|the bathroom door|the heating|tool box|the spare room
        """,
        separator: "|"
      )
    ),
    (
      WordList("Pay|Review|Sign|Print|Send|File|Update|Finish|Translate|Scan", separator: "|"),
      WordList(
        """
        the electricity bill|the quarterly report|slides for Monday|tax papers|the contract|the résumé
        release notes|the insurance claim|the school form|the budget for 2026|the guest list
        crash reports|the onboarding guide|the parking permit|invoice 4711|meeting minutes
        """,
        separator: "|"
      )
    ),
    (
      WordList("Plan|Book|Prepare|Cancel|Schedule|Confirm", separator: "|"),
      WordList(
        """
        the flight to Köln|summer holiday|train tickets|the design review|the job interview
        the language course|the vaccination|piano lesson|the workshop|dinner with friends|the move
        a meeting room|the weekend in São Paulo|the team offsite|the vet appointment
        """,
        separator: "|"
      )
    ),
  ]

  private static let details = WordList(
    """
    before Friday|(urgent)|– second try|at 9:30|next week|✅|tomorrow morning|if it rains|#home|#work
    as agreed|!!|once more|by e-mail|in person|for the 3rd time|after lunch|…|(ask first)
    """,
    separator: "|"
  )

  func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
    let choice = draws.next()
    let theme = Self.themes[draws.below(Self.themes.count)]
    theme.actions.append(to: &text, draws: &draws)
    text.append(" ")
    theme.subjects.append(to: &text, draws: &draws)
    // One title in four says more.
    guard choice & 3 == 0 else { return }
    text.append(" ")
    Self.details.append(to: &text, draws: &draws)
  }
}
