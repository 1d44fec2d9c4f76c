extension Phrases {
  /// They name no part of the product, so that they fit each.
  static let product = Phrases(
    """
    New.
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
    Sold by the piece.
    Gift wrapping is available.
    Not sold in other shops.
    Chosen by our own staff.
    Our team answers your questions.
    Larger orders get a discount.
    Our customers’ favourite since {2014|2017|2019}.
    Simple, and made to be used.
    Other versions are in our shop.
    A present that fits every taste.
    See the pictures for more details.
    Subscribe to hear about new arrivals.
    A good choice for every day.
    Damaged on arrival? We replace it.
    Made by a company from {Sweden|Portugal|Austria|Ireland}.
    Read what others say about it below.
    The colour may differ from the photo.
    Our price includes delivery within the country.
    Some of us have it at home.
    Every order comes with a handwritten card.
    We think that you will like it.
    It is one of our favourites, too.
    Every piece is checked before we send it.
    Pay by card, by transfer or on delivery.
    Thank you for buying from a small shop.
    Made by people who know what they do.
    A part of the price supports local {schools|libraries|clubs}.
    We tested it for {FEW} months before selling it.
    Ordered by mistake? Send it back within {thirty|sixty} days.
    If anything is missing, write to us within {FEW} weeks.
    You can pick it up in our shop without any fee.
    The box is made of recycled paper and can be used again.
    Please note that in December every order may take a little longer.
    Ask our shop for larger numbers, which we can send within {FEW} weeks.
    Sent within {two|three|four} working days.
    Seen in several magazines.
    """
  )

  /// They fit whatever is wished for in any town.
  static let travel = Phrases(
    """
    Recommended!
    Optional.
    {PERSON}’s idea.
    Ask {PERSON} for tips.
    {PERSON} wants to come.
    Only if there is time.
    Not on the first day.
    {PERSON} did this in {MONTH}.
    We promised this to {PERSON}.
    Leave some time for it.
    Write down how it was.
    Talk it over at breakfast.
    Find a good time for it.
    I read about it in {MONTH}.
    {PERSON} talked about it for {days|weeks}.
    I saw a film about it.
    {PERSON} wrote down some tips for us.
    The {blue|red|small} guidebook has more on it.
    Ask the others before we decide on it.
    Last time there was no time for it.
    One of the {FEW} things I want most.
    {PERSON} would be sad if we left it out.
    It is on everybody’s list, so why not on ours?
    {PERSON} wants to come along, so we should ask first.
    Sounds nice.
    With {PERSON}.
    A must, says {PERSON}.
    {PERSON} can tell us more.
    Good for all of us.
    People at work told me to do it.
    My favourite.
    Good fun.
    {PERSON} asked for it twice.
    Better early than late.
    I cannot wait.
    {PERSON} insists on it.
    Yes, with pleasure.
    I am curious.
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
    Of the old sign two letters were missing.
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
