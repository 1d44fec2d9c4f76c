extension Phrases {
  /// They name no thing of the task, so that they fit each.
  static let everyday = Phrases(
    """
    Important.
    Ask {PERSON}.
    By {DAY}.
    Before lunch.
    Ask {PERSON} first.
    Mornings work best.
    {PERSON} knows more.
    Tell {PERSON} afterwards.
    For {PERSON}, actually.
    {PERSON} can help me.
    Promised for this {week|month}.
    Best done before noon.
    Check the calendar first.
    {PERSON} asked about it again.
    Send {PERSON} a message afterwards.
    It is on the way.
    The same again next {month|year|week}.
    Better not on a {DAY}.
    Write down what comes of it.
    The details are in my notes.
    Talk to {PERSON} before I start.
    {PERSON} wanted to know about it, too.
    See what was said in {MONTH} first.
    Last year this was done in {MONTH}.
    There is a note about it somewhere.
    {PERSON} did the same in {MONTH}, ask how.
    It went well last time, so no changes.
    {PERSON} has done this before and can tell me how.
    I keep forgetting about it, so there is a reminder.
    Private.
    See notes.
    Call {PERSON}.
    {PERSON} reminded me.
    Ask again on {DAY}.
    I promised {PERSON} to do it.
    Write to {PERSON} when it is done.
    {PERSON} asked for this.
    {PERSON}’s wish.
    See my notes from {MONTH}.
    {PERSON} has the details.
    {PERSON} wrote about it in {MONTH}.
    There is more in the e-mail from {PERSON}.
    This came up at dinner with {PERSON}.
    {PERSON} gave me this idea in {MONTH}.
    Ask {PERSON} how it went last year.
    Do not forget to thank {PERSON} afterwards.
    {PERSON} said I should not wait too long.
    If {PERSON} asks, say that it is on my list.
    This is one of the things {PERSON} and I agreed on.
    {PERSON} wants to hear how it went.
    It is on my list since {DAY}.
    Talked about it with {PERSON} last {DAY}.
    Everything about it is in my notes.
    {PERSON} knows somebody who did the same, so ask before I begin.
    Remember to tell {PERSON} about it on the phone.
    Ask {PERSON} for the best way to do it.
    """
  )

  static let project = Phrases(
    """
    Private.
    Shared.
    Mostly small.
    Nothing urgent here.
    Shared with {PERSON}.
    One at a time.
    What {PERSON} asked for.
    For the quiet days.
    Everything for this {year|month|season}.
    Look here every {DAY}.
    Keep this list short.
    Sorted by {PERSON} last {MONTH}.
    Things that can wait a while.
    What does not fit anywhere else.
    Old entries go at the end.
    {PERSON} and I share this list.
    To be done before the holidays.
    What we said we would do this {year|month|summer}.
    Look through it on {DAY} with {PERSON}.
    Small things for when there is time.
    Everything that came up since last {MONTH}.
    Move what is old to the archive.
    {PERSON} adds to it, and I do the rest.
    No more than {FEW} of these in a week.
    Anything that takes more than an hour goes elsewhere.
    We go through it together on the first {DAY}.
    The important things are flagged, all the others can wait.
    Kept short.
    Small things first.
    For everybody here.
    For the whole household.
    A list for all of us.
    {PERSON} and I began it together after the summer, and it grew.
    {PERSON} looks through it once a month and moves things on.
    Since {MONTH}.
    {PERSON}’s idea.
    Always growing.
    """
  )

  static let person = Phrases(
    """
    Friendly.
    Neighbour.
    {PERSON}’s friend.
    Met in {MONTH}.
    Prefers to write.
    Likes {cycling|chess|sailing|hiking|cooking}.
    Knows {PERSON} well.
    Lived in {Zürich|Łódź|Québec|Málaga|Köln} before.
    Call after {HOUR} only.
    Does not eat meat.
    Met through {PERSON} in {MONTH}.
    Birthday is in {MONTH}.
    Works from home on {DAY}.
    Has {two|three} children.
    Speaks French and some {Polish|Czech|Turkish|Greek}.
    Used to work with {PERSON}.
    Sends a card every {MONTH}.
    Sings in the choir with {PERSON}.
    Usually answers within a day.
    Wants to hear about the next trip.
    Was at the wedding of {PERSON}.
    Away every year in {MONTH}.
    Best reached in the evening.
    Moved here {FEW} years ago.
    Changed jobs in {MONTH} and is busy.
    We met at the {station|market|library|harbour} in {MONTH}.
    Has a key to our house.
    Knows a good {dentist|garage|plumber|bakery} near here.
    Came to dinner with {PERSON} in {MONTH}.
    Does not like to be called before {HOUR}.
    Left our team {FEW} years ago, still in touch.
    Plays {football|chess|tennis|cards} with {PERSON} every other {DAY}.
    Lent me a tent, which I gave back in {MONTH}.
    Always has time for a coffee near the old town.
    Was my neighbour for {FEW} years before we both moved.
    """
  )

  static let message = Phrases(
    """
    Thanks!
    Great!
    Let me know.
    How was your holiday?
    I will ask {PERSON}.
    {DAY} is fine, thanks.
    Did you hear from {PERSON}?
    Can we meet on {DAY}?
    Thank you for the photos.
    {PERSON} says hello to you.
    Dinner at ours on {DAY}?
    The address is on its way.
    We will be there around {HOUR}.
    Shall I bring anything on {DAY}?
    I will call you after {HOUR}.
    Good luck with the move on {DAY}!
    The children loved the books, thank you.
    {PERSON} is coming too, if you agree.
    Could you send me {PERSON}’s number?
    I left my umbrella at your place.
    The weather is lovely, come and see us.
    I have two tickets for {DAY}, would you like one?
    Tell {PERSON} that the recipe was for six, not for four.
    Let us talk about the summer when you are back.
    We found a flat near the station and move in {MONTH}.
    The meeting is at {HOUR} now, in the same room as before.
    Could you look at the text once more before I send it?
    It was so good to see you all again on {DAY}.
    More on {DAY}.
    The papers are attached.
    Could you bring the tent and the large pot?
    Thank you for your message.
    Please say hello to {PERSON}.
    I have told {PERSON} as well.
    It would be lovely to see you.
    We could meet at the café in {MONTH}.
    I will send you the rest on {DAY}.
    Good idea!
    No problem.
    Of course!
    A quick question.
    I hope you are well.
    Have you seen the photos of {PERSON}?
    I read your text twice, it is very good.
    {PERSON} and I talked about you on {DAY}.
    It is {FEW} years since we went there.
    """
  )

  static let call = Phrases(
    """
    Short.
    Calls back.
    About the invoice.
    Sends the offer.
    Talked about {PERSON}.
    Will write on {DAY}.
    Agreed on {DAY} at {HOUR}.
    Wants an answer by {DAY}.
    Asked about the new prices.
    {PERSON} took part as well.
    Sends me the papers on {DAY}.
    Needs the contract before the end of {MONTH}.
    Talked for {MANY} minutes about the summer.
    {PERSON} takes over from the first of {MONTH}.
    Asked for a date in {MONTH}.
    Wants to see the plan first.
    Postponed the visit to {DAY}.
    We meet again in {FEW} weeks.
    The order comes {FEW} days later than planned.
    Asked who else is coming to the meeting.
    Agreed to pay in {two|three} parts.
    Has not heard from {PERSON} since {MONTH}.
    I promised to send the list by {DAY}.
    Would like to move the next meeting to {DAY}.
    There are {FEW} open points, which {PERSON} looks into.
    Told me about the new flat and the children.
    Wants to think about it and call back on {DAY}.
    About the summer.
    From the office.
    Asked how {PERSON} is.
    Talked about the visit in {MONTH}.
    {PERSON} will send the missing page.
    Wants me to write to {PERSON}.
    Asked for the address of {PERSON}.
    Thanked me for the photos of {MONTH}.
    Friendly.
    Good news.
    Sounded happy.
    About {PERSON}.
    Sends regards.
    """
  )

  static let post = Phrases(
    """
    Finally!
    Today.
    More coffee.
    What a view.
    Worth the walk.
    {PERSON} took this one.
    Cold hands, warm {soup|tea|scones}.
    The light was perfect today.
    Same bench, other {season|weather|company}.
    No filter needed for this.
    Found this near the {station|market|harbour|library}.
    We had the beach to ourselves.
    My new favourite place for lunch.
    {PERSON} and me, {FEW} years later.
    Best {crème brûlée|hot chocolate} in town.
    I could sit here all day.
    Not bad for a first attempt, right?
    Took the long way home, no regrets.
    Back at it after {FEW} quiet weeks.
    {Two|Three|Four} hours uphill, and then this.
    Nobody told me how good this would be.
    Guess who forgot the camera and used a phone.
    Thanks to {PERSON} for showing me this place.
    If you know where this is, you know how good it smells.
    Still thinking about that evening with {PERSON} in {MONTH}.
    A little late, but here is the photo I promised {PERSON}.
    Weekend plans: nothing, and then a little more of the same.
    Some days are just made for walking around with no plan.
    So good.
    Once more.
    View of the {harbour|lake|castle|hills}.
    No words needed.
    It takes a while to get here, and nobody minds.
    {PERSON} knows why.
    A walk with {PERSON}.
    We should do this more often.
    Took about {MANY} photos, this is one.
    Ask {PERSON} how long we laughed here.
    There is always time for a short stop.
    Somebody please tell me what this is called.
    A day well spent.
    My kind of day.
    """
  )
}
