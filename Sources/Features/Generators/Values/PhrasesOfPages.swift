extension Phrases {
  /// They name no part of the product, so that they fit each.
  static let product = Phrases(
    """
    New.
    Popular.
    Made locally.
    Easy care.
    A lasting gift.
    Made to last.
    Ready to use.
    Checked by hand.
    Packed without any plastic.
    Our customers’ favourite {again|since 2019}.
    Made in small batches.
    Also available in {blue|black|green|white}.
    Designed with care in {Zürich|Łódź|Québec|Málaga}.
    A good choice for every day.
    Sent within {one|two|three} working days.
    Comes with a {two|three|five}-year guarantee.
    Simple, and made to be used.
    Returned free of charge within {thirty|sixty} days.
    Quality that you can see and feel.
    Each piece is a little different.
    The colour may differ from the photo.
    Made by a family business since {1921|1948|1963|1987}.
    As useful at home as on the road.
    We tested it for {FEW} months before selling it.
    A gift that fits every age and every taste.
    Made of materials that we know and trust.
    Our price includes delivery within the country.
    If anything is missing, write to us within {FEW} weeks.
    Spare parts are in stock for at least {five|six|eight} years.
    Nothing about it is new, and that is the point.
    The box is made of recycled paper and can be used again.
    Please note that every order is packed by hand and checked twice.
    Ask our shop for larger numbers, which we can send within {FEW} weeks.
    Customers like it for its simple shape and for how long it lasts.
    """
  )

  /// They fit whatever is wished for in any town.
  static let travel = Phrases(
    """
    Recommended!
    Optional.
    {PERSON}’s idea.
    Go early.
    Cash only.
    Bring the camera.
    Closed on {Mondays|Tuesdays}.
    Better without luggage.
    Not in the rain.
    Ask at the hotel.
    {PERSON} was here in {MONTH}.
    Less crowded after {four|five}.
    Leave {two|three} hours for it.
    Only if there is time.
    Best before {nine|ten} in the morning.
    Meet {PERSON} there at {HOUR}.
    The tram stops right outside.
    It is {MANY} minutes on foot.
    {PERSON} says it is worth it.
    Near the hotel, so last evening.
    Look up the opening hours first.
    Combine it with lunch around the corner.
    The first evening would be best.
    Take the bus, the way is steep.
    The guidebook gives it {three|four|five} stars.
    Everybody I asked told me to go there.
    On {DAY} there is a free entry after {HOUR}.
    We did not manage it on the last trip.
    If it is full, try the one opposite the station.
    {PERSON} wants to come along, so wait for the weekend.
    There is a nice place for breakfast in the same street.
    Not far from the place where {PERSON} lived for {FEW} years.
    """
  )

  /// They tell of a walk to any place.
  static let story = Phrases(
    """
    Silence.
    Nothing.
    Rain again.
    We waited.
    Nobody spoke.
    Then it rained.
    I kept walking.
    The light changed.
    {PERSON} was late.
    Somewhere a door closed.
    There was no hurry.
    It was almost {MONTH}.
    {PERSON} said very little.
    A dog followed us home.
    Nobody had seen the letter.
    The bells rang for {HOUR}.
    We had walked since {morning|noon}.
    Above us the {gulls|swallows|crows} were circling.
    I had forgotten how quiet it was.
    The old man looked up and smiled.
    {PERSON} carried the bag without a word.
    It smelled of wet stone and coffee.
    In {MONTH} the days were short already.
    Every house had a lamp in the window.
    We ate bread and talked about the war.
    {PERSON} pointed at the water, but saw nothing.
    I wrote it down that night, by candlelight.
    There were {FEW} of us, and one small boat.
    A woman was selling {apples|oranges|cherries} from a blue cart.
    The road turned, and behind it the houses ended.
    My grandmother had told me about this place many times.
    For a while we listened to the wind in the trees.
    {PERSON} had left the town {MANY} years before, in {MONTH}.
    What I remember best is the colour of the evening sky.
    The children ran ahead and came back with their pockets full of stones.
    Someone had painted the door green, and it did not suit the house.
    When the last guests had gone, we sat outside and counted the stars.
    I asked {PERSON} about the photograph, but the answer came only {FEW} days later.
    It was the first warm day of the year, and everybody seemed to be outside.
    """
  )
}
