/// A kind of task, with its actions, subjects and steps.
///
/// Any action fits any subject, and any step fits any combination of an action and a subject. The
/// steps are in a practicable order. No title of one theme begins with an action of another theme.
struct TaskTheme: Sendable {
  let actions: WordList
  let subjects: WordList
  let steps: WordList

  private init(_ actions: String, _ subjects: String, _ steps: String) {
    self.actions = WordList(actions, separator: "|")
    self.subjects = WordList(subjects, separator: "|")
    self.steps = WordList(steps, separator: "|")
  }

  /// The index in `all` of the theme of a title; `nil` if the title was not generated from a theme.
  static func place(ofTitle title: UnsafeBufferPointer<UInt8>) -> Int? {
    all.firstIndex { theme in
      (0..<theme.actions.count).contains { title.starts(with: theme.actions[$0]) }
    }
  }

  static let all = [
    TaskTheme(
      "Call|Write to|Visit|Invite",
      """
      Grandma|Ingrid|Lucía and Mehmet|Tomasz|Clara|our neighbours|Uncle Günther|Aunt Margit|Siân
      the cousins|Rafał|Inês
      """,
      """
      Choose a good time|Say thanks for the photos|Ask about the holiday|Tell the news from work
      Ask about the garden|Talk about the birthday|Talk about the weekend|Ask for the cake recipe
      Ask for the old photos|Talk about the summer|Say hello from Zoë|Offer some help
      Agree on the next visit|Note what is new
      """
    ),
    TaskTheme(
      "Get an answer from|Get an appointment with|Phone|E-mail",
      """
      the insurance|the dentist|the school|the bank|the travel agency|the tax office|the garage
      the town hall|the landlord|the consulate
      """,
      """
      Find the last letter|Look up the address|Write down my questions|Check which days are free
      Ask which papers are needed|Ask about the costs|Ask how long it takes|Ask for it in writing
      Note the name of the contact|Note what was said|Put the date in the calendar|Send the papers
      Say thank you|File the answer
      """
    ),
    TaskTheme(
      "Buy|Order|Shop for",
      """
      café chairs|winter coats|a tent|new tyres|a wedding gift|a backup disk|running shoes
      new curtains|a desk lamp|a backpack|a carpet|a fridge|garden chairs|a raincoat
      """,
      """
      Decide how much to spend|Note what matters most|Ask Emma for advice|Read a few reviews
      Find three offers|Compare the prices|Look for a discount|Check the opening hours
      Ask about delivery|Decide on one offer|Pay|Keep the receipt|Check that all is there
      Note the price
      """
    ),
    TaskTheme(
      "Fix|Repair|Get help with|Look at",
      """
      the bicycle|the smoke detector|the printer|the heating|the dishwasher|the washing machine
      the lawn mower|the coffee machine|the doorbell|the radio|the front light
      """,
      """
      Take a photo of the problem|Look for the manual|Search for the problem|Ask Noah
      Watch a video about it|Find the toolbox|Find a free hour|Ask what a repair costs
      Order the missing part|Try it out|Put the tools back|Write down what helped
      Check again in a week
      """
    ),
    TaskTheme(
      "Clean|Tidy up|Clear out|Sort out",
      """
      the spare room|the basement|the hallway|the children’s room|the shed|the pantry|the attic
      the office|the guest room|the laundry room
      """,
      """
      Find some boxes|Take a photo of how it is now|Move the heavy things|Empty the shelves
      Throw away what is broken|Choose what to give away|Wipe the shelves|Dust the lamp
      Sweep the floor|Clean the door|Label the boxes|Put everything back|Take out the rubbish
      Take a photo of the result
      """
    ),
    TaskTheme(
      "Check|Print|Send|File|Scan|Copy",
      """
      the quarterly report|the tax papers|the contract|the résumé|the insurance claim
      the school form|the onboarding guide|the project plan|the last invoice|the meeting minutes
      the expense report|the travel report
      """,
      """
      Find all pages|Read everything once more|Check the names|Check the dates
      See that no page is missing|Note open questions|Ask Grace to have a look|Save a copy
      Rename the file|Make a backup|Put the paper in the folder
      Shred what is not needed
      """
    ),
    TaskTheme(
      "Plan|Prepare|Get ready for|Organise",
      """
      the trip to Köln|the summer holiday|the weekend in São Paulo|the city trip
      the cycling tour|the trip to the sea|the days in Łódź|the ski weekend|the hike with friends
      the long weekend
      """,
      """
      Agree on the dates|Ask who wants to come|Ask for a day off|Set the budget
      Find a place to stay|Compare the trains|Buy the tickets|Ask Leo to water the plants
      Reserve a table|Check the weather|Write the packing list|Download the maps
      Charge the camera|Pack the bags
      """
    ),
  ]
}
