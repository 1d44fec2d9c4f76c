extension Phrases {
  /// Reviews of products.
  ///
  /// They do not mention parts of the product, so that they fit any product.
  static let product = Phrases(
    """
    Popular.
    Good value.
    Well made.
    Much loved.
    Carefully chosen.
    Fair price.
    No hidden costs.
    Ask us anything.
    Reviews are welcome.
    Easy to order.
    Designed in {Zürich|Łódź|Québec|Málaga}.
    Packed without any plastic.
    Gift wrapping is available.
    Not sold in other shops.
    Chosen by our own staff.
    Our team answers your questions.
    Larger orders get a discount.
    Other versions are in our shop.
    A present that fits every taste.
    More pictures on request.
    Subscribe to hear about new arrivals.
    A good choice for every day.
    Read what others say about it below.
    Colours may look different on your screen.
    Our price includes delivery within the country.
    Some of us have it at home.
    Every order comes with a handwritten card.
    We think that you will like it.
    It is one of our favourites.
    Every piece is checked before we send it.
    Pay by card, by transfer or on delivery.
    Thank you for buying from a small shop.
    Made by people who know what they do.
    A part of the price supports local {schools|libraries|clubs}.
    Ordered by mistake? Send it back within {thirty|sixty} days.
    If anything is missing, write to us within {FEW} weeks.
    You can pick it up in our shop without any fee.
    The box is made of recycled paper and can be used again.
    Please note that in December every order may take a little longer.
    Sent within {two|three|four} working days.
    Seen in several magazines.
    """
  )

  /// Notes on travel that fit any activity in any town.
  static let travel = Phrases(
    """
    Recommended!
    Sure.
    Good fun.
    Sounds nice.
    With {PERSON}.
    {PERSON}’s idea.
    {PERSON}’s wish.
    {PERSON} can tell us more.
    Ask {PERSON} for tips.
    Yes, with pleasure.
    A must, says {PERSON}.
    {PERSON} insists on it.
    Good for all of us.
    Leave some time for it.
    {PERSON} asked for it twice.
    {PERSON} looks forward to it.
    {PERSON} and I talked about it.
    One of my wishes for this trip.
    {PERSON} has some tips for us.
    I have wanted to do this for a long time.
    {PERSON} would be sad if we left it out.
    {PERSON} read about it.
    Highly recommended.
    Why not?
    {PERSON} found this in the guidebook.
    {PERSON} read about this in a travel guide.
    Talk about it with the others.
    It is on {PERSON}’s list as well.
    We talked about this at home.
    {PERSON} thinks that all of us will like it.
    Just right.
    {PERSON} asked for this.
    Something for all of us.
    {PERSON} suggested this.
    Bring {PERSON} along.
    {PERSON} heard that this is worth the time.
    """
  )

  /// Notes on walks that fit a walk to any place.
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
    The bells rang, and nobody counted.
    We had walked since {morning|noon}.
    Above us the {gulls|swallows|crows} were circling.
    I had forgotten how quiet it was.
    The old man looked up and smiled.
    {PERSON} carried the bag without a word.
    It smelled of wet stone and coffee.
    Every house had a lamp in the window.
    We ate bread and talked about the war.
    {PERSON} pointed at the water, but I saw nothing.
    I wrote it down that night, by candlelight.
    There were {FEW} of us, and one small boat.
    A woman was selling {apples|oranges|cherries} from a blue cart.
    After the bend there were no more houses.
    My grandmother had told me about this place many times.
    For a while we listened to the wind in the trees.
    My uncle had left the town {MANY} years before, in {MONTH}.
    What I remember best is the colour of the evening sky.
    The children ran ahead and came back with their pockets full of stones.
    Someone had painted the door green, and it did not suit the house.
    When the last guests had gone, we sat outside and counted the stars.
    I asked {PERSON} about the photograph, but the answer came only {FEW} days later.
    A clock ticked.
    Everything was still.
    I closed my eyes.
    Far away, a train passed.
    The letter had come in {MONTH}.
    The guide had a voice like dry leaves.
    The windows were open, and somebody was singing.
    I thought of {PERSON}, who had never liked the place.
    Between two houses one could see a small piece of water.
    At the corner a boy was selling newspapers nobody wanted to read.
    Nothing moved.
    {PERSON} smiled.
    Rain fell.
    Time passed.
    The kettle was singing.
    Nobody knew the way.
    The bench was still wet.
    We said goodbye too early.
    The door had no name.
    {PERSON} laughed at last.
    Somebody had left a light on.
    It was the first warm day.
    We took the path on the left.
    Two letters of the old sign were missing.
    A cat slept on the warm stones.
    The boat came in without a sound.
    {PERSON} wrote every week, then every month.
    Nothing was as small as I remembered.
    On the wall hung a map without names.
    We counted the steps and lost the number twice.
    The clock in the hall had stopped at {HOUR}.
    {PERSON} knew each bird by its call.
    Behind the fence somebody was repairing a bicycle.
    I bought two pears and gave one to {PERSON}.
    For a moment the whole street smelled of bread.
    The snow had gone, but the roofs were still white.
    {PERSON} asked for the key, and nobody had it.
    An old woman told us which way the river ran.
    In the evening {PERSON} read aloud, and we forgot the time.
    The last bus had left, and so we went on foot.
    I found a button in my pocket and did not know whose it was.
    Later {PERSON} said that it had been the best day of that year.
    From here one could see the smoke of {FEW} chimneys.
    The wind turned pages of a book that nobody was reading.
    We shared a blanket, a {pie|melon|cake} and a long silence.
    What {PERSON} had drawn on the table was still there in {MONTH}.
    """
  )
}
