extension Phrases {
  /// They name no thing of the task, so that they fit each.
  static let everyday = Phrases(
    """
    Important.
    Private.
    See notes.
    Ask {PERSON}.
    Call {PERSON}.
    Tell {PERSON}.
    {PERSON} knows more.
    {PERSON} reminded me.
    {PERSON} can help.
    {PERSON}’s wish.
    {PERSON} asked for this.
    {PERSON} has the details.
    Ask again on {DAY}.
    Check the calendar first.
    {PERSON} asked about it again.
    I promised {PERSON} to do it.
    {PERSON} wrote about it in {MONTH}.
    Talk to {PERSON} before I start.
    Talked about it with {PERSON} last {DAY}.
    Write to {PERSON} when it is done.
    See what {PERSON} wrote in {MONTH} first.
    {PERSON} told me about this in {MONTH}.
    {PERSON} wants to hear how it went.
    This came up at dinner with {PERSON}.
    {PERSON} said I should not wait too long.
    There is more in the e-mail from {PERSON}.
    {PERSON} wanted to know about it last {DAY}.
    Do not forget to thank {PERSON} for it.
    Remember to tell {PERSON} about it on the phone.
    If {PERSON} asks, say that it is on my list.
    I keep forgetting about it, so there is a reminder.
    This is one of the things {PERSON} and I agreed on.
    Write down what {PERSON} says about it before I forget it.
    {PERSON} did it last time.
    It has waited long enough.
    A favour for {PERSON}.
    One thing less to think about.
    {PERSON} cannot do it this time.
    Do it together with {PERSON}.
    It would be good to have it done.
    {PERSON} sent me a message about this.
    As agreed with {PERSON}.
    Easy to forget.
    Worth the effort.
    No excuses.
    Moved from the old list.
    {PERSON} has been waiting for this since {MONTH}.
    {PERSON} is on holiday, so it is my turn.
    On my list for {weeks|months}.
    I said yes to {PERSON}.
    Sooner is better than later.
    Better done than perfect.
    {PERSON} would like it done.
    """
  )

  static let project = Phrases(
    """
    Private.
    Shared.
    Always growing.
    {PERSON}’s idea.
    With {PERSON}.
    Nothing urgent here.
    Sorted by {PERSON}.
    One at a time.
    {PERSON} adds to it.
    What {PERSON} asked for.
    Keep this list short.
    {PERSON} has the older ones.
    Ask {PERSON} about the rest.
    New entries on top, please.
    Whatever comes to my mind.
    Things that can wait a while.
    {PERSON} and I share this list.
    What does not fit anywhere else.
    A few words each are enough.
    Look through it on {DAY} with {PERSON}.
    Everything that came up since last {MONTH}.
    {PERSON} knows which of these matter most.
    Move what is old to the archive.
    What {PERSON} and I said we would do.
    Whoever has time takes one and tells {PERSON}.
    {PERSON} adds to it, and I do the rest.
    Anything that takes more than an hour goes elsewhere.
    The important things are flagged, all the others can wait.
    {PERSON} looks through it once a month and moves things on.
    For later.
    Sorted by date.
    Whoever asks may see it.
    The short ones come first.
    Entries with a star are for {PERSON}.
    """
  )

  static let person = Phrases(
    """
    Friendly.
    Colleague.
    {PERSON}’s friend.
    Likes {cycling|chess|sailing|hiking|cooking}.
    Prefers to write.
    Has {two|three} children.
    Collects old {maps|stamps|books|coins}.
    Birthday is in {MONTH}.
    Does not eat meat.
    Call after {HOUR} only.
    Plays the {piano|guitar|cello|flute}.
    Met through {PERSON} in {MONTH}.
    Used to work with {PERSON}.
    Sends a card every {MONTH}.
    Away every year in {MONTH}.
    Ask about the new job.
    Usually answers within a day.
    Went to school with {PERSON}.
    Speaks French and some {Polish|Czech|Turkish|Greek}.
    Was at the wedding of {PERSON}.
    Gave me good advice in {MONTH}.
    Has a dog named {Milo|Luna|Rex}.
    Wants to hear about the next trip.
    Moved to a new flat in {MONTH}.
    Knows a lot about old {cars|films|houses}.
    Came to dinner with {PERSON} in {MONTH}.
    Told me about a good book in {MONTH}.
    Has the photos of our trip in {MONTH}.
    Left our team {FEW} years ago, still in touch.
    Always has time for a coffee and a talk.
    Lent me a tent, which I gave back in {MONTH}.
    Helped us for a whole weekend when we moved in {MONTH}.
    Loves {jazz|opera|roses|cats}.
    Good {cook|dancer|singer|swimmer}.
    {PERSON}’s cousin.
    Drinks {tea|coffee|cocoa} only.
    Has a house by the sea.
    """
  )

  static let message = Phrases(
    """
    Thanks!
    Great!
    Write soon.
    More on {DAY}.
    I will ask {PERSON}.
    The photos are wonderful.
    {PERSON} says hello to you.
    Please say hello to {PERSON}.
    Did you hear from {PERSON}?
    Can we meet on {DAY}?
    How was your holiday?
    What is new with you?
    I have told {PERSON} as well.
    I will call you after {HOUR}.
    How did it go on {DAY}?
    Next time you come to us.
    I often think of our trip.
    Could you send me {PERSON}’s number?
    We still have your blue {bowl|jacket|tent}.
    The children loved the books, thank you.
    Have you seen the photos of {PERSON}?
    It was good to hear your voice.
    I left my umbrella at your place.
    {PERSON} started a new job in {MONTH}.
    I hope to see you in {MONTH}.
    The weather is lovely, come and see us.
    {PERSON} and I talked about you on {DAY}.
    Work is busy, but the evenings are ours.
    I will send you the rest on {DAY}.
    I read your text twice, it is very good.
    I am still thinking about what {PERSON} said.
    I have two tickets for {DAY}, would you like one?
    Let us talk about the summer when you are back.
    We found a flat near the station and move in {MONTH}.
    Tell {PERSON} that the recipe was for six, not for four.
    If you see {PERSON}, please say that I have found the keys.
    I miss you.
    {PERSON} is back.
    You were right.
    {PERSON} agrees.
    The garden is in flower.
    I found your other glove.
    Bring {PERSON} along.
    Miss you.
    All good.
    More later.
    {PERSON} says thanks.
    """
  )

  static let call = Phrases(
    """
    Short.
    Friendly.
    Good news.
    About {PERSON}.
    Sounded happy.
    About the invoice.
    Sends the offer.
    Asked how {PERSON} is.
    Needs {FEW} more days.
    Wants an answer by {DAY}.
    Asked about the new prices.
    Liked what {PERSON} wrote.
    Agreed to the new price.
    Wants to see the plan first.
    Wants me to write to {PERSON}.
    Asked for a date in {MONTH}.
    Talked about the visit in {MONTH}.
    Asked for the address of {PERSON}.
    {PERSON} will send the missing page.
    Sends me the papers on {DAY}.
    Agreed to pay in {two|three} parts.
    Talked for {MANY} minutes about the summer.
    Has not heard from {PERSON} since {MONTH}.
    Thanked me for the photos of {MONTH}.
    I promised to send the list by {DAY}.
    The order comes {FEW} days later than planned.
    {PERSON} takes over from the first of {MONTH}.
    Needs the contract before the end of {MONTH}.
    Would like to move the next meeting to {DAY}.
    There are {FEW} open points, which {PERSON} looks into.
    Told me about the new flat and the children.
    Wants to think about it and write again on {DAY}.
    In a hurry.
    Has a new number.
    """
  )

  static let post = Phrases(
    """
    Finally!
    Today.
    So good.
    Pure joy.
    More soon.
    No words needed.
    Here we are.
    My happy place.
    Worth the wait.
    {PERSON} knows why.
    Small things matter.
    A day well spent.
    With {PERSON}, of course.
    Good times with {PERSON}.
    Just what I needed.
    {PERSON} asked for this one.
    For {PERSON}, who missed it.
    One of my favourites, honestly.
    We should do this more often.
    I could look at this forever.
    Took about {MANY} photos, kept one.
    Not posed, not planned, just there.
    And that was only the beginning.
    Happy to share this with you.
    Keeping this one for the {wall|album|fridge}.
    You had to be there, I guess.
    Took the long way, and no regrets.
    Nobody told me how good this would be.
    There is always time for a short stop.
    Tell me in a comment what you see.
    Ask {PERSON} how long it took to get this.
    Some days are made for doing nothing at all.
    Posted a little late, but better than not at all.
    Scroll on if you must, but look at this one twice.
    This is what I will think about on the next rainy day.
    A little {loud|messy|blurry}, but I like it.
    Still smiling.
    Love this.
    Simply beautiful.
    Just as I dreamed it.
    I had to post this.
    Straight from the camera.
    {PERSON}, look at this.
    """
  )
}
