extension Phrases {
  /// Notes on tasks.
  ///
  /// They do not mention the task's subject, so that they fit any task.
  static let everyday = Phrases(
    """
    Important.
    Tell {PERSON}.
    Ask {PERSON}.
    {PERSON}’s idea.
    {PERSON} knows more.
    {PERSON} can help.
    {PERSON} reminded me.
    Talk to {PERSON}.
    {PERSON} has the details.
    {PERSON} asked for this.
    Moved from another list.
    Do it with {PERSON}.
    I promised it to {PERSON}.
    {PERSON} told me about this.
    {PERSON} would like to help.
    {PERSON} asked about it again.
    I told {PERSON} about it.
    {PERSON} and I talked about it.
    There is more in {PERSON}’s e-mail.
    {PERSON} sent me a message about this.
    Let {PERSON} know when it is done.
    It would be good to have this done.
    This came up when I talked to {PERSON}.
    {PERSON} and I agreed that I would do this.
    {PERSON} did it last time, so it is my turn.
    {PERSON} wants to know how it went, so write a message.
    {PERSON} wrote to me about this.
    It is good to have this on the list.
    {PERSON} will be glad.
    This is on {PERSON}’s list, too.
    """
  )

  static let project = Phrases(
    """
    Various.
    Small things.
    Always growing.
    With {PERSON}.
    {PERSON}’s idea.
    Whatever comes up.
    {PERSON} helps me.
    One by one.
    One at a time.
    {PERSON} adds to it.
    Everything in one place.
    New entries on top.
    A few words are enough.
    What {PERSON} asked me for.
    Ask {PERSON} about older entries.
    What does not fit anywhere else.
    Look through it once a month.
    Move what is old to the archive.
    {PERSON} and I look at it together.
    Things that {PERSON} and I talked about before.
    Things that I do not want to forget.
    {PERSON} looks at this list from time to time.
    {PERSON} started this list, and I went on with it.
    Flag what is important.
    Begin with the short ones.
    Whoever has time can take one.
    What is done goes to the archive.
    Add a date where there is one.
    """
  )

  static let person = Phrases(
    """
    Friend.
    Family.
    Loves {jazz|opera|roses|cats}.
    Likes {cycling|chess|sailing|hiking|cooking}.
    Good {dancer|singer|swimmer|listener}.
    {PERSON}’s friend.
    Has {two|three} children.
    Met through {PERSON}.
    Plays the {piano|guitar|cello|flute}.
    Often very busy.
    Collects old {maps|stamps|books|coins}.
    Does not eat meat.
    Birthday is in {MONTH}.
    Call in the evening.
    Reads a great deal.
    Has met {PERSON} before.
    Usually answers within a day.
    Used to work with {PERSON}.
    Has a dog named {Milo|Luna|Rex}.
    Has a very old {car|bicycle|clock}.
    Knows a lot about old {films|houses|trains}.
    Told me about a good {book|film|museum}.
    Sends a card every New Year.
    Was at the wedding of {PERSON}.
    Has lived in {two|three|four} different countries.
    Always has time for a long talk.
    Knows many good places to eat out.
    Gave me good advice when I needed it.
    Wants to visit us when there is time.
    Takes very good photos.
    """
  )

  static let message = Phrases(
    """
    Thanks!
    Great!
    Agreed.
    Thank you!
    That works.
    Good idea.
    I will check.
    That sounds good.
    Please tell {PERSON}.
    {PERSON} says hello.
    How are you?
    Let me know, please.
    I hope it helps.
    I will call you.
    Say hello to {PERSON}.
    I got your last message.
    {PERSON} will write to you.
    Is there anything I forgot?
    It was good to hear from you.
    I will think about it again.
    I have told {PERSON} about it.
    Tell me if you need anything.
    Sorry that it took so long.
    I will send you the rest later.
    {PERSON} and I talked about it again.
    Could you send me {PERSON}’s new number?
    Write to me if there is any news.
    It was good to talk to you again.
    Can you tell me what you think about it?
    We can talk about it when you have some time.
    If it is easier for you, we can do it later.
    I will ask {PERSON} and write again as soon as I know.
    I like it.
    Take your time.
    You are right.
    Let us try it.
    I am glad about it.
    """
  )

  static let call = Phrases(
    """
    Friendly.
    Helpful.
    Good news.
    All well.
    Will get back to me.
    Asked about {PERSON}.
    Seemed very happy.
    Wants to meet soon.
    Talked about the weekend.
    Will write to {PERSON}.
    Asked for more time.
    Talked about {PERSON}’s plans.
    Will send a short summary.
    Asked how {PERSON} is doing.
    Wants to hear from {PERSON}.
    Thanked me for the help.
    Thanked me for the last message.
    Asked me to write to {PERSON}.
    Needs an answer within a week.
    Talked about what comes next.
    Talked for {ten|fifteen|twenty} minutes about the holiday.
    Will ask around and write to me.
    Has a question that only {PERSON} can answer.
    Gave me some advice, which I wrote down.
    Would like to know what {PERSON} thinks of it.
    Will ask {PERSON} and then tell me the result.
    Told me the latest news and asked what is new.
    I will send the dates as soon as I have them.
    Nice talk.
    Is doing well.
    Will be away next week.
    """
  )

  static let post = Phrases(
    """
    Finally!
    Today.
    Home.
    So good.
    Pure joy.
    Still here.
    Still smiling.
    Love this.
    Simply beautiful.
    Look at this.
    Here we are.
    My happy place.
    Worth the wait.
    Small things matter.
    {PERSON} knows why.
    A day well spent.
    Good times with {PERSON}.
    Just what I needed.
    I had to share.
    {PERSON} asked for this one.
    One of my favourite moments.
    Just as I dreamed it.
    I could look at this forever.
    Happy to share this with you.
    One more, because I like it.
    {PERSON} will know where this is.
    Not perfect, but I like it anyway.
    Tell me in a comment what you think.
    I will remember this for a long time.
    I have been waiting for this all week.
    This is why I take my camera with me.
    A little late, but better late than not at all.
    I want to come back here soon.
    """
  )
}
