extension Phrases {
  /// They name no part of the product, so that they fit each.
  static let product = Phrases(
    """
    New.
    Popular.
    Made locally.
    A lasting gift.
    Made to last.
    Checked by hand.
    Packed without any plastic.
    Our customers’ favourite since {2016|2019|2021}.
    Made in small batches.
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
    We tested it for {FEW} months before selling it.
    Made of materials that we know and trust.
    Our price includes delivery within the country.
    If anything is missing, write to us within {FEW} weeks.
    Nothing about it is new, and that is the point.
    The box is made of recycled paper and can be used again.
    Please note that every order is packed by hand and checked twice.
    Ask our shop for larger numbers, which we can send within {FEW} weeks.
    Customers like it for its simple shape and for how long it lasts.
    Good value.
    We have sold it for years and use our first one.
    Well made.
    Made with care.
    A welcome gift.
    Other versions are in our shop.
    You will like to use it.
    A present that fits every taste.
    It is one of our favourites, too.
    Read what others say about it below.
    Much loved.
    Carefully chosen.
    """
  )

  /// They fit whatever is wished for in any town.
  static let travel = Phrases(
    """
    Recommended!
    Optional.
    {PERSON}’s idea.
    Bring the camera.
    Ask at the hotel.
    Only if there is time.
    It is {MANY} minutes on foot.
    {PERSON} says it is worth it.
    Everybody I asked told me to go there.
    We did not manage it on the last trip.
    {PERSON} wants to come along, so wait for the weekend.
    Ask {PERSON}.
    Not alone.
    On a whim.
    Something for everybody.
    With {PERSON}, perhaps.
    Ask {PERSON} for tips.
    {PERSON} did this in {MONTH}.
    Near the hotel, I think.
    Not on the first day.
    Find a good time for it.
    We promised this to {PERSON}.
    {PERSON} wrote down the way for me.
    I saw a film about it once.
    Ask the others before we decide on it.
    It is on everybody’s list, so why not ours?
    {PERSON} wants a photo of it, or at least a postcard.
    Leave some time for it.
    Write down how it was.
    I read about it in {MONTH}.
    {PERSON} talked about it for {days|weeks}.
    Last time there was no time for it.
    Everybody should have a say in this one.
    {PERSON} would be sad if we left it out.
    Ask {PERSON} how it was when they were here.
    It was {PERSON} who wrote it on this list.
    """
  )

  /// They fit a walk to any place.
  static let story = Phrases(
    """
    Silence.
    Nothing.
    We waited.
    Nobody spoke.
    I kept walking.
    The light changed.
    {PERSON} was late.
    Somewhere a door closed.
    There was no hurry.
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
    It grew dark.
    Everything was still.
    I closed my eyes.
    Far away, a train passed.
    The letter had come in {MONTH}.
    He had a voice like dry leaves.
    The windows were open, and somebody was singing.
    I thought of {PERSON}, who had never liked the place.
    Between two houses one could see a small piece of water.
    At the corner a boy was selling newspapers nobody wanted to read.
    Night came.
    {PERSON} smiled.
    """
  )
}
