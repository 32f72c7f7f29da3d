/** Topics of tweets in English, so that hashtags and search results look realistic. */

export interface Topic {
  readonly title: string;
  readonly tags: readonly string[];
  readonly nouns: readonly string[];
  /** Templates with `{noun}`, `{place}` and `{number}`. */
  readonly sentences: readonly string[];
  readonly emoji: readonly string[];
}

const words = (text: string): readonly string[] => text.split('|');

const defineTopic = (title: string, texts: Readonly<Record<Exclude<keyof Topic, 'title'>, string>>): Topic => ({
  title,
  tags: words(texts.tags),
  nouns: words(texts.nouns),
  sentences: words(texts.sentences),
  emoji: words(texts.emoji),
});

export const TOPICS: readonly Topic[] = [
  defineTopic('Football', {
    tags: 'Matchday|Football|CupFinal',
    nouns: 'the keeper|that late penalty|our captain|the new striker',
    sentences:
      '{noun} won it in stoppage time, and {place} went wild.|Kick-off in {number} minutes.|Nobody talks enough about {noun}.',
    emoji: '⚽|🙌🏽',
  }),
  defineTopic('Astronomy', {
    tags: 'Astronomy|NightSky|Aurora',
    nouns: 'Jupiter|the Orion nebula|a thin moon|the space station',
    sentences:
      'Caught {noun} through the clouds over {place} tonight.|{number} frames stacked, and {noun} finally shows its colours.|Look up after dusk: {noun}!',
    emoji: '🔭|🪐',
  }),
  defineTopic('Baking', {
    tags: 'Sourdough|Baking|Recipe',
    nouns: 'the rye loaf|my starter|this lemon cake|the third batch',
    sentences:
      '{noun} came out better than I deserve.|{number} grams of butter later, no regrets.|The bakery in {place} sells out by nine: {noun}.',
    emoji: '🍞|👩🏾‍🍳',
  }),
  defineTopic('Cycling', {
    tags: 'CycleToWork|Cycling|GravelRide',
    nouns: 'a headwind|the canal path|the new bike lane|the last climb',
    sentences:
      '{number} km before breakfast, mostly against {noun}.|Today’s enemy: {noun}.|You only know {place} after riding it in the rain.',
    emoji: '🚲|🚵🏻‍♀️',
  }),
  defineTopic('Music', {
    tags: 'NowPlaying|Jazz|VinylSunday',
    nouns: 'that bass line|a borrowed trumpet|her new record|the drummer',
    sentences: 'On repeat tonight: {noun}.|Track {number} is the one.|Small club in {place}, forty people, {noun}.',
    emoji: '🎷|🎧',
  }),
  defineTopic('Gardening', {
    tags: 'GardeningHour|Allotment|Wildflowers',
    nouns: 'the tomatoes|a brave snail|the old pear tree|the compost',
    sentences:
      '{noun} survived the frost.|Harvest report: {number} beans and {noun}.|The whole street in {place} smells of lilac.',
    emoji: '🌱|🐌',
  }),
  defineTopic('Film', {
    tags: 'FilmDiary|NowWatching|SilentFilm',
    nouns: 'the long take|that ending|a restored print|the villain',
    sentences:
      'Watched it for {noun}, stayed for the credits.|{noun} is worth the {number} minutes before it.|The old cinema in {place} shows it this week.',
    emoji: '🎬|🎞️',
  }),
  defineTopic('Databases', {
    tags: 'SQL|Databases|OpenSource',
    nouns: 'the missing index|a full table scan|the migration|the backup',
    sentences:
      'Spent {number} hours on it. It was {noun}.|Please test {noun} before you need it.|Meetup in {place} tonight: all about {noun}.',
    emoji: '💾|🧑🏿‍💻',
  }),
  defineTopic('Weather', {
    tags: 'Weather|StormWatch|Heatwave',
    nouns: 'a wall of fog|the first snow|this heat|a double rainbow',
    sentences:
      '{noun} reached {place} an hour early.|Gauge reads {number} mm since midnight.|Take an umbrella. {noun} is coming.',
    emoji: '⛈️|☀️',
  }),
  defineTopic('Books', {
    tags: 'AmReading|Books|Poetry',
    nouns: 'the last chapter|her letters|the narrator|this translation',
    sentences:
      'Page {number}, and I still do not trust {noun}.|Stayed up for {noun}. Worth it.|“Begin at the beginning,” said the library in {place}. I started with {noun}.',
    emoji: '📚|🔖',
  }),
  defineTopic('Trains', {
    tags: 'TrainTravel|NightTrain|WindowSeat',
    nouns: 'the sleeper|the dining car|the viaduct|the first tram',
    sentences:
      'Window seat, {noun}, {number} tunnels.|They are restoring {noun} in {place}!|Woke up on {noun} to mountains.',
    emoji: '🚆|🛤️',
  }),
  defineTopic('Cats', {
    tags: 'Caturday|CatsOfTheWorld|RescueCat',
    nouns: 'the cat|a stolen sausage|the cardboard box|my keyboard',
    sentences:
      '{number} a.m., and {noun} is under attack.|Adopted in {place}, now rules over {noun}.|Work call interrupted by {noun}.',
    emoji: '🐈‍⬛|🐾',
  }),
];

/** Accounts that every world with enough people has, by fame: examples can rely on their names. */
export const FAMOUS_ACCOUNTS = [
  {
    screenName: 'HarbourNews',
    name: 'Harbour News',
    topic: 8,
    bio: 'News from the coast, day and night.\nTips: desk@harbour.example',
  },
  { screenName: 'nightsky_now', name: 'Night Sky, Now 🔭', topic: 1, bio: 'What is up tonight. "Look up!" #NightSky' },
  {
    screenName: 'MatchdayLive',
    name: 'Matchday Live ⚽',
    topic: 0,
    bio: 'Every goal, every ground. Not affiliated with anyone who wins.',
  },
  {
    screenName: 'sidetwo',
    name: 'Side Two',
    topic: 4,
    bio: 'Records, rooms & rumours. https://sidetwo.example/listen',
  },
  {
    screenName: 'explain_plan',
    name: 'EXPLAIN PLAN',
    topic: 7,
    bio: "It's always the missing index; drop table doubts;--",
  },
] as const;

export const LINK_HOSTS = words('harbour.example|blog.example.org|photos.example.net');
export const LINK_WORDS = words('story|notes|gallery|archive|guide|review');

/** Texts that a careless reader trips over; all are well formed. */
export const UNUSUAL_TEXTS: readonly string[] = [
  '"Quoted", said the \'quoter\', and added a back\\slash; -- and a comment',
  '=SUM(A1:A9) looked better in the spreadsheet',
  'First line\nSecond line\n\n\tFourth, with a tab',
  'Ich mag Ä, Ö, Ü – und decomposed: A\u0308 O\u0308 U\u0308 #A\u0308RGER #ÄRGER',
  'Family: 👨‍👩‍👧‍👦, flags: 🇺🇦🇧🇷🇯🇵🏴󠁧󠁢󠁳󠁣󠁴󠁿, keycap: #️⃣ 1️⃣, hands: 👋🏻👋🏽👋🏿',
  'Not tags: #1, C# and &#39;. A tag: #C_sharp. An address: team@example.org',
  'Left and \u2067ימין ושמאל\u2069 in one line, \u200Ewith marks',
  'Z\u0351\u036B\u0343a\u0359\u0325l\u0349\u0353g\u0339\u034Bo\u0334\u0322 has arrived',
  "100% of users_with_underscores like 'LIKE' % and _",
  'null',
  '<b>bold?</b> <script>alert("no")</script> &amp; &lt;3',
  'Anchor in a link, not a tag: https://wiki.example.org/Page_(disambiguation)#History. And #real',
];

export const PLACES = words('Leeds|Porto|Austin|Nairobi|Melbourne|Cape Town|Gdańsk|Kyoto');
export const EMOJI = words('😂|❤️|🔥|👀|🎉|🤷🏻‍♂️|👏🏿|🏳️‍🌈');

/** Parts of screen names. */
export const HANDLE_PREFIXES = words('slow|quiet|north|silver|lucky|paper|night|tiny|blue|real|dr|the');
export const HANDLE_SUFFIXES = words('kettle|train|otter|pixel|poet|garden|lamp|finch|river|moss|radio|fox');

/** Names of communities and lists: `{topic}` and `{place}` are filled in. */
export const COMMUNITY_NAMES = words(
  '{topic} Circle|{topic} after Midnight|Beginners’ {topic}|{topic} in {place}|The {topic} Table',
);
export const COMMUNITY_DESCRIPTIONS = [
  'Everything about {topic}. Be kind; cite your sources.',
  'For people who take {topic} seriously, and themselves less so. ☕',
  'Questions welcome.\nRules: no spam, no spoilers, no "well, actually".',
  '',
];
export const LIST_NAMES = words('{topic} people|Best of {topic}|{place} voices|{topic}: must read|my {topic} list');
export const LIST_DESCRIPTIONS = [
  'Hand-picked, seldom updated.',
  'Who to read about {topic}.',
  'Private jokes & {topic} 🙃',
  '',
];
